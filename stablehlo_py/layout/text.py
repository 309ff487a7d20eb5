"""XLA's text of shapes and layouts: `f32[2,<=3]{0,1:T(8,128)E(4)S(1)}`, `(f32[2], s32[])`, `token[]`.

XLA's text has no syntax for padding. It is written as `{0,1:pad(3,5)}`, or `pad(3,5;lowest)` with a padding
value.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

from stablehlo_py.ir.types import TOKEN
from stablehlo_py.layout.elements import element_name, element_type
from stablehlo_py.layout.layout import COMBINED, Layout, PaddingValue
from stablehlo_py.layout.shape import BUFFER, OPAQUE, Shape

T = TypeVar("T")

_SPACE = re.compile(r"(?:\s|/\*.*?\*/)*", re.DOTALL)
_NAME = re.compile(r"[a-z]\w*", re.ASCII)
_NUMBER = re.compile(r"\d++", re.ASCII)
_DIMENSION = re.compile(r"-?\d{1,19}", re.ASCII)
_AGAIN = re.compile(r"\)\s*\(")
_MOST_NESTED = 100
_ORDER = ("D", "T", "L", "#", "*", "E", "S", "SC", "P", "M", "pad")  # of the clauses of a layout
_NAMES = sorted(_ORDER, key=len, reverse=True)
_CONTENTS = {
    "D": (re.compile(r"[DCSH]\+?~?(?:,[DCSH]\+?~?)*"), "levels such as D or C"),  # which nothing reads
    "#": (re.compile(r"u(?:8|16|32|64)"), "an unsigned integer type"),
    "SC": (re.compile(r"\d+:\d+(?:,\d+)*"), "a dimension and where it is split, such as 0:64"),
    "M": (re.compile(r"\d{1,18}"), "a number"),
}
_CONTENTS |= {"L": _CONTENTS["M"], "*": _CONTENTS["#"]}
_PADDING = {value.name.removesuffix("_PAD").lower(): value for value in PaddingValue}


class ShapeError(ValueError):
    """The text is not a shape. `column`, from 0, is where; `message` is what is wrong there."""

    def __init__(self, text: str, what: str, column: int, wrong: str, found: str = "") -> None:
        place = f"at column {column + 1}"
        super().__init__(
            f"'{text}' is not {what}: " + (f"{wrong} {place}{found}" if found else f"{place}, {wrong}")
        )
        self.column = column
        self.message = wrong + found


def parse_shape(text: str, is_order_checked: bool = True) -> Shape:
    """Parse a shape; raise ValueError, with the column, if it is invalid.

    Args:
        text: The text.
        is_order_checked: Whether the order of dimensions in a layout must be a permutation.

    Returns:
        The shape.
    """
    reader = _Reader(text, "a shape", is_order_checked)
    return reader.ended(_shape(reader))


def parse_layout(text: str) -> Layout:
    """Parse a layout; raise ValueError, with the column, if it is invalid."""
    reader = _Reader(text, "a layout")
    return reader.ended(_layout(reader))


def shape_text(shape: Shape, layout: bool = True) -> str:
    """Return XLA's text of a shape, with or without its layouts."""
    if shape.is_tuple:
        return f"({', '.join(shape_text(inner, layout) for inner in shape.tuple_shapes)})"
    if shape.element_type is BUFFER:
        return f"b({shape_text(shape.tuple_shapes[0], layout)})"
    if not shape.is_array:
        return "token[]" if shape.is_token else "opaque[]"
    pairs = zip(shape.dimensions, shape.dynamic, strict=True)
    sizes = ["?" if size is None else f"<={size}" if varies else str(size) for size, varies in pairs]
    written = layout_text(shape.layout) if layout else ""
    return f"{element_name(shape.element_type)}[{','.join(sizes)}]{'' if written == '{}' else written}"


def layout_text(layout: Layout) -> str:
    """Return XLA's text of a layout."""
    known = {name: f"{name}({text})" for name, text in layout.clauses}
    tiles = "".join(f"({_listed(tile)})" for tile in layout.tiles).replace(str(COMBINED), "*")
    known |= {"T": f"T{tiles}"} if tiles else {}
    known |= {"E": f"E({layout.element_size_in_bits})"} if layout.element_size_in_bits else {}
    known |= {"S": f"S({layout.memory_space})"} if layout.memory_space else {}
    clauses = "".join(known[name] for name in _ORDER if name in known)
    if layout.padded_dimensions is not None:
        name = layout.padding_value.name.removesuffix("_PAD").lower()
        clauses += f"pad({_listed(layout.padded_dimensions)}{'' if name == 'zero' else f';{name}'})"
    return f"{{{_listed(layout.minor_to_major)}{':' if clauses else ''}{clauses}}}"


def _listed(numbers: tuple[int, ...]) -> str:
    return ",".join(map(str, numbers))


class _Reader:
    """A text, and the current position in it."""

    def __init__(self, text: str, what: str, is_order_checked: bool = True) -> None:
        self.text = text
        self.what = what
        self.is_order_checked = is_order_checked
        self.position = 0
        self._skip()

    def fail(self, expected: str) -> NoReturn:
        rest = self.text[self.position :]
        found = f"'{rest[:12]}'" if rest else "the end"
        raise ShapeError(self.text, self.what, self.position, f"expected {expected}", f", found {found}")

    def take(self, word: str) -> bool:
        """Read a word if it is next."""
        found = self.text.startswith(word, self.position)
        if found:
            self._advance(len(word))
        return found

    def expect(self, word: str) -> None:
        if not self.take(word):
            self.fail(f"'{word}'")

    def match(self, pattern: re.Pattern[str], what: str) -> str:
        """Read what a pattern matches."""
        found = pattern.match(self.text, self.position)
        if found is None:
            self.fail(what)
        self._advance(len(found[0]))
        return found[0]

    def number(self) -> int:
        start, digits = self.position, self.match(_NUMBER, "a number")
        value = int(digits) if len(digits) < 20 else 1 << 63
        if value >= 1 << 63:
            self.position = start
            self.fail("a number below 2^63")
        return value

    def list(self, item: Callable[[], T], ends: str) -> tuple[T, ...]:
        """Read comma-separated items, up to one of the characters `ends`."""
        if self.text[self.position : self.position + 1] in [*ends]:
            return ()
        items = [item()]
        while self.take(","):
            items.append(item())
        return tuple(items)

    def ended(self, value: T) -> T:
        if self.position < len(self.text):
            self.fail("the end")
        return value

    def _advance(self, length: int) -> None:
        self.position += length
        self._skip()

    def _skip(self) -> None:
        found = _SPACE.match(self.text, self.position)
        self.position = found.end() if found else self.position


def _shape(reader: _Reader, depth: int = 0) -> Shape:
    if depth > _MOST_NESTED:
        reader.fail(f"at most {_MOST_NESTED} nested tuples")
    if reader.take("("):
        shapes = reader.list(lambda: _shape(reader, depth + 1), ")")
        reader.expect(")")
        return Shape.tuple_of(shapes)
    start = reader.position
    name = reader.match(_NAME, "an element type, or a tuple in parentheses")
    if name == "b":
        return _buffer(reader, depth)
    reader.expect("[")
    if name in ("token", "opaque"):
        reader.expect("]")
        return Shape(TOKEN if name == "token" else OPAQUE)
    sizes = reader.list(lambda: _size(reader), "]")
    reader.expect("]")
    element = _element(reader, name, start)
    dimensions, dynamic = tuple([size for size, _ in sizes]), tuple([varies for _, varies in sizes])
    if reader.text[reader.position : reader.position + 1] != "{":
        return Shape(element, dimensions, dynamic=dynamic)
    start = reader.position
    try:
        return Shape(element, dimensions, _layout(reader), dynamic)
    except ShapeError:
        raise
    except ValueError as error:
        raise ShapeError(reader.text, "a shape", start, str(error)) from None


def _buffer(reader: _Reader, depth: int) -> Shape:
    reader.expect("(")
    inner = _shape(reader, depth + 1)
    reader.expect(")")
    return Shape(BUFFER, tuple_shapes=(inner,))


def _element(reader: _Reader, name: str, start: int) -> Any:
    try:
        return element_type(name)
    except ValueError as error:
        raise ShapeError(reader.text, "a shape", start, str(error)) from None


def _size(reader: _Reader) -> tuple[int | None, bool]:
    """Read the size of a dimension, and whether it is dynamic."""
    if reader.take("?"):
        return None, True
    varies = reader.take("<=")
    return reader.number(), varies


def _layout(reader: _Reader) -> Layout:
    reader.expect("{")
    minor_to_major = reader.list(lambda: int(reader.match(_DIMENSION, "a number")), ":}")
    fields: dict[str, Any] = {}
    if reader.take(":"):
        place = -1
        while not reader.take("}"):
            place = _clause(reader, fields, place)
    else:
        reader.expect("}")
    return Layout(minor_to_major, **fields, is_order_checked=reader.is_order_checked)


def _clause(reader: _Reader, fields: dict[str, Any], after: int) -> int:
    """Read a clause after the colon of a layout, and return its place in their order."""
    start = reader.position
    name = next((name for name in _NAMES if reader.take(f"{name}(")), None)
    if name is None:
        reader.fail("tiles T(..), a size E(bits), a memory space S(number), another clause of XLA or pad(..)")
    place = _ORDER.index(name)
    if place <= after:
        reader.position = start
        reader.fail(f"each clause once, in the order {' '.join(_ORDER)}")
    if name == "T":
        fields["tiles"] = _tiles(reader)
        return place
    if name == "E":
        fields["element_size_in_bits"] = reader.number()
    elif name == "S":
        fields["memory_space"] = reader.number()
    elif name == "P":
        _add_clause(fields, name, str(_shape(reader)))
    elif name == "pad":
        fields["padded_dimensions"] = reader.list(reader.number, ";)")
        if reader.take(";"):
            fields["padding_value"] = _padding_value(reader)
    else:
        _plain_clause(reader, name, fields)
    reader.expect(")")
    return place


def _plain_clause(reader: _Reader, name: str, fields: dict[str, Any]) -> None:
    """Read a clause that is kept as text, up to its closing parenthesis."""
    pattern, what = _CONTENTS[name]
    text = reader.match(pattern, what)
    while name == "SC" and (again := _AGAIN.match(reader.text, reader.position)) is not None:
        reader.take(again[0])
        text += f")({reader.match(pattern, what)}"
    if name != "D":
        _add_clause(fields, name, text)


def _add_clause(fields: dict[str, Any], name: str, text: str) -> None:
    fields["clauses"] = tuple(sorted([*fields.get("clauses", ()), (name, text)]))


def _tiles(reader: _Reader) -> tuple[tuple[int, ...], ...]:
    tiles = []
    while True:
        tiles.append(reader.list(lambda: COMBINED if reader.take("*") else reader.number(), ")"))
        reader.expect(")")
        if not reader.take("("):
            return tuple(tiles)


def _padding_value(reader: _Reader) -> PaddingValue:
    words = ", ".join(_PADDING)
    start = reader.position
    found = _PADDING.get(reader.match(_NAME, words))
    if found is None:
        reader.position = start
        reader.fail(words)
    return found
