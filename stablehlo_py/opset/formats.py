"""Pretty forms that several ops share."""

from __future__ import annotations

FUNCTIONAL_FORM = "operands attr-dict `:` functional-type(operands, results)"
UNARY_FORM = "$operand attr-dict `:` custom<same_operands_and_result_type>(type($operand), type($result))"
BINARY_FORM = (
    "$lhs `,` $rhs attr-dict `:` custom<same_operands_and_result_type>(type($lhs), type($rhs), type($result))"
)
