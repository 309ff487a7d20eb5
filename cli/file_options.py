"""The options of commands that process several files: exclusions, processes, configuration."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import fields
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from stablehlo_py.cli import sources, workers
from stablehlo_py.cli.discovery import Exclusion, working_folder

from stablehlo_py.ir.records import dataclass
from stablehlo_py.linter.options import SettingsError
from stablehlo_py.storage.files import OutputFiles

if TYPE_CHECKING:
    from stablehlo_py.linter.config import Project


R = TypeVar("R")


@dataclass(frozen=True)
class FileOptions:
    """The options that `file_options` adds to a command."""

    config: str | None = None
    exclude: tuple[str, ...] = ()
    extend_exclude: tuple[str, ...] = ()
    force_exclude: bool = False
    no_ignore: bool = False
    jobs: int | None = None

    @cached_property
    def project(self) -> Project:
        """The configuration of the project; UsageError if it is invalid."""
        from stablehlo_py.linter import config

        try:
            return config.load(Path(self.config)) if self.config else config.find_project(working_folder())
        except SettingsError as error:
            raise click.UsageError(str(error)) from None

    def expand(self, paths: Sequence[str]) -> list[str]:
        """Expand paths to the files to process; ClickException if a path matches nothing."""
        return sources.expand(paths, self.exclusion())

    def exclusion(self) -> Exclusion:
        """What is skipped when folders are searched."""
        project = self.project
        shared = project.shared
        patterns = (*(self.exclude or shared.exclude), *shared.extend_exclude, *self.extend_exclude)
        uses_gitignore = shared.respect_gitignore and not self.no_ignore
        root = project.root.resolve()
        return Exclusion(root, () if self.no_ignore else patterns, uses_gitignore, self.force_exclude)

    def each(
        self, task: workers.Task[R], files: Sequence[str], lost: workers.Lost[R]
    ) -> Generator[R, None, None]:
        """Yield the task's result for every file, in order; by several processes as `--jobs` says.

        Args:
            task: The work on one file. It and its results must be picklable.
            files: The files.
            lost: Makes the result of a file whose process died.
        """
        yield from workers.each(task, files, workers.default_jobs(files, self.jobs), lost)

    def protect(self, *outputs: str | None) -> None:
        """Raise OverwriteError if an output would overwrite the configuration."""
        OutputFiles([self.config] if self.config else []).check(*outputs)


_PARAMETERS = [
    click.option(
        "-j",
        "--jobs",
        type=click.IntRange(min=0),
        metavar="N",
        help="Use N worker processes; 0 is one per processor (default: chosen by the size of the input).",
    ),
    click.option(
        "--exclude",
        multiple=True,
        metavar="PATTERN",
        help="Skip matching files and folders when searching folders, instead of the configured patterns.",
    ),
    click.option(
        "--extend-exclude",
        multiple=True,
        metavar="PATTERN",
        help="Skip these as well as the configured ones.",
    ),
    click.option("--force-exclude", is_flag=True, help="Apply exclusions to files named in PATHS as well."),
    click.option("--no-ignore", is_flag=True, help="Skip nothing: disregard exclude and .gitignore."),
    click.option(
        "--config",
        type=click.Path(exists=True, dir_okay=False),
        help="Read [tool.shlo] from this file instead of the nearest pyproject.toml.",
    ),
]


def file_options(function: Callable[..., int]) -> Callable[..., int]:
    """Add PATHS and the options of several files to a command, passed to it as `paths` and `files`."""

    @wraps(function)
    def with_files(**given: Any) -> int:
        return function(
            files=FileOptions(**{f.name: given.pop(f.name) for f in fields(FileOptions)}), **given
        )

    decorated: Callable[..., int] = with_files
    for parameter in reversed(_PARAMETERS):
        decorated = parameter(decorated)
    paths = click.argument("paths", nargs=-1, required=True, metavar="PATHS...", type=click.Path())
    return paths(decorated)
