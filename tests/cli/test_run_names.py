"""`shlo run` with inputs by name: from files of each kind, for nodes of the tree, and wrong ones."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from make_tree import arguments

from stablehlo_py.storage.files import replacing
from stablehlo_py.storage.safetensors import open_safetensors, write_safetensors

Shlo = Callable[..., "subprocess.CompletedProcess[str]"]
PROGRAM, EXPECTED = "tree.jax_export", "tree_expected.npz"


def save(path: Path, arrays: dict[str, Any]) -> None:
    with replacing(path) as stream:
        write_safetensors(stream, {name: np.asarray(array) for name, array in arrays.items()})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The arguments of the program in files of each kind."""
    path: Path = tmp_path_factory.mktemp("names")
    parameters, x = arguments()
    dense, norm = parameters["dense"], parameters["norm"]
    below = {
        "dense/bias": dense["bias"],
        "dense/kernel": dense["kernel"],
        "dense/mask": dense["mask"],
        "norm/mean": norm.mean,
        "norm/scale": norm.scale,
        "out/0": parameters["out"][0],
    }
    named = {f"parameters/{name}": array for name, array in below.items()} | {
        "x": x,
        "scale": np.float32(0.5),
    }
    full = [*below.values(), x, np.zeros(2, np.uint32), np.float32(0.5)]
    np.savez(path / "below.npz", **below)
    np.savez(path / "used.npz", **{name: array for name, array in below.items() if name != "dense/mask"})
    np.savez(path / "named.npz", **named)
    np.savez(path / "full.npz", **{f"in{i}": array for i, array in enumerate(full)})
    np.savez(path / "arrays.npz", *full)
    np.savez(path / "kept.npz", *[array for i, array in enumerate(full) if i not in (2, 7)])
    save(path / "named.safetensors", {name.replace("/", "."): array for name, array in named.items()})
    save(path / "double.safetensors", {n: np.asarray(a).astype(np.float64) for n, a in named.items()})
    wrong = {name: array for name, array in named.items() if name not in ("x", "parameters/dense/kernel")}
    save(path / "wrong.safetensors", {**wrong, "parameters/dense/kernl": dense["kernel"]})
    save(path / "twice.safetensors", {**named, "parameters.dense.bias": dense["bias"]})
    names = list(named)
    files = {name: f"model-{names.index(name) % 2}.safetensors" for name in names}
    for file in set(files.values()):
        save(path / file, {name: named[name] for name in names if files[name] == file})
    (path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": files}))
    np.save(path / "x.npy", x)
    np.save(path / "kernel.npy", dense["kernel"])
    np.save(path / "lr=0.1.npy", x)
    return path


@pytest.mark.parametrize(
    "inputs",
    [
        ["named.npz"],
        ["named.safetensors"],
        ["model.safetensors.index.json"],
        ["full.npz"],
        ["arrays.npz"],
        ["kept.npz"],
        ["parameters=below.npz", "x=x.npy", "scale=0.5"],
        ["parameters=below.npz", "lr=0.1.npy", "0.5"],
        ["parameters=below.npz", "x.npy", "args/2=7", "scale=0.5"],
        ["named.npz", "parameters/dense/kernel=kernel.npy", "parameters['dense']['kernel']=kernel.npy"],
        ["double.safetensors", "--cast"],
    ],
    ids=" ".join,
)
def test_inputs(shlo: Shlo, folder: Path, testdata: Path, inputs: list[str]) -> None:
    given = [part for text in inputs for part in ([text] if text == "--cast" else ["-a", text])]
    exact = ("--check-against", testdata / EXPECTED, "--rtol", "0", "--atol", "0")
    done = shlo("run", testdata / PROGRAM, *given, *exact, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "4 results within tolerance" in done.stderr + done.stdout


KERNEL = "parameters/dense/kernel"


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        (
            ["wrong.safetensors"],
            f"wrong.safetensors: no argument named parameters/dense/kernl; did you mean {KERNEL}?; "
            f"missing: {KERNEL}: tensor<3x4xf32>, x: tensor<5x3xf32>",
        ),
        (["used.npz"], "they are the arrays of parameters: give them as parameters=used.npz"),
        (["named.npz", "dense=x.npy"], "no argument named dense"),
        (["parameters=below.npz"], "got 5; missing: x: tensor<5x3xf32>, scale: tensor<f32>"),
        (["parameters=x.npy"], "parameters has several arguments: expected a file of arrays by name"),
        (["parameters/dense=below.npz"], "no argument named parameters/dense/dense/bias"),
        (["twice.safetensors"], "parameters.dense.bias are both input 0 (parameters/dense/bias)"),
        (
            ["double.safetensors"],
            "input 0 (parameters/dense/bias) is an array of float64, expected tensor<4xf32> "
            "(elements of float32); "
            "convert it with --cast, or with astype('float32')",
        ),
        (["kept.npz", "1"], "expected 7 inputs, got 8 (9 with those that the program does not use)"),
        (["parameters=below.npz", "1", "2", "3"], "expected 7 inputs, got 8 (9 with"),
        (["named.npz", "x=kernel.npy"], "input 5 (x) has shape 3x4, expected tensor<5x3xf32>"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_inputs_that_do_not_fit(
    shlo: Shlo, folder: Path, testdata: Path, inputs: list[str], message: str
) -> None:
    given = [part for text in inputs for part in ("-a", text)]
    done = shlo("run", testdata / PROGRAM, *given, cwd=folder)
    assert (done.returncode, done.stdout) == (1, "")
    assert message in done.stderr


def test_a_wrong_name_beside_random_values(shlo: Shlo, folder: Path, testdata: Path) -> None:
    done = shlo("run", testdata / PROGRAM, "-a", "y=x.npy", "--random", cwd=folder)
    assert (done.returncode, done.stdout) == (1, "")
    assert "no argument named y" in done.stderr and "missing" not in done.stderr


CAST = """func.func @main(%i: tensor<2xi8>, %f: tensor<2xf32>, %b: tensor<2xbf16>, %c: tensor<2xcomplex<f32>>)
    -> (tensor<2xi8>, tensor<2xf32>, tensor<2xbf16>, tensor<2xcomplex<f32>>) {
  return %i, %f, %b, %c : tensor<2xi8>, tensor<2xf32>, tensor<2xbf16>, tensor<2xcomplex<f32>>
}
"""


def test_cast(shlo: Shlo, tmp_path: Path) -> None:
    (tmp_path / "p.mlir").write_text(CAST)
    given = {
        "i": np.int64([-128, 127]),
        "f": np.float64([0.1, 1]),
        "b": np.float32([1 + 2**-9, 3]),  # between two numbers of bf16: to even
        "c": np.uint8([1, 2]),
    }
    save(tmp_path / "in.safetensors", given)
    done = shlo("run", "p.mlir", "-a", "in.safetensors", "--cast", "-o", "out.safetensors", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    out = open_safetensors(tmp_path / "out.safetensors")
    assert [out[f"out{i}"].dtype for i in range(4)] == ["int8", "float32", ml_dtypes.bfloat16, "complex64"]
    assert [out[f"out{i}"].tolist() for i in range(4)] == [
        [-128, 127],
        [0.10000000149011612, 1],
        [1, 3],
        [1, 2],
    ]
    wrong = [
        ("i", np.int64([128, 0])),
        ("i", np.float32([1, 2])),
        ("f", np.complex64([1, 2])),
        ("i", np.array([True, False])),
    ]
    for name, array in wrong:
        save(tmp_path / "in.safetensors", {**given, name: array})
        done = shlo("run", "p.mlir", "-a", "in.safetensors", "--cast", cwd=tmp_path)
        assert (done.returncode, done.stdout) == (1, "")
        assert f"(%{name}) is an array of {array.dtype}" in done.stderr
        assert "convert it with --cast" not in done.stderr


def test_what_a_safetensors_file_cannot_hold(shlo: Shlo, tmp_path: Path) -> None:
    (tmp_path / "p.mlir").write_text(
        "func.func @main(%x: tensor<2xi4>) -> tensor<2xi4> { return %x : tensor<2xi4> }"
    )
    done = shlo("run", "p.mlir", "--random", "0", "-o", "out.safetensors", cwd=tmp_path)
    assert done.returncode == 2 and "out0 has elements of int4" in done.stderr
    assert not (tmp_path / "out.safetensors").exists()
    (tmp_path / "bad.safetensors").write_bytes(b"\xff" * 20)
    done = shlo("run", "p.mlir", "-a", "bad.safetensors", cwd=tmp_path)
    assert done.returncode == 2 and "bad.safetensors: not a safetensors file" in done.stderr


def test_inspect_shows_names_first(shlo: Shlo, testdata: Path) -> None:
    lines = shlo("inspect", testdata / PROGRAM).stdout.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("  inputs"))
    assert lines[at + 1 : at + 3] == [
        "               parameters/dense/kernel: tensor<3x4xf32> (%arg1)",
        "               parameters/dense/mask: float32[7] (not used)",
    ]
    (found,) = json.loads(shlo("inspect", testdata / PROGRAM, "--format", "json").stdout)["modules"]
    main = next(each for each in found["functions"] if each["name"] == "main")
    assert main["inputs"][1] == {"path": KERNEL, "name": "arg1", "type": "tensor<3x4xf32>"}
    assert main["dropped"][1] == {"path": "args/2", "type": "uint32[2]"}
