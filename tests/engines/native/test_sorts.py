"""Sorts as loops: beside sorts of Python's, orders written by hand, and the NumPy engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo
from stablehlo_py.engines.native.lower.sort_keys import sort_keys
from tests.helpers.native import check_loops, compiled, counted

Array = np.ndarray[Any, Any]
LESS = "%p = stablehlo.compare LT, %a0, %b0 : (tensor<{0}>, tensor<{0}>) -> tensor<i1>"
CANONICAL = """
      %{0}z = stablehlo.constant dense<0.0> : tensor<{1}>
      %{0}e = stablehlo.compare EQ, %{0}, %{0}z, FLOAT : (tensor<{1}>, tensor<{1}>) -> tensor<i1>
      %{0}s = stablehlo.select %{0}e, %{0}z, %{0} : tensor<i1>, tensor<{1}>
      %{0}n = stablehlo.compare NE, %{0}, %{0}, FLOAT : (tensor<{1}>, tensor<{1}>) -> tensor<i1>
      %{0}c = stablehlo.constant dense<{2}> : tensor<{1}>
      %{0}k = stablehlo.select %{0}n, %{0}c, %{0}s : tensor<i1>, tensor<{1}>"""
TOTAL = "\n%p = stablehlo.compare {0}, %a0k, %b0k, TOTALORDER : (tensor<{1}>, tensor<{1}>) -> tensor<i1>"
NAN = {"f16": "0x7E00", "bf16": "0x7FC0", "f32": "0x7FC00000", "f64": "0x7FF8000000000000"}


def source(shape: tuple[int, ...], elements: list[str], comparator: str, dimension: int, stable: bool) -> str:
    """A program that sorts; %a0 and %b0 are the elements of the first operand, %p is what is returned."""
    types = [f"tensor<{''.join(f'{size}x' for size in shape)}{element}>" for element in elements]
    count, listed = len(types), ", ".join(types)
    inputs = ", ".join(f"%x{i}: {type}" for i, type in enumerate(types))
    sides = ", ".join(f"%a{i}: tensor<{e}>, %b{i}: tensor<{e}>" for i, e in enumerate(elements))
    return f"""func.func @main({inputs}) -> ({listed}) {{
      %0:{count} = "stablehlo.sort"({", ".join(f"%x{i}" for i in range(count))}) <{{
        dimension = {dimension} : i64, is_stable = {str(stable).lower()}}}> ({{
      ^bb0({sides}):
        {comparator}
        stablehlo.return %p : tensor<i1>
      }}) : ({listed}) -> ({listed})
      return {", ".join(f"%0#{i}" for i in range(count))} : {listed}
    }}"""


def native_sort(
    x: tuple[Array, ...], elements: list[str], comparator: str, dimension: int = -1, stable: bool = True
) -> list[Array]:
    """The results of the native engine, which are those of the NumPy engine bit for bit."""
    text = source(x[0].shape, elements, comparator, dimension, stable)
    if x[0].size <= 24:
        check_loops(text, *x)
    module = shlo.parse(text)
    results = compiled(module)(*x)
    for result, other in zip(results, shlo.compile(module, engine="numpy")(*x), strict=True):
        assert result.tobytes() == other.tobytes()
    return results


@pytest.mark.parametrize("size", [1, 2, 3, 63, 64, 65, 255, 8191, 8193])
def test_stable_argsort_of_rows(size: int) -> None:
    """Few and many elements, with many ties; with all digits, and in memory beside the frame."""
    rng = np.random.default_rng(size)
    places = np.broadcast_to(np.arange(size, dtype=np.int32), (2, size)).copy()
    for low, high in ((-3, 3), (-(2**31), 2**31)):
        x = rng.integers(low, high, (2, size)).astype(np.int32)
        values, order = native_sort((x, places), ["i32", "i32"], LESS.format("i32"))
        assert order.tolist() == np.argsort(x, -1, kind="stable").tolist()
        assert values.tolist() == np.sort(x, -1).tolist()


@pytest.mark.parametrize("other", [3, 7])
@pytest.mark.parametrize("place", [0, 40, 79])
def test_all_elements_but_one_are_equal(place: int, other: int) -> None:
    x = np.full(80, 5, np.int32)
    x[place] = other
    order = native_sort((x, np.arange(80, dtype=np.int32)), ["i32", "i32"], LESS.format("i32"))[1]
    rest = [each for each in range(80) if each != place]
    assert order.tolist() == ([place, *rest] if other < 5 else [*rest, place])


@pytest.mark.parametrize(
    ("elements", "size"),
    [(["i64"], 2049), (["i64"], 2048), (["i8", "i8"], 80), (["i64", "i32"], 2049), (["i8", "i16", "i8"], 80)],
)
def test_numbers_of_passes_over_digits(elements: list[str], size: int) -> None:
    """Of 8 bits, or of 11 in long rows: even and odd ones, of one key and of several."""
    rng = np.random.default_rng(size)
    names = [f"int{element[1:]}" for element in elements]
    x = tuple([rng.integers(-4, 4, size).astype(name) for name in names])
    x[-1][:] = rng.integers(np.iinfo(names[-1]).min, np.iinfo(names[-1]).max, size)
    lines, first = list[str](), ""
    for k, element in reversed([*enumerate(elements)]):
        types = f"(tensor<{element}>, tensor<{element}>) -> tensor<i1>"
        lines += [f"%{way}{k} = stablehlo.compare {way}, %a{k}, %b{k} : {types}" for way in ("LT", "EQ")]
        if first:
            lines.append(f"%p{k} = stablehlo.select %EQ{k}, {first}, %LT{k} : tensor<i1>, tensor<i1>")
        first = f"%p{k}" if first else f"%LT{k}"
    comparator = "\n".join(lines).replace(first, "%p")
    order = native_sort((*x, np.arange(size)), [*elements, "i64"], comparator)[-1]
    assert order.tolist() == sorted(range(size), key=lambda i: tuple([int(each[i]) for each in x]))


@pytest.mark.slow
def test_loops_that_sort_by_digits() -> None:
    x = np.random.default_rng(1).integers(-4, 5, 70).astype(np.int32)
    check_loops(source((70,), ["i32", "i64"], LESS.format("i32"), 0, True), x, np.arange(70))


@pytest.mark.parametrize("dimension", [0, 1, 2, -1, -3])
def test_dimensions(dimension: int) -> None:
    x = np.random.default_rng(0).permutation(7 * 9 * 11).reshape(7, 9, 11).astype(np.int16)
    (result,) = native_sort((x,), ["i16"], LESS.format("i16"), dimension)
    np.testing.assert_array_equal(result, np.sort(x, dimension))


@pytest.mark.parametrize(
    ("element", "dtype"),
    [
        ("i1", np.bool_), ("i2", ml_dtypes.int2), ("i4", ml_dtypes.int4), ("ui4", ml_dtypes.uint4),
        ("i8", np.int8), ("ui8", np.uint8), ("i16", np.int16), ("ui16", np.uint16), ("i32", np.int32),
        ("ui32", np.uint32), ("i64", np.int64), ("ui64", np.uint64), ("f8E4M3FN", ml_dtypes.float8_e4m3fn),
        ("f16", np.float16), ("bf16", ml_dtypes.bfloat16), ("f32", np.float32), ("f64", np.float64),
    ],
)  # fmt: skip
@pytest.mark.parametrize("size", [33, 150])
def test_elements(element: str, dtype: Any, size: int) -> None:
    """All bits, but for NaN, which this comparator orders nowhere."""
    rng = np.random.default_rng(size)
    width = np.dtype(dtype).itemsize
    x = rng.integers(0, 256, size * width, np.uint8).view(np.uint8 if width == 1 else dtype)
    if element in ("i1", "i2", "i4", "ui4"):
        x = (x % {"i1": 2, "i2": 4}.get(element, 16)).astype(np.int8).astype(dtype)
    x = x.view(dtype)
    with np.errstate(invalid="ignore"):  # of NaNs that signal
        x[np.isnan(x.astype(np.float64))] = 1
    places = np.arange(size, dtype=np.uint8)
    values, order = native_sort((x, places), [element, "ui8"], LESS.format(element))
    numbers = x.astype(object)
    assert order.tolist() == sorted(range(size), key=lambda i: numbers[i])
    assert values.tobytes() == x[order].tobytes()


@pytest.mark.parametrize("element", NAN)
@pytest.mark.parametrize("size", [9, 150])
def test_zeros_of_both_signs_keep_their_order(element: str, size: int) -> None:
    """For a comparator of numbers, -0 is no less than 0."""
    dtype = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}[element]
    x = np.random.default_rng(size).choice(np.array([0.0, -0.0, 1, -1]), size).astype(dtype)
    x[:3] = [0.0, -0.0, -1]
    values, order = native_sort((x, np.arange(size, dtype=np.int32)), [element, "i32"], LESS.format(element))
    expected = sorted(range(size), key=lambda i: float(x[i]))
    assert order.tolist() == expected
    assert values.tobytes() == x[expected].tobytes()


@pytest.mark.parametrize("element", NAN)
@pytest.mark.parametrize("direction", ["LT", "GT"])
def test_floats_as_jax_compares_them(element: str, direction: str) -> None:
    """Zeros of both signs are equal, NaNs of all signs and payloads too, above all others."""
    dtype = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}[element]
    x = np.array([np.nan, 1, -0.0, np.inf, 0.0, -np.nan, -np.inf, 0.0, -1, -0.0], dtype)
    comparator = "".join(CANONICAL.format(side, element, NAN[element]) for side in ("a0", "b0"))
    places = np.arange(10, dtype=np.int64)
    values, order = native_sort((x, places), [element, "i64"], comparator + TOTAL.format(direction, element))
    up = [6, 8, 2, 4, 7, 9, 1, 3, 0, 5]
    down = [0, 5, 3, 1, 2, 4, 7, 9, 8, 6]
    assert order.tolist() == (up if direction == "LT" else down)
    assert values.tobytes() == x[order].tobytes()


BITS = """
      %{0}c = stablehlo.bitcast_convert %{0} : (tensor<f32>) -> tensor<i32>
      %{0}z = stablehlo.constant dense<0> : tensor<i32>
      %{0}l = stablehlo.compare LT, %{0}c, %{0}z, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %{0}m = stablehlo.constant dense<2147483647> : tensor<i32>
      %{0}x = stablehlo.subtract %{0}m, %{0}c : tensor<i32>
      %{0}k = stablehlo.select %{0}l, %{0}x, %{0}c : tensor<i1>, tensor<i32>"""
OF_BITS = "\n%p = stablehlo.compare LT, %a0k, %b0k, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>"


def test_total_order() -> None:
    x = np.array([0.0, -np.nan, np.inf, -0.0, np.nan, -np.inf, 1.0], np.float32)
    total = LESS.format("f32").replace("%b0 :", "%b0, TOTALORDER :")
    _, order = native_sort((x, np.arange(7, dtype=np.int32)), ["f32", "i32"], total)
    assert order.tolist() == [1, 5, 3, 0, 6, 2, 4]


def test_floats_as_xla_compares_their_bits() -> None:
    """As signed integers; the bits of negative numbers are subtracted from the largest one, which wraps."""
    x = np.array([0.0, -np.nan, np.inf, -0.0, np.nan, -np.inf, 1.0, -1.0, -2.0], np.float32)
    comparator = BITS.format("a0") + BITS.format("b0") + OF_BITS
    _, order = native_sort((x, np.arange(9, dtype=np.int32)), ["f32", "i32"], comparator)
    assert order.tolist() == [1, 5, 8, 7, 3, 0, 6, 2, 4]


BY_THE_SECOND = """%q = stablehlo.compare GT, %b1, %a1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %l = stablehlo.compare LT, %b0, %a0 : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %e = stablehlo.compare EQ, %b0, %a0 : (tensor<i64>, tensor<i64>) -> tensor<i1>
  """
OF_LARGE = "(tensor<f32>, tensor<f32>) -> tensor<i1>"
LEXICOGRAPHIC = {  # the first operand downwards, then the second one upwards
    "or": "%t = stablehlo.and %e, %q : tensor<i1> %p = stablehlo.or %l, %t : tensor<i1>",
    "exchanged": "%t = stablehlo.and %q, %e : tensor<i1> %p = stablehlo.or %t, %l : tensor<i1>",
    "select": "%p = stablehlo.select %e, %q, %l : tensor<i1>, tensor<i1>",
    "negated": """%n = stablehlo.not %e : tensor<i1>
      %p = stablehlo.select %n, %l, %q : tensor<i1>, tensor<i1>""",
}


@pytest.mark.parametrize("form", LEXICOGRAPHIC)
@pytest.mark.parametrize("size", [2, 50, 64, 65, 500])
def test_several_keys(form: str, size: int) -> None:
    """By keys, or by the comparator where its form is another one; elements of mixed types."""
    rng = np.random.default_rng(3)
    x = rng.integers(-4, 4, size) << 40, rng.integers(-3, 3, size).astype(np.float32)
    rest = np.arange(size, dtype=np.uint16), (np.arange(size) % 2 == 0)
    comparator = BY_THE_SECOND + LEXICOGRAPHIC[form]
    results = native_sort((*x, *rest), ["i64", "f32", "ui16", "i1"], comparator)
    order = sorted(range(size), key=lambda i: (-int(x[0][i]), float(x[1][i])))
    assert results[2].tolist() == order
    for result, operand in zip(results, (*x, *rest), strict=True):
        assert result.tolist() == operand[order].tolist()


@pytest.mark.parametrize(
    ("less", "equal", "expected"),
    [
        ("FLOAT", "FLOAT", [1, 2]),  # 0 and -0 are equal: the second operand decides
        ("TOTALORDER", "TOTALORDER", [1, 2]),  # -0 is less
        ("FLOAT", "TOTALORDER", [2, 1]),  # neither less nor equal: the order stays
    ],
)
def test_an_equality_of_another_order_makes_no_key(less: str, equal: str, expected: list[int]) -> None:
    types = ": (tensor<f32>, tensor<f32>) -> tensor<i1>"
    comparator = f"""%l = stablehlo.compare LT, %a0, %b0, {less} {types}
      %e = stablehlo.compare EQ, %a0, %b0, {equal} {types}
      %q = stablehlo.compare LT, %a1, %b1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      {LEXICOGRAPHIC["or"]}"""
    x = np.array([0.0, -0.0], np.float32), np.array([2, 1], np.int32)
    assert native_sort(x, ["f32", "i32"], comparator)[1].tolist() == expected


BOTH_SIDES = """%one = stablehlo.constant dense<1> : tensor<i64>
  %two = stablehlo.constant dense<2> : tensor<i64>
  %m = stablehlo.{} : tensor<i64> %k = stablehlo.{} : tensor<i64>
  %p = stablehlo.compare LT, %m, %k : (tensor<i64>, tensor<i64>) -> tensor<i1>"""
OF_SIGNS = """%zero = stablehlo.constant dense<0> : tensor<i64>
  %f = stablehlo.compare {0}, %a0, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %g = stablehlo.compare {1}, %b0, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %i = stablehlo.convert %f : (tensor<i1>) -> tensor<{2}>
  %j = stablehlo.convert %g : (tensor<i1>) -> tensor<{3}>
  %m = stablehlo.convert %i : (tensor<{2}>) -> tensor<i32>
  %k = stablehlo.convert %j : (tensor<{3}>) -> tensor<i32>
  %p = stablehlo.compare LT, %m, %k : (tensor<i32>, tensor<i32>) -> tensor<i1>"""


@pytest.mark.parametrize(
    ("comparator", "count"),
    [
        (LESS.format("i64"), 1),
        ((BITS.format("a1") + BITS.format("b1") + OF_BITS).replace("0k", "1k"), 1),
        (BY_THE_SECOND + LEXICOGRAPHIC["or"], 2),
        (BY_THE_SECOND + LEXICOGRAPHIC["exchanged"], 2),
        (BY_THE_SECOND + LEXICOGRAPHIC["select"], 2),
        (BY_THE_SECOND.replace("EQ, %b0", "NE, %b0") + LEXICOGRAPHIC["or"], 0),
        (BY_THE_SECOND.replace("GT, %b1", "GE, %b1") + LEXICOGRAPHIC["or"], 0),
        (BY_THE_SECOND + LEXICOGRAPHIC["or"].replace("stablehlo.and", "stablehlo.or"), 0),
        (BY_THE_SECOND + LEXICOGRAPHIC["or"].replace("p = stablehlo.or", "p = stablehlo.xor"), 0),
        (BY_THE_SECOND + LEXICOGRAPHIC["negated"], 0),
        (BY_THE_SECOND + LEXICOGRAPHIC["or"].replace("%e, %q", "%l, %q"), 0),
        (BY_THE_SECOND.replace("EQ, %b0, %a0", "EQ, %b0, %b0") + LEXICOGRAPHIC["or"], 0),
        (BY_THE_SECOND.replace("EQ, %b0, %a0", "EQ, %b2, %a2") + LEXICOGRAPHIC["or"], 0),
        (BOTH_SIDES.format("add %a0, %one", "add %b0, %one"), 1),
        (BOTH_SIDES.format("add %a0, %one", "add %b0, %two"), 0),
        (BOTH_SIDES.format("add %a0, %one", "subtract %b0, %one"), 0),
        (OF_SIGNS.format("LT", "LT", "i8", "i8"), 1),
        (OF_SIGNS.format("LT", "LE", "i8", "i8"), 0),
        (OF_SIGNS.format("LT", "LT", "i8", "i16"), 0),
        (LESS.format("i64").replace("LT", "LE"), 0),
        (LESS.format("i64").replace("%b0", "%a0"), 0),
        ("%m = stablehlo.negate %a0 : tensor<i64> " + LESS.format("i64").replace("%a0", "%m"), 0),
        (
            """%m = stablehlo.negate %a0 : tensor<i64> %k = stablehlo.negate %b0 : tensor<i64>
            %p = stablehlo.compare LT, %m, %k : (tensor<i64>, tensor<i64>) -> tensor<i1>""",
            1,
        ),
        (
            """%m = stablehlo.subtract %a0, %b0 : tensor<i64> %k = stablehlo.subtract %b0, %a0 : tensor<i64>
            %p = stablehlo.compare LT, %m, %k : (tensor<i64>, tensor<i64>) -> tensor<i1>""",
            0,
        ),
    ],
)
def test_keys_that_a_comparator_has(comparator: str, count: int) -> None:
    module = shlo.parse(source((5,), ["i64", "f32", "i64"], comparator, 0, True))
    (step,) = shlo.compile(module, engine="numpy").plan.steps
    assert len(sort_keys(step.plans[0])) == count


WITHOUT_KEYS: dict[str, tuple[str, Callable[[int], Any]]] = {
    "not before": ("%p = stablehlo.not %g : tensor<i1>", lambda n: n),
    "by rest and size": (
        """%m = stablehlo.constant dense<5> : tensor<i32>
        %c = stablehlo.remainder %a0, %m : tensor<i32> %d = stablehlo.remainder %b0, %m : tensor<i32>
        %f = stablehlo.compare LT, %c, %d : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %h = stablehlo.compare EQ, %c, %d : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %i = stablehlo.not %g : tensor<i1> %j = stablehlo.and %h, %i : tensor<i1>
        %p = stablehlo.xor %f, %j : tensor<i1>""",
        lambda n: (n % 5, n),
    ),
}


@pytest.mark.parametrize("name", WITHOUT_KEYS)
@pytest.mark.parametrize("size", [1, 2, 31, 1000, 8200])
def test_comparators_without_keys(name: str, size: int) -> None:
    text, key = WITHOUT_KEYS[name]
    at_least = "%g = stablehlo.compare GE, %a0, %b0 : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    x = np.random.default_rng(1).integers(0, 60, size).astype(np.int32)
    places = np.arange(size, dtype=np.int32)
    _, order = native_sort((x, places), ["i32", "i32"], at_least + text)
    assert order.tolist() == sorted(range(size), key=lambda i: key(int(x[i])))


@pytest.mark.parametrize("size", [2, 97, 5000])
@pytest.mark.parametrize(
    "comparator",
    [
        "%p = stablehlo.constant dense<true> : tensor<i1>",
        """%s = stablehlo.add %a0, %b0 : tensor<i32> %m = stablehlo.constant dense<3> : tensor<i32>
        %r = stablehlo.remainder %s, %m : tensor<i32>
        %p = stablehlo.compare LT, %r, %a0 : (tensor<i32>, tensor<i32>) -> tensor<i1>""",
    ],
)
def test_comparators_that_are_no_order_give_a_permutation(comparator: str, size: int) -> None:
    x = np.random.default_rng(2).integers(0, 4, size).astype(np.int32)
    module = shlo.parse(source((size,), ["i32", "i32"], comparator, 0, False))
    values, order = shlo.compile(module, engine="native")(x, np.arange(size, dtype=np.int32))
    assert sorted(order.tolist()) == list(range(size))
    assert values.tolist() == x[order].tolist()


def test_unstable_sorts_are_stable() -> None:
    """What is equal for the comparator stays in order: numbers by their upper bits."""
    upper = """%m = stablehlo.constant dense<4> : tensor<i32>
      %c = stablehlo.divide %a0, %m : tensor<i32> %d = stablehlo.divide %b0, %m : tensor<i32>
      %p = stablehlo.compare LT, %c, %d : (tensor<i32>, tensor<i32>) -> tensor<i1>"""
    x = np.random.default_rng(5).integers(0, 40, 200).astype(np.int32)
    (result,) = native_sort((x,), ["i32"], upper, stable=False)
    assert result.tolist() == sorted(x.tolist(), key=lambda n: n // 4)


def test_nan_is_last_in_an_unstable_sort_that_compares_numbers() -> None:
    x = np.array([3, np.nan, 1, 2, np.nan, 0], np.float32)
    (result,) = native_sort((x,), ["f32"], LESS.format("f32"), stable=False)
    np.testing.assert_array_equal(result, np.array([0, 1, 2, 3, np.nan, np.nan], np.float32))


@pytest.mark.parametrize("shape", [(300, 257), (257, 300), (6, 20000)], ids=str)
def test_rows_of_several_threads(shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(4).standard_normal(shape).astype(np.float32)
    for axis in (0, 1):
        (result,) = native_sort((x,), ["f32"], LESS.format("f32"), axis)
        np.testing.assert_array_equal(result, np.sort(x, axis))


# In each iteration: the rows are sorted by their distance from the counter, which the comparator captures;
# every other time upwards, and every other time downwards.
def in_a_loop(size: int) -> str:
    sorts = []
    for compared in (
        """%3 = stablehlo.subtract %a, %i : tensor<i32> %4 = stablehlo.abs %3 : tensor<i32>
            %5 = stablehlo.subtract %b, %i : tensor<i32> %6 = stablehlo.abs %5 : tensor<i32>
            %7 = stablehlo.compare LT, %4, %6 : (tensor<i32>, tensor<i32>) -> tensor<i1>""",
        "%7 = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>",
    ):
        sorts.append(f"""{{
        %2 = "stablehlo.sort"(%v) <{{dimension = 1 : i64, is_stable = true}}> ({{
          ^bb0(%a: tensor<i32>, %b: tensor<i32>):
            {compared}
            stablehlo.return %7 : tensor<i1>
        }}) : (tensor<3x{size}xi32>) -> tensor<3x{size}xi32>
        stablehlo.return %2 : tensor<3x{size}xi32>
      }}""")
    body = f"""%bit = stablehlo.and %i, %one : tensor<i32>
      %1 = "stablehlo.case"(%bit) ({", ".join(sorts)}) : (tensor<i32>) -> tensor<3x{size}xi32>"""
    loop = counted("%n", {"v": (f"tensor<3x{size}xi32>", "%x", "%1")}, body)
    return f"""func.func @main(%x: tensor<3x{size}xi32>, %n: tensor<i32>) -> tensor<3x{size}xi32> {{{loop}
  return %r#1 : tensor<3x{size}xi32>
}}"""


@pytest.mark.parametrize("size", [5, 110, 8200])
def test_in_loops_and_branches(size: int) -> None:
    x = np.random.default_rng(6).integers(-9, 9, (3, size)).astype(np.int32)
    expected = x.tolist()
    for i in range(5):
        by = (lambda n, i=i: -n) if i % 2 else (lambda n, i=i: abs(n - i))
        expected = [sorted(row, key=by) for row in expected]
    assert compiled(in_a_loop(size))(x, np.int32(5))[0].tolist() == expected


def test_limits_of_loops_that_sort() -> None:
    module = shlo.parse(in_a_loop(500))
    x, many = np.zeros((3, 500), np.int32), np.int32(2**31 - 1)
    with pytest.raises(shlo.RunError, match="more than"):
        shlo.compile(module, engine="native", timeout=0.3)(x, many)
    with pytest.raises(shlo.RunError, match="more than 100 steps"):
        shlo.compile(module, engine="native", max_steps=100)(x, many)
