"""Checkpoints of orbax: recorded ones, damaged ones, and ones that lie."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from stablehlo_py.cli.main import run_command

from stablehlo_py.interpreter.array_files import load_arrays
from stablehlo_py.storage import orbax

# Made by orbax-checkpoint 0.12.8 of the tree TREE, in each format; `step` is one of its CheckpointManager.
RECORDED = ROOT / "tests" / "storage" / "checkpoints.zip"
FORMATS = ["zarr", "zarr3", "ocdbt", "ocdbt3", "step"]
TREE = {
    "layers/0": ("int8", [0, 1, 2, 3]),
    "layers/1": ("float64", 2.5),
    "params/dense/bias": ("bfloat16", [1, 2, 3]),
    "params/dense/kernel": ("float32", [[0, 1, 2], [3, 4, 5]]),
    "step": ("int64", 7),
}


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """The folder of the recorded checkpoints."""
    pytest.importorskip("tensorstore", reason="needs the extra orbax")
    with zipfile.ZipFile(RECORDED) as archive:
        archive.extractall(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", FORMATS)
def test_arrays_by_their_paths(name: str, recorded: Path) -> None:
    assert orbax.is_orbax(recorded / name) and not orbax.is_orbax(recorded)
    found = load_arrays(recorded / name)
    assert isinstance(found, dict)
    described = {path: (array.dtype.name, array.astype(float).tolist()) for path, array in found.items()}
    assert described == TREE


def test_programs_take_a_checkpoint(recorded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = recorded / "dense.mlir"
    program.write_text("""
func.func @main(%x: tensor<2xf32>, %k: tensor<2x3xf32> {jax.arg_info = "params['dense']['kernel']"})
    -> tensor<3xf32> {
  %0 = stablehlo.dot_general %x, %k, contracting_dims = [0] x [0]
    : (tensor<2xf32>, tensor<2x3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}""")
    bound, binding = recorded / "bound.mlir", f"bind=file={recorded / 'ocdbt'} extra=true"
    assert run_command(["opt", str(program), "-p", binding, "-o", str(bound)]) == 0
    assert run_command(["run", str(bound), "-a", "dense<[1.0, 10.0]> : tensor<2xf32>"]) == 0
    assert "[30., 41., 52.]" in capsys.readouterr().out


def metadata(**changes: Any) -> dict[str, Any]:
    """The metadata of a checkpoint of one array."""
    entry = {"key_metadata": [{"key": "step", "key_type": 2}], "value_metadata": {"value_type": "scalar"}}
    return {"tree_metadata": {"('step',)": entry | changes}, "use_ocdbt": False, "use_zarr3": False}


WRONG: dict[str, Any] = {
    "is not JSON": "{",
    "expected an object in": "[]",
    "has no object tree_metadata": "{}",
    "('step',) is not an object": {"tree_metadata": {"('step',)": 3}},
    "('step',) has no path": metadata(key_metadata=[]),
    "has no path of names": metadata(key_metadata=[{"key": 3}]),
    "no path of names in": metadata(key_metadata=[{"key": "../zarr/step"}]),
    "no path of names": metadata(key_metadata=[{"key": ""}, {"key": ""}]),
    "nothing cannot be opened": metadata(key_metadata=[{"key": "nothing"}]),
    "is not JSON ": "[" * 100_000,
}


@pytest.mark.parametrize("message", WRONG)
def test_metadata_that_is_wrong(message: str, recorded: Path) -> None:
    content = WRONG[message]
    text = content if isinstance(content, str) else json.dumps(content)
    (recorded / "zarr" / "_METADATA").write_text(text)
    with pytest.raises(ValueError) as found:
        load_arrays(recorded / "zarr")
    assert message.strip() in str(found.value)


@pytest.mark.parametrize("field", ["shape", "chunks"])
def test_sizes_that_are_lies(field: str, recorded: Path) -> None:
    file = recorded / "zarr" / "layers.0" / ".zarray"
    file.write_text(json.dumps(json.loads(file.read_text()) | {field: [1 << 40]}))
    with pytest.raises(ValueError, match="holds more"):
        load_arrays(recorded / "zarr")


@pytest.mark.parametrize("name", ["zarr", "ocdbt"])
def test_damage_is_an_error(name: str, recorded: Path) -> None:
    """Each file is cut, then changed at its end: an array is as it was, or the error names the file."""
    files = [each for each in (recorded / name).rglob("*") if each.is_file() and each.stat().st_size]
    for file in files:
        data = file.read_bytes()
        for other in (data[: len(data) // 2], data[:-1] + bytes([data[-1] ^ 255])):
            file.write_bytes(other)
            try:
                found = load_arrays(recorded / name)
            except ValueError as error:
                assert str(error)
            else:
                assert isinstance(found, dict) and found.keys() <= TREE.keys()
        file.write_bytes(data)


def test_without_tensorstore(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orbax, "find_spec", lambda name: None)
    (tmp_path / "_METADATA").write_text(json.dumps(metadata()))
    with pytest.raises(ValueError, match=r"pip install 'stablehlo-py\[orbax\]'"):
        load_arrays(tmp_path)
