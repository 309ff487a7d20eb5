"""The passes about shapes on programs: still valid, with the same results."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import ROOT
from shape_passes import PASSES, differing  # beside this file

import stablehlo_py as shlo
from stablehlo_py.ir.types import TensorType


def test_the_examples_of_the_specification() -> None:
    paths = sorted((ROOT / "testdata" / "spec").glob("*.mlir"))
    found = {path.name: differing(shlo.load(path), is_run=True) for path in paths[::4]}
    assert len(found) > 20 and not any(found.values()), found


@pytest.mark.slow
def test_the_programs() -> None:
    """Those with symbolic shapes are refined for the shapes of their inputs."""
    for path in sorted((ROOT / "testdata" / "programs").glob("*.mlir")):
        module = shlo.load(path)
        arrays = np.load(path.with_suffix(".npz"))
        inputs = [arrays[f"in{i}"] for i in range(sum(name.startswith("in") for name in arrays))]
        arguments = module.functions["main"].regions[0].blocks[0].arguments
        types = [
            TensorType(value.shape, argument.type.element_type)
            for value, argument in zip(inputs, arguments, strict=True)
            if isinstance(argument.type, TensorType)
        ]
        arguments_pass = f"stablehlo-refine-arguments{{types={{{','.join(map(str, types))}}}}}"
        static = shlo.opt(module, [arguments_pass, *PASSES])
        assert "?" not in str(static)
        for a, b in zip(shlo.run(module, inputs), shlo.run(static, inputs), strict=True):
            assert np.asarray(a).tobytes() == np.asarray(b).tobytes(), path.name
