"""Version numbers, and ops that jaxlib's oracle does not support; see also tests/oracle."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo
from stablehlo_py.artifacts.vhlo.versions import minimum_version, needs
from stablehlo_py.ir.version import CURRENT, MINIMUM, Version, version_of

GROUPS = "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>"


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("1.7.0", Version(1, 7)),
        ("1.16.2", Version(1, 16, 2)),
        ("MINIMUM", MINIMUM),
        ("current", CURRENT),
        ("WEEK_4", Version(1, 18)),
        ("WEEK_12", Version(1, 16, 2)),
    ],
)
def test_a_version_from_text(text: str, version: Version) -> None:
    assert version_of(text) == version


@pytest.mark.parametrize(
    "text", ["", "1.7", "1.7.0.0", "v1.7.0", "1.a.0", "WEEK_5", "0.8.0", "99.0.0", "1.7.0\n"]
)
def test_what_is_no_version(text: str) -> None:
    with pytest.raises(ValueError, match="version"):
        version_of(text)


def test_versions_compare_by_their_numbers() -> None:
    assert Version(1, 9) < Version(1, 10) < Version(1, 10, 1) < Version(2, 0)


def identity(type: str) -> str:
    return f"func.func @main(%x: {type}) -> {type} {{ return %x : {type} }}"


@pytest.mark.parametrize(
    ("text", "version"),
    [
        (identity("tensor<2xf32>"), MINIMUM),
        (identity("tensor<2x!quant.uniform<i8:f32, 0.5>>"), MINIMUM),
        (identity("tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>"), Version(0, 18)),
        (identity("tensor<2x!quant.uniform<i2:f32, 0.5>>"), Version(1, 2)),
        (identity("tuple<tensor<2xf8E4M3>, tensor<2xf32>>"), Version(1, 7)),
        (identity("tensor<*xf8E4M3>"), Version(1, 7)),
    ],
)
def test_types(text: str, version: Version) -> None:
    assert minimum_version(shlo.parse(text)) == version


@pytest.mark.parametrize(
    ("type", "what"),
    [
        ("tensor<2xf8E4M3>", "f8E4M3"),
        ("tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>", "per-axis quantized types"),
        ("tensor<2xi2>", "i2"),
    ],
)
def test_what_needs_a_version(type: str, what: str) -> None:
    assert {need.what for need in needs(shlo.parse(identity(type)).walk())} == {what}


def test_types_in_a_structure() -> None:
    """The algorithm is of 1.6.0; f8E3M4, which it has as a type, of 1.7.0."""
    algorithm = (
        "<lhs_precision_type = tf32, rhs_precision_type = f8E3M4, accumulation_type = f32, "
        "lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, "
        "allow_imprecise_accumulation = false>"
    )
    type = "tensor<2x2xf32>"
    text = f"""func.func @main(%x: {type}) {{
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0], algorithm = {algorithm}
    : ({type}, {type}) -> {type}
  return
}}"""
    assert minimum_version(shlo.parse(text)) == Version(1, 7)
    assert minimum_version(shlo.parse(text.replace("f8E3M4", "f32"))) == Version(1, 6)


@pytest.mark.parametrize(
    ("properties", "version"),
    [
        ("", Version(0, 16)),
        (", has_dynamic_root = false", Version(0, 16)),
        (", has_dynamic_root = true", Version(1, 20)),
    ],
)
def test_collective_broadcast(properties: str, version: Version) -> None:
    text = f"""func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {{
  %0 = "stablehlo.collective_broadcast"(%x) <{{{GROUPS}{properties}}}> : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}}"""
    assert minimum_version(shlo.parse(text)) == version


def test_collective_reduce() -> None:
    text = f"""func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {{
  %0 = "stablehlo.collective_reduce"(%x) <{{{GROUPS}}}> ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }}) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}}"""
    assert minimum_version(shlo.parse(text)) == Version(1, 19)


def test_result_tilings() -> None:
    text = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.custom_call"(%x) <{call_target_name = "f", result_tilings = [dense<2> : tensor<1xindex>]}>
    : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}"""
    assert minimum_version(shlo.parse(text)) == Version(1, 18)


def test_each_need_says_what_and_where() -> None:
    text = """func.func @main(%x: tensor<2xf8E4M3>) -> tensor<2xf32> {
  %0 = stablehlo.convert %x : (tensor<2xf8E4M3>) -> tensor<2xf32>
  %1 = stablehlo.tan %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}"""
    found = [(str(need.version), need.what) for need in needs(shlo.parse(text).walk())]
    assert found == [("1.7.0", "f8E4M3"), ("1.4.0", "tan")]


def test_the_pass_that_lowers_what_a_target_does_not_have() -> None:
    text = """func.func @main(%x: tensor<2xf32>, %y: tensor<2xf8E4M3>) -> tensor<2xf32> {
  %0 = stablehlo.tan %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}"""
    with pytest.raises(shlo.SerializationError) as raised:
        shlo.serialize(shlo.parse(text), target="1.0.0")
    helped = {
        d.message.split()[0]: any("compatibility-expander=target=1.0.0" in n for n in d.notes)
        for d in raised.value.diagnostics
    }
    assert helped == {"f8E4M3": False, "tan": True}
    lowered = shlo.opt(
        shlo.parse(text.replace("f8E4M3", "f32")), "stablehlo-compatibility-expander=target=1.0.0"
    )
    assert shlo.serialize(lowered, target="1.0.0")


@pytest.mark.parametrize(
    ("accuracy", "has_older"),
    [
        ("", True),
        (
            "{result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>}",
            True,
        ),
        (
            "{result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>}",
            False,
        ),
    ],
)
def test_a_default_that_is_written_out_is_left_out_of_older_forms(accuracy: str, has_older: bool) -> None:
    """`exponential` has an accuracy since 1.9.0."""
    text = f"""func.func @main(%x: tensor<f32>) -> tensor<f32> {{
  %0 = stablehlo.exponential %x {accuracy} : tensor<f32>
  return %0 : tensor<f32>
}}"""
    module = shlo.parse(text)
    assert minimum_version(module) == (MINIMUM if has_older else Version(1, 9))
    if has_older:
        older = shlo.parse(shlo.serialize(module, "portable", "0.9.0"))
        assert shlo.format(older) == shlo.format(shlo.parse(text.replace(accuracy, "")))


def test_the_place_of_a_type_is_that_of_its_value() -> None:
    text = """func.func @main(%a: tensor<f32>,
    %x: tensor<2xf8E4M3>)
    -> tensor<2xf8E4M3> {
  return %x : tensor<2xf8E4M3>
}"""
    module = shlo.parse(text)
    with pytest.raises(shlo.SerializationError) as raised:
        shlo.serialize(module, "portable", "1.6.0")
    assert [(d.line, d.column, d.message) for d in raised.value.diagnostics] == [
        (2, 5, "f8E4M3 needs StableHLO 1.7.0, and the target is 1.6.0")
    ]
