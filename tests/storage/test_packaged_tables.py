"""The tables of the grammar that a wheel has: made from its sources, and used while these are the same."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT

from stablehlo_py.storage import packaged
from stablehlo_py.syntax.lalr import tables

pytestmark = pytest.mark.slow

CHECK = """
import sys
import stablehlo_py as shlo
module = shlo.parse('''func.func @main(%a: tensor<f32>) -> tensor<f64> {
  %0 = stablehlo.abs %a : (tensor<f32>) -> tensor<f64>
  return %0 : tensor<f64>
}''')
print(*[d.code for d in shlo.verify(module)], "lark" in sys.modules)
"""


def run(package: Path, *arguments: object) -> str:
    """What Python prints with this copy of the package, and without a cache."""
    environment = os.environ | {"PYTHONPATH": str(package), "SHLO_CACHE_DIR": ""}
    done = subprocess.run(
        [sys.executable, "-P", *map(str, arguments)],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    return done.stdout


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as a wheel has it, with tables."""
    folder = tmp_path_factory.mktemp("wheel")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "stablehlo_py", folder / "stablehlo_py", ignore=ignored)
    shutil.copytree(ROOT / "grammar", folder / "stablehlo_py" / "grammar", ignore=ignored)
    shutil.copytree(ROOT / "cli", folder / "stablehlo_py" / "cli", ignore=ignored)
    run(folder, ROOT / "packaging" / "tables.py", folder)
    return folder


def test_a_wheel_with_tables_needs_no_lark(package: Path) -> None:
    assert run(package, "-c", CHECK) == "abs.C2 False\n"


def damage(text: str) -> str:
    return text[: len(text) // 2]


def forget(text: str) -> str:
    return json.dumps(json.loads(text) | {"sources": "0" * 64})


@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("grammar/types.lark", lambda text: text + "\n// changed\n"),
        ("grammar/formulas.json", forget),
        *(
            pytest.param(file, change, marks=pytest.mark.slow)  # each makes the tables: two seconds
            for file, change in (
                ("grammar/notation.lark", lambda text: text + "\n// changed\n"),
                ("opset/ops/elementwise.py", lambda text: text + "\n# changed\n"),
                ("grammar/parser.json", damage),
            )
        ),
    ],
)
def test_tables_of_other_sources_are_not_used(package: Path, file: str, change: Callable[[str], str]) -> None:
    path = package / "stablehlo_py" / file
    before = path.read_text()
    try:
        path.write_text(change(before))
        assert run(package, "-c", CHECK) == "abs.C2 True\n"
    finally:
        path.write_text(before)


def test_the_tables_are_those_that_lark_computes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "_package_entry", lambda: tmp_path / "parser.json")
    tables.package_tables()
    monkeypatch.setattr(tables, "_plain", lambda: pytest.fail("computed again"))
    plain = tables._packaged()
    assert plain is not None and tables._is_valid(plain)
    stored = tables._tables(plain)
    assert set(stored.starts) == set(tables.STARTS) and len(stored.rules) > 500
    assert packaged.load(tmp_path / "parser.json", ()) is None


def test_the_same_sources_give_the_same_tables(package: Path) -> None:
    names = ("parser.json", "formulas.json")
    before = [(package / "stablehlo_py" / "grammar" / name).read_bytes() for name in names]
    run(package, ROOT / "packaging" / "tables.py", package)
    assert [(package / "stablehlo_py" / "grammar" / name).read_bytes() for name in names] == before
