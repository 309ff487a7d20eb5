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
    FETCHES,
    HEIGHT,
    LEFT,
    LEFT_STRIDE,
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
from stablehlo_py.engines.native.products.tiles import LINE, WIDE, Kind, prefetch

MOST_TERMS = 768  # of a block
_COLUMN = 512  # bytes of a column of a block
_PAD = 16  # elements between the rows of a block, so that they are not in one set of a cache
UNPACKED = 2  # tiles of a block: for so few, a panel of the right factor is read where it is,
_NEAR = 4096  # if its rows are no more bytes apart
MOST_HEIGHT = 16  # rows of a tile

PARAMETERS = ("descriptor", "left", "right", "result", "kernel", "packing", "epilogue", "arguments", "sync")


def most_rows(size: int) -> int:
    """Return how many rows a block may have, of elements of `size` bytes."""
    return _COLUMN // size


def macro_kernel(name: str, kind: Kind) -> str:
    """Write the module of the function that computes products.

    It takes pointers to the descriptor, both operands, the result, the micro-kernels (null: none packs), the
    epilogue (null: the product is stored) and its arguments, what threads share, which ends it early if its
    first number is not 0, and the part of the blocks that it computes. An
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
        rows, terms = most_rows(kind.size) + _PAD, MOST_TERMS + _PAD
        self.strides = (
            b.constant(rows, "i64"),
            b.constant(terms, "i64"),
        )  # of a block: from a term, from a row
        self.block = b.alloca(kind.type, rows * terms)
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
        self._left(
            Side(row_pieces, self.row_places, rows.step), Side(term_pieces, self.term_places, terms.step)
        )
        self.column_stride = lane(self.b, columns.step, RIGHT)
        whole = self.b.emit("i64", f"urem i64 {term_pieces.length.text}, {self.kind.lanes}").equals(0)
        self.term_stride = lane(self.b, terms.step, RIGHT)
        self.is_transposed = whole & self.term_stride.equals(1)
        self.is_near = self.term_stride <= _NEAR // self.kind.size
        self.is_strided = self.column_stride.equals(1) & term_pieces.count.equals(1)
        with self.b.loop(*self.panels, unless=self.b.value("%sync", "ptr")) as number:
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

    def _left(self, rows: Side, terms: Side) -> None:
        """Choose where a block of the left factor is read: in place, or where it is packed first."""
        b, kind, (stride, row_stride) = self.b, self.kind, self.strides
        rows_inner = self.descriptor.head(ROWS_INNER).equals(1)
        inner, outer = rows.otherwise(rows_inner, terms), terms.otherwise(rows_inner, rows)
        packed = rows_inner.select(stride, row_stride)
        given = self.descriptor.head(LEFT_STRIDE)
        self.in_place = (given > 0) & (self.rows >= self.descriptor.head(HEIGHT))
        self.left_stride = self.in_place.select(given, packed)
        self.row_stride = rows_inner.select(1, self.left_stride)
        place = b.load(PLACE, rows.places, self.zero) + b.load(PLACE, terms.places, self.zero)
        first = b.address(kind.type, self.left, lane(b, place, LEFT))
        self.left_block = self.in_place.select(first, self.block)

        def pack() -> None:
            pack_left(b, kind, outer, inner, self.descriptor.limits, self.left, self.block, packed)

        choose(b, self.in_place, lambda: None, pack)

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
        first_row = b.address(kind.type, after, b.load("i64", self.term_offsets, self.zero))
        in_tiles = self.is_strided & (tiles > len(kind.lines))
        share = b.emit("i64", f"udiv {self.terms + (tiles - 1)}, {tiles.text}") * self.descriptor.head(
            FETCHES
        )
        with b.loop(self.zero, tiles) as tile:
            self._prefetch(after, tile * share, in_tiles.select(0, share))
            fetches = in_tiles & (tiles - tile <= len(kind.lines))
            ahead = fetches.select(b.address("i8", first_row, self._byte(tiles - tile - 1)), self.panel)
            step = fetches.select(self.term_stride * kind.size, 0)
            self._tile(tile * height, height, f"{ahead}, {step}")

    def _byte(self, line: Value) -> Value:
        """Where a line of a row of a panel is."""
        byte, last = line * LINE, self.kind.lines[-1]
        return (byte < last).select(byte, last)

    def _prefetch(self, start: Value, first: Value, count: Value) -> None:
        """Fetch some rows of the next panel, while a tile of this one is computed."""
        b = self.b
        stop = (first + count < self.terms).select(first + count, self.terms)
        stop = self.column_stride.equals(1).select(stop, 0)
        with b.loop(first, stop) as t:
            row = b.address(self.kind.type, start, b.load("i64", self.term_offsets, t))
            for line in self.kind.lines:
                prefetch(b, b.address("i8", row, b.constant(line, "i64")))

    def _tile(self, first: Value, height: Value, ahead: str) -> None:
        """Compute a tile, while lines `ahead` are fetched, and store it, or what the epilogue makes of it.

        Where the left factor is read in place, the last tile begins with rows of the one before.
        """
        b, kind = self.b, self.kind
        rest = self.rows - first
        count = (rest < height).select(rest, height)
        known = self.in_place.select(height - count, 0)
        left = b.address(kind.type, self.left_block, (first - known) * self.row_stride)
        given = f"{self.tile}, {self.terms}"
        choose(
            b,
            self.packs & first.equals(0),
            lambda: b.do(
                f"call void %packing({left}, {self.first_term}, {given}, {self.term_stride},"
                f" {self.left_stride}, {self.panel})"
            ),
            lambda: b.do(
                f"call void %kernel({left}, {self.right_panel}, {given}, {self.right_stride},"
                f" {self.left_stride}, {ahead})"
            ),
        )
        offsets = b.address("i64", self.row_offsets, first)

        def rows(copy: Callable[[Value, Value], None]) -> None:
            with b.loop(self.zero, count) as row:
                offset = b.load("i64", offsets, row) + self.column
                copy(b.address(kind.type, self.result, offset), (row + known) * kind.columns)

        choose(b, self.is_first, lambda: None, lambda: rows(self._add_row))
        epilogue, first_sum = (
            b.value("%epilogue", "ptr"),
            b.address(kind.type, self.tile, known * kind.columns),
        )
        stores = b.emit("i1", "icmp eq ptr %epilogue, null") | (self.is_last ^ True)
        choose(
            b,
            stores,
            lambda: rows(self._store_row),
            lambda: b.do(
                f"call void {epilogue.text}(ptr %arguments, {first_sum}, {offsets}, {count}, {self.column},"
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
