"""Ops that lack what a rule reads, such as a region: no finding, and those behind them are looked at."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_finding_borders import lint

from stablehlo_py.linter import config

B, F = "tensor<4096xbf16>", "tensor<4xf32>"
EMPTY = (
    f'%e = "stablehlo.reduce"(%x, %z) <{{dimensions = array<i64: 0>}}> : ({B}, tensor<bf16>) -> tensor<bf16>'
)
WHOLE = f"""%w = stablehlo.reduce(%x init: %z) applies stablehlo.OP across dimensions = [0]
  : ({B}, tensor<bf16>) -> tensor<bf16>"""
BODY = """ ({
  ^bb0(%a: tensor<KIND>, %b: tensor<KIND>):
    %c = stablehlo.add %a, %b : tensor<KIND>
    stablehlo.return %c : tensor<KIND>
})"""
OPEN = f'%o = "stablehlo.reduce"(%x, %z){BODY.replace("KIND", "bf16")} : ({B}, tensor<bf16>) -> tensor<bf16>'
NUMBERS = "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]"
DIMENSIONS = f"<{{scatter_dimension_numbers = #stablehlo.scatter<{NUMBERS}>}}>"
SCATTER = f"""%s = "stablehlo.scatter"(%f, %i, %u) {DIMENSIONS}REGION
  : ({F}, tensor<1xi64>, tensor<f32>) -> {F}"""
ORDER = "the order of floating-point updates to the same element is undefined, and affects rounding"


def found(rule: str, *lines: str) -> list[str]:
    body = "\n".join(lines)
    arguments = f"%x: {B}, %z: tensor<bf16>, %f: {F}, %i: tensor<1xi64>, %u: tensor<f32>"
    text = f"func.func @main({arguments}) {{\n{body}\nreturn\n}}"
    return [message.partition("\n")[0].partition(":")[0] for message in lint(rule, text)]


@pytest.mark.parametrize(
    ("rule", "lines", "messages"),
    [
        ("narrow-reduction", [WHOLE.replace("OP", "add")], ["stablehlo.reduce adds 4096 elements in bf16"]),
        ("narrow-reduction", [EMPTY, WHOLE.replace("OP", "multiply")],
         ["stablehlo.reduce multiplies 4096 elements in bf16"]),
        ("narrow-reduction", [EMPTY], []),
        ("narrow-reduction", [EMPTY, OPEN],  # without dimensions
         ["stablehlo.reduce adds an unknown number of elements in bf16"]),
        ("nondeterministic-op", [SCATTER.replace("REGION", BODY.replace("KIND", "f32"))], [ORDER]),
        ("nondeterministic-op", [SCATTER.replace("REGION", "")], []),
        ("nondeterministic-op",
         [SCATTER.replace("REGION", ""),
          SCATTER.replace("%s", "%t").replace("REGION", BODY.replace("KIND", "f32"))],
         [ORDER]),
    ],
)  # fmt: skip
def test_what_follows_is_looked_at(rule: str, lines: list[str], messages: list[str]) -> None:
    assert found(rule, *lines) == messages


@pytest.mark.parametrize("limit", [0, 1, 4])
def test_what_is_no_array_has_no_bytes(limit: int) -> None:
    """A tuple beside an array of four bytes, both replicated."""
    sharding = "{sdy.sharding = #sdy.sharding<@mesh, []>}"
    arguments = f"%t: tuple<tensor<9xf32>> {sharding}, %x: tensor<f32> {sharding}"
    text = f'sdy.mesh @mesh = <["x"=4]>\nfunc.func @main({arguments}) {{\n  return\n}}'
    messages = lint("replicated-argument", text, max_replicated_bytes=limit)
    assert messages == ["%x of 4 bytes is replicated on every device"] * (limit < 4)


def test_a_project_without_a_file_has_its_folder(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.shlo]\nfail-on = "note"\n')
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    found = config.find_project(inner)
    assert (found.root, found.fail_on("lint")) == (tmp_path, "note")
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    found = config.find_project(inner)
    assert found.fail_on("lint") == "warning" and found.root == inner


def test_the_largest_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text("[tool.shlo]\n#")
    monkeypatch.setattr(config, "_LARGEST", 13)
    assert config.load(path).root == tmp_path
    monkeypatch.setattr(config, "_LARGEST", 12)
    with pytest.raises(config.SettingsError, match="larger than 0 MiB"):
        config.load(path)
