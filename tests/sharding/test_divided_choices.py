"""What devices send each other for an op, where ways to divide it differ in how much that is.

Expected are the cheapest ways, counted by hand: of n devices, each receives n - 1 parts of what is gathered,
exchanged or scattered, and twice as many of what all reduce; a shard that is permuted is received as a whole.
"""

from __future__ import annotations

import pytest

import stablehlo_py as shlo

NAMES = {
    "all_reduce": "reduce",
    "all_gather": "gather",
    "reduce_scatter": "scatter",
    "all_to_all": "exchange",
}
NAMES["collective_permute"] = "permute"


def moved(body: str, inputs: str, result: str) -> str:
    """The collectives of a divided function, with the shapes of their operands and results."""
    text = f'sdy.mesh @mesh = <["x"=2, "y"=4]>\nfunc.func @main({inputs}) -> ({result}) {{\n{body}\n'
    made = shlo.opt(shlo.parse(f"{text}return %r : {result.partition(' {')[0]}\n}}"), ["partition"])
    found = []
    for op in made.walk():
        if name := NAMES.get(op.name.removeprefix("stablehlo.")):
            shapes = ["x".join(map(str, value.type.shape)) for value in (*op.operands, *op.results)]
            found.append(" ".join([name, *dict.fromkeys(shapes)]))
    return ", ".join(found)


def tensor(shape: str, sharding: str) -> str:
    return f"tensor<{shape}xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{sharding}]>}}"


ROWS, COLUMNS, WHOLE = '{"x"}, {}', '{}, {"x"}', "{}, {}"
ROWS4, COLUMNS4 = '{"y"}, {}', '{}, {"y"}'
BOTH, TURNED, ALL = '{"x"}, {"y"}', '{"y"}, {"x"}', '{"x", "y"}, {}'
SMALL, TALL, WIDE = ("8x64", "64x8", "8x8"), ("64x64", "64x8", "64x8"), ("64x8", "8x64", "64x64")
OF_TWO = {  # op, shapes of %a, %b and %r, their shardings, and what is moved
    "add": [
        (ROWS, COLUMNS, ROWS, "exchange 8x4 4x8"),  # the other operand
        (ROWS, COLUMNS, COLUMNS, "exchange 4x8 8x4"),
        (ROWS, WHOLE, WHOLE, "gather 4x8 8x8"),  # the sum, behind half of the additions
        (BOTH, ROWS, ROWS, "gather 4x2 4x8"),
        (BOTH, TURNED, BOTH, "gather 2x4 8x4, gather 8x4 8x8"),  # one operand, not the other one and the sum
        (ALL, ROWS4, WHOLE, "gather 2x8 8x8, gather 1x8 8x8"),
        (ROWS4, ROWS4, ROWS, "gather 2x8 8x8"),
        (ROWS4, ROWS, ALL, "gather 2x8 8x8"),
    ],
    "product of few": [  # parts of the product: 64 elements; operands: 512
        (COLUMNS4, ROWS4, WHOLE, "reduce 8x8"),
        (COLUMNS4, COLUMNS, WHOLE, "reduce 8x4, gather 8x4 8x8"),
        (BOTH, TURNED, WHOLE, "gather 16x4 16x8, reduce 4x8, gather 4x8 8x8"),
        (COLUMNS, ROWS, ROWS4, "reduce 2x8"),
        (COLUMNS, ROWS, COLUMNS, "scatter 8x8 8x4"),
        (WHOLE, WHOLE, BOTH, ""),
    ],
    "product of many": [  # the product has 4096 elements, operands have 512
        (COLUMNS4, ROWS4, WHOLE, "gather 64x2 64x8, gather 2x64 8x64"),
        (COLUMNS4, ROWS4, ROWS4, "exchange 64x2 16x8, gather 2x64 8x64"),
        (BOTH, ROWS4, BOTH, "gather 32x2 32x8, exchange 2x64 8x16"),
    ],
    "product with a large operand": [
        (BOTH, WHOLE, WHOLE, "reduce 32x8, gather 32x8 64x8"),
        (ALL, ROWS, WHOLE, "gather 32x8 64x8, gather 8x8 64x8"),
        (WHOLE, BOTH, WHOLE, "gather 32x2 64x2, gather 64x2 64x8"),
        (ROWS4, COLUMNS4, ROWS4, "gather 64x2 64x8"),
        ('{}, {"x", "y"}', ROWS4, WHOLE, "gather 16x8 64x8, reduce 64x8"),
    ],
    "concatenation": [
        (ROWS, ROWS, ROWS, "exchange 4x8 8x4, exchange 4x8 8x4, exchange 16x4 8x8"),
        (ROWS, ROWS, COLUMNS, "exchange 4x8 8x4, exchange 4x8 8x4"),
        (COLUMNS, ROWS, WHOLE, "exchange 4x8 8x4, gather 16x4 16x8"),
    ],
    "transpose": [
        (BOTH, WHOLE, TURNED, ""),
        (BOTH, WHOLE, BOTH, "gather 2x4 8x4, gather 8x4 8x8"),
        (ALL, WHOLE, WHOLE, "gather 8x1 8x8"),
        (ROWS4, WHOLE, ROWS, "gather 4x2 4x8"),  # rows are divided first, which moves nothing
    ],
    "maximum": [
        (BOTH, WHOLE, '{"x"}', "reduce 4"),
        (BOTH, WHOLE, '{"y"}', "reduce 4, gather 4 8"),
        (ALL, WHOLE, '{"x"}', "gather 1 4"),
        (COLUMNS4, WHOLE, '{"y"}', "scatter 8 2"),
    ],
    "reshape": [
        (BOTH, WHOLE, '{"x", "y"}', "exchange 4x2 1x8"),
        (ROWS, WHOLE, '{"y"}', "gather 4x8 8x8"),
    ],
    "slice": [  # of rows 2 to 5
        (BOTH, WHOLE, BOTH, ""),  # each half has two of them
        (ROWS4, WHOLE, ROWS4, "permute 1x8"),  # the second sends a row to the first, the third to the last
        (ROWS4, WHOLE, COLUMNS4, "exchange 2x8 8x2"),
        (COLUMNS, WHOLE, ROWS, "exchange 4x4 2x8"),
    ],
    "negate": [(ROWS4, WHOLE, COLUMNS4, "exchange 2x8 8x2"), (COLUMNS, WHOLE, ROWS, "exchange 8x4 4x8")],
}  # fmt: skip
PRODUCT = "stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : ({a}, {b}) -> {r}"
TEXTS = {
    "add": ("stablehlo.add %a, %b : {r}", ("8x8", "8x8", "8x8")),
    "product of few": (PRODUCT, SMALL),
    "product of many": (PRODUCT, WIDE),
    "product with a large operand": (PRODUCT, TALL),
    "concatenation": ("stablehlo.concatenate %a, %b, dim = 0 : ({a}, {b}) -> {r}", ("8x8", "8x8", "16x8")),
    "transpose": ("stablehlo.transpose %a, dims = [1, 0] : ({a}) -> {r}", ("8x8", "8x8", "8x8")),
    "maximum": (
        "stablehlo.reduce(%a init: %z) applies stablehlo.maximum across dimensions = [1] : "
        "({a}, tensor<f32>) -> {r}",
        ("8x8", "8x8", "8"),
    ),
    "reshape": ("stablehlo.reshape %a : ({a}) -> {r}", ("8x8", "8x8", "64")),
    "slice": ("stablehlo.slice %a [2:6, 0:8] : ({a}) -> {r}", ("8x8", "8x8", "4x8")),
    "negate": ("stablehlo.negate %a : {r}", ("8x8", "8x8", "8x8")),
}


@pytest.mark.parametrize("name", OF_TWO)
def test_the_cheapest_way_of_several(name: str) -> None:
    body, shapes = TEXTS[name]
    types = dict(zip("abr", [f"tensor<{shape}xf32>" for shape in shapes], strict=True))
    for a, b, r, expected in OF_TWO[name]:
        inputs = f"%a: {tensor(shapes[0], a)}, %b: {tensor(shapes[1], b)}, %z: tensor<f32>"
        found = moved(f"%r = {body.format(**types)}", inputs, tensor(shapes[2], r))
        assert found == expected, (a, b, r)
