"""Regions: steps of a plan that become one native function, written as LLVM IR.

The function has the addresses of its arrays, one scratch area, and its place among the threads that run it together:
large loop nests are shared out, everything else is done by the first thread.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from stablehlo_py.engines.native.elements import Element, element_of
from stablehlo_py.engines.native.emitters import EXPRESSIONS
from stablehlo_py.engines.native.index_space import Index, row_major
from stablehlo_py.engines.native.items import choose_items
from stablehlo_py.engines.native.llvm_ir import Builder, Value
from stablehlo_py.engines.native.nests import Access, Item, Nest, NestEmitter, Range, fuse, record
from stablehlo_py.engines.native.scope import Buffer, Scope, is_uniform
from stablehlo_py.interpreter.plan import Plan, Step

CONTROL = frozenset({"stablehlo.while", "stablehlo.if", "stablehlo.case"})
_ALIGNMENT = 64
_INLINED = 64  # elements: smaller nests are written where they are used, so that scalars stay in registers
_ROW = 1 << 14  # elements: longer rows are not kept in a function's frame
_PARALLEL = 1 << 15  # elements: nests of fewer are not shared out

_BARRIER = """
define internal void @barrier(ptr %sync, i64 %threads) nounwind {
entry:
  %alone = icmp eq i64 %threads, 1
  br i1 %alone, label %done, label %arrive
arrive:
  %phase = getelementptr i64, ptr %sync, i64 8
  %now = load atomic i64, ptr %phase acquire, align 8
  %before = atomicrmw add ptr %sync, i64 1 acq_rel
  %count = add i64 %before, 1
  %last = icmp eq i64 %count, %threads
  br i1 %last, label %open, label %wait
open:
  store atomic i64 0, ptr %sync monotonic, align 8
  %next = add i64 %now, 1
  store atomic i64 %next, ptr %phase release, align 8
  br label %done
wait:
  %spins = phi i64 [ 0, %arrive ], [ %more, %again ]
  %seen = load atomic i64, ptr %phase acquire, align 8
  %same = icmp eq i64 %seen, %now
  br i1 %same, label %again, label %done
again:
  %more = add i64 %spins, 1
  %long = icmp ugt i64 %more, 4000
  br i1 %long, label %yield, label %wait_on
yield:
  %ignored = call i32 @sched_yield()
  br label %wait_on
wait_on:
  br label %wait
done:
  ret void
}
declare i32 @sched_yield()
""".replace("[ %more, %again ]", "[ %more, %wait_on ]")


@dataclass(frozen=True, slots=True)
class Region:
    """Steps that run as one function, with the slots that they take and give."""

    plan: Plan[Any]
    steps: tuple[Step, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Code:
    """The module of a region.

    Attributes:
        text: LLVM IR. Its `main` takes an array of addresses (inputs, outputs, constants), the scratch area, the
            number of this thread, the number of threads, and what they synchronise by.
        scratch: bytes of scratch memory.
        constants: the arrays whose addresses follow the outputs'.
        work: about how many element operations are shared out among threads.
    """

    text: str
    scratch: int
    constants: tuple[Any, ...]
    work: int


@dataclass
class ModuleWriter:
    """What the functions of one module share."""

    declarations: dict[str, str] = field(default_factory=dict)
    functions: list[str] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)
    scratch: int = 0
    work: int = 0
    _memories: int = 0
    _names: int = 0

    def memory(self) -> str:
        """The name that a piece of memory has in every function."""
        self._memories += 1
        return f"%m{self._memories}"

    def name(self, stem: str) -> str:
        self._names += 1
        return f"@{stem}{self._names}"


def emit_region(region: Region) -> Code:
    """The IR of a region."""
    writer = ModuleWriter()
    b = Builder(writer.declarations)
    emitter = RegionEmitter(writer, b)
    places = list(dict.fromkeys((*region.inputs, *region.outputs)))
    bound = {slot: emitter.argument(place, region.plan.types[slot]) for place, slot in enumerate(places)}
    emitter.first_constant = len(places)
    inputs = {slot: bound[slot] for slot in region.inputs}
    emitter.block(
        region.plan, region.steps, inputs, {slot: bound[slot] for slot in region.outputs}, parallel=True
    )
    text = "\n".join(
        [
            _BARRIER,
            *writer.declarations.values(),
            *writer.functions,
            "define void @main(ptr noalias %args, ptr noalias %scratch, i64 %thread, i64 %threads, ptr %sync) nounwind {",
            "entry:",
            *b.allocas,
            *emitter.addresses,
            *b.lines,
            "  ret void",
            "}",
        ]
    )
    return Code(text, writer.scratch, tuple(writer.constants), writer.work)


class RegionEmitter:
    """Writes `main`: the blocks of a region, one after the other, with their control flow."""

    def __init__(self, writer: ModuleWriter, b: Builder) -> None:
        self.writer = writer
        self.b = b
        self.addresses: list[str] = []
        self.first_constant = 0

    # Memory

    def argument(self, place: int, type: Any) -> Buffer:
        """The array whose address is the argument at a place."""
        name = self.writer.memory()
        self.addresses += [
            f"  {name}a = getelementptr ptr, ptr %args, i64 {place}",
            f"  {name} = load ptr, ptr {name}a",
        ]
        return self._buffer(name, type)

    def temporary(self, type: Any, shared: bool = False) -> Buffer:
        """Memory for an array: what threads share is in the scratch area, a scalar otherwise in registers."""
        element = _element(type)
        shape = tuple(type.shape)
        name = self.writer.memory()
        if prod(shape) == 1 and not shared:
            self.b.allocas.append(f"  {name} = alloca {element.storage}, align 8")
        else:
            self.addresses.append(f"  {name} = getelementptr i8, ptr %scratch, i64 {self.writer.scratch}")
            self.writer.scratch += -(-prod(shape) * element.size // _ALIGNMENT) * _ALIGNMENT
        return self._buffer(name, type)

    def _row(self, type: Any, outer: int) -> Buffer:
        """The memory of one row, in the frame of the function whose loop goes over the rows."""
        return self._buffer(self.writer.memory(), type, outer)

    def constant(self, array: Any, type: Any) -> Buffer:
        place = self.first_constant + len(self.writer.constants)
        self.writer.constants.append(np.ascontiguousarray(array))
        return self.argument(place, type)

    def _buffer(self, name: str, type: Any, outer: int = 0) -> Buffer:
        strides = row_major(tuple(type.shape))
        return Buffer(self.b.value(name, "ptr"), _element(type), (0,) * outer + strides[outer:])

    # Blocks

    def block(
        self,
        plan: Plan[Any],
        steps: Sequence[Step],
        bound: Mapping[int, Buffer],
        outputs: Mapping[int, Buffer],
        parallel: bool = False,
    ) -> None:
        """Computes `outputs`, each into its buffer, from the slots that are `bound` to buffers."""
        buffers = dict(bound)
        for slot, array in plan.constants.items():
            if not is_uniform(array) and slot not in buffers:
                buffers[slot] = self.constant(array, plan.types[slot])
        segments = _segments(steps)
        for n, segment in enumerate(segments):
            later = {slot for after in segments[n + 1 :] for step in after for slot in step.ins}
            made = {slot for step in segment for slot in step.outs}
            wanted = made & (later | outputs.keys())
            for slot in sorted(wanted):
                buffers[slot] = (
                    outputs[slot] if slot in outputs else self.temporary(plan.types[slot], parallel)
                )
            if segment[0].name in CONTROL:
                with self._first_thread(parallel):
                    self._control(plan, segment[0], buffers)
            else:
                self._nests(plan, segment, buffers, tuple(sorted(wanted)), parallel)
        for slot, buffer in outputs.items():
            if buffers.get(slot) is not buffer:
                self._copy(plan, slot, buffers, buffer)

    def _copy(self, plan: Plan[Any], slot: int, buffers: Mapping[int, Buffer], target: Buffer) -> None:
        """Copies a slot that is given back as it came in, or is a constant."""
        step = Step("copy", None, (slot,), (slot,))
        scope = self._scope(self.b, plan, {slot: step}, buffers)
        from stablehlo_py.engines.native.nests import nested

        nested(
            scope, scope.shape(slot), lambda indices: scope.store(target, indices, scope.at(slot, indices))
        )

    @contextmanager
    def _first_thread(self, parallel: bool) -> Iterator[None]:
        """Code that one thread runs while the others wait."""
        if not parallel:
            yield
            return
        mine, after = self.b.fresh("first"), self.b.fresh("joined")
        first = self.b.value("%thread", "i64").equals(0)
        self.b.do(f"br i1 {first.text}, label %{mine}, label %{after}")
        self.b.enter(mine)
        yield
        self.b.start_block(after)
        self._barrier()

    def _barrier(self) -> None:
        self.b.do("call void @barrier(ptr %sync, i64 %threads)")

    # Control flow

    def _control(self, plan: Plan[Any], step: Step, buffers: Mapping[int, Buffer]) -> None:
        if step.name == "stablehlo.while":
            self._while(plan, step, buffers)
        else:
            self._branches(plan, step, buffers)

    def _operand(self, plan: Plan[Any], slot: int, buffers: Mapping[int, Buffer]) -> Buffer:
        """The buffer of an operand; that of a constant is made."""
        if slot in buffers:
            return buffers[slot]
        buffer = self.temporary(plan.types[slot])
        self._copy(plan, slot, buffers, buffer)
        return buffer

    def _while(self, plan: Plan[Any], step: Step, buffers: Mapping[int, Buffer]) -> None:
        cond, body = step.bodies["cond"], step.bodies["body"]
        assert isinstance(cond, Plan) and isinstance(body, Plan)
        count = len(body.outputs)
        carried = [
            buffers[slot] if slot in buffers else self.temporary(plan.types[slot]) for slot in step.outs
        ]
        for slot, buffer in zip(step.ins[:count], carried, strict=True):
            self._copy(plan, slot, buffers, buffer)
        captured = [self._operand(plan, slot, buffers) for slot in step.ins[count:]]
        in_cond = captured[: cond.captures]
        in_body = captured[cond.captures :]
        head, inside, done = self.b.fresh("while"), self.b.fresh("iterate"), self.b.fresh("ended")
        self.b.start_block(head)
        flag = self.temporary(cond.types[cond.outputs[0]])
        self.block(cond, cond.steps, dict(enumerate([*carried, *in_cond])), {cond.outputs[0]: flag})
        going = flag.element.load(self.b, flag.pointer, self.b.constant(0, "i64"))
        self.b.do(f"br i1 {going.text}, label %{inside}, label %{done}")
        self.b.enter(inside)
        self._iteration(body, carried, in_body)
        self.b.do(f"br label %{head}")
        self.b.enter(done)

    def _iteration(self, body: Plan[Any], carried: Sequence[Buffer], captured: Sequence[Buffer]) -> None:
        """One iteration: new values are made beside the old ones, which they then replace."""
        updated = {k for k in range(len(carried)) if _updates_in_place(body, k)}
        changed = [k for k, slot in enumerate(body.outputs) if slot != k and k not in updated]
        fresh = {body.outputs[k]: carried[k] for k in updated}
        for k in changed:
            fresh.setdefault(body.outputs[k], self.temporary(body.types[body.outputs[k]]))
        self.block(body, body.steps, dict(enumerate([*carried, *captured])), fresh)
        for k in changed:
            self._move(fresh[body.outputs[k]], carried[k], body.types[k])

    def _move(self, source: Buffer, target: Buffer, type: Any) -> None:
        size = prod(type.shape)
        zero = self.b.constant(0, "i64")
        if size == 1:
            self.b.store(self.b.load(source.element.storage, source.pointer, zero), target.pointer, zero)
            return
        name = "@llvm.memcpy.p0.p0.i64"
        self.writer.declarations.setdefault(name, f"declare void {name}(ptr, ptr, i64, i1)")
        count = size * source.element.size
        self.b.do(f"call void {name}({target.pointer}, {source.pointer}, i64 {count}, i1 false)")

    def _branches(self, plan: Plan[Any], step: Step, buffers: Mapping[int, Buffer]) -> None:
        """`if` and `case`: the last branch is taken for an index out of range."""
        if step.name == "stablehlo.if":
            plans = [step.bodies["true_branch"], step.bodies["false_branch"]]
        else:
            branches = step.bodies["branches"]
            assert isinstance(branches, tuple)
            plans = list(branches)
        selector = self._operand(plan, step.ins[0], buffers)
        value = selector.element.load(self.b, selector.pointer, self.b.constant(0, "i64"))
        captured = [self._operand(plan, slot, buffers) for slot in step.ins[1:]]
        done = self.b.fresh("chosen")
        at = 0
        for k, branch in enumerate(plans):
            assert isinstance(branch, Plan)
            other = self.b.fresh("other")
            if k < len(plans) - 1:
                mine = self.b.fresh("branch")
                taken = value if step.name == "stablehlo.if" else value.equals(k)
                self.b.do(f"br i1 {taken.text}, label %{mine}, label %{other}")
                self.b.enter(mine)
            inputs = dict(enumerate(captured[at : at + branch.captures]))
            at += branch.captures
            self._branch(plan, step, branch, inputs, buffers)
            self.b.do(f"br label %{done}")
            if k < len(plans) - 1:
                self.b.enter(other)
        self.b.enter(done)

    def _branch(
        self,
        plan: Plan[Any],
        step: Step,
        branch: Plan[Any],
        inputs: Mapping[int, Buffer],
        buffers: Mapping[int, Buffer],
    ) -> None:
        results = [buffers.get(slot) or self.temporary(plan.types[slot]) for slot in step.outs]
        made: dict[int, Buffer] = {}
        for slot, buffer in zip(branch.outputs, results, strict=True):
            made.setdefault(slot, buffer)
        self.block(branch, branch.steps, inputs, made)
        for slot, buffer in zip(branch.outputs, results, strict=True):
            if made[slot] is not buffer:
                self._move(made[slot], buffer, branch.types[slot])

    # Loop nests

    def _scope(
        self, b: Builder, plan: Plan[Any], producers: Mapping[int, Step], buffers: Mapping[int, Buffer]
    ) -> Scope:
        own = {
            s: Buffer(b.value(x.pointer.text, "ptr"), x.element, x.strides, x.metadata)
            for s, x in buffers.items()
        }
        return Scope(plan, b, EXPRESSIONS, producers, own)

    def _nests(
        self,
        plan: Plan[Any],
        steps: Sequence[Step],
        buffers: dict[int, Buffer],
        outputs: tuple[int, ...],
        parallel: bool,
    ) -> None:
        producers = {slot: step for step in steps for slot in step.outs}
        items = choose_items(plan, steps, outputs)
        probe = dict(buffers)
        for item in items:
            for slot in item.slots:
                probe.setdefault(slot, self._buffer("%probe", plan.types[slot]))

        def accesses(item: Item, indices: Sequence[Index]) -> list[Access]:
            return record(self._scope(Builder({}), plan, producers, probe), [item], indices)[0]

        nests = fuse(items, accesses)
        kept = _kept_for_a_row(nests, producers, outputs)
        for nest in nests:
            rows = {slot: self._row(plan.types[slot], kept[slot]) for slot in nest.slots & kept.keys()}
            for slot in sorted(nest.slots - set(outputs) - rows.keys()):
                buffers[slot] = self.temporary(plan.types[slot], parallel)
            self._nest(plan, producers, {**buffers, **rows}, nest, parallel)

    def _nest(
        self,
        plan: Plan[Any],
        producers: Mapping[int, Step],
        buffers: Mapping[int, Buffer],
        nest: Nest,
        parallel: bool,
    ) -> None:
        """Writes a nest: in place where it is small, otherwise as a function whose calls are shared out."""
        size = max(prod(item.rows) * prod(item.columns) for item in nest.items)
        if size <= _INLINED and not parallel:
            scope = self._scope(self.b, plan, producers, buffers)
            self._reserve_rows(self.b, nest, plan, buffers)
            NestEmitter(scope, nest).emit(None)
            return
        name = self.writer.name("nest")
        used, assumed, extent = self._function(name, plan, producers, buffers, nest, assume=True)
        if assumed:
            self._function(f"{name}_any", plan, producers, buffers, nest, assume=False)
        shared = parallel and size >= _PARALLEL and extent > 1
        if shared:
            self.writer.work += size * len(nest.items)
            low, high = self._part(extent)
            self._call(name, assumed, low, high, used)
            self._barrier()
            return
        with self._first_thread(parallel):
            self._call(name, assumed, self.b.constant(0, "i64"), self.b.constant(extent, "i64"), used)

    def _reserve_rows(
        self, b: Builder, nest: Nest, plan: Plan[Any], buffers: Mapping[int, Buffer]
    ) -> set[str]:
        """Reserves memory in a function's frame for what is kept for a row; gives the names."""
        names = set()
        for slot in sorted(nest.slots):
            buffer, shape = buffers[slot], tuple(plan.types[slot].shape)
            outer = sum(stride == 0 for stride in buffer.strides)
            if outer and buffer.strides != row_major(shape):
                size = prod(shape[outer:])
                b.allocas.append(
                    f"  {buffer.pointer.text} = alloca {buffer.element.storage}, i64 {size}, align 64"
                )
                names.add(buffer.pointer.text)
        return names

    def _part(self, extent: int) -> tuple[Value, Value]:
        """The range of a loop that this thread runs."""
        thread, threads = self.b.value("%thread", "i64"), self.b.value("%threads", "i64")
        return (thread * extent) / threads, ((thread + 1) * extent) / threads

    def _call(self, name: str, assumed: bool, low: Value, high: Value, used: Sequence[str]) -> None:
        """Calls a nest; where what it assumes did not hold, the one that assumes nothing."""
        arguments = ", ".join([str(low), str(high), *(f"ptr {pointer}" for pointer in used)])
        broken = self.b.emit("i8", f"call i8 {name}({arguments})")
        if not assumed:
            return
        again, done = self.b.fresh("again"), self.b.fresh("settled")
        self.b.do(f"br i1 {broken.compare('ne', 0).text}, label %{again}, label %{done}")
        self.b.enter(again)
        self.b.emit("i8", f"call i8 {name}_any({arguments})")
        self.b.start_block(done)

    def _function(
        self,
        name: str,
        plan: Plan[Any],
        producers: Mapping[int, Step],
        buffers: Mapping[int, Buffer],
        nest: Nest,
        assume: bool,
    ) -> tuple[list[str], bool, int]:
        """Writes the function of a nest; gives the memory that it uses, whether it assumes anything, its extent."""
        b = Builder(self.writer.declarations)
        if assume:
            b.broken = b.alloca("i8")
            b.store(b.constant(0, "i8"), b.broken, b.constant(0, "i64"))
        scope = self._scope(b, plan, producers, buffers)
        rows = self._reserve_rows(b, nest, plan, buffers)
        emitter = NestEmitter(scope, nest)
        emitter.emit(Range(b.value("%lo", "i64"), b.value("%hi", "i64")))
        words = set("\n".join(b.lines).replace(",", " ").replace(")", " ").split())
        used = sorted({buffer.pointer.text for buffer in buffers.values()} & words - rows)
        result = b.load("i8", b.broken, b.constant(0, "i64")) if b.broken else b.constant(0, "i8")
        parameters = ", ".join(["i64 %lo", "i64 %hi", *(f"ptr noalias {pointer}" for pointer in used)])
        self.writer.functions += [
            f"define internal i8 {name}({parameters}) nounwind noinline {{",
            "entry:",
            *b.allocas,
            *b.lines,
            f"  ret {result}",
            "}",
        ]
        return used, b.assumed, emitter.extent()


def _updates_in_place(body: Plan[Any], k: int) -> bool:
    """Whether a loop's k-th value becomes itself with a part updated, which nothing reads besides."""
    slot = body.outputs[k]
    users = [step for step in body.steps if k in step.ins]
    if body.outputs.count(slot) != 1 or len(users) != 1 or k in body.outputs:
        return False
    (step,) = users
    return step.name == "stablehlo.dynamic_update_slice" and step.outs == (slot,) and step.ins.count(k) == 1


def _element(type: Any) -> Element:
    element = element_of(type)
    assert element is not None
    return element


def _segments(steps: Sequence[Step]) -> list[list[Step]]:
    """Steps of control flow by themselves, and what is between them."""
    found: list[list[Step]] = []
    for step in steps:
        if step.name in CONTROL or not found or found[-1][0].name in CONTROL:
            found.append([step])
        else:
            found[-1].append(step)
    return found


def _kept_for_a_row(
    nests: Sequence[Nest], producers: Mapping[int, Step], outputs: Sequence[int]
) -> dict[int, int]:
    """The stored slots that only their own nest reads: how many of their dimensions need no memory."""
    readers: dict[int, set[int]] = {}
    for n, nest in enumerate(nests):
        for item in nest.items:
            for slot in _reached(item.step, producers):
                readers.setdefault(slot, set()).add(n)
    return {
        slot: nest.outer
        for n, nest in enumerate(nests)
        for item in nest.items
        for slot in item.slots
        if readers.get(slot, set()) <= {n} and slot not in outputs and nest.outer > 0
        if prod(item.rows[nest.outer :]) <= _ROW
    }


def _reached(step: Step, producers: Mapping[int, Step]) -> set[int]:
    """The slots that the expressions of a step may read."""
    found: set[int] = set()
    pending = list(step.ins)
    while pending:
        slot = pending.pop()
        if slot not in found:
            found.add(slot)
            pending += producers[slot].ins if slot in producers else ()
    return found
