"""The interpreter of loop IR: simple and slow NumPy code, which tracks the written elements of buffers.

Iterations of a parallel loop are lanes of arrays: all lanes run a statement before the next statement begins.
A data race is an error: two lanes write the same element, or a lane reads an element that another lane
writes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from stablehlo_py.engines.native.loop_ir.expressions import (
    MULTIPLY_ADD,
    Apply,
    Buffer,
    Choose,
    Constant,
    Expression,
    Load,
    Position,
    Reference,
)
from stablehlo_py.engines.native.loop_ir.index import Index, Indices, Number, Quotient, Remainder, Variable
from stablehlo_py.engines.native.loop_ir.statements import (
    ExternalCall,
    Fold,
    Guard,
    If,
    Let,
    Loop,
    Program,
    Statement,
    Store,
    While,
)
from stablehlo_py.engines.native.loop_ir.text import expression_text, statement_text
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.records import dataclass
from stablehlo_py.ir.types import TensorType, Type
from stablehlo_py.kernels.registry import find_kernel, keyword_names

_MOST_TRIPS = 1000  # of a loop whose number of iterations is not known
_NOBODY = -1  # the lane of what was written before the loop


class LoopError(Exception):
    """An invalid access of a loop IR program, which is a defect of the stage that produced the program."""


@dataclass(slots=True)
class _Memory:
    """The elements of a buffer, whether each has been written, and by which lane of the running loop."""

    data: Any
    written: Any
    writer: Any


@dataclass(slots=True)
class _Lanes:
    """Iterations that run together.

    Attributes:
        count: How many there are.
        places: The value of each loop variable, an array of `count`, or a number.
        values: The values of names.
        owner: The lane of the outermost parallel loop that each belongs to.
        frames: The memory of buffers in the frame, with a dimension for lanes first.
    """

    count: int
    places: dict[Variable, Any]
    values: dict[str, Any]
    owner: Any
    frames: dict[Buffer, _Memory]


class Interpreter:
    """Runs programs.

    Args:
        functions: The external functions, which take arrays and return tuples of arrays.
    """

    def __init__(self, functions: Sequence[Callable[..., Sequence[Any]]] = ()) -> None:
        self._functions = functions
        self._memory: dict[Buffer, _Memory] = {}

    def run(self, program: Program, arrays: Sequence[Any]) -> list[Any]:
        """Run a program.

        Args:
            program: The program.
            arrays: Its inputs, then its constants.

        Returns:
            The arrays of its outputs.

        Raises:
            LoopError: It reads an element that was not written, or is out of bounds, or races.
        """
        given = program.in_space("input", "constant")
        for buffer, array in zip(given, arrays, strict=True):
            self._memory[buffer] = self._new(buffer, np.asarray(array))
        for buffer in program.in_space("output", "scratch"):
            self._memory[buffer] = self._new(buffer, None)
        top = _Lanes(1, {}, {}, np.full(1, _NOBODY), {})
        with np.errstate(all="ignore"):
            for statement in program.body:
                self._run(statement, top)
        return [self._result(buffer) for buffer in program.in_space("output")]

    def _new(self, buffer: Buffer, array: Any) -> _Memory:
        size = int(np.prod(buffer.shape, dtype=np.int64))
        data = np.zeros(size, _dtype(buffer.element)) if array is None else array.reshape(-1).copy()
        return _Memory(data, np.full(size, array is not None), np.full(size, _NOBODY))

    def _result(self, buffer: Buffer, how: str = "returned") -> Any:
        memory = self._memory.get(buffer)
        if memory is None:
            raise LoopError(f"{buffer} is no buffer of the program")
        if not memory.written.all():
            first = np.unravel_index(int(np.argmin(memory.written)), buffer.shape or (1,))
            raise LoopError(f"{buffer.name}{[*map(int, first)]} is {how} and was never written")
        return memory.data.reshape(buffer.shape).copy()

    # Statements

    def _run(self, statement: Statement, lanes: _Lanes) -> None:
        try:
            self._statement(statement, lanes)
        except LoopError as error:
            if error.args[1:]:
                raise
            raise LoopError(f"{error}\nin\n{statement_text(statement)}", statement) from None

    def _statement(self, statement: Statement, lanes: _Lanes) -> None:
        match statement:
            case Store(buffer, indices, value):
                self._store(buffer, indices, self._value(value, lanes), lanes)
            case Let(name, value):
                lanes.values[name] = self._value(value, lanes)
            case Fold():
                self._fold(statement, lanes)
            case Loop(kind="for" | "unrolled"):
                self._in_order(statement, lanes)
            case Loop():
                self._parallel(statement, lanes)
            case Guard(conditions, body, otherwise):
                holds = self._hold(conditions, lanes)
                self._chosen_run(holds, body, lanes)
                self._chosen_run(~holds, otherwise, lanes)
            case If(condition, body, otherwise):
                holds = np.broadcast_to(self._value(condition, lanes), (lanes.count,)).astype(bool)
                self._chosen_run(holds, body, lanes)
                self._chosen_run(~holds, otherwise, lanes)
            case While():
                self._while(statement, lanes)
            case ExternalCall():
                self._call(statement, lanes)

    def _bounds(self, loop: Loop, lanes: _Lanes) -> tuple[Any, Any]:
        """The first value of a loop's variable in each lane, and one more than the last."""
        if loop.is_whole:
            return np.zeros(lanes.count, np.int64), np.full(lanes.count, loop.variable.extent)
        stop = loop.variable.extent if loop.stop is None else self._index(loop.stop, lanes)
        start = self._index(loop.start, lanes)
        first, last = (np.broadcast_to(each, (lanes.count,)) for each in (start, stop))
        some = first < last
        if (some & ((first < 0) | (last > loop.variable.extent))).any():
            raise LoopError(f"{loop.variable} is not in 0..{loop.variable.extent}")
        return first, last

    def _in_order(self, loop: Loop, lanes: _Lanes) -> None:
        """Run the iterations of a loop in order, each in the lanes whose range includes it."""
        first, last = self._bounds(loop, lanes)
        for number in range(int(first.min()), int(last.max())):
            inside = np.True_ if loop.is_whole else (first <= number) & (number < last)
            if inside.all():
                lanes.places[loop.variable] = number
                for statement in loop.body:
                    self._run(statement, lanes)
            elif inside.any():
                inner = self._chosen(lanes, np.flatnonzero(inside))
                inner.places[loop.variable] = number
                for statement in loop.body:
                    self._run(statement, inner)
        lanes.places.pop(loop.variable, None)

    def _while(self, loop: While, lanes: _Lanes) -> None:
        running, left = lanes, max(_MOST_TRIPS, 100 * loop.trips)
        while running.count:
            left -= 1
            if left < 0:
                raise LoopError("a loop does not end")
            for statement in loop.head:
                self._run(statement, running)
            holds = np.broadcast_to(self._value(loop.condition, running), (running.count,)).astype(bool)
            running = running if holds.all() else self._chosen(running, np.flatnonzero(holds))
            for statement in loop.body if running.count else ():
                self._run(statement, running)

    def _call(self, call: ExternalCall, lanes: _Lanes) -> None:
        """Call an external function, which runs in one lane."""
        if lanes.count != 1 or (lanes.owner != _NOBODY).any():
            raise LoopError("a function from outside is called by iterations at the same time")
        operands = [self._result(buffer, "taken by a function") for buffer in call.reads]
        results = self._functions[call.number](*operands)
        for buffer, result in zip(call.writes, results, strict=True):
            if buffer.space not in ("output", "scratch"):
                raise LoopError(f"{buffer} is written")
            self._memory[buffer] = self._new(buffer, np.asarray(result))

    def _parallel(self, loop: Loop, lanes: _Lanes) -> None:
        """Run the iterations of a loop as lanes."""
        first, last = self._bounds(loop, lanes)
        counts = np.maximum(last - first, 0)
        source = np.repeat(np.arange(lanes.count), counts)
        if not len(source):
            return
        inner = self._chosen(lanes, source)
        number = np.arange(len(source)) - np.repeat(np.cumsum(counts) - counts, counts)
        inner.places[loop.variable] = first[source] + number
        outermost = bool((lanes.owner == _NOBODY).all())
        if outermost:
            inner.owner = inner.places[loop.variable]
        for statement in loop.body:
            self._run(statement, inner)
        if outermost:
            for memory in self._memory.values():
                memory.writer[:] = _NOBODY

    def _chosen(self, lanes: _Lanes, source: Any) -> _Lanes:
        """Some lanes, by their numbers; the frame of a lane is that of its outermost iteration."""

        def pick(value: Any) -> Any:
            return value[source] if isinstance(value, np.ndarray) and value.ndim else value

        return _Lanes(
            len(source),
            {variable: pick(value) for variable, value in lanes.places.items()},
            {name: pick(value) for name, value in lanes.values.items()},
            lanes.owner[source],
            lanes.frames,
        )

    def _chosen_run(self, holds: Any, body: Sequence[Statement], lanes: _Lanes) -> None:
        """Run statements in some lanes."""
        chosen = np.flatnonzero(holds)
        if len(chosen):
            inner = self._chosen(lanes, chosen)
            for statement in body:
                self._run(statement, inner)

    def _hold(self, conditions: Sequence[tuple[Index, int]], lanes: _Lanes) -> Any:
        holds = np.full(lanes.count, True)
        for index, bound in conditions:
            holds &= self._index(index, lanes) >= bound
        return holds

    def _fold(self, fold: Fold, lanes: _Lanes) -> None:
        totals = [self._value(start, lanes) for start in fold.starts]
        for place in np.ndindex(*[variable.extent for variable in fold.loops]):
            lanes.places.update(zip(fold.loops, place, strict=True))
            lanes.values.update(zip(fold.names, totals, strict=True))
            totals = [self._value(value, lanes) for value in fold.combined]
        for variable in fold.loops:
            lanes.places.pop(variable, None)
        lanes.values.update(zip(fold.names, totals, strict=True))

    # Memory

    def _place(self, buffer: Buffer, indices: Indices, lanes: _Lanes) -> tuple[_Memory, Any]:
        """The memory of a buffer, and the offset of each lane's element in it."""
        offset: Any = 0
        for d, (index, extent) in enumerate(zip(indices, buffer.shape, strict=True)):
            value = self._index(index, lanes)
            low, high = (value.min(), value.max()) if np.ndim(value) else (value, value)
            if low < 0 or high >= extent:
                number = int(low if low < 0 else high)
                raise LoopError(f"index {number} in dimension {d} of {buffer} is out of bounds")
            offset = offset * extent + value
        offset = offset if np.ndim(offset) else np.full(lanes.count, offset, np.int64)
        if buffer.space != "frame":
            if buffer not in self._memory:
                raise LoopError(f"{buffer} is no buffer of the program")
            return self._memory[buffer], offset
        size = int(np.prod(buffer.shape, dtype=np.int64))
        lane = np.maximum(lanes.owner, 0)
        memory = lanes.frames.get(buffer)
        need = (int(lane.max(initial=0)) + 1) * size
        if memory is None or len(memory.data) < need:
            memory = lanes.frames[buffer] = _grown(memory, need, _dtype(buffer.element))
        return memory, lane * size + offset

    def _store(self, buffer: Buffer, indices: Indices, value: Any, lanes: _Lanes) -> None:
        if buffer.space in ("input", "constant"):
            raise LoopError(f"{buffer} is written")
        memory, offset = self._place(buffer, indices, lanes)
        if lanes.count > 1 and len(np.unique(offset)) < lanes.count:
            raise LoopError(f"two iterations write one element of {buffer} at the same time")
        others = memory.writer[offset]
        if ((others != _NOBODY) & (others != lanes.owner)).any():
            raise LoopError(f"two parallel iterations write one element of {buffer}")
        memory.data[offset], memory.written[offset] = value, True
        memory.writer[offset] = lanes.owner

    def _load(self, buffer: Buffer, indices: Indices, lanes: _Lanes) -> Any:
        memory, offset = self._place(buffer, indices, lanes)
        unwritten = ~memory.written[offset]
        if unwritten.any():
            number = int(offset[np.argmax(unwritten)]) % max(1, int(np.prod(buffer.shape, dtype=np.int64)))
            place = [*map(int, np.unravel_index(number, buffer.shape or (1,)))]
            raise LoopError(f"{buffer.name}{place} is read and was never written")
        others = memory.writer[offset]
        if ((others != _NOBODY) & (others != lanes.owner)).any():
            raise LoopError(f"an iteration reads what a parallel one has written to {buffer}")
        return memory.data[offset]

    # Values

    def _index(self, index: Index, lanes: _Lanes) -> Any:
        total: Any = index.constant
        for atom, coefficient in index.terms:
            match atom:
                case Variable():
                    value = lanes.places[atom]
                case Quotient(inner, by):
                    value = self._index(inner, lanes) // by
                case Remainder(inner, by):
                    value = self._index(inner, lanes) % by
                case Number():
                    value = self._number(atom, lanes)
            total = total + value * coefficient
        return total

    def _number(self, atom: Number, lanes: _Lanes) -> Any:
        """A computed number in its range."""
        number = np.asarray(self._value(atom.value, lanes))
        if number.dtype == np.uint64:
            number = np.minimum(number, np.uint64(atom.extent))
        number = number.astype(np.int64)
        inside = np.clip(number, 0, atom.extent - 1)
        if not atom.clamps and (inside != number).any():
            raise LoopError(f"{atom} is {int(number[np.argmax(inside != number)])}")
        return inside

    def _value(self, expression: Expression, lanes: _Lanes) -> Any:
        return self._evaluated(expression, lanes, {})

    def _evaluated(self, expression: Expression, lanes: _Lanes, known: dict[Expression, Any]) -> Any:
        if expression not in known:
            known[expression] = self._computed(expression, lanes, known)
        return known[expression]

    def _computed(self, expression: Expression, lanes: _Lanes, known: dict[Expression, Any]) -> Any:
        match expression:
            case Constant():
                return np.full(lanes.count, expression.value)
            case Reference():
                if expression.name not in lanes.values:
                    raise LoopError(f"{expression.name} is read and has no value")
                return lanes.values[expression.name]
            case Position():
                return np.broadcast_to(self._index(expression.index, lanes), (lanes.count,))
            case Load():
                return self._load(expression.buffer, expression.indices, lanes)
            case Choose():
                return self._choice(expression, lanes)
            case Apply():
                operands = [self._evaluated(each, lanes, known) for each in expression.arguments]
                return _applied(expression, operands)
        raise LoopError(f"{expression_text(expression)} is no expression")

    def _choice(self, choice: Choose, lanes: _Lanes) -> Any:
        """Evaluate each value in the lanes that choose it only."""
        holds = self._hold(choice.conditions, lanes)
        found = np.zeros(lanes.count, _dtype(choice.type))
        for value, mask in ((choice.inside, holds), (choice.outside, ~holds)):
            chosen = np.flatnonzero(mask)
            if len(chosen):
                found[chosen] = self._value(value, self._chosen(lanes, chosen))
        return found


def _grown(memory: _Memory | None, size: int, dtype: Any) -> _Memory:
    made = _Memory(np.zeros(size, dtype), np.full(size, False), np.full(size, _NOBODY))
    if memory is not None:
        for new, old in zip(
            (made.data, made.written, made.writer), (memory.data, memory.written, memory.writer), strict=True
        ):
            new[: len(old)] = old
    return made


def _applied(expression: Apply, operands: Sequence[Any]) -> Any:
    """The result of an op, by its kernel."""
    if expression.op == MULTIPLY_ADD:
        return operands[0] * operands[1] + operands[2]
    kernel = find_kernel(expression.op)
    assert kernel is not None
    wanted = keyword_names(kernel.call)
    result = TensorType((), expression.type)
    known = {**dict(expression.attributes), "result": result, "semantics": "specification"}
    keywords = {name: known[name] for name in wanted}
    if not kernel.elementwise:
        return kernel.call(*operands, **keywords)
    return kernel.call(*[operand.dtype for operand in operands], **keywords)(*operands)


def _dtype(element: Type) -> Any:
    return numpy_dtype(element)
