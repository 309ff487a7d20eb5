"""Padding: images of few features, or for results of few features, get their padding before a convolution.

Then windows are inside of the image: the features of neighbouring taps are neighbours in memory, and rows of
images are read as vectors, without tests.
"""

from __future__ import annotations

import numpy as np

from stablehlo_py.engines.native.lower.contraction import CONVOLUTION
from stablehlo_py.engines.native.passes.plan_writer import PlanWriter
from stablehlo_py.engines.native.passes.product_shapes import is_in_blocks, is_in_rows
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import TensorType

_FEW = 16  # features


def pad_images(plan: Plan[Step]) -> Plan[Step]:
    """Return a plan in which convolutions of images with few features have no padding."""
    writer = PlanWriter(plan)
    for step in plan.steps:
        if step.name == CONVOLUTION and _pays(plan, step):
            _pad(writer, step)
        else:
            writer.add_with_bodies(step, pad_images)
    return writer.plan if writer.changed else plan


def _pays(plan: Plan[Step], step: Step) -> bool:
    keywords = step.keywords
    padding = np.asarray(keywords["padding"])
    if is_in_rows(plan, step):
        return bool(padding.any()) or set(keywords["lhs_dilation"]) != {1}
    dense = set(keywords["lhs_dilation"]) <= {1} and keywords["feature_group_count"] == 1
    if not dense or not padding.any() or not is_in_blocks(plan, step):
        return False
    image = plan.shape_of(step.ins[0])
    return image[-1] < _FEW and len(image) - 1 not in keywords["input_spatial_dimensions"]


def _pad(writer: PlanWriter, step: Step) -> None:
    image = step.ins[0]
    type = writer.plan.tensor(image)
    padding, dimensions = np.asarray(step.keywords["padding"]), step.keywords["input_spatial_dimensions"]
    low, high, interior = ([0] * type.rank for _ in range(3))
    spans = zip(dimensions, padding.tolist(), step.keywords["lhs_dilation"], strict=True)
    for d, (before, after), dilation in spans:
        low[d], high[d], interior[d] = before, after, dilation - 1
    shape = zip(low, writer.plan.shape_of(image), interior, high, strict=True)
    sizes = tuple([before + n + (n - 1) * inner + after for before, n, inner, after in shape])
    if min(sizes) < 1:
        writer.add(step)
        return
    zero = writer.slot(TensorType((), type.element_type))
    writer.plan.constants[zero] = np.zeros((), numpy_dtype(type.element_type))
    padded = writer.slot(TensorType(sizes, type.element_type))
    writer.insert(
        "stablehlo.pad",
        step,
        (image, zero),
        padded,
        edge_padding_low=tuple(low),
        edge_padding_high=tuple(high),
        interior_padding=tuple(interior),
    )
    dense = (1,) * len(dimensions)
    keywords = {**step.keywords, "padding": np.zeros_like(padding), "lhs_dilation": dense}
    writer.change(step, ins=(padded, step.ins[1]), keywords=keywords)
