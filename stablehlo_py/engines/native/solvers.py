"""Small linear systems as loops: triangular systems and LU factorizations (`kernels/linalg.py`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from stablehlo_py.engines.native.arithmetic.llvm_ir import Value
from stablehlo_py.engines.native.index_space import Index, Indices, computed
from stablehlo_py.engines.native.loops import Range, nested, unravel
from stablehlo_py.engines.native.scope import Scope
from stablehlo_py.interpreter.plan import Plan, Step

_UNROLLED = 4  # rows that are subtracted between a load and a store

At = Callable[[Index, Index], Indices]


def solver_extent(plan: Plan[Step], step: Step) -> int:
    """The number of parts: the matrices."""
    return prod(plan.shape_of(step.ins[0])[:-2])


def solve(scope: Scope, step: Step, part: Range) -> None:
    """Write the solutions of triangular systems, by substitution."""
    shape = scope.shape(step.outs[0])
    each_matrix(scope, shape[:-2], part, lambda batch: _solve_one(scope, step, batch))


def each_matrix(scope: Scope, batch: Sequence[int], part: Range, body: Callable[[Indices], None]) -> None:
    """Write what is done for each matrix of a batch, a part of them for a thread."""
    with scope.b.loop(part.start, part.stop) as number:
        scope.enter()
        body(unravel(computed(number, prod(batch)), batch, scope.b))
        scope.leave()


def _copied(scope: Scope, slot: int, operand: int, batch: Indices) -> None:
    """Copy a matrix of an operand to the result."""
    target, shape = scope.buffers[slot], scope.shape(slot)
    nested(scope, shape[-2:], lambda at: scope.store(target, (*batch, *at), scope.at(operand, (*batch, *at))))


def _solve_one(scope: Scope, step: Step, batch: Indices) -> None:
    """Solve a system: row by row, where `place` gives the order of rows."""
    (slot,), (a, b) = step.outs, step.ins
    keywords = step.keywords
    _copied(scope, slot, b, batch)
    size, columns = scope.shape(a)[-1], scope.shape(slot)[-1 if keywords["left_side"] else -2]
    swapped = (keywords["transpose_a"] != "NO_TRANSPOSE") != (not keywords["left_side"])
    forward = keywords["lower"] != swapped

    def place(index: Index) -> Index:
        return index if forward else size - 1 - index

    def factor(i: Index, k: Index) -> Value:
        row, column = place(i), place(k)
        return scope.at(a, (*batch, column, row) if swapped else (*batch, row, column))

    def at(i: Index, c: Index) -> Indices:
        return (*batch, place(i), c) if keywords["left_side"] else (*batch, c, place(i))

    def row(rows: Indices) -> None:
        (i,) = rows
        _subtract(scope, slot, i, size, columns, factor, at)
        if keywords["unit_diagonal"]:
            return
        divisor, target = factor(i, i), scope.buffers[slot]
        nested(
            scope,
            (columns,),
            lambda c: scope.store(target, at(i, c[0]), scope.load(slot, at(i, c[0])) / divisor),
        )

    nested(scope, (size,), row)


def _subtract(
    scope: Scope,
    slot: int,
    i: Index,
    size: int,
    columns: int,
    factor: Callable[[Index, Index], Value],
    at: At,
) -> None:
    """Subtract the rows before row `i`, times its factors, from it: some at a time, along memory."""
    b, target = scope.b, scope.buffers[slot]
    zero, count = b.constant(0, "i64"), i.emit(b)
    whole = b.emit("i64", f"udiv {count}, {_UNROLLED}")

    def subtract(first: Index, several: int) -> None:
        rows = [first + k for k in range(several)]
        factors = [-factor(i, k) for k in rows]

        def element(c: Indices) -> None:
            total = scope.load(slot, at(i, c[0]))
            for k, value in zip(rows, factors, strict=True):
                total = value.call("fma", scope.load(slot, at(k, c[0])), total)
            scope.store(target, at(i, c[0]), total)

        nested(scope, (columns,), element)

    for start, stop, several in ((zero, whole, _UNROLLED), (whole * _UNROLLED, count, 1)):
        with b.loop(start, stop) as number:
            scope.enter()
            subtract(computed(number, -(-size // several)) * several, several)
            scope.leave()


def factorize(scope: Scope, step: Step, part: Range) -> None:
    """Write LU factorizations with partial pivoting: both factors in one matrix, pivots, and info."""
    shape = scope.shape(step.ins[0])
    each_matrix(scope, shape[:-2], part, lambda batch: _factorize_one(scope, step, batch))


def _factorize_one(scope: Scope, step: Step, batch: Indices) -> None:
    lu, pivots, info = step.outs
    b, (m, n) = scope.b, scope.shape(lu)[-2:]
    element, zero = scope.element(lu), b.constant(0, "i64")
    _copied(scope, lu, step.ins[0], batch)
    failed, best, chosen = b.alloca("i32"), b.alloca(element.compute), b.alloca("i64")
    b.store(b.constant(0, "i32"), failed, zero)

    def column(columns: Indices) -> None:
        (k,) = columns
        here = k.emit(b)
        b.store(b.constant(-1.0, element.compute), best, zero)
        b.store(here, chosen, zero)

        def look(i: Index) -> None:
            size, before = scope.load(lu, (*batch, i, k)).call("fabs"), b.load(element.compute, best, zero)
            larger = size > before
            b.store(larger.select(size, before), best, zero)
            b.store(larger.select(i.emit(b), b.load("i64", chosen, zero)), chosen, zero)

        _loop(scope, here, m, look)
        pivot = b.load("i64", chosen, zero)
        scope.store(scope.buffers[pivots], (*batch, k), (pivot + 1).convert("trunc", "i32"))
        _swap(scope, lu, batch, k, computed(pivot, m))
        divisor = scope.load(lu, (*batch, k, k))
        singular, number = divisor.equals(0.0), b.load("i32", failed, zero)
        first = singular & number.equals(0)
        b.store(first.select((here + 1).convert("trunc", "i32"), number), failed, zero)
        scale = singular.select(1.0, divisor)

        def eliminate(i: Index) -> None:
            quotient = scope.load(lu, (*batch, i, k)) / scale
            scope.store(scope.buffers[lu], (*batch, i, k), quotient)

            def element_of_row(j: Index) -> None:
                value = (-quotient).call(
                    "fma", scope.load(lu, (*batch, k, j)), scope.load(lu, (*batch, i, j))
                )
                scope.store(scope.buffers[lu], (*batch, i, j), value)

            _loop(scope, here + 1, n, element_of_row)

        _loop(scope, here + 1, m, eliminate)

    nested(scope, (min(m, n),), column)
    scope.store(scope.buffers[info], batch, b.load("i32", failed, zero))


def _loop(scope: Scope, start: Value, extent: int, body: Callable[[Index], None]) -> None:
    with scope.b.loop(start, scope.b.constant(extent, "i64")) as i:
        scope.enter()
        body(computed(i, extent))
        scope.leave()


def _swap(scope: Scope, slot: int, batch: Indices, first: Index, second: Index) -> None:
    """Swap two rows, which may be the same."""
    target = scope.buffers[slot]

    def swap(c: Indices) -> None:
        one, other = ((*batch, row, *c) for row in (first, second))
        values = scope.load(slot, one), scope.load(slot, other)
        scope.store(target, one, values[1])
        scope.store(target, other, values[0])

    nested(scope, scope.shape(slot)[-1:], swap)
