"""Facets of result types: how values of equations combine, and what type classes decide."""

from __future__ import annotations

from typing import Any

import pytest

from stablehlo_py.ir.attributes import BOUNDS, StringAttr, StructAttr
from stablehlo_py.ir.types import F32, TOKEN, TensorType, Type
from stablehlo_py.opset.definition import lookup
from stablehlo_py.syntax.parser import parse_type
from stablehlo_py.verifier.equations import Equation
from stablehlo_py.verifier.inference import _Known, decided_by

QUANTIZED = parse_type("!quant.uniform<i8:f32, 5.000000e-01:3>")
F64 = parse_type("f64")


def result() -> Any:
    """The output of an op whose type class says nothing of shape and elements."""
    definition = lookup("stablehlo.reshape")
    assert definition is not None
    return definition.outputs[0]


def met(*facts: tuple[str, Any, Any], exact: bool = False) -> _Known:
    """What equations C1, C2, ... give together: each a facet, a value, and an axis."""
    known = _Known(result())
    for number, (facet, value, axis) in enumerate(facts, 1):
        known.meet(Equation(f"C{number}", facet, ("name", "result"), None, (), exact=exact), value, axis)
    return known


@pytest.mark.parametrize(
    ("facts", "shape"),
    [
        ([], None),
        ([("shape", [2, 3], None)], (2, 3)),
        ([("shape", [2, None], None)], (2, None)),
        ([("shape", [], None)], ()),
        ([("rank", 2, None)], (None, None)),
        ([("rank", 0, None)], ()),
        ([("rank", 2, None), ("shape", [4, 5], None)], (4, 5)),
        ([("shape", [2, None], None), ("shape", [None, 3], None)], (2, 3)),
        ([("shape", [2, 3], None), ("shape", [2, 3], None)], (2, 3)),
        ([("shape", [0, 3], None)], (0, 3)),
        ([("type", parse_type("tensor<2x?xf32>"), None)], (2, None)),
        ([("rank", 3, None), ("dims", 7, 1)], (None, 7, None)),
        ([("rank", 3, None), ("dims", 7, 0)], (7, None, None)),
        ([("rank", 3, None), ("dims", 7, 2)], (None, None, 7)),
        ([("rank", 3, None), ("dims", 7, -1)], (None, None, 7)),
        ([("rank", 3, None), ("dims", 7, -3)], (7, None, None)),
        ([("rank", 3, None), ("dims", 7, 3)], (None, None, None)),  # another rule is about this axis
        ([("rank", 3, None), ("dims", 7, -4)], (None, None, None)),
        ([("rank", 3, None), ("dims", [5, 6], [2, 0])], (6, None, 5)),
        ([("rank", 2, None), ("dims", [5, 6], [None, 0])], (6, None)),
        ([("shape", [2, None], None), ("dims", 7, 1)], (2, 7)),
        ([("drop", [2, 3], 0)], (None, 2, 3)),
        ([("drop", [2, 3], 1)], (2, None, 3)),
        ([("drop", [2, 3], -1)], (2, 3, None)),
        ([("drop", [2, 3], [0, 3])], (None, 2, 3, None)),
        ([("drop", [2, 3], -1), ("dims", 9, -1)], (2, 3, 9)),
        ([("drop", [], 0)], (None,)),
    ],
)
def test_shapes(facts: list[tuple[str, Any, Any]], shape: Any) -> None:
    known = met(*facts)
    assert (known.shape, known.reasons) == (shape, {})


@pytest.mark.parametrize(
    ("facts", "shape", "reason"),
    [
        ([("shape", [2, 3], None), ("shape", [2, 4], None)], (2, 3), "C2: [2, 4] conflicts with [2, 3]"),
        ([("shape", [2, None], None), ("shape", [5, 4], None)], (2, None), "C2: [5, 4] conflicts with [2, None]"),  # noqa: E501
        ([("shape", [2], None), ("shape", [2, 4], None)], (2,), "C2: [2, 4] conflicts with [2]"),
        ([("shape", [2, 4], None), ("rank", 1, None)], (2, 4), "C2: [None] conflicts with [2, 4]"),
        ([("shape", [2, -1], None)], None, "C1: invalid sizes ['2', '-1']"),
        ([("shape", [2, 1.5], None)], None, "C1: invalid sizes ['2', '1.5']"),
        ([("rank", 2, None), ("dims", -3, 0)], (None, None), "C2: invalid sizes ['-3', 'None']"),
        ([("dims", 3, 0)], None, "C1 gives a dimension, but the rank is unknown"),
    ],
)  # fmt: skip
def test_shapes_that_do_not_fit_each_other(
    facts: list[tuple[str, Any, Any]], shape: Any, reason: str
) -> None:
    """What is known stays."""
    known = met(*facts)
    assert (known.shape, known.reasons) == (shape, {"shape": [reason]})


def test_elements() -> None:
    """The first type that an equation gives; a quantized one of an equation that is exact."""
    assert met(("element_type", F32, None), ("element_type", F64, None)).element_type == F32
    assert met(("type", parse_type("tensor<2xf64>"), None)).element_type == F64
    open_ = met(("element_type", QUANTIZED, None), ("element_type", F64, None))
    assert open_.element_type == F64
    assert open_.reasons == {"element_type": ["C1 does not determine scales and zero points"]}
    assert met(("element_type", QUANTIZED, None), exact=True).element_type == QUANTIZED


BOUND = StructAttr(BOUNDS, (("bounds", (4,)),))
OTHER = StringAttr("x")


@pytest.mark.parametrize(
    ("shape", "encoding", "kept"),
    [((None,), BOUND, BOUND), ((3,), BOUND, None), ((3,), OTHER, OTHER), ((None,), None, None)],
)
def test_bounds_are_those_of_sizes_that_are_not_known(shape: Any, encoding: Any, kept: Any) -> None:
    known = met(("type", TensorType((None,), F32, encoding), None), ("shape", shape, None))
    assert known.finished("result").type == TensorType(shape, F32, kept)


def test_the_first_encoding_and_the_first_other_type() -> None:
    known = met(*[("type", TensorType((None,), F32, each), None) for each in (None, OTHER, BOUND)])
    assert known.encoding == OTHER
    tuples = [parse_type(text) for text in ("tuple<i1>", "tuple<>")]
    assert met(*[("type", each, None) for each in tuples]).finished("result").type == tuples[0]


RANK = "gives a dimension, but the rank is unknown"


@pytest.mark.parametrize(
    ("facts", "holes"),
    [
        ([], ["no constraint determines the shape"]),
        ([("shape", [2], None)], ["no constraint determines the element type"]),
        ([("element_type", F32, None)], ["no constraint determines the shape"]),
        ([("dims", 3, 0)], [f"C1 {RANK}"]),
        ([("dims", 3, 0)] * 2, [f"C1 {RANK}", f"C2 {RANK}"]),
        (
            [("dims", 3, 0), ("element_type", QUANTIZED, None)],
            [f"C1 {RANK}", "C2 does not determine scales and zero points"],
        ),
        ([("shape", [2], None), ("shape", [3], None)], ["no constraint determines the element type"]),
    ],
)
def test_holes(facts: list[tuple[str, Any, Any]], holes: list[str]) -> None:
    """The reasons of the facets that are unknown; without any, that there is no constraint."""
    found = met(*facts).finished("result")
    assert found.type is None
    assert list(found.holes) == holes


def test_a_reason_for_the_whole_type_stands_for_its_facets() -> None:
    known = met()
    known.note("type", "C1: x is unknown")
    assert known.finished("result").holes == ("C1: x is unknown",)
    known.note("dims", "C2: y is unknown")
    assert known.finished("result").holes == ("C1: x is unknown", "C2: y is unknown")


@pytest.mark.parametrize(
    ("op", "output", "expected"),
    [
        ("after_all", 0, (TOKEN, None, None)),
        ("partition_id", 0, (None, (), parse_type("ui32"))),
        ("compare", 0, (None, None, parse_type("i1"))),
        ("reshape", 0, (None, None, None)),
        ("get_dimension_size", 0, (None, (), parse_type("i32"))),
        ("optimization_barrier", 0, (None, None, None)),
        ("uniform_quantize", 0, (None, None, None)),
    ],
)
def test_what_a_class_of_types_decides(
    op: str, output: int, expected: tuple[Type | None, tuple[int, ...] | None, Type | None]
) -> None:
    """A token; that of one shape, or of one element type, which is not quantized."""
    definition = lookup(f"stablehlo.{op}")
    assert definition is not None
    assert tuple(decided_by(definition.outputs[output].type)) == expected
