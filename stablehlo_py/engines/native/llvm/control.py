"""Control flow that one thread runs: its large loop nests are shared with the threads that wait."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

from stablehlo_py.engines.native import cost
from stablehlo_py.engines.native.arithmetic.llvm_ir import Builder, Value
from stablehlo_py.engines.native.llvm.functions import Nest, write_nest
from stablehlo_py.engines.native.llvm.nests import Writer
from stablehlo_py.engines.native.loop_ir.expressions import Buffer
from stablehlo_py.engines.native.loop_ir.statements import ExternalCall, Loop, Statement, While
from stablehlo_py.engines.native.loop_ir.uses import loaded_by, stored_by
from stablehlo_py.engines.native.region import LONG
from stablehlo_py.engines.native.runtime import CALLED, MOST_PIECES, STOPPED
from stablehlo_py.ir.element_types import numpy_dtype

if TYPE_CHECKING:
    from stablehlo_py.engines.native.llvm.module import ModuleWriter

_POLLED = LONG // 4  # instructions of a loop between two polls of interrupts
_MEMSET = "@llvm.memset.p0.i64"


class ControlWriter(Writer):
    """Writes control flow.

    Args:
        b: The function that is written, with parameters `%sync` and `%threads`.
        module: The module.

    Attributes:
        offered: The estimated number of instructions that are offered to other threads.
    """

    def __init__(self, b: Builder, module: ModuleWriter) -> None:
        super().__init__(b)
        self.offered = 0
        self._module = module
        self._trips = 1

    def _statement(self, statement: Statement) -> None:
        if isinstance(statement, Loop) and statement.kind in ("for", "parallel"):
            updated = stored_by([statement]).keys() & loaded_by([statement]).keys()
            nest = write_nest([statement], may_repeat=not updated)
            if nest.instructions > cost.INLINED:
                self._call(statement, nest)
                return
        if isinstance(statement, While):
            trips = self._trips
            self._trips *= statement.trips
            super()._statement(statement)
            self._trips = trips
            return
        if isinstance(statement, ExternalCall):
            self._external(statement)
            return
        super()._statement(statement)

    def _external(self, call: ExternalCall) -> None:
        """Call an external function with the addresses of buffers, unless the loops end.

        A Python function cannot run after a signal handler has raised an exception. Later statements then
        compute with zeros.
        """
        b, buffers = self.b, (*call.reads, *call.writes)
        sync = b.value("%sync", "ptr")
        addresses = b.alloca("ptr", max(1, len(buffers)))
        for place, buffer in enumerate(buffers):
            b.store(self.pointers[buffer], addresses, self._number(place))

        def called() -> None:
            function = b.load("ptr", sync, self._number(CALLED))
            b.do(f"call void {function.text}(i64 {call.number}, {addresses})")

        self._module.use(b, "@poll")
        self.branch(b.call("@poll", "i1", [sync]) ^ True, called)
        stopped = b.emit("i64", f"load volatile i64, {b.address('i64', sync, self._number(STOPPED))}")
        self.branch(stopped.compare("ne", 0), lambda: self._clear(call.writes))
        b.count(2 * cost.PIECE)  # some 10 microseconds
        self._forget(call.writes)

    def _clear(self, buffers: Sequence[Buffer]) -> None:
        """Store zeros to all elements of buffers."""
        self.b.declarations.setdefault(_MEMSET, f"declare void {_MEMSET}(ptr, i8, i64, i1)")
        for buffer in buffers:
            size = prod(buffer.shape) * numpy_dtype(buffer.element).itemsize
            self.b.do(f"call void {_MEMSET}({self.pointers[buffer]}, i8 0, i64 {size}, i1 false)")

    def _call(self, loop: Loop, nest: Nest) -> None:
        """Call the function of a nest."""
        b, name = self.b, self._module.add(nest, is_hot=True)
        self._module.use(b, name)
        self.b.count(nest.instructions)
        pointers = [*(self.pointers[buffer] for buffer in nest.buffers), *map(self.captured, nest.captured)]
        if loop.kind == "parallel" and loop.is_whole and nest.extent > 1 and nest.instructions >= cost.PIECE:
            self.offered += nest.instructions * self._trips
            self._offer(name, nest, pointers)
            return
        start = self.index(loop.start)
        stop = self._number(nest.extent) if loop.stop is None else self.index(loop.stop)
        self._call_in_turn(b, name, nest, (start, stop), pointers, b.value("%sync", "ptr"))

    def _call_in_turn(
        self,
        b: Builder,
        name: str,
        nest: Nest,
        bounds: tuple[Value, Value],
        pointers: list[Value],
        sync: Value,
    ) -> None:
        """Call a nest for a range; a long range is divided, so that the loops can end between two parts."""
        start, stop = bounds
        count = min(nest.extent, nest.instructions // LONG)
        if count <= 1:
            b.call(name, "void", [start, stop, *pointers])
            return
        size = nest.extent // count
        parts = (stop - start + (size - 1)) / size
        with b.loop(b.constant(0, "i64"), parts, unless=sync) as part:
            low = start + part * size
            high = low + size
            b.call(name, "void", [low, (high < stop).select(high, stop), *pointers])

    def _offer(self, name: str, nest: Nest, pointers: list[Value]) -> None:
        """Run a nest together with the threads that wait."""
        b, sync = self.b, self.b.value("%sync", "ptr")
        given = b.alloca("ptr", len(pointers) + 1)
        for place, pointer in enumerate([*pointers, sync]):
            b.store(pointer, given, self._number(place))
        piece = Builder({})
        self._module.use(piece, name)
        loaded = [
            piece.load("ptr", piece.value("%given", "ptr"), piece.constant(place, "i64"))
            for place in range(len(pointers) + 1)
        ]
        bounds = piece.value("%lo", "i64"), piece.value("%hi", "i64")
        self._call_in_turn(piece, name, nest, bounds, loaded[:-1], loaded[-1])
        piece.do("ret void")
        function = self._module.add_function("i64 %lo, i64 %hi, ptr %given", piece, is_hot=False)
        self._module.use(b, function)
        pieces = min(nest.instructions // cost.PIECE, nest.extent, MOST_PIECES)
        numbers = f"i64 {nest.extent}, i64 {pieces}"
        b.do(f"call void @offer(ptr {function}, {given}, {numbers}, {sync}, {b.value('%threads', 'i64')})")
        self._module.use(b, "@offer")

    def _again(self, loop: While, instructions: int, head: str, done: str) -> None:
        """Branch back to the head or end the loop; the test is frequent enough for interrupts."""
        b, zero = self.b, self._number(0)
        counter = b.alloca("i64")
        b.allocas.append(f"  store i64 0, {counter}")
        count = b.load("i64", counter, zero) + 1
        b.store(count, counter, zero)
        every = 1 << max(0, (_POLLED // max(1, instructions)).bit_length() - 1)
        arguments = [count & (every - 1), b.value("%sync", "ptr")]
        if self._module.counted:
            arguments.insert(1, self._number(loop.steps))
        name = "@poll_counted" if self._module.counted else "@poll_at"
        stop = b.call(name, "i1", arguments)
        self._module.use(b, name)
        b.do(f"br i1 {stop.text}, label %{done}, label %{head}")
        b.count(instructions * max(0, loop.trips - 1))
