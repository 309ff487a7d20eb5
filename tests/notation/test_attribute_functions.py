"""Functions on aliases and meshes, compared with hand-calculated examples."""

from __future__ import annotations

from stablehlo_py.ir.attributes import ArrayAttr, StructAttr, SymbolRefAttr
from stablehlo_py.ir.types import F32, I32, TensorType, TupleType
from stablehlo_py.notation import attribute_functions as functions

A, B = TensorType((2,), F32), TensorType((3,), I32)
PAIR = TupleType((A, B))


def alias(outputs: tuple[int, ...], operand: int, indices: tuple[int, ...] = ()) -> StructAttr:
    fields = (
        ("output_tuple_indices", outputs),
        ("operand_index", operand),
        ("operand_tuple_indices", indices),
    )
    return StructAttr("stablehlo.output_operand_alias", fields)


def axes(*names: str) -> ArrayAttr:
    return ArrayAttr(
        tuple(StructAttr("stablehlo.axis_ref", (("name", n), ("sub_axis_info", None))) for n in names)
    )


def groups(mesh: object, *names: str) -> StructAttr:
    return StructAttr("stablehlo.replica_group_mesh_axes", (("mesh", mesh), ("axes", axes(*names))))


MESH = StructAttr(
    "stablehlo.mesh",
    (("axes", (StructAttr("stablehlo.mesh_axis", (("name", "x"), ("size", 2))),)), ("device_ids", None)),
)


def test_an_alias_points_into_operands_and_outputs() -> None:
    found = alias((1,), 0, (1,))
    assert functions.output_indices(found) == [1]
    assert functions.operand_indices(found) == [0, 1]
    assert functions.operand_part(found, [PAIR]) == [B]
    assert functions.output_part(found, [A, B]) == [B]


def test_a_single_result_is_not_indexed() -> None:
    assert functions.output_part(alias((), 0), [A]) == [A]
    assert functions.output_part(alias((1,), 0), [PAIR]) == [B]


def test_an_alias_may_point_at_nothing() -> None:
    assert functions.operand_part(alias((), 1), [A]) == []
    assert functions.operand_part(alias((), 0, (0,)), [A]) == []
    assert functions.operand_part(alias((), 0, (2,)), [PAIR]) == []
    assert functions.operand_part(alias((), -1), [A]) == []


def test_names_of_axes() -> None:
    assert functions.mesh_axes(groups(MESH, "x")) == ["x"]
    assert functions.mesh_axes(groups(SymbolRefAttr("mesh"), "x")) is None
    assert functions.group_axes(groups(MESH, "x", "y")) == ["x", "y"]


def test_a_string_is_no_dictionary() -> None:
    assert not functions.is_dictionary("text")
    assert functions.is_dictionary({"a": 1})
