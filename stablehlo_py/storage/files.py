"""Output files: atomic replacement of files, and protection of the inputs.

A file is written beside its target, flushed to disk, and renamed over the target when it is complete: an
interrupted command, a full disk or a crash leaves the old file. Where the file system supports it, the new
file has no name until then (O_TMPFILE), so that even `kill -9` leaves nothing behind. Devices, pipes and the
standard streams (`/dev/stdout`, `>(cmd)`) are written directly.
"""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import re
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO, Any, BinaryIO

StrPath = str | os.PathLike[str]

STDIN = "-"
_STREAM = re.compile(r"/dev/(?:(stdin)|(stdout)|(stderr)|fd/(\d+))|/proc/self/fd/(\d+)")
_OPEN_FILES = "/proc/self/fd"
_PREFIX, _SUFFIX = ".shlo-", ".tmp"
_SMALL = 1 << 26  # bytes of a baseline or a comparison
_STALE = 60.0  # seconds after which an unlocked temporary file is deleted
_UNSUPPORTED = (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOENT)  # errors of O_TMPFILE


class OverwriteError(OSError):
    """An output would overwrite an input, or another output."""


class OutputFiles:
    """Opens the outputs of a command.

    Args:
        inputs: The files that the command reads; `-` is standard input. Names of no file are ignored.
    """

    def __init__(self, inputs: Iterable[StrPath] = ()) -> None:
        self._inputs = {_identity(path) for path in inputs} - {None}

    def check(self, *targets: StrPath | None) -> None:
        """Raise OverwriteError if a target is an input, or two targets are one file.

        Files are the same if they are one file on disk, under any name: a symbolic link, a hard link.
        """
        seen: set[object] = set()
        for target in targets:
            if target is None or is_special(target):
                continue
            same = _identity(target)
            if same in self._inputs:
                raise OverwriteError(errno.EEXIST, "would overwrite an input file", os.fspath(target))
            if (same or os.path.realpath(target)) in seen:
                raise OverwriteError(errno.EEXIST, "is the file of two outputs", os.fspath(target))
            seen.add(same or os.path.realpath(target))

    @contextmanager
    def open(self, target: StrPath) -> Iterator[BinaryIO]:
        """Open a target for writing; its content appears when the block ends without an exception.

        Raises:
            OverwriteError: If the target is an input.
            OSError: If it cannot be written.
        """
        self.check(target)
        with replacing(target) as stream:
            yield stream


@contextmanager
def replacing(path: StrPath) -> Iterator[BinaryIO]:
    """Open a file for writing; its content is replaced when the block ends without an exception.

    The mode of an existing file is kept, and its owner where permitted. Symbolic links are followed.

    Raises:
        OSError: If the file cannot be written; `filename` is the path.
    """
    with _naming(path):
        output = _Direct(path) if is_special(path) else _Beside(path)
    try:
        yield output.stream
    except BaseException:
        output.discard()
        raise
    with _naming(path):
        output.commit()


@contextmanager
def _naming(path: StrPath) -> Iterator[None]:
    """Name the output in errors, which are about its folder or its temporary file."""
    try:
        yield
    except OSError as error:
        error.filename, error.filename2 = os.fspath(path), None
        raise


# What is at a path


def is_device(path: StrPath) -> bool:
    """Test whether an output is a device, a pipe or an open file, whose name need not tell a format."""
    return is_special(path) and not Path(path).is_dir()


def beside(path: Path, suffix: str) -> Path | None:
    """Return the file beside an output, of another suffix; None beside a device or a pipe."""
    return None if is_special(path) else path.with_suffix(suffix)


def _identity(path: StrPath) -> tuple[int, int] | None:
    """Return the device and inode of a regular file; None for others, and if there is none."""
    try:
        found = os.fstat(0) if path == STDIN else os.stat(path)  # noqa: PTH116
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None


def is_special(path: StrPath) -> bool:
    """Test whether a path exists and is not a regular file, or is a name of an open file."""
    try:
        return bool(_STREAM.fullmatch(os.fspath(path))) or not stat.S_ISREG(os.stat(path).st_mode)  # noqa: PTH116
    except (OSError, ValueError):
        return False


def small_text(path: Path, errors: str = "strict", most: int = _SMALL) -> str:
    """Read text in UTF-8 that is no program.

    Args:
        path: The file.
        errors: What becomes of bytes that are no UTF-8; see `bytes.decode`.
        most: The largest number of bytes.

    Raises:
        OSError: It cannot be read or is larger, as what a device or a pipe without an end gives.
        UnicodeDecodeError: It is no UTF-8.
    """
    with path.open("rb") as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"larger than {most >> 20} MiB", os.fspath(path))
    return data.decode("utf-8", errors)


def open_regular(path: StrPath) -> IO[bytes]:
    """Open a file for reading; raise OSError if it is a device, a pipe or a folder."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(None, "not a regular file", os.fspath(path))
    except BaseException:
        os.close(descriptor)
        raise
    return os.fdopen(descriptor, "rb")


def json_object(path: StrPath, most: int, what: str) -> dict[str, Any]:
    """Read the object that a regular file of JSON holds.

    Args:
        path: The file.
        most: The largest size, in bytes.
        what: What the file is, for messages.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is larger, or holds something else.
    """
    with open_regular(path) as stream:
        content = stream.read(most + 1)
    if len(content) > most:
        raise ValueError(f"{what} has more than {most >> 20} MiB")
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        raise ValueError(f"{what} is not JSON") from None
    if not isinstance(found, dict):
        raise ValueError(f"expected an object in {what}")
    return found


class _Stream(io.FileIO):
    """A file whose write errors name the output."""

    def __init__(self, descriptor: int, path: StrPath) -> None:
        super().__init__(descriptor, "wb")
        self._path = path

    def write(self, data: Any, /) -> int:
        with _naming(self._path):
            return super().write(data) or 0


class _Direct:
    """A device, a pipe or a standard stream; the position of an open file is shared with it."""

    def __init__(self, path: StrPath) -> None:
        self.stream: BinaryIO = io.BufferedWriter(_Stream(self._open(path), path))

    def _open(self, path: StrPath) -> int:
        match = _STREAM.fullmatch(os.fspath(path))
        if match is None:
            return os.open(path, os.O_WRONLY)
        names = dict(enumerate(match.groups()[:3]))
        number = next((n for n, name in names.items() if name), None)
        return os.dup(number if number is not None else int(match[4] or match[5]))

    def commit(self) -> None:
        self.stream.close()

    def discard(self) -> None:
        with contextlib.suppress(OSError):
            self.stream.close()


class _Beside:
    """A file in the target's folder that takes the target's place when it is committed."""

    def __init__(self, path: StrPath) -> None:
        self._target = target = Path(os.path.realpath(path))
        self._old = target.stat() if target.exists() else None
        if self._old is not None and not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        _remove_stale(target.parent)
        self._descriptor, self._name = _create(target.parent)
        self.stream: BinaryIO = io.BufferedWriter(_Stream(self._descriptor, path))
        _lock(self._descriptor)

    def commit(self) -> None:
        """Flush the file to disk, and replace the target."""
        try:
            self.stream.flush()
            if self._old is not None:
                _copy_permissions(self._descriptor, self._old)
            os.fsync(self._descriptor)
            if self._name is None and not self._is_linked():
                self._name = _temporary(self._target.parent)
                _link(self._descriptor, self._name)
            self.stream.close()
            if self._name is not None:
                self._name.replace(self._target)
        except BaseException:
            self.discard()
            raise
        _sync_folder(self._target.parent)

    def _is_linked(self) -> bool:
        """Name a file that has no name as the target; return False if there is an old one."""
        if not self._target.exists():
            with contextlib.suppress(FileExistsError):
                _link(self._descriptor, self._target)
                return True
        return False

    def discard(self) -> None:
        """Delete the file."""
        with contextlib.suppress(OSError):
            self.stream.close()
        if self._name is not None:
            with contextlib.suppress(OSError):
                self._name.unlink()


def _create(folder: Path) -> tuple[int, Path | None]:
    """Create a temporary file: its descriptor, and its name if it has one."""
    if hasattr(os, "O_TMPFILE") and Path(_OPEN_FILES).is_dir() and folder.is_dir():
        try:
            return os.open(folder, os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, 0o666), None
        except OSError as error:
            if error.errno not in _UNSUPPORTED:
                raise
    name = _temporary(folder)
    return os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o666), name


def _temporary(folder: Path) -> Path:
    return folder / f"{_PREFIX}{os.urandom(8).hex()}{_SUFFIX}"


def _link(descriptor: int, path: Path) -> None:
    # Given a folder, os.link calls linkat, which follows the link in /proc.
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.link(f"{_OPEN_FILES}/{descriptor}", path.name, dst_dir_fd=folder, follow_symlinks=True)
    finally:
        os.close(folder)


def _copy_permissions(descriptor: int, old: os.stat_result) -> None:
    if sys.platform == "win32":
        return
    with contextlib.suppress(PermissionError):
        os.fchown(descriptor, old.st_uid, old.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode))


def _sync_folder(folder: Path) -> None:
    """Flush a folder to disk, where the system can."""
    if sys.platform == "win32":
        return
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _lock(descriptor: int) -> bool:
    """Lock a file, which marks it as in use; return whether it was not locked."""
    if sys.platform == "win32":
        return True
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in (errno.EWOULDBLOCK, errno.EACCES)
    return True


@cache
def _remove_stale(folder: Path) -> None:
    """Delete the temporary files of processes that were killed, once per folder."""
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):  # noqa: PTH208
            if name.startswith(_PREFIX) and name.endswith(_SUFFIX):
                _remove_if_stale(folder / name)


def _remove_if_stale(path: Path) -> None:
    with contextlib.suppress(OSError), path.open("rb") as stream:
        if time.time() - os.fstat(stream.fileno()).st_mtime > _STALE and _lock(stream.fileno()):
            path.unlink()
