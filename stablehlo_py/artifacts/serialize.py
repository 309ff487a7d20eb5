"""Serialization of modules in a format and for a version of StableHLO, and what cannot be written."""

from __future__ import annotations

from collections.abc import Sequence

from stablehlo_py.artifacts.bytecode.emitter import Piece
from stablehlo_py.artifacts.encode import plain_pieces, portable_artifact
from stablehlo_py.artifacts.faults import Unwritable
from stablehlo_py.artifacts.refusals import format_faults, version_faults
from stablehlo_py.artifacts.vhlo.printer import vhlo_text
from stablehlo_py.diagnostics.diagnostic import Diagnostic, SerializationError
from stablehlo_py.ir.core import Module
from stablehlo_py.ir.version import CURRENT, version_of


def serialize_module(
    module: Module,
    kind: str,
    target: str | None,
    allow_other_dialects: bool,
    locations: bool,
    generic: bool,
) -> bytes:
    """Return the bytes of a module; see `api.serialize`, and `module_pieces` for arguments and errors."""
    return b"".join(module_pieces(module, kind, target, allow_other_dialects, locations, generic))


def module_pieces(
    module: Module,
    kind: str,
    target: str | None = None,
    allow_other_dialects: bool = False,
    locations: bool = False,
    generic: bool = False,
) -> Sequence[Piece]:
    """Return the bytes of a module in pieces; large constants in bytecode are views of the module's.

    Args:
        module: A valid module.
        kind: "portable", "bytecode" or "vhlo".
        target: The version of StableHLO, or its name.
        allow_other_dialects: Whether ops and attributes of other dialects are written, as they are.
        locations: Whether the text of VHLO has locations.
        generic: Whether the functions in the text of VHLO are in generic form.

    Raises:
        SerializationError: With everything in the program that cannot be written, or not for this target.
        ValueError: For another kind, or a target that is no known version.
    """
    if kind not in ("portable", "bytecode", "vhlo"):
        raise ValueError(f'kind must be "portable", "bytecode" or "vhlo", not {kind!r}')
    if kind == "bytecode" and target is not None:
        raise ValueError('only kind="portable" and "vhlo" have a target: plain bytecode has no versions')
    if kind != "portable" and allow_other_dialects:
        raise ValueError('only kind="portable" can allow other dialects')
    if kind != "vhlo" and (locations or generic):
        raise ValueError('only kind="vhlo" is text, with locations and generic forms on request')
    version = CURRENT if target is None else version_of(target)
    found = [] if kind == "bytecode" else version_faults(module, version, allow_other_dialects)
    refused: list[Diagnostic] = []
    try:
        if not found:
            if kind == "vhlo":
                return [vhlo_text(module, version, locations, generic).encode("utf-8", "surrogateescape")]
            if kind == "bytecode":
                return plain_pieces(module)
            return [portable_artifact(module, version, allow_other_dialects)]
    except Unwritable as error:
        refused = [Diagnostic("error", "target", error.message, *module.position(error.op), error.notes)]
    if not allow_other_dialects:
        refused = format_faults(module, kind != "bytecode") or refused
    raise SerializationError(module.name, sorted([*found, *refused], key=lambda d: (d.line, d.column)))
