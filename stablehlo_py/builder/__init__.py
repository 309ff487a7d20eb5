"""Building programs operation by operation, with the semantics of XLA's XlaBuilder.

    from stablehlo_py.builder import XlaBuilder

    b = XlaBuilder()
    x = b.Parameter(0, "f32[2,3]", "x")
    w = b.Parameter(1, "f32[3]", "w")
    y = b.Mul(x, w, broadcast_dimensions=[1]) + 1.0
    b.Reduce(y, 0.0, b.Add, dimensions=[1])
    module = b.build()

Names, order of arguments and defaults are those of XLA's "Operation Semantics", of which three editions
are meant where a docstring says "Documents": 000 is that of TensorFlow r1.3, 003 of mid-2018, 001 the newest.
Where they differ, the newest holds; older forms of arguments are taken where they can be told apart.
Every operation is a method of XlaBuilder and a function of XlaOps: `b.Add(x, y)` is `Add(x, y)`.

How to add an operation: write a method into its family (a mixin of `Core`), with `self._operand` or
`self._operands` for operands, `self._region` for computations and `self._one` (or `_emit`) for the op. Result
types come from the op's definition, and its rules are checked there: a method checks only what StableHLO
does not know of, such as padding by name. A new family joins in `builder.py`; a method gets its function
in `functions.py` and its name in `__all__` here.
"""

from __future__ import annotations

from stablehlo_py.builder.builder import XlaBuilder
from stablehlo_py.builder.computation import XlaComputation
from stablehlo_py.builder.dot import DotDimensionNumbers
from stablehlo_py.builder.errors import BuildError
from stablehlo_py.builder.functions import (
    Abs,
    Add,
    AllReduce,
    Atan2,
    Broadcast,
    BroadcastInDim,
    Build,
    Cbrt,
    Ceil,
    Clz,
    Complex,
    ConstantLiteral,
    Conv,
    ConvWithGeneralPadding,
    Cos,
    CustomCall,
    Div,
    Dot,
    DotGeneral,
    Eq,
    EqTotalOrder,
    Exp,
    Expm1,
    Floor,
    Ge,
    GeTotalOrder,
    GetTupleElement,
    Gt,
    GtTotalOrder,
    Imag,
    IsFinite,
    Le,
    LeTotalOrder,
    Log,
    Log1p,
    LogicalAnd,
    LogicalNot,
    LogicalOr,
    LogicalXor,
    Logistic,
    Lt,
    LtTotalOrder,
    Max,
    Min,
    Mul,
    Ne,
    Neg,
    NeTotalOrder,
    Parameter,
    PopulationCount,
    Pow,
    Real,
    Reduce,
    Rem,
    Round,
    RoundNearestEven,
    Rsqrt,
    ShiftLeft,
    ShiftRightArithmetic,
    ShiftRightLogical,
    Sign,
    Sin,
    Sqrt,
    Sub,
    Tan,
    Tanh,
    Tuple,
    While,
)
from stablehlo_py.builder.op import XlaOp
from stablehlo_py.builder.windows import Padding

__all__ = [
    "Abs",
    "Add",
    "AllReduce",
    "Atan2",
    "Broadcast",
    "BroadcastInDim",
    "Build",
    "BuildError",
    "Cbrt",
    "Ceil",
    "Clz",
    "Complex",
    "ConstantLiteral",
    "Conv",
    "ConvWithGeneralPadding",
    "Cos",
    "CustomCall",
    "Div",
    "Dot",
    "DotDimensionNumbers",
    "DotGeneral",
    "Eq",
    "EqTotalOrder",
    "Exp",
    "Expm1",
    "Floor",
    "Ge",
    "GeTotalOrder",
    "GetTupleElement",
    "Gt",
    "GtTotalOrder",
    "Imag",
    "IsFinite",
    "Le",
    "LeTotalOrder",
    "Log",
    "Log1p",
    "LogicalAnd",
    "LogicalNot",
    "LogicalOr",
    "LogicalXor",
    "Logistic",
    "Lt",
    "LtTotalOrder",
    "Max",
    "Min",
    "Mul",
    "Ne",
    "NeTotalOrder",
    "Neg",
    "Padding",
    "Parameter",
    "PopulationCount",
    "Pow",
    "Real",
    "Reduce",
    "Rem",
    "Round",
    "RoundNearestEven",
    "Rsqrt",
    "ShiftLeft",
    "ShiftRightArithmetic",
    "ShiftRightLogical",
    "Sign",
    "Sin",
    "Sqrt",
    "Sub",
    "Tan",
    "Tanh",
    "Tuple",
    "While",
    "XlaBuilder",
    "XlaComputation",
    "XlaOp",
]
