"""Constants, and ops that reshape, slice and join tensors."""

from __future__ import annotations

from stablehlo_py.opset.classes import (
    ANY_TENSOR,
    COMPLEX,
    FLOAT,
    INTEGER,
    PER_TENSOR,
    PER_TENSOR_TENSOR,
    SCALAR,
    SIGNED_32,
    TUPLE,
    VALUE,
    static,
    static_or_bounded,
    tensor_of,
)
from stablehlo_py.opset.definition import (
    Attr,
    Constraint,
    OpDef,
    Operand,
    Result,
    define,
    rules,
    upstream,
)
from stablehlo_py.opset.sharding_rule import ShardingRule, factors, rule
from stablehlo_py.opset.shared.common import (
    ANY_OPERAND,
    ANY_RESULT,
    BROADCAST_CONSTRAINTS,
    FUNCTIONAL_FORM,
    OPERAND,
    PURE,
    RESHAPE_CONSTRAINTS,
    RESHAPE_WHERE,
    RESULT,
    SAME_ELEMENT_TYPE,
    SAME_QUANTIZATION,
    indices,
    moved_element_type,
)
from stablehlo_py.opset.traits import NO_TRAFFIC, CostRule


def _padded(sizes: str) -> str:
    """Return the formula of the sizes, or the bounds, of a padded tensor."""
    return (
        f"{sizes}(operand) + edge_padding_low + "
        f"max({sizes}(operand) - 1, 0) * interior_padding + edge_padding_high"
    )


define(
    OpDef(
        name="stablehlo.constant",
        doc="Returns a constant.",
        section="constant",
        inputs=(Attr("value", "elements", type="constant"),),
        outputs=(Result("output", static(ANY_TENSOR)),),
        constraints=rules(
            Constraint(
                "C1",
                "type(value) = (is_quantized(output) ? "
                "tensor(shape(output), storage_type(output)) : type(output))",
                spec="`type(value) = type(output)`.",
                why="A quantized constant is stated by its storage values.",
            ),
        ),
        form="attr-dict custom<constant>($value, type($output))",
        traits=frozenset({"pure", "constant"}),
        cost=NO_TRAFFIC,
        sign="constant",
        result_name="c",
        example="%output = stablehlo.constant dense<[[0.0, 1.0], [2.0, 3.0]]> : tensor<2x2xf32>",
    ),
    OpDef(
        name="stablehlo.iota",
        doc="Fills a tensor with 0, 1, 2, ... along one dimension.",
        section="iota",
        inputs=(Attr("iota_dimension", "i64", type="`si64`"),),
        outputs=(Result("output", static(tensor_of(INTEGER, FLOAT, COMPLEX, PER_TENSOR))),),
        constraints=rules(("C1", "0 <= iota_dimension < rank(output)")),
        form="`dim` `=` $iota_dimension attr-dict `:` type($output)",
        traits=frozenset({"pure", "expressed"}),
        sign="non_negative",
        example="%output = stablehlo.iota dim = 0 : tensor<4x5xi32>",
    ),
    OpDef(
        name="stablehlo.broadcast",
        doc="Adds leading dimensions to a tensor and repeats it along them.",
        inputs=(OPERAND, indices("broadcast_sizes")),
        outputs=(ANY_RESULT,),
        constraints=rules(
            Constraint("U1", "identical(element_type(operand), element_type(result))", verdict="upstream"),
            Constraint("U2", "0 <= broadcast_sizes", verdict="upstream"),
            Constraint("U3", "shape(result) = broadcast_sizes ++ shape(operand)", verdict="upstream"),
        ),
        form="$operand `,` `sizes` `=` $broadcast_sizes attr-dict `:` functional-type(operands, results)",
        traits=frozenset({"pure", "moves_data", "view"}),
        deprecated="stablehlo.broadcast_in_dim",
        example="%result = stablehlo.broadcast %operand, sizes = [1, 2] : "
        "(tensor<3xi32>) -> tensor<1x2x3xi32>",
    ),
    OpDef(
        name="stablehlo.broadcast_in_dim",
        doc="Repeats a tensor along new dimensions and dimensions of size 1.",
        section="broadcast_in_dim",
        inputs=(ANY_OPERAND, indices("broadcast_dimensions")),
        outputs=(Result("result", static_or_bounded(ANY_TENSOR)),),
        constraints=BROADCAST_CONSTRAINTS,
        form="$operand `,` `dims` `=` $broadcast_dimensions attr-dict `:` functional-type(operands, results)",
        traits=frozenset({"pure", "moves_data", "broadcast", "view"}),
        sharding=ShardingRule(algorithm="broadcast"),
        example="%result = stablehlo.broadcast_in_dim %operand, dims = [2, 1] : "
        "(tensor<1x3xi32>) -> tensor<2x3x2xi32>",
    ),
    OpDef(
        name="stablehlo.reshape",
        doc="Changes the shape of a tensor, preserving the order of its elements.",
        section="reshape",
        inputs=(ANY_OPERAND,),
        outputs=(Result("result", static_or_bounded(ANY_TENSOR)),),
        where=RESHAPE_WHERE,
        constraints=RESHAPE_CONSTRAINTS,
        form=FUNCTIONAL_FORM,
        traits=frozenset({"pure", "moves_data"}),
        sharding=ShardingRule(algorithm="reshape", early=True),
        cost=NO_TRAFFIC,
        example="%result = stablehlo.reshape %operand : (tensor<1x6xi32>) -> tensor<3x2xi32>",
    ),
    OpDef(
        name="stablehlo.transpose",
        doc="Permutes the dimensions of a tensor.",
        section="transpose",
        inputs=(ANY_OPERAND, indices("permutation")),
        outputs=(ANY_RESULT,),
        constraints=rules(
            moved_element_type("C1"),
            Constraint(
                "C2",
                "sorted(permutation) = range(rank(operand))",
                spec="`permutation` is a permutation of `range(rank(operand))`.",
                why="prose",
            ),
            Constraint(
                "C3",
                "shape(result) = dims(operand, permutation)",
                spec="`shape(result) = dim(operand, permutation...)`.",
                why="sort",
            ),
            Constraint(
                "C4",
                "if is_per_axis_quantized(result) then "
                "quantization_dimension(operand) = permutation[quantization_dimension(result)]",
                spec="If `is_per_axis_quantized(result)`, then\n"
                "  `quantization_dimension(operand) =\n"
                "  permutation(quantization_dimension(result))`.",
                why="prose",
            ),
            upstream(
                "U1",
                "shape(result) <= bounds(operand)[permutation] and "
                "dims(operand, permutation) <= bounds(result)",
            ),
        ),
        form="$operand `,` `dims` `=` $permutation attr-dict `:` functional-type(operands, results)",
        traits=frozenset({"pure", "moves_data", "view"}),
        sharding=rule(factors("axes(result)", operand="permutation[i]", result="i"), early=True),
        example="%result = stablehlo.transpose %operand, dims = [2, 1, 0] : "
        "(tensor<2x3x2xi32>) -> tensor<2x3x2xi32>",
    ),
    OpDef(
        name="stablehlo.reverse",
        doc="Reverses the order of elements along some dimensions.",
        section="reverse",
        inputs=(OPERAND, indices("dimensions")),
        outputs=(RESULT,),
        constraints=rules(
            ("C1", "type(operand) = type(result)"),
            ("C2", "is_unique(dimensions)"),
            ("C3", "0 <= dimensions < rank(result)"),
            SAME_QUANTIZATION,
        ),
        form="$operand `,` `dims` `=` $dimensions attr-dict `:` "
        "custom<same_operands_and_result_type>(type($operand), type($result))",
        traits=frozenset({"pure", "moves_data", "view"}),
        sharding=rule(factors("axes(result)", '(i in dimensions ? "permutation" : "pass_through")', all="i")),
        example="%result = stablehlo.reverse %operand, dims = [1] : tensor<3x2xi32>",
    ),
    OpDef(
        name="stablehlo.slice",
        doc="Extracts a slice of a tensor, from start to limit with strides.",
        section="slice",
        inputs=(OPERAND, indices("start_indices"), indices("limit_indices"), indices("strides")),
        outputs=(RESULT,),
        constraints=rules(
            SAME_ELEMENT_TYPE,
            ("C2", "size(start_indices) = size(limit_indices) = size(strides) = rank(operand)"),
            ("C3", "0 <= start_indices <= limit_indices <= shape(operand)"),
            ("C4", "0 < strides"),
            ("C5", "shape(result) = ceil((limit_indices - start_indices) / strides)"),
            SAME_QUANTIZATION,
            Constraint("U2", "limit_indices <= bounds(operand)", verdict="upstream"),
        ),
        form="$operand custom<slice_ranges>($start_indices, $limit_indices, $strides) attr-dict `:` "
        "functional-type(operands, results)",
        traits=frozenset({"pure", "moves_data", "view"}),
        sharding=rule(
            factors(
                "axes(operand)",
                '(dim(operand, i) = dim(result, i) ? "pass_through" : "permutation")',
                "dim(operand, i)",
                all="i",
            ),
        ),
        cost=CostRule(traffic="slice"),
        example="%result = stablehlo.slice %operand [1:3, 4:8:2] : (tensor<3x8xi64>) -> tensor<2x2xi64>",
    ),
    OpDef(
        name="stablehlo.pad",
        doc="Pads a tensor with a value, around it and between its elements.",
        section="pad",
        inputs=(
            OPERAND,
            Operand("padding_value", SCALAR),
            indices("edge_padding_low"),
            indices("edge_padding_high"),
            indices("interior_padding"),
        ),
        outputs=(RESULT,),
        constraints=rules(
            ("C1", "element_type(operand) = element_type(padding_value) = element_type(result)"),
            (
                "C2",
                "size(edge_padding_low) = size(edge_padding_high) = size(interior_padding) = rank(operand)",
            ),
            ("C3", "0 <= interior_padding"),
            ("C4", f"shape(result) = {_padded('shape')}"),
            SAME_QUANTIZATION,
            upstream("U2", f"0 <= {_padded('bounds')}"),
            upstream("U3", f"shape(result) <= {_padded('bounds')}"),
            upstream("U4", f"{_padded('shape')} <= bounds(result)"),
        ),
        form="$operand `,` $padding_value `,` `low` `=` $edge_padding_low `,` `high` `=` $edge_padding_high "
        "`,` `interior` `=` $interior_padding attr-dict `:` functional-type(operands, results)",
        traits=PURE | {"exact"},
        sharding=rule(
            factors(
                "axes(operand)",
                '(dim(operand, i) = dim(result, i) ? "pass_through" : "permutation")',
                "dim(operand, i)",
                all="i",
            ),
        ),
        sign="every_operand",
        example="%result = stablehlo.pad %operand, %padding_value, low = [0, 1], high = [2, 1], "
        "interior = [1, 2] : (tensor<2x3xi32>, tensor<i32>) -> tensor<5x9xi32>",
    ),
    OpDef(
        name="stablehlo.concatenate",
        doc="Concatenates tensors along one dimension.",
        section="concatenate",
        inputs=(
            Operand("inputs", PER_TENSOR_TENSOR, variadic=True),
            Attr("dimension", "i64", type="constant of type `si64`"),
        ),
        outputs=(RESULT,),
        constraints=rules(
            ("C1", "same(element_type(inputs...))"),
            Constraint(
                "C2",
                "same(drop(shape(inputs...), dimension))",
                spec="`same(shape(inputs...))` except for `dim(inputs..., dimension)`.",
                why="prose",
            ),
            ("C3", "0 < size(inputs)"),
            ("C4", "0 <= dimension < rank(inputs[0])"),
            ("C5", "element_type(result) = element_type(inputs[0])"),
            Constraint(
                "C6",
                "shape(result) = replace(shape(inputs[0]), dimension, sum(dim(inputs..., dimension)))",
                spec="`shape(result) = shape(inputs[0])` except for:\n"
                "  * `dim(result, dimension) = dim(inputs[0], dimension) + ...`.",
                why="prose",
            ),
            Constraint(
                "U1",
                "if is_quantized(result) then identical(element_type(inputs...), element_type(result))",
                why="Upstream also requires equal scales and zero points.",
                verdict="upstream",
            ),
            upstream("U2", "dim(result, dimension) <= sum(bounds(inputs...)[dimension])"),
            upstream(
                "U3",
                "for a in distinct(type(inputs...)) : for b in distinct(type(inputs...)) : "
                "drop(shape(a), dimension) <= drop(bounds(b), dimension)",
            ),
            upstream(
                "U4",
                "drop(shape(inputs...), dimension) <= drop(bounds(result), dimension) and "
                "drop(shape(result), dimension) <= drop(bounds(inputs...), dimension)",
            ),
        ),
        form="custom<variadic_operand_with_attribute>($inputs) `dim` `=` $dimension attr-dict `:` "
        "functional-type(operands, results)",
        traits=PURE | {"exact"},
        sharding=ShardingRule(algorithm="concatenation"),
        sign="every_operand",
        example="%result = stablehlo.concatenate %input0, %input1, dim = 0 : "
        "(tensor<3x2xi64>, tensor<1x2xi64>) -> tensor<4x2xi64>",
    ),
    OpDef(
        name="stablehlo.dynamic_slice",
        doc="Extracts a slice of a static size at a dynamic position.",
        section="dynamic_slice",
        inputs=(
            OPERAND,
            Operand("start_indices", tensor_of(INTEGER, rank=0), variadic=True),
            indices("slice_sizes"),
        ),
        outputs=(RESULT,),
        constraints=rules(
            SAME_ELEMENT_TYPE,
            ("C2", "size(start_indices) = size(slice_sizes) = rank(operand)"),
            ("C3", "same(type(start_indices...))"),
            ("C4", "0 <= slice_sizes <= shape(operand)"),
            ("C5", "shape(result) = slice_sizes"),
            SAME_QUANTIZATION,
        ),
        form="$operand `,` custom<variadic_operand_with_attribute>($start_indices) `sizes` `=` $slice_sizes "
        "attr-dict `:` functional-type(operands, results)",
        traits=frozenset({"pure", "moves_data", "view"}),
        sharding=rule(
            factors(
                "axes(operand)",
                '(dim(operand, i) = dim(result, i) ? "pass_through" : "need_replication")',
                "dim(operand, i)",
                "dim(operand, i) != dim(result, i)",
                all="i",
            ),
            early=True,
            forward=True,
        ),
        cost=CostRule(traffic="slice"),
        example="%result = stablehlo.dynamic_slice %operand, %i, %j, sizes = [2, 2] : "
        "(tensor<4x4xi32>, tensor<i64>, tensor<i64>) -> tensor<2x2xi32>",
    ),
    OpDef(
        name="stablehlo.dynamic_update_slice",
        doc="Replaces a slice of a tensor at a dynamic position.",
        section="dynamic_update_slice",
        inputs=(
            OPERAND,
            Operand("update", PER_TENSOR_TENSOR),
            Operand("start_indices", tensor_of(INTEGER, rank=0), variadic=True),
        ),
        outputs=(RESULT,),
        constraints=rules(
            ("C1", "type(operand) = type(result)"),
            ("C2", "element_type(update) = element_type(operand)"),
            ("C3", "rank(update) = rank(operand)"),
            ("C4", "size(start_indices) = rank(operand)"),
            ("C5", "same(type(start_indices...))"),
            ("C6", "0 <= shape(update) <= shape(operand)"),
            SAME_QUANTIZATION,
        ),
        form=FUNCTIONAL_FORM,
        traits=PURE | {"exact"},
        sharding=rule(
            # A dimension that is updated in part is two factors: one of the operand, one of the update.
            factors(
                "[j for j in range(2 * rank(operand)) if j % 2 = 0 or "
                "dim(operand, floor(j / 2)) != dim(update, floor(j / 2))]",
                '(i % 2 = 1 and not (for s in start_indices : is_constant(s)) ? "need_replication" : '
                '"pass_through")',
                "i % 2 = 0 ? dim(operand, floor(i / 2)) : dim(update, floor(i / 2))",
                operand="i % 2 = 0 ? floor(i / 2) : -1",
                update="i % 2 = 1 or dim(operand, floor(i / 2)) = dim(update, floor(i / 2)) "
                "? floor(i / 2) : -1",
                result="i % 2 = 0 ? floor(i / 2) : -1",
            ),
            early=True,
            forward=True,
        ),
        cost=CostRule(traffic="update"),
        sign="every_operand",
        example="%result = stablehlo.dynamic_update_slice %operand, %update, %i, %j : "
        "(tensor<4x4xi32>, tensor<2x2xi32>, tensor<i64>, tensor<i64>) -> tensor<4x4xi32>",
    ),
    OpDef(
        name="stablehlo.get_dimension_size",
        doc="Returns the size of one dimension.",
        section="get_dimension_size",
        inputs=(ANY_OPERAND, Attr("dimension", "i64", type="constant of type `si64`")),
        outputs=(Result("result", tensor_of(SIGNED_32, rank=0)),),
        constraints=rules(("C1", "0 <= dimension < rank(operand)")),
        form="$operand `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)",
        traits=PURE,
        cost=NO_TRAFFIC,
        sign="non_negative",
        example="%result = stablehlo.get_dimension_size %operand, dim = 1 : (tensor<2x3xi64>) -> tensor<i32>",
    ),
    OpDef(
        name="stablehlo.set_dimension_size",
        doc="Sets the size of one dimension to a run-time value.",
        inputs=(OPERAND, Operand("size", tensor_of(SIGNED_32, rank=0)), Attr("dimension", "i64")),
        outputs=(RESULT,),
        constraints=rules(
            Constraint("U1", "0 <= dimension < rank(operand)", verdict="upstream"),
            Constraint("U2", "element_type(operand) = element_type(result)", verdict="upstream"),
            Constraint(
                "U3", "drop(shape(result), dimension) = drop(shape(operand), dimension)", verdict="upstream"
            ),
            Constraint("U4", "dim(result, dimension) <= dim(operand, dimension)", verdict="upstream"),
            upstream("U5", "shape(result) <= bounds(operand)"),
        ),
        form="$operand `,` $size `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)",
        traits=PURE | {"exact"},
        example="%result = stablehlo.set_dimension_size %operand, %size, dim = 0 : "
        "(tensor<4xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<4>>",
    ),
    OpDef(
        name="stablehlo.bitcast_convert",
        doc="Reinterprets the bits of a tensor as another element type.",
        section="bitcast_convert",
        inputs=(Operand("operand", ANY_TENSOR),),
        outputs=(Result("result", ANY_TENSOR),),
        where=(
            ("E", "is_quantized(operand) ? storage_type(operand) : element_type(operand)"),
            ("F", "is_quantized(result) ? storage_type(result) : element_type(result)"),
            ("R", "rank(operand)"),
        ),
        constraints=rules(
            Constraint(
                "C1",
                "(if num_bits(F) = num_bits(E) then shape(result) = shape(operand)) and "
                "(if num_bits(F) < num_bits(E) then rank(result) = R + 1 and "
                "shape(result)[:-1] = shape(operand) and dim(result, R) * num_bits(F) = num_bits(E)) and "
                "(if num_bits(F) > num_bits(E) then rank(result) = R - 1 and "
                "shape(result) = shape(operand)[:-1] and dim(operand, R - 1) * num_bits(E) = num_bits(F))",
                spec="Given `E = is_quantized(operand) ? storage_type(operand) :\n"
                "  element_type(operand)`, `E' = is_quantized(result) ?\n"
                "  storage_type(result) : element_type(result)`, and `R = rank(operand)`:\n"
                "  * If `num_bits(E') = num_bits(E)`, `shape(result) = shape(operand)`.\n"
                "  * If `num_bits(E') < num_bits(E)`:\n"
                "    * `rank(result) = R + 1`.\n"
                "    * `dim(result, i) = dim(operand, i)` for all `0 <= i < R`.\n"
                "    * `dim(result, R) * num_bits(E') = num_bits(E)`.\n"
                "  * If `num_bits(E') > num_bits(E)`:\n"
                "    * `rank(result) = R - 1`.\n"
                "    * `dim(result, i) = dim(operand, i)` for all `0 <= i < R`.\n"
                "    * `dim(operand, R - 1) * num_bits(E) = num_bits(E')`.",
                why="prose",
            ),
            Constraint(
                "C2",
                "if is_complex(operand) or is_complex(result) then "
                "is_complex(operand) and is_complex(result)",
                spec="If `is_complex(operand) or is_complex(result)`, then\n"
                "  `is_complex(operand) and is_complex(result)`.",
                why="prose",
            ),
        ),
        form=FUNCTIONAL_FORM,
        traits=frozenset({"pure", "received"}),
        sharding=rule(
            factors(
                "rank(operand) < rank(result) ? axes(operand) : axes(result)",
                all="i",
                size="dim((rank(operand) < rank(result) ? operand : result), i)",
            ),
            factors(
                "rank(operand) < rank(result) ? [rank(result) - 1] : range(0)", "need_replication", result="i"
            ),
            factors(
                "rank(result) < rank(operand) ? [rank(operand) - 1] : range(0)",
                "need_replication",
                operand="i",
            ),
        ),
        example="%result = stablehlo.bitcast_convert %operand : (tensor<f64>) -> tensor<4xf16>",
    ),
    OpDef(
        name="stablehlo.tuple",
        doc="Creates a tuple of values.",
        section="tuple",
        inputs=(Operand("val", VALUE, variadic=True),),
        outputs=(Result("result", TUPLE),),
        constraints=rules(
            Constraint(
                "C1",
                "type(result) = tuple_type([type(v) for v in val])",
                spec="`result` has type `tuple<E0, ..., EN-1>` where `Ei = type(val[i])`.",
                why="prose",
            ),
        ),
        form="$val attr-dict `:` custom<tuple_op_type>(type($val), type($result))",
        traits=PURE,
        cost=NO_TRAFFIC,
        example="%result = stablehlo.tuple %val0, %val1 : tuple<tensor<2xf64>, tuple<tensor<i64>>>",
    ),
    OpDef(
        name="stablehlo.get_tuple_element",
        doc="Extracts one element of a tuple.",
        section="get_tuple_element",
        inputs=(Operand("operand", TUPLE), Attr("index", "i32", type="constant of type `si32`")),
        outputs=(Result("result", VALUE),),
        constraints=rules(
            Constraint(
                "C1",
                "0 <= index < size(tuple_element_types(operand))",
                spec="`0 <= index < size(operand)`.",
                why="sort",
            ),
            ("C2", "type(result) = tuple_element_types(operand)[index]"),
        ),
        form="$operand `[` $index `]` attr-dict `:` functional-type(operands, results)",
        traits=PURE,
        cost=NO_TRAFFIC,
        example="%result = stablehlo.get_tuple_element %operand[0] : "
        "(tuple<tensor<2xf64>, tuple<tensor<i64>>>) -> tensor<2xf64>",
    ),
)
