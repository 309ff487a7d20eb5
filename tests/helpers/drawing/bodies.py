"""Regions for drawn programs: folds, comparators, maps and branches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import ml_dtypes
import numpy as np

from stablehlo_py.debug.generate.elements import Array
from stablehlo_py.ir.attributes import Attribute, EnumAttr
from stablehlo_py.ir.core import Block, Operation, Region, Value
from stablehlo_py.ir.op_builder import OpBuilder
from stablehlo_py.ir.types import I1, ComplexType, FloatType, IntegerType, TensorType, Type
from stablehlo_py.kernels.numeric.numerics import dtype_kind, wide

FOLDS = ("add", "multiply", "maximum", "minimum", "and", "or", "xor")
TURNS: dict[str, Callable[[Array], Array]] = {"not": np.invert, "negate": np.negative}
IDENTITIES = {"add": 0, "multiply": 1, "maximum": -np.inf, "minimum": np.inf, "and": -1, "or": 0, "xor": 0}
Maker = Callable[[np.random.Generator, Sequence[Type]], Region]


def fold(rng: np.random.Generator, elements: Sequence[Type]) -> Region:
    """(E0, .., E0, ..) -> (E0, ..): on each pair an operation, some of them between two turns.

    `-(-a * -b)` is a product as `a + b` is a sum: associative, and not seen at a glance.
    """
    scalars = [TensorType((), element) for element in elements]
    block = Block([*scalars, *scalars])
    count = len(scalars)
    turned = rng.random() < 0.3
    made = []
    for i, element in enumerate(elements):
        fold = f"stablehlo.{rng.choice(folds(element))}"
        pair = [block.arguments[i], block.arguments[count + i]]
        turn = [f"stablehlo.{name}" for name in rng.permutation(turns(element))[:1] if turned]
        for op in turn:
            pair = [_put(block, op, [value]) for value in pair]
        result = _put(block, fold, pair)
        for op in turn:
            result = _put(block, op, [result])
        made.append(result)
    return _ended(block, made)


def folds(element: Type) -> tuple[str, ...]:
    """Some are of no use: XLA's complex maximum keeps the first real part, and f8E8M0FNU has no 0."""
    if isinstance(element, ComplexType):
        return FOLDS[:2]
    return FOLDS[1:] if str(element) == "f8E8M0FNU" else FOLDS


def turns(element: Type) -> tuple[str, ...]:
    """The operations on elements that undo themselves."""
    if isinstance(element, IntegerType):
        return ("not",) if element == I1 else ("not", "negate")
    return () if str(element) == "f8E8M0FNU" else ("negate",)


def comparator(rng: np.random.Generator, elements: Sequence[Type]) -> Region:
    """(E0, E0, E1, E1, ..) -> i1: an order, total on floats, on some of the pairs, one after the other."""
    block = Block([TensorType((), element) for element in elements for _ in range(2)])
    pairs = list(zip(block.arguments[::2], block.arguments[1::2], elements, strict=True))
    chosen = rng.permutation(len(pairs))[: rng.integers(1, len(pairs) + 1)]
    before = None
    for left, right, element in [pairs[i] for i in chosen]:
        less = _compared(block, str(rng.choice(["LT", "GT"])), left, right, element)
        if before is None:
            before = less
            continue
        same = _compared(block, "EQ", left, right, element)
        before = _put(block, "stablehlo.or", [less, _put(block, "stablehlo.and", [same, before])])
    assert before is not None
    return _ended(block, [before])


def _compared(block: Block, direction: str, left: Value, right: Value, element: Type) -> Value:
    """Complex numbers are compared by their real parts."""
    if isinstance(element, ComplexType):
        element = element.element_type
        parts = [Operation("stablehlo.real", [z], [TensorType((), element)]) for z in (left, right)]
        left, right = [block.append(op).result for op in parts]
    properties: dict[str, Attribute] = {
        "comparison_direction": EnumAttr("stablehlo.comparison_direction", direction)
    }
    if isinstance(element, FloatType):
        properties["compare_type"] = EnumAttr("stablehlo.comparison_type", "TOTALORDER")
    op = Operation("stablehlo.compare", [left, right], [TensorType((), I1)], properties)
    return block.append(op).result


def mapping(rng: np.random.Generator, elements: Sequence[Type]) -> Region:
    """(E, ..) -> E: an operation on the first and the last."""
    block = Block([TensorType((), element) for element in elements])
    operands = (block.arguments[0], block.arguments[-1])
    return _ended(block, [_put(block, f"stablehlo.{rng.choice(FOLDS)}", operands)])


def branch(rng: np.random.Generator, elements: Sequence[Type]) -> Region:
    """() -> (E, ..): a constant of each."""
    block = Block()
    builder = OpBuilder(block)
    values = [builder.constant(int(rng.integers(0, 2)), TensorType((2,), element)) for element in elements]
    return _ended(block, values)


def identities(region: Region, like: Sequence[Array]) -> list[Array] | None:
    """What a fold leaves unchanged, of the types of arrays; None if the region is no fold.

    The order of a reduction is open, and where the initial value goes in.
    """
    names = ["", *[op.name.removeprefix("stablehlo.") for op in region.block.ops]]
    found = [(name, before) for before, name in pairwise(names) if name in IDENTITIES]
    if len(found) != len(like):
        return None
    unchanged = []
    for (name, before), dtype in zip(found, [array.dtype for array in like], strict=True):
        turn = TURNS.get(before, np.asarray)
        unchanged.append(turn(_identity(name, dtype).astype(wide(dtype))).astype(dtype))
    return unchanged


def _identity(name: str, dtype: np.dtype[Any]) -> Array:
    value = IDENTITIES[name]
    if dtype == np.bool_:
        return np.asarray(name in ("multiply", "minimum", "and"))
    if np.isinf(value):
        info: Any = (ml_dtypes.iinfo if dtype_kind(dtype) in "iu" else ml_dtypes.finfo)(dtype)
        return np.asarray(info.min if value < 0 else info.max).astype(dtype)
    if value == -1 and dtype_kind(dtype) in "iu":
        return np.asarray(~np.zeros((), wide(dtype))).astype(dtype)
    return np.asarray(value).astype(dtype)


MAKERS: tuple[Maker, ...] = (fold, comparator, mapping, branch)


def _put(block: Block, name: str, operands: Sequence[Value]) -> Value:
    """The result of an op on values of one type, at the end of a block."""
    return block.append(Operation(name, operands, [operands[0].type])).result


def _ended(block: Block, values: Sequence[Value]) -> Region:
    block.append(Operation("stablehlo.return", values))
    return Region([block])
