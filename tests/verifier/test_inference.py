"""Type inference from the definitions, with a reason for each facet that is not inferred."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.attributes import DenseArrayAttr, StructAttr
from stablehlo_py.ir.core import Operation, Value
from stablehlo_py.ir.types import F32, I64
from stablehlo_py.notation.scope import EMPTY_CONTEXT
from stablehlo_py.notation.sorts import INT
from stablehlo_py.notation.terms import parse
from stablehlo_py.opset.definition import all_definitions, lookup
from stablehlo_py.syntax.parser import parse_type
from stablehlo_py.verifier.equations import FACETS, Equation, alike, equations_of
from stablehlo_py.verifier.inference import _breaks, _Solver, infer_types
from stablehlo_py.verifier.inferred import InferredType

QUANTIZED = "tensor<2x!quant.uniform<i8:f32, 5.000000e-01:3>>"


def inferred(name: str, *operands: Any, **attributes: Any) -> shlo.Inference:
    return shlo.infer(name, operands, attributes)


def types(name: str, *operands: Any, **attributes: Any) -> list[str]:
    return list(map(str, inferred(name, *operands, **attributes).types))


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (types("subtract", "tensor<2x3xf32>", "tensor<2x3xf32>"), "tensor<2x3xf32>"),
        (types("subtract", "tensor<2x?xf32>", "tensor<?x3xf32>"), "tensor<2x3xf32>"),  # both operands meet
        (types("abs", "tensor<2xcomplex<f64>>"), "tensor<2xf64>"),
        (types("complex", "tensor<2xf64>", "tensor<2xf64>"), "tensor<2xcomplex<f64>>"),
        (types("fft", "tensor<5xf32>", fft_type="RFFT", fft_length=[5]), "tensor<3xcomplex<f32>>"),
        (
            types("fft", "tensor<2x3xcomplex<f32>>", fft_type="FFT", fft_length=[3]),
            "tensor<2x3xcomplex<f32>>",
        ),
        (types("concatenate", "tensor<2x3xf32>", "tensor<4x3xf32>", dimension=0), "tensor<6x3xf32>"),
        (types("tuple", "tensor<2xf32>", "tensor<3xi1>"), "tuple<tensor<2xf32>, tensor<3xi1>>"),
        (types("transpose", "tensor<2x3x5xi8>", permutation=[2, 0, 1]), "tensor<5x2x3xi8>"),
        (
            types("slice", "tensor<8x8xf32>", start_indices=[0, 1], limit_indices=[8, 8], strides=[1, 3]),
            "tensor<8x3xf32>",
        ),
        (types("slice", QUANTIZED, start_indices=[0], limit_indices=[2], strides=[1]), QUANTIZED),
        (
            types("dynamic_slice", "tensor<4x4xf32>", ["tensor<i32>", "tensor<i32>"], slice_sizes=[2, 3]),
            "tensor<2x3xf32>",
        ),
        (
            types("add", *["tensor<?xf32, #stablehlo.bounds<4>>"] * 2),
            "tensor<?xf32, #stablehlo.bounds<4>>",
        ),
        (
            types(
                "pad",
                "tensor<2x3xf32>",
                "tensor<f32>",
                edge_padding_low=[0, 1],
                edge_padding_high=[2, 1],
                interior_padding=[1, 2],
            ),
            "tensor<5x9xf32>",
        ),
        (types("chlo.top_k", "tensor<2x9xf32>", k=3)[1:], "tensor<2x3xi32>"),
        # Classes of types with one member
        (types("compare", "tensor<2xf32>", "tensor<2xf32>", comparison_direction="LT"), "tensor<2xi1>"),
        (types("is_finite", "tensor<7xf64>"), "tensor<7xi1>"),
        (types("partition_id"), "tensor<ui32>"),
        (types("after_all"), "!stablehlo.token"),
        (types("get_dimension_size", "tensor<2x3xf32>", dimension=1), "tensor<i32>"),
    ],
)
def test_a_whole_type(found: list[str], expected: str) -> None:
    assert found == [expected]


def test_a_guard_that_only_one_answer_leaves_valid() -> None:
    """C1 of add is for ops that are not quantized, which by C2 two f32 operands cannot be part of."""
    assert types("add", "tensor<2x3xf32>", "tensor<2x3xf32>") == ["tensor<2x3xf32>"]
    (result,) = inferred("add", QUANTIZED, QUANTIZED).results
    assert (result.type, result.shape) == (None, (2,))


def test_scales_and_zero_points_are_open_where_types_only_compare() -> None:
    (result,) = inferred("negate", QUANTIZED).results
    assert (result.type, result.shape, result.element_type) == (None, (2,), None)
    assert result.holes == ("C1 does not determine scales and zero points",)


def test_a_shape_without_an_element_type() -> None:
    result = inferred(
        "dot_general",
        "tensor<7x2x3xf32>",
        "tensor<7x3x5xf32>",
        lhs_batching_dimensions=[0],
        rhs_batching_dimensions=[0],
        lhs_contracting_dimensions=[2],
        rhs_contracting_dimensions=[1],
    ).results[0]
    assert (result.type, result.shape, result.element_type) == (None, (7, 2, 5), None)
    assert result.holes == ("no constraint determines the element type",)
    assert str(result) == "result : shape [7, 2, 5] (no constraint determines the element type)"


def test_an_element_type_without_a_shape() -> None:
    result = inferred("reshape", "tensor<2x3xf32>").results[0]
    assert (result.shape, str(result.element_type)) == (None, "f32")
    with pytest.raises(ValueError, match="no constraint determines the shape"):
        _ = inferred("reshape", "tensor<2x3xf32>").types


@pytest.mark.parametrize(
    ("inference", "code"),
    [
        (inferred("concatenate", "tensor<2x3xf32>", "tensor<4x3xf32>", dimension=5), "concatenate.C4"),
        (inferred("add", "tensor<2xf32>", "tensor<3xf32>"), "add.C1"),
        (inferred("cosine", "tensor<2xi32>"), "cosine.I1"),
        (inferred("iota"), "iota.I1"),
        (inferred("add", "tensor<2xf32>"), "structure"),
    ],
)
def test_what_is_wrong_with_the_inputs(inference: shlo.Inference, code: str) -> None:
    assert code in [d.code for d in inference.diagnostics]
    assert inference.results == ()
    with pytest.raises(ValueError):
        _ = inference.types


def test_what_upstream_accepts_is_a_warning_and_inferred() -> None:
    found = inferred(
        "dot_general",
        "tensor<2x3xf16>",
        "tensor<3x5xf32>",
        lhs_contracting_dimensions=[1],
        rhs_contracting_dimensions=[0],
    )
    assert [(d.code, d.severity) for d in found.diagnostics] == [("dot_general.C13", "warning")]
    assert found.results[0].shape == (2, 5)


def test_attributes_by_property_and_as_attributes() -> None:
    dimensions = StructAttr(
        "stablehlo.dot",
        (
            ("lhs_batching_dimensions", ()),
            ("rhs_batching_dimensions", ()),
            ("lhs_contracting_dimensions", (1,)),
            ("rhs_contracting_dimensions", (0,)),
        ),
    )
    found = inferred("dot_general", "tensor<2x3xf32>", "tensor<3x5xf32>", dot_dimension_numbers=dimensions)
    assert found.results[0].shape == (2, 5)


def test_process_groups_are_arrays() -> None:
    groups = np.array([[0, 1], [2, 3]])
    found = inferred("all_gather", ["tensor<4x3xf32>"], all_gather_dim=1, replica_groups=groups)
    assert list(map(str, found.types)) == ["tensor<4x6xf32>"]


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"dimensions": 0}, "no input dimensions; did you mean dimension?"),
        ({"dimension": "x"}, "dimension must be a 64-bit integer, not 'x'"),
        ({"dimension": True}, "dimension must be a 64-bit integer, not True"),
    ],
)
def test_attributes_of_another_kind(attributes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as caught:
        shlo.infer("concatenate", ["tensor<2xf32>"], attributes)
    assert message in str(caught.value)


def test_variadic_results_and_bodies() -> None:
    module = shlo.parse("""
func.func @main(%a: tensor<4x5xf32>, %b: tensor<4x5xi32>, %z: tensor<f32>, %y: tensor<i32>) {
  %0:2 = "stablehlo.reduce"(%a, %b, %z, %y) <{dimensions = array<i64: 0>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<i32>, %r: tensor<f32>, %s: tensor<i32>):
    "stablehlo.return"(%p, %q) : (tensor<f32>, tensor<i32>) -> ()
  }) : (tensor<4x5xf32>, tensor<4x5xi32>, tensor<f32>, tensor<i32>) -> (tensor<5xf32>, tensor<5xi32>)
  return
}""")
    (op,) = [op for op in module.walk() if op.name == "stablehlo.reduce"]
    uses = [list(value.uses) for value in op.operands]
    found = shlo.infer(op.name, op.operands, op.properties, op.regions)
    assert [(r.name, str(r.type)) for r in found.results] == [
        ("results[0]", "tensor<5xf32>"),
        ("results[1]", "tensor<5xi32>"),
    ]
    assert [list(value.uses) for value in op.operands] == uses
    assert op.regions[0].parent is op


def test_results_that_a_rule_gives_one_shape() -> None:
    """reduce_window C15 is about the first result, and C14 says that the others are like it."""
    module = shlo.parse("""
func.func @main(%a: tensor<4xf32>, %b: tensor<4xi32>, %z: tensor<f32>, %y: tensor<i32>) {
  %0:2 = "stablehlo.reduce_window"(%a, %b, %z, %y) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<i32>, %r: tensor<f32>, %s: tensor<i32>):
    "stablehlo.return"(%p, %q) : (tensor<f32>, tensor<i32>) -> ()
  }) : (tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
  return
}""")
    (op,) = [op for op in module.walk() if op.name == "stablehlo.reduce_window"]
    found = shlo.infer(op.name, op.operands, op.properties, op.regions)
    assert [str(r.type) for r in found.results] == ["tensor<3xf32>", "tensor<3xi32>"]


def test_a_function_of_the_module_around() -> None:
    module = shlo.parse("""
func.func private @inner(%x: tensor<2xf32>) -> tensor<3xi8> {
  %0 = stablehlo.constant dense<0> : tensor<3xi8>
  return %0 : tensor<3xi8>
}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}""")
    argument = module.functions["main"].regions[0].block.arguments[0]
    found = shlo.infer("composite", [argument], {"name": "a.b", "decomposition": "@inner"})
    assert list(map(str, found.types)) == ["tensor<3xi8>"]


def test_an_unknown_op() -> None:
    with pytest.raises(KeyError):
        shlo.infer("test.op", ["tensor<f32>"])
    with pytest.raises(KeyError, match=r"^'test\.op'$"):
        infer_types("test.op", [parse_type("tensor<f32>")])


def test_what_is_the_same_of_each_result() -> None:
    """One value of a constraint about each of several results, whose number another constraint gives."""
    module = shlo.parse("""
func.func @main(%a: tensor<4x6xf32>, %b: tensor<3xf32>) {
  %r:2 = "stablehlo.all_reduce"(%a, %b) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    stablehlo.return %p : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<3xf32>) -> (tensor<4x6xf32>, tensor<3xf32>)
  return
}""")
    op = module.functions["main"].regions[0].block.ops[0]
    found = shlo.infer(op.name, op.operands, op.properties, op.regions)
    assert list(map(str, found.types)) == ["tensor<4x6xf32>", "tensor<3xf32>"]


def test_ops_of_another_structure_have_no_other_faults() -> None:
    """Constraints are about ops with the operands, results and regions of the definition."""
    for found in (
        inferred("add", "tensor<2xi1>"),
        inferred("add", *["tensor<2xf32>"] * 3),
        inferred("map", "tensor<2xf32>", dimensions=[7]),
    ):
        assert [(d.code, d.severity) for d in found.diagnostics] == [("structure", "error")], found


def test_every_definition_can_be_solved() -> None:
    for definition in all_definitions():
        equations_of(definition)


OPEN = [
    # an op with its operands, its attributes, the type of its result
    (
        ("slice", "tensor<?x8xf32>"),
        {"start_indices": [0, 1], "limit_indices": [8, 8], "strides": [1, 3]},
        "tensor<8x3xf32>",
    ),
    (("fft", "tensor<?x?xf32>"), {"fft_type": "RFFT", "fft_length": [5]}, "tensor<?x3xcomplex<f32>>"),
    (("concatenate", ["tensor<?x3xf32>", "tensor<4x3xf32>"]), {"dimension": 0}, "tensor<?x3xf32>"),
    (
        ("pad", "tensor<?x3xf32>", "tensor<f32>"),
        {"edge_padding_low": [0, 1], "edge_padding_high": [2, 1], "interior_padding": [1, 2]},
        "tensor<?x9xf32>",
    ),
    (
        ("rng", "tensor<f32>", "tensor<f32>", "tensor<2xi64>"),
        {"rng_distribution": "UNIFORM"},
        "tensor<?x?xf32>",
    ),
    (("get_tuple_element", "tuple<tensor<2xf32>, tensor<3xi1>>"), {"index": 1}, "tensor<3xi1>"),
    (("cholesky", "tensor<?x?xf32>"), {"lower": True}, "tensor<?x?xf32>"),
    (("broadcast", "tensor<2xf32>"), {"broadcast_sizes": [3, 5]}, "tensor<3x5x2xf32>"),
]


@pytest.mark.parametrize(("op", "attributes", "expected"), OPEN)
def test_sizes_that_are_not_known(op: tuple[Any, ...], attributes: dict[str, Any], expected: str) -> None:
    assert types(*op, **attributes) == [expected]


def test_each_result_has_the_type_of_its_operand() -> None:
    """All to all: of 2 parts along dimension 1, side by side along dimension 0."""
    found = types(
        "all_to_all",
        ["tensor<2x4xf32>", "tensor<4x2xf32>"],
        split_dimension=1,
        concat_dimension=0,
        split_count=2,
        replica_groups=[[0, 1]],
    )
    assert found == ["tensor<4x2xf32>", "tensor<8x1xf32>"]


def test_what_is_open_depends_on_the_result_itself() -> None:
    (result,) = inferred("bitcast_convert", "tensor<2x4xi8>").results
    relations = [f"num_bits(F) {sign} num_bits(E)" for sign in ("=", ">", "<")]
    assert result.holes == tuple(
        f"C1 depends on {each}, which the inputs do not determine" for each in relations
    )
    assert str(result) == f"result : unknown ({'; '.join(result.holes)})"


def test_errors_alone_are_why_there_are_no_types() -> None:
    """A warning says nothing about them, and is left out."""
    inference = inferred("add", "tensor<2xf32>", "tensor<3xf32>")
    warning = dataclasses.replace(inference.diagnostics[0], severity="warning", message="a warning")
    both = dataclasses.replace(inference, diagnostics=(warning, *inference.diagnostics))
    with pytest.raises(ValueError, match=r"^stablehlo\.add \(C1\)"):
        _ = both.types
    only = dataclasses.replace(inferred("abs", "tensor<2xf32>"), diagnostics=(warning,))
    assert list(map(str, only.types)) == ["tensor<2xf32>"]


@pytest.mark.parametrize(("rank", "is_known"), [(4096, True), (4097, False)])
def test_ranks_that_a_value_states_are_bounded(rank: int, is_known: bool) -> None:
    (result,) = inferred("dynamic_reshape", "tensor<f32>", f"tensor<{rank}xi32>").results
    assert result.shape == ((None,) * rank if is_known else None)
    assert is_known or result.holes[0].endswith(": 4097 dimensions are too many")


def test_what_the_specification_alone_demands_is_used_last() -> None:
    for definition in all_definitions():
        last = {c.label for c in definition.constraints if c.verdict == "spec-only"}
        for facet in FACETS.values():
            order = [each.label in last for each in equations_of(definition) if each.facet == facet]
            assert order == sorted(order), definition.name


def test_results_of_one_shape() -> None:
    """reduce_window C14: same(shape(results...))."""
    found = {definition.name: alike(definition) for definition in all_definitions()}
    assert {name: results for name, results in found.items() if results} == {
        "stablehlo.reduce_window": ("results",)
    }


def test_results_of_any_number_that_no_equation_determines() -> None:
    assert inferred("custom_call", "tensor<2xf32>", call_target_name="f").results == ()
    assert inferred("optimization_barrier").results == ()


def test_what_a_result_is_inferred_from_does_not_depend_on_results() -> None:
    """Nor do the names that it uses, which `where` clauses of the definition bind."""

    def depends(term: object, results: set[str], where: dict[str, object]) -> bool:
        match term:
            case ("name", str(name)):
                return name in results or depends(where.get(name), results, where)
            case tuple():
                return any(depends(part, results, where) for part in term)
        return False

    for definition in all_definitions():
        where = {name: parse(formula) for name, formula in definition.where}
        results = {output.name for output in definition.outputs}
        for equation in equations_of(definition):
            parts = (equation.source, equation.axis)
            assert not depends(parts, results, where), (definition.name, equation.label)


def test_texts_of_results() -> None:
    found = inferred("abs", "tensor<2xf32>").results
    assert list(map(str, found)) == ["result : tensor<2xf32>"]
    open_element = inferred("uniform_quantize", "tensor<2xf32>").results
    assert list(map(str, open_element)) == ["result : shape [2] (no constraint determines the element type)"]


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ({"shape": (0, None)}, "shape [0, ?]"),
        ({"shape": ()}, "shape []"),
        ({"element_type": F32}, "element type f32"),
        ({"shape": (2,), "element_type": F32}, "shape [2], element type f32"),
        ({}, "unknown"),
    ],
)
def test_texts_of_what_is_known(parts: dict[str, Any], text: str) -> None:
    assert str(InferredType("r", holes=("x", "y"), **parts)) == f"r : {text} (x; y)"


def test_an_equation_with_an_unknown_value() -> None:
    definition = lookup("stablehlo.abs")
    assert definition is not None
    solver = _Solver(Operation(definition.name), definition, EMPTY_CONTEXT, {})
    equation = Equation("C1", "shape", ("name", "result"), None, ("name", "n"))
    solver.names["n"], solver.env["n"] = INT, None
    solver.equate(equation)
    (found,) = solver.results()
    assert found.holes == ("C1: n is unknown",)


@pytest.mark.parametrize(("dimensions", "expected"), [((0,), False), ((5,), True), (None, False)])
def test_what_breaks_a_constraint(dimensions: tuple[int, ...] | None, expected: bool) -> None:
    """Not one whose inputs are missing."""
    definition, type = lookup("stablehlo.reverse"), parse_type("tensor<2xf32>")
    assert definition is not None
    given = {} if dimensions is None else {"dimensions": DenseArrayAttr(I64, dimensions)}
    op = Operation(definition.name, (), [type], given)
    op.operands = (Value(type),)
    assert _breaks(op, definition, EMPTY_CONTEXT, {}) is expected


def test_a_type_with_a_quantized_dimension_is_not_that_of_the_other_branch() -> None:
    """C1 of transpose: equal element types, if no dimension is quantized; otherwise that dimension moves."""
    given = {"permutation": [1, 0]}
    whole = shlo.infer("transpose", ["tensor<2x3x!quant.uniform<i8:f32, 0.5>>"], given)
    assert whole.types == [parse_type("tensor<3x2x!quant.uniform<i8:f32, 0.5>>")]
    (by_axis,) = shlo.infer(
        "transpose", ["tensor<2x3x!quant.uniform<i8:f32:1, {0.5,0.25,2.0}>>"], given
    ).results
    assert by_axis.shape == (3, 2) and by_axis.element_type is None
