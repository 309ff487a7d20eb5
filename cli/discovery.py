"""Which files of a folder are processed: `exclude` patterns and `.gitignore`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from stablehlo_py.cli.gitignore import GitIgnore, expression_of

from stablehlo_py.ir.records import dataclass


def working_folder() -> Path:
    """Return the working folder; the root where it was deleted."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return Path("/")


@dataclass(frozen=True)
class Exclusion:
    """What is skipped when folders are searched.

    Attributes:
        root: The absolute folder that patterns with a slash are relative to.
        patterns: The patterns.
        uses_gitignore: Whether `.gitignore` files are honoured.
        is_forced: Whether files named on the command line are skipped as well.
    """

    root: Path
    patterns: tuple[str, ...] = ()
    uses_gitignore: bool = True
    is_forced: bool = False

    @cached_property
    def _expressions(self) -> list[re.Pattern[str]]:
        return [expression_of(pattern.removeprefix("./").removesuffix("/")) for pattern in self.patterns]

    @cached_property
    def _gitignore(self) -> GitIgnore:
        return GitIgnore()

    def excludes(self, path: str, is_folder: bool) -> bool:
        """Test whether a file or folder is skipped, whatever its parents are."""
        absolute = Path(os.path.abspath(path))  # noqa: PTH100 (symbolic links are not followed)
        relative = Path(os.path.relpath(absolute, self.root)).as_posix()
        if any(expression.fullmatch(relative) for expression in self._expressions):
            return True
        return self.uses_gitignore and self._gitignore.excludes(absolute, is_folder)

    def kept(self, files: Iterable[str]) -> list[str]:
        """Return the named files that are processed: all of them, unless exclusion is forced."""
        return [file for file in files if not (self.is_forced and self._excludes_deeply(file))]

    def _excludes_deeply(self, path: str) -> bool:
        """Test whether a file, or a folder around it below the root, is skipped."""
        absolute = Path(os.path.abspath(path))  # noqa: PTH100
        around = [parent for parent in absolute.parents if parent.is_relative_to(self.root)][:-1]
        return self.excludes(path, Path(path).is_dir()) or any(
            self.excludes(str(parent), True) for parent in around
        )


EVERYTHING = Exclusion(Path("/"), uses_gitignore=False)
"""Excludes nothing."""
