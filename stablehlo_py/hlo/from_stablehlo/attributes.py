"""Inputs of ops as attributes of opcodes: the rows of `to_stablehlo.attributes`, read backwards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from stablehlo_py.hlo.kinds import ReplicaGroups, Window
from stablehlo_py.hlo.to_stablehlo.attributes import NAMED
from stablehlo_py.ir.core import Operation
from stablehlo_py.opset.attribute_conversion import python_value
from stablehlo_py.opset.definition import Attr, lookup
from stablehlo_py.opset.op_inputs import stored_value

Inputs = dict[str, Any]
Attributes = dict[str, Any]
Make = Callable[[Operation, Inputs], Attributes]


def inputs_of(op: Operation) -> Inputs:
    """Return the inputs of an op that are attributes, by name; None for those that it does not state."""
    definition = lookup(op.name)
    assert definition is not None
    attrs = [each for each in definition.inputs if isinstance(each, Attr)]
    return {attr.name: _plain(python_value(stored_value(op, attr))) for attr in attrs}


def _plain(value: Any) -> Any:
    return tuple(value.tolist()) if isinstance(value, np.ndarray) and value.ndim == 1 else value


def attributes_of(opcode: str, op: Operation, inputs: Inputs) -> Attributes:
    """Return the attributes of the instruction that an op becomes, without called computations.

    Args:
        opcode: The opcode.
        op: The op.
        inputs: What `inputs_of` returns.
    """
    found: Attributes = {}
    for each in NAMED.get(opcode, "").split():
        name, _, target = each.partition("=")
        attribute, only, _ = (target or name).partition("[")
        value = inputs.get(name)
        if value is not None and value is not False:
            found[attribute] = (value,) if only else value
    if "replica_groups" in inputs:
        found["replica_groups"] = _groups(inputs["replica_groups"])
    if (channel := _channel(op)) is not None:
        found["channel_id"] = channel
        if inputs.get("use_global_device_ids"):
            found["use_global_device_ids"] = True
    make = _MADE.get(opcode)
    return found if make is None else found | make(op, inputs)


def _groups(rows: Any) -> ReplicaGroups:
    groups = [tuple(number for number in row if number >= 0) for row in np.atleast_2d(rows).tolist()]
    return ReplicaGroups(tuple(group for group in groups if group))


def _channel(op: Operation) -> int | None:
    """Return the number of the channel of a collective; None without a positive one."""
    fields = dict(getattr(op.attribute("channel_handle"), "fields", ()))
    handle = fields.get("handle")
    return handle if isinstance(handle, int) and handle > 0 else None


def _pairs(values: Any) -> tuple[tuple[int, int], ...]:
    return tuple([(first, second) for first, second in np.asarray(values).reshape(-1, 2).tolist()])


def _permute(op: Operation, inputs: Inputs) -> Attributes:
    return {"source_target_pairs": _pairs(inputs["source_target_pairs"])}


def _pad(op: Operation, inputs: Inputs) -> Attributes:
    names = ("edge_padding_low", "edge_padding_high", "interior_padding")
    return {"padding": tuple(zip(*(inputs[name] for name in names), strict=True))}


def _slice(op: Operation, inputs: Inputs) -> Attributes:
    names = ("start_indices", "limit_indices", "strides")
    return {"slice": tuple(zip(*(inputs[name] for name in names), strict=True))}


def _window(rank: int, inputs: Inputs, sizes: Any) -> Window:
    ones = (1,) * rank
    padding = inputs.get("padding")
    reversal = inputs.get("window_reversal")
    return Window(
        tuple(sizes),
        inputs.get("window_strides") or ones,
        _pairs(padding) if padding is not None else ((0, 0),) * rank,
        inputs.get("base_dilations") or inputs.get("lhs_dilation") or ones,
        inputs.get("window_dilations") or inputs.get("rhs_dilation") or ones,
        tuple(map(int, reversal)) if reversal is not None else (0,) * rank,
    )


def _window_of(op: Operation, inputs: Inputs) -> Attributes:
    sizes = inputs["window_dimensions"] or (1,) * len(op.operands[0].type.shape)
    return {"window": _window(len(sizes), inputs, sizes)}


def _convolution(op: Operation, inputs: Inputs) -> Attributes:
    spatial = inputs["kernel_spatial_dimensions"]
    kernel = op.operands[1].type.shape
    sides = []
    for side, first, second, letters in (
        ("input", "batch", "feature", "bf"),
        ("kernel", "input_feature", "output_feature", "io"),
        ("output", "batch", "feature", "bf"),
    ):
        places = {inputs[f"{side}_{first}_dimension"]: letters[0]}
        places[inputs[f"{side}_{second}_dimension"]] = letters[1]
        places |= {place: str(n) for n, place in enumerate(inputs[f"{side}_spatial_dimensions"])}
        sides.append("".join(places[place] for place in sorted(places)))
    found: Attributes = {"dim_labels": f"{sides[0]}_{sides[1]}->{sides[2]}"}
    if spatial:
        found["window"] = _window(len(spatial), inputs, [kernel[number] for number in spatial])
    for name in ("feature_group_count", "batch_group_count"):
        if inputs[name] not in (None, 1):
            found[name] = inputs[name]
    return found | _precision(inputs)


def _precision(inputs: Inputs) -> Attributes:
    words = [str(word).lower() for word in inputs.get("precision_config") or ()]
    return {"operand_precision": tuple(words)} if set(words) - {"default"} else {}


def _dot(op: Operation, inputs: Inputs) -> Attributes:
    found: Attributes = {}
    for side in ("lhs", "rhs"):
        if batching := inputs[f"{side}_batching_dimensions"]:
            found[f"{side}_batch_dims"] = batching
        found[f"{side}_contracting_dims"] = inputs[f"{side}_contracting_dimensions"] or ()
    return found | _precision(inputs)


def _ragged_dot(op: Operation, inputs: Inputs) -> Attributes:
    ragged = {"lhs_ragged_dims": "lhs_ragged_dimensions", "rhs_group_dims": "rhs_group_dimensions"}
    return _dot(op, inputs) | {name: inputs[source] or None for name, source in ragged.items()}


def _index(op: Operation, inputs: Inputs) -> Attributes:
    return {"index": inputs["index"]}


def _compare(op: Operation, inputs: Inputs) -> Attributes:
    """Leave out a type that the element type implies."""
    return {} if inputs["compare_type"] == "TOTALORDER" else {"type": None}


def _rng(op: Operation, inputs: Inputs) -> Attributes:
    return {"distribution": f"rng_{inputs['rng_distribution'].lower()}"}


def _rng_bits(op: Operation, inputs: Inputs) -> Attributes:
    return {"algorithm": f"rng_{inputs['rng_algorithm'].lower()}"}


def _top_k(op: Operation, inputs: Inputs) -> Attributes:
    return {"k": inputs["k"], "largest": True}


_MADE: dict[str, Make] = {
    "collective-permute": _permute,
    "pad": _pad,
    "slice": _slice,
    "reduce-window": _window_of,
    "select-and-scatter": _window_of,
    "convolution": _convolution,
    "dot": _dot,
    "ragged-dot": _ragged_dot,
    "get-tuple-element": _index,
    "compare": _compare,
    "rng": _rng,
    "rng-bit-generator": _rng_bits,
    "topk": _top_k,
}
