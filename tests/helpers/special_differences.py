"""Rows of `special_values.csv`: where XLA's results for special values are others, an example, and why."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.opset.definition import lookup
from stablehlo_py.syntax.parser import parse_type
from tests.helpers.special_values import Array, Case, cases_of_elementwise

TABLE = Path(__file__).parent.parent / "special_values.csv"


@dataclass(frozen=True)
class Row:
    """An op and element types on which results differ.

    Attributes:
        op: The op's name, with its dialect.
        elements: The element types.
        kinds: What differs: NaN, infinities, signs of zeros, signs of other numbers, or integers (value).
        operands: Those of the example, none where the op is not elementwise.
        ours: The result of both engines for it.
        xla: XLA's result for it.
        reason: Why.
    """

    op: str
    elements: tuple[str, ...]
    kinds: tuple[str, ...]
    operands: tuple[str, ...]
    ours: str
    xla: str
    reason: str

    def case(self, element: str) -> Case:
        """The example on an element type."""
        definition, of = lookup(self.op), parse_type(element)
        assert definition is not None
        case = next(cases_of_elementwise(definition, of))
        arguments = tuple([_array(text, numpy_dtype(of)) for text in self.operands])
        size, one = f"tensor<{case.arguments[0].size}x", "tensor<1x"
        types = [tuple([type.replace(size, one) for type in each]) for each in (case.inputs, case.results)]
        return Case(case.op, element, "", case.line.replace(size, one), *types, arguments)

    def check(self, found: Array, text: str) -> None:
        """Asserts that a result is as the table writes it."""
        wanted = _array(text, found.dtype)
        for mine, other in zip(_parts(found), _parts(wanted), strict=True):
            a, b = mine.astype(np.float64), other.astype(np.float64)
            np.testing.assert_allclose(a, b, rtol=1e-2, err_msg=self.op)
            assert (np.signbit(a) == np.signbit(b)).all() or np.isnan(b).any(), (self.op, found, text)


def _parts(array: Array) -> list[Array]:
    return [array.real, array.imag] if array.dtype.kind == "c" else [array]


def _array(text: str, dtype: np.dtype[np.generic]) -> Array:
    if dtype.kind == "c":
        return np.array([complex(text)], dtype)
    if dtype == np.bool_:
        return np.array([text == "True"])
    return np.array([float(text)]).astype(dtype)


def _read() -> list[Row]:
    rows = []
    for row in csv.DictReader(TABLE.read_text().splitlines()):
        elements, kinds = tuple(row["elements"].split()), tuple(row["differs"].split(", "))
        operands = tuple(filter(None, row["operands"].split("; ")))
        rows.append(Row(row["op"], elements, kinds, operands, row["ours"], row["xla"], row["reason"]))
    return rows


ROWS = _read()
