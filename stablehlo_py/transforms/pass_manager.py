"""The pass manager: runs passes on a copy of a module, and verifies after each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from stablehlo_py.analysis.op_reference import explain
from stablehlo_py.diagnostics.diagnostic import Diagnostic, InternalError, TransformError
from stablehlo_py.ir.attributes import ELIDED, DenseElementsAttr, DenseResourceAttr
from stablehlo_py.ir.core import Module
from stablehlo_py.ir.garbage import gc_paused
from stablehlo_py.syntax.printer import format_module
from stablehlo_py.transforms.pipeline import Scheduled, schedule
from stablehlo_py.transforms.tidy import drop_comments
from stablehlo_py.verifier.verifier import verify_module

_LARGE = 1 << 16  # bytes of a constant


@dataclass(frozen=True, slots=True)
class PassRun:
    """A pass that ran.

    Attributes:
        scheduled: The pass with its options.
        seconds: How long it took, without verification.
        ops_before: The number of ops before it.
        ops_after: The number of ops after it.
        remarks: What it says of the program.
    """

    scheduled: Scheduled
    seconds: float
    ops_before: int
    ops_after: int
    remarks: Sequence[Diagnostic] = ()


def run_passes(
    module: Module,
    passes: str | Iterable[str],
    *,
    verify_each: bool = True,
    exact: bool = False,
    before_each: Callable[[Scheduled, Module], None] | None = None,
    after_each: Callable[[PassRun, Module], None] | None = None,
) -> Module:
    """Run passes on a copy of a module.

    Args:
        module: A valid module, which is not changed.
        passes: The passes in order; see `pipeline`.
        verify_each: Whether to verify the program after each pass.
        exact: Whether to leave out rules that may change results by rounding.
        before_each: Called before each pass, with the pass and the module, which it must not change.
        after_each: Called after each pass, with its record and the module, which it must not change.

    Returns:
        The transformed module.

    Raises:
        ValueError: For an unknown pass or option.
        TransformError: If a pass cannot be applied to the program, or computes contradicting sizes.
        InternalError: If a pass makes the program invalid.
    """
    scheduled = schedule(passes)
    made = _copied(module)
    invalid = _errors(module) if verify_each else []
    spans = {op.offset: op.end for op in made.walk()} if made.comments else {}
    for each in scheduled:
        if before_each is not None:
            before_each(each, made)
        with gc_paused():
            run = _run(each, made, exact)
        if verify_each and not invalid:
            _check(each, made)
        if after_each is not None:
            after_each(run, made)
        if spans:
            left = {op.offset for op in made.walk()}
            drop_comments(made, [(start, end) for start, end in spans.items() if start not in left])
    return made


def _copied(module: Module) -> Module:
    """Return a copy of a module with a source text: positions in diagnostics are those before the passes.

    The text that stands for a binary file leaves out the elements of large constants.
    """
    with gc_paused():
        made = module.clone()
    large = [
        (values, name, value)
        for op in made.walk()
        for values in (op.properties, op.attributes)
        for name, value in values.items()
        if isinstance(value, DenseElementsAttr) and value.data.nbytes > _LARGE
    ]
    for values, name, value in large:
        values[name] = DenseResourceAttr(ELIDED, value.type)
    _ = made.source
    for values, name, value in large:
        values[name] = value
    return made


def _run(scheduled: Scheduled, module: Module, exact: bool) -> PassRun:
    before, start = _count(module), perf_counter()
    try:
        remarks = scheduled.definition.run(module, {**scheduled.options, "exact": exact})
    except RecursionError:
        raise InternalError(f"{scheduled}: the program is nested too deeply") from None
    return PassRun(scheduled, perf_counter() - start, before, _count(module), remarks or ())


def _count(module: Module) -> int:
    return sum(1 for _ in module.walk())


def _errors(module: Module) -> list[Diagnostic]:
    return [each for each in verify_module(module) if each.severity == "error"]


def _check(scheduled: Scheduled, module: Module) -> None:
    wrong = _errors(module)
    if not wrong:
        return
    if all(map(_is_about_constants, wrong)):
        note = f"{scheduled} computes these values, which no run of the program can use"
        raise TransformError(module.name, [replace(each, notes=(*each.notes, note)) for each in wrong])
    text = format_module(module, generic=True)
    raise InternalError(f"the program is invalid after {scheduled}:\n{wrong[0]}\nThe program:\n{text}")


def _is_about_constants(diagnostic: Diagnostic) -> bool:
    """Test whether a rule holds for constants only: a valid program may compute what violates it."""
    op, _, label = diagnostic.code.rpartition(".")
    found = explain(op) if op else None
    rules = found["constraints"] if found is not None else ()
    return any(rule["label"] == label and "constant_value(" in rule["formula"] for rule in rules)
