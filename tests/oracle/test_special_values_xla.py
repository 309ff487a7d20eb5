"""Special values against XLA's CPU backend: what differs is in `special_values.csv`, with the reason.

XLA takes denormals for zeros, and so do the operands here: that is the one difference that has no row.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import stablehlo_py as shlo

pytest.importorskip("jaxlib")
pytest.importorskip("jax")

from stablehlo_py.debug.generate.elements import smallest_kept
from stablehlo_py.kernels.numeric.numerics import dtype_kind
from stablehlo_py.opset.definition import all_definitions
from stablehlo_py.syntax.parser import parse_type
from tests.helpers.special_differences import ROWS, Row
from tests.helpers.special_regions import REGIONS
from tests.helpers.special_values import Array, Case, cases_of_elementwise, differences, parts_of, program
from tests.helpers.xla_batch import Function, Rejected, Xla

TYPES = ("f64", "f32", "f16", "bf16", "f8E5M2", "f8E8M0FNU", "f4E2M1FN", "complex<f32>", "complex<f64>")
NOT_LOWERED = ("chlo.bessel_i1e", "chlo.erfc", "chlo.top_k", "stablehlo.cbrt")  # on some of the types


def flushed(array: Array) -> Array:
    """The array with zeros for denormals, with ones in a type that has no 0."""
    found = np.array(array)
    for part in parts_of(found):
        if dtype_kind(part.dtype) == "f":
            with np.errstate(all="ignore"):
                size = np.abs(part.astype(np.float64))
            small = (size > 0) & (size < smallest_kept(part.dtype))
            zero = 1.0 if part.dtype.name == "float8_e8m0fnu" else 0.0
            part[small] = np.copysign(np.array(zero), part[small].astype(np.float64)).astype(part.dtype)
    return found


def cases_of(element: str) -> list[Case]:
    of = parse_type(element)
    found = [case for definition in all_definitions() for case in cases_of_elementwise(definition, of)]
    found += [
        case for op, cases in REGIONS.items() if op != "stablehlo.custom_call" for case in cases(op, of)
    ]
    return [replace(case, arguments=tuple(map(flushed, case.arguments))) for case in found]


@pytest.mark.parametrize("element", TYPES)
def test_what_differs_has_a_reason(element: str, xla: Xla) -> None:
    cases = cases_of(element)
    text, arguments, _ = program(cases)
    ours = iter(shlo.run(shlo.parse(text), arguments, engine="numpy"))
    functions = [
        Function(f"f{i}", case.function(f"f{i}"), case.inputs, case.results, case.arguments)
        for i, case in enumerate(cases)
    ]
    known = {(row.op, kind) for row in ROWS for kind in row.kinds if element in row.elements}
    wrong = []
    for case, theirs in zip(cases, xla.run(functions), strict=True):
        mine = [next(ours) for _ in case.results]
        if isinstance(theirs, Rejected):
            assert case.op in NOT_LOWERED, f"{case.op} {element}: {theirs}"
            continue
        for number, (x, y) in enumerate(zip(mine, theirs, strict=True)):
            for kind, where in differences(x, y).items():
                if (case.op, kind) not in known:
                    wrong.append(case.described(number, kind, int(where[0]), len(where), x, y))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("row", [row for row in ROWS if row.operands], ids=lambda row: row.op)
def test_xla_gives_what_the_table_says(row: Row, xla: Xla) -> None:
    for element in row.elements:
        case = row.case(element)
        (found,) = xla.run([Function("f", case.function("f"), case.inputs, case.results, case.arguments)])
        assert not isinstance(found, Rejected), found
        row.check(found[0], row.xla)
