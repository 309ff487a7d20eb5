"""Files that describe a function in a folder of torch_xla, and are not what they should be."""

from __future__ import annotations

from pathlib import Path

import pytest

import stablehlo_py as shlo
from stablehlo_py.artifacts.containers import torch_xla


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "expected JSON"),
        ("[" * 100_000, "expected JSON"),
        ("[]", "expected a JSON object"),
        (" " * (2 << 20) + "{}", "expected at most 2 MiB of JSON"),
        (" " * ((2 << 20) - 2) + "{}", "expected a list of objects `input_locations`"),
    ],
    ids=["no value", "too deep", "a list", "too large", "as large as possible"],
)
def test_wrong_descriptions(
    content: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch_xla, "_MAX_META", 2 << 20)
    (tmp_path / "functions").mkdir()
    program, meta = tmp_path / "functions/forward.mlir", tmp_path / "functions/forward.meta"
    program.write_text("func.func @main() {\n  return\n}\n")
    meta.write_text(content)
    with pytest.raises(shlo.ParseError) as raised:
        shlo.load(program)
    assert raised.value.diagnostics[0].message == f"byte 0: {message}"
    assert str(meta) in str(raised.value)


@pytest.mark.parametrize(
    ("locations", "message"),
    [
        ("[{}]", "input_locations[0]: expected type_ input_arg, parameter or constant"),
        ('[{"type_": "input_arg", "position": true}]', "input_locations[0]: expected a position"),
        ('[{"type_": "input_arg", "position": 0.0}]', "input_locations[0]: expected a position"),
        ('[{"type_": "constant", "position": -1}]', "input_locations[0]: expected a position"),
        ('[{"type_": "parameter", "name": 1}]', "input_locations[0]: expected the name of a file in data/"),
        (
            '[{"type_": "parameter", "name": "a/b"}]',
            "input_locations[0]: expected the name of a file in data/",
        ),
        (
            '[{"type_": "parameter", "name": ".."}]',
            "input_locations[0]: expected the name of a file in data/",
        ),
        ('[{"type_": "parameter", "name": ""}]', "input_locations[0]: expected the name of a file in data/"),
        (
            '[{"type_": "parameter", "name": "b"}, {"type_": "parameter", "name": "a\\u0000"}]',
            "input_locations[1]: expected the name of a file in data/",
        ),
        (
            '[{"type_": "input_arg", "position": 0}, {"type_": "input_arg", "position": 2},'
            ' {"type_": "input_arg", "position": 1}]',
            "expected the inputs of a call in the order of their positions",
        ),
    ],
)
def test_wrong_locations(locations: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "functions").mkdir()
    program = tmp_path / "functions/f.mlir"
    (tmp_path / "functions/f.meta").write_text(f'{{"input_locations": {locations}}}')
    with pytest.raises(shlo.ParseError) as raised:
        torch_xla.function_of(program)
    assert raised.value.diagnostics[0].message == f"byte 0: {message}"


def test_of_two_forms_of_a_program_the_bytecode_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "functions"
    folder.mkdir()
    for name, forms in (("one", ["mlir"]), ("two", ["mlir", "bytecode"]), ("three", [])):
        for form in ("meta", *forms):
            (folder / f"{name}.{form}").write_text("")
    assert torch_xla.programs_of(tmp_path) == [folder / "one.mlir", folder / "two.bytecode"]
