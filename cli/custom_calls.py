"""`--custom-call module.py`: custom-call targets that the user implements in a Python file."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import click

from stablehlo_py.storage.files import is_special

_FILES = "custom calls"  # their key among what a context keeps
_executed: set[Path] = set()  # in this process


def files_given() -> tuple[Path, ...]:
    """Return the files of the running command, for the processes that it starts."""
    found: tuple[Path, ...] = click.get_current_context().meta.get(_FILES, ())
    return found


def execute_once(files: Sequence[Path]) -> None:
    """Execute the files that this process, such as a worker, has not executed yet."""
    _execute([file for file in files if file not in _executed])


def _take(context: click.Context, parameter: click.Parameter, files: tuple[Path, ...]) -> None:
    context.meta[_FILES] = files
    _execute(files)


def _execute(files: Sequence[Path]) -> None:
    """Execute the files, in order; raise ClickException with the line where one fails."""
    for index, file in enumerate(files):
        name = f"shlo_custom_calls_{index}"
        if is_special(file):
            raise click.ClickException(f"{file}: not a regular file")
        spec = spec_from_file_location(name, file)
        if spec is None or spec.loader is None:
            raise click.ClickException(f"{file}: expected a Python file (.py)")
        module = sys.modules[name] = module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # such as SystemExit, which would look like success
            raise click.ClickException(f"{file}:{_line(error, file)}: {_words(error)}") from None
        _executed.add(file)


def _line(error: BaseException, file: Path) -> int:
    """Return the last line of the file that an error passed, or that has the syntax error."""
    if isinstance(error, SyntaxError):
        return error.lineno or 1
    frames = traceback.extract_tb(error.__traceback__)
    return next((f.lineno or 1 for f in reversed(frames) if Path(f.filename) == file.resolve()), 1)


def _words(error: BaseException) -> str:
    return "".join(traceback.format_exception_only(error)).strip().rpartition("\n")[2]


CUSTOM_CALL = click.option(
    "--custom-call",
    multiple=True,
    expose_value=False,
    callback=_take,
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    metavar="FILE",
    help="Execute a Python file of yours, which registers custom-call targets with "
    "@stablehlo_py.custom_call(NAME).",
)
