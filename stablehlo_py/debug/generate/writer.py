"""Steps of random programs: chains, changes of shape, calls, branches, loops and ops with regions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from stablehlo_py.debug.generate.chain import Chain, Shape, element_of
from stablehlo_py.debug.generate.indexing import INDEXING
from stablehlo_py.debug.generate.shapes import DYNAMIC, SHAPES, Row, direction, ints, row
from stablehlo_py.debug.generate.sums import SUMS
from stablehlo_py.debug.generate.views import PRODUCERS, VIEWS
from stablehlo_py.ir.attributes import (
    Attribute,
    BoolAttr,
    IntegerAttr,
    StructAttr,
    SymbolRefAttr,
)
from stablehlo_py.ir.core import Block, Module, Operation, Region, Value
from stablehlo_py.ir.op_builder import OpBuilder, add_function
from stablehlo_py.ir.types import I1, I32, I64, ComplexType, QuantizedType, TensorType, Type

_LATE = 5  # values, of which programs of views mostly read one
DEPTH = 3  # of regions within regions
OPEN = frozenset(  # ops whose result types may leave dimensions open that the operands determine
    f"stablehlo.{name}"
    for name in (
        "concatenate", "dynamic_broadcast_in_dim", "dynamic_gather", "dynamic_iota", "dynamic_pad",
        "dynamic_reshape", "pad", "real_dynamic_slice", "reverse", "slice", "transpose",
    )
)  # fmt: skip
Rng = np.random.Generator


class Request(NamedTuple):
    """What programs are drawn.

    Attributes:
        ops: About how many ops a program has.
        only: The names of the ops that it may use, besides constants and functions; None for all.
        depth: How deep regions are nested.
        dynamic: Draw dynamic shapes as well: types whose dimensions are known only when the program runs.
        shapes: The shapes of the arguments of each element type; None to draw small ones.
        elements: The element types, the first of which is i1; None to draw a float and two integers.
        views: Draw mostly views of arrays of one size, and producers of every cost; of the values of all
            steps, half are results.
        sharded: Draw a mesh of up to 8 devices as well, and shardings of values.
    """

    ops: int = 20
    only: frozenset[str] | None = None
    depth: int = DEPTH
    dynamic: bool = False
    shapes: tuple[Shape, ...] | None = None
    elements: tuple[Type, ...] | None = None
    views: bool = False
    sharded: bool = False


def region(block: Block, values: Sequence[Value]) -> Region:
    """Return a region of one block that returns values."""
    block.append(Operation("stablehlo.return", values))
    return Region([block])


def _fits(value: Value, ordered: bool) -> bool:
    """Return whether elements have an order, and constants, if they must."""
    return not ordered or not isinstance(element_of(value), ComplexType | QuantizedType)


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
        sizes: dict[Value, Shape] | None = None,
    ) -> None:
        super().__init__(rng, builder, known, elements, request.only, sizes)
        self.module, self.request, self.depth = module, request, depth

    def step(self) -> None:
        """Append an op of any kind."""
        views = self.request.views
        if self.rng.random() < (0.3 if views else 0.55):
            super().step()
            return
        rows: Sequence[Row] = (
            *SHAPES,
            *(PRODUCERS if views else SUMS),
            *(DYNAMIC if self.request.dynamic else ()),
            *REGIONS,
            *(FLOWS if self.depth < self.request.depth else ()),
        )
        if views and self.rng.random() < 0.6:
            rows = VIEWS
        if self.request.sharded and self.rng.random() < 0.25:
            rows = INDEXING
        kinds = [append for append, needs in rows if self.allows(*needs)]
        if not kinds:
            super().step()
            return
        before = len(self.known)
        kinds[int(self.rng.integers(0, len(kinds)))](self)
        del self.known[: max(0, len(self.known) - 40)]  # what is forgotten dies
        assert len(self.known) >= before or before > 30

    def step_on_elements(self) -> None:
        """Append an elementwise op."""
        super().step()

    def any(self, least: int = 0, ordered: bool = False) -> Value:
        """A known value of at least a rank, without a dimension of size 0."""
        filled = [x for x in self.known if len(self.shape_of(x)) >= least and 0 not in self.shape_of(x)]
        found = [x for x in filled if _fits(x, ordered)]
        if not found:
            return self.builder.constant(np.arange(6).reshape(2, 3, 1), TensorType((2, 3, 1), I32))
        return self.chosen(found)

    def chosen(self, values: Sequence[Value]) -> Value:
        """Draw one of some values; for views mostly a late value, so that views are views of views."""
        if self.request.views and self.rng.random() < 0.7:
            values = values[-_LATE:]
        return super().chosen(values)

    def put(
        self,
        name: str,
        operands: Sequence[Value],
        results: Sequence[Type],
        properties: dict[str, Attribute] | None = None,
        regions: Sequence[Region] = (),
    ) -> None:
        """Append an op, whose results are known afterwards; `results` state their shapes at run time."""
        types = [self.opened(name, type) for type in results]
        made = self.builder.create(name, operands, types, properties, regions).results
        for value, type in zip(made, results, strict=True):
            assert isinstance(type, TensorType)
            self.sized(value, type.shape)  # type: ignore[arg-type]
        self.known += made

    def opened(self, name: str, type: Type) -> Type:
        """Return the type of an op's result, with dynamic dimensions if they are allowed."""
        if not self.request.dynamic or name not in OPEN or not isinstance(type, TensorType):
            return type
        kept = self.rng.random(type.rank) < 0.5
        return TensorType(
            tuple([n if k else None for n, k in zip(type.shape, kept, strict=True)]), type.element_type
        )

    def actual(self, value: Value) -> TensorType:
        """Return the type of a value with the shape that it has when the program runs."""
        return TensorType(self.shape_of(value), element_of(value))

    def like(self, value: Value, shape: Sequence[int]) -> TensorType:
        """Return the type of a shape with the element type of a value."""
        return TensorType(tuple(int(size) for size in shape), element_of(value))

    def scalar(self, element: Type) -> Value:
        """Return a scalar of an element type."""
        return self.fetch(TensorType((), element))

    # Ops with regions.

    def body(self, types: Sequence[Type]) -> tuple[Block, Chain]:
        """A block of scalars, and a chain in it."""
        block = Block([TensorType((), type) for type in types])
        return block, Chain(self.rng, OpBuilder(block), block.arguments, self.elements, self.only)

    def operands(self, least: int = 1, ordered: bool = True) -> list[Value]:
        """Draw one to three values of the same shape, with ordered elements if asked for."""
        x = self.any(least, ordered)
        others = [y for y in self.known if self.shape_of(y) == self.shape_of(x) and _fits(y, ordered)]
        count = int(self.rng.integers(0, 3))
        return [x, *[others[int(self.rng.integers(0, len(others)))] for _ in range(count if others else 0)]]

    def map(self) -> None:
        """Append a map of a drawn function."""
        operands = self.operands(0, ordered=False)
        block, chain = self.body([element_of(x) for x in operands])
        chain.grow(int(self.rng.integers(1, 5)))
        result = self.elements[int(self.rng.integers(0, len(self.elements)))]
        made = region(block, [chain.fetch(TensorType((), result))])
        axes: dict[str, Attribute] = {"dimensions": ints(range(len(self.shape_of(operands[0]))))}
        self.put("stablehlo.map", operands, [TensorType(self.shape_of(operands[0]), result)], axes, [made])

    def before(self, chain: Chain, left: Sequence[Value], right: Sequence[Value]) -> Value:
        """Compare two tuples by a drawn key, then by each element in turn."""
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

    def monoid(self, elements: Sequence[Type]) -> tuple[list[Value], Region]:
        """Draw a function that chooses the lesser of two tuples, and its identity as constants.

        The result of a reduction does not depend on the order, nor on the number of identities in it.
        """
        block, chain = self.body([*elements, *elements])
        left, right = block.arguments[: len(elements)], block.arguments[len(elements) :]
        first = self.before(chain, left, right)
        numbers = self.rng.integers(0, 2, len(elements)).tolist()
        blanks = [self.equals(chain, side, numbers) for side in (left, right)]
        create, flag = chain.builder.create, TensorType((), I1)
        other = create("stablehlo.or", [blanks[1], first], [flag]).result
        chosen = create("stablehlo.select", [blanks[0], blanks[1], other], [flag]).result
        pairs = zip(left, right, strict=True)
        made = region(block, [create("stablehlo.select", [chosen, a, b], [a.type]).result for a, b in pairs])
        scalars = [TensorType((), element) for element in elements]
        return [self.builder.constant(n, t) for n, t in zip(numbers, scalars, strict=True)], made

    def equals(self, chain: Chain, values: Sequence[Value], numbers: Sequence[int]) -> Value:
        """Whether each value is a number."""
        create, flag = chain.builder.create, TensorType((), I1)
        found = None
        for value, number in zip(values, numbers, strict=True):
            operands = [value, chain.builder.constant(number, value.type)]
            same = create("stablehlo.compare", operands, [flag], direction("EQ")).result
            found = same if found is None else create("stablehlo.and", [found, same], [flag]).result
        assert found is not None
        return found

    def sort(self) -> None:
        """Append a stable sort."""
        operands = self.operands()
        block, chain = self.body([element_of(x) for x in operands for _ in range(2)])
        arguments = block.arguments
        first = self.before(chain, arguments[::2], arguments[1::2])
        axis = int(self.rng.integers(0, len(self.shape_of(operands[0]))))
        attributes: dict[str, Attribute] = {"dimension": IntegerAttr(axis, I64), "is_stable": BoolAttr(True)}
        types = [self.actual(x) for x in operands]
        self.put("stablehlo.sort", operands, types, attributes, [region(block, [first])])

    def reduce(self) -> None:
        """Append a reduction."""
        operands = self.operands()
        shape, elements = self.shape_of(operands[0]), [element_of(x) for x in operands]
        axes = sorted(self.rng.permutation(len(shape))[: int(self.rng.integers(1, len(shape) + 1))].tolist())
        kept = [size for d, size in enumerate(shape) if d not in axes]
        results = [self.like(x, kept) for x in operands]
        starts, made = self.monoid(elements)
        self.put("stablehlo.reduce", [*operands, *starts], results, {"dimensions": ints(axes)}, [made])

    def reduce_window(self) -> None:
        """Append a reduction of windows."""
        operands = self.operands()
        shape, elements = np.array(self.shape_of(operands[0])), [element_of(x) for x in operands]
        window, strides = self.rng.integers(1, 3, (2, len(shape)))
        sizes = (shape - window) // strides + 1
        if (shape < window).any():
            return
        results = [self.like(x, sizes) for x in operands]
        starts, made = self.monoid(elements)
        attributes: dict[str, Attribute] = {
            "window_dimensions": ints(window), "window_strides": ints(strides)
        }  # fmt: skip
        self.put("stablehlo.reduce_window", [*operands, *starts], results, attributes, [made])

    def scatter(self) -> None:
        """Rows, combined in turn by a chain that is drawn."""
        x = self.any(1)
        rest, element = self.shape_of(x)[1:], element_of(x)
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
        self.put("stablehlo.scatter", [x, indices, updates], [self.actual(x)], attributes, [made])

    # Control flow.

    def inner(self, block: Block, known: Sequence[Value], types: Sequence[Type]) -> Region:
        """Write a region with a few steps, which returns values of the given types."""
        return region(block, self.filled(block, known, types))

    def filled(self, block: Block, known: Sequence[Value], types: Sequence[Type]) -> list[Value]:
        """Append a few steps to a block, and return values of these types."""
        writer = Writer(
            self.rng,
            OpBuilder(block),
            known,
            self.elements,
            self.module,
            self.request,
            self.depth + 1,
            self.sizes,
        )
        writer.grow(int(self.rng.integers(1, 6)))
        return [writer.fetch(type) for type in types]

    def some_types(self) -> list[Type]:
        """Return the types of up to three known values."""
        return [self.actual(self.any()) for _ in range(int(self.rng.integers(1, 4)))]

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
        """Append a new function, and one or two calls of it."""
        inputs, results = self.some_types(), self.some_types()
        name = f"callee{len(self.module.body.ops)}_{int(self.rng.integers(0, 2**40))}"
        block = add_function(self.module, name, inputs, results, "private")
        values = self.filled(block, block.arguments, results)
        OpBuilder(block).create("func.return", values)
        for _ in range(int(self.rng.integers(1, 3))):
            self.put("func.call", [self.fetch(t) for t in inputs], results, {"callee": SymbolRefAttr(name)})


ORDER = ("compare", "and", "or", "select")  # of what an order of tuples is made
REGIONS: tuple[Row, ...] = (
    row(Writer.map, "map"),
    row(Writer.sort, "sort", *ORDER),
    row(Writer.reduce, "reduce", *ORDER),
    row(Writer.reduce_window, "reduce_window", *ORDER),
    row(Writer.scatter, "scatter"),
)
FLOWS: tuple[Row, ...] = (
    row(Writer.branches, "if", "case"),
    row(Writer.loop, "while", "compare", "add", "and"),
    (Writer.call, ("func.call",)),
)
