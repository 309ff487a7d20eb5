"""Functions on aliases and meshes, compared with hand-calculated examples."""

from __future__ import annotations

import pytest

from stablehlo_py.ir.attributes import ArrayAttr, StructAttr, SymbolRefAttr
from stablehlo_py.ir.core import Operation
from stablehlo_py.ir.types import F32, I32, TensorType, TupleType
from stablehlo_py.notation import attribute_functions as functions
from stablehlo_py.notation.environment import Environment
from stablehlo_py.notation.scope import EmptyContext

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


@pytest.mark.parametrize(
    ("config", "ranks", "labels"),
    [
        ("ab,bc->ac", [2, 2], ["ab", "bc", "ac"]),
        ("ab->", [2], ["ab", ""]),
        (" a b , b -> a ", [2, 1], ["ab", "b", "a"]),
        ("a...b,b->...a", [4, 1], ["a21b", "b", "21a"]),
        ("...a,...b->...", [1, 3], ["a", "21b", "21"]),  # numbered from the last one
        ("...a,...b->...", [3, 1], ["21a", "b", "21"]),
        ("...,...->...", [2, 3], ["21", "321", "321"]),
        ("ab,bc", [2, 2], []),  # without a result
        ("ab,bc->ac", [2], []),
        ("ab->a", [1], []),  # more labels than dimensions
        ("ab...->a", [1], []),
        ("ab->a", [3], []),  # fewer
        ("a1->a", [2], []),
        ("a..->a", [1], []),
    ],
)
def test_labels_of_einsum(config: str, ranks: list[int], labels: list[str]) -> None:
    """A digit is a dimension that `...` stands for."""
    expected = [[f"...{each}" if each.isdigit() else each for each in term] for term in labels]
    assert functions.einsum_labels(config, ranks) == expected


@pytest.mark.parametrize(
    ("name", "nested", "is_given"), [("mesh", (), True), ("other", (), False), ("mesh", ("part",), False)]
)
def test_the_mesh_of_process_groups(name: str, nested: tuple[str, ...], is_given: bool) -> None:
    env = Environment(Operation("test.op"), Meshes(), {})
    assert functions.has_mesh(env, groups(SymbolRefAttr(name, nested), "x")) is is_given
    assert functions.has_mesh(env, groups(MESH, "x"))
    assert not functions.has_mesh(env, groups(StructAttr("sdy.mesh", ()), "x"))
    assert functions.has_mesh(env, None)


class Meshes(EmptyContext):
    """A module with a mesh @mesh."""

    def is_symbol(self, op: Operation, name: str) -> bool:
        return name == "mesh"


def test_names_of_axes() -> None:
    assert functions.mesh_axes(groups(MESH, "x")) == ["x"]
    assert functions.mesh_axes(groups(SymbolRefAttr("mesh"), "x")) is None
    assert functions.group_axes(groups(MESH, "x", "y")) == ["x", "y"]


def test_a_string_is_no_dictionary() -> None:
    assert not functions.is_dictionary("text")
    assert functions.is_dictionary({"a": 1})
