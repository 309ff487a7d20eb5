"""Reading programs from files, folders, patterns and standard input, and splitting them into modules."""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple, cast

import click
from stablehlo_py.cli.discovery import EVERYTHING, Exclusion

import stablehlo_py as shlo
from stablehlo_py.artifacts.recognize import (
    GZIP,
    PIECE,
    Format,
    bounded,
    decoded,
    foreign,
    max_bytes,
    recognize,
    too_large,
)
from stablehlo_py.diagnostics.diagnostic import StablehloError
from stablehlo_py.diagnostics.render import escaped
from stablehlo_py.hlo.read import read_hlo
from stablehlo_py.hlo.recognize import is_hlo
from stablehlo_py.ir.records import dataclass
from stablehlo_py.storage.files import is_special

if TYPE_CHECKING:
    from stablehlo_py.artifacts.containers.torch_xla import TorchFunction
    from stablehlo_py.hlo.module import HloModule

STDIN = "-"
_BINARY = ("bytecode", "jax.export", "SavedModel", "HloModuleProto")
SUFFIXES = (".mlir", ".mlir.gz", ".hlo")  # of the programs in a folder
_START = 4096  # bytes that usually identify a format
_NAMED = 3  # of the files in a folder that are skipped

_CODE = re.compile(r"^[^\S\n]*(?!//)\S", re.MULTILINE)  # the first line that is no comment
_SPLIT = re.compile(r"^// -----[ \t]*\r?(?:\n|\Z)", re.MULTILINE)
# Byte order marks, which the C++ parser rejects.
_MARKS = {b"\xef\xbb\xbf": "UTF-8", b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}
_PATTERN = re.compile(r"[*?\[]")


class Allowed(NamedTuple):
    """Which ops without a definition are accepted, in generic form.

    Attributes:
        unregistered: Those of dialects that are not known here.
        newer: Those of dialects whose ops are defined here.
    """

    unregistered: bool = False
    newer: bool = False

    def __or__(self, other: Allowed) -> Allowed:
        """Return what either accepts."""
        return Allowed(self.unregistered or other.unregistered, self.newer or other.newer)


NOTHING = Allowed()


@dataclass(frozen=True)
class Text:
    """A program.

    Attributes:
        name: Its name in diagnostics.
        content: Its text, or its bytes in a binary format.
        first_line: The number of its first line.
        vjp: The number of the gradient to select in a container, or 0.
        function: What a folder of torch_xla says of the program, or None.
    """

    name: str
    content: str | bytes
    first_line: int = 1
    vjp: int = 0
    function: TorchFunction | None = None

    @property
    def is_binary(self) -> bool:
        """Test whether the program is in another form than the text of MLIR, such as HLO text."""
        return isinstance(self.content, bytes) or is_hlo(self.content)

    @property
    def is_hlo(self) -> bool:
        """Test whether the program is HLO: text, or an HloModuleProto."""
        if isinstance(self.content, str):
            return is_hlo(self.content)
        return recognize(self.content) == "HloModuleProto"

    def hlo(self) -> HloModule:
        """Read HLO as it is; raise ParseError if it is invalid."""
        return read_hlo(self.content, self.name, self.first_line)

    @cached_property
    def text(self) -> str:
        """The text; that which a binary program prints as, or "" if it cannot be read."""
        if isinstance(self.content, str):
            return self.content
        try:
            return self.parse(Allowed(True, True)).source.text
        except shlo.ParseError:
            return ""

    def parse(self, allowed: Allowed = NOTHING) -> shlo.Module:
        """Parse the program; raise ParseError if it is invalid."""
        from stablehlo_py.artifacts.containers.torch_xla import describe

        vjp, line = self.vjp, self.first_line
        accepted, newer = allowed
        module = shlo.parse(self.content, self.name, accepted, first_line=line, vjp=vjp, allow_newer=newer)
        describe(module, self.function)
        return module


class Unreadable(StablehloError):
    """A file exists, but does not contain a program."""


# Paths ------------------------------------------------------------------------------------------------


def expand(paths: Sequence[str], exclusion: Exclusion = EVERYTHING) -> list[str]:
    """Expand paths to files, without duplicates; the files of a folder are sorted.

    Args:
        paths: Files, folders (searched recursively for programs), patterns with `*`, `**`, `?` or `[..]` (a
            pattern that ends in `*` matches programs only), or `-`.
        exclusion: What is skipped.

    Returns:
        The files.

    Raises:
        ClickException: If a path matches nothing.
    """
    return list(dict.fromkeys(file for path in paths for file in _files(path, exclusion)))


def _files(path: str, exclusion: Exclusion) -> list[str]:
    from stablehlo_py.artifacts.containers.torch_xla import programs_of

    if path == STDIN:
        return [path]
    if not path:
        raise click.UsageError("empty path")
    place = Path(path)
    if place.is_dir():
        if programs := programs_of(place):
            return [str(program) for program in programs]
        return _searched(path, exclusion)
    if os.path.lexists(path):
        return exclusion.kept([path])
    if _PATTERN.search(path):
        return exclusion.kept(_some(_matches(path), f"{path}: no file matches this pattern"))
    raise click.ClickException(f"{path}: no such file or folder{_suggestion(place)}")


def format_of(file: str) -> Format:
    """The binary format of a file, by its content; "" for text, and for what cannot be read."""
    try:
        if not Path(file).is_file():  # reading a device or a pipe would take its data, or wait for them
            return ""
        with Path(file).open("rb") as stream:
            start = stream.read(_START)
            return recognize(start + stream.read(max_bytes()) if recognize(start) == "unknown" else start)
    except OSError:
        return ""


def _some(files: list[str], otherwise: str) -> list[str]:
    if not files:
        raise click.ClickException(otherwise)
    return files


def _searched(folder: str, exclusion: Exclusion) -> list[str]:
    """Find the programs in a folder and below, except hidden and excluded ones."""
    found: list[str] = []
    others: list[str] = []
    excluded = 0
    for place, folders, files in os.walk(folder):
        visible = [name for name in folders if not name.startswith(".")]
        folders[:] = [name for name in visible if not exclusion.excludes(os.path.join(place, name), True)]  # noqa: PTH118
        excluded += len(visible) - len(folders)
        for name in files:
            path = str(Path(place, name))
            if name.startswith("."):
                continue
            if exclusion.excludes(path, False):
                excluded += 1
            else:
                (found if _is_program(path) else others).append(path)
    _note_others(folder, others)
    if not found and exclusion.is_forced:
        return []
    hint = "; use --no-ignore to include excluded files and folders" if excluded else ""
    return _some(
        sorted(found), f"{folder}: no {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]} files in this folder{hint}"
    )


def _note_others(folder: str, others: list[str]) -> None:
    """Report the files of a folder that are not programs."""
    if others:
        names = sorted(os.path.relpath(path, folder) for path in others)
        listed = ", ".join([*names[:_NAMED], *(["..."] if len(names) > _NAMED else [])])
        several = f"{len(names)} files that are not programs"
        what = several if len(names) > 1 else "1 file that is not a program"
        click.echo(escaped(f"{folder}: skipped {what}: {listed}"), err=True)


def _is_program(path: str) -> bool:
    """Test whether a file in a folder is a program: text by its name, other formats by their content."""
    if is_special(path):
        return False
    return path.endswith(SUFFIXES) or format_of(path) in _BINARY


def _matches(pattern: str) -> list[str]:
    from glob import glob

    # Path.glob rejects absolute patterns, and matches hidden files.
    found = sorted(path for path in glob(pattern, recursive=True) if Path(path).is_file())  # noqa: PTH207
    return [path for path in found if _is_program(path)] if pattern.endswith("*") else found


def _suggestion(missing: Path) -> str:
    """Suggest the name nearest to the first part of a path that does not exist."""
    from difflib import get_close_matches

    while not missing.parent.exists():
        missing = missing.parent
    try:
        close = get_close_matches(missing.name, [place.name for place in missing.parent.iterdir()], 1)
    except OSError:
        return ""
    return f"; did you mean {missing.with_name(close[0])}?" if close else ""


# Contents ---------------------------------------------------------------------------------------------


def read(file: str, vjp: int = 0) -> Text:
    """Read a program from a file, or from standard input for `-`, decompressing gzip.

    Raises:
        OSError: If the file cannot be read.
        Unreadable: If it does not contain a program.
    """
    from stablehlo_py.artifacts.containers.torch_xla import function_of, program_in

    if file == STDIN:
        return Text("<stdin>", _content(sys.stdin.buffer), vjp=vjp)
    path = Path(file)
    try:
        path = program_in(path) if path.is_dir() else path
        function = function_of(path)
    except shlo.ParseError as error:
        raise Unreadable(error.diagnostics[0].message) from None
    with path.open("rb") as stream:
        return Text(str(path), _content(stream), vjp=vjp, function=function)


def modules(text: Text) -> list[Text]:
    """Split a text into modules at lines that are `// -----`. A binary program is one module."""
    if text.is_binary or text.function is not None:
        return [text]
    found, start, line = [], 0, text.first_line
    for match in _SPLIT.finditer(text.text):
        found.append(Text(text.name, text.text[start : match.start()], line))
        line += text.text.count("\n", start, match.end())
        start = match.end()
    return [*found, Text(text.name, text.text[start:], line)] if found else [text]


def why_no_program(text: Text) -> str | None:
    """Describe a text that holds no program, such as what a failed export leaves; None if it may hold one."""
    if not text.content or text.content.isspace():
        return "empty file; expected a program"
    return None if text.is_binary or has_program(text.text) else "only comments; expected a program"


def has_program(text: str) -> bool:
    """Return False if a text has only comments and white space."""
    return _CODE.search(text) is not None


def encode(text: str) -> bytes:
    """Encode a program's text, restoring bytes that are not UTF-8."""
    return text.encode("utf-8", "surrogateescape")


def _content(stream: IO[bytes]) -> str | bytes:
    start = stream.read(_START)
    if start.startswith(GZIP):
        return _recognized(_unpacked(_Compressed(start, stream)))
    if found := foreign(start):  # such as /dev/urandom, which has no end
        raise Unreadable(found)
    if len(start) == _START and not recognize(start) and not start.startswith(tuple(_MARKS)):
        return decoded(_pieces(start, stream))
    if len(start) == _START and stream.seekable():  # read again, so that there is one copy
        stream.seek(-_START, os.SEEK_CUR)
        start = b""
    return _recognized(_bounded(stream, start))


def _recognized(content: bytes) -> str | bytes:
    """Decode a text; return what is binary as it is."""
    if found := foreign(content):
        raise Unreadable(found)
    if recognize(content):
        return content
    for mark, encoding in _MARKS.items():
        if content.startswith(mark):
            raise Unreadable(
                f"{encoding} text with a byte order mark is not supported; save it as UTF-8 without one"
            )
    return content.decode("utf-8", "surrogateescape")


def _pieces(piece: bytes, stream: IO[bytes]) -> Iterator[bytes]:
    size, limit = 0, max_bytes()
    while piece:
        size += len(piece)
        if size > limit:
            raise Unreadable(too_large(limit))
        yield piece
        piece = stream.read(PIECE)


class _Compressed:
    """A stream of which a part has been read; it is bounded, whatever it unpacks to."""

    def __init__(self, start: bytes, rest: IO[bytes]) -> None:
        self._start, self._rest = start, rest
        self._left = max_bytes()

    def read(self, size: int) -> bytes:
        data = self._start[:size] or self._rest.read(size)
        self._start = self._start[size:]
        self._left -= len(data)
        if self._left < 0:
            raise Unreadable(too_large(max_bytes()))
        return data


def _unpacked(compressed: _Compressed) -> bytes:
    """Decompress a stream while it is read, so that one without an end is bounded by what it unpacks to."""
    import gzip
    import zlib

    try:
        with gzip.open(cast("IO[bytes]", compressed)) as stream:
            return _bounded(cast("IO[bytes]", stream))
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise Unreadable(f"invalid gzip data: {error}") from None


def _bounded(stream: IO[bytes], start: bytes = b"") -> bytes:
    try:
        return bounded(stream, "", start)
    except OSError as error:
        if error.errno != errno.EFBIG:
            raise
        raise Unreadable(error.strerror) from None
