"""Matrix products in blocks: factors are packed into blocks that stay in cache, and multiplied tile by tile.

A block of the left factor is packed once for all columns that a thread computes; a panel of the right factor,
as wide as a tile, once for each block. Where all terms are added up, what follows the product is computed on
the elements of the tile (an epilogue), and stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import prod
from typing import NamedTuple

from stablehlo_py.engines.native.blocking import Blocking, blocking
from stablehlo_py.engines.native.contractions import Contraction
from stablehlo_py.engines.native.index_space import (
    ZERO,
    Index,
    Indices,
    Variable,
    computed,
    linear,
    of_variable,
)
from stablehlo_py.engines.native.llvm_ir import Value
from stablehlo_py.engines.native.loops import Range, unravel
from stablehlo_py.engines.native.scope import Scope
from stablehlo_py.engines.native.tiles import (
    Registers,
    Tile,
    columns_of,
    rows_of,
    tile_function,
    transpose_function,
)

_TERMS = 384  # of a block
_ROWS = 512  # bytes of a column of a block
_PANELS = 12  # of a piece
_SEVERAL = 16  # blocks, from which they are shared out among threads
_LINE = 64  # bytes of a cache line
_PAD = 16  # elements between the rows of a block, so that they are not in one set of a cache

Final = Callable[[Indices, Value], None]


class Packed(NamedTuple):
    """The block of one loop of each kind: batch, rows, terms, and the panel of columns."""

    batch: Indices
    rows: Index
    terms: Index


class ProductEmitter:
    """Writes the loops of a contraction.

    Args:
        scope: the slots.
        product: the contraction.
        machine: the vector registers.
        final: stores an element of the result, at its indices, when all terms are added up.
    """

    def __init__(self, scope: Scope, product: Contraction, machine: Registers, final: Final) -> None:
        self.scope = scope
        self.b = scope.b
        self.product = product
        self.final = final
        (self.slot,) = product.step.outs
        self.element = scope.element(self.slot)
        size = self.element.size
        self.rows = blocking(product.rows, _ROWS // size)
        self.terms = blocking(product.terms if prod(product.terms) else (1,), _TERMS)
        self.panels = Blocking(product.columns, columns_of(machine, size), 1)
        tile_rows = rows_of(machine, self.rows.size)
        height = -(-self.rows.size // tile_rows) * tile_rows
        strides = (1, _ROWS // size + _PAD) if product.rows_inner else (_TERMS + _PAD, 1)
        self.tile = Tile(self.element.compute, machine.size // size, tile_rows, *strides)
        self.space = strides[1] * self.terms.size if product.rows_inner else strides[0] * height

    @property
    def panel_space(self) -> int:
        """The number of elements of a packed panel."""
        return self.terms.size * self.tile.columns

    @property
    def split(self) -> str:
        """The loop that is shared out among threads."""
        if prod(self.product.batch) >= _SEVERAL:
            return "batch"
        return "rows" if self.rows.blocks >= min(_SEVERAL, self.panels.blocks) else "columns"

    @property
    def extent(self) -> int:
        """The number of iterations of the loop that is shared out."""
        return self._extents[self.split]

    @property
    def pieces(self) -> int:
        """The most pieces of that loop; each of columns packs the left factor once more."""
        return self.extent // _PANELS if self.split == "columns" else self.extent

    @property
    def _extents(self) -> dict[str, int]:
        return {
            "batch": prod(self.product.batch),
            "rows": self.rows.blocks,
            "columns": self.panels.blocks,
        }

    def emit(self, part: Range, left: Value, right: Value, sums: Value) -> None:
        """Writes the loops, one of them over a part of its range.

        Args:
            part: The part.
            left: Memory for a block of the left factor.
            right: Memory for a panel of the right factor.
            sums: Memory for a tile of the result.
        """
        b = self.b
        self.left, self.right, self.sums = left, right, sums
        self.multiply = tile_function(b, self.tile)
        ranges = {
            name: Range(b.constant(0, "i64"), b.constant(n, "i64")) for name, n in self._extents.items()
        }
        ranges[self.split] = part
        all_terms = Range(b.constant(0, "i64"), b.constant(self.terms.blocks, "i64"))
        with self._loop(ranges["batch"], self._extents["batch"]) as n:
            batch = unravel(n, self.product.batch, b)
            with (
                self._loop(ranges["rows"], self.rows.blocks) as rows,
                self._loop(all_terms, self.terms.blocks) as terms,
            ):
                block = Packed(batch, rows, terms)
                if not prod(self.product.terms):
                    self._sums_of_nothing(block, ranges["columns"])
                    return
                self._pack_left(block)
                with self._loop(ranges["columns"], self.panels.blocks) as panel:
                    self._pack_right(block, panel)
                    self._tiles(block, panel)

    def _sums_of_nothing(self, block: Packed, panels: Range) -> None:
        """Store zeros, where nothing is added up."""
        b, zero = self.b, self.b.constant(0, self.element.compute)
        with (
            self._pieces(self.rows, block.rows) as (_, piece),
            self._elements(self.rows, piece) as offset,
            self._loop(panels, self.panels.blocks) as panel,
            self._elements(self.panels, panel) as column,
        ):
            rows, columns = self.rows.indices(piece, offset, b), self.panels.indices(panel, column, b)
            self.final(self._result(block, rows, columns), zero)

    @contextmanager
    def _loop(self, over: Range, extent: int) -> Iterator[Index]:
        if extent == 1 and over.start.text == "0":
            yield ZERO
            return
        with self.b.loop(over.start, over.stop) as i:
            self.scope.enter()
            yield of_variable(Variable(i.text, extent))
            self.scope.leave()

    @contextmanager
    def _up_to(self, stop: Value, extent: int) -> Iterator[Index]:
        with self._loop(Range(self.b.constant(0, "i64"), stop), extent) as index:
            yield index

    # Packing

    @contextmanager
    def _pieces(self, space: Blocking, block: Index) -> Iterator[tuple[Index, Index]]:
        """A loop over the pieces of a block: the number of one in the block, and in the space."""
        with self._up_to(space.pieces_of(block, self.b), space.group) as number:
            yield number, block * space.group + number

    @contextmanager
    def _elements(self, space: Blocking, piece: Index) -> Iterator[Index]:
        """A loop over the elements of a piece."""
        with self._up_to(space.length_of(piece, self.b), space.length) as offset:
            yield offset

    def _pack_left(self, block: Packed) -> None:
        """Copy a block of the left factor; the loop along memory is inside."""
        if self.product.rows_inner:
            outer, inner = (self.terms, block.terms), (self.rows, block.rows)
        else:
            outer, inner = (self.rows, block.rows), (self.terms, block.terms)
        with self._pieces(*outer) as (number, piece), self._elements(outer[0], piece) as offset:
            fixed = number * outer[0].length + offset, outer[0].indices(piece, offset, self.b)
            with self._pieces(*inner) as (inner_number, inner_piece):
                self._copy_piece(block, fixed, inner[0], inner_number, inner_piece)

    def _copy_piece(
        self, block: Packed, fixed: tuple[Index, Indices], space: Blocking, number: Index, piece: Index
    ) -> None:
        """Copy what is at a row or term in a piece of terms or rows; 0 where it is outside of the operand."""
        product, scope, b = self.product, self.scope, self.b

        def rows_and_terms(offset: Index) -> tuple[Indices, Indices]:
            inner = space.indices(piece, offset, b)
            return (inner, fixed[1]) if product.rows_inner else (fixed[1], inner)

        first = (fixed[0], number * space.length)
        row, term = reversed(first) if product.rows_inner else first
        target = row * self.tile.row_stride + term * self.tile.term_stride
        along = Variable("%along", space.length)
        source = self._source(
            product.step.ins[0], product.lhs(block.batch, *rows_and_terms(of_variable(along))), along
        )

        def clear() -> None:
            self._fill("memset", "i8 0", target, space.length_of(piece, b))

        def copy() -> None:
            if source is not None:
                self._fill("memcpy", str(source), target, space.length_of(piece, b))
                return
            with self._elements(space, piece) as offset:
                rows, terms = rows_and_terms(offset)
                value = scope.at(product.step.ins[0], product.lhs(block.batch, rows, terms))
                b.store(value, self.left, (target + offset).emit(b))

        inside = product.inside(scope, *rows_and_terms(ZERO))
        if inside is None:
            copy()
        else:
            self._choose(inside, copy, clear)

    def _fill(self, intrinsic: str, source: str, target: Index, length: Value) -> None:
        """Copy or set elements of the block of the left factor."""
        b = self.b
        types = "ptr, ptr" if intrinsic == "memcpy" else "ptr, i8"
        name = f"@llvm.{intrinsic}.{'p0.p0' if intrinsic == 'memcpy' else 'p0'}.i64"
        b.declarations.setdefault(name, f"declare void {name}({types}, i64, i1)")
        start = b.address(self.element.compute, self.left, target.emit(b))
        b.do(f"call void {name}({start}, {source}, {length * self.element.size}, i1 false)")

    def _source(self, slot: int, at: Indices, along: Variable) -> Value | None:
        """The address of an operand's element at an index, None if it is not contiguous along a variable."""
        scope, b = self.scope, self.b
        if slot not in scope.buffers or slot in scope.values:
            return None
        offset = linear(at, scope.buffers[slot].strides)
        if offset.coefficient(along) != 1:
            return None
        start = offset + Index(((along, -1),))
        return b.address(self.element.compute, scope.buffers[slot].pointer(b), start.emit(b))

    def _pack_right(self, block: Packed, panel: Index) -> None:
        """Copy a panel of the right factor; rows of a whole panel that are so in memory as vectors."""
        b, whole = self.b, self.tile.columns
        if self._right_at(block, panel, ZERO, ZERO) is None:
            if self._is_transposed(block, panel):
                self._transpose_right(block, panel)
            else:
                self._copy_right(block, panel, self._copy_elements)
        elif self.panels.run % whole == 0:
            self._copy_right(block, panel, self._copy_vector)
        else:
            self._choose(
                self.panels.length_of(panel, b).compare("eq", whole),
                lambda: self._copy_right(block, panel, self._copy_vector),
                lambda: self._copy_right(block, panel, self._copy_elements),
            )

    def _copy_right(
        self, block: Packed, panel: Index, copy: Callable[[Packed, Index, Index, Index, Index], None]
    ) -> None:
        space = self.terms
        with self._pieces(space, block.terms) as (number, piece), self._elements(space, piece) as offset:
            copy(block, panel, piece, offset, (number * space.length + offset) * self.tile.columns)

    def _copy_elements(self, block: Packed, panel: Index, piece: Index, offset: Index, to: Index) -> None:
        b, product = self.b, self.product
        terms = self.terms.indices(piece, offset, b)
        with self._elements(self.panels, panel) as column:
            columns = self.panels.indices(panel, column, b)
            value = self.scope.at(product.step.ins[1], product.rhs(block.batch, terms, columns))
            b.store(value, self.right, (to + column).emit(b))

    def _copy_vector(self, block: Packed, panel: Index, piece: Index, offset: Index, to: Index) -> None:
        b, kind = self.b, self.element.compute
        source = self._right_at(block, panel, piece, offset)
        assert source is not None
        vector, align = f"<{self.tile.columns} x {kind}>", f"align {self.element.size}"
        row = b.emit(vector, f"load {vector}, {source}, {align}")
        b.do(f"store {row}, {b.address(kind, self.right, to.emit(b))}, {align}")

    def _right_at(self, block: Packed, panel: Index, piece: Index, offset: Index) -> Value | None:
        """The address of a row of a panel in the right factor, None if it is not contiguous there."""
        column = Variable("%column", self.tile.columns)
        columns = self.panels.indices(panel, of_variable(column), self.b)
        terms = self.terms.indices(piece, offset, self.b)
        return self._source(self.product.step.ins[1], self.product.rhs(block.batch, terms, columns), column)

    def _is_transposed(self, block: Packed, panel: Index) -> bool:
        """Test whether terms are contiguous in the right factor, and come in whole vectors."""
        lanes = self.tile.lanes
        whole = self.panels.run % self.tile.columns == 0 and self.terms.run % self.terms.length == 0
        if not whole or self.terms.length % lanes:
            return False
        return self._transposed_at(block, panel, ZERO, ZERO, ZERO) is not None

    def _transposed_at(
        self, block: Packed, panel: Index, piece: Index, group: Index, part: Index
    ) -> tuple[Value, int] | None:
        """The address of a square in the right factor, and how many elements its columns are apart.

        None if terms are not contiguous there.
        """
        lanes = self.tile.lanes
        term, column = Variable("%term", lanes), Variable("%column", lanes)
        terms = self.terms.indices(piece, group * lanes + of_variable(term), self.b)
        slot, buffers = self.product.step.ins[1], self.scope.buffers

        def read(index: Index) -> Indices:
            columns = self.panels.indices(panel, part * lanes + index, self.b)
            return self.product.rhs(block.batch, terms, columns)

        source = self._source(slot, read(ZERO), term)
        if source is None:
            return None
        return source, linear(read(of_variable(column)), buffers[slot].strides).coefficient(column)

    def _transpose_right(self, block: Packed, panel: Index) -> None:
        """Copy a panel whose columns are contiguous in memory, a square of vectors at a time."""
        b, lanes = self.b, self.tile.lanes
        groups, parts = self.terms.length // lanes, self.tile.columns // lanes
        transpose = transpose_function(b, self.tile)
        with (
            self._pieces(self.terms, block.terms) as (number, piece),
            self._up_to(b.constant(groups, "i64"), groups) as group,
            self._up_to(b.constant(parts, "i64"), parts) as part,
        ):
            square = self._transposed_at(block, panel, piece, group, part)
            assert square is not None
            source, stride = square
            place = (number * self.terms.length + group * lanes) * self.tile.columns + part * lanes
            target = b.address(self.element.compute, self.right, place.emit(b))
            b.do(f"call void {transpose}({source}, i64 {stride}, {target})")

    def _prefetch(self, block: Packed, panel: Index, number: Index, tiles: int) -> None:
        """Fetch a part of the next panel, while a tile of this one is computed."""
        b, share = self.b, -(-self.terms.size // tiles)
        name = "@llvm.prefetch.p0"
        b.declarations.setdefault(name, f"declare void {name}(ptr, i32, i32, i32)")
        with self._up_to(b.constant(share, "i64"), share) as k:
            place = computed((number * share + k).emit(b), self.terms.size)
            piece, offset = unravel(place, (self.terms.group, self.terms.length), b)
            piece = block.terms * self.terms.group + piece
            start = self._right_at(block, panel + 1, piece, offset)
            if start is not None:
                size = self.tile.columns * self.element.size
                for line in (*range(_LINE, size, _LINE), size - 1):  # the first is the last of this panel's
                    there = b.address("i8", start, b.constant(line, "i64"))
                    b.do(f"call void {name}({there}, i32 0, i32 2, i32 1)")

    # Tiles

    def _tiles(self, block: Packed, panel: Index) -> None:
        b, height = self.b, self.tile.rows
        size, terms = self.rows.size_of(block.rows, b), self.terms.size_of(block.terms, b)
        most = -(-self.rows.size // height)
        count = b.emit("i64", f"udiv i64 {(size + (height - 1)).text}, {height}")
        with self._up_to(count, most) as number:
            first = (number * height).emit(b)
            if self.panels.blocks > 1 and self._right_at(block, panel, ZERO, ZERO) is not None:
                self._prefetch(block, panel, number, most)
            left = b.address(self.element.compute, self.left, first * self.tile.row_stride)
            b.do(f"call void {self.multiply}({left}, {self.right}, {self.sums}, {terms})")
            rest = size - first
            with self._up_to(rest.compare("slt", height).select(rest, height), height) as row:
                place = computed(row.emit(b) + first, self.rows.size)
                self._store_row(block, panel, row, place)

    def _store_row(self, block: Packed, panel: Index, row: Index, place: Index) -> None:
        """Add a row of the tile to the result, or store it; the last time, as what follows makes of it."""
        piece, offset = self._divided(place, self.rows.length)
        rows = self.rows.indices(block.rows * self.rows.group + piece, offset, self.b)

        def over_columns(body: Callable[[Indices, Value], None]) -> None:
            with self._elements(self.panels, panel) as column:
                at = self._result(block, rows, self.panels.indices(panel, column, self.b))
                place = (row * self.tile.columns + column).emit(self.b)
                body(at, self.b.load(self.element.compute, self.sums, place))

        last = self.terms.blocks - 1
        if not last:
            over_columns(self.final)
            return
        number = block.terms.emit(self.b)
        is_first = number.equals(0)
        self._choose(
            number < last,
            lambda: over_columns(lambda at, x: self._store(at, is_first.select(0, self._sum_so_far(at)) + x)),
            lambda: over_columns(lambda at, x: self.final(at, self._sum_so_far(at) + x)),
        )

    def _result(self, block: Packed, rows: Indices, columns: Indices) -> Indices:
        """The indices of an element of the result, 0 where there is no other."""
        found = self.product.result(block.batch, rows, columns)
        shape = self.scope.shape(self.slot)
        return tuple([index if size > 1 else ZERO for index, size in zip(found, shape, strict=True)])

    def _divided(self, place: Index, by: int) -> tuple[Index, Index]:
        piece, offset = unravel(place, (self.rows.group, by), self.b)
        return piece, offset

    def _sum_so_far(self, at: Indices) -> Value:
        return self.scope.load(self.slot, at)

    def _store(self, at: Indices, value: Value) -> None:
        self.scope.store(self.scope.buffers[self.slot], at, value)

    def _choose(self, condition: Value, on_true: Callable[[], None], on_false: Callable[[], None]) -> None:
        """One of two pieces of code."""
        b = self.b
        then, other, after = b.fresh("case"), b.fresh("other"), b.fresh("chosen")
        b.do(f"br i1 {condition.text}, label %{then}, label %{other}")
        b.enter(then)
        self.scope.enter()
        on_true()
        self.scope.leave()
        b.do(f"br label %{after}")
        b.enter(other)
        self.scope.enter()
        on_false()
        self.scope.leave()
        b.start_block(after)
