"""Ops of the reference interpreter's dialect."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.types import F32, I1, ComplexType, FloatType, TensorType, Type
from stablehlo_py.kernels.interpreter_dialect import printed
from stablehlo_py.syntax.parser import parse_type


@pytest.mark.parametrize(
    ("array", "element", "expected"),
    [
        (np.float32(1.5), F32, "%x = tensor<f32> {1.500000e+00}"),
        (
            np.int8([3, -4]),
            parse_type("!quant.uniform<i8:f32, 0.5:1>"),
            "%x = tensor<2x!quant.uniform<i8:f32, 5.000000e-01:1>> {\n  [3, -4]\n}",
        ),
        (np.array([True, False]), I1, "%x = tensor<2xi1> {\n  [true, false]\n}"),
        (np.float32([np.inf]), F32, "%x = tensor<1xf32> {\n  [0x7F800000]\n}"),
        (
            np.complex64([1 + 2j]),
            ComplexType(F32),
            "%x = tensor<1xcomplex<f32>> {\n  [[1.000000e+00, 2.000000e+00]]\n}",
        ),
        (
            np.ones((2, 1, 2), np.float32),
            FloatType("bf16"),
            "%x = tensor<2x1x2xbf16> {\n  [\n    [\n      [1.000000e+00, 1.000000e+00]\n    ],\n"
            "    [\n      [1.000000e+00, 1.000000e+00]\n    ]\n  ]\n}",
        ),
    ],
)
def test_printing(array: np.ndarray, element: Type, expected: str) -> None:
    assert printed(np.asarray(array), "%x", TensorType(np.shape(array), element)) == expected


def test_what_is_printed_is_there_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in a pipe, and before an error ends the process."""
    stream = io.StringIO()
    flushed: list[str] = []
    monkeypatch.setattr(stream, "flush", lambda: flushed.append(stream.getvalue()))
    monkeypatch.setattr(sys, "stdout", stream)
    text = "func.func @main(%x: tensor<i64>) {\ninterpreter.print %x : tensor<i64>\nreturn\n}"
    shlo.run(shlo.parse(text), [3])
    assert flushed == ["%x = tensor<i64> {3}\n"]


def test_a_program_prints(capsys: pytest.CaptureFixture[str]) -> None:
    text = """func.func @main() {
      %0 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
      interpreter.print %0 : tensor<2x2xi64>
      return
    }"""
    shlo.run(shlo.parse(text))
    assert capsys.readouterr().out == "%0 = tensor<2x2xi64> {\n  [\n    [1, 2],\n    [3, 4]\n  ]\n}\n"


def test_processes_of_a_program_take_its_infeed() -> None:
    text = """func.func @main() -> (tensor<i32>, tensor<i32>) {
      %0:2 = "interpreter.run_parallel"() {programs = [[@feed], [@feed]]} : () -> (tensor<i32>, tensor<i32>)
      return %0#0, %0#1 : tensor<i32>, tensor<i32>
    }
    func.func @feed() -> tensor<i32> {
      %t = stablehlo.create_token : !stablehlo.token
      %1:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)
      return %1#0 : tensor<i32>
    }"""
    program = shlo.compile(shlo.parse(text), "main")
    assert program.call(infeed=[[np.int32(3)], [np.int32(5)]]) == [3, 5]


def test_a_probe_has_the_elements_that_it_has_seen() -> None:
    """Its operand is overwritten in place afterwards."""
    text = """func.func @main(%x: tensor<2xi64>) -> tensor<2xi64> {
      %y = stablehlo.add %x, %x : tensor<2xi64>
      %0 = interpreter.probe %y, probe_id = "p" : tensor<2xi64>
      %c = stablehlo.constant dense<0> : tensor<i64>
      %v = stablehlo.constant dense<9> : tensor<1xi64>
      %u = stablehlo.dynamic_update_slice %y, %v, %c
        : (tensor<2xi64>, tensor<1xi64>, tensor<i64>) -> tensor<2xi64>
      %s = stablehlo.add %x, %x : tensor<2xi64>
      check.expect_serialized_eq %s, probe_id = "p", iter = 0 : tensor<2xi64>
      return %u : tensor<2xi64>
    }"""
    (found,) = shlo.run(shlo.parse(text), [np.array([3, 4])])
    assert found.tolist() == [9, 8]


def test_probes_count_their_runs() -> None:
    text = """func.func @main(%x: tensor<i64>) -> tensor<i64> {
      %0 = interpreter.probe %x, probe_id = "p" : tensor<i64>
      %c = stablehlo.constant dense<5> : tensor<i64>
      check.expect_serialized_eq %c, probe_id = "p", iter = ITER : tensor<i64>
      return %0 : tensor<i64>
    }"""
    assert shlo.run(shlo.parse(text.replace("ITER", "0")), [5]) == [5]
    with pytest.raises(shlo.RunError, match="ran 1 times; iteration 1 does not exist"):
        shlo.run(shlo.parse(text.replace("ITER", "1")), [5])
