"""Functions on shardings, compared with hand-calculated examples."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.attributes import StructAttr
from stablehlo_py.ir.core import Operation
from stablehlo_py.ir.types import F32, TOKEN, TensorType, TupleType, Type, UnrankedTensorType
from stablehlo_py.notation import sharding_functions as functions
from stablehlo_py.notation.scope import environment
from stablehlo_py.notation.sorts import Undefined
from stablehlo_py.opset.definition import lookup

TEXT = """
sdy.mesh @mesh = <["x"=2, "y"=4]>
sdy.mesh @turned = <["a"=2], device_ids=[1, 0]>
sdy.mesh @one = <[], device_ids=[3]>
func.func @main(%a: tensor<8x8xf32>) {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x", "y"}, {}], replicated={}>]
    out_shardings=[<@turned, [{}, {}]>] manual_axes={"x"} (%b: tensor<4x8xf32>) {
    %1 = sdy.reshard %b <@mesh, [{"y":(1)2, ?}p1, {}], replicated={"y":(2)2}, unreduced={"x"}>
      : tensor<4x8xf32>
    %2 = sdy.reshard %b <@nowhere, [{}, {}]> : tensor<4x8xf32>
    %3 = sdy.reshard %b <@one, []> : tensor<4x8xf32>
    %4 = sdy.reshard %b <mesh<["x"=2, "y"=3]>, [{"y", "x"}, {"z"}]> : tensor<4x8xf32>
    %5 = sdy.manual_computation(%b) in_shardings=[<@mesh, [{}, {"x", "y":(1)2}]>]
      out_shardings=[<@mesh, [{}, {"y"}]>] manual_axes={"y"} (%c: tensor<4x4xf32>) {
      %6 = sdy.reshard %c <@mesh, [{}, {}]> : tensor<4x4xf32>
      sdy.return %c : tensor<4x4xf32>
    } : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %7 = sdy.reshard %b <mesh<[]>, [{}, {}]> : tensor<4x8xf32>
    sdy.return %b : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}
"""
MODULE = shlo.parse(TEXT)
MESH, TURNED, *_ = [op.attribute("mesh") for op in MODULE.body.ops if op.name == "sdy.mesh"]
MANUAL, INNER = [op for op in MODULE.walk() if op.name == "sdy.manual_computation"]
PARTS, NOWHERE, ONE, OWN, NESTED, BARE = [op for op in MODULE.walk() if op.name == "sdy.reshard"]


def struct(op: Operation, name: str = "sharding") -> StructAttr:
    found = op.attribute(name)
    assert isinstance(found, StructAttr)
    return found


def env(op: Operation):  # type: ignore[no-untyped-def]
    definition = lookup(op.name)
    assert definition is not None
    return environment(op, definition)


def test_meshes() -> None:
    assert isinstance(MESH, StructAttr) and isinstance(TURNED, StructAttr)
    assert functions.axis_names(MESH) == ["x", "y"]
    assert functions.axis_sizes(MESH) == [2, 4]
    assert functions.device_ids(MESH) == ()
    assert functions.device_ids(TURNED) == (1, 0)


def test_the_mesh_of_a_sharding() -> None:
    given = [functions.is_mesh_given(env(op), struct(op)) for op in (PARTS, NOWHERE, ONE, OWN)]
    assert given == [True, False, True, True]
    assert functions.axes_of_mesh(env(PARTS), struct(PARTS)) == ["x", "y"]
    assert functions.axes_of_mesh(env(ONE), struct(ONE)) == []
    with pytest.raises(Undefined):
        functions.axes_of_mesh(env(NOWHERE), struct(NOWHERE))


def test_axes() -> None:
    assert functions.used_axes(struct(PARTS)) == ["y", "y", "x"]
    assert functions.num_dimensions(struct(PARTS)) == 2
    (sharding,) = functions.shardings(struct(MANUAL, "in_shardings"))
    assert functions.used_axes(sharding) == ["x", "y"]


@pytest.mark.parametrize(
    ("dimensions", "twice"),
    [
        ('{"x"}, {"y"}', None),
        ('{"y":(1)2}, {"y":(2)2}', None),
        ('{"y":(2)2}, {"y":(1)2}', None),
        ('{"x"}, {"x"}', "x"),
        ('{"y"}, {"y":(2)2}', "y"),
        ('{"y":(1)2}, {"y":(1)2}', "y"),
        ('{"y":(2)2}, {"y":(1)4}', "y"),
    ],
)
def test_axes_that_are_used_twice(dimensions: str, twice: str | None) -> None:
    text = f"module attributes {{a.b = #sdy.sharding<@mesh, [{dimensions}]>}} {{\n}}"
    sharding = shlo.parse(text).op.attribute("a.b")
    assert isinstance(sharding, StructAttr)
    assert functions.axis_used_twice(sharding) == twice
    assert functions.is_each_axis_used_once(sharding) == (twice is None)


@pytest.mark.parametrize(
    ("op", "type", "rank"),
    [
        (PARTS, TensorType((4, 8), F32), 2),
        (PARTS, TensorType((), F32), 0),
        (PARTS, TupleType((TensorType((4, 8), F32),)), 2),
        (PARTS, TOKEN, 0),
        (PARTS, UnrankedTensorType(F32), None),
        (ONE, TensorType((4, 8), F32), 0),  # the mesh is one device
        (BARE, TensorType((4, 8), F32), 2),  # it has none
    ],
)
def test_rank(op: Operation, type: Type, rank: int | None) -> None:
    assert functions.sharded_rank(env(op), struct(op), type) == rank


def test_manual_axes() -> None:
    axes = struct(MANUAL, "manual_axes")
    assert functions.names(axes) == ("x",)
    assert functions.manual_axes_around(env(PARTS)) == ["x"]
    assert functions.manual_axes_around(env(MANUAL)) == []
    (sharding,) = functions.shardings(struct(MANUAL, "in_shardings"))
    assert functions.num_shards(env(MANUAL), sharding, axes) == [2, 1]
    assert functions.are_manual_axes_first(sharding, axes)
    assert functions.num_shards(env(OWN), struct(OWN), axes) == [2, 1]
    assert not functions.are_manual_axes_first(struct(OWN), axes)


def test_manual_axes_of_nested_computations() -> None:
    assert functions.manual_axes_around(env(NESTED)) == ["y", "x"]
    assert functions.manual_axes_around(env(INNER)) == ["x"]
    axes = struct(INNER, "manual_axes")
    (given,) = functions.shardings(struct(INNER, "in_shardings"))
    assert functions.num_shards(env(INNER), given, axes) == [1, 2]  # of y, the part (1)2
    assert not functions.are_manual_axes_first(given, axes)  # those of the second dimension are not
    (made,) = functions.shardings(struct(INNER, "out_shardings"))
    assert functions.num_shards(env(INNER), made, axes) == [1, 4]
    assert functions.are_manual_axes_first(made, axes)


def test_the_mesh_of_the_nearest_module() -> None:
    module = shlo.parse("""
      sdy.mesh @mesh = <["x"=2]>
      module @inner {
        sdy.mesh @mesh = <["y"=4]>
        func.func @main(%a: tensor<8xf32>) {
          %0 = sdy.reshard %a <@mesh, [{}]> : tensor<8xf32>
          return
        }
      }
    """)
    (op,) = [op for op in module.walk() if op.name == "sdy.reshard"]
    assert functions.axes_of_mesh(env(op), struct(op)) == ["y"]


def test_shards_along_an_axis_that_is_none() -> None:
    text = TEXT.replace('manual_axes={"x"}', 'manual_axes={"z"}')
    axes = next(op for op in shlo.parse(text).walk() if op.name == "sdy.manual_computation")
    with pytest.raises(Undefined):
        functions.num_shards(env(OWN), struct(OWN), struct(axes, "manual_axes"))
