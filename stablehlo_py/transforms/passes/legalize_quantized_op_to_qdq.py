"""The pass `stablehlo-legalize-quantized-op-to-qdq`: ops compute on dequantized operands."""

from __future__ import annotations

from stablehlo_py.ir.core import Module, Operation, Value
from stablehlo_py.ir.types import QuantizedType
from stablehlo_py.kernels.quantized import is_quantized
from stablehlo_py.opset.effects import is_dead
from stablehlo_py.transforms.pass_definition import Options, Pass
from stablehlo_py.transforms.quantization.arithmetic import with_element
from stablehlo_py.transforms.quantization.qdq import DOTS, ELEMENTWISE, dequantize_op_quantize
from stablehlo_py.transforms.rewriter import Rewriter


def _run(module: Module, options: Options) -> None:
    rewriter = Rewriter(module, options)

    def dequantize(value: Value, q: QuantizedType) -> Value:
        type = with_element(value.type, q.expressed_type)
        return rewriter.value("stablehlo.uniform_dequantize", [value], type=type)

    def quantize(value: Value, q: QuantizedType) -> Value:
        return rewriter.value("stablehlo.uniform_quantize", [value], type=with_element(value.type, q))

    for op in list(module.walk())[::-1]:
        if is_dead(op):
            rewriter.erase(op)
        elif op.name in ELEMENTWISE | DOTS and _is_quantized(op):
            rewriter.at(op)
            operands, results = ([v.type for v in values] for values in (op.operands, op.results))
            made = dequantize_op_quantize(rewriter, op, operands, results, dequantize, quantize)
            rewriter.replace(op, made, merge=False)
    rewriter.flush()


def _is_quantized(op: Operation) -> bool:
    return any(is_quantized(value.type) for value in (*op.operands, *op.results))


PASS = Pass(
    "stablehlo-legalize-quantized-op-to-qdq",
    "Makes quantized ops compute on dequantized operands and quantize their results.",
    _run,
)
