"""Building, walking and rewriting programs in Python."""

from __future__ import annotations

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.core import Operation, erase_all
from stablehlo_py.ir.locations import NameLoc
from stablehlo_py.ir.op_builder import OpBuilder, add_function
from stablehlo_py.ir.types import F32, I32, TensorType

VECTOR = TensorType((2,), F32)

SQUARED = """module {
  func.func public @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<2xf32>
    %0 = stablehlo.multiply %arg0, %cst : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
"""


def doubled() -> shlo.Module:
    module = shlo.Module()
    builder = OpBuilder(add_function(module, "main", [VECTOR], [VECTOR]))
    (x,) = builder.block.arguments
    two = builder.constant(2.0, VECTOR)
    product = builder.create("stablehlo.multiply", [x, two], [VECTOR])
    builder.create("func.return", [product.result])
    return module


def test_built_program_prints_verifies_and_runs() -> None:
    module = doubled()
    assert shlo.format(module) == SQUARED
    assert shlo.verify(module) == []
    (result,) = shlo.run(module, [np.array([1.5, -2.0], np.float32)])
    np.testing.assert_array_equal(result, [3.0, -4.0])


def test_rewrite_multiplication_by_two_as_addition() -> None:
    module = doubled()
    for op in module.walk():
        if op.name == "stablehlo.multiply":
            x = op.operands[0]
            total = OpBuilder.before(op).create("stablehlo.add", [x, x], [op.result.type])
            op.result.replace_all_uses(total.result)
            op.erase()
    names = [op.name for op in module.functions["main"].walk()]
    assert names == ["func.func", "stablehlo.constant", "stablehlo.add", "func.return"]
    assert shlo.verify(module) == []
    (result,) = shlo.run(module, [np.array([1.5, -2.0], np.float32)])
    np.testing.assert_array_equal(result, [3.0, -4.0])


def test_uses_follow_the_changes() -> None:
    module = doubled()
    constant, multiply, returned = module.functions["main"].regions[0].block.ops
    assert [(use.op, use.position) for use in constant.result.uses] == [(multiply, 1)]
    returned.set_operand(0, constant.result)
    assert not multiply.result.uses
    multiply.erase()
    assert [(use.op, use.position) for use in constant.result.uses] == [(returned, 0)]


def test_an_op_that_is_used_is_not_erased() -> None:
    module = doubled()
    with pytest.raises(ValueError, match=r"stablehlo\.constant is still used"):
        module.functions["main"].regions[0].block.ops[0].erase()


def test_ops_are_inserted_in_order_where_the_builder_is() -> None:
    module = doubled()
    block = module.functions["main"].entry_block
    before, first = OpBuilder.before(block.ops[-1]), OpBuilder(block, 0)
    for name in ("a.a", "a.b"):
        before.create(name, location=NameLoc(name))
    for name in ("b.a", "b.b"):
        first.create(name)
    OpBuilder(block).create("c.c")
    names = [op.name for op in block.ops]
    assert names[:2] + names[3:] == ["b.a", "b.b", "stablehlo.multiply", "a.a", "a.b", "func.return", "c.c"]
    assert [op.location for op in block.ops[4:6]] == [NameLoc("a.a"), NameLoc("a.b")]
    with pytest.raises(ValueError, match=r"^a\.b is not in a block$"):
        OpBuilder.before(Operation("a.b"))


@pytest.mark.parametrize("shape", [(1,), (1, 1), (3,), (2, 1)])
def test_arrays_of_another_shape_are_no_constants(shape: tuple[int, ...]) -> None:
    builder = OpBuilder(add_function(shlo.Module(), "main", [], []))
    with pytest.raises(ValueError, match="does not match the type"):
        builder.constant(np.zeros(shape), VECTOR)


def test_many_ops_are_erased_at_once_whatever_their_order() -> None:
    module = doubled()
    block = module.functions["main"].regions[0].block
    constant, multiply, returned = block.ops
    returned.set_operand(0, block.arguments[0])
    erase_all([constant, multiply])
    assert block.ops == [returned]
    assert [(use.op, use.position) for use in block.arguments[0].uses] == [(returned, 0)]
    assert constant.parent is multiply.parent is None


def test_none_of_many_ops_is_erased_where_one_that_stays_uses_them() -> None:
    module = doubled()
    block = module.functions["main"].regions[0].block
    constant, multiply, returned = block.ops
    with pytest.raises(ValueError, match=r"stablehlo\.multiply is still used"):
        erase_all([constant, multiply])
    assert block.ops == [constant, multiply, returned]
    assert [use.op for use in constant.result.uses] == [multiply]


def test_values_are_called_by_their_names_or_by_what_they_are() -> None:
    text = """func.func @main(%s: tensor<2xui64>) -> tensor<2xui64> {
  %pair:2 = stablehlo.rng_bit_generator %s, algorithm = DEFAULT
    : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xui64>)
  %next, %bits = stablehlo.rng_bit_generator %s, algorithm = DEFAULT
    : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xui64>)
  return %s : tensor<2xui64>
}"""
    block = shlo.parse(text).functions["main"].regions[0].block
    (state,), (pair, other, _) = block.arguments, block.ops
    values = [state, *pair.results, *other.results]
    assert list(map(str, values)) == ["%s", "%pair", "%pair#1", "%next", "%bits"]
    for value in values:
        value.name = None
    assert str(state) == "%arg0"
    assert list(map(str, pair.results)) == ["%rng_bit_generator#0", "%rng_bit_generator#1"]


def test_constants_must_fit_their_type() -> None:
    builder = OpBuilder(add_function(shlo.Module(), "main", [], []))
    with pytest.raises(ValueError, match=r"shape \(3,\).*tensor<2xi32>"):
        builder.constant([1, 2, 3], TensorType((2,), I32))
    with pytest.raises(TypeError, match="static tensor type"):
        builder.constant(1, TensorType((None,), I32))


def test_nothing_is_inserted_before_an_op_that_is_nowhere() -> None:
    with pytest.raises(ValueError, match=r"^test\.op is not in a block$"):
        OpBuilder.before(Operation("test.op"))
