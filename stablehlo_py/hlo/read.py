"""HLO in either form: text, or an HloModuleProto."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stablehlo_py.hlo.module import HloModule


def read_hlo(content: str | bytes, name: str, first_line: int = 1) -> HloModule:
    """Read a module.

    Args:
        content: HLO text, or the bytes of an HloModuleProto.
        name: Its name in diagnostics.
        first_line: The number of the first line of a text.

    Returns:
        The module.

    Raises:
        ParseError: If the content is invalid.
    """
    if isinstance(content, str):
        from stablehlo_py.hlo.parser import parse_hlo

        return parse_hlo(content, name, first_line)
    from stablehlo_py.hlo.proto.reader import read_proto

    return read_proto(content, name)
