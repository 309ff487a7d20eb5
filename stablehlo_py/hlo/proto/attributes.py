"""Attributes of protobuf messages, as the values that kinds of attributes print for the parser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from stablehlo_py.hlo.dim_labels import labels_text
from stablehlo_py.hlo.kinds import Window, kind_of
from stablehlo_py.hlo.opcodes import Attribute
from stablehlo_py.hlo.proto.shapes import listed, shape_text
from stablehlo_py.hlo.proto.shardings import groups, op_metadata, sharding_text
from stablehlo_py.hlo.texts import Pairs, quoted
from stablehlo_py.protobuf.messages import Message

_NESTED = (  # messages whose fields are attributes of the instruction
    "gather_dimension_numbers", "scatter_dimension_numbers", "triangular_solve_options", "cholesky_options",
    "precision_config", "ragged_dot_dimension_numbers", "dot_dimension_numbers",
)  # fmt: skip
_FIELDS = {  # of attributes that have other names
    "api_version": "custom_call_api_version",
    "convolution_kind": "conv_kind",
    "direction": "comparison_direction",
    "index": "tuple_index",
    "kind": "fusion_kind",
    "schedule": "custom_call_schedule",
    "slice_sizes": "gather_slice_sizes",
    "type": "comparison_type",
}
_PREFIXES = {"algorithm": "ALG_", "convolution_kind": "CONVOLUTION_KIND_"}
_SMALL = ("algorithm", "convolution_kind", "distribution")  # enumerators that the text has in small letters
_POSITIVE = ("batch_group_count", "channel_id", "feature_group_count")  # 0 where there is none


def attribute_text(attribute: Attribute, message: Message) -> str:
    """Return the text of an attribute of an instruction; "" where the text omits it."""
    name, kind = attribute.name, kind_of(attribute.kind)
    make = _MADE.get(f"{name}:{attribute.kind}") or _MADE.get(name)
    value = make(message) if make is not None else _field(message, name)
    if value is None or value == kind.omitted:
        return ""
    return repr(value) if isinstance(value, float) else kind.write(value)


def _field(message: Message, name: str) -> Any:
    """Return the value of the field that an attribute is; None where it has none."""
    field = _FIELDS.get(name, name.replace("_dims", "_dimensions"))
    for each in _messages(message):
        for known in (name, field):
            if known in each.defaults:
                return _value(name, each[known])
    return None


def _messages(message: Message) -> Iterator[Message]:
    """Yield an instruction, and the messages in it whose fields are attributes."""
    yield message
    for name in _NESTED:
        if (nested := message[name]) is not None:
            if nested.get("dot_dimension_numbers") is not None:
                yield nested["dot_dimension_numbers"]
            yield nested


def _value(name: str, stored: Any) -> Any:
    if isinstance(stored, bytes):
        stored = stored.decode("utf-8", "surrogateescape")
    if isinstance(stored, str):
        word = stored.removeprefix(_PREFIXES.get(name, ""))
        word = word.lower() if name in _SMALL else word
        return None if not word or word.endswith("_INVALID") else word
    if name in _POSITIVE:
        return stored if stored > 0 else None
    return tuple(stored) if isinstance(stored, list) else stored


# ------------------------------------------------------------------------------- windows, convolutions

_WINDOW = ("size", "stride", "base_dilation", "window_dilation")


def _window(message: Message) -> Window | None:
    dimensions = message["window"]["dimensions"] if message["window"] is not None else ()
    if not dimensions:
        return None
    size, stride, base, inner = [tuple([d[field] for d in dimensions]) for field in _WINDOW]
    pad = tuple([(d["padding_low"], d["padding_high"]) for d in dimensions])
    return Window(size, stride, pad, base, inner, tuple([int(d["window_reversal"]) for d in dimensions]))


def _dim_labels(message: Message) -> str | None:
    numbers = message["convolution_dimension_numbers"]
    return labels_text(numbers) if numbers is not None else None


def _sparsity(message: Message) -> str:
    config = message["sparsity_config"]
    sides = []
    for side in ("lhs", "rhs"):
        found = config[side] if config is not None else None
        if found is not None:
            ratio = f"{found['num_non_zero']}x{found['block_size']}"
            fields = [f"sparsity={ratio}", f"dimension={found['dimension']}", f"stride={found['stride']}"]
            sides.append(f"{side}={{{' '.join(fields)}}}")
    return f"{{{' '.join(sides)}}}"


def _padding(message: Message) -> tuple[tuple[int, ...], ...]:
    config = message["padding_config"]
    names = ("edge_padding_low", "edge_padding_high", "interior_padding")
    return rows_of(config["dimensions"] if config is not None else (), *names) or ((0, 0, 0),)


def rows_of(messages: Any, *names: str) -> tuple[Any, ...]:
    """Return fields of each of several messages; of repeated ones all numbers."""
    rows = [[each[name] for name in names] for each in messages]
    return tuple([tuple([tuple(x) if isinstance(x, (list, tuple)) else x for x in row]) for row in rows])


def _accuracy(message: Message) -> str | None:
    found = message["result_accuracy"]
    if found is None or (found["tolerance"] is None and found["mode"] == "DEFAULT"):
        return None
    tolerance = found["tolerance"]
    if tolerance is None:
        return f"{{mode={found['mode'].lower()}}}"
    fields = [f"{name}={tolerance[name]}" for name in ("atol", "rtol", "ulps")]
    return f"{{tolerance={{{','.join(fields)}}}}}"


def _slices(message: Message) -> tuple[tuple[int, ...], ...]:
    """Return the sizes of slices, of which each has as many dimensions as the result."""
    shape, sizes = message["shape"], message["dynamic_slice_sizes"]
    while shape["tuple_shapes"]:
        shape = shape["tuple_shapes"][0]
    rank = max(len(shape["dimensions"]), 1)
    return tuple([tuple(sizes[at : at + rank]) for at in range(0, len(sizes), rank)])


def _domain(message: Message) -> list[str]:
    """Return the shardings of a domain, of which each is in the field of the other."""
    sides = [message[f"domain_{side}_sharding"] for side in ("exit", "entry")]
    return [sharding_text(side) if side is not None else "{replicated}" for side in sides]


def _dimensions(message: Message) -> tuple[int, ...] | None:
    """Return the dimensions, which exchanges of the operands of a tuple do not have."""
    found, opcode = tuple(message["dimensions"]), message["opcode"]
    return found if found or opcode not in ("all-to-all", "ragged-all-to-all") else None


# ------------------------------------------------------------------------------- of every opcode


def frontend_pairs(pairs: Message | None) -> Pairs:
    """Return the pairs of FrontendAttributes."""
    return tuple(sorted(rows_of(pairs["map"] if pairs is not None else (), "key", "value")))


def _replication(message: Message) -> tuple[bool, ...] | None:
    found = message["parameter_replication"]
    return tuple(found["replicated_at_leaf_buffers"]) if found is not None else None


def _statistics(message: Message) -> str | None:
    found = message["statistics_viz"]
    if found is None or not found["statistics"]:
        return None
    index = found["stat_index_to_visualize"]
    values = [f"{each['stat_name']}={each['stat_val']:.6g}" for each in found["statistics"]]
    return f"{{{','.join([f'visualizing_index={index}', *values])}}}"


def _origin(message: Message) -> str | None:
    found = message["original_value"]
    if found is None:
        return None
    if found["is_synthetic_call"]:
        return "{[synthetic_call]}"
    arrays = {tuple(each["shape_index"]): each["original_array"] for each in found["elements"]}
    return f"{{{_origin_tree(message['shape'], arrays, ())}}}"


def _origin_tree(shape: Message, arrays: dict[tuple[int, ...], Message | None], at: tuple[int, ...]) -> str:
    if shape["element_type"] == "TUPLE":
        parts = [_origin_tree(each, arrays, (*at, n)) for n, each in enumerate(shape["tuple_shapes"])]
        return f"({', '.join(parts)})"
    return original_array(arrays.get(at))


def original_array(array: Message | None) -> str:
    """Return the text of an OriginalArrayProto."""
    if array is None or not array["instruction_name"]:
        return "{}"
    index = f" {{{listed(array['shape_index'])}}}" if array["shape_index"] else ""
    return f"{{{quoted(array['instruction_name'])}{index}}}"


_MADE: dict[str, Callable[[Message], Any]] = {
    "algorithm:rng_algorithm": lambda m: m["rng_algorithm"].lower(),
    "algorithm:word": lambda m: None if _field(m, "algorithm") == "unset" else _field(m, "algorithm"),
    "cross_program_prefetch_index": lambda m: m.get("cross_program_prefetch_index"),
    "custom_call_target": lambda m: m["custom_call_target"],
    "dim_labels": _dim_labels,
    "dimensions": _dimensions,
    "domain": _domain,
    "frontend_attributes": lambda m: frontend_pairs(m["frontend_attributes"]),
    "inferred_dimension": lambda m: next(iter(m["dimensions"]), None),
    "iota_dimension": lambda m: next(iter(m["dimensions"]), 0),
    "is_associative": lambda m: m["is_associative"] == "TRI_STATE_TRUE",
    "metadata": lambda m: op_metadata(m["metadata"]) if m["metadata"] else None,
    "operand_layout_constraints": lambda m: (
        [*map(shape_text, m["operand_shapes_with_layout"])] if m["constrain_layout"] else None
    ),
    "operand_precision": lambda m: [word.lower() for word in _field(m, "operand_precision") or ()] or None,
    "origin": _origin,
    "outfeed_shape": lambda m: shape_text(m["outfeed_shape"]) if m["outfeed_shape"] is not None else None,
    "output_to_operand_aliasing": lambda m: rows_of(
        m["output_operand_aliasing"], "output_shape_index", "operand_index", "operand_shape_index"
    ),
    "padding": _padding,
    "parameter_replication": _replication,
    "replica_groups": groups,
    "result_accuracy": _accuracy,
    "sharding": lambda m: sharding_text(m["sharding"]) if m["sharding"] is not None else None,
    "slice": lambda m: rows_of(m["slice_dimensions"], "start", "limit", "stride"),
    "slice_sizes:nonempty_lists": _slices,
    "source_target_pairs": lambda m: rows_of(m["source_target_pairs"], "source", "target"),
    "sparsity_config": _sparsity,
    "statistics": _statistics,
    "window": _window,
}
