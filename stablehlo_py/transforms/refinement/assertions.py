"""Assertions about shapes, which `jax.export` writes as custom calls `@shape_assertion`."""

from __future__ import annotations

import re

from stablehlo_py.diagnostics.diagnostic import Diagnostic
from stablehlo_py.ir.attributes import StringAttr
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.types import I1, I32, I64, TensorType
from stablehlo_py.transforms.pass_definition import diagnostic
from stablehlo_py.transforms.refinement.shape_values import integers

_TARGET = "shape_assertion"
_MOST_INPUTS = 32
_ATTRIBUTES = ("api_version", "backend_config", "call_target_name", "error_message", "has_side_effect")
_SPECIFIER = re.compile(r"\{\{|\{(?P<index>\d+)(?P<layout>,[^:{}]*)?(?P<style>:[^{}]*)?\}")
_LAYOUT = re.compile(r"\s*(?:(?P<fill>.)?(?P<side>[-=+]))?(?P<width>\d+)\s*")


def assertions(module: Module) -> list[Operation]:
    """Return the assertions of a module."""
    return [op for op in module.walk() if op.python_value("call_target_name") == _TARGET]


def failures(module: Module, constant_only: bool = False) -> list[Diagnostic]:
    """Return the assertions of a module that are malformed, do not hold, or are not constant.

    Args:
        module: The module.
        constant_only: Whether only constant assertions that do not hold are wanted.
    """
    found = [
        (op, _violation(op) if constant_only else _malformed(op) or _violation(op))
        for op in assertions(module)
    ]
    if constant_only:
        found = [(op, message) for op, message in found if integers(op.operands[0]) is not None]
    return [diagnostic(module, op, message) for op, message in found if message]


def _malformed(op: Operation) -> str:
    """Return what is wrong with an assertion, or ""."""
    unknown = [name for name in (*op.properties, *op.attributes) if name not in _ATTRIBUTES]
    config, message = op.attribute("backend_config"), op.attribute("error_message")
    inputs = op.operands[1:]
    wrong = [i for i, value in enumerate(inputs, 1) if value.type not in (_scalar(I32), _scalar(I64))]
    count = len(inputs)
    bad = [m for m in _SPECIFIER.finditer(_text(message)) if m["index"] and int(m["index"]) >= count]
    checks = (
        (1 <= len(op.operands) <= 1 + _MOST_INPUTS, f"expects 1 <= size(operands) <= {1 + _MOST_INPUTS}"),
        (not op.results, "expects size(results) = 0"),
        (not unknown, f"{', '.join(unknown)} is not a supported attribute"),
        (not isinstance(config, StringAttr) or not config.value, "expects an empty backend_config"),
        (
            op.operands and op.operands[0].type is _scalar(I1),
            "expects assert_what (operand #0) to be a constant of type tensor<i1>",
        ),
        (
            not wrong,
            f"expects error_message_input (operand #{wrong[0] if wrong else 0}) "
            "to be a constant of type tensor<i32> or tensor<i64>",
        ),
        (isinstance(message, StringAttr), "expects an error_message attribute"),
        (
            not bad,
            "expects error_message to contain format specifiers with error_message_input index less than "
            f"{count}. Found specifier {bad[0][0] if bad else ''}",
        ),
    )
    return next((f"{op.name}: {text}" for holds, text in checks if not holds), "")


def _violation(op: Operation) -> str:
    """Return the message of an assertion that does not hold, or is not constant; otherwise ""."""
    holds = integers(op.operands[0])
    if holds is None:
        return f"{op.name}: expects static assert_what (operand #0)"
    if holds[0]:
        return ""
    values: list[int] = []
    for index, operand in enumerate(op.operands[1:], 1):
        found = integers(operand)
        if found is None:
            return f"{op.name}: expects static error_message_input (operand #{index})"
        values += found
    return formatted(_text(op.attribute("error_message")), values)


def formatted(text: str, values: list[int]) -> str:
    """Replace the format specifiers `{0}`, `{1,5}`, `{2:x}` in a text by values.

    Args:
        text: The text; a text without values has no specifiers.
        values: The values that specifiers refer to by index; every index is in bounds.
    """
    if not values:
        return text

    def one(match: re.Match[str]) -> str:
        if match["index"] is None:
            return "{"
        shown = _styled(values[int(match["index"])], (match["style"] or ":")[1:].strip())
        layout = _LAYOUT.fullmatch((match["layout"] or ",")[1:])
        if layout is None:
            return shown
        fill, width = layout["fill"] or " ", int(layout["width"])
        align = {"-": shown.ljust, "=": shown.center}.get(layout["side"] or "+", shown.rjust)
        return align(width, fill)

    return _SPECIFIER.sub(one, text)


def _styled(value: int, style: str) -> str:
    """Format a number in a style of LLVM's `formatv`: decimal, hexadecimal (`x`), with separators (`n`)."""
    match = re.fullmatch(r"([xX])([-+]?)(\d*)|([nNdD]?)(\d*)", style)
    if match is None:
        return str(value)
    if match[1]:
        digits = f"{value % 2**64:{match[1]}}"
        return ("" if match[2] == "-" else "0x") + digits.zfill(int(match[3] or 0))
    return f"{value:,}" if match[4] in ("n", "N") else str(value).zfill(int(match[5] or 0))


def _text(attribute: object) -> str:
    return attribute.value if isinstance(attribute, StringAttr) else ""


def _scalar(element_type: object) -> TensorType:
    return TensorType((), element_type)  # type: ignore[arg-type]
