"""Regions for drawn programs: folds, comparators, maps and branches."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from stablehlo_py.ir.attributes import Attribute, EnumAttr
from stablehlo_py.ir.builder import Builder
from stablehlo_py.ir.core import Block, Operation, Region, Value
from stablehlo_py.ir.types import I1, ComplexType, FloatType, TensorType, Type

FOLDS = ("add", "multiply", "maximum", "minimum", "and", "or", "xor")
IDENTITIES = {"add": 0, "multiply": 1, "maximum": -np.inf, "minimum": np.inf, "and": -1, "or": 0, "xor": 0}
Maker = Callable[[np.random.Generator, Sequence[Type]], Region]


def fold(rng: np.random.Generator, elements: Sequence[Type]) -> Region:
    """(E0, .., E0, ..) -> (E0, ..): an operation on each pair."""
    scalars = [TensorType((), element) for element in elements]
    block = Block([*scalars, *scalars])
    folds = FOLDS[:2] if any(isinstance(element, ComplexType) for element in elements) else FOLDS
    name = f"stablehlo.{rng.choice(folds)}"  # XLA's complex maximum keeps the first real part
    count = len(scalars)
    pairs = [(block.arguments[i], block.arguments[count + i]) for i in range(count)]
    made = [block.append(Operation(name, pair, [pair[0].type])).result for pair in pairs]
    return _ended(block, made)


def comparator(rng: np.random.Generator, elements: Sequence[Type]) -> Region:
    """(E0, E0, E1, E1, ..) -> i1: an order on the first pair, total on floats."""
    scalars = [TensorType((), element) for element in elements for _ in range(2)]
    block = Block(scalars)
    properties: dict[str, Attribute] = {
        "comparison_direction": EnumAttr("stablehlo.comparison_direction", str(rng.choice(["LT", "GT"])))
    }
    if isinstance(elements[0], FloatType):
        properties["compare_type"] = EnumAttr("stablehlo.comparison_type", "TOTALORDER")
    op = Operation("stablehlo.compare", block.arguments[:2], [TensorType((), I1)], properties)
    return _ended(block, [block.append(op).result])


def mapping(rng: np.random.Generator, elements: Sequence[Type]) -> Region:
    """(E, ..) -> E: an operation on the first and the last."""
    block = Block([TensorType((), element) for element in elements])
    operands = (block.arguments[0], block.arguments[-1])
    op = Operation(f"stablehlo.{rng.choice(FOLDS)}", operands, [operands[0].type])
    return _ended(block, [block.append(op).result])


def branch(rng: np.random.Generator, elements: Sequence[Type]) -> Region:
    """() -> (E, ..): a constant of each."""
    block = Block()
    builder = Builder(block)
    values = [builder.constant(int(rng.integers(0, 2)), TensorType((2,), element)) for element in elements]
    return _ended(block, values)


MAKERS: tuple[Maker, ...] = (fold, comparator, mapping, branch)


def _ended(block: Block, values: Sequence[Value]) -> Region:
    block.append(Operation("stablehlo.return", values))
    return Region([block])
