"""Register tiles: the innermost loop of matrix products keeps a tile of the result in vector registers.

A tile has a few rows of two vectors each. For each term, two vectors of the right factor are multiplied by
the elements of a column of the left one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from stablehlo_py.engines.native.llvm_ir import SUFFIXES, WIDTHS, Builder, Value

_VECTORS = 2  # of a row of a tile


class Registers(NamedTuple):
    """The vector registers of a machine: their number, and their size in bytes."""

    number: int
    size: int


class Tile(NamedTuple):
    """The shape of a tile, and how the left factor lies in memory.

    Attributes:
        type: LLVM's type of elements.
        lanes: elements of a vector.
        rows: rows of the tile.
        row_stride: elements from a row of the left factor to the next.
        term_stride: elements from a term of the left factor to the next.
    """

    type: str
    lanes: int
    rows: int
    row_stride: int
    term_stride: int

    @property
    def columns(self) -> int:
        """The columns of the tile."""
        return self.lanes * _VECTORS


def registers(features: str) -> Registers:
    """Return the vector registers of a machine with these features, as LLVM names them."""
    known = set(features.split(","))
    if "+avx512f" in known:
        return Registers(32, 64)
    if "+avx2" in known and "+fma" in known:
        return Registers(16, 32)
    return Registers(32 if "+neon" in known else 16, 16)


def columns_of(machine: Registers, size: int) -> int:
    """Return the columns of a tile of elements of `size` bytes."""
    return machine.size // size * _VECTORS


def rows_of(machine: Registers, rows: int) -> int:
    """Return how many rows a tile has, so that tiles cover `rows` with little waste."""
    most = (machine.number - _VECTORS - 1) // _VECTORS
    choices = range(min(most, rows), max(1, most // 2) - 1, -1) or [rows]
    return min(choices, key=lambda count: -(-rows // count) * (count + 1))


def tile_function(b: Builder, tile: Tile) -> str:
    """Define the function that computes a tile, once in a module, and return its name.

    It takes pointers to the left factor, the right factor (rows of `columns` elements) and the tile, and the
    number of terms, which is at least 1.
    """
    name = f"@tile_{tile.type}_{tile.rows}x{tile.columns}_{tile.row_stride}_{tile.term_stride}"
    if name not in b.declarations:
        b.declarations[name] = "\n".join(_text(name, tile, b))
    return name


def transpose_function(b: Builder, tile: Tile) -> str:
    """Define the function that transposes a square of vectors, once in a module, and return its name.

    It takes a pointer to vectors that are a number of elements apart, that number, and where the columns of
    the square go in rows of a packed panel.
    """
    name = f"@transpose_{tile.type}_{tile.lanes}"
    if name in b.declarations:
        return name
    inner = Builder(b.declarations)
    vector, align = f"<{tile.lanes} x {tile.type}>", f"align {WIDTHS[tile.type] // 8}"
    source, target = inner.value("%source", "ptr"), inner.value("%target", "ptr")
    stride, square = inner.value("%stride", "i64"), []
    for k in range(tile.lanes):
        square.append(
            inner.emit(vector, f"load {vector}, {inner.address(tile.type, source, stride * k)}, {align}")
        )
    for k, row in enumerate(_transposed(inner, square)):
        place = inner.address(tile.type, target, inner.constant(k * tile.columns, "i64"))
        inner.do(f"store {row}, {place}, {align}")
    parameters = "ptr noalias %source, i64 %stride, ptr noalias %target"
    attributes = 'nounwind noinline "min-legal-vector-width"="512"'
    lines = [
        f"define internal void {name}({parameters}) {attributes} {{",
        "entry:",
        *inner.lines,
        "  ret void",
        "}",
    ]
    b.declarations[name] = "\n".join(lines)
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


def _text(name: str, tile: Tile, b: Builder) -> list[str]:
    vector = f"<{tile.lanes} x {tile.type}>"
    fma = f"@llvm.fma.v{tile.lanes}{SUFFIXES[tile.type]}"
    b.declarations.setdefault(fma, f"declare {vector} {fma}({vector}, {vector}, {vector})")
    sums = [(r, v) for r in range(tile.rows) for v in range(_VECTORS)]
    align = f"align {WIDTHS[tile.type] // 8}"
    lines = [
        f"define internal void {name}(ptr noalias %a, ptr noalias %b, ptr noalias %t, i64 %terms) nounwind"
        ' noinline "min-legal-vector-width"="512" {',
        "entry:",
        "  br label %body",
        "body:",
        "  %k = phi i64 [ 0, %entry ], [ %next, %body ]",
        *(f"  %c{r}_{v} = phi {vector} [ zeroinitializer, %entry ], [ %d{r}_{v}, %body ]" for r, v in sums),
        f"  %left = mul i64 %k, {tile.term_stride}",
        f"  %pa = getelementptr {tile.type}, ptr %a, i64 %left",
        f"  %right = mul i64 %k, {tile.columns}",
        f"  %pb = getelementptr {tile.type}, ptr %b, i64 %right",
    ]
    for v in range(_VECTORS):
        lines += [
            f"  %pb{v} = getelementptr {tile.type}, ptr %pb, i64 {v * tile.lanes}",
            f"  %b{v} = load {vector}, ptr %pb{v}, {align}",
        ]
    for r in range(tile.rows):
        lines += [
            f"  %pa{r} = getelementptr {tile.type}, ptr %pa, i64 {r * tile.row_stride}",
            f"  %a{r} = load {tile.type}, ptr %pa{r}",
            f"  %i{r} = insertelement {vector} poison, {tile.type} %a{r}, i64 0",
            f"  %s{r} = shufflevector {vector} %i{r}, {vector} poison, <{tile.lanes} x i32> zeroinitializer",
        ]
        lines += [
            f"  %d{r}_{v} = call {vector} {fma}({vector} %s{r}, {vector} %b{v}, {vector} %c{r}_{v})"
            for v in range(_VECTORS)
        ]
    lines += [
        "  %next = add nuw nsw i64 %k, 1",
        "  %more = icmp slt i64 %next, %terms",
        "  br i1 %more, label %body, label %done",
        "done:",
    ]
    for r, v in sums:
        lines += [
            f"  %pt{r}_{v} = getelementptr {tile.type}, ptr %t, i64 {r * tile.columns + v * tile.lanes}",
            f"  store {vector} %d{r}_{v}, ptr %pt{r}_{v}, {align}",
        ]
    return [*lines, "  ret void", "}"]
