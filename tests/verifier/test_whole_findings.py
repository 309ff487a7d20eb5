"""Findings about structure, symbols and values, in full: position, severity, code, message and notes."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo

Finding = tuple[int, int, str, str, str, tuple[str, ...]]

CASES: dict[str, tuple[str, list[Finding]]] = {
    "numbers as the specification alone spells them": (
        (
            "func.func @f() {\n"
            "  %0 = stablehlo.constant dense<+1.0> : tensor<f32>\n"
            "  %1 = stablehlo.constant dense<[2, +3]> : tensor<2xi32>\n"
            "  return\n"
            "}"
        ),
        [
            (2, 33, "error", "spelling", "upstream spells +1.0 as 1.0", ()),
            (3, 37, "error", "spelling", "upstream spells +3 as 3", ()),
        ],
    ),
    "a symbol twice": (
        ("func.func @f() { return }\nfunc.func @f() { return }"),
        [(2, 1, "error", "symbol", "@f is already defined", ("@f was first defined here (line 1)",))],
    ),
    "a symbol of another kind twice": (
        ("func.func @f() { return }\nmodule @f { }"),
        [(2, 1, "error", "symbol", "@f is already defined", ("@f was first defined here (line 1)",))],
    ),
    "a function in a function": (
        ("func.func @f() {\n  func.func @h() { return }\n  return\n}"),
        [(2, 3, "error", "symbol", "func.func cannot be inside func.func, which is not a symbol table", ())],
    ),
    "a visibility that there is not": (
        (
            '"func.func"() <{function_type = () -> (), sym_name = "f", sym_visibility = "weird"}> ({\n'
            '  "func.return"() : () -> ()\n'
            "}) : () -> ()"
        ),
        [(1, 1, "error", "symbol", 'visibility of @f must be public, private or nested, not "weird"', ())],
    ),
    "a call of nothing": (
        ("func.func @f() {\n  call @g() : () -> ()\n  return\n}"),
        [(2, 3, "error", "symbol", "func.call: callee @g does not refer to a function of this module", ())],
    ),
    "a call with too few operands": (
        (
            "func.func private @g(tensor<f32>, i1) -> i1\n"
            "func.func @f(%a: tensor<i32>) {\n"
            "  %0 = call @g(%a) : (tensor<i32>) -> i1\n"
            "  return\n"
            "}"
        ),
        [
            (
                3,
                8,
                "error",
                "symbol",
                "func.call @g: expected 2 operands, got 1",
                ("@g : (tensor<f32>, i1) -> i1 (line 1)",),
            )
        ],
    ),
    "a call with other types": (
        (
            "func.func private @g(tensor<f32>, i1) -> (i1, i8)\n"
            "func.func @f(%a: tensor<i32>, %b: i1) {\n"
            "  %0:2 = call @g(%a, %b) : (tensor<i32>, i1) -> (i1, i1)\n"
            "  return\n"
            "}"
        ),
        [
            (
                3,
                10,
                "error",
                "symbol",
                "func.call @g: expected type tensor<f32> for operand 0, got tensor<i32>",
                ("@g : (tensor<f32>, i1) -> (i1, i8) (line 1)",),
            ),
            (
                3,
                10,
                "error",
                "symbol",
                "func.call @g: expected type i8 for result 1, got i1",
                ("@g : (tensor<f32>, i1) -> (i1, i8) (line 1)",),
            ),
        ],
    ),
    "a return of another type": (
        ("func.func @f(%a: i1) -> (i1, i8) {\n  return %a, %a : i1, i1\n}"),
        [(2, 3, "error", "structure", "func.return in @f: expected type i8 for operand 1, got i1", ())],
    ),
    "a return of too few values": (
        ("func.func @f(%a: i1) -> (i1, i8) {\n  return %a : i1\n}"),
        [(2, 3, "error", "structure", "func.return in @f: expected 2 operands, got 1", ())],
    ),
    "a return in a region, behind one that is equal": (
        (
            "func.func @g() {\n"
            "  func.return\n"
            "}\n"
            "func.func @f(%p: tensor<i1>) {\n"
            '  "stablehlo.if"(%p) ({\n'
            "    stablehlo.return\n"
            "  }, {\n"
            "    func.return\n"
            "  }) : (tensor<i1>) -> ()\n"
            "  return\n"
            "}"
        ),
        [(8, 5, "error", "structure", "func.return must be directly inside func.func", ())],
    ),
    "a return in a region": (
        (
            "func.func @f(%p: tensor<i1>) {\n"
            '  "stablehlo.if"(%p) ({\n'
            "    func.return\n"
            "  }, {\n"
            "    stablehlo.return\n"
            "  }) : (tensor<i1>) -> ()\n"
            "  return\n"
            "}"
        ),
        [(3, 5, "error", "structure", "func.return must be directly inside func.func", ())],
    ),
    "a function that ends as a region": (
        ("func.func @f() {\n  stablehlo.return\n}"),
        [(2, 3, "warning", "structure", "stablehlo.return ends a function; use func.return (spec-only)", ())],
    ),
    "declarations": (
        ("func.func @f()\nfunc.func private @g()\nfunc.func public @h()\nfunc.func nested @i()"),
        [
            (1, 1, "error", "symbol", "@f is a declaration, so it must be private", ()),
            (3, 1, "error", "symbol", "@h is a declaration, so it must be private", ()),
        ],
    ),
    "the type of a block argument": (
        (
            '"func.func"() <{function_type = (tensor<f32>, i1) -> (), sym_name = "f"}> ({\n'
            "^bb0(%a: tensor<i32>, %b: i1):\n"
            '  "func.return"() : () -> ()\n'
            "}) : () -> ()"
        ),
        [
            (
                1,
                1,
                "error",
                "structure",
                "func.func @f: expected type tensor<f32> for block argument 0, got tensor<i32>",
                (),
            )
        ],
    ),
    "too few block arguments": (
        (
            '"func.func"() <{function_type = (tensor<f32>, i1) -> (), sym_name = "f"}> ({\n'
            "^bb0(%a: tensor<f32>):\n"
            '  "func.return"() : () -> ()\n'
            "}) : () -> ()"
        ),
        [(1, 1, "error", "structure", "func.func @f: expected 2 block arguments, got 1", ())],
    ),
    "too many argument attributes": (
        (
            '"func.func"() <{arg_attrs = [{}, {}], res_attrs = [{}], '
            'function_type = (i1) -> (), sym_name = "f"}> ({\n'
            "^bb0(%a: i1):\n"
            '  "func.return"() : () -> ()\n'
            "}) : () -> ()"
        ),
        [
            (1, 1, "error", "structure", "func.func: arg_attrs has 2 entries for 1 input", ()),
            (1, 1, "error", "structure", "func.func: res_attrs has 1 entries for 0 outputs", ()),
        ],
    ),
    "argument attributes without a dialect": (
        ("func.func private @f(i1 {a.b, foo}, i1 {bar}) -> (i1 {baz, c.d})"),
        [
            (1, 1, "error", "structure", "func.func: attribute foo of input 0 has no dialect prefix", ()),
            (1, 1, "error", "structure", "func.func: attribute bar of input 1 has no dialect prefix", ()),
            (1, 1, "error", "structure", "func.func: attribute baz of output 0 has no dialect prefix", ()),
        ],
    ),
    "module attributes without a dialect": (
        ("module attributes {foo = 1 : i32, a.b, bar} {\n}"),
        [
            (1, 1, "error", "structure", "builtin.module: attribute foo has no dialect prefix", ()),
            (1, 1, "error", "structure", "builtin.module: attribute bar has no dialect prefix", ()),
        ],
    ),
    "computations that there are not": (
        (
            "func.func @f() {\n"
            "  stablehlo.custom_call @t() {called_computations = [@nope, @f, @no]} : () -> ()\n"
            "  return\n"
            "}"
        ),
        [
            (
                2,
                3,
                "warning",
                "symbol",
                "stablehlo.custom_call: called_computations @nope does not refer to a function "
                "of this module",
                (),
            ),
            (
                2,
                3,
                "warning",
                "symbol",
                "stablehlo.custom_call: called_computations @no does not refer to a function of this module",
                (),
            ),
        ],
    ),
    "a call of a module": (
        ("module @m {}\nfunc.func @f() {\n  call @m() : () -> ()\n  return\n}"),
        [(3, 3, "error", "symbol", "func.call: callee @m does not refer to a function of this module", ())],
    ),
    "a terminator that is not last": (
        (
            "func.func @f(%a: tensor<i32>) {\n"
            '  "func.return"() : () -> ()\n'
            "  %0 = stablehlo.add %a, %a : tensor<i32>\n"
            "}"
        ),
        [
            (2, 3, "error", "structure", "terminator func.return is not the last operation of its block", ()),
            (3, 8, "error", "structure", "block ends with stablehlo.add, which is not a terminator", ()),
        ],
    ),
    "an empty block": (
        (
            "func.func @f(%p: tensor<i1>) {\n"
            '  "stablehlo.if"(%p) ({\n'
            "    stablehlo.return\n"
            "  }, {\n"
            "  ^bb0:\n"
            "  }) : (tensor<i1>) -> ()\n"
            "  return\n"
            "}"
        ),
        [(2, 3, "error", "structure", "stablehlo.if has an empty block; expected a terminator", ())],
    ),
    "two blocks where one is right": (
        (
            "func.func @f(%p: tensor<i1>) {\n"
            '  "stablehlo.if"(%p) ({\n'
            '    "cf.br"()[^b] : () -> ()\n'
            "  ^b:\n"
            "    stablehlo.return\n"
            "  }, {\n"
            "    stablehlo.return\n"
            "  }) : (tensor<i1>) -> ()\n"
            "  return\n"
            "}"
        ),
        [(2, 3, "error", "structure", "stablehlo.if: expected one block in region true_branch, got 2", ())],
    ),
    "the entry block as a successor": (
        ("func.func @f() {\n  cf.br ^a\n^a:\n  return\n}\nfunc.func @g() {\n^a:\n  cf.br ^a\n}"),
        [
            (
                8,
                3,
                "error",
                "structure",
                "cf.br: its successor is the entry block of the region, which has no predecessors",
                (),
            )
        ],
    ),
    "operands of successors": (
        (
            "func.func @f(%p: i1, %a: i8) {\n"
            "  cf.cond_br %p, ^a(%p : i1), ^b(%a, %a : i8, i8)\n"
            "^a(%x: i8):\n"
            "  return\n"
            "^b(%y: i8):\n"
            "  return\n"
            "}"
        ),
        [
            (2, 3, "error", "structure", "cf.cond_br: expected type i8 for argument of ^a 0, got i1", ()),
            (2, 3, "error", "structure", "cf.cond_br: expected 1 argument of ^b, got 2", ()),
        ],
    ),
    "too few successors": (
        (
            "func.func @f(%p: i1) {\n"
            '  "cf.cond_br"(%p)[^a] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()\n'
            "^a:\n"
            "  return\n"
            "}"
        ),
        [(2, 3, "error", "structure", "cf.cond_br: expected 2 successors (trueDest, falseDest), got 1", ())],
    ),
    "successors of an op without any": (
        (
            "func.func @f(%a: tensor<i1>) {\n"
            '  %0 = "stablehlo.not"(%a)[^bb1] : (tensor<i1>) -> tensor<i1>\n'
            "  return\n"
            "^bb1:\n"
            "  return\n"
            "}"
        ),
        [(2, 8, "error", "structure", "stablehlo.not: expected 0 successors, got 1", ())],
    ),
    "an op in the wrong region": (
        ('func.func @f(%a: i1) {\n  "scf.condition"(%a) : (i1) -> ()\n}'),
        [
            (
                2,
                3,
                "error",
                "structure",
                "scf.condition must be in a region of scf.while, not of func.func",
                (),
            )
        ],
    ),
    "values used before their definition": (
        (
            "func.func @f(%a: tensor<i32>) {\n"
            "  %0 = stablehlo.add %b, %c : tensor<i32>\n"
            "  %b = stablehlo.add %a, %a : tensor<i32>\n"
            "  %c = stablehlo.add %a, %a : tensor<i32>\n"
            "  return\n"
            "}"
        ),
        [
            (
                2,
                8,
                "error",
                "ssa",
                "stablehlo.add uses %b, which is not defined at this point",
                ("it is defined by stablehlo.add (line 3)",),
            ),
            (
                2,
                8,
                "error",
                "ssa",
                "stablehlo.add uses %c, which is not defined at this point",
                ("it is defined by stablehlo.add (line 4)",),
            ),
        ],
    ),
    "an elided constant": (
        (
            "func.func @f() {\n"
            "  %0 = stablehlo.constant dense_resource<__elided__> : tensor<2xf32>\n"
            "  return\n"
            "}"
        ),
        [
            (
                2,
                8,
                "error",
                "elided",
                "the elements of this constant are elided, so the program cannot run; "
                "print it without eliding constants",
                (),
            )
        ],
    ),
    "too many regions": (
        (
            "func.func @f(%p: tensor<i1>) {\n"
            '  "stablehlo.if"(%p) ({\n'
            "    stablehlo.return\n"
            "  }, {\n"
            "    stablehlo.return\n"
            "  }, {\n"
            "    stablehlo.return\n"
            "  }) : (tensor<i1>) -> ()\n"
            "  return\n"
            "}"
        ),
        [(2, 3, "error", "structure", "stablehlo.if: expected 2 regions, got 3", ())],
    ),
    "references into a module": (
        (
            "module @m {\n"
            "  func.func @g() { return }\n"
            "}\n"
            "func.func @f() {\n"
            '  "func.call"() <{callee = @m::@g}> : () -> ()\n'
            '  "func.call"() <{callee = @m::@h}> : () -> ()\n'
            "  return\n"
            "}"
        ),
        [
            (
                5,
                3,
                "error",
                "func.call.I2",
                "func.call (I2): callee must be a symbol such as @name, but got @m::@g",
                (),
            ),
            (6, 3, "error", "symbol", "func.call: callee @m does not refer to a function of this module", ()),
            (
                6,
                3,
                "error",
                "func.call.I2",
                "func.call (I2): callee must be a symbol such as @name, but got @m::@h",
                (),
            ),
        ],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_findings(name: str) -> None:
    """Types that only the specification refuses are found as well, and are not of interest here."""
    text, expected = CASES[name]
    try:
        found = shlo.verify(shlo.parse(text, allow_unregistered=True))
    except shlo.ParseError as error:
        found = error.diagnostics
    rows = [(d.line, d.column, d.severity, d.code, d.message, d.notes) for d in found]
    assert [row for row in rows if "is not a type of values" not in row[4]] == expected
