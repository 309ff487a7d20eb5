"""Printing of the section `{-# dialect_resources ... #-}` at the end of a module."""

from __future__ import annotations

import re
from collections.abc import Iterable

from stablehlo_py.ir.attributes import ArrayAttr, DenseResourceAttr, DictAttr
from stablehlo_py.ir.core import Module
from stablehlo_py.syntax.write.attributes import keyword

_ENTRY = re.compile(r'("(?:[^"\\]|\\.)*"|[\w.$-]+)\s*:\s*"0x([0-9A-Fa-f]*)"')
_ALIGNMENT = 4  # bytes; the alignment of a resource without source text


def resources_text(module: Module, canonical: bool) -> str:
    """Return the `dialect_resources` section of a module.

    Args:
        module: The module.
        canonical: Whether the section has only the resources that constants refer to; otherwise it is the
            author's.

    Returns:
        The section; "" if there are no resources.
    """
    if not canonical and module.resource_text is not None:
        return f"\n{module.resource_text.strip()}\n"
    written = dict(_ENTRY.findall(module.resource_text or ""))
    entries = [
        f'      {keyword(key)}: "0x{_hex(module, key, written)}"'
        for key in _references(module)
        if key in module.resources
    ]
    if not entries:
        return ""
    lines = ",\n".join(entries)
    return f"\n{{-#\n  dialect_resources: {{\n    builtin: {{\n{lines}\n    }}\n  }}\n#-}}\n"


def _hex(module: Module, key: str, written: dict[str, str]) -> str:
    """Return the alignment and the bytes of a resource, in hexadecimal."""
    text = written.get(key) or written.get(f'"{key}"')
    if text is None:
        alignment = module.resource_alignments.get(key, _ALIGNMENT)
        text = alignment.to_bytes(4, "little").hex() + module.resources[key].hex()
    return text.upper()


def _references(module: Module) -> Iterable[str]:
    """Return the keys that constants refer to, without duplicates, in the order of the text."""
    keys: dict[str, None] = {}
    if not module.resources:
        return keys
    for op in module.walk():
        pending = [value for _, value in sorted({**op.properties, **op.attributes}.items(), reverse=True)]
        while pending:
            attribute = pending.pop()
            if isinstance(attribute, DenseResourceAttr):
                keys[attribute.key] = None
            elif isinstance(attribute, ArrayAttr):
                pending.extend(reversed(attribute.value))
            elif isinstance(attribute, DictAttr):
                pending.extend(value for _, value in reversed(attribute.items))
    return keys
