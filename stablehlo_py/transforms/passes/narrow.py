"""The pass `narrow`: a mixed-precision program, in a narrow type but for the ops that keep theirs."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from stablehlo_py.diagnostics.origin import names_of, scope_name
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.transforms.narrowing import Narrowing, narrow_type
from stablehlo_py.transforms.pass_definition import Option, Options, Pass, failure

ACCUMULATIONS, SIGNATURE = "accumulations", "signature"


def _run(module: Module, options: Options) -> None:
    try:
        type = narrow_type(options["type"])
    except ValueError as error:
        raise failure(module, module.op, f"narrow: {error}") from None
    patterns = [each for each in options["keep"] if each not in (ACCUMULATIONS, SIGNATURE)]
    kept = {
        op
        for op in module.walk()
        if not op.is_module and not op.is_function and _matches(op, patterns, module)
    }
    for pattern in patterns:
        if not any(_matches(op, [pattern], module) for op in kept):
            raise failure(module, module.op, f"narrow: no op is named {pattern!r} by keep")
    Narrowing(
        module,
        type,
        kept.__contains__,
        signature=SIGNATURE in options["keep"],
        accumulations=ACCUMULATIONS in options["keep"],
    ).run()


def _matches(op: Operation, patterns: Sequence[str], module: Module) -> bool:
    """Test whether the name of an op, or of a scope around it, matches a pattern."""
    if not patterns:
        return False
    scopes = scope_name(op.location).split("/")
    names = [*names_of(op), *["/".join(scopes[:n]) for n in range(1, len(scopes))], f"line:{module.line(op)}"]
    return any(fnmatchcase(name, pattern) for name in names for pattern in patterns)


PASS = Pass(
    "narrow",
    "Computes in a narrower floating-point type, except for the ops that `keep` names.",
    _run,
    (
        Option("type", "bf16", "The narrow type, such as `bf16`, `f16` or `f8E5M2`."),
        Option(
            "keep",
            (),
            "What keeps its types: ops by the name of a result (`%3`), of the op (`exponential`), by name "
            "scope (`layer_0/softmax`), line (`line:12`) or Python line (`model.py:12`), with * and ? as "
            "wildcards; `accumulations`: reductions, and the results of products; `signature`: arguments and "
            "results of public functions.",
        ),
    ),
    description="A value has the type of the op that computes it, and is converted once if ops of the other "
    "type use it. Exact ops (reshapes, selects, maxima, comparisons), values that loops and calls pass on, "
    "stay wide between two ops that are. Constants beyond the range of the narrow type become its largest "
    "number. Ops on complex and quantized numbers, of random numbers, with effects, and custom calls keep "
    "their types.",
)
