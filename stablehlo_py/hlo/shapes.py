"""Shapes in HLO text, read by `layout` once for each distinct text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from stablehlo_py.hlo.lexer import Cursor, near
from stablehlo_py.layout.layout import Layout
from stablehlo_py.layout.shape import BUFFER, Shape
from stablehlo_py.layout.text import ShapeError, parse_shape

_LAYOUT = r"\{(?=(?:\s|/\*.*?\*/)*+[\d:\-])(?:[^{}]++|\{[^{}]*+\})*+\}"
ARRAY = rf"[a-z]\w*+\[[^\[\](){{}}]*+\](?:\s*+{_LAYOUT})?+"
_ARRAY = re.compile(ARRAY, re.ASCII)
_WORD = re.compile(r"[A-Za-z_]\w*+", re.ASCII)


def read_shape(cursor: Cursor, is_element: bool = False) -> Shape:
    """Read a shape.

    As by XLA's parser, the order of dimensions in a layout is believed, but for elements of a tuple.
    """
    found = _ARRAY.match(cursor.text, cursor.at)
    if found is not None:
        shape = _array(cursor, cursor.at, found[0], is_element)
        cursor.skip(found.end())
        return shape
    if cursor.is_next("("):
        return tuple_of(cursor.items(lambda: read_shape(cursor, is_element=True), "(", ")"))
    if cursor.is_next("b("):
        cursor.take("b(")
        cursor.enter()
        inner = read_shape(cursor)
        cursor.depth -= 1
        cursor.expect(")", "')' after the shape of a buffer")
        return Shape(BUFFER, tuple_shapes=(inner,))
    word = _WORD.match(cursor.text, cursor.at)
    if word is not None and cursor.text.startswith("[", word.end()):
        _array(cursor, cursor.at, cursor.text[cursor.at : cursor.at + 200].partition("\n")[0], is_element)
    return cursor.fail("a shape, such as f32[2,3] or a tuple of shapes")


@lru_cache(4096)
def parsed(text: str, is_order_checked: bool = False) -> Shape:
    """Parse the text of the shape of an array; raise ShapeError if it is invalid."""
    return parse_shape(text, is_order_checked)


@lru_cache(4096)
def tuple_of(shapes: tuple[Shape, ...]) -> Shape:
    """Return the shape of a tuple."""
    return Shape.tuple_of(shapes)


def _array(cursor: Cursor, start: int, text: str, is_order_checked: bool) -> Shape:
    try:
        return parsed(text, is_order_checked)
    except ShapeError as error:
        word = _WORD.match(text)
        known = ("f32", "f64", "s32", "s64", "u32", "bf16", "pred", "token")
        notes = near(word[0], known) if word and "element type" in error.message else []
        cursor.fail_with(start + error.column, error.message, *notes)


@lru_cache(4096)
def without_layout(shape: Shape) -> Shape:
    """Return a shape with default layouts."""
    if shape.tuple_shapes:
        return Shape(shape.element_type, tuple_shapes=tuple(map(without_layout, shape.tuple_shapes)))
    if not shape.is_array:
        return shape
    return shape.with_layout(Layout.default(shape.rank))


def compatible(one: Shape, other: Shape) -> bool:
    """Test whether shapes are equal but for their layouts."""
    return one is other or without_layout(one) == without_layout(other)


def part_of(shape: Shape, index: Sequence[int]) -> Shape | None:
    """Return an element of nested tuples; None if there is none."""
    for number in index:
        if not shape.is_tuple or not 0 <= number < len(shape.tuple_shapes):
            return None
        shape = shape.tuple_shapes[number]
    return shape


def has_order(shape: Shape) -> bool:
    """Test whether the layout of an array has each dimension once; that of an element of a tuple does."""
    return not shape.is_array or shape.layout.is_permutation


@lru_cache(4096)
def leaf_count(shape: Shape) -> int:
    """Return how many arrays and tokens there are in nested tuples, and at least 1."""
    return sum(map(leaf_count, shape.tuple_shapes)) or 1


@lru_cache(4096)
def text_of(shape: Shape, layout: bool = True) -> str:
    """Return the text of a shape, with a comment before each fifth element of a tuple."""
    if not shape.is_tuple:
        return shape.text(layout)
    parts = [text_of(inner, layout) for inner in shape.tuple_shapes]
    return f"({', '.join(indexed(parts))})"


def indexed(parts: list[str]) -> list[str]:
    """Return a list with a comment before each fifth element."""
    if len(parts) <= 5:
        return parts
    return [f"/*index={i}*/{part}" if i and not i % 5 else part for i, part in enumerate(parts)]
