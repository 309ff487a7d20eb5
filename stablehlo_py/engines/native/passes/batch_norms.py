"""Batch normalization as elementwise ops and sums of features, in f32 or f64 (`kernels/reduction.py`)."""

from __future__ import annotations

from math import prod

from stablehlo_py.engines.native.lower.reduction import REDUCE
from stablehlo_py.engines.native.passes.plan_writer import CONVERT, PlanWriter
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.types import FloatType, TensorType

_F32, _F64 = FloatType("f32"), FloatType("f64")


def inference(writer: PlanWriter, step: Step) -> bool:
    """`(x - mean) / sqrt(variance + epsilon) * scale + offset`."""
    norm = _Norm(writer, step)
    x, scale, offset, mean, variance = norm.operands
    centered = norm.op("subtract", x, norm.along(mean))
    norm.give(step.outs[0], "add", norm.scaled(centered, scale, variance), norm.along(offset))
    return True


def training(writer: PlanWriter, step: Step) -> bool:
    """The same with the mean and variance of the operand, which are results too."""
    norm = _Norm(writer, step)
    x, scale, offset = norm.operands
    mean = norm.mean(x)
    centered = norm.op("subtract", x, norm.along(mean))
    variance = norm.mean(norm.op("multiply", centered, centered))
    result, *moments = step.outs
    norm.give(result, "add", norm.scaled(centered, scale, variance), norm.along(offset))
    for out, moment in zip(moments, (mean, variance), strict=True):
        norm.give(out, "add", moment, norm.zeros(moment))
    return True


def gradient(writer: PlanWriter, step: Step) -> bool:
    """The gradients for operand, scale and offset."""
    norm = _Norm(writer, step)
    x, scale, mean, variance, grad = norm.operands
    of_operand, of_scale, of_offset = step.outs
    centered = norm.op("subtract", x, norm.along(mean))
    offset, moment = norm.sum(grad), norm.sum(norm.op("multiply", grad, centered))
    spread = norm.spread(variance)
    deviation = norm.op("sqrt", spread)
    slope = norm.op("divide", norm.op("divide", scale, deviation), norm.count(scale))
    part = norm.op("multiply", centered, norm.along(norm.op("divide", moment, spread)))
    rest = norm.op("subtract", norm.op("multiply", grad, norm.count(grad)), norm.along(offset))
    norm.give(of_operand, "multiply", norm.along(slope), norm.op("subtract", rest, part))
    norm.give(of_scale, "divide", moment, deviation)
    norm.give(of_offset, "add", offset, norm.zeros(offset))
    return True


class _Norm:
    """Arithmetic on an operand and on vectors of its features.

    Args:
        writer: The plan.
        step: The step, whose first operand has features along a dimension.

    Attributes:
        operands: The slots of the operands, in f32 or f64.
    """

    def __init__(self, writer: PlanWriter, step: Step) -> None:
        self._writer, self._plan, self._step = writer, writer.plan, step
        first = writer.plan.tensor(step.ins[0])
        self._element = _F64 if first.element_type is _F64 else _F32
        self._shape = writer.plan.shape_of(step.ins[0])
        self._feature = step.keywords["feature_index"]
        self.operands = [writer.converted(step, slot, self._element) for slot in step.ins]

    def op(self, name: str, *ins: int) -> int:
        """An elementwise op."""
        made = self._writer.slot(self._plan.types[ins[0]])
        self._writer.insert(f"stablehlo.{name}", self._step, ins, made, elementwise=True)
        return made

    def give(self, out: int, name: str, *ins: int) -> None:
        """An elementwise op that gives a result of the step."""
        if self._plan.tensor(out).element_type is self._element:
            self._writer.insert(f"stablehlo.{name}", self._step, ins, out, elementwise=True)
        else:
            self._writer.insert(CONVERT, self._step, (self.op(name, *ins),), out, elementwise=True)

    def along(self, vector: int) -> int:
        """Broadcast a vector of features to the operand's shape."""
        return self._writer.broadcast(self._step, vector, self._shape, (self._feature,))

    def number(self, value: float, slot: int) -> int:
        """Broadcast a number to the shape of an array."""
        scalar = self._writer.constant(value, self._element)
        return self._writer.broadcast(self._step, scalar, self._plan.shape_of(slot), ())

    def zeros(self, slot: int) -> int:
        """The zeros that change no element of an array: -0."""
        return self.number(-0.0, slot)

    def count(self, slot: int) -> int:
        """The number of elements of a feature, broadcast to the shape of an array."""
        return self.number(prod(self._shape) // self._shape[self._feature], slot)

    def spread(self, variance: int) -> int:
        """`variance + epsilon`."""
        return self.op("add", variance, self.number(self._step.keywords["epsilon"], variance))

    def scaled(self, centered: int, scale: int, variance: int) -> int:
        """`centered / sqrt(variance + epsilon) * scale`."""
        deviation = self.op("sqrt", self.spread(variance))
        return self.op("multiply", self.op("divide", centered, self.along(deviation)), self.along(scale))

    def sum(self, x: int) -> int:
        """The sum of each feature."""
        plan, step, type = self._plan, self._step, TensorType((self._shape[self._feature],), self._element)
        scalar, made = TensorType((), self._element), self._writer.slot(type)
        add = Step("stablehlo.add", step.op, (0, 1), (2,), keywords={"result": scalar}, elementwise=True)
        name = f"{step.name} body"
        body = Plan(name, plan.module, plan.functions, 2, [scalar] * 3, {}, [add], (2,), on_elements=True)
        others = tuple([d for d in range(len(self._shape)) if d != self._feature])
        keywords = {"dimensions": others, "results": (type,)}
        ins, bodies = (x, self._writer.constant(0.0, self._element)), {"body": body}
        self._writer.add(
            Step(REDUCE, step.op, ins, (made,), keywords=keywords, bodies=bodies, returns_tuple=True)
        )
        return made

    def mean(self, x: int) -> int:
        """The mean of each feature."""
        total = self.sum(x)
        return self.op("divide", total, self.count(total))
