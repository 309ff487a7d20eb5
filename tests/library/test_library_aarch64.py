"""Libraries for aarch64: a cross compiler links them, and an emulator runs the generated example."""

from __future__ import annotations

import subprocess
from pathlib import Path
from shutil import which

import numpy as np
import pytest
from conftest import ROOT

import stablehlo_py as shlo
from tests.library.building import CASES, build, compile_c, run_example

COMPILER, EMULATOR = "aarch64-linux-gnu-gcc", "qemu-aarch64"
SYSTEM = "/usr/aarch64-linux-gnu"  # where Debian has the C library of aarch64
pytestmark = pytest.mark.skipif(
    not (which(COMPILER) and which(EMULATOR) and Path(SYSTEM).exists()),
    reason="needs Debian's gcc-aarch64-linux-gnu, libc6-dev-arm64-cross and qemu-user",
)


def run_emulated(folder: Path, inputs: list[np.ndarray], like: list[np.ndarray]) -> list[np.ndarray]:
    """The results of the example in C of a library for aarch64."""
    return run_example(folder, inputs, like, EMULATOR, "-L", SYSTEM, compiler=COMPILER)


@pytest.mark.parametrize(("name", "static"), [*[(name, False) for name in CASES], ("sort", True)])
def test_results_are_those_of_the_native_engine(name: str, static: bool, tmp_path: Path) -> None:
    """Integers are the same; sums of floats are in another order where vectors are shorter."""
    text, inputs = CASES[name]
    expected = [np.asarray(value) for value in shlo.compile(text, engine="native")(*inputs)]
    build(text, tmp_path, target="aarch64", static=static, weights="file" if static else "embedded")
    for one, other in zip(run_emulated(tmp_path, inputs, expected), expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-6, atol=1e-6)


# Rows are shared among threads; sums of others would differ where a thread sees what another has not stored.
ROWS = """
func.func @main(%x: tensor<512x64xf32>) -> tensor<512x64xf32> {
  %0 = stablehlo.dot_general %x, %x, batching_dims = [0] x [0], contracting_dims = [1] x [1]
    : (tensor<512x64xf32>, tensor<512x64xf32>) -> tensor<512xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<512xf32>) -> tensor<512x64xf32>
  %2 = stablehlo.exponential %1 : tensor<512x64xf32>
  return %2 : tensor<512x64xf32>
}"""
THREADS = r"""
#include "model.h"
#include <string.h>
static float x[512 * 64], one[512 * 64], three[512 * 64];
int main(void) {
  const void *inputs[] = {x};
  void *outputs[] = {one}, *others[] = {three};
  model_options options = MODEL_OPTIONS;
  options.threads = 3;
  for (size_t i = 0; i < 512 * 64; i++)
    x[i] = (float)(i % 101) / 1000;
  if (model_run(inputs, outputs, NULL) || one[0] < 1)
    return 1;
  for (int k = 0; k < 20; k++)
    if (model_run(inputs, others, &options) || memcmp(one, three, sizeof one))
      return 1;
  return 0;
}
"""


def test_threads_change_no_result(tmp_path: Path) -> None:
    build(ROWS, tmp_path, target="aarch64")
    program = compile_c(THREADS, tmp_path, libraries=[tmp_path / "libmodel.so"], compiler=COMPILER)
    subprocess.run([EMULATOR, "-L", SYSTEM, str(program)], check=True, timeout=300)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["attention", "convolution", "indexing", "lstm"])
def test_results_are_those_of_xla(name: str, tmp_path: Path) -> None:
    """Programs of JAX, with the results that XLA gave."""
    program = ROOT / "testdata" / "programs" / f"{name}.mlir"
    arrays = np.load(program.with_suffix(".npz"))
    inputs = [arrays[each] for each in arrays.files if each.startswith("in")]
    expected = [arrays[each] for each in arrays.files if each.startswith("out")]
    build(program.read_text(), tmp_path, target="aarch64")
    for one, other in zip(run_emulated(tmp_path, inputs, expected), expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)
