"""Sign analysis: a forward dataflow analysis, for rules about operands that may be zero or negative.

A value is known to be non-negative, nonzero, both, or neither. Facts originate from constants, `abs`,
`exponential`, sums with a positive term, `maximum` and `clamp` with a positive bound, squares, and
comparisons with zero that guard a `select`; they propagate through data movement and calls of private
functions, but not through loops and branches. `exponential` counts as positive, though it underflows for
very negative operands; so do products and quotients of positive values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Flag

import numpy as np

from stablehlo_py.ir.attributes import DenseElementsAttr
from stablehlo_py.ir.core import BlockArgument, Operation, OpResult, Value
from stablehlo_py.ir.types import FloatType, IntegerType, TensorType
from stablehlo_py.linter.context import LintContext, is_private
from stablehlo_py.opset.calls import callee
from stablehlo_py.opset.definition import has_trait, lookup
from stablehlo_py.opset.traits import SignRule

_DEEPEST = 100  # maximum depth of the walk over definitions


class Sign(Flag):
    """The known sign of all elements of a value."""

    UNKNOWN = 0
    NON_NEGATIVE = 1
    NONZERO = 2
    POSITIVE = 3


class Signs:
    """The memoized sign analysis of a program."""

    def __init__(self, context: LintContext) -> None:
        self._context = context
        self._found: dict[Value, Sign] = {}
        self._depth = 0

    def of(self, value: Value) -> Sign:
        """Return the known sign of a value; cyclic and too deep dependencies are unknown."""
        known = self._found.get(value)
        if known is not None or self._depth >= _DEEPEST:
            return known or Sign.UNKNOWN
        self._found[value] = Sign.UNKNOWN
        self._depth += 1
        found = self._op(value.op, value.index) if isinstance(value, OpResult) else self._argument(value)
        self._depth -= 1
        if _is_unsigned(value):
            found |= Sign.NON_NEGATIVE
        self._found[value] = found
        return found

    def _argument(self, value: Value) -> Sign:
        """Join the signs of a private function's argument over all its calls."""
        function = value.block.parent_op if isinstance(value, BlockArgument) else None
        if function is None or not function.is_function or not is_private(function):
            return Sign.UNKNOWN
        assert isinstance(value, BlockArgument)
        calls = self._context.calls.get(str(function.python_value("sym_name")), [])
        given = [call.operands[value.index] for call in calls if value.index < len(call.operands)]
        return self.of_all(given) if given and len(given) == len(calls) else Sign.UNKNOWN

    def of_all(self, values: Sequence[Value]) -> Sign:
        """Return the common sign of several values."""
        found = Sign.POSITIVE
        for value in values:
            found &= self.of(value)
        return found

    def _op(self, op: Operation, index: int) -> Sign:
        definition = lookup(op.name)
        if definition is None:
            return Sign.UNKNOWN
        if definition.callee:
            return self._call(op, index)
        moves = "moves_data" in definition.traits and bool(op.operands)
        rule = definition.sign or ("operand" if moves else "")
        if rule == "operand":
            return self.of(op.operands[min(index, len(op.operands) - 1)])
        return _TRANSFER[rule](self, op) if rule else Sign.UNKNOWN

    def _call(self, op: Operation, index: int) -> Sign:
        function = self._context.functions.get(callee(op) or "")
        terminator = function.regions[0].blocks[-1].terminator if function is not None else None
        if terminator is None or index >= len(terminator.operands):
            return Sign.UNKNOWN
        return self.of(terminator.operands[index])


def _if_non_negative(sign: Sign) -> Sign:
    return sign if sign & Sign.NON_NEGATIVE else Sign.UNKNOWN


def _is_unsigned(value: Value) -> bool:
    element = value.type.element_type if isinstance(value.type, TensorType) else None
    return isinstance(element, IntegerType) and (element.signedness == "u" or element.width == 1)


def _constant(signs: Signs, op: Operation) -> Sign:
    value = op.attribute("value")
    if not isinstance(value, DenseElementsAttr) or value.data.dtype.kind == "c":
        return Sign.UNKNOWN
    data = value.data if value.data.dtype.kind in "iufb" else value.data.astype(np.float32)
    found = Sign.NONZERO if bool((data != 0).all()) else Sign.UNKNOWN
    return found | Sign.NON_NEGATIVE if bool((data >= 0).all()) else found


def _positive(signs: Signs, op: Operation) -> Sign:
    return Sign.POSITIVE


def _non_negative(signs: Signs, op: Operation) -> Sign:
    return Sign.NON_NEGATIVE


def _non_negative_operand(signs: Signs, op: Operation) -> Sign:
    return _if_non_negative(signs.of(op.operands[0]))


def _every_operand(signs: Signs, op: Operation) -> Sign:
    return signs.of_all(op.operands)


def _absolute(signs: Signs, op: Operation) -> Sign:
    return signs.of(op.operands[0]) | Sign.NON_NEGATIVE


def _nonzero_part(signs: Signs, op: Operation) -> Sign:
    return signs.of(op.operands[0]) & Sign.NONZERO


def _non_negative_part(signs: Signs, op: Operation) -> Sign:
    return signs.of(op.operands[0]) & Sign.NON_NEGATIVE


def _conversion(signs: Signs, op: Operation) -> Sign:
    """A conversion from float to integer may round to zero."""
    before, after = op.operands[0].type, op.results[0].type
    found = signs.of(op.operands[0])
    if isinstance(before, TensorType) and isinstance(after, TensorType):
        from_float = isinstance(before.element_type, FloatType)
        if from_float and not isinstance(after.element_type, FloatType):
            return found & Sign.NON_NEGATIVE
    return found


def _sum(signs: Signs, op: Operation) -> Sign:
    lhs, rhs = map(signs.of, op.operands)
    return (lhs & Sign.NON_NEGATIVE & rhs) and Sign.NON_NEGATIVE | lhs | rhs


def _product(signs: Signs, op: Operation) -> Sign:
    lhs, rhs = map(signs.of, op.operands)
    return lhs & rhs | (Sign.NON_NEGATIVE if op.operands[0] is op.operands[1] else Sign.UNKNOWN)


def _quotient(signs: Signs, op: Operation) -> Sign:
    lhs, rhs = map(signs.of, op.operands)
    found = lhs & rhs & Sign.NON_NEGATIVE
    is_whole = isinstance(getattr(op.results[0].type, "element_type", None), IntegerType)
    return found if is_whole else found | lhs & Sign.NONZERO


def _power(signs: Signs, op: Operation) -> Sign:
    base, exponent = op.operands
    return signs.of(base) | (Sign.NON_NEGATIVE if _is_even(exponent) else Sign.UNKNOWN)


def _is_even(value: Value) -> bool:
    """Test whether a value is a constant, possibly broadcast, with even elements."""
    constant = source(value)
    is_constant = constant is not None and has_trait(constant.name, "constant")
    data = constant.attribute("value") if constant is not None and is_constant else None
    return (
        isinstance(data, DenseElementsAttr)
        and data.data.dtype.kind in "iuf"
        and bool((data.data % 2 == 0).all())
    )


def _maximum(signs: Signs, op: Operation) -> Sign:
    lhs, rhs = map(signs.of, op.operands)
    either = Sign.POSITIVE if Sign.POSITIVE in (lhs, rhs) else (lhs | rhs) & Sign.NON_NEGATIVE
    return either | lhs & rhs


def _clamp(signs: Signs, op: Operation) -> Sign:
    low, operand, high = map(signs.of, op.operands)
    return (low if low & Sign.NON_NEGATIVE else Sign.UNKNOWN) | (operand & high & low)


def _select(signs: Signs, op: Operation) -> Sign:
    """Refine the branches of a select by its comparison with zero."""
    pred, on_true, on_false = op.operands
    yes, no = signs.of(on_true), signs.of(on_false)
    compare = source(pred)
    if compare is not None and has_trait(compare.name, "comparison"):
        direction = getattr(compare.attribute("comparison_direction"), "value", "")
        for branch, table in ((on_true, _WHERE_TRUE), (on_false, _WHERE_FALSE)):
            known = (
                table.get(direction, Sign.UNKNOWN) if _compares_with_zero(compare, branch) else Sign.UNKNOWN
            )
            yes, no = (yes | known, no) if branch is on_true else (yes, no | known)
    return yes & no


_WHERE_TRUE = {"NE": Sign.NONZERO, "LT": Sign.NONZERO, "GT": Sign.POSITIVE, "GE": Sign.NON_NEGATIVE}
_WHERE_FALSE = {"EQ": Sign.NONZERO, "GE": Sign.NONZERO, "LE": Sign.POSITIVE, "LT": Sign.NON_NEGATIVE}


def _compares_with_zero(compare: Operation, value: Value) -> bool:
    lhs, rhs = compare.operands
    zero = source(rhs)
    data = zero.attribute("value") if zero is not None else None
    return isinstance(data, DenseElementsAttr) and not (data.data != 0).any() and lhs is value


def _reduction(signs: Signs, op: Operation) -> Sign:
    """A reduction preserves the sign that its operand and initial value share."""
    body = op.entry_block.ops if op.regions and op.regions[0].blocks else []
    if len(op.operands) != 2 or len(body) != 2:
        return Sign.UNKNOWN
    operand, initial = map(signs.of, op.operands)
    definition = lookup(body[0].name)
    match definition.sign if definition is not None else "":
        case "sum":
            return (operand & initial & Sign.NON_NEGATIVE) and Sign.NON_NEGATIVE | operand | initial
        case "maximum":
            return _if_non_negative(operand) or _if_non_negative(initial)
        case "product" | "every_operand":
            return operand & initial
    return Sign.UNKNOWN


def source(value: Value) -> Operation | None:
    """Return the op that defines the elements of a value, before data movement; None for an argument."""
    for _ in range(_DEEPEST):
        op = value.op if isinstance(value, OpResult) else None
        if op is None or not has_trait(op.name, "moves_data") or len(op.results) != 1 or not op.operands:
            return op
        value = op.operands[0]
    return None


_TRANSFER: dict[SignRule, Callable[[Signs, Operation], Sign]] = {
    "positive": _positive,
    "non_negative": _non_negative,
    "non_negative_operand": _non_negative_operand,
    "non_negative_part": _non_negative_part,
    "nonzero_part": _nonzero_part,
    "every_operand": _every_operand,
    "constant": _constant,
    "absolute": _absolute,
    "conversion": _conversion,
    "sum": _sum,
    "product": _product,
    "quotient": _quotient,
    "power": _power,
    "maximum": _maximum,
    "clamp": _clamp,
    "select": _select,
    "reduction": _reduction,
}
