"""Every pass on a program: the invariants that hold whatever the program is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import stablehlo_py as shlo
from stablehlo_py.debug.compare_arrays import Tolerance, compare_arrays
from stablehlo_py.interpreter.arrays import random_array
from stablehlo_py.interpreter.plan import byte_size
from stablehlo_py.ir.types import TensorType, TupleType, Type
from stablehlo_py.opset.definition import has_trait

MAX_INPUT = 8 << 20  # bytes of an input; larger programs are not run
MAX_STEPS, TIMEOUT = 20000, 300.0  # seconds, for the slowest machine
VHLO = "stablehlo-legalize-to-vhlo{allow-other-dialects=true}"
BACK = "vhlo-legalize-to-stablehlo,reconcile-unrealized-casts"
PASSES = (
    "canonicalize",
    "chlo-legalize-to-stablehlo",
    "chlo-pre-serialization-pipeline",
    "cse",
    "inline",
    "interpreter-instrument-with-probe",
    "interpreter-instrument-with-probe{useDebugInfo=true}",
    "narrow",
    "narrow{type=f16 keep=accumulations,signature}",
    "reconcile-unrealized-casts",
    "shape-legalize-to-stablehlo",
    "simplify-inference",
    "stablehlo-aggressive-folder",
    "stablehlo-aggressive-folder{assume-no-undeclared-side-effects=true}",
    "stablehlo-aggressive-folder{fold-op-element-limit=2 optimize-float=false}",
    "stablehlo-aggressive-simplification",
    "stablehlo-aggressive-simplification{fold-op-element-limit=0}",
    "stablehlo-canonicalize-dynamism",
    "stablehlo-check-shape-assertions",
    "stablehlo-check-shape-assertions{enable-shape-assertions=false}",
    "stablehlo-compatibility-expander{target=1.0.0}",
    "stablehlo-compatibility-expander{target=1.10.0}",
    "stablehlo-complex-math-expander",
    "stablehlo-convert-to-signless",
    "stablehlo-deserialize",
    "stablehlo-legalize-composite-to-call",
    "stablehlo-legalize-deprecated-ops",
    "stablehlo-legalize-deprecated-ops{fail-on-unused=false}",
    "stablehlo-legalize-qdq-to-quantized-op",
    "stablehlo-legalize-quant-to-math",
    "stablehlo-legalize-quantized-op-to-qdq",
    VHLO,
    f"{VHLO},{BACK}",
    f"{VHLO},vhlo-to-version{{target=minimum}}",
    f"{VHLO},vhlo-to-version{{target=1.3.0}},vhlo-to-version,{BACK}",
    "stablehlo-lower-quant-pipeline",
    "stablehlo-refine-shapes",
    "stablehlo-refine-shapes{separate-calls=true}",
    "stablehlo-target-independent-optimization",
    "stablehlo-target-independent-optimization{fold-op-element-limit=1 optimize-float=false}",
    "strip-debuginfo",
    "symbol-dce",
    "vhlo-legalize-to-stablehlo",
    "vhlo-to-version",
)


def passes_for(module: shlo.Module, inputs: Sequence[Any]) -> Iterator[str]:
    """Yield all passes, with options that make sense for a program; `inputs` are those of its entry."""
    yield from PASSES
    names = sorted({op.name for op in module.walk()})
    wrapped = ",".join([n for n in names if not has_trait(n, "terminator") and not has_trait(n, "symbol")])
    yield f"stablehlo-wrap-in-composite{{op-names={wrapped} version=1}}"
    yield f"stablehlo-wrap-in-composite{{op-names={wrapped}}},stablehlo-legalize-composite-to-call,inline"
    yield f"stablehlo-wrap-in-composite{{op-names={','.join(names)}}}"
    arguments = module.functions["main"].blocks[0].arguments if "main" in module.functions else ()
    if arguments and all(isinstance(argument.type, TensorType) for argument in arguments):
        pairs = zip(arguments, inputs, strict=True)
        types = ",".join([str(TensorType(np.shape(x), a.type.element_type)) for a, x in pairs])
        yield f"stablehlo-refine-arguments{{types={{{types}}}}}"
        yield f"stablehlo-refine-arguments{{types={{{types}}}}},stablehlo-refine-shapes"
        yield f"stablehlo-remove-dynamism{{types={{{types}}}}}"


def check(module: shlo.Module, inputs: Sequence[Any] | None = None) -> None:
    """Run all passes on a valid program, each on its own.

    A pass refuses the program with a position, or the result is valid, its text parses, and its results are
    equal.

    Args:
        module: The program.
        inputs: The inputs; random ones by default.
    """
    inputs = random_inputs(module) if inputs is None else inputs
    before = results(module, inputs) if inputs is not None else None
    for passes in passes_for(module, inputs or ()):
        try:
            changed = shlo.opt(module, passes)  # which verifies
        except shlo.TransformError as error:
            is_one = "}," not in passes and "pipeline" not in passes  # ops that a pass made have no position
            assert all((d.line > 0 or not is_one) and d.message for d in error.diagnostics), (
                f"{passes}: {error}"
            )
            continue
        text = shlo.format(changed)
        again = shlo.parse(text, allow_unregistered=True)  # which upgrades VHLO
        assert "vhlo." in text or shlo.format(again) == text, passes
        if before is not None and not _changes_results(passes, str(module)):
            _compare(before, results(again, inputs or ()), passes)


def random_inputs(module: shlo.Module) -> list[Any] | None:
    """Random inputs, where unknown sizes are 2; None if the program cannot be run."""
    try:
        program = shlo.compile(module, _entry(module), engine="numpy")
        return [_input(argument.type) for argument in program.signature.inputs]
    except (shlo.RunError, ValueError):
        return None


def _changes_results(passes: str, program: str) -> bool:
    """Test whether passes give other results by definition: other integers, other roundings."""
    signless = "signless" in passes and "ui" in program
    return signless or passes.startswith("narrow") or ("quant-to-math" in passes and "!quant" in program)


def results(module: shlo.Module, inputs: Sequence[Any]) -> list[Any] | None:
    """The results of a program; None if it cannot be run."""
    try:
        program = shlo.compile(module, _entry(module), engine="numpy", max_steps=MAX_STEPS, timeout=TIMEOUT)
        return program.call(list(inputs))
    except shlo.RunError:
        return None


def _entry(module: shlo.Module) -> str | None:
    """The only function that is not private, which passes may add."""
    names = [n for n, op in module.functions.items() if op.python_value("sym_visibility") != "private"]
    return names[0] if len(names) == 1 else None


def _input(type: Type) -> Any:
    if isinstance(type, TupleType):
        return tuple(map(_input, type.types))
    if isinstance(type, TensorType):
        type = TensorType(tuple(2 if size is None else size for size in type.shape), type.element_type)
    size = byte_size(type)
    if size is None or size > MAX_INPUT:
        raise shlo.RunError("the input is too large")
    return random_array(type, np.random.default_rng(0), "the input")


def _compare(before: Any, after: Any, passes: str) -> None:
    """Expect equal results; formulas of functions may differ in the last places."""
    if isinstance(before, list | tuple):
        assert after is not None, f"{passes}: the program no longer runs"
        for a, b in zip(before, after, strict=True):
            _compare(a, b, passes)
    elif isinstance(before, np.ndarray):
        same = after.view(before.dtype) if before.dtype.itemsize == after.dtype.itemsize else after
        assert before.tobytes() == same.tobytes() or compare_arrays(same, before, Tolerance()).ok, passes
