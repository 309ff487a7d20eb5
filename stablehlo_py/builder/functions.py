"""The operations as functions of XlaOps: `Add(x, y)` is `x.builder.Add(x, y)`.

Operations without an XlaOp operand require the builder as first argument: `Parameter(b, 0, "f32[2]")`.
Others accept it.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from stablehlo_py.builder.errors import BuildError
from stablehlo_py.builder.op import XlaOp
from stablehlo_py.builder.xla_builder import XlaBuilder

P = ParamSpec("P")
R = TypeVar("R")


def _function(method: Callable[typing.Concatenate[XlaBuilder, P], R]) -> Callable[P, R]:
    """Convert a method to a function that takes the builder from its operands."""

    @wraps(method)
    def function(*args: Any, **named: Any) -> R:
        if args and isinstance(args[0], XlaBuilder):
            return method(*args, **named)
        op = next(_ops((*args, *named.values())), None)
        if op is None:
            raise BuildError(f"{method.__name__}: no operand is an XlaOp; pass the builder as first argument")
        return method(op.builder, *args, **named)

    _, *parameters = inspect.signature(method).parameters.values()
    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return function


def _ops(given: Iterable[Any]) -> Iterator[XlaOp]:
    for x in given:
        if isinstance(x, XlaOp):
            yield x
        elif isinstance(x, list | tuple):
            yield from _ops(x)


Parameter = XlaBuilder.Parameter
ConstantLiteral = XlaBuilder.ConstantLiteral
Build = XlaBuilder.Build
Broadcast = _function(XlaBuilder.Broadcast)
BroadcastInDim = _function(XlaBuilder.BroadcastInDim)
Collapse = _function(XlaBuilder.Collapse)
Concatenate = _function(XlaBuilder.Concatenate)
ConcatInDim = _function(XlaBuilder.ConcatInDim)
Pad = _function(XlaBuilder.Pad)
Reshape = _function(XlaBuilder.Reshape)
Rev = _function(XlaBuilder.Rev)
Transpose = _function(XlaBuilder.Transpose)
GetDimensionSize = _function(XlaBuilder.GetDimensionSize)
SetDimensionSize = _function(XlaBuilder.SetDimensionSize)
Slice = _function(XlaBuilder.Slice)
DynamicSlice = _function(XlaBuilder.DynamicSlice)
DynamicUpdateSlice = _function(XlaBuilder.DynamicUpdateSlice)
Select = _function(XlaBuilder.Select)
Clamp = _function(XlaBuilder.Clamp)
Abs = _function(XlaBuilder.Abs)
Ceil = _function(XlaBuilder.Ceil)
Clz = _function(XlaBuilder.Clz)
Cos = _function(XlaBuilder.Cos)
Exp = _function(XlaBuilder.Exp)
Floor = _function(XlaBuilder.Floor)
Imag = _function(XlaBuilder.Imag)
IsFinite = _function(XlaBuilder.IsFinite)
Log = _function(XlaBuilder.Log)
Log1p = _function(XlaBuilder.Log1p)
LogicalNot = _function(XlaBuilder.LogicalNot)
Logistic = _function(XlaBuilder.Logistic)
PopulationCount = _function(XlaBuilder.PopulationCount)
Neg = _function(XlaBuilder.Neg)
Real = _function(XlaBuilder.Real)
Rsqrt = _function(XlaBuilder.Rsqrt)
Sign = _function(XlaBuilder.Sign)
Sqrt = _function(XlaBuilder.Sqrt)
Cbrt = _function(XlaBuilder.Cbrt)
Tan = _function(XlaBuilder.Tan)
Tanh = _function(XlaBuilder.Tanh)
Round = _function(XlaBuilder.Round)
RoundNearestEven = _function(XlaBuilder.RoundNearestEven)
Sin = _function(XlaBuilder.Sin)
Expm1 = _function(XlaBuilder.Expm1)
Add = _function(XlaBuilder.Add)
Sub = _function(XlaBuilder.Sub)
Mul = _function(XlaBuilder.Mul)
Div = _function(XlaBuilder.Div)
Rem = _function(XlaBuilder.Rem)
Max = _function(XlaBuilder.Max)
Min = _function(XlaBuilder.Min)
LogicalAnd = _function(XlaBuilder.LogicalAnd)
LogicalOr = _function(XlaBuilder.LogicalOr)
LogicalXor = _function(XlaBuilder.LogicalXor)
Atan2 = _function(XlaBuilder.Atan2)
Pow = _function(XlaBuilder.Pow)
ShiftLeft = _function(XlaBuilder.ShiftLeft)
ShiftRightArithmetic = _function(XlaBuilder.ShiftRightArithmetic)
ShiftRightLogical = _function(XlaBuilder.ShiftRightLogical)
Complex = _function(XlaBuilder.Complex)
Eq = _function(XlaBuilder.Eq)
Ne = _function(XlaBuilder.Ne)
Ge = _function(XlaBuilder.Ge)
Gt = _function(XlaBuilder.Gt)
Le = _function(XlaBuilder.Le)
Lt = _function(XlaBuilder.Lt)
EqTotalOrder = _function(XlaBuilder.EqTotalOrder)
NeTotalOrder = _function(XlaBuilder.NeTotalOrder)
GeTotalOrder = _function(XlaBuilder.GeTotalOrder)
GtTotalOrder = _function(XlaBuilder.GtTotalOrder)
LeTotalOrder = _function(XlaBuilder.LeTotalOrder)
LtTotalOrder = _function(XlaBuilder.LtTotalOrder)
Dot = _function(XlaBuilder.Dot)
DotGeneral = _function(XlaBuilder.DotGeneral)
Conv = _function(XlaBuilder.Conv)
ConvWithGeneralPadding = _function(XlaBuilder.ConvWithGeneralPadding)
Reduce = _function(XlaBuilder.Reduce)
ReduceWindow = _function(XlaBuilder.ReduceWindow)
SelectAndScatter = _function(XlaBuilder.SelectAndScatter)
Gather = _function(XlaBuilder.Gather)
Scatter = _function(XlaBuilder.Scatter)
Sort = _function(XlaBuilder.Sort)
TopK = _function(XlaBuilder.TopK)
RngBernoulli = _function(XlaBuilder.RngBernoulli)
RngNormal = _function(XlaBuilder.RngNormal)
RngUniform = _function(XlaBuilder.RngUniform)
RngBitGenerator = _function(XlaBuilder.RngBitGenerator)
Fft = _function(XlaBuilder.Fft)
Cholesky = _function(XlaBuilder.Cholesky)
TriangularSolve = _function(XlaBuilder.TriangularSolve)
BatchNormTraining = _function(XlaBuilder.BatchNormTraining)
BatchNormInference = _function(XlaBuilder.BatchNormInference)
BatchNormGrad = _function(XlaBuilder.BatchNormGrad)
ConvertElementType = _function(XlaBuilder.ConvertElementType)
BitcastConvertType = _function(XlaBuilder.BitcastConvertType)
ReducePrecision = _function(XlaBuilder.ReducePrecision)
Iota = XlaBuilder.Iota
While = _function(XlaBuilder.While)
Conditional = _function(XlaBuilder.Conditional)
Call = _function(XlaBuilder.Call)
Map = _function(XlaBuilder.Map)
CustomCall = _function(XlaBuilder.CustomCall)
Tuple = _function(XlaBuilder.Tuple)
GetTupleElement = _function(XlaBuilder.GetTupleElement)
OptimizationBarrier = _function(XlaBuilder.OptimizationBarrier)
AllGather = _function(XlaBuilder.AllGather)
AllReduce = _function(XlaBuilder.AllReduce)
AllToAll = _function(XlaBuilder.AllToAll)
CollectivePermute = _function(XlaBuilder.CollectivePermute)
CrossReplicaSum = _function(XlaBuilder.CrossReplicaSum)
ReduceScatter = _function(XlaBuilder.ReduceScatter)
ReplicaId = XlaBuilder.ReplicaId
AfterAll = _function(XlaBuilder.AfterAll)
Infeed = XlaBuilder.Infeed
Send = _function(XlaBuilder.Send)
SendDone = _function(XlaBuilder.SendDone)
Recv = XlaBuilder.Recv
RecvDone = _function(XlaBuilder.RecvDone)
