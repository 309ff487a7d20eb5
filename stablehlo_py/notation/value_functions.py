"""Functions of values: constants and uses, for the conditions of rewrite rules."""

from __future__ import annotations

from collections.abc import Sequence

from stablehlo_py.ir.core import Value
from stablehlo_py.notation.registry import defined
from stablehlo_py.notation.sorts import Undefined
from stablehlo_py.opset.constants import constant_attribute, is_number


@defined("is_constant(Value) -> Bool")
def is_constant(x: Value) -> bool:
    """Test whether a constant op defines a value, with elements that are in the program."""
    return constant_attribute(x) is not None


@defined("is_splat(Value) -> Bool")
def is_splat(x: Value) -> bool:
    """Test whether a value is a constant with equal elements, at least one."""
    found = constant_attribute(x)
    return found is not None and found.is_splat


@defined("is_zero(Value) -> Bool")
def is_zero(x: Value) -> bool:
    """Test whether a value is a constant of zeros, of either sign."""
    return is_number(x, 0.0)


@defined("is_one(Value) -> Bool")
def is_one(x: Value) -> bool:
    """Test whether a value is a constant of ones."""
    return is_number(x, 1.0)


@defined("is_all_ones(Value) -> Bool")
def is_all_ones(x: Value) -> bool:
    """Test whether a value is a constant of integers or booleans with all bits set."""
    found = constant_attribute(x)
    return found is not None and found.data.dtype.kind in "biuV" and is_number(x, -1.0)


@defined("has_one_use(Value) -> Bool")
def has_one_use(x: Value) -> bool:
    """Test whether a value is an operand once."""
    return len(x.uses) == 1


@defined("inverse_permutation(List[Int]) -> List[Int]")
def inverse_permutation(p: Sequence[int]) -> list[int]:
    """The permutation that undoes `p`: `inverse_permutation(p)[p[i]] = i`; undefined if `p` is none."""
    if sorted(p) != list(range(len(p))):
        raise Undefined("not a permutation")
    return [list(p).index(i) for i in range(len(p))]
