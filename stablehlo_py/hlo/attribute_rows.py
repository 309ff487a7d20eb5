"""Attributes of opcodes and inputs of ops: rows that both conversions read, each in its direction."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from stablehlo_py.hlo.dim_labels import dimension_numbers, labels_text
from stablehlo_py.hlo.kinds import ReplicaGroups, Window
from stablehlo_py.hlo.opcodes import opcodes
from stablehlo_py.ir.types import F32, F64, FloatType

Values = dict[str, Any]  # attributes, or inputs, by name
Shapes = Sequence[Sequence[Any]]  # the sizes of the operands


class Row(NamedTuple):
    """How attributes become inputs, and inputs attributes. Inputs that are not stated are None."""

    to_inputs: Callable[[Values, Shapes], Values]
    to_attributes: Callable[[Values, Shapes], Values]


_DEFAULTS: Values = {
    "left_side": False,
    "lower": False,
    "unit_diagonal": False,
    "transpose_a": "NO_TRANSPOSE",
}


def _named(words: Sequence[str]) -> Row:
    """Return the row of inputs that are attributes without change, or with another name; see `opcodes`."""
    pairs = []
    for each in words:
        name, _, attribute = each.partition("=")
        attribute, only, _ = (attribute or name).partition("[")
        pairs.append((name.rstrip("?"), attribute.rstrip("?"), bool(only), each.endswith("?")))

    def to_inputs(attributes: Values, _: Shapes) -> Values:
        found: Values = {}
        for name, attribute, is_only, has_default in pairs:
            if attribute in attributes:
                found[name] = attributes[attribute][0] if is_only else attributes[attribute]
            elif has_default:
                found[name] = _DEFAULTS.get(name, ())
        return found

    def to_attributes(inputs: Values, _: Shapes) -> Values:
        found: Values = {}
        for name, attribute, is_only, _has_default in pairs:
            value = inputs.get(name)
            if value is not None and value is not False:
                found[attribute] = (value,) if is_only else value
        return found

    return Row(to_inputs, to_attributes)


def _columns(attribute: str, *names: str) -> Row:
    """Return the row of an attribute that has a number of each of several inputs for each dimension."""
    places = {name: n for n, name in enumerate(names)}
    return Row(
        lambda attributes, _: {name: [row[n] for row in attributes[attribute]] for name, n in places.items()},
        lambda inputs, _: {attribute: tuple(zip(*(inputs[name] for name in names), strict=True))},
    )


def _word(attribute: str, name: str) -> Row:
    """Return the row of a word such as `rng_uniform`."""
    return Row(
        lambda attributes, _: {name: attributes[attribute].removeprefix("rng_").upper()},
        lambda inputs, _: {attribute: f"rng_{inputs[name].lower()}"},
    )


def _as_pairs(values: Any) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.array(values, np.int64).reshape(-1, 2)


def _tuples(values: Any) -> tuple[tuple[int, ...], ...]:
    return tuple(map(tuple, _as_pairs(values).tolist()))


_PAIRS = Row(
    lambda attributes, _: {"source_target_pairs": _as_pairs(attributes["source_target_pairs"])},
    lambda inputs, _: {"source_target_pairs": _tuples(inputs["source_target_pairs"])},
)


# ------------------------------------------------------------------------------- groups, channels


def rows_of(groups: ReplicaGroups) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return groups as rows, padded with -1."""
    width = max(map(len, groups.groups), default=0)
    filled = [[*group, *[-1] * (width - len(group))] for group in groups.groups]
    return np.array(filled, np.int64).reshape(len(filled), width)


def _groups_of(inputs: Values, _: Shapes) -> Values:
    rows = np.atleast_2d(inputs["replica_groups"]).tolist()
    groups = [tuple([number for number in row if number >= 0]) for row in rows]
    return {"replica_groups": ReplicaGroups(tuple(filter(None, groups)))}


_GROUPS = Row(lambda attributes, _: {"replica_groups": rows_of(attributes["replica_groups"])}, _groups_of)


def _to_channel(attributes: Values, _: Shapes) -> Values:
    found: Values = {}
    if "channel_id" in attributes:
        found["channel_handle"] = {"handle": attributes["channel_id"], "type": 1}
    if attributes.get("use_global_device_ids"):
        found["use_global_device_ids"] = True
    return found


def _from_channel(inputs: Values, _: Shapes) -> Values:
    """Return the number of a channel, if it is positive."""
    handle = dict(getattr(inputs["channel_handle"], "fields", ())).get("handle", 0)
    if handle <= 0:
        return {}
    return {"channel_id": handle, "use_global_device_ids": inputs.get("use_global_device_ids") or None}


# ------------------------------------------------------------------------------- windows, products


def _window(names: Mapping[str, str], sizes: Callable[[Values, Shapes], Sequence[int]]) -> Row:
    """Return the row of a window.

    Args:
        names: The inputs that are fields of the window.
        sizes: Returns the sizes of a window from inputs.
    """

    def to_inputs(attributes: Values, shapes: Shapes) -> Values:
        window = attributes.get("window", Window((1,) * len(shapes[0]) if "size" in names else ()))
        found: Values = {name: getattr(window, field) or None for field, name in names.items()}
        if "size" in names:
            found[names["size"]] = window.size
        return found | {"padding": _as_pairs(window.pad) if window.pad else None}

    def to_attributes(inputs: Values, shapes: Shapes) -> Values:
        size, pad = tuple(sizes(inputs, shapes)), inputs["padding"]
        fields: Values = {field: tuple(map(int, inputs[name] or ())) for field, name in names.items()}
        fields |= {"size": size, "pad": () if pad is None else _tuples(pad)}
        return {"window": Window(**fields)} if size or "size" in names else {}

    return Row(to_inputs, to_attributes)


_SIZE_AND_STRIDE = {"size": "window_dimensions", "stride": "window_strides"}
_DILATED = _SIZE_AND_STRIDE | {"lhs_dilate": "base_dilations", "rhs_dilate": "window_dilations"}
_CONVOLVED = {
    "stride": "window_strides", "lhs_dilate": "lhs_dilation", "rhs_dilate": "rhs_dilation",
    "rhs_reversal": "window_reversal",
}  # fmt: skip


def _sizes(inputs: Values, shapes: Shapes) -> Sequence[int]:
    return inputs["window_dimensions"] or (1,) * len(shapes[0])


def _kernel_sizes(inputs: Values, shapes: Shapes) -> Sequence[int]:
    return [shapes[1][number] for number in inputs["kernel_spatial_dimensions"]]


_DIM_LABELS = Row(
    lambda attributes, _: dimension_numbers(attributes["dim_labels"]),
    lambda inputs, _: {"dim_labels": labels_text(inputs)},
)
_COUNTS = ("feature_group_count", "batch_group_count")
_GROUP_COUNTS = Row(
    lambda attributes, _: {name: attributes.get(name, 1) for name in _COUNTS},
    lambda inputs, _: {name: inputs[name] for name in _COUNTS if inputs[name] != 1},
)


def _to_precision(attributes: Values, _: Shapes) -> Values:
    words = attributes.get("operand_precision")
    known = ("default", "high", "highest")
    return {"precision_config": words and [word.upper() if word in known else "DEFAULT" for word in words]}


def _from_precision(inputs: Values, _: Shapes) -> Values:
    words = tuple([str(word).lower() for word in inputs["precision_config"] or ()])
    return {"operand_precision": words} if set(words) - {"default"} else {}


_TYPES = {
    "any_f8": FloatType("f8E5M2"),  # all types of 8 bits are equal here
    "f16": FloatType("f16"),
    "bf16": FloatType("bf16"),
    "f32": F32,
    "f64": F64,
    "tf32": FloatType("tf32"),
}
_ALGORITHM = re.compile(r"dot_(any_f8|[a-z]+\d+)_(any_f8|[a-z]+\d+)_([a-z]+\d+)(?:_x(\d))?(_fast_accum)?")


def _to_algorithm(attributes: Values, _: Shapes) -> Values:
    """Return the algorithm of a dot; what StableHLO has no words for is left to the engine."""
    found = _ALGORITHM.fullmatch(attributes.get("algorithm", ""))
    if found is None or not {found[1], found[2], found[3]} <= set(_TYPES):
        return {}
    return {
        "lhs_precision_type": _TYPES[found[1]],
        "rhs_precision_type": _TYPES[found[2]],
        "accumulation_type": _TYPES[found[3]],
        "lhs_component_count": 1,
        "rhs_component_count": 1,
        "num_primitive_operations": int(found[4] or 1),
        "allow_imprecise_accumulation": found[5] is not None,
    }


def _from_compare(inputs: Values, _: Shapes) -> Values:
    """Leave out a type that the element type implies."""
    return {} if inputs["compare_type"] == "TOTALORDER" else {"type": None}


_NOTHING: Callable[[Values, Shapes], Values] = lambda values, shapes: {}  # noqa: E731
_ROWS = {
    "algorithm": Row(_to_algorithm, _NOTHING),
    "channel": Row(_to_channel, _from_channel),
    "compare_type": Row(_NOTHING, _from_compare),
    "dim_labels": _DIM_LABELS,
    "distribution": _word("distribution", "rng_distribution"),
    "group_counts": _GROUP_COUNTS,
    "groups": _GROUPS,
    "kernel_window": _window(_CONVOLVED, _kernel_sizes),
    "largest": Row(_NOTHING, lambda inputs, _: {"largest": True}),
    "padding": _columns("padding", "edge_padding_low", "edge_padding_high", "interior_padding"),
    "pairs": _PAIRS,
    "precision": Row(_to_precision, _from_precision),
    "rng_algorithm": _word("algorithm", "rng_algorithm"),
    "slice": _columns("slice", "start_indices", "limit_indices", "strides"),
    "strided_window": _window(_SIZE_AND_STRIDE, _sizes),
    "window": _window(_DILATED, _sizes),
}


@cache
def _rows(opcode: str) -> list[Row]:
    """Return the rows of an opcode: the inputs that are attributes, then those with a row here, `*name`."""
    words = opcodes()[opcode].inputs.split()
    named = [word for word in words if word[0] != "*"]
    return [_named(named), *[_ROWS[word[1:]] for word in words if word[0] == "*"]]


def inputs_from(opcode: str, attributes: Values, shapes: Shapes) -> Values:
    """Return the inputs of the op that an instruction becomes."""
    found: Values = {}
    for row in _rows(opcode):
        found |= row.to_inputs(attributes, shapes)
    return found


def attributes_from(opcode: str, inputs: Values, shapes: Shapes) -> Values:
    """Return the attributes of the instruction that an op becomes, without called computations."""
    found: Values = {}
    for row in _rows(opcode):
        found |= row.to_attributes(inputs, shapes)
    return found
