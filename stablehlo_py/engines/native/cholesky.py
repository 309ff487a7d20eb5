"""Cholesky factorizations of small matrices as loops (`kernels/linalg.py`), row by row."""

from __future__ import annotations

import math

from stablehlo_py.engines.native.arithmetic.llvm_ir import Value
from stablehlo_py.engines.native.index_space import Index, Indices, computed
from stablehlo_py.engines.native.loops import Range, nested
from stablehlo_py.engines.native.lower.linalg import CHOLESKY
from stablehlo_py.engines.native.scope import Scope
from stablehlo_py.engines.native.solvers import each_matrix
from stablehlo_py.interpreter.plan import Step


def cholesky(scope: Scope, step: Step, part: Range) -> None:
    """Write triangular factors.

    Those of the op are NaN where a matrix is not positive definite, and 0 beside the triangle. Those of
    LAPACK's routine have the operand beside it, and the order of the first minor that is not positive.
    """
    shape = scope.shape(step.outs[0])
    each_matrix(scope, shape[:-2], part, lambda batch: _Factor(scope, step, batch).emit())


class _Factor:
    """The factor of one matrix."""

    def __init__(self, scope: Scope, step: Step, batch: Indices) -> None:
        self.scope = scope
        self.b = scope.b
        self.step = step
        self.batch = batch
        self.slot = step.outs[0]
        self.size = scope.shape(self.slot)[-1]
        self.compute = scope.element(self.slot).compute
        self.failed = self.b.alloca("i32")
        self.total = self.b.alloca(self.compute)
        self.zero = self.b.constant(0, "i64")

    def emit(self) -> None:
        """Write the triangle, then what is beside it."""
        b, extents = self.b, (self.size, self.size)
        b.store(b.constant(0, "i32"), self.failed, self.zero)
        nested(self.scope, (self.size,), lambda at: self._row(at[0]))
        failed = b.load("i32", self.failed, self.zero)
        nested(self.scope, extents, lambda at: self._finish(at[0], at[1], failed.compare("ne", 0)))
        if self.step.name != CHOLESKY:
            self.scope.store(self.scope.buffers[self.step.outs[1]], self.batch, failed)

    def _at(self, i: Index, j: Index) -> Indices:
        """The place of an element of the lower factor."""
        return (*self.batch, i, j) if self.step.keywords["lower"] else (*self.batch, j, i)

    def _load(self, i: Index, j: Index) -> Value:
        return self.scope.load(self.slot, self._at(i, j))

    def _row(self, i: Index) -> None:
        with self.b.loop(self.zero, i.emit(self.b)) as number:
            self.scope.enter()
            j = computed(number, self.size)
            self._store(i, j, self._rest(i, j) / self._load(j, j))
            self.scope.leave()
        b, pivot = self.b, self._rest(i, i)
        before = b.load("i32", self.failed, self.zero)
        first = before.equals(0) & pivot.compare("ule", 0.0)
        b.store(first.select((i.emit(b) + 1).convert("trunc", "i32"), before), self.failed, self.zero)
        self._store(i, i, pivot.call("sqrt"))

    def _rest(self, i: Index, j: Index) -> Value:
        """What is left of an element without the products of the columns before it."""
        b = self.b
        b.store(self.scope.at(self.step.ins[0], self._at(i, j)), self.total, self.zero)
        with b.loop(self.zero, j.emit(b), interleave=True) as number:
            self.scope.enter()
            k = computed(number, self.size)
            product = self._load(i, k) * self._load(j, k)
            before = b.load(self.compute, self.total, self.zero)
            b.store(before.add_in_any_order(-product), self.total, self.zero)
            self.scope.leave()
        return b.load(self.compute, self.total, self.zero)

    def _store(self, i: Index, j: Index, value: Value) -> None:
        self.scope.store(self.scope.buffers[self.slot], self._at(i, j), value)

    def _finish(self, i: Index, j: Index, failed: Value) -> None:
        b, is_op = self.b, self.step.name == CHOLESKY
        factor = self._load(i, j)
        beside = factor.like(0.0) if is_op else self.scope.at(self.step.ins[0], self._at(i, j))
        self._store(i, j, (j.emit(b) <= i.emit(b)).select(failed.select(math.nan, factor), beside))
