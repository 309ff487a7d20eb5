"""Descriptors: the shape of a matrix product as data, which the macro-kernel reads.

Where an element of an operand or of the result is in memory is a sum over the loops: index times stride. All
these sums are lanes of one vector of integers, the place of a batch, row, term or column: the offsets in the
left factor, the right factor and the result, and the positions that must be inside of the left operand.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from stablehlo_py.engines.native.arithmetic.llvm_ir import Builder, Value
from stablehlo_py.engines.native.index_space import Index, Variable, linear, of_variable
from stablehlo_py.engines.native.products.blocking import Blocking
from stablehlo_py.engines.native.products.contractions import Contraction
from stablehlo_py.ir.records import dataclass

LANES = 8  # of a place
PLACE = f"<{LANES} x i64>"
LEFT, RIGHT, RESULT, CHECKED = range(4)  # lanes; those from CHECKED on are positions
BATCH, ROWS, TERMS, COLUMNS = range(4)  # spaces
_HEAD, _LIMITS, _BASE, _SPACES = 0, 1, 2, 3  # rows of the descriptor, each of LANES integers
_SETS = 4096  # bytes: rows a multiple of it apart are in the same set of the first cache
_CACHED = 1 << 18  # bytes: a right factor of no more is in the second cache when it is read again
SPLIT, ROWS_INNER, HEIGHT, LEFT_STRIDE, FETCHES = range(5)  # of the first one

Strides = tuple[int, ...]


def describe(
    product: Contraction,
    spaces: Sequence[Blocking],
    strides: Sequence[Strides],
    split: int,
    height: int,
    size: int,
) -> list[int]:
    """Return the descriptor of a product.

    Args:
        product: The product.
        spaces: The batch, rows, terms and columns in blocks.
        strides: Those of both operands and the result.
        split: The space whose blocks are shared out among threads.
        height: The rows of a tile.
        size: Bytes of an element.
    """
    variables = [
        [Variable(f"{number}.{d:02}", extent) for d, extent in enumerate(space.shape)]
        for number, space in enumerate(spaces)
    ]
    batch, rows, terms, columns = (tuple(map(of_variable, group)) for group in variables)
    checks = product.checks(rows, terms)
    lanes = [
        linear(product.lhs(batch, rows, terms), strides[LEFT]),
        linear(product.rhs(batch, terms, columns), strides[RIGHT]),
        linear(product.result(batch, rows, columns), strides[RESULT]),
        *(index for index, _ in checks),
    ]
    several = spaces[ROWS].blocks > 1  # each is packed once, which hides waiting for memory
    packs = several or product.rows_inner or bool(checks)
    left_stride = 0 if packs else _left_stride(lanes[LEFT], variables[ROWS], variables[TERMS], size)
    fetches = prod((*product.terms, *product.columns)) * size > _CACHED
    head = [split, int(product.rows_inner), height, left_stride, int(fetches)]
    limits = [-1] * CHECKED + [size for _, size in checks]
    found = [_row(head), _row(limits, -1), _row([index.constant for index in lanes])]
    dimensions: list[list[int]] = []
    for space, group in zip(spaces, variables, strict=True):
        first = _SPACES + len(spaces) + len(dimensions)
        found.append(_row([*_fields(space), len(group), first]))
        for variable in reversed(group):
            dimensions += [
                _row([max(1, variable.extent)]),
                _row([index.coefficient(variable) for index in lanes]),
            ]
    return [number for row in (*found, *dimensions) for number in row]


def _left_stride(place: Index, rows: Sequence[Variable], terms: Sequence[Variable], size: int) -> int:
    """Elements from a row of the left factor to the next where tiles read it in place, else 0.

    Terms are contiguous there, and rows equally far apart, but not all in the same set of a cache.
    """
    row, term = _step(place, rows), _step(place, terms)
    return row if term == 1 and row * size % _SETS else 0


def _step(place: Index, variables: Sequence[Variable]) -> int:
    """From an element of an index space to the next, where this is the same for all, else 0."""
    extent, step = 1, 0
    for variable in reversed([each for each in variables if each.extent > 1]):
        step = step or place.coefficient(variable)
        if place.coefficient(variable) != step * extent:
            return 0
        extent *= variable.extent
    return step


def _fields(space: Blocking) -> list[int]:
    return [space.run, space.length, space.group, space.pieces, space.in_run, space.blocks]


def _row(numbers: Sequence[int], rest: int = 0) -> list[int]:
    return [*numbers, *[rest] * (LANES - len(numbers))]


@dataclass(frozen=True, slots=True)
class Pieces:
    """The pieces of a block of a space, as values.

    Attributes:
        first: the number of the first one.
        count: how many there are.
        length: elements of each.
    """

    first: Value
    count: Value
    length: Value

    @property
    def size(self) -> Value:
        """The number of elements."""
        return self.count * self.length


class Descriptor:
    """The values of a descriptor, in the code that reads it.

    Args:
        b: The function.
        pointer: The descriptor.
    """

    def __init__(self, b: Builder, pointer: Value) -> None:
        self.b = b
        self.pointer = pointer
        self.spaces = [Space(self, number) for number in (BATCH, ROWS, TERMS, COLUMNS)]
        self.limits, self.base = self.vector(_LIMITS), self.vector(_BASE)

    def head(self, field: int) -> Value:
        """A field of the first row."""
        return self.number(_HEAD, field)

    def number(self, row: int, field: int) -> Value:
        """An integer."""
        return self.b.load("i64", self.pointer, self.b.constant(row * LANES + field, "i64"))

    def vector(self, row: int) -> Value:
        """A row, whose number is known."""
        return self.b.load(PLACE, self.pointer, self.b.constant(row, "i64"))


class Space:
    """An index space of a descriptor; see `Blocking`.

    Args:
        descriptor: The descriptor.
        number: Which space.
    """

    def __init__(self, descriptor: Descriptor, number: int) -> None:
        self.b = descriptor.b
        fields = [descriptor.number(_SPACES + number, field) for field in range(LANES)]
        self._run, self._length, self._group, self._pieces, self._in_run, self.blocks = fields[:6]
        self._rank, first = fields[6:]
        self._dimensions = self.b.address(PLACE, descriptor.pointer, first)

    @property
    def step(self) -> Value:
        """What an element of a piece is behind the one before it, as a place."""
        return self.b.load(PLACE, self._dimensions, self.b.constant(1, "i64"))

    def block(self, number: Value) -> Pieces:
        """The pieces of a block."""
        first = number * self._group
        left = self._pieces - first
        count = (left < self._group).select(left, self._group)
        rest = self._run - self._divided(first, self._in_run)[1] * self._length
        return Pieces(first, count, (rest < self._length).select(rest, self._length))

    def place(self, piece: Value) -> Value:
        """The place of the first element of a piece."""
        run, part = self._divided(piece, self._in_run)
        position = run * self._run + part * self._length
        name = "@place"
        if name not in self.b.declarations:
            self.b.declarations[name] = _place_function(name)
        return self.b.call(name, PLACE, [self._dimensions, self._rank, position])

    def _divided(self, number: Value, by: Value) -> tuple[Value, Value]:
        quotient = self.b.emit("i64", f"udiv {number}, {by.text}")
        return quotient, number - quotient * by


def _place_function(name: str) -> str:
    """A function that gives the place of a position in the row-major order of some dimensions."""
    b = Builder({})
    dimensions, rank = b.value("%dimensions", "ptr"), b.value("%rank", "i64")
    zero, rest, total = b.constant(0, "i64"), b.alloca("i64"), b.alloca(PLACE)
    b.store(b.value("%position", "i64"), rest, zero)
    b.store(b.value("zeroinitializer", PLACE), total, zero)
    with b.loop(zero, rank) as d:
        extent = b.load("i64", dimensions, d * (2 * LANES))
        before = b.load("i64", rest, zero)
        quotient = b.emit("i64", f"udiv {before}, {extent.text}")
        b.store(quotient, rest, zero)
        strides = b.load(PLACE, dimensions, d * 2 + 1)
        index = splat(b, before - quotient * extent)
        b.store(b.load(PLACE, total, zero) + index * strides, total, zero)
    b.do(f"ret {b.load(PLACE, total, zero)}")
    return b.function(f"internal {PLACE} {name}(ptr %dimensions, i64 %rank, i64 %position) nounwind")


def splat(b: Builder, value: Value) -> Value:
    """A place with the same integer in all lanes."""
    one = b.emit(PLACE, f"insertelement {PLACE} poison, {value}, i64 0")
    lanes = f"<{LANES} x i32> zeroinitializer"
    return b.emit(PLACE, f"shufflevector {one}, {PLACE} poison, {lanes}")


def lane(b: Builder, place: Value, number: int) -> Value:
    """An integer of a place."""
    return b.emit("i64", f"extractelement {place}, i64 {number}")
