"""Selection of ops by the names of results, lines and source lines."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.selection import SelectionError, at_line, from_location, named_by

TEXT = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.abs %x : tensor<2xf32> loc("a/model.py":7:3)
  %w:2 = stablehlo.optimization_barrier %0, %x : tensor<2xf32>, tensor<2xf32>
  %5 = stablehlo.negate %w#1 : tensor<2xf32> loc(callsite("f"("lib.py":3:1) at "b/model.py":8:1))
  %8 = stablehlo.sine %5 : tensor<2xf32> loc("b/model.py":70:1)
  return %8 : tensor<2xf32>
}"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("%0", [2]), ("%w", [3]), ("w", [3]), ("%w#1", [3]), ("w#1", [3]), ("%5", [4]), ("%8", [5]),
        ("5", [5]),  # a number is a line, if an op starts there
        ("8", [5]),  # and else a name
        ("2", [2]), ("6", [6]), ("1", [1]),
    ],
)  # fmt: skip
def test_what_a_text_names(text: str, expected: list[int]) -> None:
    module = shlo.parse(TEXT)
    test = named_by(module, text)
    assert [module.line(op) for op in module.walk() if test(op)] == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("%9", "there is no op with a result %9, and no op at such a line"),
        ("9", "there is no op with a result %9, and no op at such a line"),
        ("%w#2", "there is no op with a result %w#2, and no op at such a line; did you mean %w#1?"),
        ("%x", "there is no op with a result %x, and no op at such a line"),  # an argument
    ],
)
def test_what_no_text_names(text: str, message: str) -> None:
    with pytest.raises(SelectionError) as error:
        named_by(shlo.parse(TEXT), text)
    assert str(error.value).startswith(message)


def test_results_without_a_name() -> None:
    """As a built program has: they have the names of their ops, with a number if there are several."""
    module = shlo.parse(TEXT)
    for op in module.walk():
        for result in op.results:
            result.name = None
    for text, name in (
        ("%abs", "abs"), ("optimization_barrier", "optimization_barrier"), ("%sine", "sine"),
        ("%optimization_barrier#1", "optimization_barrier"),
    ):  # fmt: skip
        test = named_by(module, text)
        assert [op.name for op in module.walk() if test(op)] == [f"stablehlo.{name}"]


def test_lines() -> None:
    module = shlo.parse(TEXT)
    test = at_line(module, 4)
    assert test is not None and [op.name for op in module.walk() if test(op)] == ["stablehlo.negate"]
    assert at_line(module, 7) is None


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("model.py:7", [2]),
        ("a/model.py:7", [2]),
        ("model.py:8", [4]),  # a caller counts as well
        ("lib.py:3", [4]),
        ("b/model.py:70", [5]),
        ("b/model.py:7", None),
        ("odel.py:7", None),
        ("model.py:3", None),
        (":7", None),
        ("model.py", None),
    ],
)
def test_places_in_the_source(place: str, expected: list[int] | None) -> None:
    module = shlo.parse(TEXT)
    if expected is not None:
        test = from_location(module, place)
        assert [module.line(op) for op in module.walk() if test(op)] == expected
        return
    with pytest.raises(SelectionError) as error:
        from_location(module, place)
    known = "model.py:7, lib.py:3, model.py:8, model.py:70"
    assert str(error.value) == f"no op has the location {place}; there are {known}"


def test_at_most_five_places_are_listed() -> None:
    ops = [f'  %{i} = stablehlo.abs %x : tensor<f32> loc("m.py":{i}:1)' for i in range(1, 8)]
    text = "\n".join(["func.func @main(%x: tensor<f32>) {", *ops, "  return", "}"])
    with pytest.raises(SelectionError, match=r"there are m.py:1, m.py:2, m.py:3, m.py:4, m.py:5$"):
        from_location(shlo.parse(text), "m.py:9")
    plain = shlo.parse("func.func @main() { return }")
    with pytest.raises(SelectionError, match=r"^the program has no locations$"):
        from_location(plain, "m.py:1")
