"""Inference: the shape of an instruction's result, from operands and attributes."""

from __future__ import annotations

from stablehlo_py.diagnostics.render import counted
from stablehlo_py.hlo.module import Instruction
from stablehlo_py.hlo.rules import arrays, elementwise, windows  # noqa: F401 (they register their rules)
from stablehlo_py.hlo.rules.common import RULES, ShapeMismatch
from stablehlo_py.layout.shape import Shape

__all__ = ["ShapeMismatch", "infer"]


def infer(instruction: Instruction) -> Shape | None:
    """Infer the shape of an instruction's result.

    Args:
        instruction: The instruction. Rules of opcodes that must state their shape look at it; it is None
            while the parser infers it.

    Returns:
        The shape, with default layouts; None if it is not determined.

    Raises:
        ShapeMismatch: If operands and attributes contradict each other.
    """
    row, count = instruction.row, len(instruction.operands)
    if count < row.least:
        raise ShapeMismatch(f"takes at least {counted(row.least, 'operand')}, got {count}")
    if not row.result:
        return None
    return RULES[row.result](instruction, [operand.shape for operand in instruction.operands])
