"""Blocks: steps in order, with the loops and branches among them, whose bodies are blocks again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import NamedTuple

from stablehlo_py.engines.native.arithmetic.llvm_ir import Builder, Value
from stablehlo_py.engines.native.loops import nested
from stablehlo_py.engines.native.memory import Memory
from stablehlo_py.engines.native.nest_functions import NestFunctions, scope_of
from stablehlo_py.engines.native.region import WHILE, is_uniform
from stablehlo_py.engines.native.scope import Buffer
from stablehlo_py.interpreter.plan import Plan, Step

IF, CASE = "stablehlo.if", "stablehlo.case"
CONTROL = frozenset({WHILE, IF, CASE})
UPDATES = ("stablehlo.dynamic_update_slice", "stablehlo.scatter")  # write parts of their first operand
_COPIED = 64  # elements of a loop's value: smaller ones are copied, and stay in registers
_POLLED = 1 << 20  # elements that a loop computes between two polls


class _Pair(NamedTuple):
    """The two arrays that a value of a loop is in by turns.

    Attributes:
        current: the array that has the value in an iteration.
        following: the one that it is in after it.
        place: where the address of the current one is.
        other: where that of the following one is.
    """

    current: Buffer
    following: Buffer
    place: Value
    other: Value

    def load(self, b: Builder) -> None:
        """Load both addresses at the begin of an iteration."""
        b.do(f"{self.current.name} = load ptr, {self.place}")
        b.do(f"{self.following.name} = load ptr, {self.other}")

    def store(self, b: Builder, current: Buffer, following: Buffer) -> None:
        """Store the addresses for the next iteration."""
        for buffer, place in ((current, self.place), (following, self.other)):
            b.store(buffer.pointer(b), place, b.constant(0, "i64"))


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
    ) -> None:
        """Computes `outputs`, each into its buffer, from the slots that are `bound` to buffers."""
        buffers = dict(bound)
        used = {slot for step in steps for slot in step.ins} | outputs.keys()
        for slot in sorted(used & plan.constants.keys() - buffers.keys()):
            if not is_uniform(plan.constants[slot]):
                buffers[slot] = self.memory.constant(plan, slot)
        segments = _segments(steps)
        for n, segment in enumerate(segments):
            later = {slot for after in segments[n + 1 :] for step in after for slot in step.ins}
            made = {slot for step in segment for slot in step.outs}
            wanted = tuple(sorted(made & (later | outputs.keys())))
            for slot in wanted:
                buffers[slot] = outputs.get(slot) or self.memory.temporary(plan, slot, self.parallel)
            if segment[0].name in CONTROL:
                with self.nests.first_thread():
                    BlockEmitter(self.memory, parallel=False)._control(plan, segment[0], buffers)
            else:
                self.nests.emit(plan, segment, buffers, wanted)
        for slot, buffer in outputs.items():
            if buffers.get(slot) is not buffer:
                with self.nests.one_thread():
                    self._copy(plan, slot, buffers, buffer)

    def _copy(self, plan: Plan[Step], slot: int, buffers: Mapping[int, Buffer], target: Buffer) -> None:
        """Copies a slot that is given back as it came in, or is a constant."""
        scope = scope_of(self.b, plan, {}, buffers)
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
            self._while(plan, step, buffers)
        else:
            self._branches(plan, step, buffers)

    def _while(self, plan: Plan[Step], step: Step, buffers: Mapping[int, Buffer]) -> None:
        cond, body = step.plans
        count = len(body.outputs)
        carried = [buffers.get(slot) or self.memory.temporary(plan, slot) for slot in step.outs]
        for slot, buffer in zip(step.ins[:count], carried, strict=True):
            self._copy(plan, slot, buffers, buffer)
        captured = [self._operand(plan, slot, buffers) for slot in step.ins[count:]]
        in_cond, in_body = captured[: cond.captures], captured[cond.captures :]
        head, inside, done = self.b.fresh("while"), self.b.fresh("iterate"), self.b.fresh("ended")
        counter = self.b.alloca("i64")
        self.b.store(self.b.constant(0, "i64"), counter, self.b.constant(0, "i64"))
        pairs = {k: self._pair(body, k, carried[k]) for k in _alternating(body)}
        self.b.start_block(head)
        for pair in pairs.values():
            pair.load(self.b)
        current = [pairs[k].current if k in pairs else buffer for k, buffer in enumerate(carried)]
        flag = self.memory.temporary(cond, cond.outputs[0])
        self.emit(cond, cond.steps, dict(enumerate([*current, *in_cond])), {cond.outputs[0]: flag})
        going = flag.element.load(self.b, flag.pointer(self.b), self.b.constant(0, "i64"))
        self.b.do(f"br i1 {going.text}, label %{inside}, label %{done}")
        self.b.enter(inside)
        self._iteration(body, current, in_body, pairs)
        stop = self._poll(counter, _work(body), _steps(cond) + _steps(body))
        self.b.do(f"br i1 {stop.text}, label %{done}, label %{head}")
        self.b.enter(done)
        for k, pair in pairs.items():
            self._move_last(body, k, pair, carried[k])

    def _pair(self, body: Plan[Step], k: int, first: Buffer) -> _Pair:
        """The two arrays that a loop's k-th value is in by turns; the first one has its initial value."""
        b, second = self.b, self.memory.temporary(body, k)
        pair = _Pair(self.memory.renamed(first), self.memory.renamed(first), b.alloca("ptr"), b.alloca("ptr"))
        pair.store(b, first, second)
        return pair

    def _move_last(self, body: Plan[Step], k: int, pair: _Pair, target: Buffer) -> None:
        """Copy a loop's k-th value, unless it is in the array of the result already."""
        b, move, moved = self.b, self.b.fresh("move"), self.b.fresh("moved")
        last = self.memory.renamed(target)
        b.do(f"{last.name} = load ptr, {pair.place}")
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
        pairs: Mapping[int, _Pair],
    ) -> None:
        """One iteration: new values are made beside the old ones, whose places they then take."""
        updated = {k for k in range(len(carried)) if updates_in_place(body, k)}
        changed = [k for k, slot in enumerate(body.outputs) if slot != k and k not in updated | pairs.keys()]
        fresh = {body.outputs[k]: carried[k] for k in updated}
        fresh.update((body.outputs[k], pair.following) for k, pair in pairs.items())
        for k in changed:
            slot = body.outputs[k]
            fresh[slot] = fresh.get(slot) or self.memory.temporary(body, slot)
        self.emit(body, body.steps, dict(enumerate([*carried, *captured])), fresh)
        for k in changed:
            self._move(body, k, fresh[body.outputs[k]], carried[k])
        for pair in pairs.values():
            pair.store(self.b, pair.following, pair.current)

    def _branches(self, plan: Plan[Step], step: Step, buffers: Mapping[int, Buffer]) -> None:
        """`if` and `case`: the last branch is taken for an index out of range."""
        selector = self._operand(plan, step.ins[0], buffers)
        value = selector.element.load(self.b, selector.pointer(self.b), self.b.constant(0, "i64"))
        captured = [self._operand(plan, slot, buffers) for slot in step.ins[1:]]
        results = [buffers.get(slot) or self.memory.temporary(plan, slot) for slot in step.outs]
        done = self.b.fresh("chosen")
        at, last = 0, len(step.plans) - 1
        for k, branch in enumerate(step.plans):
            other = self.b.fresh("other")
            if k < last:
                mine = self.b.fresh("branch")
                taken = value if step.name == IF else value.equals(k)
                self.b.do(f"br i1 {taken.text}, label %{mine}, label %{other}")
                self.b.enter(mine)
            inputs = dict(enumerate(captured[at : at + branch.captures]))
            at += branch.captures
            self._branch(branch, inputs, results)
            self.b.do(f"br label %{done}")
            if k < last:
                self.b.enter(other)
        self.b.enter(done)

    def _branch(self, branch: Plan[Step], inputs: Mapping[int, Buffer], results: Sequence[Buffer]) -> None:
        """One branch, whose values go into the buffers of the results."""
        made: dict[int, Buffer] = {}
        for slot, buffer in zip(branch.outputs, results, strict=True):
            made.setdefault(slot, buffer)
        self.emit(branch, branch.steps, inputs, made)
        for slot, buffer in zip(branch.outputs, results, strict=True):
            if made[slot] is not buffer:
                self._move(branch, slot, made[slot], buffer)


def _alternating(body: Plan[Step]) -> list[int]:
    """The values of a loop that are in one of two arrays by turns: a new value is not copied to its place."""
    changed = [k for k, slot in enumerate(body.outputs) if slot != k and not updates_in_place(body, k)]
    alone = [k for k in changed if body.outputs.count(body.outputs[k]) == 1]
    return [k for k in alone if prod(body.shape_of(k)) > _COPIED]


def updates_in_place(body: Plan[Step], k: int) -> bool:
    """Test whether a loop's k-th value becomes itself with a part updated, which nothing reads besides."""
    slot = body.outputs[k]
    users = [step for step in body.steps if k in step.ins]
    if body.outputs.count(slot) != 1 or len(users) != 1 or k in body.outputs:
        return False
    (step,) = users
    return step.name in UPDATES and step.outs == (slot,) and step.ins.count(k) == 1 and step.ins[0] == k


def _segments(steps: Sequence[Step]) -> list[list[Step]]:
    """Steps of control flow by themselves, and what is between them."""
    found: list[list[Step]] = []
    for step in steps:
        if step.name in CONTROL or not found or found[-1][0].name in CONTROL:
            found.append([step])
        else:
            found[-1].append(step)
    return found


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
