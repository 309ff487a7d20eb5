"""Structure, scopes, symbols and types. Verdicts and lines are the C++ verifier's (jaxlib 0.10.2), except
where a test says that the specification asks for more; then the finding is a warning."""

from __future__ import annotations

from typing import Any

import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.attributes import StructAttr
from stablehlo_py.ir.core import Block, Module, Operation, Region
from stablehlo_py.ir.op_builder import add_function
from stablehlo_py.ir.types import F32, FutureType, IntegerType, QuantizedType, TensorType, Type
from stablehlo_py.verifier import verifier

Found = list[tuple[int, str, str]]


def findings(text: str) -> Found:
    """Line, code and severity of everything that is said about a program."""
    try:
        diagnostics = shlo.verify(shlo.parse(text, allow_unregistered=True))
    except shlo.ParseError as error:
        diagnostics = error.diagnostics
    return [(d.line, d.code, d.severity) for d in diagnostics]


def errors(text: str) -> list[tuple[int, str]]:
    return [(line, code) for line, code, severity in findings(text) if severity == "error"]


VALID = {
    "declaration": "func.func private @f(tensor<f32>) -> tensor<f32>",
    "same name in two modules": "module { module { module @a { } } module { module @a { } } }",
    "any order in a module": """
module {
  "test.x"(%z) : (tensor<i1>) -> ()
  %z = stablehlo.constant dense<true> : tensor<i1>
}""",
    "any order in a region of an unknown op": """
"test.x"() ({
  "test.x"(%z) : (tensor<i1>) -> ()
  %z = stablehlo.constant dense<true> : tensor<i1>
}) : () -> ()""",
    "no terminator in an unknown op": """
func.func @f() {
  "test.x"() ({ %1 = stablehlo.constant dense<1> : tensor<i32> }) : () -> ()
  return
}""",
    "a block that dominates": """
func.func @f(%a: tensor<i32>) {
  "test.br"()[^bb2] : () -> ()
^bb1:
  %0 = stablehlo.add %b, %b : tensor<i32>
  return
^bb2:
  %b = stablehlo.add %a, %a : tensor<i32>
  "test.br"()[^bb1] : () -> ()
}""",
    "a block that nothing leads to": """
func.func @f() {
  return
^bb1:
  "test.x"(%z) : (tensor<i1>) -> ()
  %z = stablehlo.constant dense<true> : tensor<i1>
  return
}""",
    "any attribute on an op": """
func.func @f(%a: tensor<i32>) {
  %0 = stablehlo.add %a, %a {foo = 1 : i32} : tensor<i32>
  return
}""",
    "a branch sees outer values": """
func.func @f(%p: tensor<i1>, %a: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %a : tensor<f32>
  }, {
    %1 = stablehlo.negate %a : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %0 : tensor<f32>
}""",
    "unbounded dimension": "func.func private @f(tensor<?x2xf32, #stablehlo.bounds<3, ?>>)",
}

INVALID = {
    "symbol twice": ("func.func @f() { return }\nfunc.func @f() { return }", [(2, "symbol")]),
    "symbol of another kind twice": ("func.func @f() { return }\nmodule @f { }", [(2, "symbol")]),
    "public declaration": ("func.func @f()", [(1, "symbol")]),
    "function in a function": (
        "func.func @f() {\n  func.func @h() { return }\n  return\n}",
        [(2, "symbol")],
    ),
    "visibility": (
        '"func.func"() <{function_type = () -> (), sym_name = "f", sym_visibility = "weird"}> ({\n'
        '  "func.return"() : () -> ()\n}) : () -> ()',
        [(1, "symbol")],
    ),
    "call of nothing": ("func.func @f() {\n  call @g() : () -> ()\n  return\n}", [(2, "symbol")]),
    "call of a function of an outer module": (
        "module {\n  module {\n    func.func @f() {\n      call @g() : () -> ()\n      return\n    }\n  }\n"
        "  func.func @g() { return }\n}",
        [(4, "symbol")],
    ),
    "operands of a call": (
        "func.func private @g(tensor<f32>)\nfunc.func @f() {\n  call @g() : () -> ()\n  return\n}",
        [(3, "symbol")],
    ),
    "operand and result of a call": (
        "func.func private @g(tensor<f32>) -> tensor<f32>\nfunc.func @f(%a: tensor<i32>) {\n"
        "  call @g(%a) : (tensor<i32>) -> ()\n  return\n}",
        [(3, "symbol"), (3, "symbol")],
    ),
    "type of a return": (
        "func.func @f(%a: tensor<i32>) -> tensor<f32> {\n  return %a : tensor<i32>\n}",
        [(2, "structure")],
    ),
    "number of returns": ("func.func @f() -> tensor<f32> {\n  return\n}", [(2, "structure")]),
    "no terminator": (
        "func.func @f(%a: tensor<i32>) {\n  %0 = stablehlo.add %a, %a : tensor<i32>\n}",
        [(2, "structure")],
    ),
    "a terminator that is not last": (
        'func.func @f(%a: tensor<i32>) {\n  "func.return"() : () -> ()\n'
        "  %0 = stablehlo.add %a, %a : tensor<i32>\n}",
        [(2, "structure"), (3, "structure")],
    ),
    "an unknown terminator that is not last": (
        'func.func @f() {\n  "test.br"()[^bb1] : () -> ()\n  return\n^bb1:\n  return\n}',
        [(2, "structure")],
    ),
    "a block of several in an unknown op": (
        'func.func @f() {\n  "test.x"() ({\n    %0 = stablehlo.constant dense<1> : tensor<i32>\n'
        '  ^bb1:\n    "test.br"()[^bb1] : () -> ()\n  }) : () -> ()\n  return\n}',
        [(3, "structure")],
    ),
    "func.return in a branch": (
        'func.func @f(%p: tensor<i1>) {\n  "stablehlo.if"(%p) ({\n    func.return\n  }, {\n'
        "    stablehlo.return\n  }) : (tensor<i1>) -> ()\n  return\n}",
        [(3, "structure")],
    ),
    "empty region": (
        'func.func @f(%p: tensor<i1>) {\n  "stablehlo.if"(%p) ({\n    stablehlo.return\n  }, {\n  })'
        " : (tensor<i1>) -> ()\n  return\n}",
        [(2, "structure")],
    ),
    "a region too few": (
        'func.func @f(%p: tensor<i1>) {\n  "stablehlo.if"(%p) ({\n    stablehlo.return\n  })'
        " : (tensor<i1>) -> ()\n  return\n}",
        [(2, "structure")],
    ),
    "an operand too few": (
        'func.func @f(%a: tensor<f32>) {\n  %0 = "stablehlo.add"(%a) : (tensor<f32>) -> tensor<f32>\n'
        "  return\n}",
        [(2, "structure")],
    ),
    "a result too few": (
        'func.func @f(%a: tensor<f32>) {\n  "stablehlo.add"(%a, %a) : (tensor<f32>, tensor<f32>) -> ()\n'
        "  return\n}",
        [(2, "structure")],
    ),
    "successors": (
        'func.func @f(%a: tensor<i1>) {\n  %0 = "stablehlo.not"(%a)[^bb1] : (tensor<i1>) -> tensor<i1>\n'
        "  return\n^bb1:\n  return\n}",
        [(2, "structure")],
    ),
    "type of a block argument": (
        '"func.func"() <{function_type = (tensor<f32>) -> (), sym_name = "f"}> ({\n'
        '^bb0(%a: tensor<i32>):\n  "func.return"() : () -> ()\n}) : () -> ()',
        [(1, "structure")],
    ),
    "number of block arguments": (
        '"func.func"() <{function_type = (tensor<f32>) -> (), sym_name = "f"}> ({\n'
        '  "func.return"() : () -> ()\n}) : () -> ()',
        [(1, "structure")],
    ),
    "number of argument attributes": (
        '"func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<f32>) -> (), sym_name = "f"}> ({\n'
        '^bb0(%a: tensor<f32>):\n  "func.return"() : () -> ()\n}) : () -> ()',
        [(1, "structure")],
    ),
    "argument attribute without a dialect": (
        "func.func @f(%a: tensor<f32> {foo = 1 : i32}) {\n  return\n}",
        [(1, "structure")],
    ),
    "module attribute without a dialect": ("module attributes {foo = 1 : i32} {\n}", [(1, "structure")]),
    "used before": (
        "func.func @f(%a: tensor<i32>) {\n  %0 = stablehlo.add %b, %a : tensor<i32>\n"
        "  %b = stablehlo.add %a, %a : tensor<i32>\n  return\n}",
        [(2, "ssa")],
    ),
    "used by itself": (
        'func.func @f(%a: tensor<i32>) {\n  %0 = "stablehlo.add"(%a, %0) : (tensor<i32>, tensor<i32>)'
        " -> tensor<i32>\n  return\n}",
        [(2, "ssa")],
    ),
    "used in a region before": (
        'func.func @f() {\n  "test.x"() ({\n    "test.x"(%z) : (tensor<i1>) -> ()\n  }) : () -> ()\n'
        "  %z = stablehlo.constant dense<true> : tensor<i1>\n  return\n}",
        [(3, "ssa")],
    ),
    "from a block that does not dominate": (
        'func.func @f(%a: tensor<i32>) {\n  "test.br"()[^bb1, ^bb2] : () -> ()\n^bb1:\n'
        "  %0 = stablehlo.add %b, %a : tensor<i32>\n  return\n^bb2:\n"
        "  %b = stablehlo.add %a, %a : tensor<i32>\n"
        '  "test.br"()[^bb1] : () -> ()\n}',
        [(4, "ssa")],
    ),
    "scale out of range": (
        "func.func @f(%a: tensor<2x!quant.uniform<i4:f16, 10.5504e+04>>) {\n  return\n}",
        [(1, "type")],
    ),
    "negative quantized dimension": (
        "func.func @f(%a: tensor<1x5x2x!quant.uniform<i8<-128:127>:f32:-1, {0.1:-30, 0.1:-30}>>) {\n"
        "  return\n}",
        [(1, "type")],
    ),
    "everything at once": (
        "func.func @f(%a: tensor<f32>) -> tensor<i32> {\n"
        '  %0 = "stablehlo.add"(%a) : (tensor<f32>) -> tensor<f32>\n'
        "  %1 = stablehlo.add %a, %2 : tensor<f32>\n  %2 = stablehlo.add %a, %a : tensor<f32>\n"
        "  call @nobody() : () -> ()\n  return %a : tensor<f32>\n}",
        [(2, "structure"), (3, "ssa"), (5, "symbol"), (6, "structure")],
    ),
}


@pytest.mark.parametrize("name", VALID)
def test_valid(name: str) -> None:
    assert findings(VALID[name]) == []


@pytest.mark.parametrize("name", INVALID)
def test_invalid(name: str) -> None:
    text, expected = INVALID[name]
    assert errors(text) == expected


F = "tensor<f32>"
# An op in generic form, and the message about its numbers of operands, results, regions and segments.
COUNTS = {
    f'%0 = "stablehlo.add"(%a) : ({F}) -> {F}': "stablehlo.add: expected 2 operands (lhs, rhs), got 1",
    f'"stablehlo.add"(%a, %a) : ({F}, {F}) -> ()': "stablehlo.add: expected 1 result (result), got 0",
    f'%0 = "stablehlo.reduce"(%a) ({{}}) {{dimensions = array<i64>}} : ({F}) -> {F}': (
        "stablehlo.reduce: expected equal numbers of inputs and init_values, got 1 operands"
    ),
    f'%0 = "stablehlo.if"(%p) ({{ stablehlo.return %a : {F} }}) : (tensor<i1>) -> {F}': (
        "stablehlo.if: expected 2 regions, got 1"
    ),
    '"stablehlo.while"() : () -> ()': "stablehlo.while: expected 2 regions, got 0",
    f'%0 = "stablehlo.add"(%a, %a) ({{}}) : ({F}, {F}) -> {F}': "stablehlo.add: expected 0 regions, got 1",
    f'%0 = "stablehlo.clamp"(%a) : ({F}) -> {F}': (
        "stablehlo.clamp: expected 3 operands (min, operand, max), got 1"
    ),
    f'%0 = "stablehlo.dynamic_slice"() <{{slice_sizes = array<i64>}}> : () -> {F}': (
        "stablehlo.dynamic_slice: expected at least 1 operand (operand, start_indices...), got 0"
    ),
    f'%0 = "stablehlo.case"() ({{}}) : () -> {F}': "stablehlo.case: expected 1 operand (index), got 0",
    f'%0 = "stablehlo.if"(%p) ({{}}, {{}}) : (tensor<i1>) -> {F}': (
        "stablehlo.if: expected one block in region true_branch, got 0"
    ),
}
SEGMENTS = {
    "<{operandSegmentSizes = array<i32: 1, 1>}>": "expected 3 sizes in operandSegmentSizes, got 2",
    "<{operandSegmentSizes = array<i32: 1, 2, -1>}>": "negative size in operandSegmentSizes",
    "<{operandSegmentSizes = array<i32: 1, 2, 0>}>": (
        "operandSegmentSizes adds up to 3, but there are 2 operands"
    ),
    "": "operandSegmentSizes is missing, but there are 2 operands",
}


def messages(text: str) -> set[str]:
    try:
        return {d.message for d in shlo.verify(shlo.parse(text))}
    except shlo.ParseError as error:
        return {d.message for d in error.diagnostics}


@pytest.mark.parametrize("op", COUNTS)
def test_counts_are_told(op: str) -> None:
    text = f"func.func @f(%a: {F}, %p: tensor<i1>) {{\n  {op}\n  return\n}}"
    assert COUNTS[op] in messages(text)


@pytest.mark.parametrize("sizes", SEGMENTS)
def test_segments_are_told(sizes: str) -> None:
    text = f"""func.func @f(%p: i1, %a: {F}) {{
  "cf.cond_br"(%p, %a)[^bb1, ^bb2] {sizes} : (i1, {F}) -> ()
^bb1(%b: {F}):
  return
^bb2:
  return
}}"""
    assert f"cf.cond_br: {SEGMENTS[sizes]}" in messages(text)


def test_return_of_a_region_in_a_function_is_a_warning() -> None:
    """The specification's FuncBody ends with func.return; C++ takes any terminator."""
    assert findings("func.func @f() {\n  stablehlo.return\n}") == [(2, "structure", "warning")]


def test_unknown_computation_of_a_custom_call_is_a_warning() -> None:
    call = "stablehlo.custom_call @t() {called_computations = [@nope]} : () -> ()"
    text = f"func.func @f() {{\n  {call}\n  return\n}}"
    assert findings(text) == [(2, "symbol", "warning")]


def test_a_type_that_only_ops_mind_is_a_warning_in_a_signature() -> None:
    text = "func.func @f(%a: tensor<2x!quant.uniform<i8:f32, 0.5:300>>) {\n  return\n}"
    assert findings(text) == [(1, "type", "warning")]


@pytest.mark.parametrize(
    "type",
    [
        "tensor<2x!quant.uniform<i8:f32, 0.5:300>>",  # C7
        "tensor<2x!quant.uniform<i8:f32:1, {0.5, 2.0}>>",  # C12
        "tensor<3x!quant.uniform<i8:f32:0, {0.5, 2.0}>>",  # C13
    ],
)
def test_such_a_type_is_an_error_of_ops_with_a_definition(type: str) -> None:
    call = f'"stablehlo.custom_call"(%0) {{call_target_name = "t"}} : ({type}) -> ()'
    found = findings(f'%0 = "test.x"() : () -> {type}\n"test.x"(%0) : ({type}) -> ()\n{call}')
    assert [each for each in found if each[1] == "type"] == [
        (1, "type", "warning"),
        (2, "type", "warning"),
        (3, "type", "error"),
    ]


@pytest.mark.parametrize("body", ["func.return", "stablehlo.return\n    stablehlo.return"])
def test_a_region_that_differs_in_names_of_ops_alone(body: str) -> None:
    """An equal op before it is valid."""
    loop = "  stablehlo.while() cond {\n    stablehlo.return %p : tensor<i1>\n  } do {\n    {}\n  }\n"
    loops = loop.replace("{}", "stablehlo.return") + loop.replace("{}", body)
    assert errors(f"func.func @f(%p: tensor<i1>) {{\n{loops}  return\n}}") == [(10, "structure")]


def test_findings_of_a_line_are_in_the_order_of_columns() -> None:
    """Values that are not visible are looked for first."""
    first, second = f'"stablehlo.tanh"(%p) : (tensor<i1>) -> {F}', f"stablehlo.negate %c : {F}"
    text = f"func.func @f(%p: tensor<i1>) {{ %b = {first} %c = {second} return }}"
    assert [d.code for d in shlo.verify(shlo.parse(text))] == ["tanh.I1", "tanh.C1", "ssa"]


def test_elided_elements_of_any_attribute() -> None:
    value = "a = dense_resource<__elided__> : tensor<2xf32>"
    text = f'"test.x"() {{{value}}} : () -> ()\n"test.x"() <{{{value}}}> : () -> ()'
    assert findings(text) == [(1, "elided", "error"), (2, "elided", "error")]


def test_the_place_in_the_authors_program_is_told() -> None:
    text = (
        'func.func @f(%a: tensor<f32>) {\n  %0 = "stablehlo.add"(%a) : (tensor<f32>) -> tensor<f32>'
        ' loc("model.py":12:5)\n  return\n}'
    )
    (diagnostic,) = shlo.verify(shlo.parse(text))
    assert "from model.py:12:5" in diagnostic.notes


def module_of(*functions: Operation) -> Module:
    module = Module()
    for function in functions:
        module.body.append(function)
    return module


def test_built_modules_have_scopes_too() -> None:
    """A value of one function used in another cannot be written down, but it can be built."""
    from stablehlo_py.ir.attributes import StringAttr, TypeAttr
    from stablehlo_py.ir.types import FunctionType

    scalar = TensorType((), F32)
    first, second = Block([scalar]), Block([scalar])
    first.append(Operation("func.return"))
    second.append(Operation("stablehlo.negate", [first.arguments[0]], [scalar]))
    second.append(Operation("func.return"))
    type = TypeAttr(FunctionType((scalar,), ()))
    module = module_of(
        Operation(
            "func.func",
            properties={"sym_name": StringAttr("f"), "function_type": type},
            regions=[Region([first])],
        ),
        Operation(
            "func.func",
            properties={"sym_name": StringAttr("g"), "function_type": type},
            regions=[Region([second])],
        ),
    )
    (diagnostic,) = shlo.verify(module)
    assert (diagnostic.code, diagnostic.line) == ("ssa", 0)


def test_values_of_an_unreachable_block_are_not_seen_outside() -> None:
    scalar = TensorType((), F32)
    entry, other, outer = Block(), Block([scalar]), Block()
    entry.append(Operation("test.end"))
    made = other.append(Operation("stablehlo.negate", [other.arguments[0]], [scalar]))
    other.append(Operation("test.end"))
    outer.append(Operation("test.op", regions=[Region([entry, other])]))
    outer.append(Operation("test.use", [made.result, other.arguments[0]]))
    module = Module()
    module.body.append(Operation("test.op", regions=[Region([outer, Block()])]))
    found = [d.message for d in shlo.verify(module) if d.code == "ssa"]
    assert found == [
        "test.use uses operand 0, which is not defined at this point",
        "test.use uses operand 1, which is not defined at this point",
    ]


def test_equal_faults_are_found_each_time() -> None:
    lines = [f'%{i} = "stablehlo.add"(%a) : ({F}) -> {F}' for i in range(3)]
    lines += [f"%{i} = stablehlo.reshape %a : ({F}) -> tensor<2xf32>" for i in range(3, 6)]
    text = "\n".join([f"func.func @f(%a: {F}) {{", *lines, "return\n}"])
    assert [line for line, _ in errors(text)] == [2, 3, 4, 5, 6, 7]


I8 = IntegerType(8)


# What C++ refuses in operands and results only: zero points, dimensions and numbers of scales.
LENIENT = {"but one is 8", "but one is -9", "but they are 1 and 1", "but they are 2 and 1"}


@pytest.mark.parametrize(
    ("type", "words"),
    [
        (TensorType((7, -1, 1), F32), "dimension sizes must be non-negative"),
        (TensorType((2,), F32, StructAttr("stablehlo.bounds", (("bounds", (3,)),))), "cannot have a bound"),
        (
            TensorType((None,), F32, StructAttr("stablehlo.bounds", (("bounds", (3, 4)),))),
            "number of bounds (2) must be the rank (1)",
        ),
        (
            TensorType((2,), QuantizedType(I8, F32, (0.5,), (0,), -129, 127)),
            "-128 <= storage_min < storage_max <= 127, but storage_min is -129 and storage_max 127",
        ),
        (TensorType((2,), QuantizedType(I8, F32, (0.5,), (0,), 5, 5)), "storage_min is 5 and storage_max 5"),
        (TensorType((2,), QuantizedType(I8, F32, (0.5,), (0,), 0, 128)), "(C3)"),
        (TensorType((2,), QuantizedType(F32, F32, (0.0,), (0,), -1, 1)), "0 < scales, but one is 0.0"),
        (TensorType((2,), QuantizedType(I8, F32, (1e-60,), (0,), -8, 7)), "1e-60 is zero in f32"),
        (TensorType((2,), QuantizedType(I8, F32, (1e60,), (0,), -8, 7)), "1e+60 is not finite in f32"),
        (TensorType((2,), QuantizedType(I8, F32, (0.5, 1.0), (0, 0), -8, 7)), "expected one scale"),
        (TensorType((2,), QuantizedType(I8, F32, (0.5,), (0,), -8, 7, -1)), "but it is -1"),
        (TensorType((2,), QuantizedType(I8, F32, (0.5,), (8,), -8, 7)), "but one is 8"),
        (TensorType((2,), QuantizedType(I8, F32, (0.5,), (-9,), -8, 7)), "but one is -9"),
        (TensorType((2,), QuantizedType(I8, F32, (0.5,), (0,), -8, 7, 1)), "but they are 1 and 1"),
        (TensorType((2,), QuantizedType(I8, F32, (0.5,), (0,), -8, 7, 0)), "but they are 2 and 1"),
        (TensorType((2,), QuantizedType(I8, I8, (0.5,), (0,), -128, 127)), "(C4)"),
        (TensorType((2,), QuantizedType(I8, F32, (-0.5,), (0,), -128, 127)), "(C5)"),
        (TensorType((2,), QuantizedType(I8, F32, (0.5, 0.5), (0,), -128, 127, 0)), "(C9)"),
        (FutureType((F32,)), "ranked tensors"),
    ],
    ids=str,
)
def test_rules_of_types_hold_for_types_that_were_built(type: Type, words: str) -> None:
    module = shlo.parse("")
    add_function(module, "f", [type], [])
    found = [diagnostic for diagnostic in shlo.verify(module) if words in diagnostic.message]
    assert {diagnostic.severity for diagnostic in found} == {"warning" if words in LENIENT else "error"}


def test_a_faulty_type_is_reported_wherever_it_stands() -> None:
    faulty = TensorType((2,), QuantizedType(I8, F32, (-0.5,), (0,), -128, 127))
    module = shlo.parse("")
    for name in ("f", "g", "h"):
        add_function(module, name, [faulty], [])
    found = [diagnostic for diagnostic in shlo.verify(module) if "0 < scales" in diagnostic.message]
    assert len(found) == 3


def test_a_module_takes_no_arguments() -> None:
    text = '"builtin.module"() ({\n^bb0(%a: tensor<f32>):\n}) : () -> ()'
    assert errors(text) == [(1, "builtin.module.U1")]


@pytest.mark.parametrize("tolerance", ["atol = -0.0", "rtol = -0.0", "atol = -1.0", "ulps = -1"])
def test_tolerances_are_not_negative(tolerance: str) -> None:
    text = f"""func.func @f(%a: tensor<f32>) {{
  %0 = "stablehlo.exponential"(%a) {{result_accuracy =
    #stablehlo.result_accuracy<{tolerance}, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>
  }} : (tensor<f32>) -> tensor<f32>
  return
}}"""
    assert [code for _, code in errors(text)] == ["exponential.U1"]


def test_ragged_dot_of_scalar_group_sizes() -> None:
    text = """func.func @f(%l: tensor<11x5xf32>, %r: tensor<3x5x7xf32>, %g: tensor<i64>) {
  %0 = "chlo.ragged_dot"(%l, %r, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<
    lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1],
    rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}
    : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<i64>) -> tensor<11x7xf32>
  return
}"""
    assert errors(text) == [(2, "chlo.ragged_dot.U14")]


LIKE = """func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>) {{
  %0 = stablehlo.negate %a : tensor<2xf32>
  %1 = stablehlo.negate %0 : tensor<2xf32>
  %2 = stablehlo.{}
  return
}}"""


@pytest.mark.parametrize(
    ("op", "is_checked"),
    [
        ("negate %1 : tensor<2xf32>", False),
        ("negate %b : tensor<3xf32>", True),
        ("negate %a {note} : tensor<2xf32>", True),
        ("abs %a : tensor<2xf32>", True),
    ],
)
def test_ops_that_look_the_same_are_checked_once(
    op: str, is_checked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of one name, with the same types and attributes."""
    checked: list[str] = []
    check = verifier._Verifier.check

    def noted(self: Any, op: Any, *others: Any) -> Any:
        checked.append(op.name.partition(".")[2])
        return check(self, op, *others)

    monkeypatch.setattr(verifier._Verifier, "check", noted)
    assert shlo.verify(shlo.parse(LIKE.format(op))) == []
    assert sorted(checked) == sorted(["module", "func", "negate", "return", *[op.split(" ")[0]] * is_checked])
