"""Baselines: files of known diagnostics, which are not reported again.

A baseline is JSON: by command and file, the code, message and number of known diagnostics. Paths are relative
to its folder. Line numbers are not recorded, so that a baseline survives changes elsewhere in a file.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from stablehlo_py.cli import common
from stablehlo_py.cli.results import FileResult

from stablehlo_py.diagnostics.diagnostic import Diagnostic
from stablehlo_py.storage.files import replacing, small_text

_VERSION = 1
_ALWAYS = ("file", "internal")  # codes that are reported in any case
Known = Counter[tuple[str, str, str]]  # by file, code and message


class Baseline:
    """The known diagnostics of a command.

    Args:
        path: The file.
        command: The name of the command, which has a section of the file.
        is_written: Whether the file is replaced by the diagnostics of this run.

    Raises:
        ClickException: If the file is not a baseline, or is absent and not to be written.
    """

    def __init__(self, path: Path, command: str, is_written: bool = False) -> None:
        self._path, self._command = path, command
        self._sections = {} if is_written and not path.exists() else _load(path)
        self._known: Known = Counter(
            {
                (file, row["code"], row["message"]): row["count"]
                for file, rows in self._sections.get(command, {}).items()
                for row in rows
            }
        )
        self._is_written = is_written
        self._found: Known = Counter()
        self._files: set[str] = set()
        self.suppressed = 0

    def apply(self, result: FileResult) -> None:
        """Remove the known diagnostics from a result; all of them if the baseline is to be written."""
        file = self._name(result.file)
        self._files.add(file)
        for module in result.modules:
            module.diagnostics = [d for d in module.diagnostics if not self._is_known(file, d)]

    def _is_known(self, file: str, diagnostic: Diagnostic) -> bool:
        if diagnostic.code in _ALWAYS:
            return False
        key = (file, diagnostic.code, diagnostic.message)
        self._found[key] += 1
        is_known = self._is_written or self._found[key] <= self._known[key]
        self.suppressed += is_known
        return is_known

    def _name(self, file: str) -> str:
        return file if file.startswith("<") else Path(os.path.relpath(file, self._path.parent)).as_posix()

    def close(self) -> str:
        """Write the file if requested; return a summary, or ""."""
        if self._is_written:
            self._write()
            return f"wrote {common.counted(self.suppressed, 'diagnostic')} to {self._path}"
        gone = sum((self._known - self._found).values()) if self._found or self._known else 0
        gone -= sum(n for (file, _, _), n in (self._known - self._found).items() if file not in self._files)
        parts = (
            [f"{common.counted(self.suppressed, 'known diagnostic')} not shown"] if self.suppressed else []
        )
        parts += [f"{gone} of the baseline no longer occur; update it with --write-baseline"] if gone else []
        return "; ".join(parts)

    def _write(self) -> None:
        kept = self._sections.get(self._command, {})
        files = {
            file: rows
            for file, rows in kept.items()
            if file not in self._files and (self._path.parent / file).exists()
        }
        for (file, code, message), count in sorted(self._found.items()):
            files.setdefault(file, []).append({"code": code, "message": message, "count": count})
        sections = {**self._sections, self._command: dict(sorted(files.items()))}
        text = json.dumps({"version": _VERSION, **sections}, indent=1, ensure_ascii=False) + "\n"
        with replacing(self._path) as stream:
            stream.write(text.encode("utf-8", "replace"))


def _load(path: Path) -> dict[str, Any]:
    """Read the sections of a baseline; raise ClickException if it is not one."""
    try:
        data = json.loads(small_text(path))
    except OSError as error:
        hint = "; create it with --write-baseline" if isinstance(error, FileNotFoundError) else ""
        raise click.ClickException(f"{path}: {error.strerror}{hint}") from None
    except ValueError as error:
        raise click.ClickException(f"{path}: not a baseline: {error}") from None
    if not isinstance(data, dict) or data.pop("version", None) != _VERSION or not all(_rows_hold(data)):
        raise click.ClickException(f"{path}: not a baseline of version {_VERSION}")
    return data


def _rows_hold(data: dict[str, Any]) -> Iterator[bool]:
    """Check the structure of the sections."""
    for section in data.values():
        yield isinstance(section, dict)
        for rows in section.values() if isinstance(section, dict) else ():
            yield isinstance(rows, list)
            for row in rows if isinstance(rows, list) else ():
                yield isinstance(row, dict) and all(
                    isinstance(row.get(name), kind)
                    for name, kind in (("code", str), ("message", str), ("count", int))
                )
