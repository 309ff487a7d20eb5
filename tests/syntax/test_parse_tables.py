"""The parser's tables and their cache."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from stablehlo_py.syntax.lalr import tables

CODE = """
import sys
import stablehlo_py as shlo
shlo.parse("func.func @f(%a: tensor<f32>) { %0 = stablehlo.abs %a : tensor<f32> return }")
print("lark" in sys.modules)
"""


def imports_lark(cache: Path | str) -> bool:
    """Whether a process that parses a program, with this cache, imports Lark."""
    done = subprocess.run(
        [sys.executable, "-Pc", CODE],
        env={**os.environ, "SHLO_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    return done.stdout.strip() == "True"


@pytest.mark.slow
def test_tables_are_made_once_and_again_if_the_cache_is_damaged(tmp_path: Path) -> None:
    assert imports_lark(tmp_path)
    assert not imports_lark(tmp_path)
    (file,) = [p for p in tmp_path.iterdir() if p.name == "parser"]
    file.write_bytes(file.read_bytes()[:-100] + bytes(100))
    assert imports_lark(tmp_path)
    assert not imports_lark(tmp_path)


@pytest.mark.slow
def test_cache_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert imports_lark(tmp_path / "file" / "below")
    assert imports_lark("")


def test_a_symbol_is_looked_up_in_its_row() -> None:
    """Symbols have two bytes: the halves of two neighbours look like one."""
    expected: list[dict[int, int]] = [{256: 1, 1: -2, 257: 3}, {}, {1: 4}, {2: 5, 512: 6}]
    rows, symbols = tables.Rows(tables._pack(expected)), (0, 1, 2, 256, 257, 258, 512, -1)
    assert [rows.whole(state) for state in range(4)] == expected
    for state, row in enumerate(expected):
        assert [rows[state][symbol] for symbol in symbols] == [row.get(symbol) for symbol in symbols]


@pytest.mark.parametrize("name", ["actions", "gotos"])
def test_rows_have_the_symbols_that_are_looked_up(name: str) -> None:
    found = getattr(tables.load_tables(), name)
    symbols = range(max(memoryview(found.symbols).cast("h")) + 1)
    for state in range(0, len(found.ends) - 1, 97):
        row = found.whole(state)
        assert [found[state][symbol] for symbol in symbols] == [row.get(symbol) for symbol in symbols]


def test_rules_of_the_specification_have_their_names() -> None:
    rules = {name for _, _, name, _ in tables.load_tables().rules}
    assert {
        "op_outputs",
        "op_input_values",
        "func_inputs",
        "func_outputs",
        "func_body",
        "tensor_type",
    } <= rules


@pytest.mark.parametrize("literal", ["(", "->", "dims", "applies", "!quant.uniform"])
def test_literals(literal: str) -> None:
    assert literal in tables.load_tables().literals


RULES = [(2, 7, "sum", ("node", 0, None)), (0, 8, "nothing", ("list",)), (1, 7, "", ("inline", 1))]


@pytest.mark.parametrize(
    ("column", "wrong"),
    [
        (0, "2"),
        (0, None),
        (1, 7.0),
        (2, 1),
        (3, ["list"]),
        (3, ("lists",)),
        (3, ()),
        (3, ("node", "0")),
    ],
)
def test_rules_of_a_wrong_kind(column: int, wrong: object) -> None:
    """As a file of the cache may hold them: each rule has a size, a symbol, a name and a shape."""
    assert tables._are_rules(RULES)
    changed = [*RULES[1]]
    changed[column] = wrong
    assert not tables._are_rules([RULES[0], tuple(changed), RULES[2]])
    assert not tables._are_rules([*RULES, RULES[0][:3]])
    assert not tables._are_rules([*RULES, [*RULES[0]]])
    assert not tables._are_rules(tuple(RULES))
