"""The verifier of loop IR, whose rules hold for a program after each stage.

- Types agree, names are defined before they are used, and a loop has a variable of its own.
- Each index is in bounds, by interval arithmetic and the conditions around it.
- Each element is written before it is read: by a store of the same iteration or by an earlier loop.
- Iterations of a parallel loop write different elements, and read no element that another iteration writes.
- Inputs and constants are not written; each element of an output is written.

A load at an index that is computed from data is `unknown` if only a part of the buffer is known to be
written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations_with_replacement
from math import gcd

from stablehlo_py.engines.native.loop_ir.coverage import Coverage, covers, whole, written_by
from stablehlo_py.engines.native.loop_ir.expressions import (
    Buffer,
    Choose,
    Expression,
    Load,
    Position,
    Reference,
    numbers_of,
)
from stablehlo_py.engines.native.loop_ir.index import (
    Atom,
    Condition,
    Index,
    Indices,
    Number,
    Quotient,
    Remainder,
    Variable,
    negated,
)
from stablehlo_py.engines.native.loop_ir.iterations import Iterations
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
    expressions_of,
    indices_of,
    stores_of,
)
from stablehlo_py.engines.native.loop_ir.text import expression_text, statement_text
from stablehlo_py.ir.records import dataclass
from stablehlo_py.ir.types import Type


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong with a program.

    Attributes:
        message: The error and its place.
        unknown: Whether the verifier cannot decide, since an index is computed from data.
        nest: The loop nest, or the statements between nests; empty for a finding about the whole program.
    """

    message: str
    unknown: bool = False
    nest: tuple[Statement, ...] = ()

    def __str__(self) -> str:
        return self.message


def verify(program: Program) -> list[Finding]:
    """Check a program.

    Args:
        program: The program.

    Returns:
        The errors, and the loads that the verifier cannot judge.
    """
    return _Verifier(program).findings()


def unproved(loop: While) -> set[Buffer]:
    """The buffers of which an iteration may read elements that it has not written."""
    verifier = _Verifier(Program((), (loop,)))
    verifier.findings()
    return verifier.unproved


class _Verifier:
    """Checks one program, statement by statement in order."""

    def __init__(self, program: Program) -> None:
        self.unproved: set[Buffer] = set()  # buffers that loads may read before they are written, or beside
        self._program = program
        self._found: list[Finding] = []
        self._coverage: list[Coverage] = []
        self._conditions: list[Condition] = []
        self._names: list[dict[str, Type]] = [{}]
        self._variables: list[Variable] = []
        self._parallel: list[tuple[Loop, int]] = []  # with the coverage before it
        self._statement: Statement | None = None
        self._judged: set[Expression] = set()  # under the conditions of a statement or choice
        self._nest: tuple[Statement, ...] = ()

    def findings(self) -> list[Finding]:
        """Check all statements, then the outputs."""
        for nest in self._program.nests:
            self._names, self._nest = [{}], nest
            for statement in nest:
                self._check(statement)
        for buffer in self._program.in_space("output"):
            if not _is_covered(whole(buffer), self._coverage):
                self._found.append(Finding(f"an element of {buffer} is never written"))
        return self._found

    def _error(self, message: str, unknown: bool = False, buffer: Buffer | None = None) -> None:
        where = f" in\n{statement_text(self._statement)}" if self._statement is not None else ""
        self._found.append(Finding(message + where, unknown, self._nest))
        if buffer is not None:
            self.unproved.add(buffer)

    # Statements

    def _check(self, statement: Statement) -> None:
        self._statement, self._judged = statement, set()
        for index in indices_of(statement):
            self._index(index)
        for expression in () if isinstance(statement, Fold | While) else expressions_of(statement):
            self._expression(expression)
        match statement:
            case Store():
                self._store(statement)
            case Let(name, value):
                self._names[-1][name] = value.type
            case Fold():
                self._fold(statement)
            case Loop():
                self._loop(statement)
            case Guard(conditions, body, otherwise):
                self._branches(body, otherwise, conditions)
            case If(_, body, otherwise):
                self._branches(body, otherwise)
            case While():
                self._while(statement)
            case ExternalCall():
                self._call(statement)

    def _block(self, body: Sequence[Statement]) -> None:
        self._names.append({})
        for statement in body:
            self._check(statement)
        self._names.pop()

    def _branches(
        self,
        body: Sequence[Statement],
        otherwise: Sequence[Statement],
        conditions: Sequence[Condition] = (),
    ) -> None:
        """Check both branches; elements that both write are written after them."""
        known = len(self._coverage)
        found = []
        for branch, known_there in ((body, conditions), (otherwise, negated(conditions))):
            with self._under(known_there):
                self._block(branch)
                found.append(self._coverage[known:])
            del self._coverage[known:]
        for these, others in (found, found[::-1]):
            self._coverage += [each for each in these if _is_covered(each, others)]

    def _while(self, loop: While) -> None:
        self._names.append({})
        for statement in loop.head:
            self._check(statement)
        self._statement, self._judged = loop, set()
        self._expression(loop.condition)
        known = len(self._coverage)
        self._block(loop.body)
        del self._coverage[known:]
        self._names.pop()

    def _call(self, call: ExternalCall) -> None:
        """Check an external call, which reads and writes all elements of its buffers once."""
        if self._variables:
            self._error("a function from outside is called in a loop")
        for buffer in call.reads:
            given = buffer.space in ("input", "constant")
            if not given and not _is_covered(whole(buffer), self._coverage):
                self._error(f"a function reads elements of {buffer} that were not written", buffer=buffer)
        for buffer in call.writes:
            if buffer.space in ("input", "constant", "frame") or call.writes.count(buffer) > 1:
                self._error(f"{buffer} is written by a function from outside")
            self._coverage.append(whole(buffer))

    @contextmanager
    def _under(self, conditions: Sequence[Condition]) -> Iterator[None]:
        """Check statements that run under conditions; they add no facts outside of the conditions."""
        known, judged = len(self._coverage), self._judged
        self._conditions += conditions
        self._judged = set()
        yield
        self._judged = judged
        del self._conditions[len(self._conditions) - len(conditions) :]
        del self._coverage[known:]

    @contextmanager
    def _inside(self, variables: Sequence[Variable]) -> Iterator[None]:
        for variable in variables:
            if variable in self._variables:
                self._error(f"{variable} is the variable of two loops")
        self._variables += variables
        yield
        del self._variables[len(self._variables) - len(variables) :]

    def _loop(self, loop: Loop) -> None:
        if loop.variable.extent < 1:
            self._error(f"{loop.variable} has no iteration")
        before = len(self._coverage)
        is_parallel = loop.kind in ("parallel", "vectorized") and loop.variable.extent > 1
        if is_parallel:
            self._parallel.append((loop, before))
            self._disjoint(loop)
        with self._inside([loop.variable]):
            self._block(loop.body)
        if is_parallel:
            self._parallel.pop()
        made = self._taken(before)
        for coverage in made:  # neighbours that one iteration writes
            self._add(coverage, before)
        made = self._taken(before)
        for coverage in made if loop.is_whole else ():
            whole = coverage.over(loop.variable)
            in_frame = coverage.buffer.space == "frame" and not self._variables  # the frame of one iteration
            if whole is not None and not in_frame:
                self._add(whole, before)

    def _taken(self, since: int) -> list[Coverage]:
        """Remove and return the facts from a position on."""
        found = self._coverage[since:]
        del self._coverage[since:]
        return found

    def _add(self, coverage: Coverage, since: int) -> None:
        """Add a fact, joined with neighbouring facts from position `since` on."""
        for place in range(len(self._coverage) - 1, since - 1, -1):
            joined = self._coverage[place].joined(coverage)
            if joined is not None:
                del self._coverage[place]
                self._add(joined, since)
                return
        self._coverage.append(coverage)

    def _is_own(self, buffer: Buffer, loop: Loop) -> bool:
        """Test whether each iteration of a loop has a buffer of its own: the outermost one, of the frame."""
        return buffer.space == "frame" and self._variables[:1] in ([], [loop.variable])

    def _disjoint(self, loop: Loop) -> None:
        """Check that iterations of a parallel loop write different elements."""
        iterations = Iterations(loop)
        stores = [each for each in stores_of(loop) if not self._is_own(each.buffer, loop)]
        for store, other in combinations_with_replacement(stores, 2):
            same = store.buffer == other.buffer
            if same and not iterations.tell_apart(store.indices, other.indices):
                self._statement = other
                self._error(f"iterations of {loop.variable} may write one element of {store.buffer}")

    def _fold(self, fold: Fold) -> None:
        for start in fold.starts:
            self._expression(start)
        types = [start.type for start in fold.starts]
        self._judged = set()
        with self._inside(fold.loops):
            self._names.append(dict(zip(fold.names, types, strict=True)))
            for value in fold.combined:
                self._expression(value)
            self._names.pop()
        if [value.type for value in fold.combined] != types:
            self._error("a fold begins with one type and goes on with another")
        self._names[-1].update(zip(fold.names, types, strict=True))

    def _store(self, store: Store) -> None:
        buffer = store.buffer
        if buffer.space in ("input", "constant"):
            self._error(f"{buffer} is written")
        if buffer.element != store.value.type:
            self._error(f"a value of type {store.value.type} is stored to {buffer}")
        self._in_bounds(buffer, store.indices)
        self._coverage.append(written_by(store))

    # Expressions

    def _expression(self, expression: Expression) -> None:
        """Check an expression, once for a statement: it may be an operand of many others."""
        if expression in self._judged:
            return
        self._judged.add(expression)
        match expression:
            case Reference():
                types = [names[expression.name] for names in self._names if expression.name in names]
                if types[-1:] != [expression.type]:
                    self._error(f"{expression.name} is no value of type {expression.type} here")
            case Load():
                self._load(expression)
            case Position():
                self._index(expression.index)
            case Choose(conditions=conditions):
                for index, _ in conditions:
                    self._index(index)
                with self._under(conditions):
                    self._expression(expression.inside)
                with self._under(negated(conditions)):
                    self._expression(expression.outside)
            case _:
                for operand in expression.operands:
                    self._expression(operand)

    def _index(self, index: Index) -> None:
        """Check that each variable of an index belongs to a loop around it."""
        for atom, _ in index.terms:
            match atom:
                case Variable() if atom not in self._variables:
                    self._error(f"{atom} is the variable of no loop here")
                case Quotient(inner, _) | Remainder(inner, _):
                    self._index(inner)
                    if self._bounds(inner)[0] < 0:
                        self._error(f"{atom} divides a number that may be negative")
                case Number(value):
                    self._expression(value)

    def _load(self, load: Load) -> None:
        for index in load.indices:
            self._index(index)
        if not self._in_bounds(load.buffer, load.indices) or load.buffer.space in ("input", "constant"):
            return
        shared = [each for each in self._parallel if not self._is_own(load.buffer, each[0])]
        writers = [(loop, known) for loop, known in shared if _stores_to(loop, load)]
        since = max([known for _, known in writers], default=0)
        if self._is_written(load, since):
            return
        if since and self._is_written(load, 0):
            if not all(_reads_its_own(loop, load) for loop, _ in writers):
                text = f"{expression_text(load)} may read what another iteration writes"
                self._error(text, buffer=load.buffer)
            return
        unknown = any(True for index in load.indices for _ in numbers_of(index))
        text = f"{expression_text(load)} may read an element that was not written"
        self._error(text, unknown, load.buffer)

    def _is_written(self, load: Load, since: int) -> bool:
        """Test whether an element is written, by what is known to be written since some statement."""
        facts = [each for each in self._coverage[since:] if each.buffer == load.buffer]
        return covers(facts, load.indices, ((0, 0),) * len(load.indices), self._bounds)

    def _in_bounds(self, buffer: Buffer, indices: Indices) -> bool:
        for d, (index, extent) in enumerate(zip(indices, buffer.shape, strict=True)):
            low, high = self._bounds(index)
            if low < 0 or high >= extent:
                text = f"index {index}, {low} to {high}, is out of bounds in dimension {d} of {buffer}"
                self._error(text, buffer=buffer)
                return False
        return True

    def _bounds(self, index: Index) -> tuple[int, int]:
        """The bounds of an index where the conditions around it hold."""
        if not self._conditions:
            return index.bounds
        ranges = _ranges(self._conditions)
        for atom, _ in index.terms:
            if isinstance(atom, Quotient):
                low, high = [bound // atom.by for bound in self._bounds(atom.index)]
                least, most = ranges.get(atom, (0, atom.extent - 1))
                ranges[atom] = max(least, low), min(most, high)
        low, high = index.bounds_in(ranges)
        factor = gcd(*[coefficient for _, coefficient in index.terms])
        for other, bound in self._conditions:
            for each, limit in {(other, bound), (other * factor, bound * factor)}:
                low = max(low, limit + (index - each).bounds_in(ranges)[0])
                high = min(high, (index + each).bounds_in(ranges)[1] - limit)
        return low, high


def _is_covered(coverage: Coverage, facts: Sequence[Coverage]) -> bool:
    """Test whether the given facts cover the elements."""
    of_buffer = [each for each in facts if each.buffer == coverage.buffer]
    return covers(of_buffer, coverage.bases, coverage.spans, lambda index: index.bounds)


def _ranges(conditions: Sequence[Condition]) -> dict[Atom, tuple[int, int]]:
    """The ranges of atoms where conditions on these alone hold."""
    found: dict[Atom, tuple[int, int]] = {}
    for index, bound in conditions:
        if len(index.terms) == 1:
            ((atom, factor),) = index.terms
            low, high = found.get(atom, (0, atom.extent - 1))
            limit = (
                -((index.constant - bound) // factor) if factor > 0 else (bound - index.constant) // factor
            )
            found[atom] = (max(low, limit), high) if factor > 0 else (low, min(high, limit))
    return found


def _stores_to(loop: Loop, load: Load) -> list[Store]:
    """The stores of a loop to the buffer that a load reads."""
    return [store for store in stores_of(loop) if store.buffer == load.buffer]


def _reads_its_own(loop: Loop, load: Load) -> bool:
    """Test whether a load in an iteration reads nothing that other iterations write."""
    iterations, own = Iterations(loop), load.indices
    return all(own == s.indices or iterations.tell_apart(own, s.indices) for s in _stores_to(loop, load))
