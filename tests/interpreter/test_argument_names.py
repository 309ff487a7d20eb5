"""Names of arguments: exact ones, other spellings, nodes, and the list of all arguments."""

from __future__ import annotations

import dataclasses

import pytest

import stablehlo_py as shlo
from stablehlo_py.interpreter.argument_names import ArgumentNames, inputs_by_name
from stablehlo_py.ir.signature import Argument, Dropped, signature


def names(*locations: str) -> ArgumentNames:
    """The names of a function whose arguments %arg0, %arg1, ... have these locations."""
    arguments = ", ".join(f'%arg{i}: tensor<f32> loc("{name}")' for i, name in enumerate(locations))
    module = shlo.parse(f"func.func @f({arguments}) {{ return }}")
    return ArgumentNames(signature(module.functions["f"]))


def index(found: Argument | Dropped | None) -> int | None:
    return found.index if isinstance(found, Argument) else None


def test_spellings() -> None:
    known = names("p['a/b']", "p.c", "x")
    for name in ("p/a/b", "p['a/b']", "p.a.b", "%arg0", "arg0", "in0"):
        assert index(known.find(name)) == 0
    assert [known.find(name) for name in ("p", "p/a", "a/b", "p/a/b/c", "in3", "", "y")] == [None] * 7
    assert index(known.find("c", "p")) == index(known.find("/c", "p")) == 1
    assert known.find("x", "p") is None


def test_names_that_differ_in_separators_alone_are_found_as_they_are() -> None:
    known = names("p['a.b']", "p['a']['b']")
    assert [index(known.find(name)) for name in ("p/a.b", "p/a/b", "p.a.b")] == [0, 1, None]
    assert known.find("a.b", "p") is known.find("a/b", "p") is None


def test_a_path_comes_before_names_in_the_text() -> None:
    known = names("arg1", "y")
    assert index(known.find("arg1")) == 0
    assert index(known.find("in1")) == 1


def test_equal_names_are_of_no_argument() -> None:
    known = names("x", "x")
    assert [each.path for each in known.signature.inputs] == ["arg0", "arg1"]


def test_nodes() -> None:
    known = names("p['a']['b']", "x")
    assert [known.is_node(name) for name in ("p", "p/a", "p.a", "p/a/b", "x", "a")] == [True] * 3 + [
        False
    ] * 3


def test_problems_name_both_sides() -> None:
    known = names("params['kernel']", "x")
    inputs = known.signature.inputs
    assert known.problem(["parms"], []) == "no argument named parms; did you mean params?"
    assert known.problem(["zzz"], inputs[1:]) == (
        "no argument named zzz; known arguments: params/kernel, x; missing: x: tensor<f32>"
    )


def test_a_suggestion_is_made_once() -> None:
    known = names("params['kernel']", "x")
    for given, close in (
        (["parms", "prams"], "; did you mean params?"),
        (["parms", "params/kernl"], "; did you mean params?; did you mean params/kernel?"),
    ):
        assert known.problem(given, []).endswith(f"{given[1]}{close}")


def test_suggestions_are_names_and_nodes() -> None:
    known = names("p['a']['b']", "x")
    for given, close in (("p/aa", "p/a"), ("p/a/c", "p/a/b")):
        assert known.problem([given], []).endswith(f"; did you mean {close}?")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"x": 1, "y": 2}, None),
        ({"arg1": 2, "in0": 1}, None),
        ({"x": 1}, "@f: missing: y: tensor<f32>"),
        ({"x": 1, "y": 2, "arg0": 1}, "@f: x and arg0 are names of one argument, x"),
        ({"in1": 1, "%arg1": 2}, "@f: in1 and %arg1 are names of one argument, y"),
        ({"x": 1, "y": 2, "zzzz": 3}, "@f: no argument named zzzz; known arguments: x, y"),
        ({"y": 2, "zzzz": 3}, "@f: no argument named zzzz; known arguments: x, y; missing: x: tensor<f32>"),
    ],
)
def test_inputs_by_name(given: dict[str, int], message: str | None) -> None:
    signature = names("x", "y").signature
    if message is None:
        assert inputs_by_name(signature, given) == {0: 1, 1: 2}
    else:
        with pytest.raises(shlo.RunError) as caught:
            inputs_by_name(signature, given)
        assert caught.value.args[0] == message


def test_stored_inputs_may_be_missing_by_name() -> None:
    signature = names("x", "y").signature
    stored = dataclasses.replace(signature, stored=frozenset({1}))
    assert inputs_by_name(stored, {"x": 1}) == {0: 1}
    assert inputs_by_name(stored, {"x": 1, "y": 2}) == {0: 1, 1: 2}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("in0 in1 in2", ["x", "dropped", "y"]),
        ("arg2 arg1 arg0", ["y", "dropped", "x"]),
        ("in0 in1", []),  # those of the program alone
        ("in0 in1 in3", []),
        ("in0 arg1 in2", []),
        ("in1 in2 in3", []),
    ],
)
def test_all_arguments_by_position(given: str, expected: list[str]) -> None:
    """Those that the program has dropped among them, each at its place in the list of all."""
    known = names("x", "y").signature
    dropped = {1: Dropped("dropped", "tensor<f32>")}
    made = ArgumentNames(dataclasses.replace(known, dropped=dropped))
    found = made.position_in_full_list(given.split())
    assert {name: each.path for name, each in found.items()} == dict(
        zip(given.split(), expected, strict=False)
    )
    assert ArgumentNames(known).position_in_full_list(["in0", "in1"]) == {}
