"""The pass `stablehlo-legalize-qdq-to-quantized-op`: ops between dequantize and quantize become quantized."""

from __future__ import annotations

from stablehlo_py.ir.core import Module, Operation, OpResult, Value
from stablehlo_py.opset.effects import is_dead, is_pure
from stablehlo_py.transforms.pass_definition import Options, Pass
from stablehlo_py.transforms.rewriter import Rewriter

_QUANTIZE = "stablehlo.uniform_quantize"
_DEQUANTIZE = "stablehlo.uniform_dequantize"


def _run(module: Module, options: Options) -> None:
    rewriter = Rewriter(module, options)
    for op in list(module.walk()):
        if op.name == _QUANTIZE:
            _fuse(rewriter, op)
    for op in list(module.walk())[::-1]:
        if is_dead(op):
            rewriter.erase(op)
    rewriter.flush()


def _fuse(rewriter: Rewriter, quantize: Operation) -> None:
    """Replace a quantized result by the result of the same op on quantized operands, if possible."""
    (operand,) = quantize.operands
    op = operand.op if isinstance(operand, OpResult) else None
    if op is None or op.regions or not op.operands or len(op.results) != 1 or not is_pure(op):
        return
    operands = [_before_dequantize(value) for value in op.operands]
    if None in operands:
        return
    rewriter.at(quantize)
    made = rewriter.insert(
        Operation(
            op.name,
            [value for value in operands if value is not None],
            [quantize.result.type],
            dict(op.properties),
            dict(op.attributes),
            location=op.location,
        )
    )
    if not rewriter.are_valid(made.results):
        rewriter.erase(made)
        return
    made.result.name = quantize.result.name
    quantize.result.replace_all_uses(made.result)


def _before_dequantize(value: Value) -> Value | None:
    """Return the operand of the `uniform_dequantize` that defines a value, None for another value."""
    is_dequantized = isinstance(value, OpResult) and value.op.name == _DEQUANTIZE
    return value.op.operands[0] if is_dequantized and isinstance(value, OpResult) else None


PASS = Pass(
    "stablehlo-legalize-qdq-to-quantized-op",
    "Makes ops on dequantized operands whose result is quantized quantized ops.",
    _run,
    description="Ops around it that have other uses stay, as do calls, ops with side effects, and ops "
    "without a quantized form.",
)
