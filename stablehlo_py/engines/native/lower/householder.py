"""Small orthogonal factorizations: Householder reflections, column after column, as LAPACK makes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from stablehlo_py.engines.native.loop_ir.expressions import (
    Expression,
    choose,
    load,
    reference,
)
from stablehlo_py.engines.native.loop_ir.index import Index, Indices, of_variable
from stablehlo_py.engines.native.loop_ir.statements import Fold, Loop, Statement, Store
from stablehlo_py.engines.native.lower.linalg import behind, copied, is_native_solver
from stablehlo_py.engines.native.lower.records import by_loops
from stablehlo_py.engines.native.lower.values import compare, multiply, multiply_add, number, op, select
from stablehlo_py.interpreter.plan import Step

if TYPE_CHECKING:
    from stablehlo_py.engines.native.lower.region import Lowering

GEQRF, ORMQR, ORGQR = "lapack.geqrf", "lapack.ormqr", "lapack.orgqr"


@by_loops(GEQRF, supports=is_native_solver)
def _factorize(lowering: Lowering, step: Step) -> Sequence[Statement]:
    """Write QR factorizations: R with the vectors of reflections below it, and their factors."""
    (operand,), (slot, factors) = step.ins, step.outs
    result, type = lowering.buffers[slot], lowering.type(slot)
    *extents, m, n = lowering.shape(slot)
    zero, one = number(0, type), number(1, type)

    def matrix(batch: Indices) -> list[Statement]:
        own, vector = lowering.for_each(batch, (m,), type, f"vector{slot}")
        (each,) = lowering.variables([min(m, n)])
        k = of_variable(each)

        def below(fold: Index, otherwise: Expression, value: Expression) -> Expression:
            return choose(((fold - (k + 1), 0),), value, otherwise)

        def divide(i: Index) -> list[Statement]:
            statements: list[Statement] = []
            part = lowering.let(statements, op("divide", load(result, (*batch, i, k)), divisor))
            return [*statements, Store(result, (*batch, i, k), part), Store(vector, (*own, i), part)]

        def reflect(j: Index) -> list[Statement]:
            return _reflected(lowering, slot, k, factor, lambda i: load(vector, (*own, i)), (batch, j))

        body: list[Statement] = []
        diagonal = lowering.let(body, load(result, (*batch, k, k)))
        (row,) = lowering.variables([m])
        i = of_variable(row)
        largest = reference(f"largest{slot}", type)
        size = below(i, zero, op("abs", load(result, (*batch, i, k))))
        body.append(Fold((largest.name,), (zero,), (row,), (op("maximum", largest, size),)))
        whole = lowering.let(body, op("maximum", largest, op("abs", diagonal)))
        scale = lowering.let(body, select(compare(whole, "EQ", zero), one, whole))
        (row,) = lowering.variables([m])
        i = of_variable(row)
        squares = reference(f"squares{slot}", type)
        part = op("divide", below(i, zero, load(result, (*batch, i, k))), scale)
        body.append(Fold((squares.name,), (zero,), (row,), (multiply_add(part, part, squares),)))
        first = lowering.let(body, op("divide", diagonal, scale))
        length = multiply(scale, op("sqrt", multiply_add(first, first, squares)))
        length = lowering.let(body, length)
        signed = select(compare(diagonal, "EQ", zero), op("divide", one, diagonal), diagonal)  # also of -0
        other = lowering.let(body, select(compare(signed, "LT", zero), length, op("negate", length)))
        is_done = lowering.let(body, compare(largest, "EQ", zero))  # nothing to reflect
        ratio = op("divide", op("subtract", other, diagonal), other)
        factor = lowering.let(body, select(is_done, zero, ratio))
        divisor = lowering.let(body, select(is_done, one, op("subtract", diagonal, other)))
        body += [
            Store(lowering.buffers[factors], (*batch, k), factor),
            Store(result, (*batch, k, k), select(is_done, diagonal, other)),
            Store(vector, (*own, k), one),
            *behind(lowering, k, m, divide),
            *behind(lowering, k, n, reflect),
        ]
        return [
            *copied(lowering, slot, operand, batch),
            *lowering.over([m], lambda i: [Store(vector, (*own, i), zero)]),
            *lowering.nested([each], body, "for"),
        ]

    return lowering.batched(extents, matrix)


@by_loops(ORGQR, supports=is_native_solver)
@by_loops(ORMQR, supports=is_native_solver)
def _multiply(lowering: Lowering, step: Step) -> Sequence[Statement]:
    """Multiply matrices from the left by the orthogonal matrix of reflections, or by its transpose.

    The first columns of the orthogonal matrix are its product with the identity.
    """
    (a, factors, *operands), (slot,) = step.ins, step.outs
    result, shape = lowering.buffers[slot], lowering.shape(slot)
    *extents, m, n = shape
    count = lowering.shape(factors)[-1]
    zero, one = number(0, lowering.type(slot)), number(1, lowering.type(slot))

    def identity(batch: Indices) -> list[Statement]:
        def element(i: Index, j: Index) -> Expression:
            return choose(((i - j, 0), (j - i, 0)), one, zero)

        return lowering.over([m, n], lambda *at: [Store(result, (*batch, *at), element(*at))])

    def matrix(batch: Indices) -> list[Statement]:
        column, each = lowering.variables([n, count])
        index = of_variable(each)
        k = index if step.keywords.get("transpose") else index * -1 + (count - 1)

        def vector(i: Index) -> Expression:
            return choose(((i - (k + 1), 0),), lowering.at(a, (*batch, i, k)), one)

        body: list[Statement] = []
        factor = lowering.let(body, lowering.at(factors, (*batch, k)))
        body += _reflected(lowering, slot, k, factor, vector, (batch, of_variable(column)))
        inner = lowering.nested([each], body, "for")
        start = copied(lowering, slot, operands[0], batch) if operands else identity(batch)
        return [*start, *lowering.nested([column], inner)]

    return lowering.batched(extents, matrix)


def _reflected(
    lowering: Lowering,
    slot: int,
    k: Index,
    factor: Expression,
    vector: Callable[[Index], Expression],
    column: tuple[Indices, Index],
) -> list[Statement]:
    """Reflect a column of a result, from row k on, by a vector with elements for these rows."""
    buffer, rows = lowering.buffers[slot], lowering.shape(slot)[-2]
    zero = number(0, lowering.type(slot))
    batch, j = column
    statements: list[Statement] = []
    fold, row = lowering.variables([rows, rows])
    i = of_variable(fold)
    total = reference(f"total{slot}", zero.type)
    term = multiply_add(vector(i), load(buffer, (*batch, i, j)), total)
    statements.append(Fold((total.name,), (zero,), (fold,), (choose(((i - k, 0),), term, total),)))
    minus = lowering.let(statements, op("negate", multiply(factor, total)))
    i = of_variable(row)
    changed = multiply_add(minus, vector(i), load(buffer, (*batch, i, j)))
    return [*statements, Loop(row, (Store(buffer, (*batch, i, j), changed),), "parallel", k)]
