"""Programs that no library is built of, and machines that cannot build one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from conftest import ROOT
from stablehlo_py.cli.main import run_command

import stablehlo_py as shlo
from stablehlo_py.library.build import identifier
from tests.library.building import build, needs_compiler

MLP = str(ROOT / "testdata" / "mlp.mlir")
FOREIGN = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @other(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.cosine %0 : tensor<4xf32>
  %a = stablehlo.constant dense<0.0> : tensor<f32>
  %b = stablehlo.constant dense<1.0> : tensor<f32>
  %s = stablehlo.constant dense<4> : tensor<1xi64>
  %2 = "stablehlo.rng"(%a, %b, %s) <{rng_distribution = #stablehlo<rng_distribution UNIFORM>}>
    : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
  %3 = stablehlo.add %1, %2 : tensor<4xf32>
  return %3 : tensor<4xf32>
}"""
DYNAMIC = """
func.func @main(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %0 = stablehlo.add %x, %x : tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}"""


def test_all_ops_without_a_native_form_are_named(tmp_path: Path) -> None:
    with pytest.raises(shlo.TransformError) as found:
        build(FOREIGN, tmp_path / "out")
    lines = {each.line: each.message for each in found.value.diagnostics}
    assert sorted(lines) == [3, 8]
    assert lines[3].startswith("stablehlo.custom_call @other: ")
    assert "generator" in lines[8]
    assert not (tmp_path / "out").exists()


def test_without_lapack_its_calls_are_named(tmp_path: Path) -> None:
    """Complex matrices have no loops, and large ones none that pay."""
    text = """
func.func @main(%x: tensor<4x3xcomplex<f64>>, %y: tensor<300x300xf32>) -> tensor<300x300xf32> {
  %q:2 = stablehlo.custom_call @lapack_zgeqrf_ffi(%x) {mhlo.backend_config = {}}
    : (tensor<4x3xcomplex<f64>>) -> (tensor<4x3xcomplex<f64>>, tensor<3xcomplex<f64>>)
  %l:2 = stablehlo.custom_call @lapack_spotrf_ffi(%y) {mhlo.backend_config = {uplo = 76 : ui8}}
    : (tensor<300x300xf32>) -> (tensor<300x300xf32>, tensor<i32>)
  %r = stablehlo.real %q#1 : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
  return %l#0 : tensor<300x300xf32>
}"""
    with pytest.raises(shlo.TransformError) as found:
        build(text.replace("zgeqrf", "zother"), tmp_path)
    assert "--lapack" not in found.value.diagnostics[0].message
    with pytest.raises(shlo.TransformError) as found:
        build(text, tmp_path)
    assert [each.line for each in found.value.diagnostics] == [3, 5]
    assert all(
        "a call of LAPACK" in each.message and "--lapack" in each.message for each in found.value.diagnostics
    )


def test_all_functions_without_a_native_form_are_named(tmp_path: Path) -> None:
    other = FOREIGN.replace("@main", "@third")
    with pytest.raises(shlo.TransformError) as found:
        build(FOREIGN + other, tmp_path, entries=("main", "third"))
    assert [each.line for each in found.value.diagnostics] == [3, 8, 14, 19]


def test_functions_have_different_names_in_c(tmp_path: Path) -> None:
    text = "".join([f'func.func @"{name}"() {{\n  return\n}}\n' for name in ("a b", "a_b")])
    with pytest.raises(ValueError, match=r"model_a_b_run, model_a_b_run"):
        build(text, tmp_path, entries=("a b", "a_b"))


def test_ops_of_bodies_are_named_rather_than_the_loop(tmp_path: Path) -> None:
    text = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %p = stablehlo.constant dense<true> : tensor<i1>
  %r = "stablehlo.while"(%x) ({
  ^bb0(%y: tensor<4xf32>):
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%y: tensor<4xf32>):
    %0 = stablehlo.custom_call @other(%y) : (tensor<4xf32>) -> tensor<4xf32>
    SOME
    stablehlo.return %LAST : tensor<4xf32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}"""
    # Beside enough native ops, the native engine compiles the loop, and calls Python for the others.
    native = "".join([f"%{n + 1} = stablehlo.sine %{n} : tensor<4xf32>\n" for n in range(3)])
    for some, last in (("", "0"), (native, "3")):
        with pytest.raises(shlo.TransformError) as found:
            build(text.replace("SOME", some).replace("LAST", last), tmp_path)
        assert [each.line for each in found.value.diagnostics] == [9]


def test_sorts_that_loops_leave_to_python(tmp_path: Path) -> None:
    """They have loops, of which one that runs for long could not be ended in time."""
    text = """
func.func @main(%p: tensor<i1>, %x: tensor<1048576xf32>) -> tensor<1048576xf32> {
  %r = "stablehlo.if"(%p) ({
    %s = "stablehlo.sort"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %l = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
    }) {dimension = 0 : i64} : (tensor<1048576xf32>) -> tensor<1048576xf32>
    %t = stablehlo.sine %s : tensor<1048576xf32>
    stablehlo.return %t : tensor<1048576xf32>
  }, {
    stablehlo.return %x : tensor<1048576xf32>
  }) : (tensor<i1>) -> tensor<1048576xf32>
  return %r : tensor<1048576xf32>
}"""
    with pytest.raises(shlo.TransformError) as found:
        build(text, tmp_path)
    assert [each.line for each in found.value.diagnostics] == [4]


def test_a_loop_of_arrays_without_elements_alone(tmp_path: Path) -> None:
    """It may not end, and is no constant."""
    text = """
func.func @main(%p: tensor<i1>, %x: tensor<0x2xf32>) -> tensor<0x2xf32> {
  %r = stablehlo.while(%a = %x) : tensor<0x2xf32>
  cond {
    stablehlo.return %p : tensor<i1>
  } do {
    %s = stablehlo.sine %a : tensor<0x2xf32>
    stablehlo.return %s : tensor<0x2xf32>
  }
  return %r : tensor<0x2xf32>
}"""
    with pytest.raises(shlo.TransformError, match=r"3:\d+: .*arrays without elements, tensor<0x2xf32>"):
        build(text, tmp_path)


def test_shapes_have_to_be_known(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "dynamic.mlir").write_text(DYNAMIC)
    command = ["build", str(tmp_path / "dynamic.mlir"), "-o", str(tmp_path / "out")]
    assert run_command(command) == 1
    said = capsys.readouterr().err
    assert "input 0 (%x)" in said and "--dim" in said
    assert run_command([*command, "--dim", "nothing=3"]) == 2


@pytest.mark.parametrize("type", ["tuple<tensor<f32>>", "!stablehlo.token"])
def test_values_that_are_no_arrays(type: str, tmp_path: Path) -> None:
    with pytest.raises(shlo.TransformError, match="is no array"):
        build(f"func.func @main(%x: {type}) -> {type} {{\n  return %x : {type}\n}}", tmp_path)


def test_without_a_compiler_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", "no-such-compiler -O2")
    assert run_command(["build", MLP, "-o", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert "no-such-compiler" in said and "CC" in said
    assert not (tmp_path / "out").exists()


def test_a_compiler_that_fails_says_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = tmp_path / "compiler"
    compiler.write_text("#!/bin/sh\necho no license >&2\nexit 3\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(compiler))
    assert run_command(["build", MLP, "-o", str(tmp_path / "out")]) == 2
    assert "status 3:\nno license" in capsys.readouterr().err
    assert [*tmp_path.iterdir()] == [compiler]
    (tmp_path / "out").mkdir()
    for folder in ("out", "out/deeper/still"):
        assert run_command(["build", MLP, "-o", str(tmp_path / folder)]) == 2
        assert not [*(tmp_path / "out").iterdir()]


@needs_compiler
def test_the_folder_and_the_compiler_may_be_paths_from_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mlp.mlir").write_text(Path(MLP).read_text())
    monkeypatch.chdir(tmp_path)
    Path("compiler").write_text('#!/bin/sh\nexec cc "$@"\n')
    Path("compiler").chmod(0o755)
    monkeypatch.setenv("CC", "./compiler")
    for options in ([], ["--static"]):
        assert run_command(["build", "mlp.mlir", "-o", "a/b", *options]) == 0
    assert {path.name for path in Path("a/b").iterdir()} == {"libmlp.so", "libmlp.a", "mlp.h", "example"}


def test_names_are_those_of_c(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert [identifier(text) for text in ("model-1", "1st", "_x", "größe", "a.b c")] == [
        "model_1",
        "m1st",
        "m_x",
        "gr__e",
        "a_b_c",
    ]
    command = ["build", MLP, "-o", str(tmp_path / "out"), "--name", "a-b"]
    assert run_command(command) == 2
    assert "a-b is no name in C" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_the_folder_may_be_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mlp.mlir").write_text(Path("testdata/mlp.mlir").read_text())
    monkeypatch.chdir(tmp_path)
    assert run_command(["build", "mlp.mlir", "-o", "out"]) == 0
    assert {each.name for each in (tmp_path / "out").iterdir()} == {"libmlp.so", "mlp.h", "example"}


def test_without_the_extra_native_the_error_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("stablehlo_py.library.build.find_spec", lambda name: None)
    assert run_command(["build", MLP, "-o", str(tmp_path / "out")]) == 2
    assert "pip install 'stablehlo-py[native]'" in capfd.readouterr().err
    assert not (tmp_path / "out").exists()


RECURSIVE = """
func.func @main(%n: tensor<i32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = "stablehlo.case"(%n) ({
    %s = func.call @main(%n, %x) : (tensor<i32>, tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %s : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}"""
OF_A_SIZE = """
func.func @main(%x: tensor<4xf32>, %n: tensor<1xi32>) -> tensor<i32> {
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %n, dims = [0] : (tensor<4xf32>, tensor<1xi32>) -> tensor<?xf32>
  %1 = stablehlo.sine %0 : tensor<?xf32>
  %2 = stablehlo.get_dimension_size %1, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  return %2 : tensor<i32>
}"""
UNKNOWN = "the shape of tensor<?xf32> is known only when it runs"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (RECURSIVE, ["4 func.call: a recursive call has no native form"]),
        (
            OF_A_SIZE,
            [
                f"3 stablehlo.dynamic_broadcast_in_dim: {UNKNOWN}",
                f"4 stablehlo.sine: {UNKNOWN}",
                f"5 stablehlo.get_dimension_size: {UNKNOWN}",
            ],
        ),
    ],
)
def test_why_a_step_has_no_native_form(text: str, expected: list[str], tmp_path: Path) -> None:
    with pytest.raises(shlo.TransformError) as found:
        build(text, tmp_path)
    assert [f"{each.line} {each.message}" for each in found.value.diagnostics] == expected


@pytest.mark.parametrize(
    ("count", "types"),
    [(0, ""), (1, "1"), (2, "1, 2"), (3, "1, 2, 3"), (4, "1, 2, 3, ..."), (5, "1, 2, 3, ...")],
)
def test_the_first_three_types_of_a_call_are_named(count: int, types: str, tmp_path: Path) -> None:
    given = [f"tensor<{number}xi8>" for number in range(1, count + 1)]
    inputs = ", ".join([f"%{letter}: {type}" for letter, type in zip("abcde", given, strict=False)])
    text = f"""
func.func @main({inputs}) -> tensor<i8> {{
  %r = stablehlo.custom_call @other({", ".join([f"%{letter}" for letter in "abcde"[:count]])})
    : ({", ".join(given)}) -> tensor<i8>
  return %r : tensor<i8>
}}"""
    with pytest.raises(shlo.TransformError) as found:
        build(text, tmp_path)
    shown = ", ".join([f"tensor<{each}xi8>" if each != "..." else each for each in types.split(", ") if each])
    assert [each.message for each in found.value.diagnostics] == [
        f"stablehlo.custom_call @other: a call of code outside of the program, of ({shown})"
    ]


def test_libraries_by_name_and_by_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file is one that is found from any folder; a folder is none. None are linked in vain."""
    text = """
func.func @main(%x: tensor<4x3xcomplex<f64>>) -> tensor<3xcomplex<f64>> {
  %q:2 = stablehlo.custom_call @lapack_zgeqrf_ffi(%x) {mhlo.backend_config = {}}
    : (tensor<4x3xcomplex<f64>>) -> (tensor<4x3xcomplex<f64>>, tensor<3xcomplex<f64>>)
  return %q#1 : tensor<3xcomplex<f64>>
}"""
    monkeypatch.chdir(tmp_path)
    Path("lapack").mkdir()
    Path("own.so").touch()
    build(text, tmp_path / "out", link=False, lapack=("lapack", "own.so", "blas"))
    made = (tmp_path / "out" / "CMakeLists.txt").read_text()
    assert re.search(rf"\blapack\W+{re.escape(str(tmp_path))}/own\.so\W+blas\b", made)
    assert f"{tmp_path}/lapack" not in made
    # A shared library names those that it needs itself; a program is linked with those of an archive.
    linked = "INTERFACE_LINK_LIBRARIES"
    lines = (tmp_path / "out/example/CMakeLists.txt").read_text().splitlines()
    (line,) = [each for each in lines if linked in each]
    assert "own.so" not in line and "blas" not in line
    build(text, tmp_path / "static", link=False, static=True, lapack=("lapack", "own.so", "blas"))
    lines = (tmp_path / "static/example/CMakeLists.txt").read_text().splitlines()
    (line,) = [each for each in lines if linked in each]
    assert f"pthread;m;lapack;{tmp_path}/own.so;blas" in line
    build(Path(MLP).read_text(), tmp_path / "other", link=False, lapack=("lapack", "own.so", "blas"))
    made = (tmp_path / "other" / "CMakeLists.txt").read_text()
    assert "own.so" not in made and "blas" not in made
