"""Rule of family P: scatter windows that may be partly out of bounds, which XLA drops as a whole."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from stablehlo_py.ir.attributes import DenseElementsAttr, StructAttr
from stablehlo_py.ir.core import Operation, OpResult, Value
from stablehlo_py.ir.types import TensorType
from stablehlo_py.linter.context import LintContext
from stablehlo_py.linter.rule import Finding, Rule
from stablehlo_py.linter.settings import Settings
from stablehlo_py.opset.definition import has_trait, lookup


def _partial_windows(context: LintContext, settings: Settings) -> Iterator[Finding]:
    for op in context.having("unordered"):
        dimensions = op.attribute("scatter_dimension_numbers")
        if not isinstance(dimensions, StructAttr):
            continue
        room = _room(op, dimensions)
        if room and not _is_in_bounds(op.operands[(len(op.operands) - 1) // 2], room, dimensions):
            yield Finding(op, f"a window of {op.name} may be partly out of bounds, and XLA skips all of it")


def _room(op: Operation, dimensions: StructAttr) -> dict[int, int]:
    """Map components of indices to the largest start in bounds, if windows have several elements there."""
    shape, updates = op.operands[0].type, op.operands[-1].type
    if not isinstance(shape, TensorType) or not isinstance(updates, TensorType):
        return {}
    dropped = {*dimensions["inserted_window_dims"], *dimensions["input_batching_dims"]}
    kept = [d for d in range(shape.rank) if d not in dropped]
    sizes = {d: updates.shape[u] for d, u in zip(kept, dimensions["update_window_dims"], strict=True)}
    found = {}
    for component, d in enumerate(dimensions["scatter_dims_to_operand_dims"]):
        size, whole = sizes.get(d, 1), shape.shape[d]
        if size != 1 and size is not None and whole is not None:
            found[component] = whole - size
    return found


def _is_in_bounds(indices: Value, room: dict[int, int], dimensions: StructAttr) -> bool:
    """Test whether indices are constants in bounds, or clamped."""
    if not isinstance(indices, OpResult):
        return False
    definition = lookup(indices.op.name)
    if definition is not None and definition.sign == "clamp":
        return True
    value = indices.op.attribute("value")
    if not has_trait(indices.op.name, "constant") or not isinstance(value, DenseElementsAttr):
        return False
    starts = value.value
    axis = dimensions["index_vector_dim"]
    starts = starts[..., None] if axis == starts.ndim else np.moveaxis(starts, axis, -1)
    return all(
        bool(np.all((starts[..., component] >= 0) & (starts[..., component] <= most)))
        for component, most in room.items()
    )


_SCATTER = """func.func @main(%x: tensor<4xf32>, %i: tensor<2x1xi32>, %y: tensor<2x2xf32>) -> tensor<4xf32> {
  INDICES%0 = "stablehlo.scatter"(%x, %at, %y) <{
    scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true
  }> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<4xf32>, tensor<2x1xi32>, tensor<2x2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}"""
_CLAMP = """%least = stablehlo.constant dense<0> : tensor<i32>
  %most = stablehlo.constant dense<2> : tensor<i32>
  %at = stablehlo.clamp %least, %i, %most : (tensor<i32>, tensor<2x1xi32>, tensor<i32>) -> tensor<2x1xi32>
  """

RULES = (
    Rule(
        code="P111",
        name="partial-scatter-window",
        summary="Scatter windows that may be partly out of bounds",
        why="Of a scatter window that is partly out of bounds, the specification skips the elements that "
        "are out of bounds, and XLA skips the whole window: results differ. `shlo run --semantics xla` "
        "does as XLA does.",
        remedy="Clamp the indices to the last start at which a window fits, or scatter single elements.",
        bad=_SCATTER.replace("INDICES", "").replace("%at", "%i"),
        good=_SCATTER.replace("INDICES", _CLAMP),
        check=_partial_windows,
    ),
)
