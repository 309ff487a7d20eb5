"""Counterparts of ops in another program, and which of these are certainly equal."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.compare.matching import Matching

T = "tensor<4xf32>"


def matching(first: str, second: str) -> Matching:
    functions = [shlo.parse(text).functions["main"] for text in (first, second)]
    return Matching(*functions)


def matched(found: Matching) -> dict[str, str]:
    """The names of matched results; with `=` where the counterpart is equal on equal operands."""
    return {
        str(op.results[0])[1:] + ("=" if op in found.exact else ""): str(other.results[0])[1:]
        for op, other in found.ops.items()
        if op.results
    }


def program(lines: str, result: str = "r") -> str:
    """A function of two arguments; `r = add x y` stands for an op."""
    text = [f"func.func @main(%x: {T}, %y: {T}) -> {T} {{"]
    for line in lines.split("\n"):
        name, _, rest = line.strip().partition(" = ")
        op, *operands = rest.split()
        if op == "constant":
            text.append(f"  %{name} = stablehlo.constant dense<{operands[0]}> : {T}")
        else:
            text.append(f"  %{name} = stablehlo.{op} {', '.join('%' + each for each in operands)} : {T}")
    return "\n".join([*text, f"  return %{result} : {T}", "}"])


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("a = add x y\nr = sine a", "b = add x y\ns = sine b", {"a=": "b", "r=": "s"}),
        # One op has another name, and what uses it is not equal any more.
        ("a = add x y\nb = abs a\nr = sine b", "a = add x y\nb = negate a\nr = sine b",
         {"a=": "a", "b": "b", "r=": "r"}),
        # Operands in another order: of a commutative op too, the results may differ.
        ("a = add x y\nr = sine a", "a = add y x\nr = sine a", {"a": "a", "r=": "r"}),
        ("a = subtract x y\nr = sine a", "a = subtract y x\nr = sine a", {"a": "a", "r=": "r"}),
        # A constant with another value, in the same place.
        ("c = constant 1.0\na = add x c\nr = sine a", "c = constant 2.0\na = add x c\nr = sine a",
         {"c": "c", "a=": "a", "r=": "r"}),
        # Not a constant of another op: x / 4 has become x * 0.25.
        ("k = constant 4.0\na = divide x k\nr = sine a", "c = constant 0.25\nb = multiply x c\nr = sine b",
         {"r": "r"}),
        # Nor through an op whose only operand it is, such as a broadcast.
        ("k = constant 4.0\nm = negate k\na = divide x m\nr = sine a",
         "c = constant 0.25\nn = negate c\nb = multiply x n\nr = sine b", {"r": "r"}),
        # Nor what has the same name, as a location, and is an operand of another op: y / m has become y * m.
        ("d = sqrt x\nm = negate d\nr = divide y m",
         "d = sqrt x\nz = cosine d\nm = negate z\nr = multiply y m", {"d=": "d"}),
        # Nor one that has a counterpart: `maximum` takes the wrong constant.
        ("d = constant 0.5\nm = multiply y d\nz = constant 0.0\nt = add y z\na = maximum t d\nr = atan2 a m",
         "z = constant 0.0\nt = add y z\na = maximum t z\nk = constant 2.0\nn = divide y k\nr = atan2 a n",
         {"z=": "z", "t=": "t", "a": "a", "r": "r"}),
        # Of the operands of a copy, the first has a counterpart, and the second is the wrong constant.
        ("k = sine x\nc = constant 100.0\na = add k c\ns = multiply a a\nd = constant 101.0\nb = add k d\n"
         "q = divide y b\nr = atan2 s q",
         "k = sine x\nc = constant 100.0\na = add k c\nq = divide y a\ns = multiply a a\nr = atan2 s q",
         {"k=": "k", "c=": "c", "a=": "a", "s=": "s", "d": "c", "b=": "a", "q=": "q", "r=": "r"}),
        # Ops in another order, and others between.
        ("a = sine x\nb = cosine y\nr = add a b", "b = cosine y\na = sine x\nr = add a b",
         {"a=": "a", "b=": "b", "r=": "r"}),
        ("a = sine x\nr = add a y", "a = sine x\nk = tanh a\nr = add k y", {"a=": "a", "r": "r"}),
        # Two equal ops have the one op that is left of them.
        ("a = sine x\nb = sine x\nr = add a b", "a = sine x\nr = add a a", {"a=": "a", "b=": "a", "r=": "r"}),
        # And what uses them, another op that is equal to it, too.
        ("a = sine x\nb = sine x\nc = negate a\nd = negate b\nr = add c d",
         "a = sine x\nc = negate a\nr = add c c", {"a=": "a", "b=": "a", "c=": "c", "d=": "c", "r=": "r"}),
        # By name, where the operands differ.
        ("loss = sine x\nk = tanh y\nr = add loss k", "k = tanh y\nloss = sine k\nr = add loss k",
         {"loss": "loss", "k=": "k", "r=": "r"}),
        # From the results.
        ("a = sqrt x\nb = log a\nr = negate b", "p = abs y\nq = tanh p\no = sqrt q\nb = log o\nr = negate b",
         {"a": "o", "b=": "b", "r=": "r"}),
    ],
)  # fmt: skip
def test_counterparts(first: str, second: str, expected: dict[str, str]) -> None:
    found = matching(program(first, first.split("\n")[-1][0]), program(second, second.split("\n")[-1][0]))
    assert matched(found) == expected


REDUCE = """func.func @main(%x: tensor<4xf32>, %i: tensor<f32>) -> tensor<f32> {
  %r = stablehlo.reduce(%x init: %i) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %c = stablehlo.add %a, %b : tensor<f32>
    %d = stablehlo.multiply %c, %i : tensor<f32>
    stablehlo.return %d : tensor<f32>
  }
  return %r : tensor<f32>
}"""


@pytest.mark.parametrize(
    ("old", "new", "is_exact"),
    [
        ("%r", "%other", True),
        ("reducer(%a: tensor<f32>, %b", "reducer(%a: tensor<f32>, %d", False),
        ("stablehlo.add", "stablehlo.maximum", False),
        ("%a, %b :", "%b, %a :", False),
        ("%c, %i", "%c, %a", False),
        ("    %d = stablehlo.multiply %c, %i : tensor<f32>\n    stablehlo.return %d",
         "    stablehlo.return %c", False),
        ("dimensions = [0]", "dimensions = [0] {note = 1 : i32}", False),
    ],
)  # fmt: skip
def test_regions_on_elements(old: str, new: str, is_exact: bool) -> None:
    second = REDUCE.replace(old, new)
    if old == "reducer(%a: tensor<f32>, %b":
        second = REDUCE.replace("%a, %b :", "%a, %a :")
    found = matching(REDUCE, second)
    op = next(op for op in found.ops if op.name == "stablehlo.reduce")
    assert (op in found.exact) == is_exact


LARGEST = """func.func @main(%x: tensor<4xf32>, %i: tensor<f32>) -> tensor<f32> {
  %r = stablehlo.reduce(%x init: %i) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %p = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %d = stablehlo.select %p, %a, %b : tensor<i1>, tensor<f32>
    stablehlo.return %d : tensor<f32>
  }
  return %r : tensor<f32>
}"""
DRAWN = """func.func @main(%a: tensor<f32>, %b: tensor<f32>) -> tensor<4xf32> {
  %s = stablehlo.constant dense<4> : tensor<1xi64>
  %r = stablehlo.rng %a, %b, %s, distribution = UNIFORM
    : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}"""


@pytest.mark.parametrize(
    ("program", "old", "new", "is_exact"),
    [
        (LARGEST, "%d", "%e", True),
        (LARGEST, "compare GT", "compare LT", False),
        (LARGEST, "FLOAT", "TOTALORDER", False),
        (LARGEST, "select %p, %a, %b", "select %p, %b, %a", False),
        (DRAWN, "%r", "%r", False),  # each run draws other numbers
    ],
)
def test_equal_ops_on_equal_operands(program: str, old: str, new: str, is_exact: bool) -> None:
    found = matching(program, program.replace(old, new))
    op = next(op for op in found.ops if op.name in ("stablehlo.reduce", "stablehlo.rng"))
    assert (op in found.exact) == is_exact


LOOP = """func.func @main(%x: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %0:2 = stablehlo.while(%c = %x, %i = %n) : tensor<4xf32>, tensor<i32>
  cond {
    %z = stablehlo.constant dense<0> : tensor<i32>
    %p = stablehlo.compare GT, %i, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.subtract %i, %one : tensor<i32>
    %s = stablehlo.sine %c : tensor<4xf32>
    %d = stablehlo.add %s, %c : tensor<4xf32>
    stablehlo.return %d, %j : tensor<4xf32>, tensor<i32>
  }
  %1 = stablehlo.negate %0#0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}"""


@pytest.mark.parametrize(
    ("old", "new", "last"),
    [
        ("", "", None),
        ("stablehlo.negate", "stablehlo.abs", "stablehlo.negate"),
        ("stablehlo.sine", "stablehlo.cosine", "stablehlo.while"),
        ("return %d, %j", "return %s, %j", "stablehlo.while"),
        ("%c = %x,", "%c = %k,", "stablehlo.while"),
        ("return %1", "return %0#0", "func.return"),
    ],
)
def test_the_last_op_that_may_differ(old: str, new: str, last: str | None) -> None:
    second = LOOP.replace(old, new).replace(
        "  %0:2", "  %k = stablehlo.tanh %x : tensor<4xf32>\n  %0:2" if "%k" in new else "  %0:2"
    )
    first = shlo.parse(LOOP).functions["main"]
    found = Matching(first, shlo.parse(second).functions["main"]).last_open(first.regions[0].blocks[0])
    assert (found and found.name) == last


BRANCHES = """func.func @main(%x: tensor<4xf32>, %p: tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = stablehlo.sine %x : tensor<4xf32>
  %b = stablehlo.negate %a : tensor<4xf32>
  %r = "stablehlo.if"(%p) ({
    stablehlo.return %a : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %r, %b : tensor<4xf32>, tensor<4xf32>
}"""


def test_an_op_in_a_region_is_no_counterpart_of_one_outside() -> None:
    outside = "  %b = stablehlo.negate %a : tensor<4xf32>\n"
    inside = "({\n  %c = stablehlo.negate %a : tensor<4xf32>\n  %d = stablehlo.cosine %c : tensor<4xf32>\n"
    second = BRANCHES.replace(outside, "").replace("({\n", inside).replace("return %a", "return %d")
    found = matching(BRANCHES, second.replace("%r, %b", "%r, %a"))
    assert matched(found) == {"a=": "a", "r": "r"}


def test_copies_in_the_second_program_are_equal_to_their_original() -> None:
    """As copies of constants are, of which programs of JAX have one for each use."""
    first = program("k = constant 2.0\na = multiply x k\nb = multiply y k\nr = add a b")
    copies = "k = constant 2.0\nj = constant 2.0\np = multiply x k\nq = multiply y j\nr = add p q"
    assert matched(matching(first, program(copies))) == {"k=": "k", "a=": "p", "b=": "q", "r=": "r"}


def test_a_copy_is_the_counterpart_of_a_copy() -> None:
    copies = "a = add x y\nb = add x y\nr = subtract a b"
    assert matched(matching(program(copies), program(copies))) == {"a=": "a", "b=": "b", "r=": "r"}


@pytest.mark.parametrize(
    ("first", "second", "is_similar"),
    [
        ("abs sine", "abs sine", True),
        ("abs sine", "abs sine tanh", False),  # another number of ops
        ("abs", "sine", True),  # one op may differ
        ("abs sine tanh", "abs cosine tanh", True),
        ("abs sine", "sine abs", False),  # the order counts
        ("abs sine tanh", "abs cosine negate", False),  # two differ
        ("abs " * 20, "abs " * 18 + "sine sine", True),  # nine of ten are equal
        ("abs " * 20, "abs " * 17 + "sine sine sine", False),
    ],
)
def test_similar_blocks(first: str, second: str, is_similar: bool) -> None:
    def chain(ops: str) -> str:
        names = ["x", *[f"v{i}" for i, _ in enumerate(ops.split())]]
        lines = [f"v{i} = {op} {names[i]}" for i, op in enumerate(ops.split())]
        return program("\n".join(lines), names[-1])

    texts = chain(first), chain(second)
    blocks = [shlo.parse(text).functions["main"].regions[0].blocks[0].ops[:-1] for text in texts]
    assert matching(*texts)._is_similar(*blocks) is is_similar
