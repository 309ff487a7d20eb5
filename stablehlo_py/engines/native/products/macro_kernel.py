"""The macro-kernel: matrix products in cache blocks, one function for products of all shapes.

A block of the left factor is packed once for all columns that a thread computes; a panel of the right factor,
as wide as a tile, once for each block. Tiles are computed by a micro-kernel (`tiles.py`). Where all terms are
added up, an epilogue stores what follows the product.
"""

from __future__ import annotations

from collections.abc import Callable

from stablehlo_py.engines.native.arithmetic.llvm_ir import Builder, Value
from stablehlo_py.engines.native.products.descriptors import (
    BATCH,
    COLUMNS,
    HEIGHT,
    PLACE,
    RESULT,
    RIGHT,
    ROWS,
    ROWS_INNER,
    SPLIT,
    Descriptor,
    Pieces,
    Space,
    lane,
)
from stablehlo_py.engines.native.products.packing import PanelSource, Side, choose, pack_left, pack_right
from stablehlo_py.engines.native.products.tiles import WIDE, Kind

MOST_TERMS = 768  # of a block
_COLUMN = 512  # bytes of a column of a block
_PAD = 16  # elements between the rows of a block, so that they are not in one set of a cache
_LINE = 64  # bytes of a cache line
UNPACKED = 2  # tiles of a block: for so few, a panel of the right factor is read where it is,
_NEAR = 4096  # if its rows are no more bytes apart
MOST_HEIGHT = 16  # rows of a tile

PARAMETERS = ("descriptor", "left", "right", "result", "kernel", "packing", "epilogue", "arguments")


def most_rows(size: int) -> int:
    """Return how many rows a block may have, of elements of `size` bytes."""
    return _COLUMN // size


def left_strides(size: int, rows_inner: bool) -> tuple[int, int]:
    """Return the strides of rows and terms in a packed block of the left factor."""
    return (1, most_rows(size) + _PAD) if rows_inner else (MOST_TERMS + _PAD, 1)


def macro_kernel(name: str, kind: Kind) -> str:
    """Write the module of the function that computes products.

    It takes pointers to the descriptor, both operands, the result, the micro-kernels (null: none packs), the
    epilogue (null: the product is stored) and its arguments, and the part of the blocks that it computes. An
    epilogue takes its arguments, a tile, the offsets of its rows in the result, their number, what its first
    column adds to them, and the number of columns.
    """
    b = Builder({})
    _MacroKernel(b, kind).emit()
    b.do("ret void")
    pointers = [f"ptr {'noalias ' if name == 'descriptor' else ''}%{name}" for name in PARAMETERS]
    parameters = ", ".join([*pointers, "i64 %lo", "i64 %hi"])
    return "\n".join([b.function(f"void {name}({parameters}) {WIDE}"), *b.declarations.values()])


class _MacroKernel:
    """Writes the function.

    Args:
        b: The function.
        kind: The elements.
    """

    def __init__(self, b: Builder, kind: Kind) -> None:
        self.b = b
        self.kind = kind
        self.zero = b.constant(0, "i64")
        self.left, self.right, self.result = (b.value(f"%{name}", "ptr") for name in PARAMETERS[1:4])
        self.descriptor = Descriptor(b, b.value("%descriptor", "ptr"))
        rows = most_rows(kind.size) + _PAD
        self.block = b.alloca(kind.type, (MOST_TERMS + _PAD) * rows)
        self.panel = b.alloca(kind.type, MOST_TERMS * kind.columns)
        self.tile = b.alloca(kind.type, MOST_HEIGHT * kind.columns)
        self.row_places, self.term_places = b.alloca(PLACE, rows), b.alloca(PLACE, MOST_TERMS)
        self.row_offsets, self.term_offsets = b.alloca("i64", rows), b.alloca("i64", MOST_TERMS)

    def emit(self) -> None:
        """Write the loops over blocks, one of them over a part of its range."""
        batch, rows, terms, columns = self.descriptor.spaces
        split = self.descriptor.head(SPLIT)
        low, high = self.b.value("%lo", "i64"), self.b.value("%hi", "i64")

        def part(number: int, space: Space) -> tuple[Value, Value]:
            mine = split.equals(number)
            return mine.select(low, 0), mine.select(high, space.blocks)

        self.panels = part(COLUMNS, columns)
        with (
            self.b.loop(*part(BATCH, batch)) as n,
            self.b.loop(*part(ROWS, rows)) as row_block,
            self.b.loop(self.zero, terms.blocks) as term_block,
        ):
            self.base = self.descriptor.base + batch.place(n)
            self._block(row_block, term_block)

    def _block(self, row_block: Value, term_block: Value) -> None:
        """Pack a block of the left factor, and multiply it by all panels."""
        _, rows, terms, columns = self.descriptor.spaces
        row_pieces, term_pieces = rows.block(row_block), terms.block(term_block)
        zero = self.b.value("zeroinitializer", PLACE)
        self._fill(rows, row_pieces, self.base, self.row_places, RESULT, self.row_offsets)
        self._fill(terms, term_pieces, zero, self.term_places, RIGHT, self.term_offsets)
        self.is_first, self.is_last = term_block.equals(0), term_block.equals(terms.blocks - 1)
        self.rows, self.terms = row_pieces.size, term_pieces.size
        self._pack_left(
            Side(row_pieces, self.row_places, rows.step), Side(term_pieces, self.term_places, terms.step)
        )
        self.column_stride = lane(self.b, columns.step, RIGHT)
        whole = self.b.emit("i64", f"urem i64 {term_pieces.length.text}, {self.kind.lanes}").equals(0)
        self.term_stride = lane(self.b, terms.step, RIGHT)
        self.is_transposed = whole & self.term_stride.equals(1)
        self.is_near = self.term_stride <= _NEAR // self.kind.size
        self.is_strided = self.column_stride.equals(1) & term_pieces.count.equals(1)
        with self.b.loop(*self.panels) as number:
            self._panel(columns, number)

    def _fill(
        self, space: Space, pieces: Pieces, base: Value, places: Value, kept: int, offsets: Value
    ) -> None:
        """Store the places of pieces, and of each element one of the offsets."""
        b = self.b
        step = lane(b, space.step, kept)
        with b.loop(self.zero, pieces.count) as p:
            place = base + space.place(pieces.first + p)
            b.store(place, places, p)
            offset = lane(b, place, kept)
            with b.loop(self.zero, pieces.length) as k:
                b.store(offset + k * step, offsets, p * pieces.length + k)

    def _pack_left(self, rows: Side, terms: Side) -> None:
        rows_inner = self.descriptor.head(ROWS_INNER).equals(1)
        inner, outer = rows.otherwise(rows_inner, terms), terms.otherwise(rows_inner, rows)
        (row, block_term), (block_row, _) = (left_strides(self.kind.size, inside) for inside in (True, False))
        self.row_stride = rows_inner.select(self.b.constant(row, "i64"), block_row)
        stride = rows_inner.select(self.b.constant(block_term, "i64"), block_row)
        pack_left(self.b, self.kind, outer, inner, self.descriptor.limits, self.left, self.block, stride)

    # Panels and tiles

    def _panel(self, columns: Space, number: Value) -> None:
        """Pack a panel of the right factor, and multiply the block by it."""
        b, kind = self.b, self.kind
        place = columns.place(number)
        base = lane(b, self.base, RIGHT)
        start = b.address(kind.type, self.right, base + lane(b, place, RIGHT))
        self.columns, self.column = columns.block(number).length, lane(b, place, RESULT)
        height = self.descriptor.head(HEIGHT)
        tiles = b.emit("i64", f"udiv {self.rows + (height - 1)}, {height.text}")
        source = PanelSource(start, self.term_offsets, self.column_stride, self.is_transposed)
        strided = self.is_strided & self.columns.equals(kind.columns)
        direct = strided & self.is_near & (tiles <= UNPACKED)
        self.packs = strided & (direct ^ True) & b.emit("i1", "icmp ne ptr %packing, null")
        choose(
            b,
            direct | self.packs,
            lambda: None,
            lambda: pack_right(b, kind, source, self.terms, self.columns, self.panel),
        )
        self.first_term = b.address(kind.type, start, b.load("i64", self.term_offsets, self.zero))
        self.right_panel = direct.select(self.first_term, self.panel)
        self.right_stride = direct.select(self.term_stride, kind.columns)
        following = (number + 1 < columns.blocks).select(number + 1, number)
        after = b.address(kind.type, self.right, base + lane(b, columns.place(following), RIGHT))
        share = b.emit("i64", f"udiv {self.terms + (tiles - 1)}, {tiles.text}")
        with b.loop(self.zero, tiles) as tile:
            self._prefetch(after, tile * share, share)
            first = tile * height
            rest = self.rows - first
            self._tile(first, (rest < height).select(rest, height))

    def _prefetch(self, start: Value, first: Value, count: Value) -> None:
        """Fetch some rows of the next panel, while a tile of this one is computed."""
        b, name, size = self.b, "@llvm.prefetch.p0", self.kind.columns * self.kind.size
        b.declarations.setdefault(name, f"declare void {name}(ptr, i32, i32, i32)")
        stop = (first + count < self.terms).select(first + count, self.terms)
        stop = self.column_stride.equals(1).select(stop, 0)
        with b.loop(first, stop) as t:
            row = b.address(self.kind.type, start, b.load("i64", self.term_offsets, t))
            for line in (*range(0, size, _LINE), size - 1):
                there = b.address("i8", row, b.constant(line, "i64"))
                b.do(f"call void {name}({there}, i32 0, i32 2, i32 1)")

    def _tile(self, first: Value, count: Value) -> None:
        """Compute a tile, and store it, or what the epilogue makes of it."""
        b = self.b
        left = b.address(self.kind.type, self.block, first * self.row_stride)
        sums = f"{self.tile}, {self.terms}"
        choose(
            b,
            self.packs & first.equals(0),
            lambda: b.do(
                f"call void %packing({left}, {self.first_term}, {sums}, {self.term_stride}, {self.panel})"
            ),
            lambda: b.do(f"call void %kernel({left}, {self.right_panel}, {sums}, {self.right_stride})"),
        )
        offsets = b.address("i64", self.row_offsets, first)

        def rows(copy: Callable[[Value, Value], None]) -> None:
            with b.loop(self.zero, count) as row:
                offset = b.load("i64", offsets, row) + self.column
                copy(b.address(self.kind.type, self.result, offset), row * self.kind.columns)

        choose(b, self.is_first, lambda: None, lambda: rows(self._add_row))
        epilogue = b.value("%epilogue", "ptr")
        stores = b.emit("i1", "icmp eq ptr %epilogue, null") | (self.is_last ^ True)
        choose(
            b,
            stores,
            lambda: rows(self._store_row),
            lambda: b.do(
                f"call void {epilogue.text}(ptr %arguments, {self.tile}, {offsets}, {count}, {self.column},"
                f" {self.columns})"
            ),
        )

    def _add_row(self, result: Value, row: Value) -> None:
        """Add what the result is so far to a row of the tile."""
        b, kind = self.b, self.kind

        def vectors() -> None:
            for part in range(0, kind.columns, kind.lanes):
                before, place = kind.load(b, self.tile, row + part), b.constant(part, "i64")
                total = kind.add(b, before, kind.load(b, result, place))
                kind.store(b, total, self.tile, row + part)

        def elements(k: Value) -> None:
            total = b.load(kind.type, self.tile, row + k) + b.load(kind.type, result, k)
            b.store(total, self.tile, row + k)

        self._whole_or_part(vectors, elements)

    def _store_row(self, result: Value, row: Value) -> None:
        b, kind = self.b, self.kind

        def vectors() -> None:
            for part in range(0, kind.columns, kind.lanes):
                kind.store(b, kind.load(b, self.tile, row + part), result, b.constant(part, "i64"))

        self._whole_or_part(vectors, lambda k: b.store(b.load(kind.type, self.tile, row + k), result, k))

    def _whole_or_part(self, vectors: Callable[[], None], element: Callable[[Value], None]) -> None:
        def elements() -> None:
            with self.b.loop(self.zero, self.columns) as k:
                element(k)

        choose(self.b, self.columns.equals(self.kind.columns), vectors, elements)
