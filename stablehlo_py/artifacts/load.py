"""Binary files to modules: which of the formats one has is decided by its first bytes, never by its name."""

from __future__ import annotations

import gc
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from stablehlo_py.artifacts.bytecode.cursor import Cursor
from stablehlo_py.artifacts.bytecode.reader import read_bytecode
from stablehlo_py.artifacts.bytecode.sections import MAGIC, read_header
from stablehlo_py.artifacts.containers.jax_export import Exported, read_exported
from stablehlo_py.artifacts.faults import Fault
from stablehlo_py.ir.core import Module
from stablehlo_py.syntax.printer import source_of

Data = bytes | bytearray | memoryview

GZIP = b"\x1f\x8b"
PORTABLE = "StableHLO_v"  # how the producer of a portable artifact begins
MAX_BYTES = 1 << 30  # of what is unpacked: more was not meant, or is there to exhaust memory
_BLOCK = 1 << 20


def unpack(data: Data, name: str) -> Data:
    """What a file packed by gzip holds; any other file as it is. Raises ParseError."""
    if bytes(data[:2]) != GZIP:
        return data
    try:
        return _unpacked(data)
    except Fault as fault:
        raise fault.error(name) from None


def _unpacked(data: Data) -> bytes:
    parts, size, rest = [], 0, bytes(data)
    try:
        while rest:
            stream = zlib.decompressobj(wbits=31)
            while not stream.eof:
                part = stream.decompress(rest, _BLOCK)
                rest = stream.unconsumed_tail
                if not (part or rest or stream.eof):
                    raise Fault(len(data), "expected more data packed by gzip, found the end of the file")
                parts.append(part)
                size += len(part)
                if size > MAX_BYTES:
                    raise Fault(0, f"expected at most {MAX_BYTES >> 20} MiB unpacked")
            rest = stream.unused_data.lstrip(b"\0")
    except zlib.error as error:
        raise Fault(0, f"expected data packed by gzip: {error}") from None
    return b"".join(parts)


def is_binary(data: Data) -> bool:
    """Whether data holds a program in a binary format: no text has such bytes at its beginning."""
    start = bytes(data[:64])
    return start.startswith(MAGIC) or _is_flatbuffer(start)


def _is_flatbuffer(start: bytes) -> bool:
    """Whether data begins with a small offset, to where a table stands."""
    return len(start) >= 16 and 4 <= int.from_bytes(start[:4], "little") < 1 << 16


def module_from(data: Data, name: str, allow_unregistered: bool = False, vjp: int = 0) -> Module:
    """The module of binary data; of a container, that of its `vjp`-th gradient.

    Raises ParseError, with the byte offset of what is wrong and what was expected there.
    """
    try:
        with _without_collection():
            return _module(memoryview(data), name, allow_unregistered, vjp)
    except Fault as fault:
        raise fault.error(name) from None


@contextmanager
def _without_collection() -> Iterator[None]:
    """Pauses the garbage collector: a program is a great many objects, and none of them is garbage."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _module(data: memoryview, name: str, allow_unregistered: bool, vjp: int) -> Module:
    fields: Mapping[str, Any] = {}
    if bytes(data[:4]) != MAGIC:
        exported = _gradient(read_exported(data), vjp)
        data, fields = exported.module, exported.fields
    elif vjp:
        raise Fault(0, "expected a jax.export container, which alone holds gradients")
    module = read_bytecode(data, allow_unregistered)
    header = read_header(Cursor(data))
    kind = "portable artifact" if header.producer.startswith(PORTABLE) else "MLIR bytecode"
    module.container = {
        "kind": "jax.export container" if fields else kind,
        "producer": header.producer,
        "bytecode_version": header.version,
        **fields,
    }
    module.defer_source(name, lambda module: source_of(module, name))
    return module


def _gradient(exported: Exported, order: int) -> Exported:
    for number in range(order):
        if exported.vjp is None:
            has = f"{number} of them" if number else "none"
            raise Fault(0, f"expected a container with {order} nested gradients, found {has}")
        exported = exported.vjp
    return exported
