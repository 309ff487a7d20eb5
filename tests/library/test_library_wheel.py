"""Wheels of libraries: they install, need NumPy alone, and give what the program gives."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.library.building import build, needs_compiler

pytestmark = needs_compiler

TEXT = """
func.func @main(%x: tensor<2x3xf32>, %k: tensor<i32>) -> (tensor<3x2xf32>, tensor<i32>) {
  %w = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %0 = stablehlo.add %x, %w : tensor<2x3xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %2 = stablehlo.add %k, %k : tensor<i32>
  return %1, %2 : tensor<3x2xf32>, tensor<i32>
}
func.func @narrow(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = stablehlo.negate %x : tensor<2xbf16>
  return %0 : tensor<2xbf16>
}"""

USE = """
import sys
import numpy as np
import model

sums, twice = model.run(np.ones((3, 2), np.float32).T, 21, threads=2)
assert sums.tolist() == [[2, 5], [3, 6], [4, 7]] and sums.dtype == np.float32
assert twice == 42 and twice.dtype == np.int32
assert [each[:3] for each in model.run.inputs] == [("x", "f32", (2, 3)), ("k", "i32", ())]
x = np.ones((2, 3), np.float32)
for wrong in [(), (x.astype(float), 1), (x.T, 1), (x, 1, 1)]:
    try:
        model.run(*wrong)
    except TypeError as error:
        assert "input" in str(error)
    else:
        raise AssertionError(wrong)
try:
    model.run(np.ones((2, 3), np.float32), 1, threads=1000)
except model.Error as error:
    assert error.status == 7
(bits,) = model.narrow_run(np.array([0x3F80, 0x4000], np.uint16))
assert bits.tolist() == [0xBF80, 0xC000]
assert not {"stablehlo_py", "llvmlite", "ml_dtypes", "scipy"} & {name.split(".")[0] for name in sys.modules}
"""


def installed(folder: Path) -> dict[str, str]:
    """Install the wheel of a folder; return the environment in which it is imported."""
    (wheel,) = folder.glob("*.whl")
    assert wheel.name.startswith("model-1.0-py3-none-linux_")
    site = folder / "site"
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target", str(site)]
    subprocess.run([*command, str(wheel)], check=True, timeout=300, env={**os.environ, "PIP_USER": "0"})
    (site / "ml_dtypes.py").write_text("raise ImportError")  # as where it is not installed
    return {**os.environ, "PYTHONPATH": str(site)}


@pytest.mark.slow
@pytest.mark.parametrize("weights", ["embedded", "file"])
def test_a_wheel_needs_numpy_alone(weights: str, tmp_path: Path) -> None:
    build(TEXT, tmp_path, wheel=True, weights=weights, entries=("main", "narrow"))
    environment = installed(tmp_path)
    assert (tmp_path / "site" / "model" / "model.weights").exists() == (weights == "file")
    command = [sys.executable, "-c", USE]
    subprocess.run(command, check=True, timeout=300, cwd=tmp_path, env=environment)


def test_equal_programs_make_equal_wheels(tmp_path: Path) -> None:
    """Nothing in a wheel is of the folder that it was made in, or of the time."""
    wheels = []
    for folder in (tmp_path / "a", tmp_path / "b"):
        build(TEXT, folder, wheel=True)
        (wheel,) = folder.glob("*.whl")
        wheels.append(wheel.read_bytes())
    assert wheels[0] == wheels[1]


@pytest.mark.parametrize("options", [{"static": True}, {"link": False}])
def test_a_wheel_has_a_shared_library(options: dict[str, bool], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="a wheel has a shared library"):
        build(TEXT, tmp_path / "out", wheel=True, **options)
    assert not (tmp_path / "out").exists()
