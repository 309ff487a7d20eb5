"""Syntax: precedence, printing, the disk cache."""

from __future__ import annotations

from pathlib import Path

import pytest
from evaluating import evaluate

from stablehlo_py.notation import terms
from stablehlo_py.notation.compile import Compiler
from stablehlo_py.notation.sorts import INT, TYPE, VALUE
from stablehlo_py.notation.terms import NotationError, parse, write
from stablehlo_py.storage import cache

SAME = [
    ("a = b or c and not d", "(a = b) or (c and (not d))"),
    ("a + b * c - d", "(a + (b * c)) - d"),
    ("a ++ b + c", "a ++ (b + c)"),
    ("a = b ++ c", "a = (b ++ c)"),
    ("if a then if b then c else d", "if a then (if b then c else d)"),
    ("a = b ? c : d", "(a = b) ? c : d"),
    ("a == b", "a = b"),
    ("!a || b && c", "not a or (b and c)"),
    ("for i in x ++ y : a and b", "for i in (x ++ y) : (a and b)"),
    ("let x = a + b in x = c", "let x = (a + b) in (x = c)"),
    ("-x[0]", "-(x[0])"),
    ("f(xs...)[1]", "(f(xs...))[1]"),
    ("c ? a : d ? e : f", "c ? a : (d ? e : f)"),
]


@pytest.mark.parametrize(("short", "long"), SAME)
def test_precedence(short: str, long: str) -> None:
    assert parse(short) == parse(long)


@pytest.mark.parametrize(
    "formula",
    [
        *(short for short, _ in SAME),
        "[d for d in axes(x) if d not in y and d not in z]",
        "a[:, 0] + a[1:] + a[:-1] + a[i, j]",
        "(a - b) - (c - d)",
        "(a or b) and (c ? d : e)",
        'x in [GE, "text", 0.5, -1, true]',
        "0 <= xs... < n != m",
    ],
)
def test_written_terms_parse_to_themselves(formula: str) -> None:
    term = parse(formula)
    assert parse(write(term)) == term


@pytest.mark.parametrize(
    "formula",
    [
        *("a or b or c", "a or b and c", "a and (b or c)", "(a or b) and c", "a and not b", "not (a and b)"),
        *("a - b - c", "a - b - (c - d)", "a + b * c", "a * (b + c)", "a * b * c", "-a * b", "-(a * b)"),
        *("not not a", "-(-a)", "(-a)[0]", "-a[0]", "(a + b)[0]", "f(a)[0][1]", "xs[0]...", "(xs ++ ys)..."),
        *("a ++ b ++ c", "a ++ (b ++ c)", "a = b ++ c", "(a = b) = c", "a = (b or c)", "a and b and c"),
        *("a and (b and c)", "a and (if b then c)", "c ? a or b : d", "(c ? a : b) ? d : e"),
        *("a + b % c", "(a + b) % c", "a % b + c", "a / (b * c) % d", "a % (b - c)", "a - (b + c) / d"),
        *("[d for d in (a or b)]", "for i in (a = b) : c", "let x = (a or b) in x"),
    ],
)
def test_no_more_parentheses_than_needed(formula: str) -> None:
    assert write(parse(formula)) == formula


@pytest.mark.parametrize(
    "formula", ["", "a b", "f(a", "0 <= x <", "a = if b then c", "[a for b]", "a[", "x..y"]
)
def test_what_is_not_a_formula(formula: str) -> None:
    with pytest.raises(NotationError):
        parse(formula)


def test_equal_calls_are_one_closure() -> None:
    """Formulas share what they repeat; a name of another sort is another value."""
    short, long, other = (
        Compiler(names).compile(parse(formula))
        for formula, names in (
            ("shape(x)", {"x": VALUE}),
            ("shape(x)", {"x": VALUE, "y": INT}),
            ("shape(x)", {"x": TYPE}),
        )
    )
    assert short.run is long.run is not other.run and short.sort == other.sort
    assert Compiler({}).compile(parse("1")).sort == INT != Compiler({}).compile(parse("1.0")).sort
    assert evaluate("[1.0, 2.0]") == [1.0, 2.0] and evaluate("1 + 1") == 2
    assert type(evaluate("1")) is int and type(evaluate("1.0")) is float and evaluate("true") is True


def test_terms_are_kept_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHLO_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(terms, "_terms", {})
    terms.load(["a = b"])
    monkeypatch.setattr(terms, "_terms", {})
    monkeypatch.setattr(terms, "_parse", lambda formula: pytest.fail("parsed again"))
    terms.load(["a = b"])
    assert parse("a = b") == ("compare", ("name", "a"), "=", ("name", "b"))


def accept(data: object) -> bool:
    return True


class TestCache:
    @pytest.fixture(autouse=True)
    def folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.setenv("SHLO_CACHE_DIR", str(tmp_path))
        return tmp_path

    def test_gives_what_was_stored(self) -> None:
        cache.store("name", "key", {"a": (1, [2.5, "x"], None)})
        assert cache.load("name", "key", accept) == {"a": (1, [2.5, "x"], None)}

    def test_another_key_finds_nothing(self) -> None:
        cache.store("name", "key", 1)
        assert cache.load("name", "other", accept) is None

    def test_nothing_stored(self) -> None:
        assert cache.load("name", "key", accept) is None

    @pytest.mark.parametrize("cut", [0, 10, 31, 32, 40])
    def test_a_damaged_file_is_ignored(self, folder: Path, cut: int) -> None:
        cache.store("name", "key", list(range(100)))
        path = folder / "name"
        path.write_bytes(path.read_bytes()[:cut])
        assert cache.load("name", "key", accept) is None

    def test_a_changed_byte_is_noticed(self, folder: Path) -> None:
        cache.store("name", "key", [1, 2, 3])
        path = folder / "name"
        content = bytearray(path.read_bytes())
        content[-1] ^= 1
        path.write_bytes(content)
        assert cache.load("name", "key", accept) is None

    def test_a_folder_that_cannot_be_made(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (folder / "file").write_text("")
        monkeypatch.setenv("SHLO_CACHE_DIR", str(folder / "file" / "below"))
        cache.store("name", "key", 1)
        assert cache.load("name", "key", accept) is None

    def test_turned_off(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SHLO_CACHE_DIR", "")
        cache.store("name", "key", 1)
        assert cache.load("name", "key", accept) is None
        assert not list(folder.iterdir())

    def test_xdg_cache_home(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("SHLO_CACHE_DIR")
        monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
        cache.store("name", "key", 1)
        assert (folder / "stablehlo_py" / "name").is_file()
