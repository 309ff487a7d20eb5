"""Both engines on signed zeros, denormals, infinities and NaN: a table of every op that computes with floats.

The programs are those of `special_values` and `special_regions`. NaN, infinities and signs of zeros are in
the same places on both engines, and results that are not rounded have the same bits: which engine `auto`
takes for a call does not show.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import stablehlo_py as shlo
from stablehlo_py.ir.types import Type
from stablehlo_py.opset.definition import OpDef, all_definitions
from tests.helpers.special_differences import ROWS
from tests.helpers.special_regions import REGIONS
from tests.helpers.special_values import (
    ELEMENTS,
    Case,
    cases_of_elementwise,
    differences,
    different_bits,
    is_elementwise,
    program,
    takes_floats,
)

Array = np.ndarray[Any, np.dtype[Any]]
EACH_TIME = ("f64", "f32", "f16", "bf16", "f8E5M2", "f4E2M1FN", "complex<f32>")
TYPES = [
    element if str(element) in EACH_TIME else pytest.param(element, marks=pytest.mark.slow)
    for element in ELEMENTS
]

# Ops whose results are elements of operands or their signs changed: NaN keeps its sign too, and in f32 and
# f64 its bits; narrower types are widened, and lose some.
MOVING = {
    *(f"stablehlo.{name}" for name in ("abs", "negate", "real", "imag", "complex", "select", "sort")),
    *("chlo.conj", "chlo.top_k"),
}
# Ops whose result on floats is the exact one, rounded once.
ROUNDED_ONCE = {
    *(
        f"stablehlo.{name}"
        for name in (
            "add", "subtract", "multiply", "divide", "remainder", "sqrt", "ceil", "floor", "sign", "maximum",
            "minimum", "clamp", "compare", "convert", "is_finite", "reduce_precision", "round_nearest_afz",
            "round_nearest_even", "select_and_scatter",
        )
    ),
    *("chlo.is_inf", "chlo.is_pos_inf", "chlo.is_neg_inf", "chlo.next_after"),
}  # fmt: skip

EXCEPT = {  # what is not the same on both engines, and why
    ("stablehlo.fft", "RFFT"): "transforms take other sums; of infinite elements some are NaN",
}

MOVES = "elements keep their bits: tests/engines/native/test_elements.py"
OTHERS = "the values of others: tests/kernels"
OLDER = "an older form of an op that is in the table"
REASONS = {  # why an op that takes floats is not in the table
    **dict.fromkeys(
        (
            "stablehlo.pad", "stablehlo.concatenate", "stablehlo.dynamic_update_slice", "stablehlo.tuple",
            "stablehlo.dynamic_pad", "stablehlo.bitcast_convert", "stablehlo.torch_index_select",
            "stablehlo.get_dimension_size", "stablehlo.set_dimension_size", "stablehlo.outfeed",
            "chlo.constant_like", "stablehlo.return", "stablehlo.composite",
        ),
        MOVES,
    ),
    **dict.fromkeys(("stablehlo.rng", "stablehlo.rng_bit_generator"), "its numbers are random"),
    **dict.fromkeys(("stablehlo.dot", "stablehlo.einsum", "stablehlo.unary_einsum"), OLDER),
    **dict.fromkeys(("stablehlo.dynamic_conv", "chlo.ragged_dot"), "products that are in the table"),
    "chlo.scan": "its body is made of ops that are in the table",
    "chlo._asin_acos_kernel": "an intermediate of XLA, which no program has",
    "stablehlo.uniform_quantize": "its result is an integer: tests/kernels/test_quantized.py",
}  # fmt: skip


def in_table(definition: OpDef) -> bool:
    return definition.name in REGIONS or is_elementwise(definition)


def reason(definition: OpDef) -> str:
    """Why an op is not in the table, "" if nothing says so."""
    if definition.name in REASONS:
        return REASONS[definition.name]
    if "moves_data" in definition.traits or "view" in definition.traits:
        return MOVES
    if "communicates" in definition.traits or "runs_bodies" in definition.traits:
        return OTHERS
    if definition.name.startswith("chlo.broadcast_"):
        return "an elementwise op on operands that are broadcast"
    return ""


def test_every_op_that_takes_floats_is_in_the_table() -> None:
    """A new op has its programs in `special_values` or `special_regions`, or a reason here."""
    takes = [definition for definition in all_definitions() if takes_floats(definition)]
    assert [each.name for each in takes if not in_table(each) and not reason(each)] == []
    drawn = [each for each in takes if is_elementwise(each)]
    assert [each.name for each in drawn if not any(True for _ in cases_of_elementwise(each))] == []
    names = {definition.name for definition in all_definitions()}
    assert {*MOVING, *ROUNDED_ONCE, *REASONS, *REGIONS} <= names


def apart(cases: list[Case]) -> Iterator[str]:
    """What differs between the engines on one program of all cases."""
    text, arguments, owners = program(cases)
    module = shlo.parse(text)
    found = [shlo.compile(module, engine=engine)(*arguments) for engine in ("numpy", "native")]  # type: ignore[arg-type]
    for (case, number), ours, theirs in zip(owners, *found, strict=True):
        places = dict(differences(ours, theirs))
        of_nan = case.op in MOVING and (case.op, case.element[:7]) != ("stablehlo.abs", "complex")
        if of_nan or (case.op in ROUNDED_ONCE and "complex" not in case.element):
            places |= {"bits": different_bits(ours, theirs, of_nan)}
        for kind, where in places.items():
            if len(where) and (case.op, case.variant) not in EXCEPT:
                yield case.described(number, kind, int(where[0]), len(where), ours, theirs)


@pytest.mark.parametrize("element", TYPES, ids=str)
def test_elementwise_ops(element: Type) -> None:
    cases = [case for definition in all_definitions() for case in cases_of_elementwise(definition, element)]
    wrong = list(apart(cases))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("element", TYPES, ids=str)
def test_other_ops(element: Type) -> None:
    wrong = list(apart([case for op, cases in REGIONS.items() for case in cases(op, element)]))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_examples_of_differences_from_xla(engine: Any) -> None:
    """The results that `special_values.csv`, and so the documentation, states as ours."""
    examples = [(row, element) for row in ROWS if row.operands for element in row.elements]
    text, arguments, _ = program([row.case(element) for row, element in examples])
    found = shlo.compile(shlo.parse(text), engine=engine)(*arguments)
    for (row, _), result in zip(examples, found, strict=True):
        row.check(result, row.ours)


def test_each_difference_from_xla_has_a_reason() -> None:
    assert all(
        row.reason and row.elements and row.kinds and row.ours != row.xla for row in ROWS if row.operands
    )
    named = [(row.op, element) for row in ROWS for element in row.elements]
    assert len(named) == len(set(named))


@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_zeros_in_either_order(engine: Any) -> None:
    """-0 is less than +0 (IEEE 754-2019, 9.6), whatever the length and the layout of arrays."""
    text = """func.func @main(%x: tensor<NxT>, %y: tensor<NxT>, %low: tensor<T>) -> (SIGNATURE) {
      %0 = stablehlo.minimum %x, %y : tensor<NxT>
      %1 = stablehlo.maximum %x, %y : tensor<NxT>
      %2 = stablehlo.clamp %low, %x, %y : (tensor<T>, tensor<NxT>, tensor<NxT>) -> tensor<NxT>
      return %0, %1, %2 : SIGNATURE
    }""".replace("SIGNATURE", ", ".join(["tensor<NxT>"] * 3))
    for kind, dtype in (("f32", np.float32), ("f64", np.float64), ("f16", np.float16)):
        for size in (1, 2, 3, 17, 70001):
            x = np.zeros(2 * size, dtype)[::2]
            y = np.where(np.arange(size) % 3 == 0, x, -x)
            run = shlo.compile(
                shlo.parse(text.replace("NxT", f"{size}x{kind}").replace("T>", f"{kind}>")), engine=engine
            )
            for first, second in ((x, y), (y, x)):
                least, largest, clamped = run(first, second, np.array(-0.0, dtype))
                assert (np.signbit(least) == np.signbit(y)).all()
                assert not np.signbit(largest).any()
                assert (np.signbit(clamped) == np.signbit(y)).all()


@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_sums_of_complex_numbers_of_which_a_part_is_infinite(engine: Any) -> None:
    """The parts are added, and not multiplied by 0 on the way."""
    for shape in ((2, 3), (5000, 5), (5, 5000)):
        t = f"tensor<{shape[0]}x{shape[1]}xcomplex<f32>>"
        for axis in (0, 1):
            r = f"tensor<{shape[1 - axis]}xcomplex<f32>>"
            text = f"""func.func @main(%x: {t}, %i: tensor<complex<f32>>) -> {r} {{
              %0 = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [{axis}]
                : ({t}, tensor<complex<f32>>) -> {r}
              return %0 : {r}
            }}"""
            x = np.ones(shape, np.complex64)
            x[0, 0] = complex(np.inf, 1)
            (found,) = shlo.run(shlo.parse(text), [x, np.complex64(0)], engine=engine)
            assert found.real[0] == np.inf and found.imag[0] == 1
            assert (found[1:] == shape[axis]).all()


def test_complex_atan2_at_any_scale() -> None:
    """The angle of multiples is the same on both engines, also where squares underflow or overflow."""
    numbers = np.random.default_rng(0).normal(size=(4, 400))
    numbers[:, :4] = [[1, 1, -2, 0], [1, -1, 0, 3], [1, -1, 1, 1], [-1, 1, 0, -0.0]]  # poles, and axes
    y, x = numbers[0] + 1j * numbers[1], numbers[2] + 1j * numbers[3]
    t = f"tensor<{y.size}xcomplex<f64>>"
    module = shlo.parse(f"""func.func @main(%y: {t}, %x: {t}) -> {t} {{
      %0 = stablehlo.atan2 %y, %x : {t}
      return %0 : {t}
    }}""")
    (expected,) = shlo.run(module, [y, x], engine="numpy")
    for scale in (1.0, 2.0**-1000, 2.0**-520, 2.0**520, 2.0**1000):
        for engine in ("numpy", "native"):
            (found,) = shlo.run(module, [y * scale, x * scale], engine=engine)
            np.testing.assert_array_equal(found, expected, f"{engine} at {scale}")
    inside = np.abs(y) < 0.5 * np.abs(x)
    np.testing.assert_allclose(np.tan(expected[inside]), y[inside] / x[inside], rtol=1e-12, atol=1e-15)


def test_complex_atan2_of_operands_that_are_broadcast() -> None:
    y, x = np.array([1 + 2j, 3 - 1j], np.complex64), np.ones((3, 1, 2), np.complex64)
    module = shlo.parse("""func.func @main(%y: tensor<2xcomplex<f32>>, %x: tensor<3x1x2xcomplex<f32>>)
        -> tensor<3x1x2xcomplex<f32>> {
      %0 = chlo.broadcast_atan2 %y, %x
        : (tensor<2xcomplex<f32>>, tensor<3x1x2xcomplex<f32>>) -> tensor<3x1x2xcomplex<f32>>
      return %0 : tensor<3x1x2xcomplex<f32>>
    }""")
    expected = -1j * np.log((x + 1j * y) / np.sqrt(x * x + y * y))
    for engine in ("numpy", "native"):
        (found,) = shlo.run(module, [y, x], engine=engine)
        np.testing.assert_allclose(found, expected, 1e-6)
