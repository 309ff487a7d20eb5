"""The cache on disk: what is read from it, and that nothing in it changes a verdict."""

from __future__ import annotations

import marshal
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import numpy as np
import pytest

from stablehlo_py.notation import terms
from stablehlo_py.storage import cache, expressions
from stablehlo_py.storage.expressions import compile_cached
from stablehlo_py.syntax.lalr import tables

Shlo = Callable[..., "CompletedProcess[str]"]

WRONG = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.transpose"(%x) {permutation = array<i64: 1>} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("SHLO_CACHE_DIR", str(tmp_path / "cache"))
    yield tmp_path / "cache"


def entry(is_valid: Callable[[Any], bool] = lambda data: True) -> Any:
    return cache.load("entry", "key", is_valid)


def test_an_entry_that_cannot_be_written_leaves_nothing(folder: Path) -> None:
    (folder / "entry").mkdir(parents=True)  # which no file replaces
    cache.store("entry", "key", [1])
    assert [path.name for path in folder.iterdir()] == ["entry"] and entry() is None


def test_an_entry_is_read_back(folder: Path) -> None:
    cache.store("entry", "key", [1, "a"])
    assert entry() == [1, "a"] and cache.load("entry", "other", lambda data: True) is None
    assert (folder / "entry").stat().st_mode & 0o077 == 0 and folder.stat().st_mode & 0o077 == 0
    assert entry(lambda data: isinstance(data, dict)) is None
    cache.remove("entry")
    assert entry() is None


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_can_write_is_not_read(folder: Path, mode: int) -> None:
    cache.store("entry", "key", 1)
    (folder / "entry").chmod(mode)
    assert entry() is None


def test_a_file_of_another_user_is_not_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.store("entry", "key", 1)
    monkeypatch.setattr(os, "geteuid", lambda: (folder / "entry").stat().st_uid + 1)
    assert entry() is None


def test_windows_has_no_users_of_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.store("entry", "key", 1)
    (folder / "entry").chmod(0o666)
    monkeypatch.setattr(cache.sys, "platform", "win32")
    monkeypatch.delattr(os, "geteuid")
    assert entry() == 1


@pytest.mark.parametrize(("mode", "is_read"), [(0o700, True), (0o770, True), (0o702, False), (0o707, False)])
def test_a_folder_that_everybody_can_write_is_not_used(folder: Path, mode: int, is_read: bool) -> None:
    cache.store("entry", "key", 1)
    folder.chmod(mode)
    assert (entry() == 1) is is_read


def replace_by_link(path: Path) -> None:
    path.rename(path.with_name("other"))
    path.symlink_to("other")


def replace_by_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def replace_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def make_huge(path: Path) -> None:
    with path.open("ab") as stream:
        stream.truncate(1 << 40)


@pytest.mark.parametrize("change", [replace_by_link, replace_by_pipe, replace_by_folder, make_huge])
def test_what_is_no_plain_file_is_not_read(folder: Path, change: Callable[[Path], None]) -> None:
    cache.store("entry", "key", 1)
    change(folder / "entry")
    assert entry() is None


@pytest.mark.parametrize("data", [None, 1, "ab", (), ("key",), ("a", "b", "c"), {}, [[]]])
def test_data_of_another_shape_is_not_read(folder: Path, data: object) -> None:
    folder.mkdir()
    body = marshal.dumps(data)
    (folder / "entry").write_bytes(cache._checksum(body) + body)
    assert entry() is None


def plain() -> dict[str, Any]:
    found = tables.load_tables()
    plain = {name: getattr(found, name) for name in tables.Tables.__slots__}
    for name in ("actions", "gotos"):
        rows = plain[name]
        plain[name] = tables._pack([rows.whole(state) for state in range(len(rows.ends) - 1)])
    return plain


ARRAYS = {"ends": np.int32, "symbols": np.int16, "numbers": np.int16}  # of `Rows`


def packed(*arrays: list[int]) -> tuple[bytes, ...]:
    """The bytes of three arrays, as `Rows` takes them."""
    return tuple(np.array(part, dtype).tobytes() for part, dtype in zip(arrays, ARRAYS.values(), strict=True))


def damaged(*path: Any, value: Any) -> dict[str, Any]:
    """The parser's tables with another value in one place."""
    data: dict[str, Any] = marshal.loads(marshal.dumps(plain()))
    place: Any = data
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return data


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("actions",), []),
        (("actions",), None),
        (("actions",), (b"1", b"", b"")),
        (("actions",), ([1], [0], [0])),
        (("actions",), packed([1], [0], [0])),
        (("gotos",), packed([1], [0, 1], [0, 0])),
        (("starts",), {}),
        (("starts", "program"), (0, 10**6)),
        (("starts", "program"), (0,)),
        (("rules", 0), (1, 2, "name")),
        (("rules", 0), (1, 2, "name", ())),
        (("rules", 0), (1, 2, "name", ("node", "x"))),
        (("rules",), 7),
        (("terminals",), {"A": "1"}),
        (("patterns",), {"A": 1}),
        (("ops",), [1]),
        (("op",), None),
        (("unknown",), 1),
    ],
)
def test_damaged_tables_are_made_again(path: tuple[Any, ...], value: Any, folder: Path) -> None:
    assert tables._is_valid(plain())
    cache.store("entry", "key", damaged(*path, value=value))
    assert entry(tables._is_valid) is None


@pytest.mark.parametrize("table", ["actions", "gotos"])
@pytest.mark.parametrize(
    ("array", "value"),
    [(array, value) for array in ARRAYS for value in (2**15 - 1, -(2**15))],
)
def test_damaged_rows_are_made_again(table: str, array: str, value: int, folder: Path) -> None:
    data = plain()
    arrays = {
        name: np.frombuffer(part, ARRAYS[name]).copy() for name, part in zip(ARRAYS, data[table], strict=True)
    }
    arrays[array][3] = value
    data[table] = tuple(part.tobytes() for part in arrays.values())
    cache.store("entry", "key", data)
    assert entry(tables._is_valid) is None


@pytest.mark.parametrize(
    "term",
    [
        ("bool", True),
        ("int", 1),
        (),
        None,
        ("compare",),
        ("nothing", 1),
        ("name", "is_permutation"),
        ("or", ("bool", True), 3),
        ["bool", True],
    ],
)
def test_a_term_that_is_not_its_formula_is_parsed_again(
    folder: Path, term: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    formula = "size(permutation) = rank(operand)"
    stated = terms.parse(formula)
    monkeypatch.setattr(terms, "_terms", {})
    monkeypatch.setattr(terms, "_cached", {formula: marshal.dumps(term)})
    assert terms.parse(formula) == stated


def test_a_damaged_term_is_parsed_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    formula = "size(permutation) = rank(operand)"
    stated = terms.parse(formula)
    monkeypatch.setattr(terms, "_terms", {})
    monkeypatch.setattr(terms, "_cached", {formula: marshal.dumps(stated)[:-3]})
    assert terms.parse(formula) == stated


PATTERNS = (r"(a+)|(b)|[c-e\d]++(?=f)", r"x*?(?>yz?)(é)?", r"\w+\b")
TEXTS = ("aab", "c1f", "b", "c1g", "xxyzé", "_word é", "")


def test_expressions_from_the_cache_are_those_compiled(folder: Path) -> None:
    for _ in range(2):  # stored, then loaded
        made = compile_cached("expressions", PATTERNS, re.ASCII)
        assert [each.pattern for each in made] == [*PATTERNS] and (folder / "expressions").exists()
        for pattern, found in zip(PATTERNS, made, strict=True):
            expected = re.compile(pattern, re.ASCII)
            assert (found.flags, found.groups) == (expected.flags, expected.groups)
            for text in TEXTS:
                here, there = found.search(text), expected.search(text)
                assert (here and (here.span(), here.groups())) == (there and (there.span(), there.groups()))


def test_expressions_are_compiled_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other expressions or flags under the same name are not those of the entry."""
    compiled: list[str] = []
    program = expressions._program

    def noted(pattern: str, flags: re.RegexFlag) -> Any:
        compiled.append(pattern)
        return program(pattern, flags)

    monkeypatch.setattr(expressions, "_program", noted)
    for name, patterns, flags in (
        *(("a", ["x"], re.ASCII),) * 2,
        ("a", ["x"], re.IGNORECASE),
        ("a", ["y", "z"], re.ASCII),
        ("b", ["y", "z"], re.ASCII),
        *(("b", ["y", "z"], re.ASCII),) * 2,
    ):
        compile_cached(name, patterns, flags)
    assert compiled == ["x", "x", "y", "z", "y", "z"]
    assert sorted(path.name for path in folder.iterdir()) == ["a", "b"]


@pytest.mark.parametrize("program", [(256, 0, [1 << 40]), (256, 0, [77]), (256, 3, []), (256, 0), None, "a"])
def test_an_entry_that_is_no_expression_is_not_used(folder: Path, program: Any) -> None:
    compile_cached("expressions", ["a"], re.ASCII)
    key, _ = marshal.loads((folder / "expressions").read_bytes()[4:])
    body = marshal.dumps((key, [program]))
    (folder / "expressions").write_bytes(cache._checksum(body) + body)
    (made,) = compile_cached("expressions", ["a"], re.ASCII)
    assert made.match("a") and not made.match("b")


def test_a_crafted_entry_silences_no_rule(shlo_process: Shlo, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    env = {**os.environ, "SHLO_CACHE_DIR": str(folder)}
    expected = shlo_process("verify", "-", stdin=WRONG, env=env)
    assert expected.returncode == 1 and "transpose" in expected.stdout
    path = folder / "formulas"
    key, data = marshal.loads(path.read_bytes()[4:])
    body = marshal.dumps((key, dict.fromkeys(data, '["bool",true]')))
    path.write_bytes(cache._checksum(body) + body)
    for _ in range(2):
        done = shlo_process("verify", "-", stdin=WRONG, env=env)
        assert (done.returncode, done.stderr) == (1, "")
        assert done.stdout.splitlines()[:-1] == expected.stdout.splitlines()[:-1]


def test_old_entries_are_trimmed(folder: Path) -> None:
    for k in range(5):
        cache.store(f"code-{k}", "key", k)
        os.utime(folder / f"code-{k}", (k, k))
    cache.store("entry", "key", 1)
    cache.trim("code-", 2)
    assert sorted(path.name for path in folder.iterdir()) == ["code-3", "code-4", "entry"]


@pytest.mark.parametrize(("before", "after"), [(16, 16), (17, 14), (40, 14)])
def test_an_eighth_more_is_trimmed_than_has_to_be(before: int, after: int, folder: Path) -> None:
    for k in range(before):
        cache.store(f"code-{k}", "key", k)
        os.utime(folder / f"code-{k}", (k, k))
    cache.trim("code-", 16)
    kept = {path.name for path in folder.iterdir()}
    assert kept == {f"code-{k}" for k in range(before - after, before)}


def test_sources_are_found_in_all_folders(tmp_path: Path) -> None:
    names = ("b/c.py", "a.py", "b/d/e.lark", "b/x.pyc", "z.txt")
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    found = [Path(entry.path).relative_to(tmp_path).as_posix() for entry in cache.sources(tmp_path)]
    assert found == ["a.py", "b/c.py", "b/d/e.lark"]


def test_a_stamp_has_names_sizes_and_times(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("12345")
    os.utime(path, ns=(1, 2_000_000_003))
    assert cache.stamp([path, path]) == "a.py:5:2000000003 a.py:5:2000000003"
    with pytest.raises(OSError, match="missing"):
        cache.stamp([tmp_path / "missing"])


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"SHLO_CACHE_DIR": "/c", "XDG_CACHE_HOME": "/x"}, "/c/name"),
        ({"SHLO_CACHE_DIR": "", "XDG_CACHE_HOME": "/x"}, None),
        ({"XDG_CACHE_HOME": "/x"}, "/x/stablehlo_py/name"),
    ],
)
def test_the_folder_of_the_cache(
    variables: dict[str, str], expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SHLO_CACHE_DIR", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert cache._path("name") == (expected and Path(expected))


def test_a_user_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for variable in ("SHLO_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(Path, "home", home)
    assert cache._path("name") is None
    cache.store("entry", "key", [1])
    cache.trim("entry", 0)
    assert entry() is None


def test_an_entry_is_for_one_version_of_python(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Versions marshal data, and compile expressions, in other ways."""
    cache.store("entry", "key", [1])
    assert cache.load("entry", "key", bool) == [1] and cache.load("entry", "other", bool) is None
    monkeypatch.setattr(sys, "version", "3.99.0 (another)")
    assert cache.load("entry", "key", bool) is None
