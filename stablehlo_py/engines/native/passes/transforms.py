"""Fourier transforms of several dimensions, as one step per dimension."""

from __future__ import annotations

from math import prod

import numpy as np

from stablehlo_py.engines.native.arithmetic.elements import element_of
from stablehlo_py.engines.native.lower.fft import FFT, LINES, LONGEST, factors, root
from stablehlo_py.engines.native.passes.plan_writer import PlanWriter
from stablehlo_py.interpreter.deferred import ResultTypes
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.types import ComplexType, TensorType


def split_transforms(plan: Plan[Step]) -> Plan[Step]:
    """Return a plan whose transforms are a step for each dimension, where there is native code."""
    writer = PlanWriter(plan)
    split: set[int] = set()
    for step in plan.steps:
        if step.name == FFT and _is_native(plan, step):
            split.update(step.outs)
            _split(writer, step)
        elif not (isinstance(step.deferred, ResultTypes) and split.issuperset(step.ins)):
            writer.add_with_bodies(step, split_transforms)
    return writer.plan if writer.changed else plan


def _is_native(plan: Plan[Step], step: Step) -> bool:
    """Test whether the lengths are small products of small primes, and the lengths of the arrays."""
    operand, result = plan.types[step.ins[0]], plan.types[step.outs[0]]
    if step.effect or step.deferred is not None or element_of(operand) is None or element_of(result) is None:
        return False
    kind, lengths = step.keywords["fft_type"], step.keywords["fft_length"]
    shapes = plan.shape_of(step.ins[0]), plan.shape_of(step.outs[0])
    whole, other = shapes if kind != "IRFFT" else shapes[::-1]  # the other one is half of a symmetric array
    half = (*whole[:-1], whole[-1] // 2 + 1) if kind in ("RFFT", "IRFFT") else whole
    fits = tuple(whole[len(whole) - len(lengths) :]) == tuple(lengths) and prod(whole) > 0 and other == half
    return fits and all(n <= LONGEST and factors(n) is not None for n in lengths)


def _split(writer: PlanWriter, step: Step) -> None:
    """Add the steps of a transform; a transform of real numbers is along the last dimension."""
    kind, lengths = step.keywords["fft_type"], step.keywords["fft_length"]
    whole = writer.plan.tensor(step.outs[0])
    rank = whole.rank
    axes = list(range(rank - len(lengths), rank))
    if kind != "IRFFT":  # the last dimension first
        axes.reverse()
    at = step.ins[0]
    for axis in axes:
        is_last = axis == axes[-1]
        type = whole if is_last or kind != "IRFFT" else writer.plan.tensor(at)
        if kind == "RFFT" and axis == rank - 1 and not isinstance(type.element_type, ComplexType):
            type = TensorType(type.shape, ComplexType(type.element_type))
        out = step.outs[0] if is_last else writer.slot(type)
        length = lengths[axis - rank + len(lengths)]
        ins, inverse = (at, _roots(writer, type, length)), kind in ("IFFT", "IRFFT")
        writer.insert(LINES, step, ins, out, axis=axis, length=length, inverse=inverse)
        at = out


def _roots(writer: PlanWriter, type: TensorType, length: int) -> int:
    """The slot of the roots of unity: their real parts, then their imaginary ones."""
    element = type.element_type
    element = element.element_type if isinstance(element, ComplexType) else element
    numbers = np.array([root(length, k) for k in range(length)])
    return writer.constant([numbers.real, numbers.imag], element)
