"""Patterns of `.gitignore` files match what `git check-ignore` says."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest
from stablehlo_py.cli.gitignore import GitIgnore, parse_pattern

PARTS = (
    *("a", "b", "c", "-", "]", "{a}", "(", "+", ".", "*.b", "a.b", "!", "#", "  ", "\r", "\\ ", "\\"),
    *("*", "**", "***", "a**", "?", "/", "/", "**/", "/**", "\\a", "\\*", "\\/"),
    *(
        "[ab]",
        "[!a]",
        "[^b]",
        "[a-c]",
        "[]a]",
        "[\\]a]",
        "[!]",
        "[z-a]",
        "[-a]",
        "[a-]",
        "[[]",
        "[^]a]",
        "[!a/]",
    ),
    *("[", "[a", "[a-", "[[:alpha:]]", "[[:foo:]]", "[[:digit:]-b]", "[[:alpha:]", "[a-\\c]", "[a-[!]"),
)
STARTS, ENDS = ("", "", "", "!", "/", "#", "\\!", "\\#"), ("", "", "", "/", " ", "\\ ")
FILES = (
    "a",
    "b",
    "ab",
    "a.b",
    "c/a",
    "c/b",
    "c/a/b",
    "a b",
    "c/d/a.b",
    "d/a",
    "-",
    "[",
    "]",
    "*",
    "c/ab",
    "b/c/a",
)
CASES = 150


def drawn(rng: random.Random) -> str:
    middle = "".join(rng.choices(PARTS, k=rng.randint(1, 4)))
    return f"{rng.choice(STARTS)}{middle}{rng.choice(ENDS)}"


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
def test_drawn_patterns_match_what_git_ignores(tmp_path: Path, seed: int) -> None:
    """Files of folders that have a drawn `.gitignore` each."""
    rng = random.Random(seed)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    patterns: dict[str, list[str]] = {}
    paths = []
    for number in range(CASES):
        folder = tmp_path / f"case{number}"
        patterns[folder.name] = [drawn(rng) for _ in range(rng.randint(1, 3))]
        for name in rng.sample(FILES, 4):
            place = folder / name
            if not any(parent.is_file() for parent in place.parents) and not place.is_dir():
                place.parent.mkdir(parents=True, exist_ok=True)
                place.touch()
                paths.append(place)
        (folder / ".gitignore").write_bytes("\n".join(patterns[folder.name]).encode())
    given = "\0".join([path.relative_to(tmp_path).as_posix() for path in paths])
    command = ["git", "-C", str(tmp_path), "check-ignore", "--no-index", "-z", "--stdin"]
    done = subprocess.run(command, input=given.encode(), capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    ignored = {tmp_path / name for name in done.stdout.decode().split("\0") if name}
    assert len(ignored) > len(paths) // 50

    rules = GitIgnore()

    def is_excluded(path: Path) -> bool:
        folders = [each for each in path.parents if tmp_path in each.parents]
        return any(rules.excludes(each, True) for each in folders) or rules.excludes(path, False)

    wrong = [path for path in paths if is_excluded(path) != (path in ignored)]
    assert not [(patterns[path.relative_to(tmp_path).parts[0]], path.name) for path in wrong]


@pytest.mark.parametrize(
    ("line", "matched", "others"),
    [
        ("a[!b]c", ["axc", "d/a-c"], ["abc", "a/c"]),
        ("/a[^b]c", ["axc"], ["abc", "a/c", "d/axc"]),
        ("a[a-z/]c", ["abc"], ["a/c", "a-c"]),
        ("a[!b-d/]*c", ["aec", "a-bc"], ["abc", "a/c", "a/bc"]),
        ("a[[:punct:]]c", ["a-c"], ["a/c", "abc"]),
    ],
)
def test_no_bracket_matches_a_slash(line: str, matched: list[str], others: list[str]) -> None:
    pattern = parse_pattern(line)
    assert pattern is not None
    assert [path for path in (*matched, *others) if pattern.expression.fullmatch(path)] == matched


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("a  ", "a"),
        ("a\\  ", "a "),
        ("a\\\\ ", "a\\"),
        ("a\\ \\ ", "a  "),
        ("a b ", "a b"),
        (f"a{' ' * 50_000}b", ""),
    ],
    ids=range(6),
)
def test_spaces_at_the_end_of_a_line(line: str, name: str) -> None:
    """A backslash quotes one; spaces in a line are passed once, however many there are."""
    pattern = parse_pattern(line)
    assert pattern is not None
    assert (pattern.expression.fullmatch(name or line) is not None) and not pattern.expression.fullmatch("c")


@pytest.mark.parametrize(
    ("line", "path", "matches"),
    [
        ("*a" * 60 + "b", "a" * 250, False),
        ("*a" * 60 + "b", "a" * 250 + "b", True),
        ("x/" + "*a" * 60 + "b", "x/" + "a" * 250, False),
        ("**/a/" * 60 + "b", "a/" * 1500, False),
        ("**/a/" * 60 + "b", "a/" * 1500 + "b", True),
        ("**/*a*a/" * 30 + "*b", "aaa/" * 900 + "c", False),
        ("**/*a*a/" * 30 + "*b", "aaa/" * 900 + "cb", True),
        ("x/" + "*a" * 60 + "/**", "x/" + "a" * 250, False),
    ],
    ids=range(8),
)
def test_many_wildcards(line: str, path: str, matches: bool) -> None:
    """No path takes long: a search that tries all places of all wildcards would not end."""
    pattern = parse_pattern(line)
    assert pattern is not None and (pattern.expression.fullmatch(path) is not None) is matches


@pytest.mark.parametrize(
    "pattern", ["a[.-0]b", "a[/]b", "a[!x]b", "a[^x]b", "a[[:punct:]]b", "a[![:alpha:]]b"]
)
def test_brackets_match_no_slash(pattern: str) -> None:
    found = parse_pattern(pattern)
    assert found is not None and found.expression.fullmatch("a/b") is None
    assert bool(found.expression.fullmatch("a.b")) is (pattern != "a[/]b")
