"""`shlo.ranges`: magnitudes of values over sets of inputs, and what narrow types hold."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.observers.ranges import ValueRange

Shlo = Callable[..., "subprocess.CompletedProcess[str]"]

PROGRAM = """func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi1>) {
  %0 = stablehlo.multiply %x, %x : tensor<4xf32> loc("layer/mul"("model.py":3:1))
  %1 = stablehlo.compare GT, %x, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return %0, %1 : tensor<4xf32>, tensor<4xi1>
}
"""
FIRST = np.array([300.0, 0.0, -1.0, 2.0**-10], np.float32)  # squares: 90000, 0, 1, 2^-20
SECOND = np.array([np.inf, np.nan, 2.0**-13, 8.0], np.float32)  # squares: inf, NaN, 2^-26, 64


def test_ranges_are_over_all_sets() -> None:
    x, square = shlo.ranges(shlo.parse(PROGRAM), [[FIRST], {"x": SECOND}])
    assert (x.value, x.op, x.line, x.min, x.max, x.smallest) == ("%x", "", 0, -1.0, 300.0, 2.0**-13)
    assert (square.value, square.op, square.line) == ("%0", "stablehlo.multiply", 2)
    assert (square.source, square.scope) == ("model.py:3:1", "layer/mul")
    assert (square.min, square.max, square.smallest) == (0.0, 90000.0, 2.0**-26)
    assert (square.count, square.zeros, square.nans, square.infinities) == (8, 1, 1, 1)
    assert dict(square.exponents) == {16: 1, 0: 1, -20: 1, -26: 1, 6: 1}


def test_what_each_type_does_not_hold() -> None:
    """The largest number, the smallest normal one, and zero: 65504, 2^-14, 2^-25 in f16; 448, 2^-6, 2^-10."""
    _, square = shlo.ranges(shlo.parse(PROGRAM), [[FIRST], [SECOND]])
    fits = {name: (fit.over, fit.under, fit.zero) for name, fit in square.fits.items()}
    assert fits == {"f16": (1, 2, 1), "bf16": (0, 0, 0), "f8E4M3FN": (1, 2, 2), "f8E5M2": (1, 2, 2)}
    assert square.i8_scale == pytest.approx(90000 / 127)
    assert square.i8_zero == 4  # all nonzero ones but the largest


@pytest.mark.parametrize(
    ("name", "largest", "normal", "positive"),
    [
        ("f16", 65504, 2.0**-14, 2.0**-24),
        ("bf16", (2 - 2.0**-7) * 2.0**127, 2.0**-126, 2.0**-133),
        ("f8E4M3FN", 448, 2.0**-6, 2.0**-9),
        ("f8E5M2", 57344, 2.0**-14, 2.0**-16),
    ],
)
def test_borders_of_each_type(name: str, largest: float, normal: float, positive: float) -> None:
    """The number at each border and its neighbours; half of the smallest number rounds to zero."""
    for border, counts in (
        (largest, ((0, 0, 0), (0, 0, 0), (1, 0, 0))),
        (normal, ((0, 1, 0), (0, 0, 0), (0, 0, 0))),
        (positive / 2, ((0, 1, 1), (0, 1, 1), (0, 1, 0))),
    ):
        below, above = np.nextafter(border, 0.0), np.nextafter(border, np.inf)
        for number, expected in zip((below, border, above), counts, strict=True):
            for sign in (1, -1):
                found = ValueRange("%x", "", "f64", 0)
                found.add(np.array([0.0, sign * number, np.inf, np.nan]))
                fit = found.fits[name]
                assert (fit.over, fit.under, fit.zero) == expected, (border, number)


@pytest.mark.parametrize(
    ("numbers", "scale", "zero"),
    [
        ([], 0, 0),
        ([0.0, np.nan, np.inf], 0, 0),
        ([-127.0, 1.0, 1.5], 1, 0),  # half of the scale is 0.5
        ([254.0, 1.0, 1.0, 1.0], 2, 0),  # 1.0: no number from 1 to 2 is below
        ([-381.0, *[1.0] * 4, 2.0], 3, 2),  # 1.5: half of those from 1 to 2
        ([508.0, *[1.0] * 4, *[2.0] * 3], 4, 4),  # 2.0: those from 1 to 2
    ],
)
def test_what_i8_rounds_to_zero(numbers: list[float], scale: float, zero: int) -> None:
    found = ValueRange("%x", "", "f32", 0)
    found.add(np.array(numbers))
    assert (found.i8_scale, found.i8_zero) == (scale, zero)
    assert found.to_dict()["i8"] == {"scale": scale, "zero": zero}


def test_the_command_prints_a_row_for_each_value(shlo: Shlo, tmp_path: Path) -> None:
    (tmp_path / "program.mlir").write_text(PROGRAM)
    for name, array in (("a", FIRST), ("b", SECOND)):
        np.savez(tmp_path / f"{name}.npz", x=array)
    program, *sets = (str(tmp_path / name) for name in ("program.mlir", "a.npz", "b.npz"))
    options = [word for each in sets for word in ("--inputs", each)]
    done = shlo("run", program, "--ranges", *options)
    assert done.returncode == 0, done.stderr
    header, first, second, last = done.stdout.splitlines()
    assert header.split() == ["min", "max", "smallest", "f16", "bf16", "f8E4M3FN", "f8E5M2", "i8", "value"]
    assert first.split()[:4] == ["0", "9e+04", "1.49e-08", ">12.5%"]
    assert "%0 multiply, line 2, model.py:3, layer/mul" in first
    assert second.rstrip().endswith("%x")
    assert last.startswith("2 sets of inputs; ")
    found = json.loads(shlo("run", program, "--ranges", *options, "--format", "json").stdout)
    assert found["sets"] == 2
    assert found["values"][1]["exponents"] == {"-26": 1, "-20": 1, "0": 1, "6": 1, "16": 1}
    assert found["values"][1]["fits"]["f16"] == {"over": 1, "under": 2, "zero": 1}


def test_misuse(shlo: Shlo, tmp_path: Path) -> None:
    (tmp_path / "program.mlir").write_text(PROGRAM)
    program = str(tmp_path / "program.mlir")
    done = shlo("run", program, "--ranges")
    assert (done.returncode, "--ranges needs --inputs, --input or --random" in done.stderr) == (2, True)
    done = shlo("run", program, "--inputs", "a.npz")
    assert (done.returncode, "--inputs requires --ranges" in done.stderr) == (2, True)
