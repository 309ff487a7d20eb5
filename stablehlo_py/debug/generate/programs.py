"""Random programs of many ops, with their arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from stablehlo_py.debug.generate.chain import DEFINITIONS, FLOATS, INTEGERS
from stablehlo_py.debug.generate.elements import Array, draw_values
from stablehlo_py.debug.generate.shapes import DYNAMIC
from stablehlo_py.debug.generate.shardings import SEVERAL, Drawing
from stablehlo_py.debug.generate.views import PRODUCERS, draw_shapes
from stablehlo_py.debug.generate.writer import Request as Request
from stablehlo_py.debug.generate.writer import Rng, Writer
from stablehlo_py.ir.attributes import TypeAttr
from stablehlo_py.ir.core import Module
from stablehlo_py.ir.op_builder import OpBuilder, add_function
from stablehlo_py.ir.types import I1, FunctionType, TensorType, Type

_SIZES = (2, 4, 6, 8, 8, 12, 16, 3, 5)  # of dimensions that are divided


class Program(NamedTuple):
    """A module with the function `name`, which calls the others, and its arguments."""

    name: str
    module: Module
    inputs: tuple[Type, ...]
    results: tuple[Type, ...]
    arguments: tuple[Array, ...]

    @property
    def named_arguments(self) -> dict[str, Array]:
        """The arguments by position, as the names that files have for them."""
        return {f"in{i}": array for i, array in enumerate(self.arguments)}


def generate(seed: int, number: int, request: Request = Request()) -> Program:  # noqa: B008 (it is immutable)
    """Return a valid program, whose `@main` has the values of all steps as results, or of half of them.

    Args:
        seed: The seed of a series of programs.
        number: The number of the program in the series.
        request: What programs are drawn.
    """
    rng = np.random.default_rng([seed, number])

    def grow(writer: Writer) -> None:
        blocks = (writer.module.body, writer.builder.block)  # steps append to them
        count = sum(1 for _ in writer.module.walk())
        for _ in range(request.ops):  # at least one op a step
            starts = [len(block.ops) for block in blocks]
            writer.grow(1)
            fresh = [op for block, start in zip(blocks, starts, strict=True) for op in block.ops[start:]]
            count += sum(1 for op in fresh for _ in op.walk())
            if count >= request.ops:
                return

    if not request.sharded:
        return _drawn(rng, "main", "public", request, grow)
    shapes = request.shapes if request.shapes is not None else tuple(_shapes_of_shards(rng))
    drawn = _drawn(rng, "main", "public", request._replace(shapes=shapes), grow)
    kind = SEVERAL[int(rng.integers(0, len(SEVERAL)))]
    Drawing(drawn.module, kind, int(rng.integers(0, 1 << 30))).run()
    return drawn


def draw_program(rng: Rng, name: str, steps: int, request: Request = Request()) -> Program:  # noqa: B008
    """Return a program of so many steps at its outermost level, in a private function."""
    return _drawn(rng, name, "private", request, lambda writer: writer.grow(steps))


def _drawn(rng: Rng, name: str, visibility: str, request: Request, grow: Callable[[Writer], None]) -> Program:
    float_type = FLOATS[int(rng.integers(0, len(FLOATS)))]  # XLA: a region has one
    integers = rng.choice(len(INTEGERS), 2, replace=False)
    count = 1 if request.views else 2
    elements = request.elements or (I1, float_type, *[INTEGERS[i] for i in integers[:count]])
    draw = draw_shapes if request.views else _small_shapes
    shapes = [*request.shapes] if request.shapes is not None else draw(rng)
    inputs = [TensorType(shape, element) for element in elements for shape in shapes]
    arguments = [draw_values(rng, element, shape, "whole") for element in elements for shape in shapes]
    module = Module()
    types = [_opened(rng, type) for type in inputs] if request.dynamic else inputs
    block = add_function(module, name, types, (), visibility)
    writer = Writer(rng, OpBuilder(block), block.arguments, elements, module, request)
    for argument, shape in zip(block.arguments, [shape for _ in elements for shape in shapes], strict=True):
        writer.sized(argument, shape)
    grow(writer)
    last = [value for value in writer.known if value not in block.arguments]
    if request.views:
        last = [value for value in last if rng.random() < 0.5] or last[-1:]
    results = tuple([value.type for value in last])
    OpBuilder(block).create("func.return", last)
    module.body.ops[0].properties["function_type"] = TypeAttr(FunctionType(tuple(types), results))
    return Program(name, module, tuple(types), results, tuple(arguments))


def _small_shapes(rng: Rng) -> list[tuple[int, ...]]:
    return [(), (3,), tuple(rng.integers(1, 5, 2).tolist()), tuple(rng.integers(0, 4, 3).tolist())]


def _shapes_of_shards(rng: Rng) -> list[tuple[int, ...]]:
    """Return shapes whose dimensions the axes of a mesh mostly divide."""
    return [(), *[tuple(rng.choice(_SIZES, rank).tolist()) for rank in (1, 2, 3)]]


def _opened(rng: Rng, type: TensorType) -> TensorType:
    """Return the type of an argument, half of whose dimensions are known only when the program runs."""
    return replace(type, shape=tuple([None if rng.random() < 0.5 else size for size in type.shape]))


CONTROL = frozenset(
    {"stablehlo.if", "stablehlo.case", "stablehlo.while", "func.call", "func.return", "func.func"}
)
COVERED = CONTROL | {
    f"stablehlo.{name}"
    for name in (
        "broadcast_in_dim", "concatenate", "dynamic_slice", "dynamic_update_slice", "gather", "iota", "map",
        "pad", "reduce", "reduce_window", "reshape", "return", "reverse", "scatter", "slice", "sort",
        "transpose", "dot_general", "convolution", "select_and_scatter", "complex", "real", "imag",
        "reduce_precision", "rng_bit_generator", "optimization_barrier",
    )
} | {definition.name for definition in DEFINITIONS}  # fmt: skip
FRAME = frozenset({"func.func", "func.return", "stablehlo.return"})  # what functions and regions are made of
DRAWN = COVERED | {name for _, needs in (*DYNAMIC, *PRODUCERS) for name in needs}
