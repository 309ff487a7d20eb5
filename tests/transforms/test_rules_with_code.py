"""Rules whose replacement is code: what keeps each of them from a program, and what it makes of others.

Each program is near one that the rule rewrites. Of a program that a rule rewrites, the row has the ops and
the numbers of operands of the function afterwards, and its results are those of the program before.
"""

from __future__ import annotations

import numpy as np
import pytest
from programs_of_rules import PROGRAMS, REFUSED

import stablehlo_py as shlo
from stablehlo_py.transforms.greedy_driver import apply_rules
from stablehlo_py.transforms.registry import all_rules
from stablehlo_py.transforms.rewriter import Rewriter
from stablehlo_py.transforms.rules.example import example_module
from stablehlo_py.transforms.simplification.repeated import repeated

RULES = {rule.name: rule for rule in all_rules()}


def after(module: shlo.Module) -> str:
    ops = module.functions["main"].regions[0].block.ops[:-1]
    return " ".join(f"{op.name.removeprefix('stablehlo.')}/{len(op.operands)}" for op in ops)


def inputs(module: shlo.Module) -> list[np.ndarray]:
    """Numbers that are all different, and not in order."""
    types = [value.type for value in module.functions["main"].regions[0].block.arguments]
    shapes = [tuple(2 if size is None else size for size in type.shape) for type in types]
    dtypes = [{"i1": bool, "f32": np.float32}.get(str(type.element_type), np.int32) for type in types]
    return [
        (np.arange(np.prod(shape)) * 3 % 11 + n).reshape(shape).astype(dtype)
        for n, (shape, dtype) in enumerate(zip(shapes, dtypes, strict=True))
    ]


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str) -> None:
    for body, expected in PROGRAMS[name]:
        module = example_module(body)
        assert [d for d in shlo.verify(module) if d.severity == "error"] == [], body
        changed = module.clone()
        counts = apply_rules(changed, changed.op, [RULES[name]], erase_dead=False, share=False)
        assert (after(changed) if counts else REFUSED) == expected, body
        if counts and "custom_call" not in body and not RULES[name].inexact:
            assert [d for d in shlo.verify(changed) if d.severity == "error"] == [], body
            given = inputs(module)
            for a, b in zip(shlo.run(module, given), shlo.run(changed, given), strict=True):
                np.testing.assert_equal(b, a, body)


@pytest.mark.parametrize(
    ("name", "body", "type"),
    [
        (
            "dynamic-broadcast-constant-shape",
            """%s = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
            %r = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1]
              : (tensor<2xf32>, tensor<2xi64>) -> TYPE""",
            "tensor<3x2xf32>",
        ),
        (
            "sort-dimension",
            """%r = "stablehlo.sort"(%x) <{dimension = -1 : i64}> ({
            ^bb0(%a: tensor<f32>, %b: tensor<f32>):
              %lt = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
              stablehlo.return %lt : tensor<i1>
            }) : (TYPE) -> TYPE""",
            "tensor<3x2xf32>",
        ),
        (
            "fold-broadcast",
            """%c = stablehlo.constant dense<2.0> : tensor<f32>
            %r = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> TYPE""",
            "tensor<3xf32>",
        ),
    ],
)
def test_programs_without_ranks_are_refused(name: str, body: str, type: str) -> None:
    """They are not valid, but passes run on them."""
    for ranked in (True, False):
        module = example_module(body.replace("TYPE", type if ranked else "tensor<*xf32>"))
        assert bool(apply_rules(module, module.op, [RULES[name]], erase_dead=False, share=False)) is ranked


def test_the_last_dimension_of_a_sort_by_its_index() -> None:
    module = example_module(RULES["sort-dimension"].example)
    apply_rules(module, module.op, [RULES["sort-dimension"]])
    (sort,) = [op for op in module.walk() if op.name == "stablehlo.sort"]
    assert sort.python_value("dimension") == 1


UNUSED = """
    func.func private @f(%x: tensor<i32>) -> tensor<i32> {
      return %x : tensor<i32>
    }
    func.func @main(%x: tensor<i32>) -> tensor<i32> {
      %0 = "stablehlo.while"(%x) ({
      ^bb0(%a: tensor<i32>):
        %c = stablehlo.constant dense<RUNS> : tensor<i1>
        stablehlo.return %c : tensor<i1>
      }, {
      ^bb0(%a: tensor<i32>):
        %b = BODY
        stablehlo.return %b : tensor<i32>
      }) : (tensor<i32>) -> tensor<i32>
      return USED : tensor<i32>
    }"""
CALL = "func.call @f(%a) : (tensor<i32>) -> tensor<i32>"
EFFECT = "stablehlo.custom_call @g(%a) {has_side_effect = true} : (tensor<i32>) -> tensor<i32>"


@pytest.mark.parametrize(
    ("runs", "body", "used", "assumes", "erased"),
    [
        ("false", CALL, "%x", True, True),
        ("false", CALL, "%x", False, False),
        ("true", CALL, "%x", True, False),
        ("false", EFFECT, "%x", True, False),
        ("false", CALL, "%0", True, False),
        (
            "false",
            "stablehlo.abs %a : tensor<i32>",
            "%x",
            True,
            False,
        ),  # it is dead, which is not this rule's
    ],
)
def test_unused_loops_that_never_run(runs: str, body: str, used: str, assumes: bool, erased: bool) -> None:
    text = UNUSED.replace("RUNS", runs).replace("BODY", body).replace("USED", used)
    module = shlo.parse(text)
    options = {"assume-no-undeclared-side-effects": assumes}
    rules = [RULES["while-false-unused"]]
    assert bool(apply_rules(module, module.op, rules, options, erase_dead=False)) is erased
    assert ("stablehlo.while" in shlo.format(module)) is not erased


@pytest.mark.parametrize(
    ("body", "result"),
    [
        (
            "%c = stablehlo.constant dense<[1.5, 2.0]> : tensor<2xELEMENT>\n"
            "%r = stablehlo.convert %c : (tensor<2xELEMENT>) -> tensor<2xi16>",
            "tensor<2xi16>",
        ),
        (
            "%c = stablehlo.constant dense<2.0> : tensor<ELEMENT>\n"
            "%r = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ELEMENT>) -> tensor<2xELEMENT>",
            "tensor<2xELEMENT>",
        ),
        (
            "%c = stablehlo.constant dense<2.0> : tensor<4xELEMENT>\n"
            "%r = stablehlo.dynamic_slice %c, %i, sizes = [2] : (tensor<4xELEMENT>, tensor<i32>) "
            "-> tensor<2xELEMENT>",
            "tensor<2xELEMENT>",
        ),
        (
            "%c = stablehlo.constant dense<2.0> : tensor<4xELEMENT>\n"
            "%r = stablehlo.multiply %c, %c : tensor<4xELEMENT>",
            "tensor<4xELEMENT>",
        ),
    ],
)
def test_floats_are_folded_if_the_option_allows_it(body: str, result: str) -> None:
    for element, option, folds in (("f32", "true", True), ("f32", "false", False), ("i32", "false", True)):
        text = body.replace("ELEMENT", element)
        if element == "i32":
            text = text.replace("1.5", "1").replace("2.0", "2")
        type = result.replace("ELEMENT", element)
        module = shlo.parse(f"func.func @main(%i: tensor<i32>) -> {type} {{\n{text}\nreturn %r : {type}\n}}")
        made = shlo.opt(module, [f"stablehlo-aggressive-folder{{optimize-float={option}}}"])
        names = [op.name for op in made.functions["main"].blocks[0].ops]
        assert (names == ["stablehlo.constant", "func.return"]) is folds, (element, option)


@pytest.mark.parametrize(
    ("body", "iotas", "expected"),
    [
        ("%r = stablehlo.constant dense<2> : tensor<2x3xi32>", 0, [[2]]),
        ("%r = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>", 0, [[1, 2], [3, 4]]),
        (
            """%c = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
            %r = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<2xi32>) -> tensor<3x2xi32>""",
            0,
            [[1, 2]],
        ),
        (
            """%c = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
            %r = stablehlo.broadcast_in_dim %c, dims = [2, 0] : (tensor<2x2xi32>) -> tensor<2x3x2xi32>""",
            0,
            [[[1, 3]], [[2, 4]]],
        ),
        ("%r = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<2xi32>) -> tensor<3x2xi32>", 0, None),
        ("%r = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<?xi32>) -> tensor<3x2xi32>", 0, None),
        ("%r = stablehlo.negate %y : tensor<?xi32>", 0, None),
        ("%r = stablehlo.negate %x : tensor<2xi32>", 9, None),
        ("%r = stablehlo.iota dim = 0 : tensor<3xi32>", 3, [0, 1, 2]),
        ("%r = stablehlo.iota dim = 0 : tensor<3xi32>", 2, None),
        (
            """%i = stablehlo.iota dim = 0 : tensor<4xi32>
            %r = stablehlo.reshape %i : (tensor<4xi32>) -> tensor<2x2xi32>""",
            4,
            [[0, 1], [2, 3]],
        ),
    ],
)
def test_elements_that_are_known_with_size_1_where_they_are_repeated(
    body: str, iotas: int, expected: object
) -> None:
    module = shlo.parse(f"func.func @main(%x: tensor<2xi32>, %y: tensor<?xi32>) {{\n{body}\nreturn\n}}")
    value = module.functions["main"].blocks[0].ops[-2].result
    found = repeated(Rewriter(module), value, iotas)
    assert (None if found is None else found.tolist()) == expected


def constant(values: str, type: str, name: str = "c") -> str:
    return f"%{name} = stablehlo.constant dense<{values}> : {type}\n"


TWO = "tensor<2xELEMENT>"
SEVEN = constant("[5, 7]", TWO, "b")


@pytest.mark.parametrize(
    ("rule", "op", "element", "values", "folds"),
    [
        *(
            (f"fold-{name}", f"{SEVEN}%r = stablehlo.{name} %b, %c : {TWO}", element, values, folds)
            for name in ("divide", "remainder")
            for element in ("i32", "ui32", "i8", "ui8")
            for values, folds in (("[2, 1]", True), ("[2, 0]", False), ("0", False))
        ),
        *(
            ("fold-convert", f"%r = stablehlo.convert %c : (tensor<2xf32>) -> {TWO}", element, values, folds)
            for element, values, folds in (
                ("i32", "[0.0, 1.5]", True),
                ("i32", "[-0.0, 1.5]", False),  # the integer 0 has no sign
                ("i32", "[2147483520.0, -2147483648.0]", True),
                ("i32", "[2147483648.0, 0.0]", False),
                ("i32", "[-2147483904.0, 0.0]", False),
                ("i8", "[127.9, -128.9]", True),
                ("i8", "[128.0, 0.0]", False),
                ("ui8", "[255.5, 0.5]", True),
                ("ui8", "[-1.0, 0.0]", False),
                ("i32", "[0x7FC00000, 0.0]", False),
                ("i32", "[0x7F800000, 0.0]", False),
            )
        ),
        *(
            (f"fold-{name}", f"%r = stablehlo.{name} %c : {TWO}", "f32", values, folds)
            for name, values, folds in (
                ("log", "[1.0, 0.5]", True),
                ("log", "[1.0, 0.0]", False),
                ("log", "[1.0, -0.5]", False),
                ("rsqrt", "[1.0, 0.0]", False),
                ("sqrt", "[1.0, 0.0]", True),
                ("sqrt", "[1.0, -0.5]", False),
            )
        ),
    ],
)  # fmt: skip
def test_constants_that_are_not_computed(rule: str, op: str, element: str, values: str, folds: bool) -> None:
    given = "f32" if rule == "fold-convert" else element
    body = constant(values, f"tensor<2x{given}>") + op.replace("ELEMENT", element)
    module = example_module(body)
    assert bool(apply_rules(module, module.op, [RULES[rule]], erase_dead=False, share=False)) is folds


def test_a_splat_of_no_elements() -> None:
    module = example_module(
        constant("1.5", "tensor<f32>")
        + "%r = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<0x2xf32>"
    )
    assert apply_rules(module, module.op, [RULES["fold-broadcast"]])
    (made,) = [op for op in module.walk() if op.name == "stablehlo.constant"]
    assert made.properties["value"].data.size == 0  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("index", "branch"), [(0, 10), (1, 20), (2, 30), (3, 30), (-1, 30), (-2, 30), (-9, 30)]
)
def test_a_branch_out_of_range_is_the_last(index: int, branch: int) -> None:
    regions = ", ".join(
        f"{{\n%b{n} = stablehlo.constant dense<{n}> : tensor<i32>\nstablehlo.return %b{n} : tensor<i32>\n}}"
        for n in (10, 20, 30)
    )
    text = f"func.func @main() -> tensor<i32> {{\n{constant(str(index), 'tensor<i32>')}"
    text += (
        f'%r = "stablehlo.case"(%c) ({regions}) : (tensor<i32>) -> tensor<i32>\nreturn %r : tensor<i32>\n}}'
    )
    module = shlo.parse(text)
    assert shlo.run(module, []) == [branch]
    assert apply_rules(module, module.op, [RULES["case-constant"]])
    assert "stablehlo.case" not in shlo.format(module) and shlo.run(module, []) == [branch]
