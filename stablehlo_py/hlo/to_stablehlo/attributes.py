"""Attributes of opcodes as inputs of ops, by the names of the ops' definitions."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from stablehlo_py.hlo.kinds import ReplicaGroups, Window
from stablehlo_py.hlo.module import Instruction
from stablehlo_py.hlo.rules.windows import labels
from stablehlo_py.ir.types import F32, F64, FloatType

Inputs = dict[str, Any]
Make = Callable[[Instruction], Inputs]

# Inputs of ops that are attributes with other names or without change. `[0]` takes the only number.
NAMED = {
    "all-gather": "all_gather_dim=dimensions[0]",
    "batch-norm-grad": "epsilon feature_index",
    "batch-norm-inference": "epsilon feature_index",
    "batch-norm-training": "epsilon feature_index",
    "broadcast": "broadcast_dimensions=dimensions",
    "cholesky": "lower",
    "compare": "comparison_direction=direction compare_type=type",
    "concatenate": "dimension=dimensions[0]",
    "dynamic-slice": "slice_sizes=dynamic_slice_sizes",
    "fft": "fft_type fft_length",
    "gather": "offset_dims collapsed_slice_dims start_index_map operand_batching_dims "
    "start_indices_batching_dims index_vector_dim slice_sizes indices_are_sorted",
    "get-dimension-size": "dimension=dimensions[0]",
    "infeed": "infeed_config",
    "iota": "iota_dimension",
    "map": "dimensions",
    "outfeed": "outfeed_config",
    "reduce": "dimensions",
    "reduce-precision": "exponent_bits mantissa_bits",
    "reduce-scatter": "scatter_dimension=dimensions[0]",
    "reverse": "dimensions",
    "scatter": "update_window_dims inserted_window_dims scatter_dims_to_operand_dims input_batching_dims "
    "scatter_indices_batching_dims index_vector_dim indices_are_sorted unique_indices",
    "set-dimension-size": "dimension=dimensions[0]",
    "sort": "dimension=dimensions[0] is_stable",
    "transpose": "permutation=dimensions",
    "triangular-solve": "left_side lower unit_diagonal transpose_a",
}
_DEFAULTS: dict[str, Inputs] = {  # where the text states nothing
    "gather": {"operand_batching_dims": (), "start_indices_batching_dims": ()},
    "scatter": {"input_batching_dims": (), "scatter_indices_batching_dims": ()},
    "triangular-solve": {
        "left_side": False,
        "lower": False,
        "unit_diagonal": False,
        "transpose_a": "NO_TRANSPOSE",
    },
}
_COLLECTIVES = ("all-gather", "all-reduce", "all-to-all", "reduce-scatter", "collective-broadcast")


def inputs_of(instruction: Instruction) -> Inputs:
    """Return the inputs of the op that an instruction becomes."""
    opcode, attributes = instruction.opcode, instruction.attributes
    found = dict(_DEFAULTS.get(opcode, {}))
    for each in NAMED.get(opcode, "").split():
        to, _, source = each.partition("=")
        name, only, _ = (source or to).partition("[")
        if name in attributes:
            found[to] = attributes[name][0] if only else attributes[name]
    if opcode in _COLLECTIVES:
        found["replica_groups"] = rows(attributes["replica_groups"])
    if opcode in _COLLECTIVES or opcode == "collective-permute":
        found |= _channel(instruction)
    make = _MADE.get(opcode)
    return found if make is None else found | make(instruction)


def rows(groups: ReplicaGroups) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return groups as rows, padded with -1."""
    width = max(map(len, groups.groups), default=0)
    filled = [[*group, *[-1] * (width - len(group))] for group in groups.groups]
    return np.array(filled, np.int64).reshape(len(filled), width)


def _channel(instruction: Instruction) -> Inputs:
    attributes, found = instruction.attributes, Inputs()
    if "channel_id" in attributes:
        found["channel_handle"] = {"handle": attributes["channel_id"], "type": 1}
    if attributes.get("use_global_device_ids"):
        found["use_global_device_ids"] = True
    return found


def _pairs(pairs: Any) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.array(pairs, np.int64).reshape(-1, 2)


def _permute(instruction: Instruction) -> Inputs:
    return {"source_target_pairs": _pairs(instruction.attributes["source_target_pairs"])}


def _pad(instruction: Instruction) -> Inputs:
    pads = instruction.attributes["padding"]
    names = ("edge_padding_low", "edge_padding_high", "interior_padding")
    return {name: [pad[n] for pad in pads] for n, name in enumerate(names)}


def _slice(instruction: Instruction) -> Inputs:
    parts = instruction.attributes["slice"]
    names = ("start_indices", "limit_indices", "strides")
    return {name: [part[n] for part in parts] for n, name in enumerate(names)}


def _window(instruction: Instruction, rank: int) -> Inputs:
    """Return the window of a reduction."""
    window: Window = instruction.attributes.get("window", Window((1,) * rank))
    return {
        "window_dimensions": window.size,
        "window_strides": window.stride or None,
        "base_dilations": window.lhs_dilate or None,
        "window_dilations": window.rhs_dilate or None,
        "padding": _pairs(window.pad) if window.pad else None,
    }


def _reduce_window(instruction: Instruction) -> Inputs:
    return _window(instruction, instruction.operands[0].shape.rank)


def _select_and_scatter(instruction: Instruction) -> Inputs:
    found = _window(instruction, instruction.operands[0].shape.rank)
    return {name: value for name, value in found.items() if "dilations" not in name}


def _convolution(instruction: Instruction) -> Inputs:
    attributes = instruction.attributes
    window: Window = attributes.get("window", Window())
    sides = labels(attributes["dim_labels"])
    spatial = [[side[str(n)] for n in range(len(side) - 2)] for side in sides]
    left, kernel, out = sides
    return {
        "input_batch_dimension": left["b"],
        "input_feature_dimension": left["f"],
        "input_spatial_dimensions": spatial[0],
        "kernel_input_feature_dimension": kernel["i"],
        "kernel_output_feature_dimension": kernel["o"],
        "kernel_spatial_dimensions": spatial[1],
        "output_batch_dimension": out["b"],
        "output_feature_dimension": out["f"],
        "output_spatial_dimensions": spatial[2],
        "window_strides": window.stride or None,
        "padding": _pairs(window.pad) if window.pad else None,
        "lhs_dilation": window.lhs_dilate or None,
        "rhs_dilation": window.rhs_dilate or None,
        "window_reversal": [n != 0 for n in window.rhs_reversal] or None,
        "feature_group_count": attributes.get("feature_group_count", 1),
        "batch_group_count": attributes.get("batch_group_count", 1),
        "precision_config": _precision(instruction),
    }


def _precision(instruction: Instruction) -> list[str] | None:
    words = instruction.attributes.get("operand_precision")
    known = ("default", "high", "highest")
    return [word.upper() if word in known else "DEFAULT" for word in words] if words else None


def _dot(instruction: Instruction) -> Inputs:
    attributes = instruction.attributes
    found: Inputs = {
        f"{side}_{ours}_dimensions": attributes.get(f"{side}_{theirs}_dims", ())
        for side in ("lhs", "rhs")
        for ours, theirs in (("batching", "batch"), ("contracting", "contracting"))
    }
    found["precision_config"] = _precision(instruction)
    return found | _algorithm(attributes.get("algorithm", ""))


def _ragged_dot(instruction: Instruction) -> Inputs:
    attributes = instruction.attributes
    ragged = {
        "lhs_ragged_dimensions": attributes.get("lhs_ragged_dims", ()),
        "rhs_group_dimensions": attributes.get("rhs_group_dims", ()),
    }
    return _dot(instruction) | ragged


_TYPES = {
    "any_f8": FloatType("f8E5M2"),  # all types of 8 bits are equal here
    "f16": FloatType("f16"),
    "bf16": FloatType("bf16"),
    "f32": F32,
    "f64": F64,
    "tf32": FloatType("tf32"),
}
_ALGORITHM = re.compile(r"dot_(any_f8|[a-z]+\d+)_(any_f8|[a-z]+\d+)_([a-z]+\d+)(?:_x(\d))?(_fast_accum)?")


def _algorithm(name: str) -> Inputs:
    """Return the algorithm of a dot; what StableHLO has no words for is left to the engine."""
    found = _ALGORITHM.fullmatch(name)
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


def _rng(instruction: Instruction) -> Inputs:
    return {"rng_distribution": instruction.attributes["distribution"].removeprefix("rng_").upper()}


def _rng_bits(instruction: Instruction) -> Inputs:
    return {"rng_algorithm": instruction.attributes["algorithm"].removeprefix("rng_").upper()}


_MADE: dict[str, Make] = {
    "collective-permute": _permute,
    "pad": _pad,
    "slice": _slice,
    "reduce-window": _reduce_window,
    "select-and-scatter": _select_and_scatter,
    "convolution": _convolution,
    "dot": _dot,
    "ragged-dot": _ragged_dot,
    "scaled-dot": _dot,
    "rng": _rng,
    "rng-bit-generator": _rng_bits,
}
