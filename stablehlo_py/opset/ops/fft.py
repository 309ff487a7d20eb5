"""Fourier transforms."""

from __future__ import annotations

from stablehlo_py.opset.classes import COMPLEX, FLOAT, tensor_of
from stablehlo_py.opset.definition import Attr, Constraint, OpDef, Operand, Result, at_run, define, rules
from stablehlo_py.opset.sharding_rule import factors, rule
from stablehlo_py.opset.shared.common import PURE, indices
from stablehlo_py.opset.traits import CostRule

define(
    OpDef(
        name="stablehlo.fft",
        doc="Computes Fourier transforms, forward and inverse, of real and complex tensors.",
        section="fft",
        inputs=(
            Operand("operand", tensor_of(FLOAT, COMPLEX)),
            Attr("fft_type", "enum stablehlo.fft_type", type="enum of `FFT`, `IFFT`, `RFFT`, and `IRFFT`"),
            indices("fft_length"),
        ),
        outputs=(Result("result", tensor_of(FLOAT, COMPLEX)),),
        where=(("L", "size(fft_length)"),),
        constraints=rules(
            ("C1", "size(fft_length) <= rank(operand)"),
            Constraint(
                "C2",
                "(if fft_type in [FFT, IFFT] then is_complex(operand) and "
                "element_type(operand) = element_type(result)) and "
                "(if fft_type = RFFT then is_float(operand) and "
                "complex(element_type(operand)) = element_type(result)) and "
                "(if fft_type = IRFFT then is_complex(operand) and "
                "complex_element_type(operand) = element_type(result))",
                spec="The relationship between `operand` and `result` element types varies:\n"
                "  * If `fft_type = FFT`, `element_type(operand)` and `element_type(result)`\n"
                "    have the same complex type.\n"
                "  * If `fft_type = IFFT`, `element_type(operand)` and `element_type(result)`\n"
                "    have the same complex type.\n"
                "  * If `fft_type = RFFT`, `element_type(operand)` is a floating-point type and\n"
                "    `element_type(result)` is a complex type of the same floating-point\n"
                "    semantics.\n"
                "  * If `fft_type = IRFFT`, `element_type(operand)` is a complex type and\n"
                "    `element_type(result)` is a floating-point type of the same floating-point\n"
                "    semantics.",
                why="prose",
            ),
            ("C3", "1 <= size(fft_length) <= 3"),
            Constraint(
                "C4",
                "(if fft_type = RFFT then shape(operand)[-L:] = fft_length) and "
                "(if fft_type = IRFFT then shape(result)[-L:] = fft_length)",
                spec="If among `operand` and `result`, there is a tensor `real` of a\n"
                "floating-point type, then `shape(real)[-size(fft_length):] = fft_length`.",
                why="prose",
            ),
            Constraint(
                "C5",
                "shape(result)[:-1] = shape(operand)[:-1] and "
                "(if fft_type in [FFT, IFFT] then dim(result, -1) = dim(operand, -1)) and "
                "(if fft_type = RFFT then dim(result, -1) = "
                "(dim(operand, -1) = 0 ? 0 : floor(dim(operand, -1) / 2) + 1)) and "
                "(if fft_type = IRFFT then dim(operand, -1) = "
                "(dim(result, -1) = 0 ? 0 : floor(dim(result, -1) / 2) + 1))",
                spec="`shape(result) = shape(operand)` except for:\n"
                "  * If `fft_type = RFFT`,\n"
                "    `dim(result, -1) = dim(operand, -1) = 0 ? 0 : dim(operand, -1) / 2 + 1`.\n"
                "  * If `fft_type = IRFFT`,\n"
                "    `dim(operand, -1) = dim(result, -1) = 0 ? 0 : dim(result, -1) / 2 + 1`.",
                why="prose",
            ),
            at_run(
                "R1",
                "0 <= fft_length and (if fft_type in [FFT, IFFT] then shape(operand)[-L:] = fft_length)",
            ),
            Constraint(
                "U1",
                "if fft_type = RFFT and not is_static(operand) and fft_length[-1] != 0 then "
                "dim(result, -1) = floor(fft_length[-1] / 2) + 1",
                why="fft_length replaces an unknown size of operand.",
                verdict="upstream",
            ),
            Constraint(
                "U2",
                "if fft_type = IRFFT and not is_static(result) then "
                "shape(operand)[-L:-1] = fft_length[:-1] and "
                "(dim(operand, -1) = 0 and fft_length[-1] = 0 or "
                "dim(operand, -1) = floor(fft_length[-1] / 2) + 1)",
                why="fft_length replaces an unknown size of result.",
                verdict="upstream",
            ),
        ),
        form="$operand `,` `type` `=` $fft_type `,` `length` `=` $fft_length attr-dict `:` "
        "functional-type(operands, results)",
        traits=PURE | {"shape_at_run"},
        sharding=rule(
            factors(
                "axes(operand)",
                '(i < rank(operand) - L ? "pass_through" : "need_replication")',
                "dim(operand, i)",
                "rank(operand) - L <= i and i = rank(operand) - 1 and dim(operand, i) != dim(result, i)",
                all="i",
            ),
        ),
        cost=CostRule(work="fft"),
        example="%result = stablehlo.fft %operand, type = FFT, length = [4] : "
        "(tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>",
    ),
)
