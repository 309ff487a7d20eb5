"""The pass `chlo-legalize-to-stablehlo`: ops of CHLO become ops of StableHLO."""

from __future__ import annotations

from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.types import UnrankedTensorType
from stablehlo_py.transforms.chlo.broadcasting import not_legalized
from stablehlo_py.transforms.chlo.lowerings import find_lowering
from stablehlo_py.transforms.pass_definition import Options, Pass, failure
from stablehlo_py.transforms.rewriter import Rewriter


def _run(module: Module, options: Options) -> None:
    rewriter = Rewriter(module, options)
    pending = [op for op in module.walk() if _is_chlo(op)][::-1]
    while pending:
        op = pending.pop()
        rewriter.created.clear()
        lowering = find_lowering(op.name) if _is_ranked(op) else None
        values = None if lowering is None else lowering(rewriter.at(op), op)
        if values is None:
            raise failure(module, op, not_legalized(op))
        rewriter.replace(op, values, merge=False)
        pending += [made for made in rewriter.created if _is_chlo(made)][::-1]
    rewriter.flush()


def _is_ranked(op: Operation) -> bool:
    """Test whether all operands and results have a rank: lowerings ask for their shapes."""
    return not any(isinstance(value.type, UnrankedTensorType) for value in (*op.operands, *op.results))


def _is_chlo(op: Operation) -> bool:
    return op.name.startswith("chlo.")


PASS = Pass(
    "chlo-legalize-to-stablehlo",
    "Makes ops of CHLO ops of StableHLO.",
    _run,
    description="Functions become formulas of elementary ones, which compute in the type of the operand or "
    "in f32. Those of complex numbers are accurate to 4 units in the last place of each part, but for the "
    "sign of zeros on branch cuts, and for arguments so close to a pole that the square of the distance "
    "underflows. Bounded operands are broadcast to their bounds, dynamic ones inside of `shape.assuming`.",
)
