"""Objects of other libraries are recognized by their methods."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import stablehlo_py as shlo

FILES = Path(__file__).parent / "files"
DATA = (FILES / "hand_tokens.plain.bc").read_bytes()
TEXT = (FILES / "hand_tokens.plain.bc.mlir").read_text()


def module_of_bindings() -> Any:
    """What jaxlib's `ir.Module` can do."""
    return SimpleNamespace(operation=SimpleNamespace(write_bytecode=lambda file: file.write(DATA)))


@pytest.mark.parametrize(
    "holder",
    [
        SimpleNamespace(mlir_module_serialized=DATA),
        SimpleNamespace(compiler_ir=lambda dialect: module_of_bindings(), as_text=lambda: ""),
        SimpleNamespace(as_text=lambda: TEXT),
        module_of_bindings(),
        DATA,
        bytearray(DATA),
        memoryview(DATA),
    ],
    ids=["exported", "lowered", "text", "bindings", "bytes", "bytearray", "memoryview"],
)
def test_object(holder: Any) -> None:
    assert shlo.format(shlo.parse(holder)) == TEXT


def test_a_path_is_read(tmp_path: Path) -> None:
    (tmp_path / "program.mlir").write_text(TEXT)
    assert shlo.format(shlo.parse(tmp_path / "program.mlir")) == TEXT
    with pytest.raises(FileNotFoundError):
        shlo.parse(tmp_path / "none.mlir")


def test_module_is_itself() -> None:
    module = shlo.parse("")
    assert shlo.parse(module) is module


def test_gradient_of_an_exported_object() -> None:
    inner = SimpleNamespace(mlir_module_serialized=DATA)
    outer = SimpleNamespace(mlir_module_serialized=b"", vjp=lambda: inner)
    assert shlo.format(shlo.parse(outer, vjp=1)) == TEXT


def test_gradients_of_gradients() -> None:
    second = SimpleNamespace(mlir_module_serialized=DATA)
    first = SimpleNamespace(mlir_module_serialized=b"ML", vjp=lambda: second)
    exported = SimpleNamespace(mlir_module_serialized=b"ML", vjp=lambda: first)
    assert shlo.format(shlo.parse(exported, vjp=2)) == TEXT
    with pytest.raises(shlo.ParseError):
        shlo.parse(exported, vjp=1)


def test_what_is_compiled_is_not_read() -> None:
    """The text of what jax compiled is XLA's; its other methods are those of what is lowered."""
    compiled = SimpleNamespace(
        runtime_executable=None, as_text=lambda: TEXT, compiler_ir=lambda dialect: TEXT
    )
    with pytest.raises(TypeError, match=r"it is compiled for XLA already; give what was lowered: jax\.jit"):
        shlo.parse(compiled)


@pytest.mark.parametrize(
    ("holder", "advice"),
    [
        (3, "not int"),
        (SimpleNamespace(lower=lambda: None), "lower"),
        (len, r"jax\.jit\(f\)\.lower"),
    ],
)
def test_other_objects(holder: Any, advice: str) -> None:
    with pytest.raises(TypeError, match=advice):
        shlo.parse(holder)
