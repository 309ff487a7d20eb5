"""The public functions of the package, and their contracts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import stablehlo_py as shlo

ADD = """func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %y : tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""


def test_parse_gives_the_module() -> None:
    module = shlo.parse(ADD)
    assert list(module.functions) == ["main"]
    assert [op.name for op in module.walk()] == [
        "builtin.module",
        "func.func",
        "stablehlo.add",
        "func.return",
    ]


def test_parse_error_has_name_line_and_column() -> None:
    with pytest.raises(shlo.ParseError, match=r"^model\.mlir:2:") as caught:
        shlo.parse("func.func @main() {\n  %0 = = 3\n  return\n}\n", name="model.mlir")
    (first, *_) = caught.value.diagnostics
    assert (first.severity, first.line, first.column) == ("error", 2, 8)


def test_unknown_dialects_are_taken_when_asked() -> None:
    text = '"other.op"() : () -> ()\n'
    with pytest.raises(shlo.ParseError):
        shlo.parse(text)
    assert shlo.verify(shlo.parse(text, allow_unregistered=True)) == []


def test_load(tmp_path: Path) -> None:
    path = tmp_path / "add.mlir"
    path.write_text(ADD)
    assert shlo.load(path).source.name == str(path)
    with pytest.raises(FileNotFoundError):
        shlo.load(tmp_path / "nothing.mlir")


def test_verify_labels_the_constraint() -> None:
    text = ADD.replace("%x: tensor<2xf32>", "%x: tensor<3xf32>").replace(
        "stablehlo.add %x, %y : tensor<2xf32>",
        '"stablehlo.add"(%x, %y) : (tensor<3xf32>, tensor<2xf32>) -> tensor<2xf32>',
    )
    found = shlo.verify(shlo.parse(text))
    assert {(d.severity, d.code, d.line) for d in found} == {("error", "add.C1", 2)}


def test_format_is_a_fixed_point() -> None:
    text = shlo.format(shlo.parse(ADD))
    assert shlo.format(shlo.parse(text)) == text
    generic = shlo.format(shlo.parse(ADD), generic=True)
    assert '"stablehlo.add"(%arg0, %arg1)' in generic
    assert shlo.format(shlo.parse(generic)) == text


@pytest.mark.parametrize("inputs", [([1.0, 2.0], [3.0, 4.0])])
def test_run_by_position_and_by_name(inputs: tuple[list[float], list[float]]) -> None:
    x, y = (np.array(value, np.float32) for value in inputs)
    module = shlo.parse(ADD)
    for given in ([x, y], {"y": y, "x": x}):
        (result,) = shlo.run(module, given)
        np.testing.assert_array_equal(result, np.array([4, 6], np.float32))
    program = shlo.compile(module)
    assert [r.tolist() for r in program(x, y)] == [[4, 6]]
    assert [r.tolist() for r in program(y, y)] == [[6, 8]]


@pytest.mark.parametrize(
    "inputs",
    [[], [np.zeros(2, np.float32)], [np.zeros(3, np.float32)] * 2, [np.zeros(2, np.int32)] * 2],
    ids=["none", "one", "shape", "type"],
)
def test_inputs_that_do_not_fit(inputs: list[np.ndarray]) -> None:
    with pytest.raises(shlo.RunError):
        shlo.run(shlo.parse(ADD), inputs)


def test_entry() -> None:
    text = ADD.replace("@main", "@f") + ADD.replace("@main", "@g").replace(
        "stablehlo.add", "stablehlo.multiply"
    )
    module = shlo.parse(text)
    two = np.full(2, 2, np.float32)
    assert shlo.run(module, [two, two * 2], entry="g")[0].tolist() == [8, 8]
    with pytest.raises(shlo.RunError):
        shlo.run(module, [two, two])
    with pytest.raises(shlo.RunError, match="h"):
        shlo.compile(module, "h")
