"""Default values that VHLO stores and StableHLO omits: added by writing, removed by reading."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from stablehlo_py.ir.attributes import (
    ArrayAttr,
    Attribute,
    BoolAttr,
    DenseElementsAttr,
    DictAttr,
    EnumAttr,
    IntegerAttr,
    StringAttr,
    StructAttr,
    TypeAttr,
)
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.records import dataclass
from stablehlo_py.ir.types import I1, I32, I64, NoneType, TensorType, Type
from stablehlo_py.opset.structures import STRUCTS


@dataclass(frozen=True, slots=True)
class Splat:
    """A tensor of equal values, one for each dimension of a window; two for each with `pairs`."""

    value: Any
    element_type: Type = I64
    pairs: bool = False

    def matches(self, attribute: Attribute) -> bool:
        """Return True if all elements are the value; an empty tensor has none."""
        return (
            isinstance(attribute, DenseElementsAttr)
            and attribute.data.size > 0
            and attribute.type.element_type is self.element_type
            and bool((attribute.data == self.value).all())
        )

    def make(self, rank: int) -> DenseElementsAttr:
        """Return the tensor for a window of `rank` dimensions."""
        shape = (rank, 2) if self.pairs else (rank,)
        count = 0 if rank == 0 else 1
        data = np.full(count, self.value, numpy_dtype(self.element_type))
        data.flags.writeable = False
        return DenseElementsAttr(TensorType(shape, self.element_type), data)


@dataclass(frozen=True, slots=True)
class Repeated:
    """An array of `count` equal items; of any number of them when it is read."""

    item: Attribute
    count: int

    def matches(self, attribute: Attribute) -> bool:
        """Return True if all items are the item; an empty array has none."""
        return isinstance(attribute, ArrayAttr) and all(item == self.item for item in attribute.value)

    def make(self) -> ArrayAttr:
        """Return the array."""
        return ArrayAttr((self.item,) * self.count)


Default = Attribute | Splat | Repeated

_NO = BoolAttr(False)
_ZERO = IntegerAttr(0, I64)
_EMPTY_TEXT = StringAttr("")
_EMPTY_ARRAY = ArrayAttr(())
_EMPTY_TENSOR = DenseElementsAttr(TensorType((0,), I64), np.empty(0, np.int64))
_ONES = Splat(1)
_PADDING = Splat(0, pairs=True)
_PRECISION = EnumAttr("stablehlo.precision", "DEFAULT")
_PRECISIONS: Mapping[str, Default] = {"precision_config": Repeated(_PRECISION, 2)}
_ALGORITHM: Mapping[str, Default] = {
    field.name: TypeAttr(NoneType()) for field in STRUCTS["stablehlo.dot_algorithm"].fields
}
_CHANNEL: Mapping[str, Default] = {"channel_id": _ZERO}
_REDUCING: Mapping[str, Default] = {**_CHANNEL, "use_global_device_ids": _NO}
_ROOT: Mapping[str, Default] = {"has_dynamic_root": _NO}
_ACCURACY: Mapping[str, Default] = {
    "result_accuracy": StructAttr(
        "stablehlo.result_accuracy", (("atol", 0.0), ("rtol", 0.0), ("ulps", 0), ("mode", "DEFAULT"))
    )
}
_SORTED: Mapping[str, Default] = {"indices_are_sorted": _NO}
_TRANSFER: Mapping[str, Default] = {"is_host_transfer": _NO, "source_target_pairs": _EMPTY_TENSOR}
_CONVOLUTION: Mapping[str, Default] = {
    "window_strides": _ONES,
    "lhs_dilation": _ONES,
    "rhs_dilation": _ONES,
    "window_reversal": Splat(False, I1),
    **_PRECISIONS,
}

DEFAULTS: Mapping[str, Mapping[str, Default]] = {
    "func.func": {"sym_visibility": _EMPTY_TEXT, "arg_attrs": _EMPTY_ARRAY, "res_attrs": _EMPTY_ARRAY},
    "stablehlo.all_gather": _REDUCING,
    "stablehlo.all_reduce": _REDUCING,
    "stablehlo.reduce_scatter": _REDUCING,
    "stablehlo.collective_reduce": {**_REDUCING, **_ROOT},
    "stablehlo.collective_broadcast": {**_CHANNEL, **_ROOT},
    "stablehlo.all_to_all": _CHANNEL,
    "stablehlo.collective_permute": _CHANNEL,
    "stablehlo.cholesky": {"lower": _NO},
    "stablehlo.compare": {"compare_type": EnumAttr("stablehlo.comparison_type", "NOTYPE")},
    "stablehlo.composite": {"version": _ZERO, "composite_attributes": DictAttr(())},
    "stablehlo.convolution": {**_CONVOLUTION, "padding": _PADDING},
    "stablehlo.dynamic_conv": {**_CONVOLUTION, "padding": _PADDING},
    "stablehlo.custom_call": {
        "has_side_effect": _NO,
        "backend_config": _EMPTY_TEXT,
        "api_version": IntegerAttr(1, I32),
        "called_computations": _EMPTY_ARRAY,
        "operand_layouts": _EMPTY_ARRAY,
        "result_layouts": _EMPTY_ARRAY,
        "output_operand_aliases": _EMPTY_ARRAY,
        "result_tilings": _EMPTY_ARRAY,
    },
    "stablehlo.dot": _PRECISIONS,
    "stablehlo.dot_general": {**_PRECISIONS, **_ALGORITHM},
    **dict.fromkeys(
        (
            "stablehlo.cbrt",
            "stablehlo.cosine",
            "stablehlo.exponential",
            "stablehlo.exponential_minus_one",
            "stablehlo.log",
            "stablehlo.log_plus_one",
            "stablehlo.logistic",
            "stablehlo.rsqrt",
            "stablehlo.sine",
            "stablehlo.sqrt",
            "stablehlo.tan",
            "stablehlo.tanh",
        ),
        _ACCURACY,
    ),
    "stablehlo.dynamic_broadcast_in_dim": {
        "known_expanding_dimensions": _EMPTY_TENSOR,
        "known_nonexpanding_dimensions": _EMPTY_TENSOR,
    },
    "stablehlo.gather": _SORTED,
    "stablehlo.dynamic_gather": _SORTED,
    "stablehlo.scatter": {**_SORTED, "unique_indices": _NO},
    "stablehlo.infeed": {"infeed_config": _EMPTY_TEXT, "layout": _EMPTY_ARRAY},
    "stablehlo.outfeed": {"outfeed_config": _EMPTY_TEXT},
    "stablehlo.send": _TRANSFER,
    "stablehlo.recv": _TRANSFER,
    "stablehlo.reduce_window": {
        "window_strides": _ONES,
        "base_dilations": _ONES,
        "window_dilations": _ONES,
        "padding": _PADDING,
    },
    "stablehlo.select_and_scatter": {"window_strides": _ONES, "padding": _PADDING},
    "stablehlo.sort": {"dimension": IntegerAttr(-1, I64), "is_stable": _NO},
}
# Further values that are equivalent to absence, and attributes that are omitted only together.
ALSO_ABSENT: Mapping[tuple[str, str], Attribute] = {
    ("stablehlo.custom_call", "backend_config"): DictAttr(()),
}
TOGETHER: Mapping[str, tuple[str, ...]] = {"stablehlo.custom_call": ("operand_layouts", "result_layouts")}


def is_default(op: str, name: str, value: Attribute) -> bool:
    """Return True if an attribute's value is equivalent to its absence.

    Args:
        op: The name of the op.
        name: The name of the attribute.
        value: Its value.
    """
    default = DEFAULTS.get(op, {}).get(name)
    if isinstance(default, Splat | Repeated):
        return default.matches(value)
    if default is _EMPTY_TENSOR:  # of any shape
        return isinstance(value, DenseElementsAttr) and not value.type.size
    if isinstance(default, IntegerAttr) and isinstance(value, IntegerAttr):
        return default.value == value.value
    return default is not None and value in (default, ALSO_ABSENT.get((op, name)))
