"""Attributes of protobuf messages, as the text that the parser reads: a row for each attribute."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from stablehlo_py.hlo.proto.shapes import listed, shape_text
from stablehlo_py.hlo.proto.shardings import groups_text, op_metadata, sharding_text
from stablehlo_py.hlo.texts import config_text, quoted
from stablehlo_py.protobuf.messages import Message

Write = Callable[[Message], str]  # the text of an attribute of an instruction; "" where it has none


def _at(message: Message, path: str) -> Any:
    """Return the value at a path of fields; None if a message on it is absent."""
    found: Any = message
    for name in path.split("."):
        if found is None:
            return None
        found = found[name]
    return found


def _ints(path: str) -> Write:
    return lambda message: f"{{{listed(_at(message, path) or ())}}}"


def _number(path: str) -> Write:
    return lambda message: str(_at(message, path) or 0)


def _positive(path: str) -> Write:
    return lambda message: str(_at(message, path)) if (_at(message, path) or 0) > 0 else ""


def _flag(path: str) -> Write:
    return lambda message: "true" if _at(message, path) else ""


def _word(path: str, prefix: str = "") -> Write:
    return lambda message: (_at(message, path) or "").removeprefix(prefix)


def _small(path: str, prefix: str = "") -> Write:
    return lambda message: (_at(message, path) or "").removeprefix(prefix).lower()


def _string(path: str) -> Write:
    return lambda message: quoted(_decoded(_at(message, path))) if _at(message, path) else ""


def _decoded(value: bytes | str) -> str:
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value


def _first(path: str) -> Write:
    return lambda message: str(next(iter(_at(message, path)), ""))


def _braces(parts: Iterable[str], separator: str = ",") -> str:
    return f"{{{separator.join(parts)}}}"


# ------------------------------------------------------------------------------- windows, convolutions

_WINDOW = {  # a field of the text: the field of each dimension
    "size": "size",
    "stride": "stride",
    "lhs_dilate": "base_dilation",
    "rhs_dilate": "window_dilation",
    "rhs_reversal": "window_reversal",
}


def _window(message: Message) -> str:
    dimensions = message["window"]["dimensions"] if message["window"] is not None else ()
    if not dimensions:
        return ""
    parts = [f"{name}={'x'.join(str(int(d[field])) for d in dimensions)}" for name, field in _WINDOW.items()]
    pads = [f"{dimension['padding_low']}_{dimension['padding_high']}" for dimension in dimensions]
    parts.append(f"pad={'x'.join(pads)}")
    return _braces(parts, " ")


def _dim_labels(message: Message) -> str:
    numbers = message["convolution_dimension_numbers"]
    if numbers is None:
        return ""
    sides = []
    for side, first, second, letters in (
        ("input", "batch_dimension", "feature_dimension", "bf"),
        ("kernel", "input_feature_dimension", "output_feature_dimension", "io"),
        ("output", "batch_dimension", "feature_dimension", "bf"),
    ):
        places = {numbers[f"{side}_{first}"]: letters[0], numbers[f"{side}_{second}"]: letters[1]}
        places |= {place: str(number) for number, place in enumerate(numbers[f"{side}_spatial_dimensions"])}
        sides.append("".join(places[place] for place in sorted(places)))
    return f"{sides[0]}_{sides[1]}->{sides[2]}"


def _sparsity(message: Message) -> str:
    config = message["sparsity_config"]
    sides = []
    for side in ("lhs", "rhs"):
        found = config[side] if config is not None else None
        if found is not None:
            ratio = f"{found['num_non_zero']}x{found['block_size']}"
            fields = [f"sparsity={ratio}", f"dimension={found['dimension']}", f"stride={found['stride']}"]
            sides.append(f"{side}={_braces(fields, ' ')}")
    return _braces(sides, " ") if sides else ""


def _padding(message: Message) -> str:
    config = message["padding_config"]
    dimensions = config["dimensions"] if config is not None else ()
    fields = ("edge_padding_low", "edge_padding_high", "interior_padding")
    return "x".join("_".join(str(d[name]) for name in fields) for d in dimensions) or "0_0"


def _slice(message: Message) -> str:
    dimensions = message["slice_dimensions"]
    return _braces([f"[{d['start']}:{d['limit']}:{d['stride']}]" for d in dimensions])


def _precision(message: Message) -> str:
    words = _at(message, "precision_config.operand_precision")
    return _braces([word.lower() for word in words]) if words else ""


def _accuracy(message: Message) -> str:
    found = message["result_accuracy"]
    if found is None or (found["tolerance"] is None and found["mode"] == "DEFAULT"):
        return ""
    tolerance = found["tolerance"]
    if tolerance is None:
        return f"{{mode={found['mode'].lower()}}}"
    fields = [f"{name}={tolerance[name]}" for name in ("atol", "rtol", "ulps")]
    return f"{{tolerance={_braces(fields)}}}"


def _aliasing(message: Message) -> str:
    parts = [
        f"{_braces(map(str, pair['output_shape_index']))}: ({pair['operand_index']}, "
        f"{_braces(map(str, pair['operand_shape_index']))})"
        for pair in message["output_operand_aliasing"]
    ]
    return _braces(parts, ", ") if parts else ""


def _constraints(message: Message) -> str:
    shapes = message["operand_shapes_with_layout"]
    return _braces(map(shape_text, shapes), ", ") if message["constrain_layout"] else ""


def _pairs(message: Message) -> str:
    return _braces([f"{{{pair['source']},{pair['target']}}}" for pair in message["source_target_pairs"]])


def _slices(message: Message) -> str:
    """Return the sizes of slices, of which each has as many dimensions as the result."""
    shape, sizes = message["shape"], message["dynamic_slice_sizes"]
    while shape["tuple_shapes"]:
        shape = shape["tuple_shapes"][0]
    rank = max(len(shape["dimensions"]), 1)
    parts = [f"{{{listed(sizes[at : at + rank])}}}" for at in range(0, len(sizes), rank)]
    return _braces(parts) if parts else ""


def _domain(message: Message) -> str:
    """Return the shardings of a domain, of which each is in the field of the other."""
    entry, exit = (_sharding(message[f"domain_{side}_sharding"]) for side in ("exit", "entry"))
    return f'{{kind="sharding", entry={entry}, exit={exit}}}'


def _sharding(message: Message | None) -> str:
    return sharding_text(message) if message is not None else "{replicated}"


_DOT = ("dot_dimension_numbers", "ragged_dot_dimension_numbers.dot_dimension_numbers")


def _dot(field: str) -> Write:
    def write(message: Message) -> str:
        found = [_at(message, f"{path}.{field}") or () for path in _DOT]
        return f"{{{listed(found[0] or found[1])}}}"

    return write


def _index_vector_dim(message: Message) -> str:
    numbers = message["gather_dimension_numbers"] or message["scatter_dimension_numbers"]
    return str(numbers["index_vector_dim"]) if numbers is not None else "0"


_TUPLED = ("all-to-all", "ragged-all-to-all")  # without dimensions where the operands are those of a tuple
_ALGORITHM = _small("precision_config.algorithm", "ALG_")
WRITERS: dict[str, Write] = {
    "algorithm": _ALGORITHM,
    "algorithm:word": lambda m: _ALGORITHM(m).removeprefix("unset"),
    "algorithm:rng_algorithm": _small("rng_algorithm"),
    "api_version": _word("custom_call_api_version"),
    "async_execution_thread": _string("async_execution_thread"),
    "batch_group_count": _positive("batch_group_count"),
    "channel_id": _positive("channel_id"),
    "collapsed_slice_dims": _ints("gather_dimension_numbers.collapsed_slice_dims"),
    "constrain_layout": _flag("constrain_layout"),
    "convolution_kind": _small("conv_kind", "CONVOLUTION_KIND_"),
    "cross_program_prefetch_index": lambda m: (
        str(m["cross_program_prefetch_index"]) if "cross_program_prefetch_index" in m else ""
    ),
    "custom_call_has_side_effect": _flag("custom_call_has_side_effect"),
    "custom_call_target": lambda m: quoted(m["custom_call_target"]),
    "delta": _number("delta"),
    "dim_labels": _dim_labels,
    "dimensions": lambda m: (
        f"{{{listed(m['dimensions'])}}}" if m["dimensions"] or m["opcode"] not in _TUPLED else ""
    ),
    "direction": _word("comparison_direction"),
    "distribution": _small("distribution"),
    "domain": _domain,
    "dynamic_slice_sizes": _ints("dynamic_slice_sizes"),
    "epsilon": lambda m: repr(m["epsilon"]),
    "exponent_bits": _number("exponent_bits"),
    "feature_group_count": _positive("feature_group_count"),
    "feature_index": _number("feature_index"),
    "fft_length": _ints("fft_length"),
    "fft_type": _word("fft_type"),
    "has_dynamic_root": lambda _: "",
    "index": _number("tuple_index"),
    "index_vector_dim": _index_vector_dim,
    "indices_are_sorted": _flag("indices_are_sorted"),
    "infeed_config": _string("infeed_config"),
    "inferred_dimension": _first("dimensions"),
    "input_batching_dims": _ints("scatter_dimension_numbers.input_batching_dims"),
    "inserted_window_dims": _ints("scatter_dimension_numbers.inserted_window_dims"),
    "iota_dimension": lambda m: _first("dimensions")(m) or "0",
    "is_associative": lambda m: "true" if m["is_associative"] == "TRI_STATE_TRUE" else "",
    "is_composite": _flag("is_composite"),
    "is_host_transfer": _flag("is_host_transfer"),
    "is_reverse": _flag("is_reverse"),
    "is_stable": _flag("is_stable"),
    "k": _number("k"),
    "kind": _word("fusion_kind"),
    "largest": lambda m: str(m["largest"]).lower(),
    "left_side": _flag("triangular_solve_options.left_side"),
    "lhs_batch_dims": _dot("lhs_batch_dimensions"),
    "lhs_contracting_dims": _dot("lhs_contracting_dimensions"),
    "lhs_ragged_dims": _ints("ragged_dot_dimension_numbers.lhs_ragged_dimensions"),
    "lower": lambda m: _flag("triangular_solve_options.lower")(m) or _flag("cholesky_options.lower")(m),
    "mantissa_bits": _number("mantissa_bits"),
    "mode": lambda _: "",
    "num_carries": _number("num_carries"),
    "offset_dims": _ints("gather_dimension_numbers.offset_dims"),
    "operand_batching_dims": _ints("gather_dimension_numbers.operand_batching_dims"),
    "operand_layout_constraints": _constraints,
    "operand_precision": _precision,
    "outfeed_config": _string("outfeed_config"),
    "outfeed_shape": lambda m: shape_text(m["outfeed_shape"]) if m["outfeed_shape"] is not None else "",
    "output_to_operand_aliasing": _aliasing,
    "padding": _padding,
    "padding_type": _word("padding_type", "PADDING_INVALID"),
    "replica_groups": groups_text,
    "result_accuracy": _accuracy,
    "rhs_batch_dims": _dot("rhs_batch_dimensions"),
    "rhs_contracting_dims": _dot("rhs_contracting_dimensions"),
    "rhs_group_dims": _ints("ragged_dot_dimension_numbers.rhs_group_dimensions"),
    "scatter_dims_to_operand_dims": _ints("scatter_dimension_numbers.scatter_dims_to_operand_dims"),
    "scatter_indices_batching_dims": _ints("scatter_dimension_numbers.scatter_indices_batching_dims"),
    "schedule": _word("custom_call_schedule"),
    "slice": _slice,
    "slice_sizes": _ints("gather_slice_sizes"),
    "slice_sizes:nonempty_lists": _slices,
    "source_target_pairs": _pairs,
    "sparsity_config": _sparsity,
    "start_index_map": _ints("gather_dimension_numbers.start_index_map"),
    "start_indices_batching_dims": _ints("gather_dimension_numbers.start_indices_batching_dims"),
    "transpose_a": _word("triangular_solve_options.transpose_a", "TRANSPOSE_INVALID"),
    "type": _word("comparison_type"),
    "unique_indices": _flag("unique_indices"),
    "unit_diagonal": _flag("triangular_solve_options.unit_diagonal"),
    "update_window_dims": _ints("scatter_dimension_numbers.update_window_dims"),
    "use_global_device_ids": _flag("use_global_device_ids"),
    "window": _window,
}

# ------------------------------------------------------------------------------- of every opcode


def frontend_text(pairs: Message | None) -> str:
    """Return the text of FrontendAttributes; "" where there are none."""
    entries = pairs["map"] if pairs is not None else ()
    found = sorted((entry["key"], entry["value"]) for entry in entries)
    return _braces([f"{key}={config_text(value)}" for key, value in found]) if found else ""


def _replication(message: Message) -> str:
    found = message["parameter_replication"]
    return _braces([str(value).lower() for value in found["replicated_at_leaf_buffers"]]) if found else ""


def _statistics(message: Message) -> str:
    found = message["statistics_viz"]
    if found is None or not found["statistics"]:
        return ""
    values = [f"{each['stat_name']}={each['stat_val']:.6g}" for each in found["statistics"]]
    return _braces([f"visualizing_index={found['stat_index_to_visualize']}", *values])


def _origin(message: Message) -> str:
    found = message["original_value"]
    if found is None:
        return ""
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


COMMON_WRITERS: dict[str, Write] = {
    "parameter_replication": _replication,
    "sharding": lambda m: sharding_text(m["sharding"]) if m["sharding"] is not None else "",
    "frontend_attributes": lambda m: frontend_text(m["frontend_attributes"]),
    "statistics": _statistics,
    "origin": _origin,
    "metadata": lambda m: op_metadata(m["metadata"]) if m["metadata"] else "",
    "backend_config": lambda m: config_text(_decoded(m["backend_config"])) if m["backend_config"] else "",
}
