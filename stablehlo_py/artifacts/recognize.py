"""Detection of the format of a file, by its content.

It imports nothing else of this package, so that plain text is parsed without it.
"""

from __future__ import annotations

import errno
import os
import re
import sys
from codecs import getincrementaldecoder
from collections.abc import Iterable
from functools import partial
from itertools import chain
from typing import IO, Literal

Data = bytes | bytearray | memoryview
Format = Literal["gzip", "bytecode", "jax.export", "SavedModel", "HloModuleProto", "unknown", ""]

LIMIT = "SHLO_MAX_INPUT_BYTES"  # the environment variable of the maximum size of a program
_LIMIT = 1 << 30
FUNCTIONS = "functions"  # the folder of programs in those that torch_xla writes
MAGIC = b"ML\xefR"
GZIP = b"\x1f\x8b"
PIECE = 1 << 24  # bytes of a text that are decoded at a time
_SAVED_MODEL = b"\x08\x01\x12"  # the schema version 1, and the field of the first graph
_FIRST_FIELD = b"\n"  # of the messages that hold HLO: number 1, with a length
_AFTER_NAME = (b"\x12", b"\x1a")  # the name of the entry, or a computation: no characters of a text
_MAX_SHIFT = 63
_MARKS = (b"\xff\xfe", b"\xfe\xff")  # byte order marks of UTF-16 and UTF-32, in which text has NUL bytes
_SMALL = b"\0\0"  # the upper half of the root offset at the start of a flatbuffer
_MODULE_SLOT = 4 + 2 * 13  # the vtable slot of the module in a jax.export container


def recognize(data: Data) -> Format:
    """Return the binary format of data; "" for text, "unknown" for other binary data.

    Args:
        data: The contents of a file.
    """
    start = bytes(data[:8])
    if start.startswith(GZIP):
        return "gzip"
    if start.startswith(MAGIC):
        return "bytecode"
    if start.startswith(_SAVED_MODEL):
        return "SavedModel"
    if start.startswith(_FIRST_FIELD) and _is_hlo(bytes(data[:_LONGEST_START])):
        return "HloModuleProto"
    if start[2:4] != _SMALL or start.startswith(_MARKS):
        return ""
    return "jax.export" if _is_exported(data) else "unknown"


def text_of(data: Data) -> str | None:
    """Return data as text; None if they are binary.

    Args:
        data: The contents of a file. Bytes that are no UTF-8 become surrogates.
    """
    return None if recognize(data) else str(data, "utf-8", "surrogateescape")


def decoded(pieces: Iterable[bytes]) -> str:
    """Decode a text that is read in pieces, without a second copy of it.

    Args:
        pieces: The contents of a file. Bytes that are no UTF-8 become surrogates.
    """
    decoder = getincrementaldecoder("utf-8")("surrogateescape")
    text = ""
    for piece in pieces:
        text += decoder.decode(piece)  # in place, as nothing else refers to the text
    text += decoder.decode(b"", final=True)
    return text


READABLE = (
    "MLIR or HLO text, MLIR bytecode, a portable artifact, a jax.export container, a SavedModel or an "
    "HloModuleProto, compressed by gzip or not"
)
_EXPORT = "export the model to StableHLO, for example with jax.export"
# Formats that are not read here: the offset of their mark, the mark, what they are, and how to go on.
_FOREIGN = (
    (4, b"TFL3", "a TensorFlow Lite model (a flatbuffer)", _EXPORT),
    (0, b"PK\x03\x04", "a zip archive, such as a .npz or Keras or PyTorch model", _EXPORT),
    (0, b"\x93NUMPY", "a NumPy array", "give it to `shlo run` with --input"),
    (0, b"\x89HDF", "an HDF5 file", _EXPORT),
    (0, b"BC\xc0\xde", "LLVM bitcode", _EXPORT),
    (0, b"\x7fELF", "an executable or object file", _EXPORT),
    (0, b"\x80\x02", "a Python pickle", _EXPORT),
    (0, b"\x80\x04", "a Python pickle", _EXPORT),
    *((0, bytes([8, version, 18]), "an ONNX model", _EXPORT) for version in range(3, 16)),
    *((0, mark, "JSON", _EXPORT) for mark in (b'{"', b"{\n", b"{\r\n", b"{}")),
    *((0, b"[" + mark, "JSON", _EXPORT) for mark in (b"\n", b"\r\n", b"]", b'"', b"{", b"[", b" ", b"-")),
    *((0, b"[%d" % digit, "JSON", _EXPORT) for digit in range(10)),
    (0, b"[", "a configuration file, TOML or INI", _EXPORT),
    *(
        (0, mark, "a Python file", _EXPORT)
        for mark in (b"import ", b"from ", b"def ", b"async def ", b"class ", b"@", b'"""', b"'''")
    ),
    *((0, mark, "C, C++ or CUDA", _EXPORT) for mark in (b"#include <", b'#include "', b"#pragma once")),
    (0, b"#!", "a script", _EXPORT),
    (0, b"diff --git ", "a patch", _EXPORT),
    (0, b"%PDF-", "a PDF document", _EXPORT),
    (6, b'\x00\x00{"', "a safetensors file", "give it to `shlo run` with --input"),
    (0, b"\x89PNG", "a picture", _EXPORT),
    (0, b"{ lambda", "a jaxpr", "write jax.jit(f).lower(x).as_text() instead"),
    (0, b"graph(", "a graph of TorchScript", _EXPORT),
    (0, b"node {", "a graph of TensorFlow as text", _EXPORT),
    *((0, mark, "LLVM IR", _EXPORT) for mark in (b"; ", b"source_filename", b"target ", b"define ")),
    *((0, mark, "a page, HTML or XML", _EXPORT) for mark in (b"<!", b"<html", b"<?xml", b"<svg")),
    (0, b"digraph ", "a Graphviz graph", _EXPORT),
    (257, b"ustar", "a tar archive", "unpack it"),
    (0, b"7z\xbc\xaf", "a 7z archive", "unpack it"),
    (0, b"BZh", "bzip2-compressed data", "decompress it"),
    (0, b"\xfd7zXZ", "xz-compressed data", "decompress it"),
    (0, b"\x28\xb5\x2f\xfd", "zstd-compressed data", "decompress it"),
)
_LONGEST_START = 4096
_DIGITS = 19  # of a size that fits into 63 bits
_COMMENTS = re.compile(rb"\A(?:\s++|//[^\n]*+\n|# [^\n]*+\n|/\*.*?\*/)*+", re.DOTALL)  # of HLO, of Python
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")
_CONTROLS, _SHARE = 10, 20  # text has no more control characters than these, and one in so many bytes


def foreign(data: Data) -> str:
    """What data is that cannot be read here, and how to go on; "" for text and the formats that are read."""
    start = bytes(data[:_LONGEST_START])
    first = _COMMENTS.sub(b"", start, 1)
    is_binary = len(_CONTROL.findall(start)) > _CONTROLS + len(start) // _SHARE
    for offset, mark, name, advice in _FOREIGN:
        fits = first.startswith(mark) if not offset else start.startswith(mark, offset)
        if fits and (len(mark) > 1 or not is_binary):  # one in a hundred binary files begins with a bracket
            return f"this is {name}, not {READABLE}; {advice}"
    is_flatbuffer = _number(start, 0, 4) >= 4  # its root is after the offset of the root
    if is_binary and not start.startswith(_MARKS) and not (is_flatbuffer and recognize(data)):
        return f"this is a binary file of an unknown format, not {READABLE}"
    return ""


def _is_exported(data: Data) -> bool:
    """Return True if data is a flatbuffer with bytecode in the module field of a jax.export container."""
    root = _number(data, 0, 4)
    vtable = (root - _number(data, root, 4)) % (1 << 32)  # the difference has a sign
    if _number(data, vtable, 2) < _MODULE_SLOT + 2:
        return False
    place = root + _number(data, vtable + _MODULE_SLOT, 2)
    vector = place + _number(data, place, 4)
    return bytes(data[vector + 4 : vector + 8]) == MAGIC


def _is_hlo(start: bytes) -> bool:
    """Test for an HloModuleProto, alone or as the first field of an HloProto, or of that of an HloSnapshot.

    The first field of each of them has number 1 and a length; the name of a module is followed by that of its
    entry, or by a computation.
    """
    at = 0
    for _ in range(3):
        if start[at : at + 1] != _FIRST_FIELD:
            return False
        at += 1
        size = shift = 0
        while at < len(start) and shift < _MAX_SHIFT:
            size |= (start[at] & 0x7F) << shift
            shift += 7
            at += 1
            if start[at - 1] < 0x80:
                break
        if start[at + size : at + size + 1] in _AFTER_NAME and start[at : at + size].isascii():
            return True
    return False


def _number(data: Data, at: int, size: int) -> int:
    return int.from_bytes(data[at : at + size], "little")


def read_stream(path: str | os.PathLike[str]) -> bytes:
    """Read a device or a pipe; raise OSError if it cannot be read, or gives too much."""
    with open(path, "rb") as stream:  # noqa: PTH123
        return bounded(stream, os.fspath(path))


def max_bytes() -> int:
    """The maximum size of a program in bytes; raise OSError if the environment states no number."""
    given = os.environ.get(LIMIT, "")
    if given and not (given.isascii() and given.isdigit()):
        raise OSError(errno.EINVAL, f"{LIMIT}={given}: expected a number of bytes")
    return min(int(given), sys.maxsize - 1) if 0 < len(given) < _DIGITS else _LIMIT


def too_large(limit: int) -> str:
    """Say that a program is larger than the limit, and what raises the limit."""
    size = f"{limit >> 20} MiB" if limit >> 20 else f"{limit} bytes"
    return f"larger than the limit of {size}, which the environment variable {LIMIT} sets"


def bounded(stream: IO[bytes], name: str, start: bytes = b"") -> bytes:
    """Read the rest of a stream, which may have no end; raise OSError if it is larger than the limit."""
    limit = max_bytes()
    data = start + stream.read(max(limit + 1 - len(start), 0))
    if len(data) > limit:
        raise OSError(errno.EFBIG, too_large(limit), name)
    return data


def contents(path: str | os.PathLike[str], is_binary: bool = False) -> str | bytes:
    """Read a file: its text, of which there is one copy at a time, or its bytes if they are binary."""
    if not os.path.isfile(path):  # noqa: PTH113
        return read_stream(path)
    if os.path.getsize(path) > (limit := max_bytes()):  # noqa: PTH202
        raise OSError(errno.EFBIG, too_large(limit), os.fspath(path))
    with open(path, "rb") as stream:  # noqa: PTH123
        start = stream.read(PIECE)
        if not is_binary and not recognize(start):
            return decoded(chain([start], iter(partial(stream.read, PIECE), b"")))
        stream.seek(0)
        return stream.read()
