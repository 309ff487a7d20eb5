"""`shlo run --explain --print-after` and `--verify-loops`: loops of the native engine after its stages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from conftest import Shlo

import stablehlo_py as shlo_py
from stablehlo_py.engines.native.loop_ir.statements import Program
from stablehlo_py.engines.native.schedule import pipeline
from stablehlo_py.engines.registry import find_engine
from tests.helpers.loop_parser import parse

SOFTMAX = """func.func @main(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1]
    : (tensor<8x64xf32>, tensor<f32>) -> tensor<8xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<8xf32>) -> tensor<8x64xf32>
  %d = stablehlo.subtract %x, %mb : tensor<8x64xf32>
  %e = stablehlo.exponential %d : tensor<8x64xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<8x64xf32>, tensor<f32>) -> tensor<8xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<8xf32>) -> tensor<8x64xf32>
  %y = stablehlo.divide %e, %sb : tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}
"""
AFTER_PLACE = """// @main: %9 = native %0, after place
input x0: 8x64xf32
output y9: 8x64xf32
frame v6: 64xf32
parallel i0 in 0..8 {
  // reduce (line 4)
  r3 = reduce(maximum, f32(-inf)) i1 in 0..64 { load x0[i0, i1] }
  // broadcast_in_dim (line 6), subtract (line 7), exponential (line 8)
  parallel i7 in 0..64 {
    store v6[i7] = exponential((load x0[i0, i7] - r3))
  }
  // reduce (line 9)
  r7 = reduce(add, f32(0.0)) i9 in 0..64 { load v6[i9] }
  // broadcast_in_dim (line 11), divide (line 12)
  parallel i13 in 0..64 {
    store y9[i0, i13] = (load v6[i13] / r7)
  }
}
"""
PANELS = """func.func @main(%a: tensor<40x24xf32>, %b: tensor<24x38xf32>) -> tensor<40x38xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
    : (tensor<40x24xf32>, tensor<24x38xf32>) -> tensor<40x38xf32>
  %1 = stablehlo.tanh %0 : tensor<40x38xf32>
  %2 = stablehlo.negate %1 : tensor<40x38xf32>
  return %2 : tensor<40x38xf32>
}
"""
STAGES = ["lower", *(stage.name for stage in pipeline.STAGES)]
EXPLAIN = ("--explain", "--engine", "native")


@pytest.fixture
def softmax(tmp_path: Path) -> Path:
    path = tmp_path / "softmax.mlir"
    path.write_text(SOFTMAX)
    return path


def test_loops_after_a_stage(shlo: Shlo, softmax: Path) -> None:
    done = shlo("run", softmax, *EXPLAIN, "--print-after", "place")
    assert (done.returncode, done.stdout, done.stderr) == (0, AFTER_PLACE, "")


def test_loops_after_all_stages(shlo: Shlo, softmax: Path) -> None:
    done = shlo("run", softmax, *EXPLAIN, "--print-after", "all")
    heads = [line for line in done.stdout.splitlines() if line.startswith("// @main")]
    assert [head.partition("after ")[2].removesuffix(": no change") for head in heads] == STAGES
    assert [head.partition("after ")[2] for head in heads if head.endswith("no change")] == [
        f"{name}: no change" for name in ("coalesce", "tile", "columns", "split", "join")
    ]
    assert AFTER_PLACE in done.stdout
    texts = [text.partition("\n")[2] for text in done.stdout.split("\n\n")]
    assert all(parse(text).body for text in texts if text)


def test_what_packs_names_the_ops_that_it_packs_for(shlo: Shlo, tmp_path: Path) -> None:
    (tmp_path / "panels.mlir").write_text(PANELS)
    done = shlo("run", tmp_path / "panels.mlir", *EXPLAIN, "--print-after", "name")
    ops = "dot_general (line 2), tanh (line 4), negate (line 5)"
    notes = [line for line in done.stdout.splitlines() if line.startswith("//")]
    assert [note for note in notes if "line" in note] == [f"// for {ops}", f"// {ops}"] * 2


def test_colours_are_for_terminals(shlo: Shlo, softmax: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    done = shlo("run", softmax, *EXPLAIN, "--print-after", "place")
    lines = done.stdout.splitlines()
    assert lines[0] == "\x1b[90m// @main: %9 = native %0, after place\x1b[0m"
    assert lines[4] == "\x1b[35mparallel\x1b[0m i0 \x1b[35min\x1b[0m 0..8 {"
    assert "\x1b" not in shlo("run", softmax, "--explain").stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([*EXPLAIN, "--print-after", "nam"], f"no stage nam; the stages are {', '.join(STAGES)}, or all"),
        (
            ["--engine", "native", "--print-after", "name"],
            "--print-after requires --explain and --engine native",
        ),
        (["--explain", "--print-after", "name"], "--print-after requires --explain and --engine native"),
        (["--engine", "numpy", "--verify-loops"], "engine numpy has no setting verify_loops"),
    ],
)
def test_wrong_options(shlo: Shlo, softmax: Path, options: list[str], message: str) -> None:
    done = shlo("run", softmax, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in " ".join(done.stderr.split())


def test_a_program_without_regions(shlo: Shlo, tmp_path: Path) -> None:
    path = tmp_path / "one.mlir"
    path.write_text("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  return %x : tensor<2xf32>\n}\n")
    done = shlo("run", path, *EXPLAIN, "--print-after", "all")
    assert (done.returncode, done.stdout) == (0, "no loops: engine native compiles no part of the program\n")


def test_the_api() -> None:
    program = shlo_py.compile(SOFTMAX, engine="native")
    assert program.explain() == str(program.plan)
    assert program.explain("place") + "\n" == AFTER_PLACE
    with pytest.raises(ValueError, match="no stage loops; the stages are lower, inline"):
        program.explain("loops")
    with pytest.raises(ValueError, match="engine numpy has no stages"):
        shlo_py.compile(SOFTMAX, engine="numpy").explain("place")


def _forget_the_first_nest(program: Program) -> Program:
    return Program(program.buffers, program.body[1:])


def _plant(monkeypatch: pytest.MonkeyPatch) -> None:
    stages = [s._replace(run=_forget_the_first_nest) if s.name == "coalesce" else s for s in pipeline.WHOLE]
    monkeypatch.setattr(pipeline, "WHOLE", tuple(stages))


def test_verified_loops(shlo: Shlo, softmax: Path, tmp_path: Path) -> None:
    x = np.random.default_rng(1).standard_normal((8, 64)).astype(np.float32)
    np.save(tmp_path / "x.npy", x)
    options = ("-a", tmp_path / "x.npy", "--engine", "native", "--verify-loops", "-o", tmp_path / "y.npy")
    done = shlo("run", softmax, *options)
    assert (done.returncode, done.stderr) == (0, "")
    e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    np.testing.assert_allclose(np.load(tmp_path / "y.npy"), e / e.sum(axis=1, keepdims=True), rtol=1e-5)


@pytest.mark.parametrize("options", [EXPLAIN, ("--engine", "native", "--random", "0")])
def test_a_finding_names_stage_loops_and_lines(
    shlo: Shlo, softmax: Path, options: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    _plant(monkeypatch)
    done = shlo("run", softmax, *options, "--verify-loops")
    assert (done.returncode, done.stdout) == (1, "")
    assert (
        f"{softmax}: loops are wrong after stage coalesce: load v3[i6] may read an element that"
        in done.stderr
    )
    assert "parallel i6 in 0..8 {" in done.stderr
    assert "subtract (line 7), exponential (line 8)\n" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_finding_is_an_error_of_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    _plant(monkeypatch)
    with pytest.raises(shlo_py.InternalError, match="loops are wrong after stage coalesce"):
        shlo_py.compile(SOFTMAX, engine=find_engine("native", verify_loops=True))
