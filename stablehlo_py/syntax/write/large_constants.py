"""Text of programs with large constants, of which one is written at a time."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence

from stablehlo_py.ir.attributes import DenseElementsAttr, DenseResourceAttr
from stablehlo_py.ir.core import Module
from stablehlo_py.syntax.write.attributes import dense_body, hex_text, is_written_in_hex

_LARGE = 1 << 20  # bytes of a constant
_CHUNK = 1 << 20  # bytes that are converted at once


class LargeText:
    """The text of a module, without its large constants.

    Args:
        module: The module. It is as it was when this returns.
        format: Prints the module.
    """

    def __init__(self, module: Module, format: Callable[[Module], str]) -> None:
        mark = f"__{os.urandom(8).hex()}_"
        self._large: list[DenseElementsAttr] = []
        places = []
        for op in module.walk():
            for values in (op.properties, op.attributes):
                for name, value in values.items():
                    if isinstance(value, DenseElementsAttr) and value.data.nbytes >= _LARGE:
                        places.append((values, name, value))
        for values, name, value in places:
            values[name] = DenseResourceAttr(f"{mark}{len(self._large)}", value.type)
            self._large.append(value)
        try:
            self._texts = re.split(rf"dense_resource<{mark}(\d+)>", format(module))
        finally:
            for values, name, value in places:
                values[name] = value

    def pieces(self) -> Iterator[str]:
        """Yield the text in pieces."""
        yield from _pieces(self._texts, self._large)


def _pieces(texts: Sequence[str], large: Sequence[DenseElementsAttr]) -> Iterator[str]:
    yield texts[0]
    for number, text in zip(texts[1::2], texts[2::2], strict=True):
        attribute = large[int(number)]
        if is_written_in_hex(attribute):
            yield 'dense<"0x'
            size = max(1, _CHUNK // attribute.data.itemsize)
            for at in range(0, attribute.data.size, size):
                yield hex_text(attribute.data[at : at + size], attribute.type.element_type)
            yield '">'
        else:
            yield f"dense<{dense_body(attribute)}>"
        yield text
