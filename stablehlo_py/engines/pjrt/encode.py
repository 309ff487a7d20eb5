"""Encoding of modules for a plug-in: portable artifacts of a version that it reads, or text; decoding."""

from __future__ import annotations

from stablehlo_py.artifacts.encode import portable_artifact
from stablehlo_py.artifacts.load import module_from
from stablehlo_py.artifacts.refusals import format_faults
from stablehlo_py.artifacts.vhlo.versions import needs
from stablehlo_py.diagnostics.diagnostic import Unsupported
from stablehlo_py.interpreter.errors import located
from stablehlo_py.ir.core import BlockArgument, Module, Operation
from stablehlo_py.ir.version import CURRENT, Version
from stablehlo_py.syntax.printer import format_module


def encode(module: Module, version: Version, platform: str, as_text: bool = False) -> bytes:
    """Return a module as bytes that XLA reads.

    A module with ops of other dialects (chlo, sdy), which portable artifacts cannot hold, is written as text.

    Args:
        module: The module.
        version: The version of StableHLO that the plug-in reads.
        platform: The name of the platform, for messages.
        as_text: Write text in any case.

    Raises:
        Unsupported: The module needs a newer version.
    """
    late = next((need for need in needs(module.walk()) if need.version > version), None)
    if late is not None:
        message = f"{late.what} needs StableHLO {late.version}; XLA for {platform} here reads {version}"
        raise located(Unsupported(message), module, _op_of(late.place))
    if as_text or format_faults(module, is_portable=True):
        return format_module(module, generic=True, locations=True).encode("utf-8", "surrogateescape")
    return portable_artifact(module, min(version, CURRENT))


def decode(data: bytes) -> Module:
    """Return the module of bytecode that XLA has written."""
    found = module_from(data, "refined", allow_unregistered=True, allow_newer=True)
    assert isinstance(found, Module)
    return found


def _op_of(place: Operation | BlockArgument) -> Operation | None:
    return place if isinstance(place, Operation) else place.block.parent_op
