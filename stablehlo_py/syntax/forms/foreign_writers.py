"""Writers of the directives of other dialects: `arith`, `tensor`, `shape` and `sdy`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from stablehlo_py.ir.attributes import DenseElementsAttr, IntegerAttr, OpaqueAttr, StructAttr
from stablehlo_py.ir.core import Operation, Region, Value
from stablehlo_py.ir.types import I1, Type
from stablehlo_py.opset.ops.arith import PREDICATES
from stablehlo_py.syntax.forms.writers import Custom
from stablehlo_py.syntax.write.attributes import stripped_fragments
from stablehlo_py.syntax.write.fragments import join
from stablehlo_py.syntax.write.types import dims_text

if TYPE_CHECKING:
    from stablehlo_py.syntax.printer import Printer


def _overflow(p: Printer, op: Operation, flags: OpaqueAttr | None) -> None:
    words = re.findall(r"nsw|nuw", flags.text) if flags is not None else []
    if words:
        p.write(f" overflow<{', '.join(sorted(words))}>")


def _predicate(p: Printer, op: Operation, position: IntegerAttr) -> None:
    p.write(PREDICATES[position.value])


def _has_predicate(op: Operation) -> bool:
    position = op.attribute("predicate")
    return isinstance(position, IntegerAttr) and 0 <= position.value < len(PREDICATES)


def _compared_type(p: Printer, op: Operation, lhs: list[Type], *others: list[Type]) -> None:
    p.types(lhs)


def _selected_type(p: Printer, op: Operation, condition: list[Type], *others: list[Type]) -> None:
    shown = [] if condition[0] is I1 else condition
    p.types([*shown, *others[-1]])


def _tensor_and_elements(p: Printer, op: Operation, tensor: list[Type], elements: list[Type]) -> None:
    p.types(tensor)


def _indices(p: Printer, op: Operation, values: Sequence[Value]) -> None:
    p.write("[")
    p.operands(values)
    p.write("]")


def _extents(p: Printer, op: Operation, shape: DenseElementsAttr) -> None:
    p.write(" ")
    p.attr_dict(op, {"shape"})
    p.write(dims_text(shape.value.tolist()))


def _is_list(op: Operation) -> bool:
    shape = op.attribute("shape")
    return isinstance(shape, DenseElementsAttr) and shape.type.rank == 1


def _assuming(p: Printer, op: Operation, witness: Sequence[Value], bodies: Sequence[Region]) -> None:
    p.write(" ")
    p.operands(witness)
    if op.results:
        p.write(" -> (")
        p.types([result.type for result in op.results])
        p.write(")")
    p.write(" ")
    p.region(bodies[0], bare_terminator=bool(op.results))
    p.attr_dict(op, frozenset())


def _shardings(p: Printer, op: Operation, shardings: StructAttr) -> None:
    p.write(join(*stripped_fragments(shardings))[1:-1])


def _sharded_body(p: Printer, op: Operation, bodies: Sequence[Region]) -> None:
    p.write("(")
    for index, argument in enumerate(bodies[0].blocks[0].arguments):
        p.write(", " if index else "")
        p.argument(argument)
    p.write(") ")
    p.region(bodies[0])


def _has_block(op: Operation) -> bool:
    return len(op.regions) == 1 and len(op.regions[0].blocks) == 1


FOREIGN: dict[str, Custom] = {
    "overflow": Custom(_overflow, own_spacing=True),
    "predicate": Custom(_predicate, fits=_has_predicate),
    "compared_type": Custom(_compared_type),
    "selected_type": Custom(_selected_type),
    "tensor_and_elements": Custom(_tensor_and_elements),
    "indices": Custom(_indices, own_spacing=True),
    "extents": Custom(_extents, own_spacing=True, fits=_is_list),
    "assuming": Custom(_assuming, own_spacing=True, fits=_has_block),
    "shardings": Custom(_shardings),
    "sharded_body": Custom(_sharded_body, fits=_has_block),
}
