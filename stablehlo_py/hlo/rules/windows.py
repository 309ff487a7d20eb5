"""Shape rules of reductions, windows, products, gathers and collectives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from stablehlo_py.hlo.dim_labels import labels
from stablehlo_py.hlo.kinds import Window
from stablehlo_py.hlo.module import Instruction
from stablehlo_py.hlo.rules.common import (
    S32,
    array,
    arrays,
    dimension_of,
    dimensions_of,
    joined,
    refuse,
    rule,
    rule_of_any,
    stated,
    text,
)
from stablehlo_py.hlo.rules.elementwise import several
from stablehlo_py.hlo.shapes import compatible, tuple_of, without_layout
from stablehlo_py.ir.types import F32, F64, ComplexType, Type
from stablehlo_py.layout.shape import Shape


@rule
def _reduce(instruction: Instruction, shapes: list[Shape]) -> Shape:
    inputs, numbers = shapes[: len(shapes) // 2], instruction.attributes["dimensions"]
    dimensions_of(inputs[0], numbers, "dimensions")
    joined(inputs, element=False)
    kept = [n for n in range(inputs[0].rank) if n not in numbers]
    sizes, dynamic = [inputs[0].dimensions[n] for n in kept], [inputs[0].dynamic[n] for n in kept]
    return each_result(instruction, lambda element: array(element, sizes, dynamic), inputs)


def each_result(instruction: Instruction, make: Callable[[Type], Shape], inputs: Sequence[Shape]) -> Shape:
    """Return the shape of a reduction: the computation says the element types."""
    root = instruction.attributes["to_apply"].root.shape
    elements = [shape.element_type for shape in (root.tuple_shapes if root.is_tuple else [root])]
    if len(elements) != len(inputs):
        refuse(f"the computation must return {len(inputs)} values, got {text(root)}")
    made = [make(element) for element in elements]
    return tuple_of(tuple(made)) if root.is_tuple else made[0]


@rule
def _scan(instruction: Instruction, shapes: list[Shape]) -> Shape | None:
    attributes = instruction.attributes
    (number,), root = attributes["dimensions"], attributes["to_apply"].root.shape
    carries, returned = attributes["num_carries"], len(root.tuple_shapes) if root.is_tuple else 1
    if not 0 <= carries <= min(len(shapes), returned):
        refuse(f"num_carries={carries} does not fit {len(shapes)} operands and {text(root)}")
    inputs, outputs = shapes[: len(shapes) - carries], returned - carries
    if not inputs or not root.is_tuple:
        return None
    size = dimension_of(inputs[0], number, "dimension")
    arrays(root.tuple_shapes)
    stacked = [
        array(each.element_type, [*each.dimensions[:number], size, *each.dimensions[number:]])
        for each in root.tuple_shapes[:outputs]
    ]
    return tuple_of((*stacked, *map(without_layout, root.tuple_shapes[outputs:])))


def windowed(size: int | None, window: Window, number: int) -> int | None:
    """Return how many places a window has in a dimension; None if its size is unbounded."""
    if size is None:
        return None

    def field(values: tuple[Any, ...], default: Any) -> Any:
        return values[number] if values else default

    low, high = field(window.pad, (0, 0))
    base, inner = field(window.lhs_dilate, 1), field(window.rhs_dilate, 1)
    dilated = low + high + ((size - 1) * base + 1 if size else 0)
    extent = (window.size[number] - 1) * inner + 1 if window.size[number] else 0
    if extent > dilated or not dilated:
        return 0
    return int((dilated - extent) // field(window.stride, 1)) + 1


def window_of(instruction: Instruction, rank: int) -> Window:
    """Return the window of an instruction, which must have a number of dimensions."""
    window: Window = instruction.attributes.get("window", Window((1,) * rank))
    if len(window.size) != rank:
        refuse(f"window= must have {rank} dimensions, got {len(window.size)}")
    if min((*window.stride, *window.lhs_dilate, *window.rhs_dilate, 1)) < 1:
        refuse("strides and dilations of window= must be positive")
    return window


@rule
def _reduce_window(instruction: Instruction, shapes: list[Shape]) -> Shape:
    inputs = shapes[: len(shapes) // 2]
    window = window_of(instruction, inputs[0].rank)
    sizes = [windowed(size, window, n) for n, size in enumerate(inputs[0].dimensions)]
    return each_result(instruction, lambda element: array(element, sizes), inputs)


@rule
def _convolution(instruction: Instruction, shapes: list[Shape]) -> Shape:
    lhs, rhs, out = labels(instruction.attributes["dim_labels"])
    left, right = shapes
    for shape, found in zip(shapes, (lhs, rhs), strict=True):
        if shape.rank != len(found):
            refuse(f"dim_labels={instruction.attributes['dim_labels']} does not fit {text(shape)}")
    window = window_of(instruction, len(out) - 2)
    features = instruction.attributes.get("feature_group_count", 1)
    batches = instruction.attributes.get("batch_group_count", 1)
    if min(features, batches) < 1:
        refuse("feature_group_count= and batch_group_count= must be positive")
    if left.dimensions[lhs["f"]] != (right.dimensions[rhs["i"]] or 0) * features:
        refuse(
            f"{left.dimensions[lhs['f']]} input features must be {right.dimensions[rhs['i']]} of "
            "the kernel times "
            f"{features} groups"
        )
    sizes: list[int | None] = [0] * len(out)
    count = left.dimensions[lhs["b"]]
    sizes[out["b"]] = None if count is None else count // batches
    sizes[out["f"]] = right.dimensions[rhs["o"]]
    for label, number in out.items():
        if label.isdigit():
            if window.size[int(label)] != right.dimensions[rhs[label]]:
                refuse(
                    f"size {window.size[int(label)]} of window= differs from size "
                    f"{right.dimensions[rhs[label]]} of the kernel"
                )
            sizes[number] = windowed(left.dimensions[lhs[label]], window, int(label))
    result = stated(instruction)
    return array(result.element_type if result else left.element_type, sizes)


@rule
def _dot(instruction: Instruction, shapes: list[Shape]) -> Shape:
    left, right = shapes[:2]
    given = [
        instruction.attributes.get(f"{side}_{what}_dims", ())
        for what in ("batch", "contracting")
        for side in ("lhs", "rhs")
    ]
    for shape, numbers in zip((left, right, left, right), given, strict=True):
        dimensions_of(shape, numbers, "dimension")
    for ours, theirs in (given[:2], given[2:]):
        one, two = [left.dimensions[n] for n in ours], [right.dimensions[n] for n in theirs]
        if one != two:
            refuse(
                f"dimensions {list(ours)} of {text(left)} and {list(theirs)} of {text(right)} "
                f"have sizes {one} and {two}"
            )
    batch = [left.dimensions[n] for n in given[0]]
    free = [s for n, s in enumerate(left.dimensions) if n not in (*given[0], *given[2])]
    free += [s for n, s in enumerate(right.dimensions) if n not in (*given[1], *given[3])]
    result = stated(instruction)
    return array(result.element_type if result else left.element_type, [*batch, *free])


@rule
def _ragged_dot(instruction: Instruction, shapes: list[Shape]) -> Shape | None:
    left, right, groups = shapes
    attributes = instruction.attributes
    contracting, batch = attributes.get("lhs_contracting_dims", ()), attributes.get("lhs_batch_dims", ())
    theirs = (
        *attributes.get("rhs_contracting_dims", ()),
        *attributes.get("rhs_batch_dims", ()),
        *attributes.get("rhs_group_dims", ()),
    )
    for shape, numbers in ((left, (*contracting, *batch)), (right, theirs)):
        dimensions_of(shape, numbers, "dimensions")
    sizes = [left.dimensions[n] for n in batch]
    sizes += [s for n, s in enumerate(left.dimensions) if n not in (*contracting, *batch)]
    sizes += [s for n, s in enumerate(right.dimensions) if n not in theirs]
    if set(attributes.get("lhs_ragged_dims", ())) & set(contracting):
        sizes = [dimension_of(groups, groups.rank - 1, "dimension"), *sizes]
    result = stated(instruction)
    return array(result.element_type if result else left.element_type, sizes)


@rule
def _scaled_dot(instruction: Instruction, _: list[Shape]) -> Shape | None:
    found = stated(instruction)
    return found and without_layout(found)


@rule
def _gather(instruction: Instruction, shapes: list[Shape]) -> Shape:
    operand, indices = shapes
    given = instruction.attributes
    sizes, vector = given["slice_sizes"], given["index_vector_dim"]
    if len(sizes) != operand.rank:
        refuse(f"slice_sizes= must have {operand.rank} numbers for {text(operand)}, got {len(sizes)}")
    dropped = (*given["collapsed_slice_dims"], *given.get("operand_batching_dims", ()))
    kept = [size for n, size in enumerate(sizes) if n not in dropped]
    batch = [size for n, size in enumerate(indices.dimensions) if n != vector]
    offsets = given["offset_dims"]
    rank = len(kept) + len(batch)
    if len(kept) != len(offsets) or len(set(offsets)) < len(offsets) or not set(offsets) <= set(range(rank)):
        refuse(f"offset_dims= must have {len(kept)} different numbers below {rank}, got {list(offsets)}")
    windows, rest = iter(kept), iter(batch)
    return array(operand.element_type, [next(windows if n in offsets else rest) for n in range(rank)])


@rule
def _fft(instruction: Instruction, shapes: list[Shape]) -> Shape:
    (operand,) = shapes
    kind, lengths = instruction.attributes["fft_type"], instruction.attributes["fft_length"]
    if not 0 < len(lengths) <= operand.rank:
        refuse(f"fft_length= must have 1 to {operand.rank} numbers for {text(operand)}, got {len(lengths)}")
    sizes: list[int | None] = list(operand.dimensions)
    element = operand.element_type
    if kind == "RFFT":
        if element not in (F32, F64):
            refuse(f"the operand of {kind} must be of f32 or f64, got {text(operand)}")
        sizes[-1] = lengths[-1] // 2 + 1 if lengths[-1] else 0
        return array(ComplexType(element), sizes)
    if not isinstance(element, ComplexType):
        refuse(f"the operand of {kind} must be of complex numbers, got {text(operand)}")
    if kind == "FFT" or kind == "IFFT":
        return without_layout(operand)
    sizes[-1] = lengths[-1]
    return array(element.element_type, sizes)


@rule
def _topk(instruction: Instruction, shapes: list[Shape]) -> Shape:
    (operand,) = shapes
    sizes = (*operand.dimensions[:-1], instruction.attributes["k"])
    return tuple_of((array(operand.element_type, sizes), array(S32, sizes)))


@rule
def _rng_bit_generator(instruction: Instruction, shapes: list[Shape]) -> Shape | None:
    found, (state,) = instruction.shape, shapes
    if not found.is_tuple or len(found.tuple_shapes) != 2 or not compatible(found.tuple_shapes[0], state):
        refuse(f"the result must be a tuple of {text(state)} and bits, got {text(found)}")
    return None


def _groups_size(instruction: Instruction) -> int | None:
    groups = instruction.attributes["replica_groups"].groups
    return len(groups[0]) or None if groups else None


@rule
def _all_gather(instruction: Instruction, shapes: list[Shape]) -> Shape | None:
    return _scaled(instruction, shapes, lambda size, count: size * count)


@rule
def _reduce_scatter(instruction: Instruction, shapes: list[Shape]) -> Shape | None:
    return _scaled(instruction, shapes, lambda size, count: size // count)


def _scaled(instruction: Instruction, shapes: list[Shape], change: Callable[[int, int], int]) -> Shape | None:
    (number,), count = instruction.attributes["dimensions"], _groups_size(instruction)
    if count is None:
        return None
    made = []
    for shape in shapes:
        size = dimension_of(shape, number, "dimension")
        sizes = list(shape.dimensions)
        sizes[number] = None if size is None else change(size, count)
        made.append(array(shape.element_type, sizes))
    return made[0] if len(made) == 1 else tuple_of(tuple(made))


@rule_of_any
def _collective_permute(instruction: Instruction, shapes: list[Shape]) -> Shape:
    """Return the shapes of the operands; with slices, that of the one that they are written into."""
    if instruction.attributes.get("slice_sizes") and len(shapes) > 1:
        return without_layout(shapes[1])
    arrays(shapes)
    return several(shapes)
