"""Operations, blocks and use lists: what each mutation leaves."""

from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.attributes import (
    Attribute,
    DenseElementsAttr,
    DictAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    StructAttr,
    bounds,
)
from stablehlo_py.ir.core import Block, Module, Operation, OpResult, Region, Use, Value, erase_all
from stablehlo_py.ir.locations import DeferredLocation, FileLoc
from stablehlo_py.ir.signature import Output, signature
from stablehlo_py.ir.trees import Convention, Tree, numbered
from stablehlo_py.ir.types import F32, I32, TOKEN, FloatType, MemRefType, TensorType

PROGRAM = """func.func @f(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %b : tensor<2xf32>
  %1 = stablehlo.multiply %0, %0 : tensor<2xf32>
  %2 = stablehlo.add %1, %0 : tensor<2xf32>
  return %2 : tensor<2xf32>
}
"""


def uses(value: Value) -> list[tuple[str, int]]:
    return [(use.op.name.rpartition(".")[2], use.position) for use in value.uses]


def names(block: Block) -> list[str]:
    return [op.name.rpartition(".")[2] for op in block.ops]


def body() -> Block:
    return shlo.parse(PROGRAM).functions["f"].regions[0].block


def check(block: Block) -> None:
    """Uses are exactly the operands."""
    found: dict[Value, list[Use]] = {value: [] for op in block.ops for value in (*op.results, *op.operands)}
    for op in block.ops:
        for index, value in enumerate(op.operands):
            found[value].append(Use(op, index))
    for value, expected in found.items():
        assert set(value.uses) == set(expected)


def test_uses_of_a_program() -> None:
    block = body()
    add, multiply, sum_, _ = block.ops
    assert uses(add.result) == [("multiply", 0), ("multiply", 1), ("add", 1)]
    assert uses(multiply.result) == [("add", 0)] and uses(sum_.result) == [("return", 0)]
    assert [uses(argument) for argument in block.arguments] == [[("add", 0)], [("add", 1)]]
    check(block)


def test_replacing_operands() -> None:
    block = body()
    a, b = block.arguments
    add, multiply, sum_, end = block.ops
    multiply.set_operand(0, a)
    assert multiply.operands == (a, add.result)
    multiply.set_operand(1, b)
    assert multiply.operands == (a, b) and uses(add.result) == [("add", 1)]
    check(block)
    add.result.replace_all_uses(a)
    assert sum_.operands == (multiply.result, a) and not add.result.uses
    check(block)
    end.use_operands([a, a, b])
    assert end.operands == (a, a, b) and not sum_.result.uses
    check(block)
    end.use_operands([])
    assert end.operands == ()
    check(block)


def test_replacing_a_value_that_is_used_twice() -> None:
    block = body()
    a, _ = block.arguments
    add, multiply, sum_, _ = block.ops
    add.result.replace_all_uses(a)
    assert multiply.operands == (a, a) and sum_.operands == (multiply.result, a)
    assert uses(a) == [("add", 0), ("multiply", 0), ("multiply", 1), ("add", 1)]
    check(block)


def test_erasing() -> None:
    block = body()
    add, multiply, sum_, end = block.ops
    with pytest.raises(ValueError, match=r"^stablehlo.add is still used; replace its uses first$"):
        add.erase()
    with pytest.raises(ValueError, match=r"stablehlo.multiply is still used"):
        erase_all([multiply])
    assert names(block) == ["add", "multiply", "add", "return"]
    check(block)
    end.use_operands([block.arguments[0]])
    sum_.erase()
    assert names(block) == ["add", "multiply", "return"] and sum_.parent is None and sum_.operands == ()
    check(block)
    erase_all([add, multiply])
    assert names(block) == ["return"] and add.parent is None and multiply.parent is None
    assert uses(block.arguments[0]) == [("return", 0)] and uses(block.arguments[1]) == []
    Operation("a.b").erase()  # in no block


def test_an_op_and_another_with_its_uses_in_a_region_are_erased_at_once() -> None:
    block, inner = Block(), Block()
    made = block.append(Operation("a.make", (), [F32]))
    inner.append(Operation("a.use", [made.result]))
    outer = block.append(Operation("a.b", regions=[Region([inner])]))
    with pytest.raises(ValueError, match=r"^a\.make is still used"):
        made.erase()
    erase_all([made, outer])
    assert not block.ops and not made.result.uses


def test_erasing_a_region_drops_the_uses_in_it() -> None:
    inner, value = Block([F32]), Value(F32, "x")
    inner.append(Operation("a.use", [value, inner.arguments[0]]))
    outer = Block()
    op = outer.append(Operation("a.b", [value], regions=[Region([inner])]))
    assert [use.op.name for use in value.uses] == ["a.use", "a.b"]
    op.erase()
    assert not value.uses and not outer.ops


def test_places() -> None:
    module = shlo.parse(PROGRAM)
    function = module.functions["f"]
    block = function.regions[0].block
    add = block.ops[0]
    nested = Operation("a.b", regions=[Region([Block()])])
    nested.entry_block.append(Operation("a.c"))
    assert (nested.function, nested.entry_block.ops[0].function) == (None, None)
    block.insert(0, nested)
    assert (nested.function, nested.entry_block.ops[0].function) == (function, function)
    nested.erase()
    assert (add.parent, add.parent_op, add.function) == (block, function, function)
    assert (function.parent_op, function.function, module.op.parent_op, module.op.function) == (
        *(module.op, function, None, None),
    )
    assert (module.op.is_module, function.is_module, function.is_function, add.is_function) == (
        *(True, False, True, False),
    )
    assert function.blocks == [block] and block.parent_op is function and Block().parent_op is None
    assert block.terminator is block.ops[-1] and Block().terminator is None
    assert [op.name for op in module.op.walk()][1:] == ["func.func", *(op.name for op in block.ops)]
    made = Module()
    assert (made.name, made.source.text, made.functions, made.body.ops) == ("<built>", "", {}, [])


def test_walk_is_in_preorder_and_allows_erasing() -> None:
    def op(name: str, *inner: Operation, blocks: int = 1) -> Operation:
        made = [Block() for _ in range(blocks)]
        for each in inner:
            made[-1].append(each)
        return Operation(name, regions=[Region(made)] if inner else ())

    tree = op("a.1", op("a.2", op("a.3"), op("a.4")), op("a.5"), op("a.6", op("a.7"), blocks=2))
    assert [each.name for each in tree.walk()] == [f"a.{i}" for i in range(1, 8)]
    for each in tree.walk():
        if each.name in ("a.3", "a.5"):
            each.erase()
    assert [each.name for each in tree.walk()] == ["a.1", "a.2", "a.4", "a.6", "a.7"]


def test_building_blocks() -> None:
    block = Block([F32, I32], "bb0", 7)
    third = block.add_argument(F32, "x")
    assert [(a.index, a.type, a.block) for a in block.arguments] == [
        (0, F32, block), (1, I32, block), (2, F32, block),
    ]  # fmt: skip
    assert [str(a) for a in block.arguments] == ["%arg0", "%arg1", "%x"] and third.location is None
    assert (block.label, block.offset, third.offset) == ("bb0", 7, -1)
    first, second, between = (Operation(name) for name in ("a.1", "a.2", "a.3"))
    assert block.append(first) is first and block.append(second) is second
    assert block.insert(1, between) is between and names(block) == ["1", "3", "2"]
    assert {op.parent for op in block.ops} == {block}
    fourth = block.add_argument(F32, location=FileLoc("a.py", 1, 2))
    assert (fourth.name, fourth.location, fourth.index) == (None, FileLoc("a.py", 1, 2), 3)
    region = Region()
    assert region.add_block(block) is block and block.parent is region and region.block is block
    with pytest.raises(ValueError, match="values to unpack"):
        _ = Region([Block(), Block()]).block


def test_names_of_values() -> None:
    several = Operation("a.split", (), [F32, I32])
    one = Operation("a.b", (), [F32])
    assert [str(v) for v in (*several.results, one.result)] == ["%split#0", "%split#1", "%b"]
    assert str(Operation("a.b.c", (), [F32]).result) == "%c"
    one.result.name = "x"
    assert (str(one.result), repr(one.result), str(Value(F32))) == ("%x", "<%x: f32>", "%value")
    assert isinstance(one.result, OpResult) and (one.result.op, several.results[1].index) == (one, 1)
    with pytest.raises(ValueError, match="values to unpack"):
        _ = several.result


def test_attributes() -> None:
    op = Operation("a.b", properties={"x": IntegerAttr(1, I32)}, attributes={"y": StringAttr("z")})
    assert (op.attribute("x"), op.attribute("y"), op.attribute("w")) == (
        IntegerAttr(1, I32), StringAttr("z"), None,
    )  # fmt: skip
    assert (op.python_value("x"), op.python_value("y"), op.python_value("w")) == (1, "z", None)
    assert FloatAttr(1.0, F32) == FloatAttr(1.0, F32) != IntegerAttr(1, I32) != FloatAttr(1.0, F32)
    assert FloatAttr(0.0, F32) != FloatAttr(-0.0, F32)
    assert FloatAttr(math.nan, F32) == FloatAttr(math.nan, F32) != FloatAttr(math.nan, F32, 0x7FC00001)
    both = Operation("a.b", properties={"x": FloatAttr(0.5, F32)}, attributes={"x": StringAttr("z")})
    assert (both.attribute("x"), both.python_value("x")) == (FloatAttr(0.5, F32), 0.5)
    found = DictAttr.of({"b": StringAttr("z"), "a": StringAttr("y")})
    assert [name for name, _ in found] == ["a", "b"]
    assert (found.get("b"), found.get("c")) == (StringAttr("z"), None)
    plain = Operation("a.b")
    assert (plain.offset, plain.end, plain.origin, plain.parent, plain.successors) == (-1, -1, -1, None, ())


def constant(values: list[float], bits: int = 32, shape: tuple[int, ...] = (2,)) -> DenseElementsAttr:
    data = np.array(values, f"f{bits // 8}")
    return DenseElementsAttr(TensorType(shape, FloatType(f"f{bits}")), data)


@pytest.mark.parametrize(
    ("other", "is_equal"),
    [
        (constant([0.0, math.nan]), True),
        (constant([-0.0, math.nan]), False),
        (constant([0.0, -math.nan]), False),
        (constant([0.0]), False),
        (constant([0.0, math.nan], 64), False),
        (constant([0.0, math.nan], shape=(1, 2)), False),
        (constant([0.0, math.nan], shape=(2, 1)), False),
        (StringAttr("x"), False),
    ],
)
def test_constants_are_equal_if_all_bits_are(other: Attribute, is_equal: bool) -> None:
    one = constant([0.0, math.nan])
    assert (one == other) is is_equal
    assert not is_equal or hash(one) == hash(other)


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [
        (None, (None, None)),
        (StringAttr("x"), (None, None)),
        (StructAttr("stablehlo.bounds", (("bounds", (None, 4)),)), (None, 4)),
        (StructAttr("a.other", (("bounds", (None, 4)),)), (None, None)),
    ],
)
def test_bounds_of_sizes(encoding: Attribute | None, expected: tuple[int | None, ...]) -> None:
    assert bounds(TensorType((None, None), F32, encoding)) == expected
    assert bounds(MemRefType((2, None), F32)) == (None, None)


def test_fields_of_structures() -> None:
    struct = StructAttr("stablehlo.gather", (("index_vector_dim", 1),))
    assert struct["index_vector_dim"] == 1
    with pytest.raises(KeyError, match=r"^'offset_dims'$"):
        struct["offset_dims"]


def test_types_are_one_object_each() -> None:
    """A copy is the type itself, also within another object."""
    type = TensorType((2, None), F32)
    assert copy.copy(type) is type and copy.deepcopy([type])[0] is type
    assert pickle.loads(pickle.dumps(type)) is type
    assert type.__reduce__() == (TensorType, ((2, None), F32, None))


def test_a_copy_of_a_deferred_location_is_the_location() -> None:
    location = FileLoc("a.py", 1, 2)
    calls: list[int] = []
    deferred = DeferredLocation(lambda: calls.append(1) or location)  # type: ignore[func-returns-value]
    op = Operation("a.b", location=deferred)
    assert (op.location, op.location, calls) == (location, location, [1])  # it is made once
    assert copy.copy(deferred) == location and copy.deepcopy([deferred]) == [location]


def test_the_type_of_a_result_that_was_computed() -> None:
    value = np.zeros((2, 3), np.float32)
    assert Output(0, "", TensorType((2, None), F32)).type_of(value) == TensorType((2, 3), F32)
    static = TensorType((2, 3), F32)
    assert Output(0, "", static).type_of(value) is static
    assert Output(0, "", TOKEN).type_of(None) is TOKEN


def test_a_description_of_more_arguments_than_a_program_has() -> None:
    """It is of another program, and left out."""
    module = shlo.parse(PROGRAM)
    function = module.functions["f"]
    leaf, dropped = Tree("leaf"), Tree("dropped")
    empty = Tree("dict")
    for count in (2, 3):
        leaves = numbered("tuple", (leaf,) * count + (dropped,))
        module.convention = Convention(
            numbered("tuple", (leaves, empty)), leaf, ("float32[2]",) * (count + 1), tuple(range(count))
        )
        assert (signature(function, module).dropped is not None) == (count == 2)
