"""The passes about shapes on the programs of the conformance sample: still valid, with the same results."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.types import TensorType

pytestmark = pytest.mark.slow

PASSES = (
    "stablehlo-refine-shapes{separate-calls}",
    "stablehlo-canonicalize-dynamism",
    "stablehlo-check-shape-assertions",
    "shape-legalize-to-stablehlo",
    "reconcile-unrealized-casts",
)


REFUSALS = ("must have no more than one function", "must have exactly one block", "failed to legalize")


def transformed(module: shlo.Module, passes: str) -> shlo.Module | None:
    """The module after a pass; None if the pass does not apply to such a program."""
    try:
        return shlo.opt(module, [passes])  # which verifies
    except shlo.TransformError as error:
        (found,) = error.diagnostics
        assert any(reason in found.message for reason in REFUSALS), found.message
        return None


def results(module: shlo.Module) -> list[object]:
    """The results of a program without inputs as bits, or why there are none."""
    try:
        found = shlo.run(module)
    except shlo.RunError as error:
        return [type(error)]
    return [x.tobytes() if isinstance(x, np.ndarray) else x for x in found]


def test_the_conformance_sample(shared: Path) -> None:
    folder = shared / "conformance"
    labels = json.loads((folder / "cases.json").read_text())
    tried = 0
    for name in [name for name, label in labels.items() if not label["errors"]]:
        try:
            module = shlo.parse((folder / name).read_text(), allow_unregistered=True)
        except shlo.ParseError:
            continue
        if any(d.severity == "error" for d in shlo.verify(module)):
            continue
        is_run = name.startswith(("interpret/", "testdata/"))
        before = results(module) if is_run else []
        for passes in PASSES:
            changed = transformed(module, passes)
            if changed is not None:
                tried += 1
                assert not is_run or results(changed) == before, f"{name} {passes}"
    assert tried > 9000


def test_the_programs(shared: Path) -> None:
    """Those with symbolic shapes are refined for the shapes of their inputs."""
    for path in sorted((shared / "programs").glob("*.mlir")):
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
