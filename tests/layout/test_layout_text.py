"""XLA's text of shapes and layouts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stablehlo_py.layout import Layout, PaddingValue, Shape

PARSED = [  # text, canonical text
    ("f32[2,3]{0,1}", "f32[2,3]{0,1}"),
    ("f32[2,3]", "f32[2,3]{1,0}"),
    ("f32[]", "f32[]"),
    ("pred[]", "pred[]"),
    ("token[]", "token[]"),
    ("(f32[2], s32[])", "(f32[2]{0}, s32[])"),
    ("()", "()"),
    ("(f32[2]{0}, (), (s32[], /*index=5*/pred[1]))", "(f32[2]{0}, (), (s32[], pred[1]{0}))"),
    ("f32[<=2,3]", "f32[<=2,3]{1,0}"),
    ("f32[?,<=4]{0,1}", "f32[?,<=4]{0,1}"),
    (" f32 [ 2 , 3 ] { 1, 0 } ", "f32[2,3]{1,0}"),
    ("f32[2,3]{1,0:T(8,128)(2,1)E(16)S(5)}", "f32[2,3]{1,0:T(8,128)(2,1)E(16)S(5)}"),
    ("s4[4]{0:E(4)}", "s4[4]{0:E(4)}"),
    ("f32[2]{0:}", "f32[2]{0}"),
    ("f32[2]{0:E(0)S(0)}", "f32[2]{0}"),
    ("f8e4m3b11fnuz[1]", "f8e4m3b11fnuz[1]{0}"),
    ("(opaque[], b(f32[2]))", "(opaque[], b(f32[2]{0}))"),
    (
        "f32[8,8]{1,0:D(D,C+~)T(2,*)(*)L(64)#(u64)*(u32)S(1)SC(0:4) (1:2,6)M(8)}",
        "f32[8,8]{1,0:T(2,*)(*)L(64)#(u64)*(u32)S(1)SC(0:4)(1:2,6)M(8)}",
    ),
    ("f32[8]{0:P((f32[4], s32[4]{0:T(2)}))}", "f32[8]{0:P((f32[4]{0}, s32[4]{0:T(2)}))}"),
]


@pytest.mark.parametrize(("text", "canonical"), PARSED)
def test_text_in_and_out(text: str, canonical: str) -> None:
    shape = Shape.parse(text)
    assert str(shape) == canonical
    assert Shape.parse(canonical) == shape


def test_text_without_layouts() -> None:
    assert Shape.parse("(f32[2,3]{0,1:T(8)}, s8[])").text(layout=False) == "(f32[2,3], s8[])"


def test_layouts() -> None:
    assert Layout.parse("{0,1}") == Layout((0, 1))
    assert Layout.parse("{}") == Layout(())
    assert Layout.parse("{1,0:T(8,128)E(4)S(1)}") == Layout(
        (1, 0), tiles=((8, 128),), element_size_in_bits=4, memory_space=1
    )


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        ("{0,1:pad(3,5)}", Layout((0, 1), (3, 5))),
        ("{0:pad(3;lowest)}", Layout((0,), (3,), PaddingValue.LOWEST_PAD)),
        ("{0:T(2)S(1)pad(3;unknown)}", Layout((0,), (3,), PaddingValue.UNKNOWN_PAD, ((2,),), memory_space=1)),
    ],
)
def test_padding_in_text(text: str, layout: Layout) -> None:
    assert Layout.parse(text) == layout
    assert str(layout) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("f32", r"expected '\[' at column 4, found the end"),
        ("", "expected an element type, or a tuple in parentheses at column 1, found the end"),
        ("F32[2]", "expected an element type, or a tuple in parentheses at column 1, found 'F32"),
        ("f99[2]", "at column 1, unknown element type f99; known types: pred, s2"),
        ("f32[2,-1]", "expected a number at column 7, found '-1]'"),
        ("f32[2", r"expected '\]' at column 6, found the end"),
        ("f32[2]x", "expected the end at column 7, found 'x'"),
        ("f32[2]{0:S(1)E(4)}", "expected each clause once, in the order D T .* at column 14, found 'E"),
        ("f32[2]{0:S(1)S(1)}", "expected each clause once, in the order D T .* at column 14, found 'S"),
        ("f32[2]{0", "expected '}' at column 9, found the end"),
        (
            "f32[2]{0:X(64)}",
            r"expected tiles T\(..\), a size E\(bits\), a memory space S\(number\), another clause of XLA",
        ),
        ("f32[2]{0:D(X)}", "expected levels such as D or C at column 12, found 'X"),
        ("f32[2]{0:#(s8)}", "expected an unsigned integer type"),
        ("f32[2]{0:pad(3;most)}", "expected zero, one, lowest, highest, unknown at column 16, found 'most"),
        ("f32[2,3]{1,1}", r"minor_to_major must be a permutation of 0 to 1, got \[1, 1\]"),
        ("f32[2,3]{0}", r"layout \{0\} has 1 dimension, but the shape has 2"),
        ("(f32[2]", r"expected '\)' at column 8"),
        ("opaque[2]", r"expected '\]'"),
        ("b(f32[2]", r"expected '\)'"),
        ("f32[99999999999999999999]", r"expected a number below 2\^63 at column 5"),
    ],
)
def test_what_is_no_shape(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        Shape.parse(text)
    assert str(caught.value).startswith(f"'{text}' is not a shape: ")


def test_tuples_in_tuples_have_an_end() -> None:
    with pytest.raises(ValueError, match="expected at most 100 nested tuples at column 102"):
        Shape.parse("(" * 10_000)


@given(st.text("(){}[]<=?,:;0123TES pad*f32s8/ token"))
def test_any_text_is_a_shape_or_an_error(text: str) -> None:
    try:
        shape = Shape.parse(text)
    except ValueError:
        return
    assert Shape.parse(str(shape)) == shape
