"""The Shardy dialect: meshes, shardings, and sharding rules."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from stablehlo_py.artifacts.dialects import fields as F
from stablehlo_py.artifacts.dialects.rows import Row, struct
from stablehlo_py.artifacts.dialects.spelled import spelled
from stablehlo_py.ir import attributes as A

_MESH = F.mesh_reference(F.ATTR, "sdy.mesh")

# Sharding rules of Shardy -----------------------------------------------------------------------------

# Factors are the letters from i to z, then z_1, z_2, ...
_FACTOR = re.compile(r"z_(\d+)|([i-z])")
_LETTERS = "ijklmnopqrstuvwxyz"
_MOST_FACTORS = 1 << 16


def _factor(number: int) -> str:
    if not 0 <= number < _MOST_FACTORS:
        raise ValueError(f"a factor with the number {number}")
    last = len(_LETTERS) - 1
    return _LETTERS[number] if number <= last else f"z_{number - last}"


def _factors(text: str) -> tuple[int, ...]:
    last = len(_LETTERS) - 1
    return tuple([last + int(far) if far else _LETTERS.index(near) for far, near in _FACTOR.findall(text)])


def _dimension(factors: tuple[int, ...]) -> A.OpaqueAttr:
    return A.OpaqueAttr(f"#sdy.dim_mapping<{''.join(map(_factor, factors))}>")


def _tensor(dims: tuple[Any, ...]) -> A.OpaqueAttr:
    return A.OpaqueAttr(
        f"#sdy.tensor_mapping<[{', '.join([_body(dim, '#sdy.dim_mapping') for dim in dims])}]>"
    )


def _body(value: Any, kind: str) -> str:
    """Return what a mapping has between its angle brackets; raise ValueError for another attribute."""
    text = getattr(value, "text", "")
    if not text.startswith(f"{kind}<"):
        raise ValueError(f"expected {kind}, found {value}")
    return str(text[len(kind) + 1 : -1])


def _tensor_fields(match: re.Match[str], _: Any) -> Mapping[str, Any]:
    dims = match[1].split(",") if match[1].strip() else []
    return {"dims": tuple([A.OpaqueAttr(f"#sdy.dim_mapping<{dim.strip()}>") for dim in dims])}


_LISTS = ("reduction", "need_replication", "permutation", "blocked_propagation")


def _rule(
    sizes: tuple[int, ...], operands: tuple[Any, ...], results: tuple[Any, ...], is_custom: bool, **lists: Any
) -> A.OpaqueAttr:
    sides = [", ".join([_body(each, "#sdy.tensor_mapping") for each in side]) for side in (operands, results)]
    counts = ", ".join([f"{_factor(number)}={size}" for number, size in enumerate(sizes)])
    texts = [f"{name}={{{', '.join(map(_factor, lists[name]))}}}" for name in _LISTS if lists[name]]
    head = " ".join([f"({sides[0]})->({sides[1]})", *([f"{{{counts}}}"] if sizes else []), *texts])
    return A.OpaqueAttr(f"#sdy.op_sharding_rule<{head}{', custom' * is_custom}>")


def _rule_fields(match: re.Match[str], _: Any) -> Mapping[str, Any]:
    operands, results, rest = match.groups()
    lists = dict(re.findall(r"(?:(\w+)\s*=\s*)?\{([^{}]*)\}", rest))
    return {
        "sizes": tuple([int(size) for size in re.findall(r"=\s*(\d+)", lists.get("", ""))]),
        "operands": _tensors(operands),
        "results": _tensors(results),
        **{name: _factors(lists.get(name, "")) for name in _LISTS},
        "is_custom": rest.rstrip().endswith("custom"),
    }


def _tensors(text: str) -> tuple[A.OpaqueAttr, ...]:
    return tuple([A.OpaqueAttr(f"#sdy.tensor_mapping<{each}>") for each in re.findall(r"\[[^\[\]]*\]", text)])


_RULES: tuple[Row, ...] = (
    spelled(
        8,
        A.OpaqueAttr,
        r"#sdy\.dim_mapping<([i-z_\d]*)>",
        {"factors": F.DIMS},
        _dimension,
        lambda match, _: {"factors": _factors(match[1])},
    ),
    spelled(
        9,
        A.OpaqueAttr,
        r"#sdy\.tensor_mapping<\[([i-z_\d, ]*)\]>",
        {"dims": F.ATTRS},
        _tensor,
        _tensor_fields,
    ),
    spelled(
        10,
        A.OpaqueAttr,
        r"#sdy\.op_sharding_rule<\s*\(([^()]*)\)\s*->\s*\(([^()]*)\)([^()]*)>",
        {
            "sizes": F.DIMS,
            "operands": F.ATTRS,
            "results": F.ATTRS,
            **dict.fromkeys(_LISTS, F.DIMS),
            "is_custom": F.BOOL,
        },
        _rule,
        _rule_fields,
    ),
)

ATTRIBUTES: tuple[Row, ...] = (
    struct(0, "sdy.manual_axes"),
    struct(1, "sdy.mesh_axis"),
    struct(2, "sdy.mesh"),
    struct(3, "sdy.sub_axis_info"),
    struct(4, "sdy.axis_ref", sub_axis_info=F.OPTIONAL_ATTR),
    struct(5, "sdy.dimension_sharding", priority=F.OPTIONAL_NUMBER),
    struct(6, "sdy.sharding", without=("unreduced_axes", "reduction_op"), mesh_or_ref=_MESH),
    struct(7, "sdy.sharding_per_value"),
    *_RULES,
    struct(11, "sdy.axis_ref_list"),
    struct(12, "sdy.list_of_axis_ref_lists"),
    struct(13, "sdy.all_to_all_param"),
    struct(14, "sdy.all_to_all_param_list"),
    struct(15, "sdy.sharding", without=("reduction_op",), mesh_or_ref=_MESH),
    struct(16, "sdy.sharding_per_value"),
)
TYPES: tuple[Row, ...] = ()
