"""Steps of programs of views: arrays that are read through other indices, and producers of any cost.

Such programs read a value directly, and through a chain of reshapes. A compiler that fuses both reads has to
know that their indices are equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from stablehlo_py.debug.generate.chain import element_of
from stablehlo_py.debug.generate.shapes import MOST, Row, ints, row, transpose
from stablehlo_py.debug.generate.sums import SUMS, function_of, has_exact_sums, keep
from stablehlo_py.ir.attributes import Attribute, DenseElementsAttr, IntegerAttr, StructAttr
from stablehlo_py.ir.core import Value
from stablehlo_py.ir.types import I1, I64, FloatType, IntegerType, TensorType

if TYPE_CHECKING:
    from stablehlo_py.debug.generate.writer import Rng, Writer

Shape = tuple[int, ...]
_SIZES = (4, 6, 8, 12, 16, 24, 36, 60, 64, 96, 180)  # of arrays: most have many factors
_MATRICES = ((32, 64), (64, 32), (2048,))  # for products that are computed in blocks
_COSTLY = ("tanh", "sine", "cosine", "logistic", "cbrt", "sqrt", "log_plus_one")


def draw_shapes(rng: Rng) -> list[Shape]:
    """Return the shapes of arguments: a scalar, and arrays of one size."""
    if rng.random() < 0.05:
        return [(), *_MATRICES]
    size = _SIZES[int(rng.integers(0, len(_SIZES)))]
    return [(), (size,), factors(rng, size), factors(rng, size)]


def factors(rng: Rng, size: int) -> Shape:
    """Draw a shape of so many elements, of a rank up to 4, seldom with dimensions of size 1."""
    found = []
    least = 1 if rng.random() < 0.15 else 2
    for _ in range(int(rng.integers(0, 4))):
        divisors = [d for d in range(least, size + 2 - least) if size % d == 0]
        if divisors:
            found.append(divisors[int(rng.integers(0, len(divisors)))])
            size //= found[-1]
    return tuple(rng.permutation([*found, size]).tolist())


def regrouped(rng: Rng, shape: Shape) -> Shape:
    """Draw another shape of as many elements: half of the time by joining dimensions."""
    if rng.random() < 0.5:
        return factors(rng, prod(shape))
    found: list[int] = []
    for size in shape:
        if found and rng.random() < 0.7:
            found[-1] *= size
        else:
            found.append(size)
    return tuple(found)


def _one_of(writer: Writer, shapes: Sequence[Shape]) -> Shape:
    return shapes[int(writer.rng.integers(0, len(shapes)))]


def regroup(writer: Writer) -> None:
    """Append a reshape to the shape of a known value, or to a drawn one."""
    x = writer.any()
    own = writer.shape_of(x)
    known = sorted({shape for y in writer.known if prod(shape := writer.shape_of(y)) == prod(own)} - {own})
    is_back = known and writer.rng.random() < 0.6
    shape = _one_of(writer, known) if is_back else regrouped(writer.rng, own)
    writer.put("stablehlo.reshape", [x], [writer.like(x, shape)])


def reverse_some(writer: Writer) -> None:
    """Append a reverse of some dimensions."""
    x = writer.any(1)
    chosen = [d for d in range(len(writer.shape_of(x))) if writer.rng.random() < 0.6]
    writer.put("stablehlo.reverse", [x], [writer.actual(x)], {"dimensions": ints(chosen)})


def cut(writer: Writer) -> None:
    """Append a slice of one dimension."""
    x = writer.any(1)
    shape = writer.shape_of(x)
    axis = int(writer.rng.integers(0, len(shape)))
    start, limit, strides = [0] * len(shape), [*shape], [1] * len(shape)
    start[axis], end = sorted(writer.rng.integers(0, shape[axis], 2).tolist())
    limit[axis], strides[axis] = end + 1, int(writer.rng.integers(1, 3))
    sizes = [-(-(n - a) // s) for n, a, s in zip(limit, start, strides, strict=True)]
    attributes: dict[str, Attribute] = {
        "start_indices": ints(start), "limit_indices": ints(limit), "strides": ints(strides)
    }  # fmt: skip
    writer.put("stablehlo.slice", [x], [writer.like(x, sizes)], attributes)


def pad_one(writer: Writer) -> None:
    """Append a pad of one dimension, seldom between elements."""
    x = writer.any(1)
    shape = writer.shape_of(x)
    axis = int(writer.rng.integers(0, len(shape)))
    low, high, inner = ([0] * len(shape) for _ in range(3))
    low[axis], high[axis] = writer.rng.integers(-1, 3, 2).tolist()
    inner[axis] = int(writer.rng.random() < 0.2)
    sizes = [*shape]
    sizes[axis] += low[axis] + high[axis] + (shape[axis] - 1) * inner[axis]
    if not sizes[axis] > 0 or prod(sizes) >= MOST:
        return
    attributes: dict[str, Attribute] = {
        "edge_padding_low": ints(low), "edge_padding_high": ints(high), "interior_padding": ints(inner)
    }  # fmt: skip
    writer.put("stablehlo.pad", [x, writer.scalar(element_of(x))], [writer.like(x, sizes)], attributes)


def join(writer: Writer) -> None:
    """Append a concatenation of values that are equal in all other dimensions."""
    x = writer.any(1)
    shape = writer.shape_of(x)
    axis = int(writer.rng.integers(0, len(shape)))

    def rest(y: Value) -> tuple[object, ...]:
        of = writer.shape_of(y)
        return element_of(y), len(of), *of[:axis], None, *of[axis + 1 :]

    fitting = [y for y in writer.known if rest(y) == rest(x)]
    count = int(writer.rng.integers(1, 4))
    parts = [fitting[i] for i in writer.rng.integers(0, len(fitting), count).tolist()] if fitting else [x]
    sizes = [*shape]
    sizes[axis] = sum([writer.shape_of(part)[axis] for part in parts])
    if 0 < prod(sizes) < MOST:
        attributes: dict[str, Attribute] = {"dimension": IntegerAttr(axis, I64)}
        writer.put("stablehlo.concatenate", parts, [writer.like(x, sizes)], attributes)


def spread(writer: Writer) -> None:
    """Append a broadcast, to the shape of a known value where one fits, along dimensions in any order."""
    x = writer.any()
    own = writer.shape_of(x)
    known = [writer.shape_of(y) for y in writer.known if len(writer.shape_of(y)) >= len(own)]
    for shape in [_one_of(writer, known) for _ in range(4)] if known else ():
        for dims in writer.rng.permutation([*permutations(range(len(shape)), len(own))]).tolist():
            if all(n in (1, shape[d]) for n, d in zip(own, dims, strict=True)) and shape != own:
                _spread(writer, x, shape, dims)
                return
    shape = (int(writer.rng.integers(1, 4)), *own)
    if prod(shape) < MOST:
        _spread(writer, x, shape, range(1, len(shape)))


def _spread(writer: Writer, x: Value, shape: Sequence[int], dims: Sequence[int]) -> None:
    attributes: dict[str, Attribute] = {"broadcast_dimensions": ints(dims)}
    writer.put("stablehlo.broadcast_in_dim", [x], [writer.like(x, shape)], attributes)


def there_and_back(writer: Writer) -> None:
    """Append views of a value, often a new one, and an op on them, then the views back, and an op on both."""
    if writer.rng.random() < 0.6:
        writer.step_on_elements()
    x = writer.known[-1] if writer.shape_of(writer.known[-1]) else writer.any(1)
    if element_of(x) not in writer.elements or 0 in writer.shape_of(x):
        return
    seen: list[tuple[str, Value, tuple[int, ...]]] = []
    y = x
    for _ in range(int(writer.rng.integers(1, 4))):
        before, rank = y, len(writer.shape_of(y))
        name = str(writer.rng.choice(["reshape", "reshape", "transpose", "reverse"]))
        order = tuple(writer.rng.permutation(rank).tolist())
        dims = order[: int(writer.rng.integers(1, rank + 1))] if name == "reverse" else order
        y = _view(writer, name, y, dims, regrouped(writer.rng, writer.shape_of(y)))
        seen.append((name, before, dims))
    if writer.rng.random() < 0.6:
        known, writer.known = writer.known, [y]
        writer.step_on_elements()
        y, writer.known = writer.known[-1], [*known, *writer.known[1:]]
    for name, before, dims in reversed(seen):
        back = tuple(np.argsort(dims).tolist()) if name == "transpose" else dims
        y = _view(writer, name, y, back, writer.shape_of(before))
    if element_of(y) == element_of(x):
        name = str(writer.rng.choice(["maximum", "minimum"]))
        writer.put(f"stablehlo.{name}", [x, y], [writer.actual(x)])


def _view(writer: Writer, name: str, x: Value, dims: Sequence[int], shape: Shape) -> Value:
    """Append a reshape to a shape, a transpose by an order, or a reverse of dimensions."""
    if name == "transpose":
        shape = tuple([writer.shape_of(x)[d] for d in dims])
    attribute = {"transpose": "permutation", "reverse": "dimensions"}.get(name)
    attributes: dict[str, Attribute] = {attribute: ints(dims)} if attribute else {}
    result = writer.like(x, writer.shape_of(x) if name == "reverse" else shape)
    writer.put(f"stablehlo.{name}", [x], [result], attributes)
    return writer.known[-1]


# Producers: values that are computed again for each user, or stored.


def costly(writer: Writer) -> None:
    """Append an expensive elementwise op whose results are whole numbers."""
    x = writer.any()
    element, create = element_of(x), writer.builder.create
    if isinstance(element, IntegerType) and element != I1:
        three = writer.builder.constant(3, writer.actual(x))
        writer.known.append(create("stablehlo.power", [x, three], [writer.actual(x)]).result)
    elif isinstance(element, FloatType):
        kind, name = [writer.actual(x)], _COSTLY[int(writer.rng.integers(0, len(_COSTLY)))]
        size = create("stablehlo.abs", [x], kind).result
        found = create(f"stablehlo.{name}", [size], kind).result
        three = writer.builder.constant(3, writer.actual(x))
        scaled = create("stablehlo.multiply", [found, three], kind).result
        writer.known.append(create("stablehlo.round_nearest_even", [scaled], kind).result)


def total(writer: Writer) -> None:
    """Append a sum, or a largest or smallest element, along some dimensions."""
    x = writer.any(1)
    if not has_exact_sums(writer, x):
        return
    shape = writer.shape_of(x)
    axes = sorted(writer.rng.permutation(len(shape))[: int(writer.rng.integers(1, len(shape) + 1))].tolist())
    kept = [n for d, n in enumerate(shape) if d not in axes]
    name = str(writer.rng.choice(["add", "maximum", "minimum"]))
    scalar = TensorType((), element_of(x))
    made = writer.builder.create(
        "stablehlo.reduce",
        [x, writer.builder.constant(0, scalar)],
        [writer.like(x, kept)],
        {"dimensions": ints(axes)},
        [function_of(scalar, f"stablehlo.{name}", scalar)],
    )
    keep(writer, made.result)


def running_total(writer: Writer) -> None:
    """Append the sums of all elements up to each, along a dimension."""
    x = writer.any(1)
    if not has_exact_sums(writer, x):
        return
    shape = writer.shape_of(x)
    axis = int(writer.rng.integers(0, len(shape)))
    window = [n if d == axis else 1 for d, n in enumerate(shape)]
    before = [[n - 1 if d == axis else 0, 0] for d, n in enumerate(shape)]
    scalar = TensorType((), element_of(x))
    attributes: dict[str, Attribute] = {
        "window_dimensions": ints(window),
        "padding": DenseElementsAttr(TensorType((len(shape), 2), I64), np.array(before).reshape(-1)),
    }
    operands = [x, writer.builder.constant(0, scalar)]
    sums = [function_of(scalar, "stablehlo.add", scalar)]
    made = writer.builder.create("stablehlo.reduce_window", operands, [writer.actual(x)], attributes, sums)
    keep(writer, made.result)


def product(writer: Writer) -> None:
    """Append a product of known matrices."""
    matrices = [x for x in writer.known if len(writer.shape_of(x)) == 2 and has_exact_sums(writer, x)]
    if not matrices:
        return
    x = writer.chosen(matrices)
    rows, terms = writer.shape_of(x)
    right = [y for y in matrices if element_of(y) == element_of(x) and writer.shape_of(y)[0] == terms]
    y = writer.chosen(right) if right else writer.fetch(writer.like(x, (terms, 2)))
    if not 0 < rows * terms * writer.shape_of(y)[1] < MOST * terms:
        return
    numbers = StructAttr("stablehlo.dot", (
        ("lhs_batching_dimensions", ()), ("rhs_batching_dimensions", ()),
        ("lhs_contracting_dimensions", (1,)), ("rhs_contracting_dimensions", (0,)),
    ))  # fmt: skip
    types = [writer.like(x, (rows, writer.shape_of(y)[1]))]
    attributes: dict[str, Attribute] = {"dot_dimension_numbers": numbers}
    keep(writer, writer.builder.create("stablehlo.dot_general", [x, y], types, attributes).result)


VIEWS: tuple[Row, ...] = (
    row(regroup, "reshape"),
    *(row(there_and_back, "reshape", "transpose", "reverse", "maximum", "minimum"),) * 4,
    row(transpose, "transpose"),
    row(reverse_some, "reverse"),
    row(cut, "slice"),
    row(pad_one, "pad"),
    row(join, "concatenate"),
    row(spread, "broadcast_in_dim"),
)
PRODUCERS: tuple[Row, ...] = (
    row(costly, "abs", "multiply", "round_nearest_even", "power", *_COSTLY),
    row(costly, "abs", "multiply", "round_nearest_even", "power", *_COSTLY),
    row(total, "reduce", "add", "maximum", "minimum"),
    row(total, "reduce", "add", "maximum", "minimum"),
    row(running_total, "reduce_window", "add"),
    row(product, "dot_general"),
    *SUMS,
)
