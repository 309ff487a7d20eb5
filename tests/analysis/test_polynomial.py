"""Costs of programs with open sizes are polynomials, equal to hand calculations."""

from __future__ import annotations

from collections.abc import Callable
from math import log2
from pathlib import Path

import pytest

import stablehlo_py as shlo
from stablehlo_py.analysis.polynomial import Point, fitted


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (lambda b, s: 2 * b * s * 4096, "8192*b*s"),
        (lambda b, s: 7 * b * s * s - s + 5, "7*b*s^2 - s + 5"),
        (lambda b, s: -b + s, "-b + s"),
        (lambda b, s: b**4 * s**3, "b^4*s^3"),
        (lambda b, s: b * (b + 1) // 2, "1/2*b^2 + 1/2*b"),
        (lambda b, s: 12, "12"),
        (lambda b, s: 0, "0"),
        (lambda b, s: b**5, "None"),
        (lambda b, s: b * s.bit_length(), "None"),
        (lambda b, s: b // 2, "None"),
        (lambda b, s: max(b * b, 1000), "None"),
        (lambda b, s: b * s + int(log2(b * s)), "None"),
    ],
)
@pytest.mark.parametrize("step", [1, 4])
def test_polynomials_of_values(value: Callable[[int, int], int], text: str, step: int) -> None:
    if text == "None" and value(8, 8) == 4 and step == 4:
        text = "1/2*b"  # of even numbers, it is one
    seen: list[Point] = []

    def measure(sizes: Point) -> list[int]:
        seen.append(sizes)
        return [3, value(*sizes), sizes[1]]

    first, found, last = fitted(["b", "s"], measure, 4 * step, step, 4095)
    assert [str(first), str(found), str(last)] == ["3", text, "s"]
    assert len(seen) == len(set(seen))
    assert all(size % step == 0 for sizes in seen for size in sizes)


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
