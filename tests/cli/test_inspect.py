"""`shlo inspect`: its output in 80 columns and as JSON."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from stablehlo_py.cli import common

from stablehlo_py.analysis.callgraph import CallGraph

Shlo = Callable[..., "subprocess.CompletedProcess[str]"]

PROGRAM = """func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> tensor<4x2xf32> {
  %c = stablehlo.constant dense<1.0> : tensor<4x2xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %1 = func.call @f(%0) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %2 = func.call @f(%1) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %3 = stablehlo.add %2, %c : tensor<4x2xf32>
  %4 = stablehlo.custom_call @target(%3) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return %4 : tensor<4x2xf32>
}
func.func private @f(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %0 = stablehlo.tanh %x : tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.mlir"
    path.write_text(PROGRAM)
    return path


def test_text(shlo: Shlo, program: Path) -> None:
    done = shlo("inspect", program)
    assert (done.returncode, done.stderr) == (0, "")
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    for expected in (
        f"{program}: 2 functions, 9 ops",
        "inputs %x: tensor<4x8xf32>",
        "%w: tensor<8x2xf32>",
        "outputs tensor<4x2xf32>",
        "parameters 192 B",  # 4 * (32 + 16)
        "results 32 B",
        "operations 136 and 16 transcendental",  # 2*4*2*8 + 8, 2*8
        "constants 32 B in 1 constant",
        "custom calls 1 @target",
        "ops 2 func.call, 1 add, 1 constant, 1 custom_call, 1 dot_general, 1 tanh",
        "@f 11 2 0 8 64 B 64 B",
        "@f x2",
        "line 8: the cost of custom_call @target is unknown",
    ):
        assert expected in lines


def test_operations_per_byte_count_all_operations(shlo: Shlo) -> None:
    """Of 4 transcendental ones and 4 others, on 2 * 16 + 3 * 16 bytes."""
    text = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.tanh %x : tensor<4xf32>
  %1 = stablehlo.add %0, %x : tensor<4xf32>
  return %1 : tensor<4xf32>
}"""
    rows = shlo("inspect", "-", stdin=text).stdout.splitlines()
    assert "  bytes        48 B read, 32 B written, 0.1 operations per byte" in rows


def test_json(shlo: Shlo, program: Path) -> None:
    done = shlo("inspect", program, "--format", "json", "--entry", "f")
    (module,) = json.loads(done.stdout)["modules"]
    assert (module["file"], module["entry"], module["line"]) == (str(program), "f", 1)
    main, f = module["functions"]
    assert (main["flops"], main["transcendentals"], f["transcendentals"]) == (136, 16, 8)
    assert module["calls"] == {"main": {"f": 2}, "f": {}}
    assert module["statistics"]["custom_calls"] == {"target": 1}


def test_several_files_and_modules(shlo: Shlo, program: Path) -> None:
    other = program.parent / "other.mlir"
    other.write_text(PROGRAM + "// -----\nfunc.func @g() {\n  return\n}\n")
    done = shlo("inspect", program.parent, "--format", "json")
    modules = json.loads(done.stdout)["modules"]
    assert [(Path(m["file"]).name, m["line"], m["entry"]) for m in modules] == [
        ("other.mlir", 1, "main"), ("other.mlir", 16, "g"), ("program.mlir", 1, "main"),
    ]  # fmt: skip
    rows = shlo("inspect", other, program).stdout.splitlines()
    titles = [at for at, row in enumerate(rows) if row.startswith(str(program.parent))]
    assert [rows[at].partition(": ")[0] for at in titles] == [f"{other}", f"{other}:16", f"{program}"]
    assert [rows[at - 1] for at in titles[1:]] == ["", ""] and titles[0] == 0  # an empty line between


def test_long_lists_are_cut(shlo: Shlo, tmp_path: Path) -> None:
    path = tmp_path / "many.mlir"
    arguments = ", ".join(f"%a{i}: tensor<f32>" for i in range(30))
    path.write_text(f"func.func @main({arguments}) {{\n  return\n}}\n")
    short, full = shlo("inspect", path).stdout, shlo("inspect", path, "--all").stdout
    assert "%a9:" in short and "%a10:" not in short and "and 20 more (--all)" in short
    assert "%a29:" in full and "more" not in full


def test_what_is_wrong(shlo: Shlo, program: Path) -> None:
    bad = program.parent / "bad.mlir"
    bad.write_text(PROGRAM.replace("tanh %x : tensor<4x2xf32>", "tanh %x : tensor<4x3xf32>"))
    done = shlo("inspect", bad, program, "--format", "json")
    assert done.returncode == 1 and f"{bad}:12:" in done.stderr
    assert len(json.loads(done.stdout)["modules"]) == 1
    unknown = shlo("inspect", program, "--entry", "nothing")
    assert unknown.returncode == 2 and "@main, @f" in unknown.stderr


def test_it_fits_into_80_columns(shlo: Shlo, programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(common, "width", lambda *_: 80)
    files = [programs / f"{name}.mlir" for name in ("attention", "indexing", "lstm")]
    done = shlo("inspect", *files)
    body = [line for line in done.stdout.splitlines() if not line.startswith("/")]
    assert done.returncode == 0 and max(map(len, body)) <= 80


def test_long_chains_of_calls_are_cut(shlo: Shlo, tmp_path: Path) -> None:
    chain = [
        f"func.func @f{i}() {{\n  func.call @f{i + 1}() : () -> ()\n  return\n}}\n" for i in range(400)
    ] + ["func.func @f400() {\n  return\n}\n"]
    path = tmp_path / "chain.mlir"
    path.write_text("".join(chain))
    lines = shlo("inspect", path).stdout.split("calls\n")[1].splitlines()
    assert lines[:2] == ["  @f0", "    @f1"]
    assert [line.strip() for line in lines[10:]] == ["@f10", "... 390 more functions (--all)"]
    assert len(shlo("inspect", "--all", path).stdout.split("calls\n")[1].splitlines()) == 401


def test_recursive_functions() -> None:
    calls = {"a": {"b": 1}, "b": {"c": 1, "x": 1}, "c": {"b": 1}, "d": {"d": 1}, "e": {"a": 2, "d": 1}}
    assert CallGraph(calls).recursive == {"b", "c", "d"}


def test_the_size_of_resources(shlo: Shlo) -> None:
    """Two floats, behind four bytes that state their alignment."""
    text = """func.func @main() -> tensor<2xf32> {
  %0 = stablehlo.constant dense_resource<k> : tensor<2xf32>
  return %0 : tensor<2xf32>
}
{-# dialect_resources: { builtin: { k: "0x040000000000803F00000040" } } #-}
"""
    found = shlo("inspect", "-", stdin=text).stdout.splitlines()
    assert "  constants    8 B in 1 constant" in found and "  resources    8 B" in found
