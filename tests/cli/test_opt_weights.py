"""`shlo opt` with the passes `externalize` and `bind`: both files, or none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from stablehlo_py.cli.main import run_command

import stablehlo_py as shlo
from stablehlo_py.ir.attributes import DenseElementsAttr
from stablehlo_py.ir.core import Operation
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import TensorType
from stablehlo_py.storage.safetensors import open_safetensors
from stablehlo_py.syntax.parser import parse_type

TEXT = """\
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %w = stablehlo.constant dense<[1.0, -0.0]> : tensor<2xf32> loc("params['w']")
  %0 = stablehlo.add %x, %w : tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""
PASS = ["-p", "externalize=min-bytes=8"]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "model.mlir"
    file.write_text(TEXT)
    return file


def test_out_and_back(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["opt", "model.mlir", *PASS, "-o", "small.mlir", "--weights", "w.safetensors"]) == 0
    assert capsys.readouterr().out == ""
    assert open_safetensors(Path("w.safetensors"))["params/w"].tobytes().hex() == "0000803f00000080"
    assert "constant" not in Path("small.mlir").read_text()
    assert run_command(["opt", "small.mlir", "-p", "bind=w.safetensors"]) == 0
    assert shlo.hash(capsys.readouterr().out) == shlo.hash(TEXT)
    assert run_command(["opt", "model.mlir", *PASS, "--weights", "w.safetensors"]) == 0
    assert capsys.readouterr().out == Path("small.mlir").read_text()


def test_a_program_without_such_constants_has_a_file_of_no_weights(program: Path) -> None:
    pass_ = ["-p", "externalize=min-bytes=9"]
    assert run_command(["opt", "model.mlir", *pass_, "-o", "same.mlir", "--weights", "w.safetensors"]) == 0
    assert len(open_safetensors(Path("w.safetensors"))) == 0
    assert shlo.hash(shlo.load("same.mlir")) == shlo.hash(TEXT)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["model.mlir", *PASS, "-o", "small.mlir"], "1 constant became arguments: name the file"),
        (["model.mlir", *PASS, "--weights", "w.npz"], "expected the suffix .safetensors"),
        (["model.mlir", *PASS, "-i", "--weights", "w.safetensors"], "neither --in-place nor --diff"),
        (["model.mlir", "model.mlir", *PASS, "--weights", "model.mlir.safetensors", "-o", "model.mlir"], ""),
        (
            ["model.mlir", *PASS, "--weights", "w.safetensors", "-o", "w.safetensors"],
            "the file of two outputs",
        ),
        (["model.mlir", *PASS, "--weights", "none/w.safetensors", "-o", "small.mlir"], "No such file"),
        (["model.mlir", *PASS, "--weights", "w.safetensors", "-o", "none/small.mlir"], "No such file"),
        (["model.mlir", "-p", "bind=w.safetensors", "-o", "small.mlir"], "w.safetensors: No such file"),
    ],
)
def test_nothing_is_written_on_errors(
    program: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    before = {path.name: path.read_bytes() for path in program.parent.iterdir()}
    assert run_command(["opt", *arguments]) == 2
    assert message in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in program.parent.iterdir()} == before


def test_tensors_that_do_not_fit(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["opt", "model.mlir", *PASS, "-o", "small.mlir", "--weights", "w.safetensors"]) == 0
    small = Path("small.mlir")
    small.write_text(small.read_text().replace("2xf32", "2xf64"))
    assert run_command(["opt", "small.mlir", "-p", "bind=w.safetensors", "-o", "bound.mlir"]) == 1
    assert (
        "params/w: the argument has type tensor<2xf64>, the tensor tensor<2xf32>" in capsys.readouterr().err
    )
    assert not Path("bound.mlir").exists()


def test_several_modules_have_no_file_in_common(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program.write_text(f"{TEXT}// -----\n{TEXT}")
    assert run_command(["opt", "model.mlir", *PASS, "-o", "small.mlir", "--weights", "w.safetensors"]) == 2
    assert "a file of one module" in capsys.readouterr().err
    assert [path.name for path in program.parent.iterdir()] == ["model.mlir"]


MEASURED = """
import resource, sys
from stablehlo_py.cli.main import run_command
status = run_command(sys.argv[1:])
print(status, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, file=sys.stderr)
"""


def peak(*arguments: str) -> int:
    """The peak of resident memory of a command, in bytes."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *arguments], capture_output=True, text=True, check=True, timeout=300
    )
    status, found = done.stderr.split()[-2:]
    assert status == "0", done.stderr
    return int(found)


def large(count: int) -> shlo.Module:
    """A program with `count` constants of 4 MB."""
    rng, size = np.random.default_rng(0), 1_000_000
    type = f"tensor<{size}xf32>"
    body = "".join(
        f"  %c{n} = stablehlo.constant dense<{n}.0> : {type}\n"
        f"  %{n + 1} = stablehlo.add %{n}, %c{n} : {type}\n"
        for n in range(count)
    )
    module = shlo.parse(f"func.func @main(%0: {type}) -> {type} {{\n{body}  return %{count} : {type}\n}}\n")
    for op in module.walk():
        if op.name == "stablehlo.constant":
            data = rng.random(size, dtype=np.float32)
            op.properties["value"] = DenseElementsAttr(op.result.type, data)
    return module


@pytest.mark.slow
def test_memory_of_externalization(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes the file and at most 0.3 of it, besides what a small program takes."""
    monkeypatch.chdir(tmp_path)
    for name, count in (("small", 1), ("large", 41)):
        Path(f"{name}.mlirbc").write_bytes(shlo.serialize(large(count), "bytecode"))
    rest = ("-p", "externalize", "-o", "out.mlir", "--weights", "w.safetensors")
    before, after = (peak("opt", f"{name}.mlirbc", *rest) for name in ("small", "large"))
    assert after - before < 1.3 * 160e6
    assert len(open_safetensors(Path("w.safetensors"))) == 41


def test_large_constants_are_written_as_the_printer_writes_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Elements in several pieces, elements that are all equal, and those of narrow types."""
    monkeypatch.chdir(tmp_path)
    module = large(1)
    (constant,) = [op for op in module.walk() if op.name == "stablehlo.constant"]
    for index, element in enumerate(("i4", "i1", "f32")):
        type = TensorType((1_500_000,), parse_type(element))
        data = np.arange(1_500_000).astype(numpy_dtype(type.element_type))
        data[:] = data[0] if element == "f32" else data
        added = Operation("stablehlo.constant", (), [type], {"value": DenseElementsAttr(type, data)})
        module.functions["main"].blocks[0].insert(index, added)
    assert constant in module.functions["main"].blocks[0].ops
    Path("large.mlirbc").write_bytes(shlo.serialize(module, "bytecode"))
    assert run_command(["opt", "large.mlirbc", "-p", "strip-debuginfo", "--canonical", "-o", "out.mlir"]) == 0
    assert Path("out.mlir").read_text() == shlo.format(module)


@pytest.mark.slow
def test_memory_of_binding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file of weights is mapped, and the text is written tensor by tensor."""
    monkeypatch.chdir(tmp_path)
    for name, count in (("small", 1), ("large", 41)):
        Path(f"{name}.mlirbc").write_bytes(shlo.serialize(large(count), "bytecode"))
        rest = ["-p", "externalize", "-o", f"{name}.mlir", "--weights", f"{name}.safetensors"]
        assert run_command(["opt", f"{name}.mlirbc", *rest]) == 0
    rest = ["-o", "out.mlir"]
    before, after = (
        peak("opt", f"{name}.mlir", "-p", f"bind={name}.safetensors", *rest) for name in ("small", "large")
    )
    assert after - before < 1.3 * 160e6


def test_the_suffix_of_the_output_is_its_format(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["opt", "model.mlir", *PASS, "-o", "small.mlirbc", "--weights", "w.safetensors"]) == 0
    small = shlo.opt(shlo.load("model.mlir"), PASS[1])
    assert Path("small.mlirbc").read_bytes() == shlo.serialize(small, "bytecode")
    assert run_command(["opt", "small.mlirbc", "-p", "bind=w.safetensors", "-o", "bound.bc"]) == 0
    assert shlo.hash(shlo.load("bound.bc")) == shlo.hash(shlo.load("model.mlir"))
    assert run_command(["opt", "model.mlir", "-p", "cse", "-o", "out.mlirbc", "--generic"]) == 2
    program.write_text(f"{TEXT}// -----\n{TEXT}")
    assert run_command(["opt", "model.mlir", "-p", "cse", "-o", "out.mlirbc"]) == 2
    said = capsys.readouterr().err
    assert (
        "--generic is for text, not for bytecode" in said
        and "out.mlirbc: one module, where model.mlir has 2" in said
    )
    assert not Path("out.mlirbc").exists()


def test_what_a_portable_artifact_cannot_hold(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program.write_text(
        "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n"
        "  %0 = math.sin %x : tensor<f32>\n"
        "  return %0 : tensor<f32>\n}"
    )
    assert run_command(["opt", "model.mlir", "-p", "cse", "-o", "out.bc"]) == 1
    assert "model.mlir:2:8" in capsys.readouterr().err and not Path("out.bc").exists()


@pytest.mark.slow
def test_memory_of_bytecode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Constants go from the mapped file to bytecode without a copy of their own."""
    monkeypatch.chdir(tmp_path)
    for name, count in (("small", 1), ("large", 41)):
        Path(f"{name}.mlirbc").write_bytes(shlo.serialize(large(count), "bytecode"))
    rest = ("-p", "externalize", "--weights", "w.safetensors")
    outward = [peak("opt", f"{name}.mlirbc", *rest, "-o", f"{name}2.mlirbc") for name in ("small", "large")]
    rest = ("-p", "bind=file=w.safetensors extra=true", "-o", "bound.mlirbc")
    inward = [peak("opt", f"{name}2.mlirbc", *rest) for name in ("small", "large")]
    for before, after in (outward, inward):
        assert after - before < 1.3 * 160e6
    assert shlo.hash(shlo.load("bound.mlirbc")) == shlo.hash(shlo.load("large.mlirbc"))
