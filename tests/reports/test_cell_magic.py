"""The cell magic without a notebook: options, variables, and what a cell returns."""

from __future__ import annotations

from typing import Any

import pytest

import stablehlo_py as shlo
from stablehlo_py.diagnostics.diagnostic import Diagnostics
from stablehlo_py.reports.ipython import USAGE, CellMagic, UsageError

GOOD = "func.func @main(%x: tensor<i32>) -> tensor<i32> { return %x : tensor<i32> }"
INVALID = "func.func @main(%x: tensor<i32>) -> tensor<f32> { return %x : tensor<i32> }"
BROKEN = "func.func @main() { return %x : tensor<i32> }"


class Shell:
    """A shell with variables, which keeps the magic that is registered."""

    def __init__(self) -> None:
        self.user_ns: dict[str, Any] = {"a": 1, "b": 2}
        self.magics: list[tuple[Any, str, str]] = []

    def register_magic_function(self, function: Any, kind: str, name: str) -> None:
        self.magics.append((function, kind, name))


@pytest.fixture
def shell() -> Shell:
    """Programs run to the list of their inputs."""
    found = Shell()
    CellMagic(shlo.parse, shlo.verify, lambda module, inputs: [module.name, *inputs]).register(found)
    return found


@pytest.mark.parametrize(
    ("line", "result", "bound"),
    [
        ("", "<Module '<cell>' of main>", None),
        ("--name m", "<Module 'm' of main>", "m"),
        ("--run", "['<cell>']", None),
        ("--run a b a", "['<cell>', 1, 2, 1]", None),
        ("--name m --run b", "['m', 2]", "m"),
    ],
)
def test_what_a_cell_returns(shell: Shell, line: str, result: str, bound: str | None) -> None:
    ((magic, kind, name),) = shell.magics
    assert (kind, name) == ("cell", "stablehlo")
    assert repr(magic(line, GOOD)) == result
    assert set(shell.user_ns) - {"a", "b"} == ({bound} if bound else set())
    assert not bound or shell.user_ns[bound].name == bound


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--run a c d", "no variable named c, d"),
        ("--name", "unexpected '--name'"),
        ("--name m x", "unexpected 'x'"),
        ("a --run", "unexpected 'a'"),
        ("x --name m", "unexpected 'x'"),
    ],
)
def test_wrong_options(shell: Shell, line: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        shell.magics[0][0](line, GOOD)
    assert str(caught.value) == f"{message}; {USAGE}" and "m" not in shell.user_ns


@pytest.mark.parametrize("line", ["", "--name m", "--run a"])
@pytest.mark.parametrize(("cell", "is_bound"), [(INVALID, True), (BROKEN, False)])
def test_a_program_that_is_not_valid_is_not_run(shell: Shell, line: str, cell: str, is_bound: bool) -> None:
    found = shell.magics[0][0](line, cell)
    assert isinstance(found, Diagnostics) and found[0].severity == "error"
    assert ("m" in shell.user_ns) == (is_bound and "m" in line)


def test_a_program_with_warnings_is_run() -> None:
    warning = shlo.Diagnostic("warning", "c", "m", 1, 1)
    magic = CellMagic(shlo.parse, lambda module: [warning], lambda module, inputs: inputs)
    assert magic.execute({"a": 5}, "--run a", GOOD) == [5]
