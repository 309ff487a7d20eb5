"""Extraction: a part runs by itself, and gives what it gives in the whole program."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo

TEXT = """func.func private @scaled(%x: tensor<4xf32>) -> tensor<4xf32> {
  %cst = stablehlo.constant dense<2.0> : tensor<4xf32>
  %s = stablehlo.multiply %x, %cst : tensor<4xf32>
  return %s : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<5> : tensor<i32>
  %a = stablehlo.add %x, %x : tensor<4xf32> loc("model.py":31:3)
  %b = func.call @scaled(%a) : (tensor<4xf32>) -> tensor<4xf32> loc("model.py":31:9)
  %unused = stablehlo.sine %x : tensor<4xf32>
  %w:2 = stablehlo.while(%i = %zero, %c = %b) : tensor<i32>, tensor<4xf32>
  cond {
    %p = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %n = stablehlo.add %i, %one : tensor<i32>
    %d = stablehlo.add %c, %a : tensor<4xf32>
    stablehlo.return %n, %d : tensor<i32>, tensor<4xf32>
  }
  %z = stablehlo.negate %w#1 : tensor<4xf32>
  return %z, %w#0 : tensor<4xf32>, tensor<i32>
}"""
X = np.array([1, 2, 3, 4], np.float32)


def run(text: str = TEXT, **given: Any) -> tuple[Any, list[Any]]:
    """Extract a part, check that it is valid, and run it on its captured inputs."""
    found = shlo.extract(shlo.parse(text, "model.mlir"), inputs=[X], **given)
    assert not shlo.verify(found.module) and found.inputs is not None
    return found, shlo.run(found.module, found.inputs)


def test_an_op() -> None:
    found, (z,) = run(op="%z")
    assert list(found.inputs) == ["w_1"] and found.lines == (22,)
    np.testing.assert_array_equal(found.inputs["w_1"], 4 * X + 5 * 2 * X)
    np.testing.assert_array_equal(z, -14 * X)


def test_a_value_that_is_computed_between_the_ops_of_a_part() -> None:
    text = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = stablehlo.add %x, %x : tensor<4xf32> loc("model.py":31:3)
  %b = stablehlo.sine %x : tensor<4xf32>
  %c = stablehlo.multiply %a, %b : tensor<4xf32> loc("model.py":31:9)
  return %c : tensor<4xf32>
}"""
    found, (c,) = run(text, location="model.py:31")
    assert list(found.inputs) == ["x", "b"] and found.lines == (2, 4)
    joined = text.replace('loc("model.py":31:3)\n', 'loc("model.py":31:3)')
    assert run(joined.replace("tensor<4xf32>\n  %c", "tensor<4xf32> %c"), location="model.py:31")[
        0
    ].lines == (2,)
    np.testing.assert_array_equal(found.inputs["b"], np.sin(X))
    np.testing.assert_array_equal(c, 2 * X * np.sin(X))


def test_an_op_that_nothing_uses() -> None:
    """By itself, and beside an op that is used."""
    found, (unused,) = run(op="%unused")
    assert found.lines == (12,)
    np.testing.assert_array_equal(unused, np.sin(X))
    text = TEXT.replace('loc("model.py":31:9)', "").replace(
        "stablehlo.sine %x : tensor<4xf32>", 'stablehlo.sine %x : tensor<4xf32> loc("model.py":31:3)'
    )
    found, (a, unused) = run(text, location="model.py:31")
    assert found.lines == (10, 12)
    np.testing.assert_array_equal(a, 2 * X)
    np.testing.assert_array_equal(unused, np.sin(X))


def test_a_line_with_a_call_takes_the_function_along() -> None:
    found, (b,) = run(line=11)
    assert list(found.module.functions) == ["scaled", "main"]
    np.testing.assert_array_equal(b, 4 * X)


def test_a_location() -> None:
    found, results = run(location="model.py:31")
    assert found.lines == (10, 11) and list(found.inputs) == ["x"]
    np.testing.assert_array_equal(results, [2 * X, 4 * X])  # %a is used by the loop


def test_a_function() -> None:
    found, (s,) = run(function="scaled")
    assert list(found.inputs) == ["x"]
    np.testing.assert_array_equal(found.inputs["x"], 2 * X)
    np.testing.assert_array_equal(s, 4 * X)


def test_a_range_and_what_a_result_depends_on() -> None:
    found, (b,) = run(between=("%a", "%b"))
    assert list(found.inputs) == ["a"] and found.lines == (11,)
    np.testing.assert_array_equal(b, 4 * X)
    found, (z,) = run(depends_on="0")
    assert list(found.inputs) == ["x"] and "sine" not in shlo.format(found.module)
    np.testing.assert_array_equal(z, -14 * X)


@pytest.mark.parametrize("iteration", [0, 3])
def test_an_iteration_of_a_loop_with_its_carried_values(iteration: int) -> None:
    found, (n, d) = run(op="%w", iteration=(iteration,))
    assert list(found.inputs) == ["i", "c", "a"]
    assert found.inputs["i"] == iteration
    np.testing.assert_array_equal(found.inputs["c"], 4 * X + 2 * iteration * X)
    assert n == iteration + 1
    np.testing.assert_array_equal(d, 4 * X + 2 * (iteration + 1) * X)
    found, (d,) = run(op="%d", iteration=(iteration,))
    np.testing.assert_array_equal(d, 4 * X + 2 * (iteration + 1) * X)


def test_an_op_of_a_function_that_a_loop_calls() -> None:
    """The iteration is that of the loop around the call: in the third one, x is multiplied by 4 already."""
    body = "%d = func.call @scaled(%c) : (tensor<4xf32>) -> tensor<4xf32>"
    text = TEXT.replace("%d = stablehlo.add %c, %a : tensor<4xf32>", body)
    found, (s,) = run(text.replace("%c = %b)", "%c = %x)"), op="%s", iteration=(2,))
    np.testing.assert_array_equal(found.inputs["x"], 4 * X)
    np.testing.assert_array_equal(s, 8 * X)


def test_what_cannot_be_extracted() -> None:
    module = shlo.parse(TEXT)
    for given in (
        {"op": "%nothing"},
        {"line": 2000},
        {"location": "model.py:32"},
        {"function": "f"},
        {"between": ("%z", "%a")},
        {"depends_on": "7"},
        {"op": "%z", "line": 22},
        {},
    ):
        with pytest.raises(ValueError, match=r"there|no op|does not depend|give one"):
            shlo.extract(module, **given)  # type: ignore[arg-type]
    with pytest.raises(shlo.RunError, match=r"does not execute stablehlo.add of line 18 in iteration 5"):
        shlo.extract(module, op="%n", inputs=[X], iteration=(5,))


PATHS = """func.func private @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = stablehlo.sine %x : tensor<4xf32> loc("part.py":8:1)
  return %s : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>, %p: tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %a = stablehlo.add %x, %x : tensor<4xf32>
  %b = stablehlo.negate %a : tensor<4xf32> loc("part.py":7:1)
  %i = "stablehlo.if"(%p) ({
    %c = stablehlo.multiply %b, %x : tensor<4xf32> loc("part.py":8:1)
    stablehlo.return %c : tensor<4xf32>
  }, {
    stablehlo.return %a : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  %d = stablehlo.abs %x : tensor<4xf32> loc("part.py":9:1)
  %e = stablehlo.subtract %i, %d : tensor<4xf32> loc("part.py":7:1)
  %f = stablehlo.maximum %e, %a : tensor<4xf32> loc("part.py":9:1)
  stablehlo.custom_call @sink(%f) {has_side_effect = true} : (tensor<4xf32>) -> ()
  return %f, %a, %x : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}"""


@pytest.mark.parametrize(
    ("given", "inputs", "lines", "results"),
    [
        # Ops on the paths between two values, also through regions; what else they take are inputs.
        ({"between": ("%a", "%b")}, ["a"], (7,), ["%b"]),
        ({"between": ("a", "i")}, ["a", "p", "x"], (7, 8), ["%i"]),
        ({"between": ("%p", "%e")}, ["p", "b", "x", "a", "d"], (8, 15), ["%e"]),
        ({"between": ("%b", "%e")}, ["b", "p", "x", "a", "d"], (8, 15), ["%e"]),
        ({"between": ("%a", "%f")}, ["a", "p", "x", "d"], (7, 8, 15, 16), ["%f"]),
        # What a value depends on; a number is that of a result, if there are so many.
        ({"depends_on": "0"}, ["x", "p"], (6, 7, 8, 14, 15, 16), ["%f"]),
        ({"depends_on": "1"}, ["x"], (6,), ["%a"]),
        ({"depends_on": "2"}, ["x"], (), ["%x"]),
        ({"depends_on": "%i"}, ["x", "p"], (6, 7, 8), ["%i"]),
        ({"depends_on": "p"}, ["p"], (), ["%p"]),
        # All ops of a place in the source, with those that connect them: not the function, which is first.
        ({"location": "part.py:9"}, ["x", "i", "a"], (14, 15, 16), ["%f"]),
        ({"location": "part.py:7"}, ["a", "p", "x", "d"], (7, 8, 15), ["%e"]),  # through a region
        ({"op": "d"}, ["x"], (14,), ["%d"]),
        ({"line": 8}, ["p", "b", "x", "a"], (8,), ["%i"]),  # an op with regions, not what is in them
        ({"line": 9}, ["b", "x"], (9,), ["%c"]),
        ({"function": "@g"}, ["x"], (2,), ["%s"]),
    ],
)
def test_what_a_part_is(
    given: dict[str, Any], inputs: list[str], lines: tuple[int, ...], results: list[str]
) -> None:
    module = shlo.parse(PATHS, "part.mlir")
    found = shlo.extract(module, **given)
    main = found.module.functions["main"].regions[0].block
    assert [str(each)[1:] for each in main.arguments] == inputs and found.inputs is None
    assert found.lines == lines and not shlo.verify(found.module)
    assert main.terminator is not None and list(map(str, main.terminator.operands)) == results
    assert found.module.name == "part of part.mlir" and found.notes == ()


def test_values_that_a_part_takes() -> None:
    """-2x, -2x times x, |x|, and 2x, for a true condition."""
    module = shlo.parse(PATHS)

    @shlo.custom_call("sink")
    def sink(x: Any) -> tuple[()]:
        return ()

    given = {"x": X, "p": np.bool_(True)}
    found = shlo.extract(module, between=("%i", "%f"), inputs=given)
    expected = {"i": -2 * X * X, "d": X, "a": 2 * X}
    assert found.inputs is not None and list(found.inputs) == list(expected)
    for name, value in expected.items():
        np.testing.assert_array_equal(found.inputs[name], value)
    (returned,) = (shlo.extract(module, depends_on=name, inputs=given).inputs for name in ("2",))
    assert returned is not None and list(returned) == ["x"] and returned["x"].tolist() == X.tolist()
    scalar = "func.func @main() -> tensor<i8> {\n  %c = stablehlo.constant dense<1> : tensor<i8>\n"
    constant = shlo.parse(f"{scalar}  return %c : tensor<i8>\n}}")
    assert shlo.extract(constant, op="c", inputs=[]).inputs == {}


def test_ops_of_several_functions() -> None:
    """Of ops in several blocks, those of the first are taken, and the others are counted."""
    found = shlo.extract(shlo.parse(PATHS), location="part.py:8")
    assert found.lines == (2,)
    assert found.notes == ("left out 1 more ops in other functions or regions",)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"op": "%nine"}, "there is no op with a result %nine, and no op at such a line"),
        ({"line": 17}, "the selected ops have no results"),
        ({"line": 18}, "there is no such op in a function"),  # a terminator
        ({"line": 5}, "there is no such op in a function"),  # a function
        ({"line": 99}, "no op starts at line 99"),
        ({"function": "@h"}, "there is no function @h with a body; there are @g, @main"),
        ({"between": ("%a", "%x")}, "%x is an argument: no op computes it"),
        ({"between": ("%b", "%d")}, "%d does not depend on %b within one block"),
        ({"between": ("%z", "%d")}, "there is no value %z"),
        ({"depends_on": "3"}, "there is no value %3"),
        ({"op": "%d", "line": 14}, "give one of op, line, location, function, between and depends-on"),
        ({"op": "%a", "iteration": (1,)}, ""),
        ({"op": "%i", "iteration": (1,)},
         "an iteration of what is not in a loop; select a loop, or an op in a loop"),
    ],
)  # fmt: skip
def test_what_is_no_part(given: dict[str, Any], message: str) -> None:
    module = shlo.parse(PATHS)
    if not message:
        assert shlo.extract(module, **given).lines == (6,)
        return
    with pytest.raises(ValueError) as error:
        shlo.extract(module, **given)
    assert str(error.value) == message
