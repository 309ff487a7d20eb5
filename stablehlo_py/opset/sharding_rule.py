"""Sharding rules of ops, as data: which dimensions of operands and results are one factor.

A factor is a size along which an op can be divided: a dimension, or a part of one. Shardings propagate along
factors, and a device computes its part of each; `sharding.rules` makes the rule of an op from these rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from stablehlo_py.ir.records import dataclass

# Each shard of the result needs the same shard of the operands; an operand's shards give terms of a sum; all
# of the factor is needed; or the result is computed from shards of the neighbours.
FactorKind = Literal["pass_through", "reduction", "need_replication", "permutation"]
# What a value of a data-flow op may be: carried by a loop, returned by branches, the operand at its place, or
# passed in and out of a body.
Flow = Literal["", "loop", "branches", "operands", "body", "manual_body"]


@dataclass(frozen=True, slots=True)
class Factors:
    """Factors of an op, one for each value of `i`. All texts are formulas in the notation.

    Attributes:
        each: The values of `i`, integers.
        dims: The dimension that the factor divides, for operands and results by name, -1 for none; `*` stands
            for all that are no scalars.
        size: The size of the factor; by default that of the first dimension, or of the result's for `*`.
        kind: The kind of the factor, as text in quotes.
        blocked: Whether shardings do not propagate along the factor.
    """

    each: str
    dims: tuple[tuple[str, str], ...]
    size: str
    kind: str
    blocked: str

    def formulas(self) -> tuple[str, str, str]:
        """Return the formulas for all factors: size and dimensions, kinds, and whether they are blocked."""
        each = (", ".join([self.size, *[formula for _, formula in self.dims]]), self.kind, self.blocked)
        dims, kinds, blocked = [
            f"{text} for i in ({self.each})]" for text in (f"[[{each[0]}]", *[f"[{e}" for e in each[1:]])
        ]
        return dims, kinds, blocked


@dataclass(frozen=True, slots=True)
class ShardingRule:
    """How an op can be divided.

    Attributes:
        factors: The factors, in order.
        algorithm: The name of the function of `sharding.factor_rules` that states the factors instead, or "".
        flow: For an op that passes values on: between which operands and results.
        early: Whether shardings propagate through the op before others: it costs nothing to move them. Those
            of elementwise ops do so, too.
        forward: Whether, among early ones, they propagate from operands to results alone.
    """

    factors: tuple[Factors, ...] = ()
    algorithm: str = ""
    flow: Flow = ""
    early: bool = False
    forward: bool = False

    def formulas(self) -> Iterator[str]:
        """Yield all formulas of the factors."""
        for row in self.factors:
            yield from row.formulas()


def factors(
    each: str, kind: str = "pass_through", size: str = "", blocked: str = "false", **dims: str
) -> Factors:
    """Create a row; the name `all` stands for all values that are no scalars.

    Args:
        each: The values of `i`.
        kind: The kind, or a formula for it that starts with `(`.
        size: The size; by default that of the first of `dims`.
        blocked: Whether shardings do not propagate along the factor.
        dims: The formulas of the dimensions by operand or result.
    """
    named = tuple([("*" if name == "all" else name, formula) for name, formula in dims.items()])
    first, formula = named[0]
    size = size or f"dim({'result' if first == '*' else first}, {formula})"
    return Factors(each, named, size, kind if kind[0] == "(" else f'"{kind}"', blocked)


def rule(*rows: Factors, early: bool = False, forward: bool = False) -> ShardingRule:
    """Create a rule of rows."""
    return ShardingRule(rows, early=early, forward=forward)


POINTWISE = rule(factors("axes(result)", all="i"))
