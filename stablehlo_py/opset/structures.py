"""The enumerations and structured attributes of the dialects, one row each.

Parser, printer, conversion from Python, formulas and binary formats are derived from these rows.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Literal

from stablehlo_py.ir.records import dataclass


@dataclass(frozen=True, slots=True)
class EnumDef:
    """An enumeration: the values of an `EnumAttr` with a name.

    Attributes:
        values: The enumerators.
        spelling: The syntax of value V of `dialect.mnemonic`: "joined" `#dialect<mnemonic V>`; "dotted"
            `#dialect.mnemonic<V>`; "integer" the index of V in `values`, an `IntegerAttr` of type i32.
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


@dataclass(frozen=True, slots=True)
class FlagSet:
    """A set of flags, as in `#arith.overflow<nsw, nuw>`.

    Attributes:
        name: The name with the dialect.
        flags: The flags, in the order in which they are printed.
        separator: What is printed between flags.
        every: The word for all flags, or "".
    """

    name: str
    flags: tuple[str, ...]
    separator: str = ", "
    every: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """The words that a list of flags may have."""
        return ("none", *self.flags, *filter(None, (self.every,)))

    def text(self, words: Collection[str]) -> str:
        """Return the attribute with flags, some of `words`."""
        found = [flag for flag in self.flags if flag in words]
        if self.every and (self.every in words or len(found) == len(self.flags)):
            found = [self.every]
        return f"#{self.name}<{self.separator.join(found) or 'none'}>"


OVERFLOW = FlagSet("arith.overflow", ("nsw", "nuw"))
FASTMATH = FlagSet(
    "arith.fastmath", ("reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn"), ",", every="fast"
)


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a structured attribute.

    Attributes:
        name: The name.
        kind_name: The kind, see `opset.kinds`. `StructAttr.fields` has the Python value of such an attribute
            (a tuple for an array, a str for an enumeration), and a StructAttr for a structure.
        optional: Whether the text may omit the field.
        default: The value of an omitted field (None for an absent attribute), which is never printed.
    """

    name: str
    kind_name: str
    optional: bool = False
    default: Any = None


@dataclass(frozen=True, slots=True)
class StructDef:
    """A structured attribute: `#name<field = value, ...>`, with the fields in the order of printing.

    Attributes:
        name: Dialect and mnemonic.
        fields: The fields.
        assign: The separator between name and value.
        spelling: "keyed" as above; "convolution" `[b, 0, f]x[0, i, o]->[b, 0, f]`, or keyed fields after
            `raw`; "bounds" `<3, ?>`; "sub_axis" `(1)2`, without angle brackets and only inside another
            structure; "sharding" as in Shardy, see `syntax.write.shardings`.
        symbol: The grammar symbol of the structure in a pretty form.
    """

    name: str
    fields: tuple[Field, ...]
    assign: str = " = "
    spelling: Literal["keyed", "convolution", "bounds", "sub_axis", "sharding"] = "keyed"
    symbol: str = "attribute"


def _dims(*names: str) -> tuple[Field, ...]:
    return tuple(Field(name, "array<i64>", optional=True, default=()) for name in names)


def _required(kind_name: str, *names: str) -> tuple[Field, ...]:
    return tuple(Field(name, kind_name) for name in names)


def _sharding(name: str, *fields: Field, symbol: str = "attribute") -> StructDef:
    """Return a structure in Shardy's syntax."""
    return StructDef(f"sdy.{name}", fields, spelling="sharding", symbol=symbol)


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
        ),
        StructDef(
            "stablehlo.conv",
            (
                *_required("i64", "input_batch_dimension", "input_feature_dimension"),
                *_required("array<i64>", "input_spatial_dimensions"),
                *_required("i64", "kernel_input_feature_dimension", "kernel_output_feature_dimension"),
                *_required("array<i64>", "kernel_spatial_dimensions"),
                *_required("i64", "output_batch_dimension", "output_feature_dimension"),
                *_required("array<i64>", "output_spatial_dimensions"),
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
                *_required("array<i64>", "output_tuple_indices"),
                *_required("i64", "operand_index"),
                *_required("array<i64>", "operand_tuple_indices"),
            ),
        ),
        StructDef(
            "stablehlo.result_accuracy",
            (
                Field("atol", "f64", optional=True, default=0.0),
                Field("rtol", "f64", optional=True, default=0.0),
                Field("ulps", "i64", optional=True, default=0),
                *_required("enum stablehlo.result_accuracy_mode", "mode"),
            ),
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
                *_required("array of struct stablehlo.mesh_axis", "axes"),
                Field("device_ids", "any", optional=True),
            ),
            assign="=",
        ),
        StructDef(
            "stablehlo.replica_group_mesh_axes", (*_required("any", "mesh"), *_required("array", "axes"))
        ),
        _sharding("mesh_axis", *_required("string", "name"), *_required("i64", "size")),
        _sharding(
            "mesh",
            *_required("array of struct sdy.mesh_axis", "axes"),
            *_dims("device_ids"),
            symbol="mesh_value",
        ),
        _sharding("sub_axis_info", *_required("i64", "pre_size", "size")),
        _sharding(
            "axis_ref",
            Field("name", "string"),
            Field("sub_axis_info", "struct sdy.sub_axis_info", optional=True),
        ),
        _sharding("axis_ref_list", Field("value", "array of struct sdy.axis_ref"), symbol="axis_ref_list"),
        _sharding(
            "list_of_axis_ref_lists",
            Field("value", "array of struct sdy.axis_ref_list"),
            symbol="axis_ref_lists",
        ),
        _sharding("manual_axes", Field("value", "array of string"), symbol="axis_ref_list"),
        _sharding(
            "dimension_sharding",
            Field("axes", "array of struct sdy.axis_ref"),
            Field("is_closed", "bool"),
            Field("priority", "i64", optional=True),
        ),
        _sharding(
            "sharding",
            Field("mesh_or_ref", "any"),
            Field("dim_shardings", "array of struct sdy.dimension_sharding"),
            Field("replicated_axes", "array of struct sdy.axis_ref"),
            Field("unreduced_axes", "array of struct sdy.axis_ref"),
            Field("reduction_op", "string", optional=True, default="sum"),
            symbol="sharding_value",
        ),
        _sharding("sharding_per_value", Field("shardings", "array of struct sdy.sharding")),
        _sharding(
            "all_to_all_param",
            Field("axes", "array of struct sdy.axis_ref"),
            *_required("i64", "src_dim", "tgt_dim"),
        ),
        _sharding(
            "all_to_all_param_list",
            Field("value", "array of struct sdy.all_to_all_param"),
            symbol="all_to_all_params",
        ),
        StructDef("chlo.ragged_dot", (*_DOT_FIELDS, *_dims("lhs_ragged_dimensions", "rhs_group_dimensions"))),
    )
}

# Earlier and longer names of a structure; `type_extensions` is keyed: `<bounds = [3, ?]>`.
STRUCT_ALIASES: dict[str, str] = {"stablehlo.type_extensions": "stablehlo.bounds"}
