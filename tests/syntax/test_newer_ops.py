"""Programs that are newer than this release."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import stablehlo_py as shlo
from stablehlo_py.syntax.parser import parse_module

Shlo = Callable[..., "subprocess.CompletedProcess[str]"]
PROGRAM = """\
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.brand_new"(%x) <{size = 3 : i64}> : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
"""
OTHER = PROGRAM.replace("stablehlo.brand_new", "other.op")


def test_the_error_says_what_accepts_the_op() -> None:
    with pytest.raises(shlo.ParseError, match=r"there is no op stablehlo\.brand_new"):
        parse_module(PROGRAM)
    with pytest.raises(shlo.ParseError) as raised:
        shlo.parse(PROGRAM, allow_unregistered=True)
    (error,) = raised.value.diagnostics
    assert (error.message, error.line, error.column) == ("there is no op stablehlo.brand_new", 2, 8)
    assert "the program may be newer" in error.notes[0]
    assert "--allow-newer" in error.notes[0]


@pytest.mark.parametrize(
    "text",
    [
        '"stablehlo.abs"(%x) {new = #stablehlo.brand_new<size = 1>} : (tensor<f32>) -> tensor<f32>',
        '"stablehlo.abs"(%x) {new = #stablehlo<brand_new ONE>} : (tensor<f32>) -> tensor<f32>',
        '"stablehlo.abs"(%x) {new = !stablehlo.brand_new<1>} : (tensor<f32>) -> tensor<f32>',
        "stablehlo.compare ZZ, %x, %x : (tensor<f32>, tensor<f32>) -> tensor<i1>",
    ],
)
def test_what_no_option_accepts_may_be_newer_too(text: str) -> None:
    with pytest.raises(shlo.ParseError) as raised:
        shlo.parse(f"func.func @main(%x: tensor<f32>) {{\n  %0 = {text}\n  return\n}}\n", allow_newer=True)
    assert raised.value.diagnostics[0].notes == ("the program may be newer than this release",)


@pytest.mark.parametrize("op", ["tensor.brand_new", "sdy.brand_new", "arith.brand_new", "cf.brand_new"])
@pytest.mark.parametrize("form", ['"{}"(%x) : (tensor<f32>) -> tensor<f32>', "{} %x : tensor<f32>"])
def test_dialects_with_few_ops_here_are_no_newer_stablehlo(op: str, form: str) -> None:
    with pytest.raises(shlo.ParseError) as raised:
        shlo.parse(f"func.func @main(%x: tensor<f32>) {{\n  %0 = {form.format(op)}\n  return\n}}\n")
    notes = "\n".join(raised.value.diagnostics[0].notes)
    assert "--allow-unregistered" in notes and "newer" not in notes


def test_other_dialects_are_another_option() -> None:
    with pytest.raises(shlo.ParseError, match=r"unregistered operation .other\.op."):
        shlo.parse(OTHER, allow_newer=True)
    assert "size = 3" in shlo.format(shlo.parse(OTHER, allow_unregistered=True))


@pytest.mark.parametrize("op", ["stablehlo.brand_new", "chlo.brand_new", "func.brand_new"])
def test_newer_ops_are_opaque(op: str, tmp_path: Path) -> None:
    text = PROGRAM.replace("stablehlo.brand_new", op)
    (tmp_path / "a.mlir").write_text(text)
    module = shlo.load(tmp_path / "a.mlir", allow_newer=True)
    assert shlo.verify(module) == []
    assert shlo.format(module, canonical=False) == text
    with pytest.raises(shlo.Unsupported, match="no definition in this release") as raised:
        shlo.run(module, [1.0])
    diagnostic = raised.value.diagnostic
    assert diagnostic is not None
    assert (diagnostic.line, diagnostic.column) == (2, 8)


def test_bytecode_holds_newer_ops_and_portable_artifacts_do_not() -> None:
    module = shlo.parse(PROGRAM.replace(" <{size = 3 : i64}>", ""), allow_newer=True)
    data = shlo.serialize(module, "bytecode")
    assert shlo.format(shlo.parse(data, allow_newer=True)) == shlo.format(module)
    with pytest.raises(shlo.ParseError, match="the program may be newer"):
        shlo.parse(data, allow_unregistered=True)
    with pytest.raises(shlo.SerializationError, match=r"stablehlo\.brand_new is not defined in this release"):
        shlo.serialize(module)


COMMANDS = [
    ["verify"],
    ["fmt"],
    ["lint"],
    ["lint", "--diff"],
    ["inspect"],
    ["graph", "--format", "dot"],
    ["opt", "-p", "cse"],
    ["convert"],
    ["report"],
    ["extract", "--function", "main"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_commands_accept_newer_ops_if_told(command: list[str], shlo: Shlo, tmp_path: Path) -> None:
    (tmp_path / "a.mlir").write_text(PROGRAM)
    done = shlo(*command, "--allow-newer", "a.mlir", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    if command != ["lint", "--diff"]:  # which leaves errors to the report that follows
        refused = shlo(*command, "a.mlir", cwd=tmp_path)
        assert "--allow-newer" in refused.stdout + refused.stderr


def test_diff_and_run_accept_newer_ops_if_told(shlo: Shlo, tmp_path: Path) -> None:
    (tmp_path / "a.mlir").write_text(PROGRAM)
    assert shlo("diff", "--allow-newer", "a.mlir", "a.mlir", cwd=tmp_path).returncode == 0
    compared = shlo("compare", "--allow-newer", "--random", "0", "a.mlir", "a.mlir", cwd=tmp_path)
    assert "no definition in this release" in compared.stderr
    done = shlo("run", "--allow-newer", "a.mlir", "--random", "0", cwd=tmp_path)
    assert done.returncode == 1
    assert "a.mlir:2:8" in done.stderr
    assert "no definition in this release" in done.stderr


def test_bytecode_holds_the_properties_of_newer_ops_once() -> None:
    module = shlo.parse(PROGRAM, allow_newer=True)
    again = shlo.parse(shlo.serialize(module, "bytecode"), allow_newer=True)
    assert shlo.format(again) == shlo.format(module)


def test_the_version_of_newer_ops_is_unknown(shlo: Shlo, tmp_path: Path) -> None:
    (tmp_path / "a.mlir").write_text(PROGRAM)
    done = shlo("lint", "--min-version", "--allow-newer", "a.mlir", cwd=tmp_path)
    assert done.returncode == 2 and "--min-version knows no version" in done.stderr


def test_newer_ops_of_vhlo_are_not_opaque() -> None:
    text = '"vhlo.brand_new_v1"() : () -> ()'
    with pytest.raises(shlo.ParseError, match="--allow-newer\\) does not apply to VHLO"):
        shlo.parse(text, allow_newer=True)
