"""Patterns of files, as in `.gitignore`: their syntax, and the files of a repository that state them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

_FILE = ".gitignore"
_SPECIAL = re.compile(r"/\*\*/|^\*\*/|/\*\*$|\*+|\?|\[(!|\^)?(\]?[^\]]*)\]|\\(.)|.", re.DOTALL)


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
        lines = file.read_text("utf-8", "surrogateescape").splitlines() if file.is_file() else []
    except OSError:
        return []
    return [pattern for line in lines if (pattern := parse_pattern(line)) is not None]


def parse_pattern(line: str) -> Pattern | None:
    """Parse a line of a `.gitignore` file; return None for a comment or an empty line."""
    text = re.sub(r"(?<!\\) +$", "", line)
    if not text or text.startswith("#"):
        return None
    includes = text.startswith("!")
    text = text.removeprefix("!")
    only_folders, text = text.endswith("/"), text.removesuffix("/")
    if not text:
        return None
    return Pattern(expression_of(text), only_folders, includes)


def expression_of(pattern: str) -> re.Pattern[str]:
    """Compile a pattern: without a slash, it matches the last part of a path, otherwise all of it."""
    anchored = "/" in pattern
    body = "".join([_translated(match) for match in _SPECIAL.finditer(pattern.removeprefix("/"))])
    return re.compile(body if anchored else f"(?:.*/)?{body}", re.DOTALL)


def _translated(match: re.Match[str]) -> str:
    match match[0]:
        case "/**/":
            return "/(?:.*/)?"
        case "**/":
            return "(?:.*/)?"
        case "/**":
            return "/.*"
        case "?":
            return "[^/]"
        case stars if stars.strip("*") == "":
            return "[^/]*"
        case text if text[0] == "[":
            listed = (match[2] or "").replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
            return f"(?!/)[{'^' if match[1] else ''}{listed}]" if listed else re.escape(text)
        case text if text[0] == "\\":
            return re.escape(match[3])
    return re.escape(match[0])
