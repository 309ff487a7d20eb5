"""What messages are made of: counts with units, suggestions, and arrays as text and data."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.diagnostics.arrays import array_summary, array_text, json_data, literal_text
from stablehlo_py.diagnostics.diagnostic import Diagnostic, Diagnostics
from stablehlo_py.diagnostics.suggestions import did_you_mean, nearest
from stablehlo_py.diagnostics.units import byte_text, duration, number
from stablehlo_py.ir.types import TOKEN, FloatType, TensorType


@pytest.mark.parametrize(
    ("count", "metric", "binary"),
    [
        (0, "0", "0 B"),
        (999, "999", "999 B"),
        (1000, "1 k", "1000 B"),
        (1023, "1.02 k", "1023 B"),
        (1024, "1.02 k", "1 KiB"),
        (1536, "1.54 k", "1.50 KiB"),
        (9_500, "9.50 k", "9.28 KiB"),
        (10_240, "10.2 k", "10 KiB"),
        (15_360, "15.4 k", "15 KiB"),
        (99_400, "99.4 k", "97.1 KiB"),
        (120_730, "121 k", "118 KiB"),
        (1_990_000, "1.99 M", "1.90 MiB"),
        (10**9, "1 G", "954 MiB"),
        (1 << 40, "1.10 T", "1 TiB"),
        (10**15, "1 P", "909 TiB"),
        (10**18, "1000 P", "909495 TiB"),
    ],
)
def test_counts(count: int, metric: str, binary: str) -> None:
    assert (number(count), byte_text(count)) == (metric, binary)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (2.0, "2.00 s"),
        (1.0, "1.00 s"),
        (0.999, "999.00 ms"),
        (0.001, "1.00 ms"),
        (0.0009, "900.0 us"),
        (0, "0.0 us"),
    ],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


OPS = ("stablehlo.add", "stablehlo.add_n", "stablehlo.tanh", "stablehlo.transpose", "chlo.tan", "func.func")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("stablehlo.ad", "stablehlo.add"),  # the shortest that begins so
        ("stablehlo.trans", "stablehlo.transpose"),
        ("stablehlo.tahn", "stablehlo.tanh"),
        ("stablehlo.tan", "stablehlo.tanh"),  # not chlo.tan: of the same dialect
        ("stablehlo.t", None),  # one letter begins too much
        ("func.fun", "func.func"),
        ("stablehlo.xyz", None),
        ("fnc.func", "func.func"),  # no dialect is fnc
        ("stablehlo.add" + "x" * 80, None),
        ("chlo.ta", "chlo.tan"),
    ],
)
def test_the_nearest_name(name: str, expected: str | None) -> None:
    assert nearest(name, OPS) == expected
    assert did_you_mean(name, OPS) == (f"; did you mean {expected}?" if expected else "")


def test_the_shortest_name_that_begins_so() -> None:
    assert nearest("--fo", ["--form", "--format", "--font-size"]) == "--form"
    assert nearest("ab", ["abaa", "abz"]) == "abz"
    assert nearest("x" * 80, ["x" * 81]) == "x" * 81 and nearest("x" * 81, ["x" * 81]) is None


def test_the_least_similarity() -> None:
    assert nearest("abcd", ["abxy"]) is None
    assert nearest("abcd", ["abxy"], least=0.5) == "abxy"


ERRORS = (Diagnostic("error", "parse", "first", 1, 2, ("why",)), Diagnostic("error", "ssa", "second", 3, 4))


@pytest.mark.parametrize("kind", [shlo.ParseError, shlo.SerializationError, shlo.TransformError])
def test_errors_of_programs_show_all_diagnostics(kind: Any) -> None:
    error = kind("m.mlir", ERRORS)
    assert str(error) == "m.mlir:1:2: error: first\nwhy\nm.mlir:3:4: error: second"
    assert (error.name, error.diagnostics) == ("m.mlir", list(ERRORS))
    assert isinstance(error, shlo.StablehloError)
    assert kind is not shlo.ParseError or error.module is None


def test_other_errors() -> None:
    plain, placed = shlo.RunError("why"), shlo.Unsupported("why", ERRORS[0])
    assert (str(plain), plain.diagnostic) == ("why", None)
    assert (str(placed), placed.diagnostic) == ("why", ERRORS[0])
    assert str(shlo.InternalError("why")) == "internal error (please report it with the program): why"


def test_a_diagnostic_by_default() -> None:
    made = Diagnostic("note", "c", "m", 1, 2)
    assert (made.notes, made.end_column, made.origin, made.spec_only) == ((), 0, (), False)
    assert repr(Diagnostics(ERRORS)) == "1:2: error: first\nwhy\n3:4: error: second"
    assert (repr(Diagnostics()), Diagnostics()._repr_html_()) == ("[]", "<p>no diagnostics</p>")
    assert Diagnostics(ERRORS)._repr_html_().count('<div class="diagnostic">') == 2


BF16 = TensorType((2,), FloatType("bf16"))


def test_arrays_as_text() -> None:
    assert array_text(np.int32([[1, 2], [3, 4]])) == "  [[1, 2],\n   [3, 4]]"
    assert array_text(np.float32([1.5]), indent="") == "[1.5]"
    assert array_text((np.int32(1), np.int32([2]))) == "  (\n   1,\n   [2]\n  )"
    assert "..." in array_text(np.arange(61)) and "..." not in array_text(np.arange(60))
    assert "..." not in array_text(np.arange(61), full=True)
    assert literal_text(np.array([1, 2.5], ml_dtypes.bfloat16), BF16).startswith("dense<[1.0")
    assert literal_text(None, TOKEN) == "!stablehlo.token"


@pytest.mark.parametrize(
    ("value", "data"),
    [
        (np.float32([1.5, np.nan, np.inf, -np.inf]), [1.5, "nan", "inf", "-inf"]),
        (np.complex64([1 + 2j]), [[1.0, 2.0]]),
        (np.int8([[1], [-2]]), [[1], [-2]]),
        (np.array([True, False]), [True, False]),
        (np.array([1, -2], ml_dtypes.int4), [1, -2]),
        (np.array([0.5], ml_dtypes.bfloat16), [0.5]),
        ((np.int32(1), None), [1, None]),
    ],
)
def test_arrays_as_data(value: Any, data: Any) -> None:
    assert json_data(value) == data


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.float32([1, 2, 6]), (1.0, 3.0, 6.0, 0)),
        (np.float32([1, np.nan, 3, np.inf]), (1.0, 2.0, 3.0, 2)),
        (np.float32([np.nan]), (None, None, None, 1)),
        (np.float32([]), (None, None, None, 0)),
        (np.complex64([3 + 4j]), (5.0, 5.0, 5.0, 0)),
        (np.int8([-128, 127]), (-128, -0.5, 127, 0)),
        (np.uint64([2**64 - 1]), (2**64 - 1, float(2**64), 2**64 - 1, 0)),
    ],
)
def test_summaries(value: Any, expected: tuple[Any, ...]) -> None:
    found = array_summary(value)
    assert (found["min"], found["mean"], found["max"], found["nonfinite"]) == expected
