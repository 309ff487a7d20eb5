"""Functions of loop nests: those of a block's steps, in place or called, and shared out among threads."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import prod

from stablehlo_py.engines.native.aliasing import is_in_place, update_size
from stablehlo_py.engines.native.arithmetic.llvm_ir import UNOPTIMIZED, Builder, Value
from stablehlo_py.engines.native.emitters import EXPRESSIONS
from stablehlo_py.engines.native.fusion import Item, Nest, fuse, record
from stablehlo_py.engines.native.items import choose_items
from stablehlo_py.engines.native.kinds import kind_of
from stablehlo_py.engines.native.loops import Range
from stablehlo_py.engines.native.lower.contraction import CONVOLUTION
from stablehlo_py.engines.native.memory import Memory, element_at
from stablehlo_py.engines.native.nests import NestEmitter
from stablehlo_py.engines.native.parts import PARTS
from stablehlo_py.engines.native.region import LONG
from stablehlo_py.engines.native.row_convolutions import Shape
from stablehlo_py.engines.native.scope import Access, Buffer, Scope
from stablehlo_py.engines.native.tasks import Call, Task
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.records import dataclass

_INLINED = 64  # elements: smaller nests are written where they are used, so that scalars stay in registers
_ROW = 1 << 16  # bytes: longer rows are not kept in a function's frame
_FRAME = 1 << 18  # bytes of rows in one function's frame
_PRODUCTS = 16  # multiplications of a matrix product that take as long as an element of a map
_OPERATION = 16  # instructions of an operation, with its loads and loops, where these are not counted
_PIECE = 1 << 19  # instructions, some 5 microseconds of vectors: nests of fewer are not shared out
_OFFERED = 3 << 18  # the same for nests of loops, which take longer than the threads' barrier
_MOST_OFFERED = 1 << 14  # pieces of a nest of a loop
_PIECES = 128  # which threads take one by one, unless these are long


@dataclass(frozen=True)
class _Function:
    """A nest as a function: what memory it takes, the extent of its loop, and how many pieces of it pay.

    `work` is about how many instructions it executes; `fallback` is the one that assumes nothing, where
    this one assumes something.
    """

    name: str
    memory: list[str]
    extent: int
    pieces: int
    work: int
    fallback: _Function | None = None

    def renamed(self, names: Mapping[str, str]) -> _Function:
        """The same function for other memory."""
        memory = [names.get(name, name) for name in self.memory]
        return replace(self, memory=memory, fallback=self.fallback and self.fallback.renamed(names))


class NestFunctions:
    """Writes the nests of the steps between control flow.

    Args:
        memory: the arrays of the region.
        parallel: whether several threads run the code that is written.
    """

    def __init__(self, memory: Memory, parallel: bool) -> None:
        self.memory = memory
        self.writer = memory.writer
        self.b = memory.b
        self.parallel = parallel
        self._queue: list[Task] = []
        self._written: dict[Hashable, tuple[_Function, tuple[str, ...]]] = {}  # with the names of memory

    def emit(
        self,
        plan: Plan[Step],
        steps: Sequence[Step],
        buffers: dict[int, Buffer],
        outputs: tuple[int, ...],
        home: Callable[[int], Buffer],
        overwritten: Collection[int],
    ) -> None:
        """Compute `outputs`, which have buffers, by steps without control flow.

        Args:
            plan: The plan.
            steps: The steps.
            buffers: Those of the slots that are in memory, which are extended.
            outputs: The slots that others read.
            home: Makes the buffer of a slot.
            overwritten: The slots whose memory another one takes.
        """
        producers = {slot: step for step in steps for slot in step.outs}
        items = choose_items(plan, steps, outputs)
        probe = dict(buffers)
        for item in items:
            for slot in item.slots:
                probe.setdefault(slot, self.memory.buffer("%probe", plan, slot))

        probed = self.scope(plan, producers, probe)
        found: dict[Item, list[Access]] = {}

        def accesses(item: Item) -> list[Access]:
            if item not in found:
                found[item] = record(probed, [item], (*item.rows, *item.columns)).accesses
            return found[item]

        nests = fuse(items, accesses)
        kept = _kept_for_a_row(plan, nests, producers, outputs)
        given = {*buffers, *outputs, *overwritten}
        last = _last_readers(nests, producers)
        for n, nest in enumerate(nests):
            own = nest.slots & kept.keys()
            rows: dict[int, Buffer] = {}
            if nest.product is not None:
                self._product_buffers(plan, nest, own, buffers, home)
            elif nest.lead:
                nest.unstored = own
                for slot in sorted(nest.slots - own - buffers.keys()):
                    buffers[slot] = home(slot)
            else:
                rows = {slot: self.memory.row(plan, slot, kept[slot]) for slot in own}
                for slot in sorted(nest.slots - set(outputs) - rows.keys()):
                    buffers[slot] = home(slot)
            self._nest(self.scope(plan, producers, {**buffers, **rows}), nest)
            if self.parallel:  # not in a loop, whose next iteration runs this again
                for slot in last.get(n, ()):
                    if slot in buffers and slot not in given and slot not in nest.unstored:
                        self.memory.release(buffers[slot])

    def scope(self, plan: Plan[Step], producers: Mapping[int, Step], buffers: Mapping[int, Buffer]) -> Scope:
        """The slots of a plan in the function of the region."""
        whole = self.writer.whole_windows
        return Scope(plan, self.b, EXPRESSIONS, producers, buffers, whole_windows=whole)

    def _product_buffers(
        self,
        plan: Plan[Step],
        nest: Nest,
        own: set[int],
        buffers: dict[int, Buffer],
        home: Callable[[int], Buffer],
    ) -> None:
        """Make buffers for what a product and its maps store: what others read, and partial sums.

        `own` are the slots that nothing else reads. Their elements are in registers; sums are in the buffer
        of a map, where there is one.
        """
        first, *maps = [item.slots[0] for item in nest.items]
        shared = [slot for slot in maps if slot not in own and _same_element(plan, slot, first)]
        nest.unstored = own if shared else own - {first}
        for slot in sorted(nest.slots - nest.unstored - buffers.keys()):
            buffers[slot] = home(slot)
        if first in nest.unstored:
            buffers[first] = buffers[shared[-1]]

    def run(self) -> None:
        """Write the call that runs the tasks so far."""
        if not self._queue:
            return
        table, first = len(self.writer.tables), self.memory.tasks
        self.memory.tasks += len(self._queue)
        self.writer.tables.append(self._queue)
        given = f"ptr @tasks{table}, i64 {first}, i64 {len(self._queue)}, ptr %bases, ptr %sync"
        self.b.do(f"call void @run(ptr @call, {given}, i64 %thread, i64 %threads)")
        self._queue = []

    @contextmanager
    def one_thread(self) -> Iterator[None]:
        """Code that one thread runs while the others wait."""
        if not self.parallel:
            yield
            return
        self.run()
        b, task, one = self.b, self._new_task(), self.b.constant(1, "i64")
        sync, thread, threads = b.value("%sync", "ptr"), b.value("%thread", "i64"), b.value("%threads", "i64")
        mine, after = b.fresh("mine"), b.fresh("taken")
        piece = b.call("@take", "i64", [sync, task, one, thread, threads])
        b.do(f"br i1 {(piece < 0).text}, label %{after}, label %{mine}")
        b.enter(mine)
        yield
        self._end("finish", task)
        b.start_block(after)
        self._end("join", task, one)

    @contextmanager
    def first_thread(self) -> Iterator[None]:
        """Code that the caller's thread runs, which handles interrupts, while the others wait."""
        if not self.parallel:
            yield
            return
        self.run()
        b, task = self.b, self._new_task()
        mine, after = b.fresh("first"), b.fresh("others")
        b.do(f"br i1 {b.value('%thread', 'i64').equals(0).text}, label %{mine}, label %{after}")
        b.enter(mine)
        yield
        self._end("finish", task)
        b.start_block(after)
        self._end("join", task, b.constant(1, "i64"))

    def _new_task(self) -> Value:
        self.memory.tasks += 1
        return self.b.constant(self.memory.tasks - 1, "i64")

    def _end(self, name: str, *arguments: Value) -> None:
        sync, threads = self.b.value("%sync", "ptr"), self.b.value("%threads", "i64")
        self.b.do(f"call void @{name}({', '.join(map(str, [sync, *arguments, threads]))})")

    def _nest(self, scope: Scope, nest: Nest) -> None:
        """Writes a nest: in place where it is small, otherwise as a function whose calls are shared out."""
        plan, step = scope.plan, nest.items[0].step
        in_place = nest.alone and is_in_place(step, scope.buffers)
        size = update_size(plan, step) if in_place else _size(plan, nest)
        if size <= _INLINED and not self.parallel:
            _reserve_rows(scope, nest)
            NestEmitter(scope, nest).emit(None)
            return
        function = self._function(scope, nest, size, assume=not in_place)
        self.memory.instructions += function.work
        work = size * _OPERATION if _has_own_loops(nest) else function.work
        shared = work >= (_PIECE if self.parallel else _OFFERED) and function.extent > 1
        if shared and self.parallel:
            self.memory.work += work
        elif shared:
            self.memory.offered += work * self.memory.trips
        most = max(1, min(work // _PIECE, _PIECES), function.work // LONG)
        pieces = min(function.pieces, most) if shared else 0
        if not self.parallel and shared:
            self._offer(function, pieces)
            return
        if not self.parallel:
            zero, extent = self.b.constant(0, "i64"), self.b.constant(function.extent, "i64")
            _call_in_turn(self.b, function, zero, extent)
            return
        fallback = self._located(function.fallback) if function.fallback else None
        self._queue.append(Task(self._located(function), fallback, function.extent, pieces))

    def _located(self, function: _Function) -> Call:
        """The call of a function, with the places of its memory."""
        return Call(function.name, tuple([self.memory.places[name] for name in function.memory]))

    def _offer(self, function: _Function, pieces: int) -> None:
        """Run a nest of a loop together with the threads that wait for the loop."""
        after = function.fallback.memory if function.fallback else []
        names = list(dict.fromkeys([*function.memory, *after, "%sync"]))
        b, piece = self.b, Builder({})
        given = b.alloca("ptr", len(names))
        for place, name in enumerate(names):
            b.store(b.value(name, "ptr"), given, b.constant(place, "i64"))
            piece.do(f"{name}a = getelementptr ptr, ptr %given, i64 {place}")
            piece.do(f"{name} = load ptr, ptr {name}a")
        _call_in_turn(piece, function, piece.value("%lo", "i64"), piece.value("%hi", "i64"))
        piece.do("ret void")
        name = f"@piece{len(self.writer.functions)}"
        self.writer.functions.append(
            piece.function(f"internal void {name}(i64 %lo, i64 %hi, ptr %given) nounwind {UNOPTIMIZED}")
        )
        numbers = f"i64 {function.extent}", f"i64 {min(pieces, _MOST_OFFERED)}"
        b.do(f"call void @offer(ptr {name}, {given}, {', '.join(numbers)}, ptr %sync, i64 %threads)")

    def _function(self, scope: Scope, nest: Nest, size: int, assume: bool) -> _Function:
        """The function of a nest, which is written for the first one of a kind."""
        description, memory = kind_of(scope, nest)
        key = description, size, assume
        if key not in self._written:
            self._written[key] = self._new_function(scope, nest, size, assume), memory
        function, names = self._written[key]
        return function.renamed(dict(zip(names, memory, strict=True)))

    def _new_function(self, outer: Scope, nest: Nest, size: int, assume: bool) -> _Function:
        """Write the function of a nest, and the one that assumes nothing where it assumes something.

        One that updates an array in place may run once only: it assumes nothing.
        """
        b = Builder(self.writer.declarations)
        b.broken = b.value("%broken", "ptr") if assume else None
        scope = outer.in_function(b)
        rows = _reserve_rows(scope, nest)
        emitter = NestEmitter(scope, nest)
        emitter.emit(Range(b.value("%lo", "i64"), b.value("%hi", "i64")))
        body = [*b.allocas, *b.lines, "  ret i8 0"]
        if b.assumed:
            store = "  store i8 0, ptr %broken"
            last = ["  %failed = load i8, ptr %broken", "  ret i8 %failed"]
            body = ["  %broken = alloca i8, align 64", *b.allocas, store, *b.lines, *last]
        at_once = PARTS[nest.items[0].step.name].at_once if nest.alone else 1
        work = size * len(b.lines) // at_once if _has_own_loops(nest) else b.instructions
        pays = not self.parallel or work >= self.writer.least
        name, memory = self.writer.function(body, rows, pays and nest.product is None)
        fallback = self._function(outer, nest, size, assume=False) if b.assumed else None
        return _Function(name, memory, emitter.extent, emitter.pieces, work, fallback)


def _has_own_loops(nest: Nest) -> bool:
    """Test whether a nest is written by an emitter whose loops have computed lengths."""
    return nest.alone or nest.product is not None


def _size(plan: Plan[Step], nest: Nest) -> int:
    """About how many operations a nest takes, those on elements that it reads as well."""
    sizes = [prod(item.rows) * prod(item.columns) for item in nest.items]
    if nest.product is not None:
        sizes.append(nest.product.products // _PRODUCTS)
    if not nest.alone:
        return max(sizes)
    (item,) = nest.items
    sizes += [prod(plan.shape_of(slot)) for slot in item.step.ins]
    if item.step.name == CONVOLUTION:
        sizes.append(Shape(plan, item.step).products // _PRODUCTS)
    return max(sizes) * PARTS[item.step.name].work


def _call_in_turn(b: Builder, function: _Function, low: Value, high: Value) -> None:
    """Call a nest for a range, a long one for one part after the other, between which it may be ended."""
    count = min(function.pieces, function.extent, function.work // LONG)
    if count <= 1:
        _call(b, function, low, high)
        return
    size = function.extent // count
    parts = (high - low + (size - 1)) / size
    with b.loop(b.constant(0, "i64"), parts, unless=b.value("%sync", "ptr")) as part:
        start = low + part * size
        stop = start + size
        _call(b, function, start, (stop < high).select(stop, high))


def _call(b: Builder, function: _Function, low: Value, high: Value) -> None:
    """Call a nest for a range; where what it assumes did not hold, the one that assumes nothing."""

    def once(called: _Function) -> Value:
        arguments = ", ".join([str(low), str(high), *(f"ptr {name}" for name in called.memory)])
        return b.emit("i8", f"call i8 {called.name}({arguments})")

    broken = once(function)
    if function.fallback is None:
        return
    again, done = b.fresh("again"), b.fresh("settled")
    b.do(f"br i1 {broken.compare('ne', 0).text}, label %{again}, label %{done}")
    b.enter(again)
    once(function.fallback)
    b.start_block(done)


def _same_element(plan: Plan[Step], slot: int, other: int) -> bool:
    return element_at(plan, slot) == element_at(plan, other)


def _reserve_rows(scope: Scope, nest: Nest) -> set[str]:
    """Reserves memory in a function's frame for what is kept for a row; gives the names."""
    names = set()
    for slot in sorted(nest.slots - nest.unstored):
        buffer = scope.buffers[slot]
        if buffer.is_row:
            name, size = buffer.name, prod(scope.shape(slot)[nest.outer :])
            scope.b.allocas.append(f"  {name} = alloca {buffer.element.storage}, i64 {size}, align 64")
            names.add(name)
    return names


def _kept_for_a_row(
    plan: Plan[Step], nests: Sequence[Nest], producers: Mapping[int, Step], outputs: Sequence[int]
) -> dict[int, int]:
    """The stored slots that only their own nest reads: how many of their dimensions need no memory."""
    readers: dict[int, set[int]] = {}
    inside = _expressions(nests, producers)
    for n, nest in enumerate(nests):
        for item in nest.items:
            for slot in _reached(item.step, inside):
                readers.setdefault(slot, set()).add(n)
    found: dict[int, int] = {}
    for n, nest in enumerate(nests):
        frame = 0
        if nest.alone:  # it writes its arrays as a whole
            continue
        if nest.lead:
            maps = {item.slots[0] for item in nest.items if not item.reduces} - set(outputs)
            found.update(dict.fromkeys([s for s in maps if readers.get(s, set()) <= {n}], 0))
            continue
        for slot in [slot for item in nest.items for slot in item.slots]:
            size = prod(plan.shape_of(slot)[nest.outer :]) * element_at(plan, slot).size
            own = readers.get(slot, set()) <= {n} and slot not in outputs and nest.outer > 0
            if own and nest.product is not None:
                found[slot] = nest.outer
            elif own and size <= _ROW and frame + size <= _FRAME:
                frame += size
                found[slot] = nest.outer
    return found


def _last_readers(nests: Sequence[Nest], producers: Mapping[int, Step]) -> dict[int, list[int]]:
    """For the number of a nest, the slots that no nest behind it reads."""
    last: dict[int, int] = {}
    inside = _expressions(nests, producers)
    for n, nest in enumerate(nests):
        for item in nest.items:
            last.update(dict.fromkeys((*item.slots, *_reached(item.step, inside)), n))
    found: dict[int, list[int]] = {}
    for slot, n in last.items():
        found.setdefault(n, []).append(slot)
    return found


def _expressions(nests: Sequence[Nest], producers: Mapping[int, Step]) -> dict[int, Step]:
    """The producers of slots that are not stored: what reads one reads what it is computed from."""
    stored = {slot for nest in nests for slot in nest.slots}
    return {slot: step for slot, step in producers.items() if slot not in stored}


def _reached(step: Step, producers: Mapping[int, Step]) -> set[int]:
    """The slots that the expressions of a step may read, by the producers of those that are expressions."""
    found: set[int] = set()
    pending = list(step.ins)
    while pending:
        slot = pending.pop()
        if slot not in found:
            found.add(slot)
            pending += producers[slot].ins if slot in producers else ()
    return found
