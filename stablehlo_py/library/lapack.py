"""Calls of LAPACK: what each routine takes, by the targets that JAX exports for CPUs.

A row is a function that lists the arguments of a routine, in the order of LAPACK. Sizes of work arrays are
those that LAPACK's documentation states, with room for blocks of columns where routines use it. Integers have
32 bits, and names end with an underscore, as Fortran compilers have them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, Literal, NamedTuple

from stablehlo_py.engines.native.loop_ir.statements import ExternalCall, Statement
from stablehlo_py.engines.native.lower.control import called
from stablehlo_py.engines.native.lower.records import by_loops, is_native_type
from stablehlo_py.engines.native.lower.region import Lowering
from stablehlo_py.engines.native.passes.custom_calls import is_built_in
from stablehlo_py.engines.native.passes.plan_writer import PlanWriter, with_forms
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import IntegerType
from stablehlo_py.kernels.targets import lapack
from stablehlo_py.kernels.targets.registry import configuration, registered
from stablehlo_py.opset.attribute_conversion import python_value

CALL = "lapack.call"  # the name of a step that the library makes by a call of LAPACK
_TARGET = re.compile(r"lapack_([sdcz])(\w+)_ffi")
_MOST = (1 << 31) - 1  # of LAPACK's integers
_ALIGNMENT = 64  # bytes, of arrays in the memory of a call
_BLOCK = 32  # columns that routines compute at once
_TRIANGLES = 65 * 64  # elements of triangular factors beside the blocks
_BYTE = IntegerType(8, "u")


class Place(NamedTuple):
    """An array in the memory of a call; a matrix has its columns behind each other there.

    Attributes:
        rows: Its number of rows.
        columns: Its number of columns.
        element: Its elements: those of the first operand, their real type, or LAPACK's integers.
        operand: The operand that it is a copy of.
        result: The result that is a copy of it.
        skipped: How many elements are before the first that the routine takes.
        in_pairs: Whether two columns are the real and imaginary parts of the vectors of a pair of complex
            eigenvalues, whose imaginary parts are the second result.
    """

    rows: int
    columns: int = 1
    element: Literal["T", "R", "i"] = "T"
    operand: int | None = None
    result: int | None = None
    skipped: int = 0
    in_pairs: bool = False


Argument = int | str | float | Place | None  # a letter is text; a float is of the matrix's type


class Routine(NamedTuple):
    """A call of a routine for each matrix of a batch.

    Attributes:
        name: The name of the routine in Fortran.
        arguments: What it takes.
        batch: The number of matrices.
        size: The bytes of an element of the first operand.
        is_complex: Whether these are complex.
    """

    name: str
    arguments: Sequence[Argument]
    batch: int
    size: int
    is_complex: bool

    def bytes_of(self, place: Place) -> int:
        """The bytes of an element of an array."""
        return {"T": self.size, "R": self.size // (2 if self.is_complex else 1), "i": 4}[place.element]

    @property
    def places(self) -> list[tuple[Place, int]]:
        """Its arrays, with the offsets of their bytes in the memory of a call."""
        found, at = [], 0
        for place in self.arguments:
            if isinstance(place, Place):
                found.append((place, at))
                at += -(-place.rows * place.columns * self.bytes_of(place) // _ALIGNMENT) * _ALIGNMENT
        return found

    @property
    def memory(self) -> int:
        """The bytes of memory that a call needs."""
        place, at = self.places[-1]
        return at + place.rows * place.columns * self.bytes_of(place)


class _Call(NamedTuple):
    """A custom call: the shapes of its operands and results, and its options."""

    operands: Sequence[Sequence[int]]
    results: Sequence[Sequence[int]]
    is_complex: bool
    options: Mapping[str, Any]

    @property
    def m(self) -> int:
        return self.operands[0][-2]

    @property
    def n(self) -> int:
        return self.operands[0][-1]

    @property
    def k(self) -> int:
        return min(self.m, self.n)

    def letter(self, name: str) -> str:
        return chr(self.options[name]).upper()

    def matrix(self, operand: int = 0, result: int | None = 0) -> Place:
        """An operand that the routine overwrites, by a result."""
        *_, rows, columns = self.operands[operand]
        return Place(rows, columns, operand=operand, result=result)

    def real_work(self, count: int) -> list[Argument]:
        """The work array of real numbers that routines on complex matrices take besides."""
        return [_real(count)] if self.is_complex else []


def _vector(count: int, result: int | None = None) -> Place:
    return Place(max(1, count), result=result)


def _real(count: int, result: int | None = None) -> Place:
    return Place(max(1, count), element="R", result=result)


def _integers(count: int, result: int | None = None) -> Place:
    return Place(max(1, count), element="i", result=result)


def _info(result: int | None = None) -> Place:
    return _integers(1, result)


def _work(count: int) -> list[Argument]:
    """A work array, and its size."""
    return [_vector(count), max(1, count)]


def _potrf(c: _Call) -> list[Argument]:
    return [c.letter("uplo"), c.n, c.matrix(), c.n, _info(1)]


def _getrf(c: _Call) -> list[Argument]:
    return [c.m, c.n, c.matrix(), c.m, _integers(c.k, 1), _info(2)]


def _geqrf(c: _Call) -> list[Argument]:
    return [c.m, c.n, c.matrix(), c.m, _vector(c.k, 1), *_work(c.n * _BLOCK), _info()]


def _geqp3(c: _Call) -> list[Argument]:
    pivots = Place(c.n, element="i", operand=1, result=1)
    work = [*_work(3 * c.n + 1 + c.n * _BLOCK), *c.real_work(2 * c.n)]
    return [c.m, c.n, c.matrix(), c.m, pivots, _vector(c.k, 2), *work, _info()]


def _orgqr(c: _Call) -> list[Argument]:
    *_, count = c.operands[1]
    factors = Place(count, operand=1)
    return [c.m, c.n, count, c.matrix(), c.m, factors, *_work(c.n * _BLOCK), _info()]


def _ormqr(c: _Call) -> list[Argument]:
    (*_, count), (*_, rows, columns) = c.operands[1:]
    side, transposed = "L" if c.options["left"] else "R", "C" if c.is_complex else "T"
    how: list[Argument] = [side, transposed if c.options["transpose"] else "N", rows, columns, count]
    work = _work(max(rows, columns) * _BLOCK + _TRIANGLES)
    factors = Place(count, operand=1)
    return [*how, c.matrix(result=None), c.m, factors, c.matrix(2), rows, *work, _info()]


def _gehrd(c: _Call) -> list[Argument]:
    work = _work(c.n * _BLOCK + _TRIANGLES)
    sides = [c.options["low"], c.options["high"]]
    return [c.n, *sides, c.matrix(), c.n, _vector(c.n - 1, 1), *work, _info(2)]


def _sytrd(c: _Call) -> list[Argument]:
    form = [_real(c.n, 1), _real(c.n - 1, 2), _vector(c.n - 1, 3)]
    return [c.letter("uplo"), c.n, c.matrix(), c.n, *form, *_work(c.n * _BLOCK), _info(4)]


def _syevd(c: _Call) -> list[Argument]:
    n, integers, reals = c.n, 3 + 5 * c.n, 1 + 5 * c.n + 2 * c.n * c.n
    real_work: list[Argument] = [_real(reals), reals] if c.is_complex else []
    work = [*_work(1 + 6 * n + 2 * n * n + n * _BLOCK), *real_work, _integers(integers), integers]
    return [c.letter("mode"), c.letter("uplo"), n, c.matrix(), n, _real(n, 1), *work, _info(2)]


def _singular(c: _Call) -> list[Argument]:
    """What routines for singular values take behind the mode."""
    (*_, left), (*_, right, _) = c.results[2:4]
    vectors: list[Argument] = [Place(c.m, left, result=2), c.m, Place(right, c.n, result=3), right]
    return [c.m, c.n, c.matrix(), c.m, _real(c.k, 1), *vectors]


def _gesdd(c: _Call) -> list[Argument]:
    most, k = max(c.m, c.n), c.k
    real = c.real_work(max(5 * k * k + 7 * k, 2 * most * k + 2 * k * k + k))
    work = [*_work(4 * k * k + 7 * k + most + (c.m + c.n) * _BLOCK), *real]
    return [c.letter("mode"), *_singular(c), *work, _integers(8 * k), _info(4)]


def _gesvd(c: _Call) -> list[Argument]:
    most, k, mode = max(c.m, c.n), c.k, c.letter("mode")
    work = [*_work(max(3 * k + most, 5 * k) + (c.m + c.n) * _BLOCK), *c.real_work(5 * k)]
    return [mode, mode, *_singular(c), *work, _info(4)]


def _eigenvalues(c: _Call, first: int) -> list[Place]:
    """The results for eigenvalues: those of real matrices are two vectors."""
    return [_vector(c.n, first + k) for k in range(1 if c.is_complex else 2)]


def _geev(c: _Call) -> list[Argument]:
    n, values = c.n, _eigenvalues(c, 0)
    at, in_pairs = len(values), not c.is_complex
    left, right = [Place(n, n, result=at + k, in_pairs=in_pairs) for k in (0, 1)]
    how: list[Argument] = [c.letter("compute_left"), c.letter("compute_right"), n, c.matrix(result=None), n]
    work = [*_work(4 * n + n * _BLOCK), *c.real_work(2 * n)]
    return [*how, *values, left, n, right, n, *work, _info(at + 2)]


def _gees(c: _Call) -> list[Argument]:
    n, values = c.n, _eigenvalues(c, 2)
    at = 2 + len(values)
    how: list[Argument] = [c.letter("mode"), c.letter("sort"), None, n, c.matrix(), n, _integers(1, at)]
    work = [*_work(3 * n + n * _BLOCK), *c.real_work(n)]
    return [*how, *values, Place(n, n, result=1), n, *work, _integers(n), _info(at + 1)]


def _trsm(c: _Call) -> list[Argument]:
    *_, rows, columns = c.operands[1]
    how: list[Argument] = [c.letter(name) for name in ("side", "uplo", "trans_x", "diag")]
    return [*how, rows, columns, 1.0, c.matrix(result=None), c.n, c.matrix(1, 0), rows]


def _gtsv(c: _Call) -> list[Argument]:
    n, (*_, columns) = c.n, c.operands[3]
    bands = [Place(n, operand=k, result=k, skipped=1 if k == 0 else 0) for k in range(3)]
    return [n, columns, *bands, c.matrix(3, 3), n, _info(4)]


_ROUTINES: Mapping[str, Callable[[_Call], list[Argument]]] = {
    "potrf": _potrf,
    "getrf": _getrf,
    "geqrf": _geqrf,
    "geqp3": _geqp3,
    "orgqr": _orgqr,
    "ungqr": _orgqr,
    "ormqr": _ormqr,
    "unmqr": _ormqr,
    "gehrd": _gehrd,
    "sytrd": _sytrd,
    "hetrd": _sytrd,
    "syevd": _syevd,
    "heevd": _syevd,
    "gesdd": _gesdd,
    "gesvd": _gesvd,
    "geev": _geev,
    "gees": _gees,
    "trsm": _trsm,
    "gtsv": _gtsv,
}
_OF_VECTORS = ("gtsv",)  # whose first operand has no rows
_OTHER_FORMS = {"perturb_singular": True, "sort": ord("S")}  # options of calls that LAPACK has no routine for
_OPTIONAL = {"perturb_singular"}


def routine(plan: Plan[Step], step: Step) -> Routine | None:
    """Return the routine that a step calls; None for other steps, and for what LAPACK does not take."""
    target = str(step.keywords.get("call_target_name", ""))
    found = _TARGET.fullmatch(target)
    if found is None or found[2] not in _ROUTINES or step.op is None or not is_built_in(step, lapack):
        return None
    given = {name: python_value(value) for name, value in (step.op.properties | step.op.attributes).items()}
    options, known = configuration(target, given), registered(target)
    needed = {*(known.attributes or ())} - _OPTIONAL if known else set[str]()
    if needed - options.keys() or any(options.get(name) == value for name, value in _OTHER_FORMS.items()):
        return None
    if not all(is_native_type(plan.types[slot]) for slot in (*step.ins, *step.outs)):
        return None
    letter, name = found.groups()
    operands, results = ([plan.shape_of(slot) for slot in slots] for slots in (step.ins, step.outs))
    arguments = _ROUTINES[name](_Call(operands, results, letter in "cz", options))
    if any(isinstance(each, int) and each > _MOST for each in arguments):
        return None
    batch = prod(operands[0][: -1 if name in _OF_VECTORS else -2])
    size = numpy_dtype(plan.tensor(step.ins[0]).element_type).itemsize
    return Routine(f"{letter}{name}_", arguments, batch, size, letter in "cz")


def with_calls(plan: Plan[Step]) -> Plan[Step]:
    """Return a plan whose calls of LAPACK are steps that the library makes by calls of its routines."""
    return with_forms(plan, lambda step: _call)


def _call(writer: PlanWriter, step: Step) -> bool:
    found = routine(writer.plan, step)
    if found is not None:
        several, keywords = len(step.outs) > 1, {"routine": found}
        writer.put(Step(CALL, step.op, step.ins, step.outs, keywords=keywords, returns_tuple=several))
    return found is not None


@by_loops(CALL)
def _called(lowering: Lowering, step: Step) -> Sequence[Statement]:
    """The call of a routine, whose memory is a buffer that it writes."""
    *before, call = called(lowering, step)
    assert isinstance(call, ExternalCall)
    memory = lowering.scratch([step.keywords["routine"].memory], _BYTE, "work")
    return [*before, ExternalCall(call.number, call.reads, (*call.writes, memory))]
