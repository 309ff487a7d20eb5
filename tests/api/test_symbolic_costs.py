"""Costs of programs with open sizes are polynomials, equal to hand calculations."""

from __future__ import annotations

from pathlib import Path

import pytest

import stablehlo_py as shlo


def symbolic(module: shlo.Module, entry: str = "main") -> dict[str, str]:
    found = shlo.analyze(module, entry).functions[entry].to_dict().get("symbolic", {})
    assert isinstance(found, dict)
    return found


def test_costs_of_a_product() -> None:
    text = """func.func @main(%x: tensor<?x5xf32>, %y: tensor<5x?xf32>) -> tensor<?x?xf32> {
      %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
        : (tensor<?x5xf32>, tensor<5x?xf32>) -> tensor<?x?xf32>
      return %r : tensor<?x?xf32>
    }"""
    assert symbolic(shlo.parse(text)) == {
        "parameter_bytes": "20*arg0.0 + 20*arg1.1",
        "result_bytes": "4*arg0.0*arg1.1",
        "peak_bytes": "4*arg0.0*arg1.1 + 20*arg0.0 + 20*arg1.1",
        "flops": "10*arg0.0*arg1.1",
        "transcendentals": "0",
        "bytes_read": "20*arg0.0 + 20*arg1.1",
        "bytes_written": "4*arg0.0*arg1.1",
    }


def test_costs_of_an_exported_program(testdata: Path) -> None:
    """`softmax(x @ w)` of (b, c) and (c, 3), where `b >= 2` and `mod(c, 4) == 0`.

    A row of the product takes 6*c operations; its softmax 2 for the maximum, 1 for the maximum with the
    initial value, 3 for the differences, 2 for the sum and 3 for the quotients.
    """
    found = symbolic(shlo.load(testdata / "symbolic.jax_export"))
    assert (found["flops"], found["transcendentals"]) == ("6*b*c + 11*b", "3*b")
    assert (found["parameter_bytes"], found["result_bytes"]) == ("4*b*c + 12*c", "12*b")


MAXIMUM = """func.func @main(%x: tensor<?xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %c = stablehlo.constant dense<1.0> : tensor<100000xf32>
  %d = stablehlo.add %c, %c : tensor<100000xf32>
  %e = stablehlo.reduce(%d init: %zero) applies stablehlo.add across dimensions = [0]
    : (tensor<100000xf32>, tensor<f32>) -> tensor<f32>
  %y = stablehlo.dot_general %x, %x, contracting_dims = [] x []
    : (tensor<?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  %s = stablehlo.reduce(%y init: %e) applies stablehlo.add across dimensions = [0, 1]
    : (tensor<?x?xf32>, tensor<f32>) -> tensor<f32>
  return %s : tensor<f32>
}"""


def test_a_maximum_is_no_polynomial() -> None:
    found = symbolic(shlo.parse(MAXIMUM))
    assert found["peak_bytes"] is None
    assert found["result_bytes"] == "4"


@pytest.mark.parametrize(
    "text",
    [
        "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> { return %x : tensor<3xf32> }",
        # The two sizes have to be equal, and cannot be chosen one by one.
        """func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
          %r = stablehlo.add %x, %y : tensor<?xf32>
          return %r : tensor<?xf32>
        }""",
        "func.func @main(%x: tensor<?x?x?x?x?xf32>) -> tensor<?x?x?x?x?xf32> "
        "{ return %x : tensor<?x?x?x?x?xf32> }",
    ],
)
def test_programs_without_polynomials(text: str) -> None:
    assert symbolic(shlo.parse(text)) == {}


def test_another_function_has_none() -> None:
    text = """func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> { return %x : tensor<?xf32> }
    func.func @other(%x: tensor<?xf32>) -> tensor<?xf32> { return %x : tensor<?xf32> }"""
    assert symbolic(shlo.parse(text))["result_bytes"] == "4*arg0.0"
    assert symbolic(shlo.parse(text), "other") == {}


def chain(sizes: int, ops: int) -> str:
    """A function of an array with open sizes, and ops one after the other."""
    type = f"tensor<{'?x' * sizes}f32>"
    lines = [f"%{i} = stablehlo.tanh %{i - 1 if i else 'a'} : {type}\n" for i in range(ops)]
    return f"func.func @main(%a: {type}) -> {type} {{\n{''.join(lines)}return %{ops - 1} : {type}\n}}"


def test_up_to_four_sizes() -> None:
    found = symbolic(shlo.parse(chain(4, 2)))
    assert found["transcendentals"] == "2*a.0*a.1*a.2*a.3"
    assert found["flops"] == "0" and found["bytes_read"] == "8*a.0*a.1*a.2*a.3"


def test_up_to_two_thousand_ops(monkeypatch: pytest.MonkeyPatch) -> None:
    """The module and the function count, and the return."""
    from stablehlo_py.api import symbolic_costs

    assert symbolic_costs._MOST_OPS == 2000
    monkeypatch.setattr(symbolic_costs, "_MOST_OPS", 8)
    assert symbolic(shlo.parse(chain(1, 5)))["transcendentals"] == "5*a.0"
    assert symbolic(shlo.parse(chain(1, 6))) == {}


@pytest.mark.parametrize("least", [2, 256])
def test_sizes_that_are_multiples(least: int) -> None:
    """A reshape to rows of some size allows its multiples alone, up to 256."""
    text = f"""func.func @main(%x: tensor<?xf32>, %n: tensor<2xi32>) -> tensor<?x{least}xf32> {{
      %d = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
      %w = stablehlo.constant dense<{least}> : tensor<i32>
      %r = stablehlo.divide %d, %w : tensor<i32>
      %r1 = stablehlo.reshape %r : (tensor<i32>) -> tensor<1xi32>
      %w1 = stablehlo.reshape %w : (tensor<i32>) -> tensor<1xi32>
      %s = stablehlo.concatenate %r1, %w1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %y = stablehlo.dynamic_reshape %x, %s : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x{least}xf32>
      return %y : tensor<?x{least}xf32>
    }}"""
    assert symbolic(shlo.parse(text))["result_bytes"] == "4*arg0.0"


def test_a_bound_on_sizes() -> None:
    """Where sizes far from the first are not allowed, nearer ones confirm the polynomials."""
    text = """func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
      %0 = stablehlo.add %x, %x : tensor<?xf32>
      return %0 : tensor<?xf32>
    }"""
    text = text.replace("tensor<?xf32>", "tensor<?xf32, #stablehlo.bounds<64>>")
    found = symbolic(shlo.parse(text))
    assert found.get("flops") == "arg0.0"
