"""StableHLO to VHLO: the attributes of a VHLO op from the properties of a StableHLO op."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from stablehlo_py.artifacts.faults import Unwritable
from stablehlo_py.artifacts.vhlo.defaults import DEFAULTS, Default, Repeated, Splat
from stablehlo_py.artifacts.vhlo.forms import flattened
from stablehlo_py.ir.attributes import (
    ArrayAttr,
    Attribute,
    BoolAttr,
    DenseArrayAttr,
    DenseElementsAttr,
    DictAttr,
    EnumAttr,
    IntegerAttr,
    StringAttr,
    StructAttr,
    SymbolRefAttr,
    UnitAttr,
)
from stablehlo_py.ir.core import Operation
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import I1, I64, TensorType
from stablehlo_py.opset.definition import OpDef
from stablehlo_py.opset.kinds import Kind, kind_of

_TYPED_FFI = 4


def to_vhlo(definition: OpDef, op: Operation) -> dict[str, Attribute]:
    """Return the attributes of the newest form of the VHLO op, and those that only older forms have.

    Args:
        definition: The definition of the op.
        op: The op.

    Raises:
        Unwritable: An attribute has no form in VHLO.
    """
    found: dict[str, Attribute] = {}
    for name, kind in definition.property_kinds.items():
        value = op.properties.get(name)
        if value is None:
            continue
        flat = flattened(definition, name)
        if flat is not None and isinstance(value, StructAttr):
            found.update(_fields(flat[1], value))
        else:
            found[name] = _property(kind, value, op)
    for name, default in _defaults_of(op).items():
        if name not in found:
            found[name] = _made(default, op)
    return found


def _made(default: Default, op: Operation) -> Attribute:
    """Return the attribute that an op stores for a default."""
    if isinstance(default, Splat):
        return default.make(_window_rank(op))
    return default.make() if isinstance(default, Repeated) else default


def lowered_dictionary(op: Operation) -> dict[str, Attribute]:
    """Return the attributes of an op that its definition does not list, in VHLO's form."""
    return {name: lowered(value) for name, value in op.attributes.items()}


def lowered(value: Attribute) -> Attribute:
    """Return an attribute in VHLO's form; one that has none is returned as it is."""
    match value:
        case DenseArrayAttr() if value.element_type in (I64, I1):
            return _tensor(value)
        case SymbolRefAttr(nested=()):
            return StringAttr(value.root)
        case ArrayAttr():
            return ArrayAttr(tuple([lowered(item) for item in value.value]))
        case DictAttr():
            return DictAttr(tuple([(name, lowered(item)) for name, item in value.items]))
    return value


def _property(kind: Kind, value: Attribute, op: Operation) -> Attribute:
    if isinstance(value, UnitAttr):
        return BoolAttr(True)
    if kind.enum is not None and isinstance(value, IntegerAttr):
        if not 0 <= value.value < len(kind.enum.values):
            raise Unwritable(op, f"{op.name}: {value.value} is not the number of a {kind.enum.name}")
        return EnumAttr(kind.enum.name, kind.enum.values[value.value])
    return lowered(value)


def _fields(names: Mapping[str, str], value: StructAttr) -> dict[str, Attribute]:
    """Return the fields of a structure as separate attributes."""
    kinds = {field: kind for field, kind in _kinds_of(value.name).items() if field in names}
    return {names[field]: lowered(kind.make(value[field], field)) for field, kind in kinds.items()}


def _kinds_of(struct: str) -> Mapping[str, Kind]:
    definition = kind_of(f"struct {struct}").struct
    assert definition is not None
    return {field.name: kind_of(field.kind_name) for field in definition.fields}


def _tensor(array: DenseArrayAttr) -> DenseElementsAttr:
    """Return an array as a 1-dimensional tensor."""
    data = np.array(array.value, numpy_dtype(array.element_type))
    data.flags.writeable = False
    return DenseElementsAttr(TensorType((len(array.value),), array.element_type), data)


def _defaults_of(op: Operation) -> Mapping[str, Default]:
    """Return the defaults of an op, including those of attributes that only older forms have."""
    found = dict(DEFAULTS.get(op.name, {}))
    version = op.properties.get("api_version")
    if isinstance(version, IntegerAttr) and version.value == _TYPED_FFI:
        found["backend_config"] = DictAttr(())
    if "api_version" in found:
        found["api_version"] = EnumAttr("stablehlo.custom_call_api_version", "API_VERSION_ORIGINAL")
    return found


def _window_rank(op: Operation) -> int:
    """Return the number of dimensions of an op's window."""
    dimensions, numbers = op.properties.get("window_dimensions"), op.properties.get("dimension_numbers")
    if isinstance(dimensions, DenseArrayAttr):
        return len(dimensions.value)
    return len(numbers["input_spatial_dimensions"]) if isinstance(numbers, StructAttr) else 0
