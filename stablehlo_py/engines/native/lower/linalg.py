"""Small linear systems and factorizations: right-looking, row by row or column by column.

The row or column that updates the rest of a matrix is copied to scratch memory (`kernels/linalg.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from stablehlo_py.engines.native import cost
from stablehlo_py.engines.native.arithmetic.elements import element_of
from stablehlo_py.engines.native.loop_ir.expressions import (
    Buffer,
    Expression,
    choose,
    load,
    position,
    reference,
)
from stablehlo_py.engines.native.loop_ir.index import Index, Indices, Number, of_atom, of_variable
from stablehlo_py.engines.native.loop_ir.statements import Fold, Loop, Statement, Store
from stablehlo_py.engines.native.lower.records import by_loops
from stablehlo_py.engines.native.lower.values import (
    I32,
    I64,
    compare,
    convert,
    multiply_add,
    number,
    op,
    select,
)
from stablehlo_py.interpreter.plan import Plan, Step

if TYPE_CHECKING:
    from stablehlo_py.engines.native.lower.region import Lowering

SOLVE, LU = "stablehlo.triangular_solve", "lapack.getrf"
CHOLESKY, POTRF = "stablehlo.cholesky", "lapack.potrf"
SOLVERS = (SOLVE, LU, CHOLESKY, POTRF)


def is_native_solver(plan: Plan[Step], step: Step) -> bool:
    """Test whether a system or factorization is small, and of f32 or f64."""
    element = element_of(plan.types[step.ins[0]])
    same = {plan.tensor(slot).element_type for slot in (*step.ins, step.outs[0])}
    is_float = element is not None and element.is_float and element.is_wide
    most = cost.MATRIX // 2 if step.name in (CHOLESKY, POTRF) else cost.MATRIX
    return is_float and len(same) == 1 and min(plan.shape_of(step.ins[0])[-2:]) <= most


def copied(lowering: Lowering, slot: int, operand: int, batch: Indices) -> list[Statement]:
    """Copy a matrix of an operand to the result."""
    places = lowering.variables(lowering.shape(slot)[-2:])
    at = (*batch, *map(of_variable, places))
    return lowering.nested(places, [Store(lowering.buffers[slot], at, lowering.at(operand, at))])


def behind(
    lowering: Lowering, k: Index, extent: int, body: Callable[[Index], Sequence[Statement]]
) -> list[Statement]:
    """Statements for each index behind another one."""
    if extent == 1:
        return []
    (variable,) = lowering.variables([extent])
    return [Loop(variable, tuple(body(of_variable(variable))), "parallel", k + 1)]


@by_loops(SOLVE, supports=is_native_solver)
def _solve(lowering: Lowering, step: Step) -> Sequence[Statement]:
    """Solve triangular systems by substitution."""
    (slot,), (a, b), keywords = step.outs, step.ins, step.keywords
    result, shape, size = lowering.buffers[slot], lowering.shape(slot), lowering.shape(a)[-1]
    columns = shape[-1 if keywords["left_side"] else -2]
    swapped = (keywords["transpose_a"] != "NO_TRANSPOSE") != (not keywords["left_side"])
    forward = keywords["lower"] != swapped

    def matrix(batch: Indices) -> list[Statement]:
        def place(index: Index) -> Index:
            return index if forward else index * -1 + (size - 1)

        def factor(i: Index, k: Index) -> Expression:
            row, column = (place(k), place(i)) if swapped else (place(i), place(k))
            return lowering.at(a, (*batch, row, column))

        def at(i: Index, c: Index) -> Indices:
            return (*batch, place(i), c) if keywords["left_side"] else (*batch, c, place(i))

        def subtract(i: Index) -> list[Statement]:
            statements: list[Statement] = []
            minus = lowering.let(statements, op("negate", factor(i, k)))
            (column,) = lowering.variables([columns])
            c = of_variable(column)
            rest = multiply_add(minus, load(row, (*own, c)), load(result, at(i, c)))
            return [*statements, *lowering.nested([column], [Store(result, at(i, c), rest)])]

        own, row = lowering.for_each(batch, (columns,), lowering.type(slot), f"row{slot}")
        step_variable, column = lowering.variables([size, columns])
        k, c = of_variable(step_variable), of_variable(column)
        divided: list[Statement] = []
        value: Expression = load(result, at(k, c))
        value = value if keywords["unit_diagonal"] else op("divide", value, factor(k, k))
        known = lowering.let(divided, value)
        divided += [Store(result, at(k, c), known), Store(row, (*own, c), known)]
        body = [*lowering.nested([column], divided), *behind(lowering, k, size, subtract)]
        return [*copied(lowering, slot, b, batch), *lowering.nested([step_variable], body, "for")]

    return lowering.batched(shape[:-2], matrix)


@by_loops(CHOLESKY, supports=is_native_solver)
@by_loops(POTRF, supports=is_native_solver)
def _cholesky(lowering: Lowering, step: Step) -> Sequence[Statement]:
    """Write triangular factors.

    For the op, the factor of a matrix that is not positive definite is NaN, and elements outside of the
    triangle are 0. For LAPACK's routine, elements outside of the triangle are copied from the operand, and a
    second result has the order of the first minor that is not positive.
    """
    (operand,), slot = step.ins, step.outs[0]
    result, type, shape = lowering.buffers[slot], lowering.type(slot), lowering.shape(slot)
    size = shape[-1]

    def matrix(batch: Indices) -> list[Statement]:
        def at(i: Index, j: Index) -> Indices:
            return (*batch, i, j) if step.keywords["lower"] else (*batch, j, i)

        def scale(i: Index) -> list[Statement]:
            statements: list[Statement] = []
            value = lowering.let(statements, op("divide", load(result, at(i, k)), root))
            return [*statements, Store(result, at(i, k), value), Store(column, (*own, i), value)]

        def update(i: Index) -> list[Statement]:
            statements: list[Statement] = []
            minus = lowering.let(statements, op("negate", load(column, (*own, i))))
            (variable,) = lowering.variables([size])
            j = of_variable(variable)
            rest = multiply_add(minus, load(column, (*own, j)), load(result, at(i, j)))
            return [*statements, Loop(variable, (Store(result, at(i, j), rest),), "parallel", k + 1, i + 1)]

        own, column = lowering.for_each(batch, (size,), type, f"column{slot}")
        _, failed = lowering.for_each(batch, (), I32, f"failed{slot}")
        clear = lowering.over([size], lambda i: [Store(column, (*own, i), number(0, type))])
        before: list[Statement] = [*clear, Store(failed, own, number(0, I32))]
        (each,) = lowering.variables([size])
        k = of_variable(each)
        body: list[Statement] = []
        pivot = lowering.let(body, load(result, at(k, k)))
        root = lowering.let(body, op("sqrt", pivot))
        body += [_first_failure(failed, own, op("not", compare(pivot, "GT", number(0, type))), k)]
        body += [Store(result, at(k, k), root), *behind(lowering, k, size, scale)]
        body += behind(lowering, k, size, update)
        has_failed = compare(load(failed, own), "NE", number(0, I32))

        def finished(i: Index, j: Index) -> list[Statement]:
            factor = select(has_failed, number(np.nan, type), load(result, at(i, j)))
            beside = number(0, type) if step.name == CHOLESKY else lowering.at(operand, at(i, j))
            return [Store(result, at(i, j), choose(((i - j, 0),), factor, beside))]

        infos = [Store(lowering.buffers[s], batch, load(failed, own)) for s in step.outs[1:]]
        copy = copied(lowering, slot, operand, batch)
        return [
            *copy,
            *before,
            *lowering.nested([each], body, "for"),
            *lowering.over([size, size], finished),
            *infos,
        ]

    return lowering.batched(shape[:-2], matrix)


def _first_failure(failed: Buffer, own: Indices, fails: Expression, k: Index) -> Statement:
    """Keep the number of the first pivot that is none, from 1 on."""
    before = load(failed, own)
    first = op("and", fails, compare(before, "EQ", number(0, I32)))
    return Store(failed, own, select(first, convert(position(k + 1), I32), before))


@by_loops(LU, supports=is_native_solver)
def _factorize(lowering: Lowering, step: Step) -> Sequence[Statement]:
    """Write LU factorizations with partial pivoting: both factors in one matrix, pivots, and info."""
    slot, pivots, info = step.outs
    result, type = lowering.buffers[slot], lowering.type(slot)
    *extents, m, n = lowering.shape(slot)

    def matrix(batch: Indices) -> list[Statement]:
        def eliminate(i: Index) -> list[Statement]:
            statements: list[Statement] = []
            quotient = lowering.let(statements, op("divide", load(result, (*batch, i, k)), divisor))
            statements.append(Store(result, (*batch, i, k), quotient))

            def rest(j: Index) -> list[Statement]:
                old = load(result, (*batch, i, j))
                value = multiply_add(op("negate", quotient), load(row, (*own, j)), old)
                return [Store(result, (*batch, i, j), value)]

            return [*statements, *behind(lowering, k, n, rest)]

        own, row = lowering.for_each(batch, (n,), type, f"row{slot}")
        _, failed = lowering.for_each(batch, (), I32, f"failed{slot}")
        each, column, candidate = lowering.variables([min(m, n), n, m])
        k, j, i = map(of_variable, (each, column, candidate))
        best, chosen = reference(f"best{slot}", type), reference(f"pivot{slot}", I64)
        size = choose(((i - k, 0),), op("abs", load(result, (*batch, i, k))), number(-1, type))
        larger = compare(size, "GT", best)
        search = Fold(
            (best.name, chosen.name),
            (number(-1, type), convert(position(k), I64)),
            (candidate,),
            (select(larger, size, best), select(larger, convert(position(i), I64), chosen)),
        )
        pivot = of_atom(Number(chosen, m, clamps=False))
        swap: list[Statement] = []
        upper = lowering.let(swap, load(result, (*batch, k, j)))
        lower = lowering.let(swap, load(result, (*batch, pivot, j)))
        swap += [Store(result, (*batch, pivot, j), upper), Store(result, (*batch, k, j), lower)]
        swap.append(Store(row, (*own, j), lower))
        number_of_pivot = convert(op("add", chosen, number(1, I64)), I32)
        body: list[Statement] = [search, Store(lowering.buffers[pivots], (*batch, k), number_of_pivot)]
        body += lowering.nested([column], swap)
        found = lowering.let(body, load(row, (*own, k)))
        is_zero = compare(found, "EQ", number(0, type))
        body.append(_first_failure(failed, own, is_zero, k))
        divisor = lowering.let(body, select(is_zero, number(1, type), found))
        body += behind(lowering, k, m, eliminate)
        return [
            *copied(lowering, slot, step.ins[0], batch),
            Store(failed, own, number(0, I32)),
            *lowering.nested([each], body, "for"),
            Store(lowering.buffers[info], batch, load(failed, own)),
        ]

    return lowering.batched(extents, matrix)
