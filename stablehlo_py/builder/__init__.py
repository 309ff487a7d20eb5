"""Building programs operation by operation, with the semantics of XLA's XlaBuilder.

    from stablehlo_py.builder import XlaBuilder

    b = XlaBuilder()
    x = b.Parameter(0, "f32[2,3]", "x")
    w = b.Parameter(1, "f32[3]", "w")
    y = b.Mul(x, w, broadcast_dimensions=[1]) + 1.0
    b.Reduce(y, 0.0, b.Add, dimensions=[1])
    module = b.build()

Names, order of arguments and defaults follow XLA's "Operation Semantics". "Documents:" in a docstring lists
the editions that describe an operation: 000 is that of TensorFlow r1.3, 003 of mid-2018, 001 the newest.
Where they differ, the newest applies; older forms of arguments are accepted if unambiguous.
Every operation is a method of XlaBuilder and a function of XlaOps: `b.Add(x, y)` is `Add(x, y)`.

To add an operation, add a method to its family (a mixin of `ComputationBuilder`), which uses
`self._operand` or `self._operands` for operands, `self._region` for computations and `self._one` (or `_emit`)
for the op. Result types are inferred from the op's definition, and its constraints are verified there; a
method only checks what StableHLO does not have, such as padding by name. Add new families to
`xla_builder.py`, functions to `functions.py`, and
names to `__all__` here. An elementwise operation is a row of `elementwise.py`.
"""

from __future__ import annotations

from stablehlo_py.builder.computation import XlaComputation
from stablehlo_py.builder.contractions import DotDimensionNumbers
from stablehlo_py.builder.errors import BuildError
from stablehlo_py.builder.functions import *
from stablehlo_py.builder.op import XlaOp
from stablehlo_py.builder.shapes import PaddingConfigDimension
from stablehlo_py.builder.transfer import ChannelHandle
from stablehlo_py.builder.windows import Padding
from stablehlo_py.builder.xla_builder import XlaBuilder

# fmt: off
__all__ = [
    "Abs", "Add", "AfterAll", "AllGather", "AllReduce", "AllToAll", "Atan2", "BatchNormGrad",
    "BatchNormInference", "BatchNormTraining", "BitcastConvertType", "Broadcast", "BroadcastInDim", "Build",
    "BuildError", "Call", "Cbrt", "Ceil", "ChannelHandle", "Cholesky", "Clamp", "Clz", "Collapse",
    "CollectivePermute", "Complex", "ConcatInDim", "Concatenate", "Conditional", "ConstantLiteral", "Conv",
    "ConvWithGeneralPadding", "ConvertElementType", "Cos", "CrossReplicaSum", "CustomCall", "Div", "Dot",
    "DotDimensionNumbers", "DotGeneral", "DynamicSlice", "DynamicUpdateSlice", "Eq", "EqTotalOrder", "Exp",
    "Expm1", "Fft", "Floor", "Gather", "Ge", "GeTotalOrder", "GetDimensionSize", "GetTupleElement", "Gt",
    "GtTotalOrder", "Imag", "Infeed", "Iota", "IsFinite", "Le", "LeTotalOrder", "Log", "Log1p",
    "LogicalAnd", "LogicalNot", "LogicalOr", "LogicalXor", "Logistic", "Lt", "LtTotalOrder", "Map", "Max",
    "Min", "Mul", "Ne", "NeTotalOrder", "Neg", "OptimizationBarrier", "Pad", "Padding",
    "PaddingConfigDimension", "Parameter", "PopulationCount", "Pow", "Real", "Recv", "RecvDone", "Reduce",
    "ReducePrecision", "ReduceScatter", "ReduceWindow", "Rem", "ReplicaId", "Reshape", "Rev",
    "RngBernoulli", "RngBitGenerator", "RngNormal", "RngUniform", "Round", "RoundNearestEven", "Rsqrt",
    "Scatter", "Select", "SelectAndScatter", "Send", "SendDone", "SetDimensionSize", "ShiftLeft",
    "ShiftRightArithmetic", "ShiftRightLogical", "Sign", "Sin", "Slice", "Sort", "Sqrt", "Sub", "Tan",
    "Tanh", "TopK", "Transpose", "TriangularSolve", "Tuple", "While", "XlaBuilder", "XlaComputation",
    "XlaOp",
]
# fmt: on
