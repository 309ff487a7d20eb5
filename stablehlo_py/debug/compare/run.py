"""The run in step: each op gets the operands of the other run, so that only its own error shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from stablehlo_py.debug.compare.errors import ValueDifference, is_small, same_bits, value_error
from stablehlo_py.debug.compare.findings import Comparison, OpDifference
from stablehlo_py.debug.compare.precision import Precision, alike, epsilon, is_float, is_rounding, narrower
from stablehlo_py.debug.compare.sources import ByProcess, Event, Results, Source, Stopped
from stablehlo_py.debug.compare_arrays import Tolerance
from stablehlo_py.diagnostics.origin import origin
from stablehlo_py.engines.program import compile_program
from stablehlo_py.interpreter.observer import Moment, Observer
from stablehlo_py.ir.attributes import DenseElementsAttr, DenseResourceAttr
from stablehlo_py.ir.core import Module, Operation, OpResult, Value
from stablehlo_py.ir.types import FloatType, TensorType
from stablehlo_py.opset.definition import has_trait

Operand = tuple[int, Value, Any]  # its position, the value, and the other run's array


@dataclass(frozen=True, slots=True)
class Counterparts:
    """The ops of the other program.

    Attributes:
        module: The other program; None for values from files.
        ops: The counterpart of each op.
        details: Describes how an op and its counterpart differ.
        exact: The ops that have equal results as their counterparts on equal operands, and so need not run.
        last: The last op of the function's body that may differ; None if none may, or all are compared.
        precision: What the float types of both programs have in common.
    """

    module: Module | None
    ops: dict[Operation, Operation]
    details: Callable[[Operation], Iterator[str]]
    exact: Set[Operation] = frozenset()
    last: Operation | None = None
    precision: Precision = field(default_factory=Precision)

    def rounding(self, op: Operation) -> FloatType | None:
        """Return the type to which an op or its counterpart rounds and the other does not, if any."""
        return self.precision.rounding(op, self.ops[op])

    def has_equal_rest(self, op: Operation) -> bool:
        """Test whether ops follow an op of the function's body, up to its end, that need not run."""
        rest = op.parent.ops[op.parent.ops.index(op) + 1 :] if op.parent is not None else []
        return any(each in self.exact and each.results for each in rest)


class Settings(NamedTuple):
    """What is compared.

    Attributes:
        tolerance: The tolerance of each value.
        until: Tests whether an op is the last one to be compared.
        top: The number of other ops to report.
        explained: Tests whether rounding of the operands explains the error of an op.
    """

    tolerance: Tolerance
    until: Callable[[Operation], bool]
    top: int
    explained: Callable[[Operation, Results, Results, Results, FloatType | None], bool] = lambda *_: False

    @property
    def has_default_tolerance(self) -> bool:
        """Whether each type has its default tolerance."""
        return self.tolerance == Tolerance(floor=self.tolerance.floor)


class InStep(Observer):
    """Compares the results of each op with the results in the other run, and continues with the latter.

    Args:
        module: The program that is run.
        counterparts: The ops of the other program.
        source: The values of the other run.
        settings: What is compared.
    """

    def __init__(
        self, module: Module, counterparts: Counterparts, source: Source, settings: Settings
    ) -> None:
        self.comparison = Comparison()
        self.first_event: Event | None = None  # the execution of `comparison.first`
        self.operands: tuple[Operand, ...] = ()  # the operands of that execution
        self._module = module
        self._counterparts = counterparts
        self._source = source
        self._settings = settings
        self.had_differences = False  # before the execution of `comparison.first`
        self._given: Results | None = None  # the results of an op that does not run
        self.differs_in_precision = counterparts.precision.differs
        self.unmatched_lines: set[int] = set()  # of ops that ran without a counterpart
        self._others: dict[object, OpDifference] = {}  # the largest difference of each op in the text

    def before(self, moment: Moment, operands: Results) -> Results | None:
        """Return the results of the other run for an op that need not run."""
        if moment.op not in self._counterparts.exact:
            return None
        self._given = self._take(moment)
        return self._given

    def _take(self, moment: Moment) -> Results | None:
        other = self._counterparts.ops.get(moment.op)
        return None if other is None else self._source.take(Event(other, moment.iterations, moment.process))

    def after(self, moment: Moment, operands: Results, results: Results) -> Results | None:
        """Compare results, and return the results of the other run."""
        op = moment.op
        theirs, self._given = (self._given, None) if self._given is not None else (self._take(moment), None)
        if theirs is None and not self._counterparts.precision.skips(op):
            self.comparison.unmatched += 1
            if op not in self._counterparts.ops:
                self.unmatched_lines.add(self._module.line(op))
        elif theirs is not None:
            self.comparison.ops += 1
            self._compare(moment, operands, results, theirs)
            theirs = tuple([_usable(a, b) for a, b in zip(results, theirs, strict=True)])
        if self._settings.until(op):
            raise Stopped
        self._stop_if_rest_is_equal(op)
        return theirs

    def _stop_if_rest_is_equal(self, op: Operation) -> None:
        """End the run after the last op that may differ, if an op differs."""
        parts, found = self._counterparts, self.comparison
        is_last = op is parts.last or (parts.last is None and bool(parts.exact))
        if is_last and found.first is not None and not found.first.ok:
            if parts.has_equal_rest(op):
                found.notes = ["the rest of both programs is equal"]  # once for all processes
            raise Stopped

    def returned(self, function: Operation, mine: ByProcess, theirs: ByProcess) -> None:
        """Compare the results of the program, which differ if the programs return other values.

        Results of ops without a counterpart are not compared here: their error is no error of the terminator.
        """
        last = function.entry_block.terminator
        if last is None or last not in self._counterparts.ops or not all(map(self._is_known, last.operands)):
            return
        for place, results in mine.items():
            others = theirs.get(place, ())
            if len(results) == len(others):
                moment = Moment(self._module, last.name, last, (last,), (), place)
                self._compare_values(moment, last.operands, (), results, others)

    def constants(self) -> None:
        """Compare ops without operands, whose results the run takes as constants, and use the others'."""
        for op in self._module.walk():
            other = self._counterparts.ops.get(op)
            if other is None or op.operands or op.regions or not op.results:
                continue
            is_converted = isinstance(other.properties.get("value"), DenseResourceAttr) or (
                "value" in other.properties and other.result.type != op.result.type
            )
            if other.name == op.name and (is_converted or other.properties != op.properties):
                mine = _constant_value(op, self._module)
                theirs = _constant_value(other, self._counterparts.module)
                if mine is not None and theirs is not None:
                    moment = Moment(self._module, op.name, op, (op,), (), (0, 0))
                    in_range = self._counterparts.precision.in_range
                    self._compare(moment, (), in_range(mine), in_range(theirs))
                if self._counterparts.precision.is_rounded(op, other):
                    continue
                op.properties = dict(other.properties)
                if is_converted and theirs is not None and isinstance(op.result.type, TensorType):
                    data = np.array(theirs[0] if mine is None else _usable(mine[0], theirs[0])).reshape(-1)
                    data.flags.writeable = False
                    op.properties["value"] = DenseElementsAttr(op.result.type, data)

    def _compare(self, moment: Moment, operands: Results, mine: Results, theirs: Results) -> None:
        self._compare_values(moment, moment.op.results, operands, mine, theirs)

    def _compare_values(
        self, moment: Moment, names: Sequence[Value], operands: Results, mine: Results, theirs: Results
    ) -> None:
        rounding = next(filter(None, map(narrower, mine, theirs)), None)
        if rounding is not None:
            mine, theirs = (tuple(values) for values in zip(*map(alike, mine, theirs), strict=True))
        if all(map(same_bits, mine, theirs)):
            return
        op, quick = moment.op, self._settings.has_default_tolerance
        rounding, tolerance = self._counterparts.rounding(op) or rounding, self._settings.tolerance
        if rounding is not None:
            tolerance = tolerance.rounded(epsilon(rounding))
        if _origin(op) in self._others and quick and all(map(_is_small_or_same, mine, theirs)):
            return
        pairs = zip(names, mine, theirs, strict=True)
        values = [value_error(value, a, b, tolerance) for value, a, b in pairs if _array(a)]
        values = [value for value in values if value.comparison is not None]
        ok = all(value.ok for value in values)
        if rounding is not None and quick:
            ok &= all(
                is_rounding(a, b, rounding, bool(op.operands)) for a, b in zip(mine, theirs, strict=True)
            )
        ok = ok or self._is_explained(op, operands, mine, theirs, rounding)
        self._add(moment, operands, self._described(moment, ok, tuple(values)))

    def _is_explained(
        self,
        op: Operation,
        operands: Results,
        mine: Results,
        theirs: Results,
        rounding: FloatType | None,
    ) -> bool:
        """Test whether rounding explains the error of an op, which is the same in both programs."""
        if any(True for _ in self._counterparts.details(op)):
            return False
        return self._settings.explained(op, operands, mine, theirs, rounding)

    def _add(self, moment: Moment, operands: Results, found: OpDifference) -> None:
        first = self.comparison.first
        if first is None or (first.ok and not found.ok):
            self.had_differences = bool(self._others)
            self.comparison.first = found
            self.first_event = Event(moment.op, moment.iterations, moment.process)
            pairs = enumerate(zip(moment.op.operands, operands, strict=False))
            self.operands = tuple([(i, value, array) for i, (value, array) in pairs if self._is_known(value)])
        before = self._others.get(_origin(moment.op))
        if before is None or (before.ok, -before.size) > (found.ok, -found.size):
            self._others[_origin(moment.op)] = found

    def _is_known(self, value: Value) -> bool:
        """Test whether a value has a counterpart, whose array is used in its place."""
        root = self._counterparts.precision.root(value)
        return not isinstance(root, OpResult) or root.op in self._counterparts.ops

    def _described(self, moment: Moment, ok: bool, values: tuple[ValueDifference, ...]) -> OpDifference:
        op, other = moment.op, self._counterparts.ops[moment.op]
        line, column = self._module.position(op)
        there = self._counterparts.module
        other_line, other_text = (0, "") if there is None else _line_of(there, other)
        return OpDifference(
            op=op.name,
            line=line,
            column=column,
            text=_line_of(self._module, op)[1],
            other_line=other_line,
            other_text=other_text,
            origin=tuple(origin(op.location)),
            iterations=moment.iterations,
            process=moment.process,
            details=tuple(self._counterparts.details(op)),
            ok=ok,
            results=values,
        )

    def finish(self) -> Comparison:
        """Order the differences and return the comparison."""
        found = self.comparison
        if self.first_event is not None:
            del self._others[_origin(self.first_event.op)]
        found.others = sorted(self._others.values(), key=lambda each: (each.ok, -each.size))
        del found.others[self._settings.top :]
        found.error = self._source.error
        found.unmatched_lines = sorted(self.unmatched_lines)
        return found


def _constant_value(op: Operation, module: Module | None) -> Results | None:
    """Return the results of an op without operands; None if they cannot be computed."""
    from stablehlo_py.debug.subprograms import subprogram

    if module is None or not has_trait(op.name, "pure") or has_trait(op.name, "reads_process_id"):
        return None
    part = subprogram(module, [op], op.results)
    return tuple(compile_program(part.module, "main", engine="numpy")())


def _origin(op: Operation) -> object:
    """Return what the copies of an op in inlined calls have in common: its place in the text."""
    return op.offset if op.offset >= 0 else op


def _line_of(module: Module, op: Operation) -> tuple[int, str]:
    """Return the number and the text of the line of an op; 0 and "" if it is in no line."""
    line = module.line(op)
    return line, module.source.line(line).strip() if line else ""


def _array(value: Any) -> bool:
    return hasattr(value, "dtype")


def _is_small_or_same(mine: Any, theirs: Any) -> bool:
    return same_bits(mine, theirs) or (_array(mine) and _array(theirs) and is_small(mine, theirs))


def _usable(mine: Any, theirs: Any) -> Any:
    """Return the other run's array, if it can take the place of this one; floats in the same type."""
    if is_float(mine) and is_float(theirs) and mine.shape == theirs.shape:
        return theirs.astype(mine.dtype, copy=False)
    if _array(mine) and (not _array(theirs) or mine.dtype != theirs.dtype or mine.shape != theirs.shape):
        return mine
    return theirs


class Accumulated(Observer):
    """Compares the operands and results of one execution with another run, then ends the run."""

    def __init__(self, event: Event, operands: Sequence[Operand], tolerance: Tolerance) -> None:
        self.found: list[ValueDifference] = []
        self._event = event
        self._operands = operands
        self._tolerance = tolerance

    def after(self, moment: Moment, operands: Results, results: Results) -> None:
        """Compare the operands of the execution."""
        if Event(moment.op, moment.iterations, moment.process) == self._event:
            self.found = [
                value_error(value, operands[i], theirs, self._tolerance)
                for i, value, theirs in self._operands
                if i < len(operands)
            ]
            raise Stopped


def with_operands(found: OpDifference, operands: Sequence[ValueDifference]) -> OpDifference:
    """Return a difference with the errors of the operands."""
    return replace(found, operands=tuple(operands))
