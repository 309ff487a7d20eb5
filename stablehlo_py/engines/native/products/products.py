"""Matrix products in blocks: calls of the macro-kernel, and what follows a product (its epilogue)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from stablehlo_py.engines.native.arithmetic.llvm_ir import UNOPTIMIZED, Builder, Value
from stablehlo_py.engines.native.index_space import (
    ZERO,
    Index,
    Indices,
    Variable,
    computed,
    divide,
    loop_parts,
    of_variable,
)
from stablehlo_py.engines.native.loops import Range, unravel
from stablehlo_py.engines.native.memory import memory_of
from stablehlo_py.engines.native.products.blocking import Blocking, blocking
from stablehlo_py.engines.native.products.contractions import Contraction
from stablehlo_py.engines.native.products.descriptors import BATCH, COLUMNS, ROWS, describe
from stablehlo_py.engines.native.products.macro_kernel import MOST_TERMS, UNPACKED, most_rows
from stablehlo_py.engines.native.products.pairs import PAIR_CONVOLUTION, PAIR_DOT
from stablehlo_py.engines.native.products.shared import packing_function, product_function, tile_function
from stablehlo_py.engines.native.products.tiles import PAIR, WIDE, Kind, Registers, kind_of, rows_of
from stablehlo_py.engines.native.scope import Scope

_PANELS = 12  # of a piece
_SEVERAL = 16  # blocks, from which they are shared out among threads


class ProductEmitter:
    """Writes the call of the macro-kernel for a contraction.

    Args:
        scope: the slots.
        product: the contraction.
        machine: the vector registers.
    """

    def __init__(self, scope: Scope, product: Contraction, machine: Registers) -> None:
        self.scope = scope
        self.b = scope.b
        self.product = product
        (self.slot,) = product.step.outs
        element = scope.element(self.slot)
        paired = product.step.name in (PAIR_DOT, PAIR_CONVOLUTION)
        self.kind = kind_of(machine, PAIR if paired else element.compute)
        self.rows = blocking(product.rows, most_rows(element.size))
        self.terms = blocking(product.terms, MOST_TERMS)
        self.panels = Blocking(product.columns, self.kind.columns, 1)
        self.height = rows_of(machine, self.rows.size)

    @property
    def split(self) -> int:
        """The space whose blocks are shared out among threads."""
        if prod(self.product.batch) >= _SEVERAL:
            return BATCH
        return ROWS if self.rows.blocks >= min(_SEVERAL, self.panels.blocks) else COLUMNS

    @property
    def extent(self) -> int:
        """The number of blocks that are shared out."""
        return {BATCH: prod(self.product.batch), ROWS: self.rows.blocks, COLUMNS: self.panels.blocks}[
            self.split
        ]

    @property
    def pieces(self) -> int:
        """The most pieces of that loop; each of columns packs the left factor once more."""
        return max(1, self.extent // _PANELS) if self.split == COLUMNS else self.extent

    def emit(self, part: Range, epilogue: tuple[str, Value]) -> None:
        """Write the call.

        Args:
            part: The part of the blocks.
            epilogue: A function and its arguments.
        """
        b, type = self.b, self.kind.type
        operands = [self._operand(slot) for slot in self.product.step.ins]
        result = self.scope.buffers[self.slot]
        batch = Blocking(self.product.batch, 1, 1)
        strides = (*(strides for _, strides in operands), result.strides)
        numbers = describe(
            self.product,
            (batch, self.rows, self.terms, self.panels),
            strides,
            self.split,
            self.height,
            self.kind.size,
        )
        kernel = self.kind.name, self.height, self.product.rows_inner
        packs = self.rows.size > UNPACKED * self.height
        arguments = [
            _table(b, numbers),
            *(str(pointer) for pointer, _ in operands),
            str(result.pointer(b)),
            f"ptr {tile_function(b, *kernel)}",
            f"ptr {packing_function(b, *kernel) if packs else 'null'}",
            f"ptr {epilogue[0]}",
            str(epilogue[1]),
            "ptr %sync",
            str(part.start),
            str(part.stop),
        ]
        b.do(f"call void {product_function(b, type)}({', '.join(arguments)})")

    def _operand(self, slot: int) -> tuple[Value, tuple[int, ...]]:
        """The elements of an operand and their strides; all are one where they are the same."""
        if slot in self.scope.buffers:
            buffer = self.scope.buffers[slot]
            return buffer.pointer(self.b), buffer.strides
        rank = len(self.scope.shape(slot))
        value = self.scope.at(slot, (ZERO,) * rank)
        place = self.b.alloca(value.type)
        self.b.store(value, place, self.b.constant(0, "i64"))
        return place, (0,) * rank


def _table(b: Builder, numbers: Sequence[int]) -> str:
    """A constant array of the module."""
    text = ", ".join([f"i64 {number}" for number in numbers])
    name = f"@descriptor.{_digest(text)}"
    b.declarations.setdefault(name, f"{name} = internal constant [{len(numbers)} x i64] [{text}], align 64")
    return f"ptr {name}"


def _digest(text: str) -> str:
    """A name for a text."""
    from hashlib import sha256  # loads a library of cryptography

    return sha256(text.encode()).hexdigest()[:16]


NO_EPILOGUE = "null"  # the product is stored


class EpilogueEmitter:
    """Writes the function that stores what follows a product, for a tile.

    Args:
        scope: the slots, in a function of its own.
        kind: the elements of tiles.
        shape: the shape of the product.
        groups: its dimensions; neighbours in a group are run through as one.
        final: stores what is at an index, from the element of the product.
    """

    def __init__(
        self,
        scope: Scope,
        kind: Kind,
        shape: Sequence[int],
        groups: Sequence[Sequence[int]],
        final: Callable[[Indices, Value], None],
    ) -> None:
        self.scope = scope
        self.b = scope.b
        self.kind = kind
        self.shape = shape
        self.groups = groups
        self.final = final

    def emit(self, caller: Builder, whole: bool) -> tuple[str, Value]:
        """Write the function.

        Args:
            caller: The function that gives it to the macro-kernel.
            whole: Whether all tiles have all columns.

        Returns:
            Its name, and its arguments in the caller.
        """
        b, zero = self.b, self.b.constant(0, "i64")
        columns = b.constant(self.kind.columns, "i64") if whole else b.value("%columns", "i64")
        with b.loop(zero, b.value("%rows", "i64")) as row:
            self.scope.enter()
            offset = b.load("i64", b.value("%offsets", "ptr"), row) + b.value("%first", "i64")
            self._row(offset, row, columns)
            self.scope.leave()
        b.do("ret void")
        return _with_memory(caller, b)

    def _row(self, offset: Value, row: Value, columns: Value) -> None:
        """A row of the tile, from an offset in the result on."""
        b, (*outer, last) = self.b, self.shape
        groups = [inside for group in self.groups if (inside := [d for d in group if d < len(outer)])]
        position, first = divide(computed(offset, prod(self.shape)), last, b)
        indices: list[Index] = []
        extents = [[outer[d] for d in group] for group in groups]
        for each in zip(unravel(position, list(map(prod, extents)), b), extents, strict=True):
            indices += loop_parts(*each, b)
        start = first.emit(b)
        with b.loop(start, start + columns) as column:
            self.scope.enter()
            place = row * self.kind.columns + (column - start)
            value = b.load(self.kind.type, b.value("%sums", "ptr"), place)
            self.final((*indices, of_variable(Variable(column.text, last))), value)
            self.scope.leave()


def is_epilogue(name: str) -> bool:
    """Test whether a name is that of an epilogue, or of its body."""
    return name.startswith(_EPILOGUE)


_EPILOGUE = "@epilogue"
_TILE = "ptr noalias %sums, ptr noalias %offsets, i64 %rows, i64 %first, i64 %columns"


def _with_memory(caller: Builder, body: Builder) -> tuple[str, Value]:
    """Define an epilogue, which loads the addresses of memory; return its name and their array in the caller.

    The memory of the body is in parameters, so that LLVM knows that pieces do not overlap.
    """
    names, lines = memory_of([*body.allocas, *body.lines])
    parameters = ", ".join([_TILE, *(f"ptr noalias %p{place}" for place in range(len(names)))])
    text = "\n".join([f"({parameters}) {WIDE} noinline {{", "entry:", *lines, "}"])
    name = f"{_EPILOGUE}.{_digest(text)}"
    if name not in caller.declarations:
        entry = Builder(caller.declarations)
        given, zero = entry.value("%memory", "ptr"), range(len(names))
        memory = [entry.load("ptr", given, entry.constant(place, "i64")) for place in zero]
        tile = "ptr %sums, ptr %offsets, i64 %rows, i64 %first, i64 %columns"
        entry.do(f"call void {name}.body({', '.join([tile, *map(str, memory)])})")
        entry.do("ret void")
        caller.declarations[f"{name}.body"] = f"define internal void {name}.body{text}"
        caller.declarations[name] = entry.function(
            f"internal void {name}(ptr %memory, {_TILE}) nounwind {UNOPTIMIZED}"
        )
    table = caller.alloca("ptr", len(names))
    for place, memory_name in enumerate(names):
        caller.store(caller.value(memory_name, "ptr"), table, caller.constant(place, "i64"))
    return name, table
