"""`shlo.build`: C libraries from Python, with the options of the command."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo
from stablehlo_py.library import build as library_build
from stablehlo_py.library.build import Request
from tests.library.building import needs_compiler

DYNAMIC = """
func.func @main(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %0 = stablehlo.add %x, %x : tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}
func.func @other(%x: tensor<2xi32>) -> tensor<2xi32> {
  return %x : tensor<2xi32>
}"""

INVALID = """
func.func @main() -> tensor<2xf32> {
  %0 = stablehlo.iota dim = 5 : tensor<2xf32>
  return %0 : tensor<2xf32>
}"""


@needs_compiler
def test_a_library_for_given_sizes(tmp_path: Path) -> None:
    archive, header, *example = shlo.build(
        DYNAMIC, tmp_path / "lib", name="twice", dims={"x.0": 3}, static=True, entries=["main", "other"]
    )
    assert (archive, header) == (tmp_path / "lib" / "libtwice.a", tmp_path / "lib" / "twice.h")
    assert all(path.parent.name == "example" and path.exists() for path in example)
    text = header.read_text()
    assert "x 3x2 f32" in text and "twice_run(" in text and "twice_other_run(" in text


@needs_compiler
def test_the_defaults(tmp_path: Path) -> None:
    """A shared library of `main` alone, with nothing beside it but its header and example."""
    files = shlo.build(DYNAMIC.replace("?", "2"), tmp_path)
    names = {path.relative_to(tmp_path).as_posix() for path in files if path.parent == tmp_path}
    assert names == {f"libmodel{files[0].suffix}", "model.h"} and files[0].suffix in (".so", ".dylib")
    assert "other_run(" not in (tmp_path / "model.h").read_text()


def test_programs_and_options_that_are_wrong(tmp_path: Path) -> None:
    with pytest.raises(shlo.TransformError, match="--dim"):
        shlo.build(DYNAMIC, tmp_path / "lib")
    with pytest.raises(shlo.TransformError, match=r"iota \(C1\)"):
        shlo.build(INVALID, tmp_path / "lib")
    with pytest.raises(ValueError, match="no target pdp11"):
        shlo.build(DYNAMIC, tmp_path / "lib", dims={"x.0": 3}, target="pdp11")
    with pytest.raises(ValueError, match="y"):
        shlo.build(DYNAMIC, tmp_path / "lib", dims={"y.0": 3})
    assert not [*tmp_path.iterdir()]


def test_all_options_reach_the_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    requests: list[Request] = []

    def built(module: shlo.Module, request: Request, folder: Path) -> list[Path]:
        requests.append(request)
        return []

    monkeypatch.setattr(library_build, "build_library", built)
    shlo.build(
        DYNAMIC, tmp_path, name="n", entries=["a", "b"], target="aarch64", static=True, weights="file",
        link=False, wheel=True, lapack=["l"],
    )  # fmt: skip
    shlo.build(DYNAMIC, tmp_path)
    shlo.build(DYNAMIC, tmp_path, wheel=True)
    assert requests == [
        Request("n", ("a", "b"), "aarch64", True, "file", False, True, ("l",)),
        Request("model"),
        Request("model", wheel=True),
    ]
