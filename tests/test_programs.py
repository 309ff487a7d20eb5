"""Programs exported from real models, compared with XLA's results."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT

import stablehlo_py as shlo

PATHS = sorted((ROOT / "testdata" / "programs").glob("*.mlir"))


def assert_close(found: list[np.ndarray], expected: list[np.ndarray]) -> None:
    """Integers are equal; floats are within 1e-4 of the largest value."""
    assert len(found) == len(expected)
    for have, want in zip(found, expected, strict=True):
        have = np.asarray(have)
        assert (have.shape, have.dtype.name) == (want.shape, want.dtype.name)
        if want.dtype.kind in "iub":
            np.testing.assert_array_equal(have, want)
        elif want.size:
            largest = float(np.abs(want[np.isfinite(want)]).max(initial=0))
            np.testing.assert_allclose(have, want, rtol=0, atol=max(1e-4 * largest, 1e-30))


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_program(path: Path) -> None:
    module = shlo.load(path)
    assert [d for d in shlo.verify(module) if d.severity == "error"] == []
    with np.load(path.with_suffix(".npz")) as data:
        inputs = [data[f"in{i}"] for i in range(sum(key.startswith("in") for key in data.files))]
        outputs = [data[f"out{i}"] for i in range(sum(key.startswith("out") for key in data.files))]
    assert_close(shlo.run(module, inputs), outputs)


# Ops whose result's first dimension follows from their operands.
DETERMINED = "abs|add|compare|concatenate|convert|convolution|dot_general|gather|pad|reduce|slice|transpose"
RESULT = re.compile(rf"^ *%\S+ = stablehlo\.({DETERMINED})\b.*-> tensor<(\d+)x", re.MULTILINE)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_one_wrong_dimension_is_found_where_it_is(path: Path) -> None:
    text = path.read_text()
    for found in list(RESULT.finditer(text))[:20]:
        wrong = text[: found.start(2)] + str(int(found[2]) + 1) + text[found.end(2) :]
        line = text.count("\n", 0, found.start(2)) + 1
        with pytest.raises(shlo.ParseError) as caught:  # its uses are of the type that was right
            shlo.parse(wrong)
        codes = [d.code for d in caught.value.diagnostics if d.line == line]
        assert any(re.fullmatch(rf"{found[1]}\.[CU]\d+", code) for code in codes), (line, codes)


def test_mlp(testdata: Path) -> None:
    with np.load(testdata / "weights.npz") as weights, np.load(testdata / "mlp_expected.npz") as expected:
        inputs = [np.load(testdata / "image.npy"), *(weights[name] for name in weights.files)]
        assert_close(shlo.run(shlo.load(testdata / "mlp.mlir"), inputs), [expected["out0"], expected["out1"]])
