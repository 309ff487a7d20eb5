"""Texts that a reader refuses: the message of each, and its place, which ~ precedes."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo

ATTRIBUTE = '"x.y"() {{a = {}}} : () -> ()\n'
TYPE = '"x.y"() : () -> {}\n'
RESOURCES = "module {{}}\n{{-# dialect_resources: {{ builtin: {{ k: {} }} }} #-}}\n"
REDUCTION = """func.func @f(%a: f32) {
  %0 = ~stablehlo.reduce(%a init: %a) applies stablehlo.add across dimensions = [0] : (f32, f32) -> f32
  return
}
"""

BLOB = "expected hex string blob for key"
SECTION = 'expected `name: { key: "0x..." }` in dialect_resources'
STORAGE = "illegal storage type: expected i2 .. i32 or u2 .. u32"
SCALES = "the scales do not fit the quantization dimension"
UNRANKED = "expected * as the only dimension of an unranked tensor"
BOOLEAN = "expected i1 type for 'true' or 'false' values"
RANGE = "integer constant out of range for type"

REFUSED = (
    *(
        (RESOURCES.format(f'"~{blob}"'), BLOB)
        for blob in ("08000000", "0x0800000", "0x0Z000000", "1x08000000")
    ),
    (RESOURCES.format('"~0x080000"'), f"{BLOB}, with at least 4 bytes of alignment"),
    (
        'module {}\n{-# dialect_resources: { builtin: { k: "0x08000000" } ~#-}\n',
        "expected '}' after dialect_resources",
    ),
    ("module {}\n{-# dialect_resources: {~ builtin: [ } } #-}\n", SECTION),
    ('module {}\n{-# dialect_resources: { builtin: {~ k = "0x08000000" } } #-}\n', SECTION),
    ("module {}\n{-#~ } #-}\n", SECTION),
    *(
        (TYPE.format(f"~i{width}"), "integer bitwidth is limited to 16777215 bits")
        for width in (1 << 24, 10**11, 10**12)
    ),
    (
        TYPE.format("~!stablehlo.t<i1>"),
        "unknown type !stablehlo.t<i1>; StableHLO has !stablehlo.token and !stablehlo.future",
    ),
    (TYPE.format("~!t"), "undefined type alias !t"),
    (TYPE.format("~tensor<*x2xf32>"), UNRANKED),
    (TYPE.format("~tensor<2x*xf32>"), UNRANKED),
    (TYPE.format(f"~tensor<{10**18}xf32>"), f"dimension size {10**18} is too large"),
    (TYPE.format("tensor<2x~tensor<f32>>"), "invalid tensor element type: 'tensor<f32>'"),
    (TYPE.format("~memref<2xtuple<>>"), "invalid memref element type: 'tuple<>'"),
    (TYPE.format("complex<~index>"), "invalid element type for complex"),
    (TYPE.format("complex<~tensor<f32>>"), "invalid element type for complex"),
    *(
        (TYPE.format(f"!quant.uniform<~{storage}:f32, 1.0>"), STORAGE)
        for storage in ("i1", "i33", "u1", "u33", "f8")
    ),
    (TYPE.format("!quant.uniform<i8:f32, ~0x1>"), "expected a decimal number, found '0x1'"),
    (TYPE.format("!quant.uniform<i8:f32:0, ~1.0>"), SCALES),
    (TYPE.format("!quant.uniform<i8:f32, {~1.0}>"), SCALES),
    (
        TYPE.format("!quant.uniform<i8:f32:{0:1,1:1}, {{~1.0},{1.0,2.0}}>"),
        "expected lists of scales of equal length",
    ),
    (ATTRIBUTE.format("~#b"), "undefined symbol alias id 'b'"),
    (ATTRIBUTE.format("loc(~#b)"), "operation location alias was never defined: #b"),
    ('#a = 1 : i32\n"x.y"() : () -> () loc(~#a)\n', "expected location, but #a is another attribute"),
    ('#a = loc(#b)\n#b = ~#a\n"x.y"() : () -> () loc(#a)\n', "alias #a refers to itself"),
    (ATTRIBUTE.format('loc("a":~4294967296:1)'), "expected integer line number in FileLineColLoc"),
    (ATTRIBUTE.format("distinct[0]<1>, b = ~distinct[0]<2>"), "distinct[0] is already defined as 1 : i64"),
    (ATTRIBUTE.format("dense<1> : ~i32"), "elements literal must be a shaped type"),
    (ATTRIBUTE.format("dense<~-0> : !foo.bar"), RANGE),
    (ATTRIBUTE.format("sparse<~-0> : tensor<2xi32>"), RANGE),
    (
        ATTRIBUTE.format("sparse<[[0]], ~x> : tensor<2xi32>"),
        "expected element literal of primitive type, found 'x'",
    ),
    (ATTRIBUTE.format("dense<~[1 2, 3]> : tensor<2xi32>"), "expected ',' between the elements of a list"),
    (
        ATTRIBUTE.format("dense<[1,~,2]> : tensor<2xi32>"),
        "expected an element, found ','",
    ),
    (ATTRIBUTE.format("dense<[1,2,~]> : tensor<2xi32>"), "trailing comma in a list of elements; remove it"),
    (ATTRIBUTE.format("dense<~[1, 2]]> : tensor<2xi32>"), "unbalanced brackets in list"),
    (ATTRIBUTE.format("dense<[1, ~true]> : tensor<2xi32>"), BOOLEAN),
    (ATTRIBUTE.format("dense<[1.0, ~false]> : tensor<2xf32>"), BOOLEAN),
    (
        ATTRIBUTE.format("dense<~(1.0, 2.0)> : tensor<f32>"),
        "expected element literal of primitive type, found '('",
    ),
    (
        ATTRIBUTE.format("dense<~[1.0, 2.0]> : tensor<2xcomplex<f32>>"),
        "parsed 1 elements, but type ('complex<f32>') expected 2 elements",
    ),
    (
        ATTRIBUTE.format('dense<"0x01"> ~: tensor<2xi16>'),
        "elements hex data size is invalid for provided type: 'tensor<2xi16>'",
    ),
    (
        ATTRIBUTE.format("#stablehlo.dot<lhs_batching_dimensions = ~1 : i32>"),
        "expected a list of integers such as [0, 1]",
    ),
    (
        ATTRIBUTE.format("#stablehlo.dot<lhs_batching_dimensions = [0], ~lhs_batching_dimensions = [0]>"),
        "duplicated `lhs_batching_dimensions` entry",
    ),
    (
        ATTRIBUTE.format("#stablehlo.output_operand_alias<~output_tuple_indices = [0]>"),
        "missing field `operand_index`",
    ),
    (
        ATTRIBUTE.format("#stablehlo<precision ~HIGHER>"),
        "expected one of DEFAULT, HIGH, HIGHEST, found HIGHER",
    ),
    (ATTRIBUTE.format("#sdy.mesh<~[3]>"), "expected a list such as [{}], found integers"),
    (
        "~%0#1 = stablehlo.constant dense<0> : tensor<i32>\n",
        "expected '=' after SSA name, not a result number",
    ),
    (
        "%0 = stablehlo.slice %a ~[0] : (tensor<2xf32>) -> tensor<2xf32>\n",
        "expected ranges such as [0:2, 1:8:3]",
    ),
    (REDUCTION, "expected a tensor as the first operand's type of a reduction"),
    (
        'func.func @f() { ~"stablehlo.return"() <{a = 1}> : () -> () }\n',
        "invalid properties for op stablehlo.return: this operation has empty properties",
    ),
    ('"x.y"() ({ ^bb0: "a.b"() : () -> () ~^bb0: }) : () -> ()\n', "redefinition of block '^bb0'"),
    ('"x.y"() ({ ^bb0: "a.b"() [~^bb1] : () -> () }) : () -> ()\n', "reference to an undefined block ^bb1"),
    (
        '"x.y"() ({ %a = "a.b"() : () -> i1\n  ~%a = "a.b"() : () -> i1 }) : () -> ()\n',
        "redefinition of SSA value '%a'",
    ),
)


@pytest.mark.parametrize(("text", "message"), REFUSED)
def test_refused_text(text: str, message: str) -> None:
    before, _, after = text.partition("~")
    with pytest.raises(shlo.ParseError) as caught:
        shlo.parse(before + after, allow_unregistered=True)
    found = [(each.message, each.line, each.column) for each in caught.value.diagnostics]
    place = before.count("\n") + 1, len(before) - before.rfind("\n")
    assert (message, *place) in found


def nested(text: str, around: int, opening: str, inner: str, closing: str) -> list[str]:
    """A text at the limit of nesting, with what is around and inside of it, and one beyond it."""
    return [text.format(opening * depth + inner + closing * depth) for depth in (64 - around, 65 - around)]


# Texts at a limit, and the same ones beyond it.
LIMITS = (
    nested(TYPE, 1, "tuple<", "", ">"),
    nested(ATTRIBUTE, 0, "[", "unit", "]"),
    nested('"x.y"() : () -> () loc({})\n', 1, "fused[", "unknown", "]"),
    [TYPE.format(f"i{(1 << 24) - 1}"), TYPE.format(f"i{1 << 24}")],
    [TYPE.format(f"tensor<{10**17}xf32>"), TYPE.format(f"tensor<{10**18}xf32>")],
    *[
        [TYPE.format(f"!quant.uniform<{name}:f32, 1.0>") for name in pair]
        for pair in (("i2", "i1"), ("i32", "i33"))
    ],
    *[
        [TYPE.format(f"!quant.uniform<{name}:f32, 1.0>") for name in pair]
        for pair in (("u2", "u1"), ("u32", "u33"))
    ],
    [ATTRIBUTE.format(f'loc("a":{line}:1)') for line in ((1 << 32) - 1, 1 << 32)],
    [ATTRIBUTE.format(f"{number}") for number in ((1 << 64) - 1, 1 << 64)],
    [ATTRIBUTE.format(f"{number} : i8") for number in (255, 256)],
    [ATTRIBUTE.format(f"{number} : i8") for number in (-128, -129)],
    [ATTRIBUTE.format(f"{number} : si8") for number in (127, 128)],
    [ATTRIBUTE.format(f"{number} : si1") for number in (-1, 1)],
    [ATTRIBUTE.format(f"{number} : si1") for number in (0, -2)],
    [ATTRIBUTE.format(f"{number} : ui1") for number in (1, 2)],
    [ATTRIBUTE.format(f"{number} : ui8") for number in (0, -1)],
)


@pytest.mark.parametrize(("text", "beyond"), LIMITS, ids=range(len(LIMITS)))
def test_limits(text: str, beyond: str) -> None:
    module = shlo.parse(text, allow_unregistered=True)
    assert shlo.format(shlo.parse(shlo.format(module), allow_unregistered=True)) == shlo.format(module)
    with pytest.raises(shlo.ParseError):
        shlo.parse(beyond, allow_unregistered=True)
