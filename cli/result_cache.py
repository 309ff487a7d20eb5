"""The cache of results: a file with the same content, checked in the same way, is not checked again."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

from stablehlo_py.cli.results import FileResult, ModuleResult
from stablehlo_py.cli.sources import Text, encode
from stablehlo_py.grammar import grammar_folder

import stablehlo_py
from stablehlo_py import __version__
from stablehlo_py.artifacts.recognize import PIECE
from stablehlo_py.diagnostics.diagnostic import Diagnostic, Frame
from stablehlo_py.linter.options import SEVERITIES
from stablehlo_py.storage import cache as disk

_PREFIX = "result-"
_MOST = 16_384  # entries
_VOLATILE = ("file", "internal")  # codes of diagnostics that depend on more than the content


def cached(check: Callable[..., Any], text: Text, make: Callable[[], FileResult]) -> FileResult:
    """Return the cached result of a check, or make and store it.

    Args:
        check: The check of a module: a function, or a `partial` of one, whose arguments have a `repr`.
        text: The file.
        make: Makes the result.

    Returns:
        The result.
    """
    key = _key(check, text)
    name = _PREFIX + key
    data = disk.load(name, key, _is_result)
    if data is not None:
        return _unpacked(text.name, data)
    result = make()
    if not any(d.code in _VOLATILE for d in result.diagnostics):
        disk.store(name, key, _packed(result))
    return result


def trim() -> None:
    """Remove the oldest entries above the limit."""
    disk.trim(_PREFIX, _MOST)


def _key(check: Callable[..., Any], text: Text) -> str:
    """Hash the content of a file, its name, the check with its arguments, and the version of the package."""
    function = check.func if isinstance(check, partial) else check
    arguments = check.args if isinstance(check, partial) else ()
    way = (_version(), function.__module__, function.__qualname__, arguments, text.name, text.function)
    content, found = text.content, sha256(repr(way).encode("utf-8", "surrogateescape") + b"\0")
    for at in range(0, len(content), PIECE):
        piece = content[at : at + PIECE]
        found.update(encode(piece) if isinstance(piece, str) else piece)
    return found.hexdigest()


@cache
def _version() -> str:
    """Return what changes with the package: its version, and the stamp of its files."""
    package = Path(stablehlo_py.__file__).parent
    files = disk.sources(package, Path(__file__).parent, grammar_folder())
    return f"{__version__} {disk.stamp(files)}"


def _packed(result: FileResult) -> tuple[Any, ...]:
    modules = [
        (module.first_line, module.functions, module.ops, [_fields(d) for d in module.diagnostics])
        for module in result.modules
    ]
    return modules, result.lines


def _fields(diagnostic: Diagnostic) -> tuple[Any, ...]:
    d = diagnostic
    frames = tuple([tuple(frame) for frame in d.origin])
    place = (d.line, d.column, d.end_column)
    return d.severity, d.code, d.message, d.notes, place, frames, d.spec_only


def _unpacked(file: str, data: Any) -> FileResult:
    modules, lines = data
    results = [
        ModuleResult(first_line, [_diagnostic(row) for row in found], functions, ops)
        for first_line, functions, ops, found in modules
    ]
    return FileResult(file, results, lines)


def _diagnostic(row: Any) -> Diagnostic:
    severity, code, message, notes, (line, column, end), frames, spec_only = row
    origin = tuple([Frame(*frame) for frame in frames])
    return Diagnostic(severity, code, message, line, column, notes, end, origin, spec_only)


def _is_result(data: Any) -> bool:
    """Check the structure of cached data."""
    match data:
        case (list() as modules, dict() as lines):
            return all(map(_is_module, modules)) and _are(lines, int) and _are(lines.values(), str)
    return False


def _is_module(data: Any) -> bool:
    match data:
        case (int(), int(), int(), list() as found):
            return all(map(_is_diagnostic, found))
    return False


def _is_diagnostic(data: Any) -> bool:
    match data:
        case (severity, str(), str(), tuple() as notes, (int(), int(), int()), tuple() as frames, bool()):
            return severity in SEVERITIES and _are(notes, str) and all(map(_is_frame, frames))
    return False


def _is_frame(data: Any) -> bool:
    match data:
        case (str(), int(), int(), str()):
            return True
    return False


def _are(values: Any, kind: type) -> bool:
    return all(isinstance(value, kind) for value in cast("list[Any]", values))
