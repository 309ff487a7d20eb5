"""Tracing: a kernel that is called with traced arrays adds its steps to a plan.

So a formula is stated once, in the kernel. What NumPy's functions do with a traced array becomes steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import prod
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from stablehlo_py.engines.native.lower.reduction import REDUCE
from stablehlo_py.engines.native.passes.plan_writer import PlanWriter
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.element_types import element_type_of, numpy_dtype
from stablehlo_py.ir.types import TensorType, Type
from stablehlo_py.kernels.registry import DType, Ints, find_kernel, keyword_names

_NAMES = {"rint": "round_nearest_even"}  # of ops that NumPy names otherwise


class Traced(NDArrayOperatorsMixin):
    """An array that a plan computes.

    Args:
        writer: The plan.
        step: The step that errors refer to.
        slot: The slot of the array.
    """

    flags = SimpleNamespace(c_contiguous=False)  # it has no memory

    def __init__(self, writer: PlanWriter, step: Step, slot: int) -> None:
        self._writer, self._step, self.slot = writer, step, slot
        self.shape = writer.plan.shape_of(slot)
        self.ndim = len(self.shape)
        self.element = writer.plan.tensor(slot).element_type
        self.dtype = numpy_dtype(self.element)

    def _new(self, slot: int) -> Traced:
        return Traced(self._writer, self._step, slot)

    def astype(self, dtype: DType) -> Traced:
        """Convert the elements."""
        return self._new(self._writer.converted(self._step, self.slot, _element(dtype)))

    def reshape(self, *shape: Any) -> Traced:
        """Return the elements in another shape, of which one extent may be -1; extents may be in a tuple."""
        shape = shape[0] if shape and isinstance(shape[0], tuple) else shape
        rest = prod(self.shape) // prod([size for size in shape if size >= 0])
        type = TensorType(tuple([size if size >= 0 else rest for size in shape]), self.element)
        if type.shape == self.shape:
            return self
        made = self._writer.slot(type)
        self._writer.insert("stablehlo.reshape", self._step, (self.slot,), made)
        return self._new(made)

    def broadcast(self, shape: Ints) -> Traced:
        """Broadcast to a shape, by NumPy's rules."""
        if self.shape == shape:
            return self
        dimensions = tuple(range(len(shape) - self.ndim, len(shape)))
        return self._new(self._writer.broadcast(self._step, self.slot, shape, dimensions))

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **keywords: Any) -> Any:
        """Add the step of an elementwise op or reduction."""
        if method == "reduce":
            return self._reduced(ufunc.__name__, keywords["axis"])
        arrays = [self._of(each) for each in inputs]
        shape = np.broadcast_shapes(*[each.shape for each in arrays])
        made = self._writer.slot(TensorType(shape, self.element))
        ins = tuple([each.broadcast(shape).slot for each in arrays])
        name = _NAMES.get(ufunc.__name__, ufunc.__name__)
        self._writer.insert(f"stablehlo.{name}", self._step, ins, made, elementwise=True)
        return self._new(made)

    def _of(self, value: Any) -> Traced:
        return (
            value
            if isinstance(value, Traced)
            else self._new(self._writer.constant(value, _element(value.dtype)))
        )

    def _reduced(self, name: str, axes: Ints) -> Traced:
        """Reduce dimensions by an op of two operands, from 0."""
        plan, step, scalar = self._writer.plan, self._step, TensorType((), self.element)
        add = Step(f"stablehlo.{name}", step.op, (0, 1), (2,), keywords={"result": scalar}, elementwise=True)
        types: list[Type] = [scalar] * 3
        body = Plan("body", plan.module, plan.functions, 2, types, {}, [add], (2,), on_elements=True)
        type = TensorType(tuple([n for d, n in enumerate(self.shape) if d not in axes]), self.element)
        made, ins = self._writer.slot(type), (self.slot, self._writer.constant(0, self.element))
        keywords, bodies = {"dimensions": axes, "results": (type,)}, {"body": body}
        self._writer.put(
            Step(REDUCE, step.op, ins, (made,), keywords=keywords, bodies=bodies, returns_tuple=True)
        )
        return self._new(made)


def _element(dtype: DType) -> Type:
    row = element_type_of(np.dtype(dtype))
    assert row is not None
    return row.type


def traced(writer: PlanWriter, step: Step) -> bool:
    """Add the steps of the kernel of a step."""
    kernel = find_kernel(step.name)
    assert kernel is not None
    keywords = {name: step.keywords[name] for name in keyword_names(kernel.call)}
    return give(writer, step, lambda *arrays: kernel.call(*arrays, **keywords))


def give(writer: PlanWriter, step: Step, function: Callable[..., Any]) -> bool:
    """Add the steps of a function of the operands of a step, which computes its results."""
    start = len(writer.plan.steps)
    found = function(*[Traced(writer, step, slot) for slot in step.ins])
    made = [each.slot for each in ([found] if isinstance(found, Traced) else found)]
    names = dict(zip(made, step.outs, strict=True))
    for place in range(start, len(writer.plan.steps)):
        each = writer.plan.steps[place]
        ins, outs = (tuple([names.get(slot, slot) for slot in slots]) for slots in (each.ins, each.outs))
        writer.plan.steps[place] = replace(each, ins=ins, outs=outs)
    return True
