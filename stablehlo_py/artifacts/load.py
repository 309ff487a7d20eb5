"""Loading of binary files; the format is determined by the content, not by the file's name."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from stablehlo_py.artifacts.bytecode.cursor import Cursor
from stablehlo_py.artifacts.bytecode.reader import read_bytecode
from stablehlo_py.artifacts.bytecode.sections import read_header
from stablehlo_py.artifacts.faults import Fault
from stablehlo_py.artifacts.recognize import READABLE, Data, foreign, max_bytes, recognize
from stablehlo_py.ir.core import Module
from stablehlo_py.ir.garbage import gc_paused
from stablehlo_py.ir.locations import Source

if TYPE_CHECKING:
    from stablehlo_py.artifacts.containers.jax_export import Exported

PORTABLE = "StableHLO_v"  # prefix of the producer of portable artifacts
_CONTAINERS = {"jax.export": "jax.export container", "SavedModel": "SavedModel"}
_GZIP_WINDOW = 31  # zlib's window bits for gzip streams


def module_from(
    data: Data, name: str, allow_unregistered: bool = False, vjp: int = 0, *, allow_newer: bool = False
) -> Module | str | bytes:
    """Return the module of binary data; or the text, or the HloModuleProto, that is compressed in it.

    Args:
        data: The contents of a file.
        name: The name of the file, for messages.
        allow_unregistered: Whether ops of unknown dialects are accepted.
        vjp: The order of the gradient to load from a container; 0 for the function itself.
        allow_newer: Whether undefined ops of known dialects are, too.

    Raises:
        ParseError: The data is invalid; the error has the byte offset and what was expected there.
    """
    try:
        format = recognize(data)
        if format == "gzip":
            data = _unpacked(data)
            format = recognize(data)
        if format in ("", "unknown") and (words := foreign(data)):
            raise Fault(0, words)
        if not format and not vjp:
            return str(data, "utf-8", "surrogateescape")
        if format == "HloModuleProto" and not vjp:
            return bytes(data)
        with gc_paused():
            return _module(memoryview(data), name, (allow_unregistered, allow_newer), vjp)
    except Fault as fault:
        raise fault.error(name) from None


def _unpacked(data: Data) -> bytes:
    """Decompress gzip data, which may have several members; raise Fault."""
    parts: list[bytes] = []
    rest, left = bytes(data), max_bytes()
    try:
        while rest:
            stream = zlib.decompressobj(wbits=_GZIP_WINDOW)
            parts.append(stream.decompress(rest, left + 1))  # 0 would be any number of bytes
            left -= len(parts[-1])
            if left < 0:
                raise Fault(0, f"expected at most {max_bytes() >> 20} MiB unpacked")
            if not stream.eof:
                raise Fault(len(data), "expected more data packed by gzip")
            rest = stream.unused_data.lstrip(b"\0")
    except zlib.error as error:
        raise Fault(0, f"expected data packed by gzip: {error}") from None
    return b"".join(parts)


def _module(data: memoryview, name: str, allowed: tuple[bool, bool], vjp: int) -> Module:
    fields: Mapping[str, Any] = {}
    convention = None
    format = recognize(data)
    if format == "jax.export":
        from stablehlo_py.artifacts.containers.jax_export import read_exported

        exported = _gradient(read_exported(data), vjp)
        data, fields, convention = exported.module, exported.fields, exported.convention
    elif format == "SavedModel":
        from stablehlo_py.artifacts.containers.saved_model import read_saved_model

        data, node = read_saved_model(data, vjp)
        fields = {"node": node}
        if recognize(data) != "bytecode":
            raise Fault(0, f"expected MLIR bytecode in the node {node}")
    elif vjp:
        raise Fault(0, "expected a jax.export container or a SavedModel, which alone hold gradients")
    elif format != "bytecode":
        raise Fault(0, f"expected {READABLE}")
    module = read_bytecode(data, *allowed)
    header = read_header(Cursor(data))
    kind = "portable artifact" if header.producer.startswith(PORTABLE) else "MLIR bytecode"
    module.container = {
        "kind": _CONTAINERS.get(format, kind),
        "producer": header.producer,
        "bytecode_version": header.version,
        **fields,
    }
    module.convention = convention
    module.defer_source(name, partial(_printed, name))
    return module


def _printed(name: str, module: Module) -> Source:
    """Print a module, whose text few programs ask for."""
    from stablehlo_py.syntax.printer import source_of

    return source_of(module, name)


def _gradient(exported: Exported, order: int) -> Exported:
    for number in range(order):
        if exported.vjp is None:
            has = f"{number} of them" if number else "none"
            raise Fault(0, f"expected a container with {order} nested gradients, found {has}")
        exported = exported.vjp
    return exported
