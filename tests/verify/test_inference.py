"""Inference: types of results from the constraints, and a reason for each hole."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.attributes import Attribute, DenseArrayAttr, integer
from stablehlo_py.ir.core import Value
from stablehlo_py.ir.types import F32, F64, I1, I32, I64, ComplexType, TensorType, TupleType, Type
from stablehlo_py.verify.inference import Inferred, infer_types


def tensor(*shape: int | None, element: Type = F32) -> TensorType:
    return TensorType(shape, element)


def only(name: str, *operands: Type, **attributes: Attribute) -> Inferred:
    (found,) = infer_types(f"stablehlo.{name}", operands, attributes)
    return found


def ints(*values: int) -> DenseArrayAttr:
    return DenseArrayAttr(I64, values)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (only("subtract", tensor(2, 3), tensor(2, 3)), tensor(2, 3)),
        (only("subtract", tensor(2, None), tensor(None, 3)), tensor(2, 3)),  # both operands meet
        (only("abs", tensor(2, element=ComplexType(F64))), tensor(2, element=F64)),
        (only("concatenate", tensor(2, 3), tensor(4, 3), dimension=integer(0)), tensor(6, 3)),
        (only("tuple", tensor(2), tensor(3, element=I1)), TupleType((tensor(2), tensor(3, element=I1)))),
    ],
)
def test_a_whole_type(found: Inferred, expected: Type) -> None:
    assert found.type is expected


def test_a_shape_without_an_element_type() -> None:
    found = only("convert", tensor(2, 3))
    assert (found.type, found.shape, found.element_type) == (None, (2, 3), None)
    assert found.holes == ["no constraint gives the element_type from the inputs alone"]


def test_what_the_program_must_say() -> None:
    found = only("reshape", tensor(2, 3))
    assert found.type is None and found.shape is None
    assert found.holes


def test_an_undefined_source_is_a_hole_with_its_reason() -> None:
    found = only("concatenate", tensor(2, 3), tensor(4, 3), dimension=integer(5))
    assert found.type is None
    assert any("out of range" in hole for hole in found.holes)


def test_operands_at_odds() -> None:
    found = only("subtract", tensor(2), tensor(3))
    assert any("at odds" in hole for hole in found.holes)


def test_variadic_results_and_bodies() -> None:
    module = shlo.parse("""
func.func @main(%a: tensor<4x5xf32>, %b: tensor<4x5xi32>, %z: tensor<f32>, %y: tensor<i32>) {
  %0:2 = "stablehlo.reduce"(%a, %b, %z, %y) <{dimensions = array<i64: 0>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<i32>, %r: tensor<f32>, %s: tensor<i32>):
    "stablehlo.return"(%p, %q) : (tensor<f32>, tensor<i32>) -> ()
  }) : (tensor<4x5xf32>, tensor<4x5xi32>, tensor<f32>, tensor<i32>) -> (tensor<5xf32>, tensor<5xi32>)
  return
}""")
    (op,) = [op for op in module.walk() if op.name == "stablehlo.reduce"]
    uses = [list(value.uses) for value in op.operands]
    found = infer_types(op.name, op.operands, op.properties, op.regions)
    assert [f.type for f in found] == [tensor(5), tensor(5, element=I32)]
    assert [list(value.uses) for value in op.operands] == uses
    assert op.regions[0].parent is op


def test_slices() -> None:
    found = only(
        "slice", tensor(8, 8), start_indices=ints(0, 1), limit_indices=ints(8, 8), strides=ints(1, 3)
    )
    assert found.type is tensor(8, 3)


def test_an_op_without_a_definition() -> None:
    with pytest.raises(KeyError):
        infer_types("test.op", [Value(tensor())])
