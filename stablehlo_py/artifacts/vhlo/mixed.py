"""Programs mixed with other dialects: casts between VHLO's types and those of the other dialects' ops.

In a portable artifact, the values of VHLO's ops have types of VHLO, all others those of their own dialects.
In the IR both have the same types: the casts exist in files only.
"""

from __future__ import annotations

from collections.abc import Sequence

from stablehlo_py.artifacts.vhlo.forms import forms_of
from stablehlo_py.ir.core import Module, Operation, OpResult, Value, erase_all
from stablehlo_py.ir.types import Type
from stablehlo_py.ir.version import Version

CAST = "builtin.unrealized_conversion_cast"
SINCE = Version(1, 11)  # the first version that reads them


def is_foreign(op: Operation) -> bool:
    """Return True for an op that VHLO does not have."""
    return not op.is_module and not forms_of(op.name)


def with_casts(module: Module) -> tuple[Module, dict[Operation, bool]]:
    """Insert casts between ops of VHLO and others, right after the definitions.

    Args:
        module: The module.

    Returns:
        A copy of the module with the casts, and for each cast whether it is one to a type of VHLO.
    """
    made = module.clone()
    found: dict[Operation, bool] = {}
    for owner in list(made.walk()):
        for block in owner.blocks:
            ops = _casts(block.arguments, is_foreign(owner), found)
            for op in block.ops:
                ops += [op, *_casts(op.results, is_foreign(op), found)]
            block.ops = ops
            for op in ops:
                op.parent = block
    return made, found


def _casts(values: Sequence[Value], home: bool, found: dict[Operation, bool]) -> list[Operation]:
    """Return casts of the values that both kinds of ops use, which those of the other kind now use.

    Their order and locations are those of MLIR's conversion: one to VHLO is where it is first used.
    """
    made = []
    for value in reversed(values):
        own = [use for use in value.uses if is_foreign(use.op) == home]
        others = [use for use in value.uses if is_foreign(use.op) != home]
        if not others:
            continue
        value.uses = dict.fromkeys(own)
        place = others[0].op if home else value.op if isinstance(value, OpResult) else value
        location, offset = getattr(place, "location", None), getattr(place, "offset", -1)
        cast = Operation(CAST, [value], [value.type], location=location, offset=offset)
        for op, index in others:
            op.operands = (*op.operands[:index], cast.result, *op.operands[index + 1 :])
        cast.result.uses = dict.fromkeys(others)
        found[cast] = home
        made.append(cast)
    return made


def erase_casts(module: Operation) -> None:
    """Remove casts between VHLO types and those of other dialects, which are the same types in the IR."""
    casts = [op for op in module.walk() if op.name == CAST and _types(op.operands) == _types(op.results)]
    for op in casts:
        for result, operand in zip(op.results, op.operands, strict=True):
            result.replace_all_uses(operand)
    erase_all([op for op in casts if not set(op.operands) & set(op.results)])  # cycles stay, for the verifier


def _types(values: Sequence[Value]) -> list[Type]:
    return [value.type for value in values]
