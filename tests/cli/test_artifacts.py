"""Binary programs as input of every command, recognized by content."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
from conftest import Shlo

EXPORTED = "jexp_mlp_vjp2.jax_export"


def test_verify_and_lint(shlo: Shlo, artifacts: Path) -> None:
    for command in ("verify", "lint"):
        done = shlo(command, artifacts / "hand_control_flow.plain.bc", artifacts / EXPORTED)
        assert done.returncode == 0, done.stdout


def test_fmt_prints_the_text(shlo: Shlo, artifacts: Path) -> None:
    done = shlo("fmt", artifacts / "hand_tokens.plain.bc")
    assert done.stdout == (artifacts / "hand_tokens.plain.bc.mlir").read_text()
    assert shlo("fmt", "--check", artifacts / "hand_tokens.plain.bc").returncode == 0
    refused = shlo("fmt", "-i", artifacts / "hand_tokens.plain.bc")
    assert refused.returncode == 2
    assert "is not text" in " ".join(refused.stderr.split())


def test_run(shlo: Shlo, artifacts: Path, tmp_path: Path) -> None:
    draw = np.random.default_rng(0)
    arrays = [draw.standard_normal(shape, np.float32) for shape in ((4, 8), (8,), (8, 2), (2,), (3, 4))]
    inputs = tmp_path / "in.npz"
    np.savez(inputs, **{f"in{index}": array for index, array in enumerate(arrays)})
    packed = tmp_path / "exported.gz"
    packed.write_bytes(gzip.compress((artifacts / EXPORTED).read_bytes()))
    outputs = []
    for path in (artifacts / EXPORTED, packed, artifacts / f"{EXPORTED}.mlir"):
        done = shlo("run", path, "--input", inputs, "--format", "json", "--engine", "numpy")
        assert done.returncode == 0, done.stderr
        outputs.append(json.loads(done.stdout)["results"])
    assert outputs[0] == outputs[1] == outputs[2]


def test_inspect_shows_the_container(shlo: Shlo, artifacts: Path) -> None:
    done = shlo("inspect", artifacts / EXPORTED, "--format", "json")
    (module,) = json.loads(done.stdout)["modules"]
    assert module["container"]["platforms"] == ["cpu"]
    assert len(module["functions"][0]["inputs"]) == 5
    done = shlo("inspect", "--vjp", "1", artifacts / EXPORTED, "--format", "json")
    (module,) = json.loads(done.stdout)["modules"]
    assert module["container"]["function_name"] == "fun_vjp_jax"
    assert len(module["functions"][0]["inputs"]) == 6
    text = shlo("inspect", artifacts / EXPORTED).stdout
    assert "jax.export container" in text
    assert "PyTreeDef((([(*, *), (*, *)], *), {}))" in text


def test_diagnostics_have_the_printed_text(shlo: Shlo, artifacts: Path) -> None:
    """The types f4E2M1FN and so on came with 1.8.0."""
    done = shlo("lint", "--target", "1.0.0", artifacts / "hand_const_mx.plain.bc")
    where, excerpt, *_ = done.stdout.splitlines()
    name, line, *_ = where.split(":")
    assert name == str(artifacts / "hand_const_mx.plain.bc")
    expected = (artifacts / "hand_const_mx.plain.bc.mlir").read_text().splitlines()[int(line) - 1]
    assert excerpt.strip()[:60] == expected.strip()[:60]


def test_damaged_file(shlo: Shlo, artifacts: Path, tmp_path: Path) -> None:
    path = tmp_path / "cut"
    path.write_bytes((artifacts / "hand_tokens.plain.bc").read_bytes()[:200])
    done = shlo("verify", path)
    assert done.returncode == 1
    assert "error: byte " in done.stdout


def test_unknown_format(shlo: Shlo, tmp_path: Path) -> None:
    path = tmp_path / "other"
    path.write_bytes(b"\x10\0\0\0" + bytes(100))
    done = shlo("verify", path)
    assert done.returncode == 1
    assert "expected MLIR or HLO text, MLIR bytecode, a portable artifact" in done.stdout


def test_convert(shlo: Shlo, artifacts: Path, tmp_path: Path) -> None:
    text = (artifacts / "hand_tokens.plain.bc.mlir").read_text()
    source, portable, plain = tmp_path / "a.mlir", tmp_path / "a.bc", tmp_path / "a.mlirbc"
    source.write_text(text)
    assert shlo("convert", source, "-o", portable).returncode == 0
    assert portable.read_bytes().startswith(b"ML\xefR\x0dStableHLO_v1.20.0\0")
    assert shlo("convert", portable, "-o", plain).returncode == 0
    assert plain.read_bytes().startswith(b"ML\xefR\x0dMLIR23.0.0git\0")
    assert shlo("convert", plain).stdout == text
    done = shlo("convert", source, "--to", "portable", "--target", "min", "-o", portable)
    assert done.returncode == 0
    assert portable.read_bytes().startswith(b"ML\xefR\x01StableHLO_v0.9.0\0")


def test_convert_says_what_a_target_cannot_hold(shlo: Shlo, artifacts: Path, tmp_path: Path) -> None:
    out = tmp_path / "a.bc"
    done = shlo("convert", artifacts / "hand_const_mx.plain.bc", "--target", "1.0.0", "-o", out)
    assert done.returncode == 1
    assert "f4E2M1FN needs StableHLO 1.8.0, and the target is 1.0.0" in done.stderr
    assert not out.exists()
    assert shlo("convert", artifacts / "hand_tokens.plain.bc", "--target", "1.0.0").returncode == 2
    assert shlo("convert", out).returncode == 2


CHLO = "chlo.tan %arg0 : tensor<2xf32> -> tensor<2xf32>"
MIXED = """func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
  %0 = sdy.sharding_constraint %arg0 <mesh<[]>, [{}]> : tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""


def test_convert_allows_other_dialects(shlo: Shlo, tmp_path: Path) -> None:
    source, target = tmp_path / "a.mlir", tmp_path / "a.bc"
    source.write_text(MIXED)
    done = shlo("convert", source, "-o", target)
    assert done.returncode == 1
    assert "a.mlir:2:8: error: sdy.sharding_constraint" in done.stderr
    assert shlo("convert", "--allow-other-dialects", source, "-o", target).returncode == 0
    assert "sdy.sharding_constraint" in shlo("fmt", target).stdout


def test_convert_lowers_chlo(shlo: Shlo, tmp_path: Path) -> None:
    source, target = tmp_path / "a.mlir", tmp_path / "a.bc"
    source.write_text(MIXED.replace("sdy.sharding_constraint %arg0 <mesh<[]>, [{}]> : tensor<2xf32>", CHLO))
    assert shlo("convert", source, "-o", target).returncode == 0
    text = shlo("fmt", target).stdout
    assert "stablehlo.tan" in text
    assert "chlo" not in text
    done = shlo("convert", "--no-lower-chlo", source, "-o", target)
    assert done.returncode == 1
    assert "it can be lowered first" in " ".join(done.stderr.split())
    assert shlo("convert", "--allow-other-dialects", source, "-o", target).returncode == 0
    assert "chlo.tan" in shlo("fmt", target).stdout
    assert "chlo.tan" in shlo("convert", source).stdout
    assert "chlo.tan" not in shlo("convert", "--lower-chlo", source).stdout
    for option, is_there in (("--lower-chlo", False), ("--no-lower-chlo", True), (None, True)):
        bytecode = tmp_path / "a.mlirbc"
        assert shlo("convert", *filter(None, [option]), source, "-o", bytecode).returncode == 0
        assert ("chlo.tan" in shlo("fmt", bytecode).stdout) is is_there


def test_convert_to_vhlo(shlo: Shlo, artifacts: Path) -> None:
    path = artifacts / "hand_tokens.plain.bc"
    plain = shlo("convert", "--to", "vhlo", path).stdout
    assert "vhlo.func_v1 @" in plain
    assert " loc(" not in plain
    assert " loc(" in shlo("convert", "--to", "vhlo", "--locations", path).stdout
    assert '"vhlo.func_v1"() <{' in shlo("convert", "--to", "vhlo", "--generic", path).stdout


def test_convert_refuses_options_without_effect(shlo: Shlo, artifacts: Path) -> None:
    path = artifacts / "hand_tokens.plain.bc"
    for option, kind in (
        ("--locations", "portable"),
        ("--generic", "bytecode"),
        ("--allow-other-dialects", "vhlo"),
    ):
        done = shlo("convert", "--to", kind, option, path)
        assert done.returncode == 2
        assert f"not for --to {kind}" in " ".join(done.stderr.split())


def test_programs_of_containers_are_those_of_calls(shlo: Shlo, artifacts: Path) -> None:
    """Not their gradients."""
    text = f"{artifacts / EXPORTED}.mlir"
    assert shlo("diff", artifacts / EXPORTED, text).returncode == 0
    for command in ("hash", "convert"):
        found = [shlo(command, path).stdout for path in (artifacts / EXPORTED, text)]
        first, second = (each.replace(".jax_export.mlir", ".jax_export") for each in found)
        assert first == second, command
