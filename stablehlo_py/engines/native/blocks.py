"""Blocks: steps in order, with the loops and branches among them, whose bodies are blocks again."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import prod

from stablehlo_py.engines.native.aliasing import SMALL, captured_by, loop_sources, share_memory
from stablehlo_py.engines.native.arithmetic.llvm_ir import Value
from stablehlo_py.engines.native.estimate import trips_of
from stablehlo_py.engines.native.loops import nested
from stablehlo_py.engines.native.memory import Memory
from stablehlo_py.engines.native.nest_functions import NestFunctions
from stablehlo_py.engines.native.region import CASE, CONTROL, IF, WHILE
from stablehlo_py.engines.native.scope import Buffer
from stablehlo_py.interpreter.plan import Plan, Step, is_uniform

_POLLED = 1 << 20  # elements that a loop computes between two polls


class _Places:
    """The large arrays of a loop that change places: a value stays where an iteration has made it.

    Args:
        memory: the arrays of the region.
        body: the body of the loop.
        carried: for the number of each value, the array that it is in before the loop.
        sources: for each value of the loop, the one in whose memory its next value is.

    Attributes:
        current: the array that each value is in, in an iteration.
        following: the one that it is in behind the iteration.
    """

    def __init__(
        self, memory: Memory, body: Plan[Step], carried: Mapping[int, Buffer], sources: Sequence[int | None]
    ) -> None:
        self._b = memory.b
        self._addresses: dict[str, Value] = {}
        self.current = {k: self._place(memory, buffer) for k, buffer in carried.items()}
        fresh = [k for k in carried if sources[k] is None]
        self._spare = {k: self._place(memory, memory.temporary(body, k)) for k in fresh}
        self.following = dict(self._spare)
        for k in carried:
            source = sources[k]
            if source is not None:
                self.following[k] = self.current[source]

    def _place(self, memory: Memory, first: Buffer) -> Buffer:
        """An array whose address changes; the first one is that of another."""
        buffer = memory.renamed(first)
        self._addresses[buffer.name] = self._b.alloca("ptr")
        self._set(buffer, first)
        return buffer

    def _set(self, buffer: Buffer, other: Buffer) -> None:
        b = self._b
        b.store(other.pointer(b), self._addresses[buffer.name], b.constant(0, "i64"))

    def load(self) -> None:
        """Load all addresses at the begin of an iteration."""
        for name, address in self._addresses.items():
            self._b.do(f"{name} = load ptr, {address}")

    def load_last(self, k: int, name: str) -> None:
        """Load the address of a value behind the loop."""
        self._b.do(f"{name} = load ptr, {self._addresses[self.current[k].name]}")

    def advance(self) -> None:
        """Store the addresses for the next iteration."""
        names = {buffer.name for buffer in self.following.values()}
        freed = [buffer for buffer in self.current.values() if buffer.name not in names]
        for k, buffer in self.current.items():
            self._set(buffer, self.following[k])
        for spare, buffer in zip(self._spare.values(), freed, strict=True):
            self._set(spare, buffer)


class BlockEmitter:
    """Writes blocks.

    Args:
        memory: the arrays of the region.
        parallel: whether several threads run the code that is written; control flow is left to the first.
    """

    def __init__(self, memory: Memory, parallel: bool) -> None:
        self.memory = memory
        self.b = memory.b
        self.nests = NestFunctions(memory, parallel)
        self.parallel = parallel

    def emit(
        self,
        plan: Plan[Step],
        steps: Sequence[Step],
        bound: Mapping[int, Buffer],
        outputs: Mapping[int, Buffer],
        owned: Collection[int] = (),
    ) -> None:
        """Compute `outputs`, each into its buffer, from the slots that are `bound` to buffers.

        `owned` are the bound slots whose buffers may be overwritten.
        """
        buffers = dict(bound)
        used = {slot for step in steps for slot in step.ins} | outputs.keys()
        for slot in sorted(used & plan.constants.keys() - buffers.keys()):
            if not is_uniform(plan.constants[slot]):
                buffers[slot] = self.memory.constant(plan, slot)
        sharing = share_memory(plan, steps, owned, outputs)
        homes = {sharing.root(slot): buffer for slot, buffer in outputs.items()} | {**bound}

        def home(slot: int) -> Buffer:
            """The buffer of a slot: that of all which are in one memory."""
            root = sharing.root(slot)
            if root not in homes:
                homes[root] = self.memory.temporary(plan, slot, self.parallel)
            return homes[root]

        segments = sharing.segments()
        for n, segment in enumerate(segments):
            later = {slot for after in segments[n + 1 :] for step in after for slot in step.ins}
            made = {slot for step in segment for slot in step.outs}
            wanted = tuple(sorted(made & (later | outputs.keys())))
            buffers.update((slot, home(slot)) for slot in wanted)
            if segment[0].name in CONTROL:
                buffers.update((slot, home(slot)) for slot in made & sharing.operands.keys())
                with self.nests.first_thread():
                    BlockEmitter(self.memory, parallel=False)._control(plan, segment[0], buffers)
            else:
                self.nests.emit(plan, segment, buffers, wanted, home, sharing.operands.values())
        for slot, buffer in outputs.items():
            if buffers.get(slot) is not buffer:
                with self.nests.one_thread():
                    self._copy(plan, slot, buffers, buffer)

    def _copy(self, plan: Plan[Step], slot: int, buffers: Mapping[int, Buffer], target: Buffer) -> None:
        """Copies a slot that is given back as it came in, or is a constant."""
        scope = self.nests.scope(plan, {}, buffers)
        nested(scope, scope.shape(slot), lambda at: scope.store(target, at, scope.at(slot, at)))

    def _move(self, plan: Plan[Step], slot: int, source: Buffer, target: Buffer) -> None:
        """Copies an array that is in memory."""
        size, zero = prod(plan.shape_of(slot)), self.b.constant(0, "i64")
        if size == 1:
            self.b.store(
                self.b.load(source.element.storage, source.pointer(self.b), zero),
                target.pointer(self.b),
                zero,
            )
            return
        name = "@llvm.memcpy.p0.p0.i64"
        self.memory.writer.declarations.setdefault(name, f"declare void {name}(ptr, ptr, i64, i1)")
        count = size * source.element.size
        self.b.do(f"call void {name}(ptr {target.name}, ptr {source.name}, i64 {count}, i1 false)")

    def _operand(self, plan: Plan[Step], slot: int, buffers: Mapping[int, Buffer]) -> Buffer:
        """The buffer of an operand; that of a constant is made."""
        if slot in buffers:
            return buffers[slot]
        buffer = self.memory.temporary(plan, slot)
        self._copy(plan, slot, buffers, buffer)
        return buffer

    # Control flow

    def _control(self, plan: Plan[Step], step: Step, buffers: Mapping[int, Buffer]) -> None:
        if step.name == WHILE:
            trips = self.memory.trips
            self.memory.trips *= trips_of(step)
            self._while(plan, step, buffers)
            self.memory.trips = trips
        else:
            self._branches(plan, step, buffers)

    def _while(self, plan: Plan[Step], step: Step, buffers: Mapping[int, Buffer]) -> None:
        cond, body = step.plans
        results = [buffers.get(slot) for slot in step.outs]
        count, sources = len(results), loop_sources(body)
        sizes = [prod(body.shape_of(k)) for k in range(count)]
        moving = [k for k in range(count) if sources[k] != k and sizes[k] > SMALL]
        # Exchanged arrays are not those of the results: one could end in that of another's.
        apart = {k for k in moving if any(sources[j] is not None for j in moving)}
        carried: list[Buffer] = []
        for k, slot in enumerate(step.ins[:count]):
            if sizes[k] > 1 and body.outputs[k] == k:  # only read
                carried.append(self._operand(plan, slot, buffers))
                continue
            own = None if sizes[k] == 1 or k in apart else results[k]  # scalars are in registers
            carried.append(own or self.memory.temporary(body, k))
            if buffers.get(slot) is not carried[k]:
                self._copy(plan, slot, buffers, carried[k])
        captured = [self._operand(plan, slot, buffers) for slot in step.ins[count:]]
        in_cond, in_body = captured[: cond.captures], captured[cond.captures :]
        head, inside, done = self.b.fresh("while"), self.b.fresh("iterate"), self.b.fresh("ended")
        counter = self.b.alloca("i64")
        self.b.store(self.b.constant(0, "i64"), counter, self.b.constant(0, "i64"))
        places = _Places(self.memory, body, {k: carried[k] for k in moving}, sources)
        self.b.start_block(head)
        places.load()
        current = [places.current.get(k, buffer) for k, buffer in enumerate(carried)]
        flag = self.memory.temporary(cond, cond.outputs[0])
        self.emit(cond, cond.steps, dict(enumerate([*current, *in_cond])), {cond.outputs[0]: flag})
        going = flag.element.load(self.b, flag.pointer(self.b), self.b.constant(0, "i64"))
        self.b.do(f"br i1 {going.text}, label %{inside}, label %{done}")
        self.b.enter(inside)
        self._iteration(body, current, in_body, sources, places)
        stop = self._poll(counter, _work(body), _steps(cond) + _steps(body))
        self.b.do(f"br i1 {stop.text}, label %{done}, label %{head}")
        self.b.enter(done)
        for k, result in enumerate(results):
            if result is not None and k in moving:
                self._move_last(body, k, places, result)
            elif result is not None and result is not carried[k]:
                self._move(body, k, carried[k], result)

    def _move_last(self, body: Plan[Step], k: int, places: _Places, target: Buffer) -> None:
        """Copy a loop's k-th value, unless it is in the array of the result already."""
        b, move, moved = self.b, self.b.fresh("move"), self.b.fresh("moved")
        last = self.memory.renamed(target)
        places.load_last(k, last.name)
        there = b.emit("i1", f"icmp eq ptr {last.name}, {target.name}")
        b.do(f"br i1 {there.text}, label %{moved}, label %{move}")
        b.enter(move)
        self._move(body, k, last, target)
        b.start_block(moved)

    def _poll(self, counter: Value, work: int, steps: int) -> Value:
        """Test whether the loop is to end: asked now and then, by how many elements an iteration computes."""
        zero = self.b.constant(0, "i64")
        count = self.b.load("i64", counter, zero) + 1
        self.b.store(count, counter, zero)
        every = 1 << max(0, (_POLLED // work).bit_length() - 1)
        when, sync = count & (every - 1), self.b.value("%sync", "ptr")
        if self.memory.writer.counted:
            return self.b.call("@poll_counted", "i1", [when, self.b.constant(steps, "i64"), sync])
        return self.b.call("@poll_at", "i1", [when, sync])

    def _iteration(
        self,
        body: Plan[Step],
        carried: Sequence[Buffer],
        captured: Sequence[Buffer],
        sources: Sequence[int | None],
        places: _Places,
    ) -> None:
        """One iteration: new values are made in place, or beside the old ones, and take their places."""
        count = len(carried)
        targets = [carried[k] if sources[k] == k else places.following.get(k) for k in range(count)]
        fresh: dict[int, Buffer] = {}
        for k in sorted(range(count), key=lambda k: (sources[k] != k, sources[k] is None)):
            slot = body.outputs[k]
            fresh[slot] = fresh.get(slot) or targets[k] or self.memory.temporary(body, slot)
        self.emit(body, body.steps, dict(enumerate([*carried, *captured])), fresh, range(count))
        for k, slot in enumerate(body.outputs):
            target = targets[k] or carried[k]
            if fresh[slot] is not target:
                self._move(body, k, fresh[slot], target)
        places.advance()

    def _branches(self, plan: Plan[Step], step: Step, buffers: Mapping[int, Buffer]) -> None:
        """`if` and `case`: the last branch is taken for an index out of range."""
        selector = self._operand(plan, step.ins[0], buffers)
        value = selector.element.load(self.b, selector.pointer(self.b), self.b.constant(0, "i64"))
        results = [buffers.get(slot) or self.memory.temporary(plan, slot) for slot in step.outs]
        done = self.b.fresh("chosen")
        last = len(step.plans) - 1
        captured = [[self._operand(plan, slot, buffers) for slot in slots] for slots in captured_by(step)]
        for k, branch in enumerate(step.plans):
            other = self.b.fresh("other")
            if k < last:
                mine = self.b.fresh("branch")
                taken = value if step.name == IF else value.equals(k)
                self.b.do(f"br i1 {taken.text}, label %{mine}, label %{other}")
                self.b.enter(mine)
            self._branch(branch, captured[k], results)
            self.b.do(f"br label %{done}")
            if k < last:
                self.b.enter(other)
        self.b.enter(done)

    def _branch(self, branch: Plan[Step], captured: Sequence[Buffer], results: Sequence[Buffer]) -> None:
        """One branch, whose values go into the buffers of the results, which may be those of operands."""
        made: dict[int, Buffer] = {}
        for slot, buffer in zip(branch.outputs, results, strict=True):
            made.setdefault(slot, buffer)
        owned = [k for k, buffer in enumerate(captured) if any(buffer is result for result in results)]
        self.emit(branch, branch.steps, dict(enumerate(captured)), made, owned)
        for slot, buffer in zip(branch.outputs, results, strict=True):
            if made[slot] is not buffer:
                self._move(branch, slot, made[slot], buffer)


def _steps(plan: Plan[Step]) -> int:
    """The number of ops of a call of a plan, as limits count them; loops in it count their own."""
    inside = sum(_steps(body) for step in plan.steps if step.name in (IF, CASE) for body in step.plans)
    own = [step for step in plan.steps if step.definition is not None]
    rewritten = {id(step.op) for step in plan.steps} - {id(step.op) for step in own}
    return 1 + sum([len(step.members) or 1 for step in own]) + len(rewritten) + inside


def _work(plan: Plan[Step]) -> int:
    """About how many elements a plan computes."""
    own = sum(prod(plan.shape_of(slot)) for step in plan.steps for slot in (*step.ins, *step.outs))
    return 1 + own + sum(_work(body) for step in plan.steps for body in step.plans)
