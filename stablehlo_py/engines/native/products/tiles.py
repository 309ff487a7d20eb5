"""Register tiles: the innermost loop of matrix products keeps a tile of the result in vector registers.

A tile has a few rows of two vectors each. For each term, two vectors of the right factor are multiplied by
the elements of a column of the left one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from stablehlo_py.engines.native.arithmetic.llvm_ir import FLOATS, SUFFIXES, WIDTHS, Builder, Value

TYPES = ("float", "double", "i32", "i64")  # of elements of products
PAIR = "pair"  # the kind of i32 that are two terms of i16 each (`pairs.py`)
_PAIRS = {64: "avx512.pmaddw.d.512", 32: "avx2.pmadd.wd"}  # by the bytes of a vector
_VECTORS = 2  # of a row of a tile
_AHEAD = 16  # rows of a panel: so early one is fetched that a tile packs
LINE = 64  # bytes of a cache line
WIDE = 'nounwind "min-legal-vector-width"="512"'  # attributes of functions with vectors


class Registers(NamedTuple):
    """The vector registers of a machine.

    Attributes:
        number: how many there are.
        size: bytes of each.
        pairs: the instruction that multiplies pairs of terms, if there is one, as LLVM names it.
    """

    number: int
    size: int
    pairs: str = ""


class Kind(NamedTuple):
    """The elements of products, and the vectors that they are computed in.

    Attributes:
        type: LLVM's type of elements.
        lanes: elements of a vector.
        pairs: the instruction that adds up products of pairs of terms, for elements that are such pairs.
    """

    type: str
    lanes: int
    pairs: str = ""

    @property
    def name(self) -> str:
        """The name that micro-kernels have it by."""
        return PAIR if self.pairs else self.type

    @property
    def columns(self) -> int:
        """The columns of a tile."""
        return self.lanes * _VECTORS

    @property
    def size(self) -> int:
        """Bytes of an element."""
        return WIDTHS[self.type] // 8

    @property
    def lines(self) -> list[int]:
        """Bytes of a row of a tile, one in each cache line that it may be in."""
        size = self.columns * self.size
        return [*range(0, size, LINE), size - 1]

    @property
    def is_integer(self) -> bool:
        """Test whether elements are integers."""
        return self.type not in FLOATS

    @property
    def vector(self) -> str:
        """LLVM's type of vectors."""
        return f"<{self.lanes} x {self.type}>"

    def add(self, b: Builder, x: Value, y: Value) -> Value:
        """The sum of two vectors; integers wrap."""
        return b.emit(self.vector, f"{'add' if self.is_integer else 'fadd'} {x}, {y.text}")

    def add_product(self, b: Builder, x: Value, y: Value, z: Value) -> Value:
        """The product of two vectors and a sum, with one rounding; integers wrap."""
        if self.pairs:
            return self.add(b, self._add_pairs(b, x, y), z)
        if self.is_integer:
            return self.add(b, b.emit(self.vector, f"mul {x}, {y.text}"), z)
        name = f"@llvm.fma.v{self.lanes}{SUFFIXES[self.type]}"
        vector = self.vector
        b.declarations.setdefault(name, f"declare {vector} {name}({vector}, {vector}, {vector})")
        return b.call(name, vector, [x, y, z])

    def _add_pairs(self, b: Builder, x: Value, y: Value) -> Value:
        """The sum of two products in each lane."""
        halves = f"<{2 * self.lanes} x i16>"
        terms = [b.emit(halves, f"bitcast {each} to {halves}") for each in (x, y)]
        name = f"@llvm.x86.{self.pairs}"
        b.declarations.setdefault(name, f"declare {self.vector} {name}({halves}, {halves})")
        return b.call(name, self.vector, terms)

    def total(self, b: Builder, x: Value) -> Value:
        """The sum of a vector's elements, in any order; integers wrap."""
        op = "add" if self.is_integer else "fadd"
        name = f"@llvm.vector.reduce.{op}.v{self.lanes}{SUFFIXES.get(self.type, self.type)}"
        start = "" if self.is_integer else f"{self.type}, "
        b.declarations.setdefault(name, f"declare {self.type} {name}({start}{self.vector})")
        if self.is_integer:
            return b.call(name, self.type, [x])
        arguments = f"{b.constant(-0.0, self.type)}, {x}"
        return b.emit(self.type, f"call reassoc {self.type} {name}({arguments})")

    def load(self, b: Builder, pointer: Value, index: Value) -> Value:
        """A vector that begins with the element at an index."""
        place = b.address(self.type, pointer, index)
        return b.emit(self.vector, f"load {self.vector}, {place}, align {self.size}")

    def store(self, b: Builder, value: Value, pointer: Value, index: Value) -> None:
        """Store a vector from an index on."""
        b.do(f"store {value}, {b.address(self.type, pointer, index)}, align {self.size}")


class Tile(NamedTuple):
    """The shape of a tile, and how the left factor lies in memory.

    Attributes:
        kind: the elements.
        rows: rows of the tile.
        rows_inner: whether rows of the left factor are contiguous; else terms are.
    """

    kind: Kind
    rows: int
    rows_inner: bool


def registers(features: str) -> Registers:
    """Return the vector registers of a machine with these features, as LLVM names them."""
    known = set(features.split(","))
    if "+avx512f" in known:
        return Registers(32, 64, _PAIRS[64] if "+avx512bw" in known else "")
    if "+avx2" in known and "+fma" in known:
        return Registers(16, 32, _PAIRS[32])
    return Registers(32 if "+neon" in known else 16, 16)


def kind_of(machine: Registers, type: str) -> Kind:
    """Return the elements of a type, or pairs of terms, in vectors of a machine."""
    if type == PAIR:
        return Kind("i32", machine.size // 4, machine.pairs)
    return Kind(type, machine.size * 8 // WIDTHS[type])


def rows_of(machine: Registers, rows: int) -> int:
    """Return how many rows a tile has, so that tiles cover `rows` with little waste."""
    most = (machine.number - _VECTORS - 1) // _VECTORS
    choices = range(min(most, rows), max(1, most // 2) - 1, -1) or [rows]
    return min(choices, key=lambda count: -(-rows // count) * (count + 1))


def transpose_function(b: Builder, kind: Kind) -> str:
    """Define the function that transposes a square of vectors, once in a module, and return its name.

    It takes a pointer to vectors that are a number of elements apart, that number, and where the columns of
    the square go in rows of a packed panel.
    """
    name = f"@transpose_{kind.type}_{kind.lanes}"
    if name in b.declarations:
        return name
    inner = Builder(b.declarations)
    source, target = inner.value("%source", "ptr"), inner.value("%target", "ptr")
    stride = inner.value("%stride", "i64")
    square = [kind.load(inner, source, stride * k) for k in range(kind.lanes)]
    for k, row in enumerate(_transposed(inner, square)):
        kind.store(inner, row, target, inner.constant(k * kind.columns, "i64"))
    inner.do("ret void")
    parameters = "ptr noalias %source, i64 %stride, ptr noalias %target"
    b.declarations[name] = inner.function(f"internal void {name}({parameters}) {WIDE} noinline")
    return name


def _transposed(b: Builder, square: Sequence[Value]) -> list[Value]:
    """Transpose a square of vectors, whose number is a power of two, by swapping ever smaller blocks."""
    rows, lanes = list(square), len(square)
    size = lanes // 2
    while size:
        for first in [k for k in range(lanes) if not k & size]:
            upper, lower = rows[first], rows[first + size]
            rows[first] = _shuffled(b, upper, lower, [_swapped(k, size, lanes, 0) for k in range(lanes)])
            rows[first + size] = _shuffled(
                b, upper, lower, [_swapped(k, size, lanes, size) for k in range(lanes)]
            )
        size //= 2
    return rows


def _swapped(lane: int, size: int, lanes: int, offset: int) -> int:
    """The lane of two vectors that a lane comes from when blocks of `size` lanes are exchanged."""
    inside = (lane & ~size) + offset
    return inside + lanes if lane & size else inside


def _shuffled(b: Builder, x: Value, y: Value, lanes: Sequence[int]) -> Value:
    mask = f"<{len(lanes)} x i32> <{', '.join(f'i32 {lane}' for lane in lanes)}>"
    return b.emit(x.type, f"shufflevector {x}, {y}, {mask}")


def micro_kernel(name: str, tile: Tile, packs: bool) -> str:
    """Write the module of the function that computes a tile.

    It takes pointers to the left factor, the right factor and the tile, the number of terms, and how many
    elements apart the rows of the right factor are, and those of the left one (or terms, where rows are
    contiguous). If it packs, it also takes a pointer to a panel, to which it copies the right factor: loads
    that wait for memory are hidden behind the products. Otherwise it takes an address and a number of bytes:
    with each term, it fetches the cache line that is so many bytes further on.
    """
    b = Builder({})
    kind, zero = tile.kind, b.constant(0, "i64")
    left, right, sums = (b.value(f"%{name}", "ptr") for name in ("left", "right", "sums"))
    registers = [[b.alloca(kind.vector) for _ in range(_VECTORS)] for _ in range(tile.rows)]
    for register in [register for row in registers for register in row]:
        b.store(b.value("zeroinitializer", kind.vector), register, zero)
    stride, left_stride = b.value("%stride", "i64"), b.value("%left_stride", "i64")
    with b.loop(zero, b.value("%terms", "i64")) as k:
        first = k * stride
        if packs:
            there = b.address(kind.type, right, (k + _AHEAD) * stride)
            for byte in kind.lines:
                prefetch(b, b.address("i8", there, b.constant(byte, "i64")))
        else:
            prefetch(b, b.address("i8", b.value("%ahead", "ptr"), k * b.value("%step", "i64")))
        factors = [kind.load(b, right, first + v * kind.lanes) for v in range(_VECTORS)]
        for v, factor in enumerate(factors if packs else ()):
            kind.store(b, factor, b.value("%panel", "ptr"), k * kind.columns + v * kind.lanes)
        for r, row in enumerate(registers):
            at = k * left_stride + r if tile.rows_inner else k + left_stride * r
            scale = splat(b, kind, b.load(kind.type, left, at))
            for factor, register in zip(factors, row, strict=True):
                total = kind.add_product(b, scale, factor, b.load(kind.vector, register, zero))
                b.store(total, register, zero)
    for r, row in enumerate(registers):
        for v, register in enumerate(row):
            place = b.constant(r * kind.columns + v * kind.lanes, "i64")
            kind.store(b, b.load(kind.vector, register, zero), sums, place)
    b.do("ret void")
    parameters = "ptr noalias %left, ptr noalias %right, ptr noalias %sums"
    parameters += ", i64 %terms, i64 %stride, i64 %left_stride"
    parameters += ", ptr noalias %panel" if packs else ", ptr %ahead, i64 %step"
    return "\n".join([*b.declarations.values(), b.function(f"void {name}({parameters}) {WIDE}")])


def prefetch(b: Builder, place: Value) -> None:
    """Fetch a cache line into the second cache."""
    name = "@llvm.prefetch.p0"
    b.declarations.setdefault(name, f"declare void {name}(ptr, i32, i32, i32)")
    b.do(f"call void {name}({place}, i32 0, i32 2, i32 1)")


def splat(b: Builder, kind: Kind, value: Value) -> Value:
    """A vector whose elements are all a value."""
    one = b.emit(kind.vector, f"insertelement {kind.vector} poison, {value}, i64 0")
    lanes = f"<{kind.lanes} x i32> zeroinitializer"
    return b.emit(kind.vector, f"shufflevector {one}, {kind.vector} poison, {lanes}")
