"""Kinds of attributes: the vocabulary of `Attr.kind`, and the enumerations and structures of the dialects.

A kind is one of `KINDS`, `enum NAME` (one of `ENUMS`), `struct NAME` (one of `STRUCTS`), `array of KIND`, or
several of these joined by ` or `. `kind("array<i64>")` gives the `Kind`, which says whether an attribute is
of that kind and how to call it in a message.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from stablehlo_py.ir.attributes import (
    ArrayAttr,
    Attribute,
    BoolAttr,
    DenseArrayAttr,
    DenseElementsAttr,
    DenseResourceAttr,
    DictAttr,
    EnumAttr,
    FloatAttr,
    IntegerAttr,
    LocationAttr,
    OpaqueAttr,
    StringAttr,
    StructAttr,
    SymbolRefAttr,
    TypeAttr,
    UnitAttr,
)
from stablehlo_py.ir.types import F32, F64, I1, I32, I64, INDEX, UI64, FunctionType, Type


@dataclass(frozen=True, slots=True)
class Kind:
    """How a constant is stored: the phrase for messages ("a 64-bit integer") and membership."""

    phrase: str
    contains: Callable[[Attribute], bool]


def _integer(type: Type, least: int | None = None) -> Callable[[Attribute], bool]:
    return lambda a: isinstance(a, IntegerAttr) and a.type is type and (least is None or a.value >= least)


def _float(type: Type) -> Callable[[Attribute], bool]:
    return lambda a: isinstance(a, FloatAttr) and a.type is type


def _dense_array(element: Type) -> Callable[[Attribute], bool]:
    return lambda a: isinstance(a, DenseArrayAttr) and a.element_type is element


def _elements(element: Type, rank: int | None = None) -> Callable[[Attribute], bool]:
    return lambda a: (
        isinstance(a, DenseElementsAttr)
        and a.type.element_type is element
        and (rank is None or a.type.rank == rank)
    )


KINDS: dict[str, Kind] = {
    "any": Kind("an attribute", lambda a: True),
    "number": Kind("a number", lambda a: isinstance(a, IntegerAttr | FloatAttr | BoolAttr)),
    "typed": Kind(
        "an attribute with a type",
        lambda a: (
            isinstance(a, IntegerAttr | FloatAttr | BoolAttr | DenseElementsAttr | DenseResourceAttr)
            or getattr(a, "type", None) is not None
        ),
    ),
    "unit": Kind("unit", lambda a: isinstance(a, UnitAttr)),
    "bool": Kind("a boolean", lambda a: isinstance(a, BoolAttr)),
    "i32": Kind("a 32-bit integer", _integer(I32)),
    "i32 >= 0": Kind("a 32-bit integer of at least 0", _integer(I32, 0)),
    "i32 > 0": Kind("a 32-bit integer greater than 0", _integer(I32, 1)),
    "i64": Kind("a 64-bit integer", _integer(I64)),
    "i64 >= 0": Kind("a 64-bit integer of at least 0", _integer(I64, 0)),
    "i64 > 0": Kind("a 64-bit integer greater than 0", _integer(I64, 1)),
    "ui64": Kind("a 64-bit unsigned integer", _integer(UI64)),
    "f32": Kind("a 32-bit float", _float(F32)),
    "f64": Kind("a 64-bit float", _float(F64)),
    "string": Kind("a string", lambda a: isinstance(a, StringAttr)),
    "symbol": Kind("a symbol such as @name", lambda a: isinstance(a, SymbolRefAttr) and not a.nested),
    "type": Kind("a type", lambda a: isinstance(a, TypeAttr)),
    "function type": Kind("a type", lambda a: isinstance(a, TypeAttr) and isinstance(a.value, FunctionType)),
    "array": Kind("an array", lambda a: isinstance(a, ArrayAttr)),
    "dict": Kind("a dictionary", lambda a: isinstance(a, DictAttr)),
    "array<i64>": Kind("array<i64: ...>", _dense_array(I64)),
    "array<i32>": Kind("array<i32: ...>", _dense_array(I32)),
    "array<bool>": Kind("array<i1: ...>", _dense_array(I1)),
    "elements": Kind("a dense constant", lambda a: isinstance(a, DenseElementsAttr | DenseResourceAttr)),
    "elements i64": Kind("a dense constant of type i64", _elements(I64)),
    "layout": Kind("a 1-dimensional dense constant of type index", _elements(INDEX, rank=1)),
    "overflow flags": Kind(
        "#arith.overflow<...>",
        lambda a: isinstance(a, OpaqueAttr) and a.text.startswith("#arith.overflow<"),
    ),
    "location": Kind("a location", lambda a: isinstance(a, LocationAttr)),
}


@cache
def kind(text: str) -> Kind:
    """The kind that `text` states. Raises ValueError for a text that states none."""
    if " or " in text:
        return _either([kind(part) for part in text.split(" or ")])
    word, _, name = text.partition(" ")
    if word == "enum" and name in ENUMS:
        return _enum_kind(ENUMS[name])
    if word == "struct" and name in STRUCTS:
        return Kind(f"#{name}<...>", lambda a: isinstance(a, StructAttr) and a.name == name)
    if text.startswith("array of "):
        return _array_kind(kind(text.removeprefix("array of ")))
    if text in KINDS:
        return KINDS[text]
    raise ValueError(f"there is no kind of attribute called {text!r}")


def _either(kinds: list[Kind]) -> Kind:
    return Kind(" or ".join(k.phrase for k in kinds), lambda a: any(k.contains(a) for k in kinds))


def _array_kind(item: Kind) -> Kind:
    return Kind(
        f"an array, each {item.phrase}",
        lambda a: isinstance(a, ArrayAttr) and all(map(item.contains, a.value)),
    )


def _enum_kind(enum: EnumDef) -> Kind:
    values = ", ".join(enum.values)
    if enum.spelling == "integer":
        numbers = range(len(enum.values))
        return Kind(
            f"a 32-bit integer in 0..{len(enum.values) - 1} ({values})",
            lambda a: isinstance(a, IntegerAttr) and a.type is I32 and a.value in numbers,
        )
    return Kind(
        f"one of {values}",
        lambda a: isinstance(a, EnumAttr) and a.name == enum.name and a.value in enum.values,
    )


@dataclass(frozen=True, slots=True)
class EnumDef:
    """An enumeration: an `EnumAttr` of this name has one of these values.

    `spelling` of value V of `dialect.mnemonic`: "joined" `#dialect<mnemonic V>`; "dotted"
    `#dialect.mnemonic<V>`; "integer": the position of V in `values`, an `IntegerAttr` of type i32.
    """

    name: str
    values: tuple[str, ...]
    spelling: Literal["joined", "dotted", "integer"] = "joined"


_DIRECTIONS = ("EQ", "NE", "GE", "GT", "LE", "LT")
_COMPARISONS = ("NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED")
_PRECISIONS = ("DEFAULT", "HIGH", "HIGHEST")
_API_VERSIONS = ("UNSPECIFIED", "ORIGINAL", "STATUS_RETURNING", "STATUS_RETURNING_UNIFIED", "TYPED_FFI")

ENUMS: dict[str, EnumDef] = {
    enum.name: enum
    for enum in (
        EnumDef("stablehlo.comparison_direction", _DIRECTIONS),
        EnumDef("stablehlo.comparison_type", _COMPARISONS),
        EnumDef("stablehlo.precision", _PRECISIONS),
        EnumDef("stablehlo.result_accuracy_mode", ("DEFAULT", "HIGHEST", "TOLERANCE"), "dotted"),
        EnumDef("stablehlo.fft_type", ("FFT", "IFFT", "RFFT", "IRFFT")),
        EnumDef("stablehlo.transpose", ("TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT")),
        EnumDef("stablehlo.rng_distribution", ("UNIFORM", "NORMAL")),
        EnumDef("stablehlo.rng_algorithm", ("DEFAULT", "THREE_FRY", "PHILOX")),
        EnumDef(
            "stablehlo.custom_call_api_version", tuple(f"API_VERSION_{v}" for v in _API_VERSIONS), "integer"
        ),
        EnumDef("chlo.comparison_direction", _DIRECTIONS),
        EnumDef("chlo.comparison_type", _COMPARISONS),
        EnumDef("chlo.precision", _PRECISIONS),
        EnumDef("sdy.propagation_direction", ("NONE", "FORWARD", "BACKWARD", "BOTH"), "integer"),
        EnumDef("sdy.reduction_op", ("sum", "max", "min"), "integer"),
    )
}

FieldKind = str


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a structured attribute.

    `kind` says what `StructAttr.fields` holds and how it is written:

    - `i64`, `bool`, `f64`, `string`: int, bool, float, str; `type`: a Type;
    - `dims`: a tuple of int, written `[0, 1]`; `sizes`: with None for an unknown size, written `?`;
    - `enum NAME`: the value as a str, written in full (`#stablehlo.result_accuracy_mode<HIGHEST>`);
    - `struct NAME`: a StructAttr, written without its `#name`; `list of struct NAME`: a tuple of those;
    - `attribute`: an Attribute, written in full.

    A field with a `default` (None for an absent attribute) may be left out of the text, and is never
    printed when it has that value.
    """

    name: str
    kind: FieldKind
    optional: bool = False
    default: Any = None


@dataclass(frozen=True, slots=True)
class StructDef:
    """A structured attribute: `#name<field = value, ...>`, with the fields in the order of printing.

    `ordered`: the text must have the fields in this order. `assign` is what stands between name and value.
    `spelling`: "keyed" as above; "convolution" `[b, 0, f]x[0, i, o]->[b, 0, f]`, or keyed fields after `raw`;
    "bounds" `<3, ?>`; "sub_axis" `(1)2`, without angle brackets and only inside another structure;
    "sharding" that of Shardy, see `syntax.print_shardings`.
    """

    name: str
    fields: tuple[Field, ...]
    ordered: bool = False
    assign: str = " = "
    spelling: Literal["keyed", "convolution", "bounds", "sub_axis", "sharding"] = "keyed"


def _dims(*names: str) -> tuple[Field, ...]:
    return tuple(Field(name, "dims", optional=True, default=()) for name in names)


def _required(field_kind: FieldKind, *names: str) -> tuple[Field, ...]:
    return tuple(Field(name, field_kind) for name in names)


def _sharding(name: str, *fields: Field) -> StructDef:
    """A structure of Shardy, as it spells them."""
    return StructDef(f"sdy.{name}", fields, spelling="sharding")


_INDEX_VECTOR_DIM = Field("index_vector_dim", "i64", optional=True, default=0)
_DOT_FIELDS = _dims(
    "lhs_batching_dimensions",
    "rhs_batching_dimensions",
    "lhs_contracting_dimensions",
    "rhs_contracting_dimensions",
)

STRUCTS: dict[str, StructDef] = {
    struct.name: struct
    for struct in (
        StructDef("stablehlo.dot", _DOT_FIELDS),
        StructDef(
            "stablehlo.dot_algorithm",
            (
                *_required("type", "lhs_precision_type", "rhs_precision_type", "accumulation_type"),
                *_required("i64", "lhs_component_count", "rhs_component_count", "num_primitive_operations"),
                *_required("bool", "allow_imprecise_accumulation"),
            ),
            ordered=True,
        ),
        StructDef(
            "stablehlo.conv",
            (
                *_required("i64", "input_batch_dimension", "input_feature_dimension"),
                *_required("dims", "input_spatial_dimensions"),
                *_required("i64", "kernel_input_feature_dimension", "kernel_output_feature_dimension"),
                *_required("dims", "kernel_spatial_dimensions"),
                *_required("i64", "output_batch_dimension", "output_feature_dimension"),
                *_required("dims", "output_spatial_dimensions"),
            ),
            spelling="convolution",
        ),
        StructDef(
            "stablehlo.gather",
            (
                *_dims(
                    "offset_dims",
                    "collapsed_slice_dims",
                    "operand_batching_dims",
                    "start_indices_batching_dims",
                    "start_index_map",
                ),
                _INDEX_VECTOR_DIM,
            ),
        ),
        StructDef(
            "stablehlo.scatter",
            (
                *_dims(
                    "update_window_dims",
                    "inserted_window_dims",
                    "input_batching_dims",
                    "scatter_indices_batching_dims",
                    "scatter_dims_to_operand_dims",
                ),
                _INDEX_VECTOR_DIM,
            ),
        ),
        StructDef("stablehlo.channel_handle", _required("i64", "handle", "type")),
        StructDef(
            "stablehlo.output_operand_alias",
            (
                *_required("dims", "output_tuple_indices"),
                *_required("i64", "operand_index"),
                *_required("dims", "operand_tuple_indices"),
            ),
            ordered=True,
        ),
        StructDef(
            "stablehlo.result_accuracy",
            (
                Field("atol", "f64", optional=True, default=0.0),
                Field("rtol", "f64", optional=True, default=0.0),
                Field("ulps", "i64", optional=True, default=0),
                *_required("enum stablehlo.result_accuracy_mode", "mode"),
            ),
            ordered=True,
        ),
        StructDef("stablehlo.bounds", _required("sizes", "bounds"), spelling="bounds"),
        StructDef("stablehlo.sub_axis_info", _required("i64", "pre_size", "size"), spelling="sub_axis"),
        StructDef(
            "stablehlo.axis_ref",
            (
                *_required("string", "name"),
                Field("sub_axis_info", "struct stablehlo.sub_axis_info", optional=True),
            ),
        ),
        StructDef("stablehlo.mesh_axis", (*_required("string", "name"), *_required("i64", "size"))),
        StructDef(
            "stablehlo.mesh",
            (
                *_required("list of struct stablehlo.mesh_axis", "axes"),
                Field("device_ids", "attribute", optional=True),
            ),
            ordered=True,
            assign="=",
        ),
        StructDef("stablehlo.replica_group_mesh_axes", _required("attribute", "mesh", "axes")),
        _sharding("mesh_axis", *_required("string", "name"), *_required("i64", "size")),
        _sharding("mesh", *_required("list of struct sdy.mesh_axis", "axes"), *_dims("device_ids")),
        _sharding("sub_axis_info", *_required("i64", "pre_size", "size")),
        _sharding(
            "axis_ref",
            Field("name", "string"),
            Field("sub_axis_info", "struct sdy.sub_axis_info", optional=True),
        ),
        _sharding("axis_ref_list", Field("value", "list of struct sdy.axis_ref")),
        _sharding("list_of_axis_ref_lists", Field("value", "list of struct sdy.axis_ref_list")),
        _sharding("manual_axes", Field("value", "list of string")),
        _sharding(
            "dimension_sharding",
            Field("axes", "list of struct sdy.axis_ref"),
            Field("is_closed", "bool"),
            Field("priority", "i64", optional=True),
        ),
        _sharding(
            "sharding",
            Field("mesh_or_ref", "attribute"),
            Field("dim_shardings", "list of struct sdy.dimension_sharding"),
            Field("replicated_axes", "list of struct sdy.axis_ref"),
            Field("unreduced_axes", "list of struct sdy.axis_ref"),
            Field("reduction_op", "string", optional=True, default="sum"),
        ),
        _sharding("sharding_per_value", Field("shardings", "list of struct sdy.sharding")),
        _sharding(
            "all_to_all_param",
            Field("axes", "list of struct sdy.axis_ref"),
            *_required("i64", "src_dim", "tgt_dim"),
        ),
        _sharding("all_to_all_param_list", Field("value", "list of struct sdy.all_to_all_param")),
        StructDef("chlo.ragged_dot", (*_DOT_FIELDS, *_dims("lhs_ragged_dimensions", "rhs_group_dimensions"))),
    )
}

# Earlier and longer spellings of a structure's name; `type_extensions` is written keyed: `<bounds = [3, ?]>`.
STRUCT_ALIASES: dict[str, str] = {"stablehlo.type_extensions": "stablehlo.bounds"}
