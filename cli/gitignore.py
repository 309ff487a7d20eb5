"""Patterns of files, as in `.gitignore`: their syntax, and the files of a repository that state them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

_FILE = ".gitignore"
_SPECIAL = re.compile(r"[*?\[\\]")
_ENDS = re.compile(r"$|\\?/")  # what ends a name of `**`
_NAME, _FOLDERS, _ALL = "[^/]*", "(?:.*/)?", ".*"  # wildcards: `*`, `**/` and `**` at the end
_NOTHING = "(?!)"  # matches nothing
_CLASS = re.compile(r"\[:([^\]]*):\]")
_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\s",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}


class Pattern(NamedTuple):
    """A line of a `.gitignore` file.

    Attributes:
        expression: Matches the paths, relative to the folder of the file.
        only_folders: Whether it matches folders only.
        includes: Whether it includes again what an earlier line excludes (`!`).
    """

    expression: re.Pattern[str]
    only_folders: bool = False
    includes: bool = False


class GitIgnore:
    """The `.gitignore` files around the paths that are tested, each read once."""

    def __init__(self) -> None:
        self._files: dict[Path, list[tuple[Path, list[Pattern]]]] = {}

    def excludes(self, path: Path, is_folder: bool) -> bool:
        """Test whether the files of a repository exclude a file or folder, whatever its parents are.

        Outside of a repository, only the file in the same folder counts.

        Args:
            path: An absolute path.
            is_folder: Whether it is a folder.
        """
        for folder, patterns in self._files_for(path.parent):
            relative = path.relative_to(folder).as_posix()
            for pattern in reversed(patterns):
                if (is_folder or not pattern.only_folders) and pattern.expression.fullmatch(relative):
                    return not pattern.includes
        return False

    def _files_for(self, folder: Path) -> list[tuple[Path, list[Pattern]]]:
        """Return the patterns that apply in a folder, innermost first, each list with its folder."""
        if folder not in self._files:
            found = [(folder, _patterns(folder / _FILE))]
            if (folder / ".git").exists():
                found.append((folder, _patterns(folder / ".git" / "info" / "exclude")))
            elif any((parent / ".git").exists() for parent in folder.parents):
                found += self._files_for(folder.parent)
            self._files[folder] = [(place, patterns) for place, patterns in found if patterns]
        return self._files[folder]


def _patterns(file: Path) -> list[Pattern]:
    try:
        text = file.read_bytes().decode("utf-8-sig", "surrogateescape") if file.is_file() else ""
    except OSError:
        return []
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    return [pattern for line in lines if (pattern := parse_pattern(line)) is not None]


def parse_pattern(line: str) -> Pattern | None:
    """Parse a line of a `.gitignore` file; return None for a comment or an empty line."""
    text = _without_trailing_spaces(line)
    if not text or text.startswith("#"):
        return None
    includes = text.startswith("!")
    text = text.removeprefix("!")
    only_folders, text = text.endswith("/"), text.removesuffix("/")
    if not text:
        return None
    return Pattern(expression_of(text), only_folders, includes)


def _without_trailing_spaces(line: str) -> str:
    """Return a line without the spaces at its end, of which a backslash may quote the first."""
    text = line.rstrip(" ")
    backslashes = len(text) - len(text.rstrip("\\"))
    return line[: len(text) + backslashes % 2]


def expression_of(pattern: str) -> re.Pattern[str]:
    """Compile a pattern: without a slash, it matches the last part of a path, otherwise all of it."""
    anchored, pattern = "/" in pattern, pattern.removeprefix("/")
    first = _SPECIAL.search(pattern)
    literal = len(pattern) if first is None else first.start()
    parts, at = [re.escape(pattern[:literal])], literal
    while at < len(pattern):
        part, at = _part(pattern, at, literal)
        parts.append(part)
    return re.compile(_joined(parts if anchored else [_FOLDERS, *parts]), re.DOTALL)


def _joined(parts: Sequence[str]) -> str:
    """Join the expressions of a pattern so that no path takes long, however many wildcards there are.

    A wildcard before the last one, with what follows it up to the next one, matches as early as it can: it
    leaves most to the next one, so that no later match needs to be tried.
    """
    *before, last = _split(parts, _FOLDERS)
    if not before:
        return _joined_names(last, is_last=True)
    first, *middle = [_joined_names(names, is_last=False) for names in before]
    text = first + "".join([f"(?>(?:.*?/)??{names})" for names in middle])
    return f"{text}{_FOLDERS}{_joined_names(last, is_last=True)}"


def _joined_names(parts: Sequence[str], is_last: bool) -> str:
    """Join what is between two `**/`, whose last wildcard is tried at all places only if nothing follows."""
    end = _ALL if _ALL in parts else ""  # nothing follows it
    first, *rest = ["".join(part) for part in _split([part for part in parts if part != _ALL], _NAME)]
    tail = f"{_NAME}{rest.pop()}" if rest and is_last and not end else ""
    return first + "".join([f"(?>{_NAME}?{fixed})" for fixed in rest]) + tail + end


def _split(parts: Sequence[str], wildcard: str) -> list[list[str]]:
    found: list[list[str]] = [[]]
    for part in parts:
        if part == wildcard:
            found.append([])
        else:
            found[-1].append(part)
    return found


def _part(pattern: str, at: int, literal: int) -> tuple[str, int]:
    """Return the expression of the next part of a pattern, and the position after it.

    Git compares the literal beginning apart from the rest: `**` is at the beginning of a name also after it.
    """
    match pattern[at]:
        case "*":
            after = len(pattern) - len(pattern[at:].lstrip("*"))
            starts = at in (0, literal) or pattern[at - 1] == "/"
            if after - at == 1 or not starts or not _ENDS.match(pattern, after):
                return _NAME, after
            return (_FOLDERS, after + 1) if pattern.startswith("/", after) else (_ALL, after)
        case "?":
            return "[^/]", at + 1
        case "[":
            return _bracket(pattern, at + 1)
        case "\\":
            return re.escape(pattern[at + 1]) if at + 1 < len(pattern) else _NOTHING, at + 2
    return re.escape(pattern[at]), at + 1


def _bracket(pattern: str, at: int) -> tuple[str, int]:
    """Return the expression of a bracket expression, from behind its `[`; unclosed, it matches nothing."""
    is_negated = pattern[at : at + 1] in ("!", "^")
    first = at = at + is_negated
    items: list[str] = []
    while at < len(pattern):
        if pattern[at] == "]" and at > first:
            inside = f"[{''.join(items)}]"
            return f"(?!/)(?!{inside})." if is_negated else f"(?!/){inside}", at + 1
        if named := _CLASS.match(pattern, at):
            if named[1] not in _CLASSES:
                break
            items.append(_CLASSES[named[1]])
            at = named.end()
            continue
        low, at = _character(pattern, at)
        items.append(re.escape(low))
        if pattern.startswith("-", at) and pattern[at + 1 : at + 2] not in ("", "]"):
            high, at = _character(pattern, at + 1)
            if low < high:
                items.append(f"{re.escape(low)}-{re.escape(high)}")
    return _NOTHING, len(pattern)


def _character(pattern: str, at: int) -> tuple[str, int]:
    """Return a character, which a backslash may quote, and the position after it."""
    at += pattern[at] == "\\"
    return pattern[at : at + 1], at + 1
