"""Long hexadecimal constants: their values, and the memory that reading them takes."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.artifacts.recognize import decoded
from stablehlo_py.ir.attributes import DenseElementsAttr, OpaqueAttr
from stablehlo_py.syntax.parser import parse_attribute
from stablehlo_py.syntax.read.literals import detect_splat

COUNT = 1 << 20


def program(digits: str, type: str) -> str:
    return (
        f"func.func @main() -> {type} {{\n"
        f'  %0 = stablehlo.constant dense<"0x{digits}"> : {type}\n  return %0 : {type}\n}}\n'
    )


def test_one_copy_of_the_value_and_none_of_the_text() -> None:
    values = np.arange(COUNT, dtype=np.float32)
    text = program(values.tobytes().hex(), f"tensor<{COUNT}xf32>")
    shlo.parse(program("", "tensor<0xf32>"))
    tracemalloc.start()
    module = shlo.parse(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < values.nbytes + (3 << 20)  # digits are decoded in pieces of 1 MiB
    constant = module.functions["main"].regions[0].blocks[0].ops[0].attribute("value")
    assert isinstance(constant, DenseElementsAttr)
    np.testing.assert_array_equal(constant.data, values)


@pytest.mark.parametrize(("type", "dtype"), [("i8", np.int8), ("i1", np.bool_), ("ui16", np.uint16)])
def test_values_of_other_widths(type: str, dtype: type[np.generic]) -> None:
    values = (np.arange(COUNT) % 2).astype(dtype)
    module = shlo.parse(program(values.tobytes().hex(), f"tensor<{COUNT}x{type}>"))
    (found,) = shlo.run(module)
    np.testing.assert_array_equal(found, values)


@pytest.mark.parametrize("dtype", [np.int8, np.float32, np.complex128])
@pytest.mark.parametrize("more", [-1, 0, 1, 3])
def test_equal_elements_of_any_number_are_one(more: int, dtype: type[np.generic]) -> None:
    """Elements are compared in pieces of 1 MiB, the last one of which may be shorter."""
    for pieces in (1, 2):
        size = (pieces << 20) // np.dtype(dtype).itemsize + more
        values = np.full(size, 3, dtype)
        assert detect_splat(values).tolist() == [3]
        for other in (size // 3, size - 2):
            values[other] = 5
            assert detect_splat(values) is values
            values[other] = 3


@pytest.mark.parametrize("digits", ["0" * (1 << 17), "0" * ((1 << 17) + 1)])
def test_a_long_constant_of_another_size_is_an_error(digits: str) -> None:
    with pytest.raises(shlo.ParseError, match="hex data size is invalid for provided type: 'tensor<4xf32>'"):
        shlo.parse(program(digits, "tensor<4xf32>"))


def test_long_constants_and_texts_stand_alone() -> None:
    """A constant without anything before it; an attribute of another dialect that ends as a constant does."""
    count = 1 << 16
    constant = parse_attribute(f'dense<"0x{"01" * count}"> : tensor<{count}xi8>')
    assert isinstance(constant, DenseElementsAttr)
    np.testing.assert_array_equal(constant.value, np.ones(count, np.int8))
    text = f'#other.text<"{"x" * count}">'
    assert parse_attribute(text) == OpaqueAttr(text)


def test_texts_that_are_read_in_pieces(tmp_path: Path) -> None:
    whole = "a\N{GREEK SMALL LETTER ALPHA}\N{GRINNING FACE}".encode() + b"\xff\xe2\x82"
    for size in (1, 2, 3, 5, len(whole)):
        pieces = [whole[at : at + size] for at in range(0, len(whole), size)]
        assert decoded(pieces) == whole.decode("utf-8", "surrogateescape")
