"""Folders of torch_xla, laid out as its `save_as_stablehlo` documents."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo

Shlo = Callable[..., "subprocess.CompletedProcess[str]"]

PROGRAM = """func.func @main(%w: tensor<2xf32>, %x: tensor<2xf32>, %c: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.multiply %w, %x : tensor<2xf32>
  %1 = stablehlo.add %0, %c : tensor<2xf32>
  return %1 : tensor<2xf32>
}
"""
LOCATIONS: list[dict[str, Any]] = [
    {"type_": "parameter", "position": -1, "name": "fc.weight"},
    {"type_": "input_arg", "position": 0, "name": ""},
    {"type_": "constant", "position": 0, "name": ""},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """2, 3 times x plus 10, 20."""
    for name in ("functions", "data", "constants"):
        (tmp_path / name).mkdir()
    program = shlo.parse(PROGRAM)
    (tmp_path / "functions/forward.bytecode").write_bytes(shlo.serialize(program, "portable", "1.7.0"))
    (tmp_path / "functions/forward.mlir").write_text(PROGRAM)
    write_meta(tmp_path, LOCATIONS)
    for path, values in (("data/fc.weight", [2, 3]), ("constants/0", [10, 20])):
        with (tmp_path / path).open("wb") as stream:
            np.save(stream, np.array(values, np.float32))
    np.save(tmp_path / "x.npy", np.array([5, 7], np.float32))
    return tmp_path


def write_meta(folder: Path, locations: object) -> None:
    vector = {"shape": [2], "dtype": "float32", "dynamic_dims": []}
    meta = {
        "name": "forward",
        "stablehlo_version": "0.0.0",
        "input_signature": [vector] * 3,
        "output_signature": [vector],
        "input_locations": locations,
        "unused_inputs": [],
    }
    (folder / "functions/forward.meta").write_text(json.dumps(meta))


@pytest.mark.parametrize("path", ["", "functions/forward.bytecode", "functions/forward.mlir"])
def test_weights_are_found(shlo: Shlo, folder: Path, path: str) -> None:
    done = shlo("run", folder / path, "--input", folder / "x.npy", "--format", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["results"][0]["data"] == [20, 41]  # 2 * 5 + 10, 3 * 7 + 20


def test_folder_without_bytecode(shlo: Shlo, folder: Path) -> None:
    (folder / "functions/forward.bytecode").unlink()
    done = shlo("run", folder, "--input", folder / "x.npy", "--format", "json")
    assert json.loads(done.stdout)["results"][0]["data"] == [20, 41]


def test_input_by_name_replaces_a_weight(shlo: Shlo, folder: Path) -> None:
    x = folder / "x.npy"
    done = shlo("run", folder, "--input", x, "--input", f"arg0={x}", "--format", "json")
    assert json.loads(done.stdout)["results"][0]["data"] == [35, 69]  # 5 * 5 + 10, 7 * 7 + 20


def test_weights_have_the_names_of_the_state_dictionary(shlo: Shlo, folder: Path) -> None:
    x = folder / "x.npy"
    done = shlo("run", folder, "--input", x, "--input", f"fc.weight={x}", "--format", "json")
    assert json.loads(done.stdout)["results"][0]["data"] == [35, 69]  # 5 * 5 + 10, 7 * 7 + 20
    shown = shlo("inspect", folder).stdout
    assert "fc/weight: tensor<2xf32> (%arg0)" in shown and "constants/0: tensor<2xf32>" in shown


def test_inspect_shows_what_it_is(shlo: Shlo, folder: Path) -> None:
    found = json.loads(shlo("inspect", folder, "--format", "json").stdout)["modules"]
    (container,) = [module["container"] for module in found]
    assert container["kind"] == "torch_xla folder"
    assert container["producer"] == "StableHLO_v1.7.0"
    assert container["weights"] == ["arg0: data/fc.weight", "arg2: constants/0"]
    assert container["outputs"] == ["float32[2]"]


@pytest.mark.parametrize(
    ("locations", "message"),
    [
        (None, "input_locations"),
        ([{"type_": "parameter", "name": "../x.npy"}], "name of a file in data/"),
        ([{"type_": "constant", "position": -1}], "expected a position"),
        ([{"type_": "buffer", "position": 0}], "expected type_"),
        ([{"type_": "input_arg", "position": 1}, {"type_": "input_arg", "position": 0}], "order"),
    ],
)
def test_invalid_metadata(shlo: Shlo, folder: Path, locations: object, message: str) -> None:
    write_meta(folder, locations)
    done = shlo("run", folder, "--input", folder / "x.npy")
    assert done.returncode != 0
    assert message in done.stderr and "Traceback" not in done.stderr


def test_missing_weight(shlo: Shlo, folder: Path) -> None:
    (folder / "data/fc.weight").unlink()
    done = shlo("run", folder, "--input", folder / "x.npy")
    assert done.returncode != 0
    assert "fc.weight: No such file" in done.stderr


@pytest.mark.parametrize("path", ["", "functions/forward.bytecode", "functions/forward.mlir"])
def test_weights_of_a_loaded_module(folder: Path, path: str) -> None:
    x = np.array([5, 7], np.float32)
    module = shlo.load(folder / path)
    (alone,), (named,) = shlo.run(module, [x]), shlo.run(module, {"arg1" if "mlir" not in path else "x": x})
    assert alone.tolist() == named.tolist() == [20, 41]
    assert shlo.run(shlo.opt(module, ["canonicalize"]), [x])[0].tolist() == [20, 41]
    assert shlo.run(module, [x, x, x])[0].tolist() == [30, 56]  # 5 * 5 + 5, 7 * 7 + 7
    with pytest.raises(shlo.RunError, match=r"takes 3 inputs \(1 without its weights\), 2 given"):
        shlo.run(module, [x, x])


def test_missing_weight_of_a_loaded_module(folder: Path) -> None:
    (folder / "constants/0").unlink()
    with pytest.raises(shlo.RunError, match="constants/0: No such file"):
        shlo.run(shlo.load(folder), [np.zeros(2, np.float32)])
