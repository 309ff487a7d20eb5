"""Steps of random programs: chains, changes of shape, calls, branches, loops and ops with regions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from stablehlo_py.debug.generate.chain import Chain, element_of
from stablehlo_py.ir.attributes import (
    Attribute,
    BoolAttr,
    DenseArrayAttr,
    EnumAttr,
    IntegerAttr,
    StructAttr,
    SymbolRefAttr,
)
from stablehlo_py.ir.core import Block, Module, Operation, Region, Value
from stablehlo_py.ir.op_builder import OpBuilder, add_function
from stablehlo_py.ir.types import I1, I32, I64, TensorType, Type

DEPTH = 3  # of regions within regions
Rng = np.random.Generator


class Request(NamedTuple):
    """What programs are drawn.

    Attributes:
        ops: About how many ops a program has.
        only: The names of the ops that it may use, besides constants and functions; None for all.
        depth: How deep regions are nested.
    """

    ops: int = 20
    only: frozenset[str] | None = None
    depth: int = DEPTH


def ints(values: Sequence[int]) -> DenseArrayAttr:
    """Return a list of numbers as an attribute."""
    return DenseArrayAttr(I64, tuple(int(value) for value in values))


def shape_of(value: Value) -> tuple[int, ...]:
    """Return the shape of a value."""
    assert isinstance(value.type, TensorType)
    return value.type.shape  # type: ignore[return-value]


def direction(name: str) -> dict[str, Attribute]:
    """Return the attribute of a comparison."""
    return {"comparison_direction": EnumAttr("stablehlo.comparison_direction", name)}


def region(block: Block, values: Sequence[Value]) -> Region:
    """Return a region of one block that returns values."""
    block.append(Operation("stablehlo.return", values))
    return Region([block])


class Writer(Chain):
    """A chain that goes through every kind of op. `functions` are callable: none calls back."""

    def __init__(
        self,
        rng: Rng,
        builder: OpBuilder,
        known: Sequence[Value],
        elements: Sequence[Type],
        module: Module,
        request: Request,
        depth: int = 0,
    ) -> None:
        super().__init__(rng, builder, known, elements, request.only)
        self.module, self.request, self.depth = module, request, depth

    def step(self) -> None:
        """Append an op of any kind."""
        if self.rng.random() < 0.55:
            super().step()
            return
        rows = (*SHAPES, *REGIONS, *(FLOWS if self.depth < self.request.depth else ()))
        kinds = [append for append, needs in rows if self.allows(*needs)]
        if not kinds:
            super().step()
            return
        before = len(self.known)
        kinds[int(self.rng.integers(0, len(kinds)))](self)
        del self.known[: max(0, len(self.known) - 40)]  # what is forgotten dies
        assert len(self.known) >= before or before > 30

    def any(self, least: int = 0) -> Value:
        """A known value of at least a rank, without a dimension of size 0."""
        found = [x for x in self.known if len(shape_of(x)) >= least and 0 not in shape_of(x)]
        if not found:
            return self.builder.constant(np.arange(6).reshape(2, 3, 1), TensorType((2, 3, 1), I32))
        return found[int(self.rng.integers(0, len(found)))]

    def put(
        self,
        name: str,
        operands: Sequence[Value],
        results: Sequence[Type],
        properties: dict[str, Attribute] | None = None,
        regions: Sequence[Region] = (),
    ) -> None:
        """Append an op, whose results are known afterwards."""
        self.known += self.builder.create(name, operands, results, properties, regions).results

    def like(self, value: Value, shape: Sequence[int]) -> TensorType:
        """Return the type of a shape with the element type of a value."""
        return TensorType(tuple(int(size) for size in shape), element_of(value))

    def scalar(self, element: Type) -> Value:
        """Return a scalar of an element type."""
        return self.fetch(TensorType((), element))

    # Changes of shape.

    def transpose(self) -> None:
        """Append a transpose."""
        x = self.any()
        order = self.rng.permutation(len(shape_of(x)))
        result = self.like(x, [shape_of(x)[d] for d in order])
        self.put("stablehlo.transpose", [x], [result], {"permutation": ints(order.tolist())})

    def reshape(self) -> None:
        """Append a reshape, with a dimension of size 1 more, or to one dimension."""
        x = self.any()
        shape = [*shape_of(x), 1]
        result = [int(np.prod(shape))] if self.rng.random() < 0.3 else self.rng.permutation(shape).tolist()
        self.put("stablehlo.reshape", [x], [self.like(x, result)])

    def broadcast(self) -> None:
        """Append a broadcast_in_dim."""
        x = self.any()
        shape = [size if size > 1 else int(self.rng.integers(1, 4)) for size in shape_of(x)]
        if len(shape) < 4:
            shape = [int(self.rng.integers(1, 4)), *shape]
        axes = range(len(shape) - len(shape_of(x)), len(shape))
        if np.prod(shape) < 2000:
            attributes: dict[str, Attribute] = {"broadcast_dimensions": ints(axes)}
            self.put("stablehlo.broadcast_in_dim", [x], [self.like(x, shape)], attributes)

    def reverse(self) -> None:
        """Append a reverse of the last dimension."""
        x = self.any(1)
        self.put("stablehlo.reverse", [x], [x.type], {"dimensions": ints([len(shape_of(x)) - 1])})

    def slice(self) -> None:
        """Append a slice."""
        x = self.any(1)
        start = [int(self.rng.integers(0, size)) for size in shape_of(x)]
        strides = self.rng.integers(1, 3, len(start)).tolist()
        sizes = [-(-(n - a) // s) for n, a, s in zip(shape_of(x), start, strides, strict=True)]
        attributes: dict[str, Attribute] = {
            "start_indices": ints(start), "limit_indices": ints(shape_of(x)), "strides": ints(strides)
        }  # fmt: skip
        self.put("stablehlo.slice", [x], [self.like(x, sizes)], attributes)

    def pad(self) -> None:
        """Append a pad, also with negative padding."""
        x = self.any(1)
        low, high, inner = self.rng.integers(-1, 2, (3, len(shape_of(x))))
        inner = np.maximum(inner, 0)
        sizes = np.maximum(np.array(shape_of(x)) + low + high + (np.array(shape_of(x)) - 1) * inner, 0)
        if (np.array(shape_of(x)) + low + high + (np.array(shape_of(x)) - 1) * inner >= 0).all():
            attributes: dict[str, Attribute] = {
                "edge_padding_low": ints(low),
                "edge_padding_high": ints(high),
                "interior_padding": ints(inner),
            }  # fmt: skip
            value = self.scalar(element_of(x))
            self.put("stablehlo.pad", [x, value], [self.like(x, sizes)], attributes)

    def concatenate(self) -> None:
        """Append a concatenation of up to three values."""
        x = self.any(1)
        axis = int(self.rng.integers(0, len(shape_of(x))))
        parts = [x, self.fetch(x.type), x][: int(self.rng.integers(1, 4))]
        shape = list(shape_of(x))
        shape[axis] *= len(parts)
        if np.prod(shape) < 2000:
            dimension = IntegerAttr(axis, I64)
            self.put("stablehlo.concatenate", parts, [self.like(x, shape)], {"dimension": dimension})

    def dynamic_slice(self) -> None:
        """Append a dynamic_slice."""
        x = self.any(1)
        sizes = [int(self.rng.integers(1, size + 1)) for size in shape_of(x)]
        starts = [self.scalar(I32) for _ in sizes]
        self.put("stablehlo.dynamic_slice", [x, *starts], [self.like(x, sizes)], {"slice_sizes": ints(sizes)})

    def dynamic_update_slice(self) -> None:
        """Append a dynamic_update_slice."""
        x = self.any(1)
        update = self.fetch(self.like(x, [int(self.rng.integers(1, size + 1)) for size in shape_of(x)]))
        starts = [self.scalar(I32) for _ in shape_of(x)]
        self.put("stablehlo.dynamic_update_slice", [x, update, *starts], [x.type])

    def iota(self) -> None:
        """Append an iota."""
        shape = shape_of(self.any(1))
        result = TensorType(shape, self.elements[int(self.rng.integers(1, len(self.elements)))])
        axis = IntegerAttr(int(self.rng.integers(0, len(shape))), I64)
        self.put("stablehlo.iota", [], [result], {"iota_dimension": axis})

    def gather(self) -> None:
        """Rows, and windows of one column less."""
        x = self.any(2)
        _, columns, *rest = shape_of(x)
        width = max(columns - 1, 1)
        indices = self.fetch(TensorType((3, 2), I32))
        rank = len(shape_of(x))
        numbers = StructAttr("stablehlo.gather", (
            ("offset_dims", tuple(range(1, rank))), ("collapsed_slice_dims", (0,)),
            ("operand_batching_dims", ()), ("start_indices_batching_dims", ()),
            ("start_index_map", (0, 1)), ("index_vector_dim", 1),
        ))  # fmt: skip
        attributes: dict[str, Attribute] = {
            "dimension_numbers": numbers, "slice_sizes": ints([1, width, *rest]),
            "indices_are_sorted": BoolAttr(False),
        }  # fmt: skip
        self.put("stablehlo.gather", [x, indices], [self.like(x, [3, width, *rest])], attributes)

    # Ops with regions.

    def body(self, types: Sequence[Type]) -> tuple[Block, Chain]:
        """A block of scalars, and a chain in it."""
        block = Block([TensorType((), type) for type in types])
        return block, Chain(self.rng, OpBuilder(block), block.arguments, self.elements, self.only)

    def operands(self, least: int = 1) -> list[Value]:
        """One to three values of one shape."""
        x = self.any(least)
        others = [y for y in self.known if shape_of(y) == shape_of(x)]
        count = int(self.rng.integers(0, 3))
        return [x, *[others[int(self.rng.integers(0, len(others)))] for _ in range(count if others else 0)]]

    def map(self) -> None:
        """Append a map of a drawn function."""
        operands = self.operands(0)
        block, chain = self.body([element_of(x) for x in operands])
        chain.grow(int(self.rng.integers(1, 5)))
        result = self.elements[int(self.rng.integers(0, len(self.elements)))]
        made = region(block, [chain.fetch(TensorType((), result))])
        axes: dict[str, Attribute] = {"dimensions": ints(range(len(shape_of(operands[0]))))}
        self.put("stablehlo.map", operands, [TensorType(shape_of(operands[0]), result)], axes, [made])

    def before(self, chain: Chain, left: Sequence[Value], right: Sequence[Value]) -> Value:
        """Whether one tuple comes before another, by a key that is drawn, then by each element in turn."""
        seed, count = int(self.rng.integers(0, 2**32)), int(self.rng.integers(0, 4))
        keys = []
        for side in (left, right):
            key = Chain(np.random.default_rng(seed), chain.builder, side, self.elements, self.only)
            key.grow(count)
            keys.append([key.known[-1], *side])
        flag = TensorType((), I1)
        create = chain.builder.create
        found = None
        for a, b in reversed(list(zip(*keys, strict=True))):
            less = create("stablehlo.compare", [a, b], [flag], direction("LT")).result
            if found is None:
                found = less
                continue
            same = create("stablehlo.compare", [a, b], [flag], direction("EQ")).result
            both = create("stablehlo.and", [same, found], [flag]).result
            found = create("stablehlo.or", [less, both], [flag]).result
        assert found is not None
        return found

    def choice(self, elements: Sequence[Type]) -> Region:
        """The tuple that comes first: associative, and the same in any order."""
        block, chain = self.body([*elements, *elements])
        left, right = block.arguments[: len(elements)], block.arguments[len(elements) :]
        first = self.before(chain, left, right)
        pairs = zip(left, right, strict=True)
        select = chain.builder.create
        return region(block, [select("stablehlo.select", [first, a, b], [a.type]).result for a, b in pairs])

    def sort(self) -> None:
        """Append a stable sort."""
        operands = self.operands()
        block, chain = self.body([element_of(x) for x in operands for _ in range(2)])
        arguments = block.arguments
        first = self.before(chain, arguments[::2], arguments[1::2])
        axis = int(self.rng.integers(0, len(shape_of(operands[0]))))
        attributes: dict[str, Attribute] = {"dimension": IntegerAttr(axis, I64), "is_stable": BoolAttr(True)}
        types = [x.type for x in operands]
        self.put("stablehlo.sort", operands, types, attributes, [region(block, [first])])

    def reduce(self) -> None:
        """Append a reduction."""
        operands = self.operands()
        shape, elements = shape_of(operands[0]), [element_of(x) for x in operands]
        axes = sorted(self.rng.permutation(len(shape))[: int(self.rng.integers(1, len(shape) + 1))].tolist())
        kept = [size for d, size in enumerate(shape) if d not in axes]
        if np.prod([shape[d] for d in axes]) == 1:
            return  # XLA leaves out the initial value, or the element
        results = [self.like(x, kept) for x in operands]
        given = [*operands, *map(self.scalar, elements)]
        self.put("stablehlo.reduce", given, results, {"dimensions": ints(axes)}, [self.choice(elements)])

    def reduce_window(self) -> None:
        """Append a reduction of windows."""
        operands = self.operands()
        shape, elements = np.array(shape_of(operands[0])), [element_of(x) for x in operands]
        window, strides = self.rng.integers(1, 3, (2, len(shape)))
        sizes = (shape - window) // strides + 1
        if (shape < window).any():
            return
        results = [self.like(x, sizes) for x in operands]
        given = [*operands, *map(self.scalar, elements)]
        attributes: dict[str, Attribute] = {
            "window_dimensions": ints(window), "window_strides": ints(strides)
        }  # fmt: skip
        self.put("stablehlo.reduce_window", given, results, attributes, [self.choice(elements)])

    def scatter(self) -> None:
        """Rows, combined in turn by a chain that is drawn."""
        x = self.any(1)
        rest, element = shape_of(x)[1:], element_of(x)
        indices = self.fetch(TensorType((3, 1), I32))
        updates = self.fetch(self.like(x, [3, *rest]))
        block, chain = self.body([element, element])
        chain.grow(int(self.rng.integers(1, 4)))
        made = region(block, [chain.fetch(TensorType((), element))])
        numbers = StructAttr("stablehlo.scatter", (
            ("update_window_dims", tuple(range(1, len(rest) + 1))), ("inserted_window_dims", (0,)),
            ("input_batching_dims", ()), ("scatter_indices_batching_dims", ()),
            ("scatter_dims_to_operand_dims", (0,)), ("index_vector_dim", 1),
        ))  # fmt: skip
        attributes: dict[str, Attribute] = {
            "scatter_dimension_numbers": numbers, "indices_are_sorted": BoolAttr(False),
            "unique_indices": BoolAttr(False),
        }  # fmt: skip
        self.put("stablehlo.scatter", [x, indices, updates], [x.type], attributes, [made])

    # Control flow.

    def inner(self, block: Block, known: Sequence[Value], types: Sequence[Type]) -> Region:
        """A region that does a few steps and gives values of these types."""
        return region(block, self.filled(block, known, types))

    def filled(self, block: Block, known: Sequence[Value], types: Sequence[Type]) -> list[Value]:
        """Append a few steps to a block, and return values of these types."""
        writer = Writer(
            self.rng, OpBuilder(block), known, self.elements, self.module, self.request, self.depth + 1
        )
        writer.grow(int(self.rng.integers(1, 6)))
        return [writer.fetch(type) for type in types]

    def some_types(self) -> list[Type]:
        """Return the types of up to three known values."""
        return [self.any().type for _ in range(int(self.rng.integers(1, 4)))]

    def branches(self) -> None:
        """Append an if or a case."""
        types = self.some_types()
        two = self.rng.random() < 0.5
        count = 2 if two else int(self.rng.integers(1, 4))
        chosen = self.scalar(I1 if two else I32)
        regions = [self.inner(Block(), self.known, types) for _ in range(count)]
        self.put("stablehlo.if" if two else "stablehlo.case", [chosen], types, None, regions)

    def loop(self) -> None:
        """At most three rounds, which a drawn flag may end earlier."""
        types = self.some_types()
        counter = TensorType((), I32)
        start = [self.builder.constant(0, counter), *map(self.fetch, types)]
        cond, body = Block([counter, *types]), Block([counter, *types])
        limit = OpBuilder(cond).constant(int(self.rng.integers(0, 4)), counter)
        operands = [cond.arguments[0], limit]
        flag = TensorType((), I1)
        more = OpBuilder(cond).create("stablehlo.compare", operands, [flag], direction("LT")).result
        if self.rng.random() < 0.4:
            (other,) = self.filled(cond, [*cond.arguments, *self.known], [flag])
            more = OpBuilder(cond).create("stablehlo.and", [more, other], [flag]).result
        one = OpBuilder(body).constant(1, counter)
        following = OpBuilder(body).create("stablehlo.add", [body.arguments[0], one], [counter]).result
        values = self.filled(body, [*body.arguments, *self.known], types)
        regions = [region(cond, [more]), region(body, [following, *values])]
        self.put("stablehlo.while", start, [counter, *types], None, regions)

    def call(self) -> None:
        """A function that is new, or the one before if it takes what is at hand."""
        inputs, results = self.some_types(), self.some_types()
        name = f"callee{len(self.module.body.ops)}_{int(self.rng.integers(0, 2**40))}"
        block = add_function(self.module, name, inputs, results, "private")
        values = self.filled(block, block.arguments, results)
        OpBuilder(block).create("func.return", values)
        for _ in range(int(self.rng.integers(1, 3))):
            self.put("func.call", [self.fetch(t) for t in inputs], results, {"callee": SymbolRefAttr(name)})


Row = tuple[Callable[[Writer], None], tuple[str, ...]]  # a kind of step, and the ops that it needs


def _row(append: Callable[[Writer], None], *needs: str) -> Row:
    return append, tuple([f"stablehlo.{name}" for name in needs])


ORDER = ("compare", "and", "or", "select")  # of what an order of tuples is made
SHAPES: tuple[Row, ...] = (
    _row(Writer.transpose, "transpose"),
    _row(Writer.reshape, "reshape"),
    _row(Writer.broadcast, "broadcast_in_dim"),
    _row(Writer.reverse, "reverse"),
    _row(Writer.slice, "slice"),
    _row(Writer.pad, "pad"),
    _row(Writer.concatenate, "concatenate"),
    _row(Writer.dynamic_slice, "dynamic_slice"),
    _row(Writer.dynamic_update_slice, "dynamic_update_slice"),
    _row(Writer.iota, "iota"),
    _row(Writer.gather, "gather"),
)
REGIONS: tuple[Row, ...] = (
    _row(Writer.map, "map"),
    _row(Writer.sort, "sort", *ORDER),
    _row(Writer.reduce, "reduce", *ORDER),
    _row(Writer.reduce_window, "reduce_window", *ORDER),
    _row(Writer.scatter, "scatter"),
)
FLOWS: tuple[Row, ...] = (
    _row(Writer.branches, "if", "case"),
    _row(Writer.loop, "while", "compare", "add", "and"),
    (Writer.call, ("func.call",)),
)
