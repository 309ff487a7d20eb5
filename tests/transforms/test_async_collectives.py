"""Asynchronous collectives: what starts early, what waits late, and that results stay."""

from __future__ import annotations

import numpy as np
import pytest

import stablehlo_py as shlo

SUM = """({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    })"""
X, Y = "tensor<2x3xf32>", "tensor<3x2xf32>"
GROUPS = "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>"
REDUCE = f'%0 = "stablehlo.all_reduce"(%x) <{{{GROUPS}}}> {SUM} : ({X}) -> {X}'
START = f"""%0 = "stablehlo.async_start"(%x) ({{
    ^bb0(%arg0: {X}):
      %9 = "stablehlo.all_reduce"(%arg0) <{{{GROUPS}}}> {SUM} : ({X}) -> {X}
      stablehlo.return %9 : {X}
    }}) : ({X}) -> !stablehlo.future<{X}>"""
DONE = f'%1 = "stablehlo.async_done"(%0) : (!stablehlo.future<{X}>) -> {X}'
PRODUCT = f"%5 = stablehlo.dot_general %y, %x, contracting_dims = [1] x [0] : ({Y}, {X}) -> tensor<3x3xf32>"


def text(*lines: str) -> str:
    body = "\n".join(lines)
    return f"func.func @main(%x: {X}, %y: {Y}) -> ({Y}, tensor<3x3xf32>) {{\n{body}\n}}"


def normalized(source: str) -> str:
    """Return a program without the names of its values."""
    return shlo.format(shlo.parse(source))


TRANSPOSE = f"stablehlo.transpose {{}}, dims = [1, 0] : ({X}) -> {Y}"
PREDICATE = "%p = stablehlo.constant dense<true> : tensor<i1>"
BRANCH = f"""%3 = "stablehlo.if"(%p) ({{{{
      %q = "stablehlo.if"(%p) ({{{{
        %a = {TRANSPOSE}
        stablehlo.return %a : {Y}
      }}}}, {{{{
        stablehlo.return %y : {Y}
      }}}}) : (tensor<i1>) -> {Y}
      stablehlo.return %q : {Y}
    }}}}, {{{{
      stablehlo.return %y : {Y}
    }}}}) : (tensor<i1>) -> {Y}"""
RETURN = f"return %3, %5 : {Y}, tensor<3x3xf32>"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (  # what has the sum alone as operand waits with it
            [REDUCE, f"%2 = {TRANSPOSE.format('%0')}", PRODUCT, f"%3 = stablehlo.add %2, %y : {Y}", RETURN],
            [
                START,
                PRODUCT,
                DONE,
                f"%2 = {TRANSPOSE.format('%1')}",
                f"%3 = stablehlo.add %2, %y : {Y}",
                RETURN,
            ],
        ),
        (  # needed only by the return
            [REDUCE, f"%3 = {TRANSPOSE.format('%0')}", PRODUCT, RETURN],
            [START, PRODUCT, DONE, f"%3 = {TRANSPOSE.format('%1')}", RETURN],
        ),
        (  # needed in a region
            [REDUCE, PREDICATE, PRODUCT, BRANCH.format("%0"), RETURN],
            [START, PREDICATE, PRODUCT, DONE, BRANCH.format("%1"), RETURN],
        ),
        (  # used at once: nothing moves
            [REDUCE, f"%2 = stablehlo.add %0, %x : {X}", f"%3 = {TRANSPOSE.format('%2')}", PRODUCT, RETURN],
            None,
        ),
    ],
)
def test_a_collective_waits_behind_ops_that_do_not_need_it(
    before: list[str], after: list[str] | None
) -> None:
    made = shlo.opt(shlo.parse(text(*before)), ["async-collectives{least=1}"])
    assert not shlo.verify(made)
    assert normalized(shlo.format(made)) == normalized(text(*(after or before)))


def test_cheap_ops_hide_nothing() -> None:
    """A product of 3x2 and 2x3 has 36 operations, and moves 21 numbers: 120 in all."""
    lines = [REDUCE, f"%3 = {TRANSPOSE.format('%0')}", PRODUCT, RETURN]
    for least, starts in ((120, True), (121, False)):
        made = shlo.opt(shlo.parse(text(*lines)), [f"async-collectives{{least={least}}}"])
        assert ("async_start" in shlo.format(made)) is starts


@pytest.mark.parametrize(
    ("most", "expected"),
    [
        (96, ["start", "sine", "start", "sine", "done", "done"]),  # each sum takes 24 bytes and gives 24
        (95, ["start", "sine", "done", "start", "sine", "done"]),
        (1, ["start", "sine", "done", "start", "sine", "done"]),  # one is always on its way
    ],
)
def test_few_bytes_are_on_their_way_at_once(most: int, expected: list[str]) -> None:
    second = REDUCE.replace("%0", "%1")
    sines = [f"%{n} = stablehlo.sine {value} : {X}" for n, value in ((2, "%x"), (3, "%2"))]
    total = f"%4 = stablehlo.add %0, %1 : {X}\n%5 = stablehlo.add %4, %3 : {X}\nreturn %5 : {X}"
    program = f"func.func @main(%x: {X}) -> {X} {{\n{REDUCE}\n{sines[0]}\n{second}\n{sines[1]}\n{total}\n}}"
    made = shlo.opt(shlo.parse(program), [f"async-collectives{{least=1 most={most}}}"])
    assert not shlo.verify(made)
    names = [
        op.name.removeprefix("stablehlo.").removeprefix("async_") for op in made.functions["main"].walk()
    ]
    assert [name for name in names if name in ("start", "sine", "done")] == expected


def test_what_a_collective_needs_is_not_on_its_way_with_it() -> None:
    """The third one takes the second, so that the first, the third and their 96 bytes are on their way."""
    second, third = REDUCE.replace("%0", "%1"), REDUCE.replace("%0", "%4").replace("(%x)", "(%1)")
    sines = [f"%{n} = stablehlo.sine {value} : {X}" for n, value in ((2, "%x"), (3, "%2"), (5, "%3"))]
    lines = [REDUCE, sines[0], second, sines[1], third, sines[2], f"%6 = stablehlo.add %0, %4 : {X}"]
    lines += [f"%7 = stablehlo.add %6, %5 : {X}", f"return %7 : {X}"]
    body = "\n".join(lines)
    module = shlo.parse(f"func.func @main(%x: {X}) -> {X} {{\n{body}\n}}")
    made = shlo.opt(module, ["async-collectives{least=1 most=96}"])
    assert not shlo.verify(made)
    names = [op.name.rpartition(".")[2].removeprefix("async_") for op in made.functions["main"].blocks[0].ops]
    assert names[:7] == ["start", "sine", "start", "sine", "done", "start", "sine"]
    assert names[7:] == ["done", "done", "add", "add", "return"]


def test_results_stay_in_a_loop() -> None:
    program = f"""func.func @main(%x: {X}, %n: tensor<i32>) -> {X} {{
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, {X}
      cond {{
        %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      }} do {{
        %1 = "stablehlo.all_reduce"(%v) <{{{GROUPS}}}> {SUM} : ({X}) -> {X}
        %2 = stablehlo.sine %v : {X}
        %3 = stablehlo.add %i, %one : tensor<i32>
        %4 = stablehlo.subtract %1, %2 : {X}
        stablehlo.return %3, %4 : tensor<i32>, {X}
      }}
      return %r#1 : {X}
    }}"""
    module = shlo.parse(program)
    made = shlo.opt(module, ["async-collectives{least=1}"])
    names = [op.name for op in made.walk()]
    assert names.count("stablehlo.async_start") == names.count("stablehlo.async_done") == 1
    generator = np.random.default_rng(0)
    inputs = {(r, 0): [generator.standard_normal((2, 3)).astype(np.float32), np.int32(3)] for r in range(2)}
    expected, found = (shlo.compile(m, engine="numpy", replicas=2).call_grid(inputs) for m in (module, made))
    values = [inputs[place][0] for place in inputs]
    for _ in range(3):
        values = [values[0] + values[1] - np.sin(value) for value in values]
    for place, value in zip(inputs, values, strict=True):
        assert found[place][0].tobytes() == expected[place][0].tobytes()
        np.testing.assert_allclose(found[place][0], value, rtol=1e-5)


def test_what_is_asynchronous_already_stays() -> None:
    done = f"%4 = {TRANSPOSE.format('%1')}"
    source = text(START, PRODUCT, DONE, done, f"return %4, %5 : {Y}, tensor<3x3xf32>")
    made = shlo.opt(shlo.parse(source), ["async-collectives=least=0"])
    assert shlo.format(made) == normalized(source)
