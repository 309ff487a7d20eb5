"""The text of one op, for interactive sessions: of any op, also of one in no module."""

from __future__ import annotations

from itertools import islice

from stablehlo_py.diagnostics.render import counted
from stablehlo_py.ir.attributes import DenseElementsAttr
from stablehlo_py.ir.captures import captures
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.syntax.printer import Printer
from stablehlo_py.syntax.write.ssa_names import author_names

_MOST_OPS = 500
_MOST_BYTES = 1 << 14  # of constants


def op_text(op: Operation) -> str:
    """Return the text of an op and its regions, with the author's names; of a large op, what it is.

    Args:
        op: The op. Values from outside have the names that `str` gives.
    """
    inner = [*islice(op.walk(), _MOST_OPS + 1)]
    constants = [value for each in inner for value in (*each.properties.values(), *each.attributes.values())]
    size = sum(value.data.nbytes for value in constants if isinstance(value, DenseElementsAttr))
    if len(inner) > _MOST_OPS or size > _MOST_BYTES:
        return f"<{op.name}, {counted(len(op.operands), 'operand')}, {counted(len(op.results), 'result')}>"
    names = author_names(op)
    names.values |= {value: str(value) for value in captures([op])}
    names.blocks |= {block: f"^{block.label or 'bb'}" for block in op.successors}
    return Printer(Module(), names, False, False, False, None).op(op)
