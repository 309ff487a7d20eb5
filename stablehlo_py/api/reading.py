"""Parsing of text, of bytes and of files."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING

from stablehlo_py.artifacts.recognize import contents, text_of
from stablehlo_py.diagnostics.diagnostic import Diagnostic, ParseError
from stablehlo_py.hlo.read import read_hlo
from stablehlo_py.hlo.recognize import is_hlo
from stablehlo_py.ir.core import Module
from stablehlo_py.syntax.parser import parse_module
from stablehlo_py.verifier.verifier import verify_module

if TYPE_CHECKING:
    from stablehlo_py.hlo.module import HloModule


def parse_text(text: str, name: str, first_line: int, allow: Mapping[str, bool]) -> Module:
    """Parse text; `allow` holds the options of `parse` on ops without a definition."""
    if is_hlo(text):
        return _converted(text, name, first_line)
    if "vhlo." in text:
        from stablehlo_py.artifacts.vhlo.reader import is_vhlo, read_vhlo

        if is_vhlo(text):
            return read_vhlo(text, name, first_line, **allow)
    try:
        return parse_module(text, name, first_line=first_line, **allow)
    except ParseError as error:
        if error.module is None:
            raise
        broken = [d for d in verify_module(error.module) if d.severity == "error"]
        found = sorted([*error.diagnostics, *broken], key=lambda d: (d.line, d.column))
        raise ParseError(name, found, error.module) from None


def parse_data(
    data: bytes | bytearray | memoryview, name: str, first_line: int, vjp: int, allow: Mapping[str, bool]
) -> Module:
    """Parse the bytes of a file, as `parse_text` does text."""
    if not vjp and (text := text_of(data)) is not None:
        return parse_text(text, name, first_line, allow)
    from stablehlo_py.artifacts.load import module_from

    found = module_from(data, name, vjp=vjp, **allow)
    if isinstance(found, bytes):
        return _converted(found, name)
    return found if isinstance(found, Module) else parse_text(found, name, first_line, allow)


def parse_file(path: str | PathLike[str], vjp: int, allow: Mapping[str, bool]) -> Module:
    """Parse a file, a device or a pipe, as `parse_text` does text."""
    data = contents(path, is_binary=vjp > 0)
    if isinstance(data, str):
        return parse_text(data, str(path), 1, allow)
    return parse_data(data, str(path), 1, vjp, allow)


def _converted(content: str | bytes, name: str, first_line: int = 1) -> Module:
    from stablehlo_py.hlo.to_stablehlo import to_stablehlo

    return to_stablehlo(read_hlo(content, name, first_line))


def read_hlo_file(path: str | PathLike[str]) -> HloModule:
    """Read a file of HLO text, or of an HloModuleProto."""
    from stablehlo_py.artifacts.load import module_from

    data = contents(path)
    found = data if isinstance(data, str) else module_from(data, str(path))
    if isinstance(found, Module):
        message = "expected HLO text or an HloModuleProto, found a program of StableHLO"
        raise ParseError(str(path), [Diagnostic("error", "hlo", message, 0, 0)])
    return read_hlo(found, str(path))
