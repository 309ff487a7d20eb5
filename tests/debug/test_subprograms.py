"""Calls that are inlined, and ops as programs of their own, as texts written by hand."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo
from stablehlo_py.debug import subprograms
from stablehlo_py.debug.subprograms import (
    inline_call,
    inlined,
    is_constant,
    is_deterministic,
    subprogram,
    symbols_of,
)
from stablehlo_py.ir.core import Module, Operation

T = "tensor<f32>"


def function(name: str, lines: str, result: str = "r", visibility: str = "private ") -> str:
    """A function of two arguments; `r = add x y` is an op, `r = @f x y` a call, `r = 1.0` a constant."""
    text = [f"func.func {visibility if name != 'main' else ''}@{name}(%x: {T}, %y: {T}) -> {T} {{"]
    for line in filter(None, map(str.strip, lines.split(";"))):
        made, _, rest = line.partition(" = ")
        op, *operands = rest.split()
        given = ", ".join(f"%{each}" for each in operands)
        if op[0] == "@":
            types = ", ".join([T] * len(operands))
            text.append(f"%{made} = func.call {op}({given}) : ({types}) -> {T}")
        elif op[0].isdigit():
            text.append(f"%{made} = stablehlo.constant dense<{op}> : {T}")
        else:
            text.append(f"%{made} = stablehlo.{op} {given} : {T}")
    return "\n".join([*text, f"return %{result} : {T}", "}"])


def module(functions: dict[str, str]) -> Module:
    return shlo.parse("\n".join(function(name, lines) for name, lines in functions.items()))


def body(of: Module, name: str = "main") -> str:
    """The text of a function, in the canonical form."""
    return shlo.format(shlo.parse(str(of.functions[name])))


@pytest.mark.parametrize(
    ("functions", "most", "deepest", "expected"),
    [
        # Operands in their order, results where they are used, and each call has a copy of its own.
        ({"main": "r = @f y x", "f": "r = subtract x y"}, 99, 9, "r = subtract y x"),
        (
            {"main": "a = @f x y; b = @f a x; r = divide a b", "f": "r = subtract x y"},
            99, 9, "a = subtract x y; b = subtract a x; r = divide a b",
        ),
        # What is called by what is called, with its constants.
        (
            {"main": "r = @f x y", "f": "a = abs x; r = @g a y", "g": "c = 2.0; r = power y c"},
            99, 9, "a = abs x; c = 2.0; r = power y c",
        ),
        # Recursive calls stay, in the copy as well.
        ({"main": "r = @main y x"}, 99, 9, "r = @main y x"),
        ({"main": "r = @f y x", "f": "a = abs x; r = @f a y"}, 99, 9, "a = abs y; r = @f a x"),
        # A function of 4 ops (itself, two and the return), and one of 4 that calls it twice: 8, then 12.
        (
            {"main": "a = @f x y; r = @f a y", "f": "a = abs x; r = add a y"},
            12, 9, "a = abs x; b = add a y; c = abs b; r = add c y",
        ),
        (
            {"main": "a = @f x y; r = @f a y", "f": "a = abs x; r = add a y"},
            11, 9, "a = abs x; b = add a y; r = @f b y",
        ),
        ({"main": "r = @f x y", "f": "a = abs x; r = add a y"}, 6, 9, "r = @f x y"),
        # A chain of calls is inlined as deep as stated.
        (
            {"main": "r = @f x y", "f": "a = abs x; r = @g a y", "g": "r = @h x y", "h": "r = abs x"},
            99, 1, "a = abs x; r = @h a y",
        ),
    ],
)  # fmt: skip
def test_inlining(
    functions: dict[str, str], most: int, deepest: int, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subprograms, "MOST_OPS", most)
    monkeypatch.setattr(subprograms, "_DEEPEST", deepest)
    given = module(functions)
    before = str(given)
    made = inlined(given, "main")
    assert body(made) == body(module({"main": expected}))
    assert str(given) == before


SEVERAL = """func.func private @two(%x: tensor<f32>) -> tensor<f32> {
  cf.br ^bb1(%x : tensor<f32>)
^bb1(%z: tensor<f32>):
  return %z : tensor<f32>
}
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %r = func.call @two(%x) : (tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}
"""


def test_a_body_of_several_blocks_is_not_inlined() -> None:
    given = shlo.parse(SEVERAL)
    assert str(inlined(given, "main")) == str(given)
    (call,) = [op for op in given.walk() if op.name == "func.call"]
    assert inline_call(call, given.functions["two"]) is False


KINDS = """func.func private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %a, %b : tensor<f32>
  return %0 : tensor<f32>
}
func.func private @unused(%a: tensor<f32>) -> tensor<f32> {
  return %a : tensor<f32>
}
func.func @main(%x: tensor<f32>, %arg7: tensor<2xf32>) -> tensor<f32> {
  %c = stablehlo.constant dense<2.0> : tensor<f32>
  %iota = stablehlo.iota dim = 0 : tensor<2xf32>
  %id = stablehlo.partition_id : tensor<ui32>
  %a = stablehlo.add %x, %c : tensor<f32>
  %p:2 = "stablehlo.while"(%a, %x) ({
  ^bb0(%i: tensor<f32>, %j: tensor<f32>):
    %t = stablehlo.compare LT, %i, %j : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  }, {
  ^bb0(%i: tensor<f32>, %j: tensor<f32>):
    %u = stablehlo.add %i, %c : tensor<f32>
    stablehlo.return %u, %j : tensor<f32>, tensor<f32>
  }) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  %d = stablehlo.composite "a.sum" %p#1, %a {decomposition = @sum} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %k = func.call @sum(%d, %c) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %s = stablehlo.constant dense<1> : tensor<1xi64>
  %n = "stablehlo.rng"(%c, %c, %s) {rng_distribution = #stablehlo<rng_distribution NORMAL>}
    : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<1xf32>
  %e = stablehlo.custom_call @f(%k) {has_side_effect = true} : (tensor<f32>) -> tensor<f32>
  return %e : tensor<f32>
}
"""


@pytest.fixture(scope="module")
def kinds() -> Module:
    return shlo.parse(KINDS)


def ops(of: Module) -> dict[str, Operation]:
    """The ops of the function @main by the names of their results."""
    block = of.functions["main"].regions[0].block
    return {str(op.results[0])[1:].split("#")[0]: op for op in block.ops if op.results}


def test_kinds_of_ops(kinds: Module) -> None:
    found = ops(kinds)
    assert [name for name, op in found.items() if is_constant(op.results[0])] == ["c", "iota", "s"]
    assert not is_constant(kinds.functions["main"].regions[0].block.arguments[0])
    deterministic = {name for name, op in found.items() if is_deterministic(op)}
    assert deterministic - {"k"} == {*found} - {"k", "n", "e"}  # of a call, that of its callee is not known


@pytest.mark.parametrize(
    ("names", "results", "first", "constants", "inputs", "functions", "lines"),
    [
        (["a"], ["a"], [], False, ["%x", "%c"], ["main"], ["add"]),
        (["a"], ["a"], [], True, ["%x"], ["main"], ["constant", "add"]),
        (["a"], ["a"], ["c", "x"], False, ["%c", "%x"], ["main"], ["add"]),
        (["a"], ["a"], ["c"], True, ["%c", "%x"], ["main"], ["add"]),  # what is given stays an input
        (["a"], ["a", "x", "d"], [], True, ["%x", "%d"], ["main"], ["constant", "add"]),
        (["p"], ["p"], [], True, ["%a", "%x"], ["main"], ["constant", "while"]),
        (["d"], ["d"], [], False, ["%p#1", "%a"], ["sum", "main"], ["composite"]),
        (["k"], ["k"], [], False, ["%d", "%c"], ["sum", "main"], ["call"]),
        (["a", "p"], ["p"], [], True, ["%x"], ["main"], ["constant", "add", "while"]),
    ],
)
def test_ops_as_a_program(
    kinds: Module,
    names: list[str],
    results: list[str],
    first: list[str],
    constants: bool,
    inputs: list[str],
    functions: list[str],
    lines: list[str],
) -> None:
    found = ops(kinds)
    values = {name: op.results[0] for name, op in found.items()}
    values["x"] = kinds.functions["main"].regions[0].block.arguments[0]
    part = subprogram(
        kinds, [found[name] for name in names], [values[name] for name in results],
        [values[name] for name in first], constants=constants,
    )  # fmt: skip
    assert [str(value) for value in part.captured] == inputs
    assert [str(value) for value in part.results] == [str(values[name]) for name in results]
    assert list(part.module.functions) == functions
    main = part.module.functions["main"].regions[0].block
    assert [op.name.split(".")[1] for op in main.ops] == [*lines, "return"]
    assert [str(value) for value in main.arguments] == [name.replace("#", "_") for name in inputs]
    assert shlo.verify(shlo.parse(str(part.module))) == []


def test_calls_of_other_types_stay() -> None:
    """In an invalid program, whose function takes or returns something else."""
    text = """func.func private @f(%x: tensor<TAKEN>) -> tensor<MADE> {
  %0 = "test.op"(%x) : (tensor<TAKEN>) -> tensor<MADE>
  return %0 : tensor<MADE>
}
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %r = func.call @f(%x) : (tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}
"""
    for taken, made, is_inlined in (("f32", "f32", True), ("f64", "f32", False), ("f32", "f64", False)):
        given = shlo.parse(text.replace("TAKEN", taken).replace("MADE", made), allow_unregistered=True)
        before = str(given)
        found = inlined(given, "main")
        body = str(found.functions["main"])
        assert ("call @f" not in body) is is_inlined and ("test.op" in body) is is_inlined
        assert str(given) == before and (str(found) == before) is not is_inlined


@pytest.mark.parametrize(
    ("attribute", "names"),
    [
        ("@a", ["a"]),
        ("[@a, [@b, 1 : i32]]", ["a", "b"]),
        ("{x = @a, y = {z = [@b]}}", ["a", "b"]),
        ('"@a"', []),
    ],
)
def test_symbols_in_attributes(attribute: str, names: list[str]) -> None:
    found = shlo.parse(f'"test.op"() {{mark = {attribute}}} : () -> ()', allow_unregistered=True)
    (op,) = found.body.ops
    assert sorted(symbols_of(op)) == names
