"""Inlining: each op is copied once for each call of its function; recursive functions stay."""

from __future__ import annotations

import random

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.locations import UNKNOWN, CallSiteLoc, FileLoc
from stablehlo_py.transforms.passes import inline

I32 = "tensor<i32>"


def function(name: str, *calls: str, visibility: str = "private") -> str:
    """A function that adds 1 and applies functions."""
    lines = [f"%c = stablehlo.constant dense<1> : {I32}", f"%0 = stablehlo.add %x, %c : {I32}"]
    lines += [f"%{i} = func.call @{call}(%{i - 1}) : ({I32}) -> {I32}" for i, call in enumerate(calls, 1)]
    body = "\n  ".join([*lines, f"return %{len(calls)} : {I32}"])
    return f"func.func {visibility} @{name}(%x: {I32}) -> {I32} {{\n  {body}\n}}"


def test_a_chain_of_calls_is_copied_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A body that is copied with the bodies that it already has costs the square of the chain's length."""
    copied = []
    original = inline.clone_op
    monkeypatch.setattr(inline, "clone_op", lambda op, values: copied.append(op) or original(op, values))
    chain = [function(f"f{i}", *([f"f{i + 1}"] if i < 99 else [])) for i in range(100)]
    module = shlo.opt(
        shlo.parse("\n".join([*chain, function("main", "f0", visibility="public")])), ["inline"]
    )
    assert list(module.functions) == ["main"]
    assert len(copied) <= 3 * 100
    assert shlo.run(module, [np.int32(0)]) == [101]


def test_recursive_functions_stay() -> None:
    text = "\n".join(
        [
            function("even", "odd"),
            function("odd", "one", "even"),
            function("self", "self"),
            function("one"),
            function("unused", "one"),
            *[function(name, other) for name, other in ("ab", "bc", "ca")],
            function("main", "even", "one", "self", "a", visibility="public"),
        ]
    )
    module = shlo.opt(shlo.parse(text), ["inline"])
    called = {
        name: [str(op.attribute("callee")) for op in body.walk() if op.name == "func.call"]
        for name, body in module.functions.items()
    }
    pairs = {"even": ["@odd"], "odd": ["@even"], "self": ["@self"]}
    three = {"a": ["@b"], "b": ["@c"], "c": ["@a"]}
    assert called == {**pairs, **three, "main": ["@even", "@self", "@a"]}


@pytest.mark.parametrize("seed", range(8))
def test_recursive_functions_of_drawn_programs(seed: int) -> None:
    """Those that reach themselves by calls."""
    drawn, names = random.Random(seed), "abcdef"
    calls = {name: [other for other in names if drawn.random() < 0.25] for name in names}
    module = shlo.parse("\n".join([function(name, *called) for name, called in calls.items()]))
    reached = {name: set(called) for name, called in calls.items()}
    for _ in names:
        for name in names:
            reached[name] |= {each for other in reached[name] for each in reached[other]}
    assert inline._recursive(module.functions) == {name for name in names if name in reached[name]}


def test_calls_that_are_not_to_be_inlined_stay() -> None:
    text = function("main", "f", "g", visibility="public").replace("@g(%1)", "@g(%1) {no_inline}")
    module = shlo.opt(shlo.parse("\n".join([text, function("f"), function("g")])), ["inline"])
    calls = [op for op in module.walk() if op.name == "func.call"]
    assert [str(op.attribute("callee")) for op in calls] == ["@g"]
    assert list(module.functions) == ["main", "g"]


def test_calls_of_functions_without_one_block_stay() -> None:
    """Of declarations, and of functions with branches between blocks."""
    blocks = f"""func.func private @blocks(%x: {I32}) -> {I32} {{
      cf.br ^next(%x : {I32})
    ^next(%y: {I32}):
      return %y : {I32}
    }}"""
    main = function("main", "other", "blocks", "one", visibility="public")
    text = "\n".join([f"func.func private @other({I32}) -> {I32}", blocks, function("one"), main])
    module = shlo.opt(shlo.parse(text), ["inline"])
    assert list(module.functions) == ["other", "blocks", "main"]
    called = [str(op.attribute("callee")) for op in module.walk() if op.name == "func.call"]
    assert called == ["@other", "@blocks"]


INNER, OUTER = FileLoc("f.py", 1, 2), FileLoc("main.py", 3, 4)


@pytest.mark.parametrize(
    ("inner", "call", "inlined"),
    [
        ('loc("f.py":1:2)', 'loc("main.py":3:4)', CallSiteLoc(INNER, OUTER)),
        ("", 'loc("main.py":3:4)', CallSiteLoc(UNKNOWN, OUTER)),
        ('loc("f.py":1:2)', "", CallSiteLoc(INNER, UNKNOWN)),
        ("", "", None),
    ],
)
def test_locations_of_copies_are_those_of_the_op_and_of_the_call(
    inner: str, call: str, inlined: CallSiteLoc | None
) -> None:
    text = f"""func.func private @f(%x: {I32}) -> {I32} {{
      %0 = stablehlo.abs %x : {I32} {inner}
      return %0 : {I32}
    }}
    func.func @main(%x: {I32}) -> {I32} {{
      %0 = func.call @f(%x) : ({I32}) -> {I32} {call}
      return %0 : {I32}
    }}"""
    module = shlo.opt(shlo.parse(text), ["inline"])
    (op,) = [op for op in module.walk() if op.name == "stablehlo.abs"]
    assert op.location == inlined


def test_locations_of_copies_in_regions() -> None:
    text = f"""func.func private @f(%p: tensor<i1>, %x: {I32}) -> {I32} {{
      %0 = "stablehlo.if"(%p) ({{
        %1 = stablehlo.abs %x : {I32} loc("f.py":1:2)
        stablehlo.return %1 : {I32}
      }}, {{
        stablehlo.return %x : {I32}
      }}) : (tensor<i1>) -> {I32} loc("f.py":5:6)
      return %0 : {I32}
    }}
    func.func @main(%p: tensor<i1>, %x: {I32}) -> {I32} {{
      %0 = func.call @f(%p, %x) : (tensor<i1>, {I32}) -> {I32} loc("main.py":3:4)
      return %0 : {I32}
    }}"""
    module = shlo.opt(shlo.parse(text), ["inline"])
    found = {op.name: op.location for op in module.walk()}
    assert found["stablehlo.abs"] == CallSiteLoc(INNER, OUTER)
    assert found["stablehlo.if"] == CallSiteLoc(FileLoc("f.py", 5, 6), OUTER)
    assert found["stablehlo.return"] == CallSiteLoc(UNKNOWN, OUTER)
