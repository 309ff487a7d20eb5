"""The pass `narrow`: which types ops have, and where conversions are."""

from __future__ import annotations

import re
from collections import Counter

import ml_dtypes
import numpy as np
import pytest

import stablehlo_py as shlo

SOFTMAX = """
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1]
    : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %s = stablehlo.subtract %x, %mb : tensor<4x8xf32> loc("model/softmax/sub"("model.py":7:3))
  %e = stablehlo.exponential %s : tensor<4x8xf32> loc("model/softmax/exp"("model.py":8:3))
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %sb = stablehlo.broadcast_in_dim %sum, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %r = stablehlo.divide %e, %sb : tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
"""


def narrowed(text: str, options: str) -> shlo.Module:
    return shlo.opt(shlo.parse(text), [f"narrow=type=bf16 {options}"])


def types(module: shlo.Module) -> dict[str, str]:
    """The element type of each named value."""
    values = [v for op in module.walk() for v in (*op.results, *[a for b in op.blocks for a in b.arguments])]
    return {str(v)[1:]: re.split("[x<>]", str(v.type))[-2:][0] for v in values if v.name is not None}


def converts(module: shlo.Module) -> list[tuple[str, str]]:
    """Each conversion: the value, and the type that it is converted to."""
    found = [op for op in module.walk() if op.name == "stablehlo.convert"]
    return [(str(op.operands[0])[1:], str(op.results[0].type.element_type)) for op in found]


def wide(module: shlo.Module) -> set[str]:
    return {name for name, type in types(module).items() if type == "f32"}


def test_everything_is_narrow_by_default() -> None:
    made = narrowed(SOFTMAX, "")
    assert set(types(made).values()) == {"bf16"}
    assert converts(made) == []
    (result,) = shlo.run(made, [np.ones((4, 8), ml_dtypes.bfloat16)])
    assert result.dtype == ml_dtypes.bfloat16
    np.testing.assert_array_equal(result.astype(np.float32), np.full((4, 8), 0.125, np.float32))


def test_the_signature_is_kept_with_one_conversion_of_each_value() -> None:
    made = narrowed(SOFTMAX, "keep=signature")
    assert wide(made) == {"x"}
    assert converts(made) == [("x", "bf16"), ("r", "f32")]
    (result,) = shlo.run(made, [np.ones((4, 8), np.float32)])
    assert result.dtype == np.float32


@pytest.mark.parametrize(
    ("keep", "kept"),
    [
        ("%e", {"e"}),
        ("e", {"e"}),
        ("exponential", {"e"}),
        ("stablehlo.exp*", {"e"}),
        ("line:9", {"e"}),
        ("model.py:8", {"e"}),
        ("model/softmax", {"s", "e"}),
        ("model/softmax/sub,%r", {"s", "r"}),
        ("*/softmax", {"s", "e"}),
    ],
)
def test_ops_are_kept_by_name_scope_line_and_python_line(keep: str, kept: set[str]) -> None:
    assert wide(narrowed(SOFTMAX, f"keep={keep}")) == kept


def test_a_value_is_converted_once_for_all_its_users() -> None:
    made = narrowed(SOFTMAX, "keep=%sum,%r")
    assert wide(made) >= {"sum", "r", "sb"}
    assert Counter(converts(made)) == {("e", "f32"): 1, ("r", "bf16"): 1}


def test_exact_ops_are_wide_between_wide_ops_alone() -> None:
    """The broadcast of the sum is, the maximum of narrow numbers is not."""
    assert wide(narrowed(SOFTMAX, "keep=%sum,%r")) == {"zero", "sum", "sb", "r"}
    assert wide(narrowed(SOFTMAX, "keep=%s,signature")) == {"x", "low", "m", "mb", "s"}
    assert wide(narrowed(SOFTMAX, "keep=%s")) == {"s"}


def test_accumulations_are_wide_and_products_take_narrow_operands() -> None:
    text = """func.func @main(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>) -> tensor<4xf32> {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %d = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0],
        algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32,
          lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1,
          allow_imprecise_accumulation = false> : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
      %t = stablehlo.tanh %d : tensor<4x4xf32>
      %sum = stablehlo.reduce(%t init: %zero) applies stablehlo.add across dimensions = [1]
        : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
      return %sum : tensor<4xf32>
    }"""
    made = narrowed(text, "keep=accumulations")
    assert wide(made) == {"zero", "d", "sum"}
    assert converts(made) == [("d", "bf16"), ("t", "f32"), ("sum", "bf16")]
    assert "algorithm" in str(made)
    assert "algorithm" not in str(narrowed(text, ""))


def test_accumulations_of_other_products_and_between_devices() -> None:
    text = """func.func @main(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>) -> tensor<4x4xf32> {
      %d = stablehlo.dot %a, %b : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
      %t = stablehlo.tanh %d : tensor<4x4xf32>
      %s = "stablehlo.all_reduce"(%t) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
      ^bb0(%p: tensor<f32>, %q: tensor<f32>):
        %c = stablehlo.add %p, %q : tensor<f32>
        stablehlo.return %c : tensor<f32>
      }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
      return %s : tensor<4x4xf32>
    }"""
    assert wide(narrowed(text, "keep=accumulations")) == {"d", "s", "p", "q", "c"}
    assert wide(narrowed(text, "")) == set()


def test_a_type_with_as_many_digits_is_not_wider() -> None:
    text = "func.func @main(%x: tensor<fE>) -> tensor<fE> {\n%r = stablehlo.tanh %x : tensor<fE>\n"
    text += "return %r : tensor<fE>\n}"
    for given, type, expected in (
        ("8E4M3", "f8E4M3FN", "f8E4M3"),
        ("16", "bf16", "bf16"),
        ("8E5M2", "f8E4M3FN", "f8E5M2"),
        ("8E4M3FN", "f8E5M2", "f8E5M2"),
    ):
        module = shlo.parse(text.replace("E>", f"{given}>"))
        assert types(shlo.opt(module, [f"narrow=type={type}"]))["r"] == expected


def test_numbers_beyond_the_range_become_the_largest() -> None:
    text = """func.func @main() -> (tensor<3xf32>, tensor<f32>) {
      %0 = stablehlo.constant dense<[-1.0e9, 0xFF800000, 1.0]> : tensor<3xf32>
      %1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      return %0, %1 : tensor<3xf32>, tensor<f32>
    }"""
    first, second = shlo.run(shlo.opt(shlo.parse(text), ["narrow=type=f16"]))
    assert first.tolist() == [-65504.0, -np.inf, 1.0]
    assert second == -np.inf
    first, second = shlo.run(shlo.opt(shlo.parse(text), ["narrow=type=f8E4M3FN"]))
    assert first.astype(float).tolist() == [-448.0, -448.0, 1.0]  # a type without infinities
    assert float(second) == -448.0


LOOP = """
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %start = stablehlo.constant dense<0.0> : tensor<f32>
  %r:3 = stablehlo.while(%i = %zero, %sum = %start, %y = %x) : tensor<i32>, tensor<f32>, tensor<f32>
   cond {
    %ten = stablehlo.constant dense<10> : tensor<i32>
    %c = stablehlo.compare LT, %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
   } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %s = stablehlo.add %sum, %y : tensor<f32>
    %z = stablehlo.sine %y : tensor<f32>
    stablehlo.return %next, %s, %z : tensor<i32>, tensor<f32>, tensor<f32>
   }
  return %r#1 : tensor<f32>
}
"""


def test_a_loop_carries_the_type_of_the_op_that_accumulates() -> None:
    assert wide(narrowed(LOOP, "")) == set()
    made = narrowed(LOOP, "keep=%s")
    assert wide(made) == {"start", "sum", "s", "r#1"}
    assert converts(made) == [("y", "f32"), ("r#1", "bf16")]
    assert wide(narrowed(LOOP, "keep=%z")) == {"y", "z", "r#2"}


@pytest.mark.parametrize(
    ("keep", "expected"),
    [("while", {"start", "sum", "y", "r#1", "r#2"}), ("add,while", {"start", "sum", "y", "r#1", "r#2", "s"})],
)
def test_a_loop_that_is_kept_carries_wide_values(keep: str, expected: set[str]) -> None:
    """Its body computes narrow numbers."""
    assert wide(narrowed(LOOP, f"keep={keep}")) == expected


@pytest.mark.parametrize(("keep", "expected"), [("", set()), ("keep=%f", {"f"}), ("keep=%b", {"b"})])
def test_conversions_from_integers_are_computations(keep: str, expected: set[str]) -> None:
    text = """func.func @main(%i: tensor<4xi32>, %p: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xf32>) {
      %f = stablehlo.convert %i : (tensor<4xi32>) -> tensor<4xf32>
      %b = stablehlo.convert %p : (tensor<4xi1>) -> tensor<4xf32>
      return %f, %b : tensor<4xf32>, tensor<4xf32>
    }"""
    assert wide(narrowed(text, keep)) == expected


def test_calls_pass_on_what_is_wide_at_both_ends() -> None:
    text = """
    func.func private @swap(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
      return %b, %a : tensor<4xf32>, tensor<4xf32>
    }
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %e = stablehlo.exponential %x : tensor<4xf32>
      %t = stablehlo.tanh %x : tensor<4xf32>
      %s:2 = func.call @swap(%e, %t) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
      %l = stablehlo.log %s#1 : tensor<4xf32>
      %r = stablehlo.add %l, %s#0 : tensor<4xf32>
      return %r : tensor<4xf32>
    }"""
    made = narrowed(text, "keep=%e,%l")
    assert wide(made) == {"e", "a", "s#1", "l"}
    assert converts(made) == [("x", "f32"), ("l", "bf16")]


def test_what_has_no_narrow_form_stays_as_it_is() -> None:
    text = """func.func @main(%x: tensor<4xf32>, %lo: tensor<f32>, %shape: tensor<1xi64>) -> tensor<4xf32> {
      %c = stablehlo.complex %x, %x : tensor<4xcomplex<f32>>
      %re = stablehlo.real %c : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
      %g = stablehlo.rng %lo, %lo, %shape, distribution = UNIFORM
        : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
      %i = stablehlo.bitcast_convert %x : (tensor<4xf32>) -> tensor<4xi32>
      %f = stablehlo.convert %i : (tensor<4xi32>) -> tensor<4xf32>
      %s = stablehlo.add %re, %g : tensor<4xf32>
      %t = stablehlo.add %s, %f : tensor<4xf32>
      return %t : tensor<4xf32>
    }"""
    made = narrowed(text, "")
    assert wide(made) == {"re", "g"}
    assert not [d for d in shlo.verify(made) if d.severity == "error"]


def test_comparisons_take_what_is_wide_already() -> None:
    text = """func.func @main(%x: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xi1>) {
      %one = stablehlo.constant dense<1.0> : tensor<4xf32>
      %e = stablehlo.exponential %x : tensor<4xf32>
      %t = stablehlo.tanh %x : tensor<4xf32>
      %p = stablehlo.compare LT, %e, %one : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      %q = stablehlo.compare LT, %t, %one : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      return %p, %q : tensor<4xi1>, tensor<4xi1>
    }"""
    made = narrowed(text, "keep=%e")
    assert converts(made) == [("x", "f32")]
    text = shlo.format(made, canonical=False)
    assert "compare LT, %e, %one : (tensor<4xf32>, tensor<4xf32>)" in text
    assert "compare LT, %t, %one_0 : (tensor<4xbf16>, tensor<4xbf16>)" in text


def test_conversions_within_the_program_disappear() -> None:
    text = """func.func @main(%x: tensor<4xbf16>) -> tensor<4xbf16> {
      %0 = stablehlo.convert %x : (tensor<4xbf16>) -> tensor<4xf32>
      %e = stablehlo.exponential %0 : tensor<4xf32>
      %1 = stablehlo.convert %e : (tensor<4xf32>) -> tensor<4xbf16>
      return %1 : tensor<4xbf16>
    }"""
    assert converts(narrowed(text, "")) == []
    assert len(converts(narrowed(text, "keep=exponential"))) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("narrow=type=i8", "narrow: type is 'i8'; it is one of: .*bf16"),
        ("narrow=type=f8E8M0FNU", "it is one of"),
        ("narrow=keep=%nothing", "no op is named '%nothing'"),
        ("narrow=keep=%e,%nothing", "no op is named '%nothing'"),
        ("narrow=keep=%nothing,%e", "no op is named '%nothing'"),
    ],
)
def test_wrong_options(options: str, message: str) -> None:
    with pytest.raises(shlo.TransformError, match=message):
        shlo.opt(shlo.parse(SOFTMAX), [options])


def test_a_function_that_a_region_on_elements_calls_keeps_its_types() -> None:
    """So does the reduction, whose operands are converted."""
    text = """func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %e = stablehlo.exponential %x : tensor<4xf32>
      %0 = "stablehlo.reduce"(%e, %zero) <{dimensions = array<i64: 0>}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %1 = func.call @sum(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        stablehlo.return %1 : tensor<f32>
      }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
      return %0 : tensor<f32>
    }
    func.func private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
      %0 = stablehlo.add %a, %b : tensor<f32>
      return %0 : tensor<f32>
    }"""
    made = narrowed(text, "keep=accumulations")
    text = shlo.format(made, canonical=False)
    assert "@sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32>" in text
    assert "stablehlo.exponential %x : tensor<4xbf16>" in text


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        pytest.param(
            """cf.cond_br %c, ^bb1(%a : tensor<f32>), ^bb2
^bb1(%x: tensor<f32>):
  %s = stablehlo.add %x, %x : tensor<f32>
  return %s : tensor<f32>
^bb2:
  %p = stablehlo.multiply %a, %a : tensor<f32>
  cf.br ^bb1(%p : tensor<f32>)""",
            {"a", "x"},
            id="blocks",
        ),
        pytest.param(
            """%r = scf.while (%x = %a) : (tensor<f32>) -> tensor<f32> {
    %s = stablehlo.add %x, %x : tensor<f32>
    scf.condition(%c) %s : tensor<f32>
  } do {
  ^bb0(%y: tensor<f32>):
    %p = stablehlo.multiply %y, %y : tensor<f32>
    scf.yield %p : tensor<f32>
  }
  return %r : tensor<f32>""",
            {"x", "y", "r"},
            id="scf.while",
        ),
        pytest.param(
            """%s = stablehlo.add %a, %a : tensor<f32>
  %r = func.call @declared(%s) : (tensor<f32>) -> tensor<f32>
  %p = stablehlo.multiply %r, %r : tensor<f32>
  return %p : tensor<f32>""",
            {"r"},
            id="declaration",
        ),
    ],
)
def test_what_has_no_choice_of_types_keeps_them(body: str, kept: set[str]) -> None:
    text = f"""func.func private @declared(tensor<f32>) -> tensor<f32>
func.func @main(%a: tensor<f32>, %c: i1) -> tensor<f32> {{
  {body}
}}"""
    made = narrowed(text, "")
    assert {name for name in wide(made) if not name.isdigit()} == kept


def test_an_asynchronous_body_stays_one_op() -> None:
    made = narrowed(
        """func.func @main(%x: tensor<4xf32>) -> tensor<2xf32> {
  %future = "stablehlo.async_start"(%x) ({
  ^bb0(%inner: tensor<4xf32>):
    %half = stablehlo.slice %inner [0:2] : (tensor<4xf32>) -> tensor<2xf32>
    stablehlo.return %half : tensor<2xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<2xf32>>
  %done = "stablehlo.async_done"(%future) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
  %r = stablehlo.exponential %done : tensor<2xf32>
  return %r : tensor<2xf32>
}""",
        "",
    )
    (start,) = [op for op in made.walk() if op.name == "stablehlo.async_start"]
    assert [op.name for op in start.regions[0].block.ops] == ["stablehlo.slice", "stablehlo.return"]
    assert types(made)["r"] == "bf16"


def test_each_value_of_a_barrier_has_its_own_type() -> None:
    made = narrowed(
        """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %e = stablehlo.exponential %x : tensor<4xf32>
      %t = stablehlo.tanh %x : tensor<4xf32>
      %b:2 = stablehlo.optimization_barrier %e, %t : tensor<4xf32>, tensor<4xf32>
      %l = stablehlo.log %b#0 : tensor<4xf32>
      %r = stablehlo.add %l, %b#1 : tensor<4xf32>
      return %r : tensor<4xf32>
    }""",
        "keep=%e,%l",
    )
    assert wide(made) == {"e", "b", "l"}
    assert converts(made) == [("x", "f32"), ("l", "bf16")]


BRANCHES = """%s = "stablehlo.if"(%p) ({
        %v = func.call @f(VALUE) : (tensor<f32>) -> tensor<f32>
        stablehlo.return %v : tensor<f32>
      }, {
        stablehlo.return VALUE : tensor<f32>
      }) : (tensor<i1>) -> tensor<f32>"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"{BRANCHES.replace('VALUE', '%x')}\nreturn %s : tensor<f32>", set()),
        (
            f"""%r = "stablehlo.reduce"(%y, %x) <{{dimensions = array<i64: 0>}}> ({{
              ^bb0(%a: tensor<f32>, %b: tensor<f32>):
                {BRANCHES.replace("VALUE", "%a")}
                %t = stablehlo.add %s, %b : tensor<f32>
                stablehlo.return %t : tensor<f32>
              }}) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
              return %r : tensor<f32>""",
            {"z", "r", "a", "b", "v", "s", "t"},
        ),
    ],
    ids=["of the program", "of a reduction"],
)
def test_calls_in_branches(body: str, expected: set[str]) -> None:
    """The signature of a function is kept if it is called for each element, also in a branch there."""
    text = f"""func.func private @f(%z: tensor<f32>) -> tensor<f32> {{
      %c = stablehlo.cosine %z : tensor<f32>
      return %c : tensor<f32>
    }}
    func.func @main(%x: tensor<f32>, %y: tensor<4xf32>, %p: tensor<i1>) -> tensor<f32> {{
      {body}
    }}"""
    assert wide(narrowed(text, "")) == expected
