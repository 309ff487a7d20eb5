"""Importing the package: what it does in the command, and in other programs."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import stablehlo_py as shlo

START = Path(shlo.__file__).read_text(encoding="utf-8").partition("from importlib")[0]


@pytest.mark.parametrize(
    ("arguments", "given", "expected"),
    [
        (["/usr/bin/shlo", "verify"], ["python", "/usr/bin/shlo", "verify"], True),
        (["shlo"], ["shlo"], True),
        (["C:\\Python\\shlo.exe"], ["python"], True),
        (["/home/shlo/run.py"], ["python", "/home/shlo/run.py"], False),
        (["/usr/bin/shlo2"], ["shlo2"], False),
        (["-c", "shlo"], ["python", "-c", "shlo", "shlo"], False),
        ([""], ["python"], False),
        ([], [], False),
        (["-m"], ["python", "-m", "stablehlo_py"], True),
        (["-m", "run", "a"], ["python", "-I", "-m", "stablehlo_py", "run", "a"], True),
        (["-m", "stablehlo_py"], ["python", "-m", "pytest", "stablehlo_py"], False),
        (["-m", "a", "-m"], ["python", "-m", "stablehlo_py.cli", "a", "-m"], False),
    ],
)
def test_what_is_the_command(
    arguments: list[str], given: list[str], expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While Python looks for the module of `-m`, that stands before the arguments."""
    monkeypatch.setattr(sys, "argv", arguments)
    monkeypatch.setattr(sys, "orig_argv", given)
    assert shlo._is_command() is expected


@pytest.mark.parametrize(
    ("program", "handler", "changes"),
    [
        ("shlo", signal.default_int_handler, True),
        ("shlo", signal.SIG_IGN, False),
        ("python", signal.default_int_handler, False),
    ],
)
@pytest.mark.parametrize("is_interrupted", [False, True])
def test_an_interrupt_while_the_command_is_imported(
    program: str, handler: Any, changes: bool, is_interrupted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends the process, unless that was started to ignore it; those of other programs are their own."""
    asked: list[Any] = []

    def set_handler(*given: Any) -> None:
        asked.append(given)
        if is_interrupted:
            raise KeyboardInterrupt

    names = {name: getattr(signal, name) for name in ("SIGINT", "SIG_DFL", "default_int_handler")}
    fake = SimpleNamespace(getsignal=lambda number: number == signal.SIGINT and handler, signal=set_handler)
    module = ModuleType("_signal")
    vars(module).update(names | vars(fake))
    monkeypatch.setitem(sys.modules, "_signal", module)
    monkeypatch.setattr(sys, "argv", [program])
    names = {"__name__": "stablehlo_py"}
    if changes and is_interrupted:
        with pytest.raises(SystemExit) as raised:
            exec(compile(START, shlo.__file__, "exec"), names)
        assert raised.value.code == 130
    else:
        exec(compile(START, shlo.__file__, "exec"), names)
    assert asked == ([(signal.SIGINT, signal.SIG_DFL)] if changes else [])


def test_other_programs_import_what_first_calls_need() -> None:
    assert not shlo._IS_COMMAND
    assert "stablehlo_py.api.first_calls" in sys.modules


def test_names_on_first_use(monkeypatch: pytest.MonkeyPatch) -> None:
    """Modules are imported; public names are kept, so that the next use is fast."""
    assert shlo.__getattr__("storage") is sys.modules["stablehlo_py.storage"]
    assert shlo.__getattr__("lsp").__name__ == "stablehlo_py.lsp"
    exports = sys.modules["stablehlo_py.api.exports"]
    monkeypatch.delattr(shlo, "parse")
    assert shlo.parse is exports.parse and "parse" in vars(shlo)
    assert shlo.__getattr__("__all__") == exports.__all__
    for name in ("nothing", "_nothing", "__wrapped__", "np", "annotations"):
        with pytest.raises(AttributeError) as raised:
            shlo.__getattr__(name)
        assert str(raised.value) == f"module 'stablehlo_py' has no attribute '{name}'"


def test_the_command_and_the_grammar_are_in_one_place_of_the_package() -> None:
    for name in ("cli", "grammar"):
        assert sum((Path(place) / name).is_dir() for place in shlo.__path__) == 1
