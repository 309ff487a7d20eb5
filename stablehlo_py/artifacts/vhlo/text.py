"""VHLO's text of attributes and types: `#vhlo.integer_v1<1 : i64>`, `!vhlo.tensor_v1<2x!vhlo.f32_v1>`.

The text of a kind is a template in its row. `{field:kind}` is a field, where the kind is `a` for an
attribute, `t` a type, `i` an integer, `d` a floating-point number, `p` a name and a value, `x` the dimension
sizes of a tensor; `*` is a list with commas, and `r*` one of types that is `()` if it is empty.
`{field:a?TEXT}` is an optional attribute, after TEXT. A row of attributes without a template has the
builtin dialect's text.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from stablehlo_py.artifacts.dialects.fields import DYNAMIC
from stablehlo_py.artifacts.dialects.registry import VHLO, Encoding
from stablehlo_py.artifacts.dialects.rows import Row
from stablehlo_py.ir.attributes import EnumAttr, FloatAttr
from stablehlo_py.ir.types import F64, Type
from stablehlo_py.syntax.write.floats import float_text

_FIELD = re.compile(r"\{(\w+):(\w)([*?]?)([^{}]*)\}")


class Part(NamedTuple):
    """A part of a template: a field, or text if `field` is ""."""

    field: str
    kind: str = ""
    suffix: str = ""
    text: str = ""


@cache
def parts_of(template: str) -> tuple[Part, ...]:
    """Return the parts of a template."""
    found, at = [], 0
    for match in _FIELD.finditer(template):
        found += [Part("", text=template[at : match.start()]), Part(*match.groups())]
        at = match.end()
    return tuple([part for part in (*found, Part("", text=template[at:])) if part.field or part.text])


class _Recorded:
    """A sink that keeps what is written to it, so that it can be spelled."""

    def __init__(self) -> None:
        self.items: list[Any] = []

    def byte(self, value: Any) -> None:
        self.items.append(value)

    varint = signed = string = resource = type = byte

    def raw(self, data: bytes | memoryview) -> None:
        """Ignore the elements of a constant, whose text is that of the builtin dialect."""

    def attribute(self, value: Any, flag: bool | None = None) -> None:
        self.items += [value] if flag is None else [flag, value]


def text_of(value: Any) -> str:
    """Return the text of an attribute or type in VHLO.

    Args:
        value: An attribute in VHLO's form, or a type.

    Raises:
        NoEncoding: VHLO has no form of the value.
    """
    is_type = isinstance(value, Type)
    row = Encoding.of(VHLO, value, is_type).row
    assert row is not None
    if isinstance(value, EnumAttr):
        return f"#vhlo<{row.mnemonic} {value.value}>"
    body = "".join(_spelled(row, value)) if row.text or is_type else _builtin(row, value)
    return f"{'!' if is_type else '#'}vhlo.{row.mnemonic}" + (f"<{body}>" if row.fields else "")


def _builtin(row: Row, value: Any) -> str:
    """Return the text of an attribute in the builtin dialect; raise NoEncoding if VHLO lacks its type."""
    type = row.split(value).get("type")
    spelled = "" if type is None else text_of(type)
    text = str(value)
    return f"{text.rpartition(' : ')[0]} : {spelled}" if isinstance(value, FloatAttr) else text


def _spelled(row: Row, value: Any) -> list[str]:
    given = row.split(value)
    found = []
    for part in parts_of(row.text):
        if not part.field:
            found.append(part.text)
            continue
        recorded = _Recorded()
        row.fields[part.field].write(recorded, given[part.field], given)
        found.append(_field(part, recorded.items))
    return found


def _field(part: Part, items: Sequence[Any]) -> str:
    """Return the text of a field from what its encoding consists of."""
    if part.suffix == "?":
        return part.text + text_of(items[1]) if items[0] else ""
    if part.kind == "x":
        return "".join([f"{_integer(size)}x" for size in items[1:]])
    if part.kind == "p":
        pairs = zip(items[1::2], items[2::2], strict=True)
        return ", ".join([f"{text_of(name)} = {text_of(value)}" for name, value in pairs])
    texts = [_WRITERS[part.kind](item) for item in (items[1:] if part.suffix else items)]
    return ", ".join(texts) or ("()" if part.kind == "r" else "")


def _integer(value: int) -> str:
    return "?" if value == DYNAMIC else str(value)


def _double(bits: int) -> str:
    return float_text(struct.unpack("<d", struct.pack("<q", bits))[0], F64)


_WRITERS: Mapping[str, Callable[[Any], str]] = {
    "a": text_of,
    "t": text_of,
    "r": text_of,
    "i": _integer,
    "d": _double,
}
