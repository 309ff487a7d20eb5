"""`serialize`, with advice on passes that lower what a version of StableHLO does not have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from stablehlo_py.artifacts.refusals import version_faults
from stablehlo_py.artifacts.serialize import serialize_module
from stablehlo_py.diagnostics.diagnostic import Diagnostic, SerializationError, TransformError
from stablehlo_py.ir.core import Module
from stablehlo_py.ir.version import version_of

_EXPANDER = "stablehlo-compatibility-expander"
_LOWERING = "chlo-legalize-to-stablehlo"
_WITHOUT_CHLO = ("portable", "vhlo")


def serialize(
    module: Module, kind: str, target: str | None, lower_chlo: bool | None, options: Mapping[str, Any]
) -> bytes:
    """Return the bytes of a module; see `api.serialize`.

    Args:
        module: A valid module.
        kind: The format.
        target: The version of StableHLO, or its name.
        lower_chlo: Whether ops of CHLO are lowered first; None to do so where the format has none.
        options: The other arguments of `artifacts.serialize.serialize_module`.

    Raises:
        SerializationError: With everything that cannot be written, and the pass that would help.
        ValueError: For another kind, or a target that is no known version.
    """
    if lower_chlo is None:
        lower_chlo = kind in _WITHOUT_CHLO and not options["allow_other_dialects"]
    if lower_chlo:
        module = _without_chlo(module)
    try:
        return serialize_module(module, kind, target, **options)
    except SerializationError as error:
        if target is None:
            raise
        found = _advised(module, error.diagnostics, str(version_of(target)))
        raise SerializationError(module.name, found) from None


def _without_chlo(module: Module) -> Module:
    """Return the module with its ops of CHLO lowered: itself if it has none.

    Raises:
        SerializationError: If the module is invalid, or an op cannot be lowered.
    """
    from stablehlo_py.transforms.pass_manager import run_passes
    from stablehlo_py.verifier.verifier import verify_module

    if not any(op.name.startswith("chlo.") for op in module.walk()):
        return module
    errors = [each for each in verify_module(module) if each.severity == "error"]
    if errors:
        raise SerializationError(module.name, errors)
    try:
        return run_passes(module, [_LOWERING])
    except TransformError as error:
        raise SerializationError(module.name, error.diagnostics) from None


def _advised(module: Module, faults: Sequence[Diagnostic], target: str) -> list[Diagnostic]:
    """Add a note on the pass to the faults that it removes."""
    from stablehlo_py.transforms.pass_manager import run_passes

    pipeline = f"{_EXPANDER}=target={target}"
    try:
        expanded = run_passes(module, pipeline)
    except TransformError:
        return [*faults]
    lowered = _newer(module, target) - _newer(expanded, target)
    note = f"it can be lowered for {target} by shlo opt --pass {pipeline}"
    return [
        replace(fault, notes=(*fault.notes, note)) if _key(fault) in lowered else fault for fault in faults
    ]


def _newer(module: Module, target: str) -> set[tuple[str, int, int]]:
    """Return what is newer than a version, and where."""
    return {_key(fault) for fault in version_faults(module, version_of(target), False)}


def _key(fault: Diagnostic) -> tuple[str, int, int]:
    return fault.message, fault.line, fault.column
