"""Printing of modules: names, forms, comments and locations, compared with MLIR's printer."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.attributes import StringAttr, TypeAttr
from stablehlo_py.ir.core import Block, Module, Operation, Region
from stablehlo_py.ir.types import FunctionType, TensorType, Type
from stablehlo_py.syntax.parser import parse_type
from stablehlo_py.syntax.printer import format_module
from stablehlo_py.syntax.write.locations import location_of, location_text

UNKNOWN = {"allow_unregistered": True}
SAME = """\
module @"a b" attributes {mhlo.num_partitions = 1 : i32} {
  func.func private @f(tensor<f32>)
  func.func private @g(tensor<f32> {a.b = 1 : i32}, i32) -> tensor<f32>
  func.func private @h() -> (tensor<f32>, tensor<f32>) attributes {foo = "a\\22b\\0A\\09\\\\x", no_inline}
  func.func public @main(%arg0: tensor<2xf32>, %arg1: tensor<i1>) -> (tensor<2xf32> {jax.result_info = "r"}) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %cst_1 = stablehlo.constant {bar, foo.x = 1 : i64} dense<[0.699999988, 1.000000e-01]> : tensor<2xf32>
    %0 = stablehlo.after_all  : !stablehlo.token
    stablehlo.optimization_barrier()
    %1 = stablehlo.optimization_barrier %0 : !stablehlo.token
    %2:2 = stablehlo.optimization_barrier {a} %1, %c : !stablehlo.token, tensor<i32>
    stablehlo.custom_call @"a b"() : () -> ()
    %3 = stablehlo.while(%iterArg = %c) : tensor<i32> attributes {a}
    cond {
      %12 = stablehlo.compare LT, %iterArg, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %12 : tensor<i1>
    } do {
      %c_2 = stablehlo.constant dense<2> : tensor<i32>
      %12 = func.call @k(%iterArg, %c_2) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      stablehlo.return %12 : tensor<i32>
    }
    stablehlo.while()
    cond {
      stablehlo.return %arg1 : tensor<i1>
    } do {
      stablehlo.return%
    }
    %4 = "stablehlo.if"(%arg1) ({
      stablehlo.return %c : tensor<i32>
    }, {
      stablehlo.return %c_0 : tensor<i32>
    }) : (tensor<i1>) -> tensor<i32>
    %5:2 = "stablehlo.sort"(%cst_1, %cst_1) <{dimension = 0 : i64, is_stable = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>, %arg4: tensor<f32>, %arg5: tensor<f32>):
      %12 = stablehlo.compare LT, %arg2, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %12 : tensor<i1>
    }) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    %6 = stablehlo.tuple %c, %c : tuple<tensor<i32>, tensor<i32>>
    %7 = stablehlo.tuple  : tuple<>
    %8 = stablehlo.get_tuple_element %6[0] : (tuple<tensor<i32>, tensor<i32>>) -> tensor<i32>
    %9 = stablehlo.reduce(%cst_1 init: %cst) applies stablehlo.add across dimensions = [0] : \
(tensor<2xf32>, tensor<f32>) -> tensor<f32>
    %10:2 = stablehlo.reduce(%cst_1 init: %cst), (%5#0 init: %cst) across dimensions = [0] : \
(tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
     reducer(%arg2: tensor<f32>, %arg4: tensor<f32>) (%arg3: tensor<f32>, %arg5: tensor<f32>)  {
      %12 = stablehlo.add %arg2, %arg4 : tensor<f32>
      %13 = stablehlo.add %arg3, %arg5 : tensor<f32>
      stablehlo.return %12, %13 : tensor<f32>, tensor<f32>
    }
    %11 = stablehlo.slice %cst_1 [0:2:2] : (tensor<2xf32>) -> tensor<1xf32>
    return %arg0 : tensor<2xf32>
  }
  func.func private @k(%arg0: tensor<i32>, %arg1: tensor<i32>) -> tensor<i32> {
    return %arg0 : tensor<i32>
  }
  module @nested {
  }
}
"""

GENERIC = """\
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<i1>) -> tensor<i1>, sym_name = "f"}> ({
  ^bb0(%arg1: tensor<i1>):
    %2 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %3 = "stablehlo.while"(%arg1) ({
    ^bb0(%arg3: tensor<i1>):
      "stablehlo.return"(%arg3) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg2: tensor<i1>):
      %4 = "stablehlo.not"(%arg2) : (tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%4) : (tensor<i1>) -> ()
    }) {a} : (tensor<i1>) -> tensor<i1>
    "func.return"(%3) : (tensor<i1>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i1>) -> tensor<i1>, sym_name = "g"}> ({
  ^bb0(%arg0: tensor<i1>):
    %0 = "stablehlo.not"(%arg0) : (tensor<i1>) -> tensor<i1>
    %1 = "func.call"(%0) <{callee = @f}> : (tensor<i1>) -> tensor<i1>
    "func.return"(%1) : (tensor<i1>) -> ()
  }) : () -> ()
}) : () -> ()
"""

AUTHORED = """\
// the first line

module { // a module
  // about @main
  func.func @main(%input: tensor<2xf32>, %other: tensor<2xf32>) -> tensor<2xf32> { // its body
    %sum = stablehlo.add %input, %other : tensor<2xf32> // a sum
    // a pair
    // of two
    %pair:2 = stablehlo.optimization_barrier %sum, %other : tensor<2xf32>, tensor<2xf32>
    %a, %b = stablehlo.optimization_barrier %pair#0, %pair#1 : tensor<2xf32>, tensor<2xf32>
    %n = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.while(%i = %n) : tensor<i32>
    cond { // a condition
      %7 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
      // the end of it
    } do {
      // the next one
      stablehlo.return %i : tensor<i32>
    } // a loop
    return %a : tensor<2xf32>
    // before the brace
  }
  // after the function
}
// the last line
"""


def test_pretty_form() -> None:
    text = SAME.replace("return%\n", "return \n")  # MLIR leaves a space where there are no operands
    assert shlo.format(shlo.parse(text, allow_unregistered=True)) == text


def test_generic_form_numbers_values_once_and_from_the_last_region() -> None:
    assert shlo.format(shlo.parse(GENERIC), generic=True) == GENERIC


def test_blocks_are_labelled_with_those_that_lead_to_them() -> None:
    text = """\
module {
  "test.op"() <{a = 1 : i64}> ({
  ^bb0(%arg0: i32):
    "test.br"(%arg0)[^bb1, ^bb2] {x} : (i32) -> ()
  ^bb1:  // 3 preds: ^bb0, ^bb2, ^bb3
    "test.x"() : () -> ()
  ^bb2:  // 3 preds: ^bb0, ^bb2, ^bb3
    "test.br"()[^bb1, ^bb2] : () -> ()
  ^bb3:  // no predecessors
    "test.br"()[^bb1, ^bb2] : () -> ()
  }) : () -> ()
}
"""
    assert shlo.format(shlo.parse(text, allow_unregistered=True)) == text


def test_a_block_leads_to_another_twice() -> None:
    text = "func.func @f(%c: i1) {\n  cf.cond_br %c, ^a, ^a\n^a:\n  return\n}"
    assert "^bb1:  // 2 preds: ^bb0, ^bb0\n" in shlo.format(shlo.parse(text))


@pytest.mark.parametrize("part", ["attributes", "regions"])
def test_a_terminator_with_attributes_or_regions_is_written(part: str) -> None:
    text = "func.func @f(%c: i1) {\n  scf.if %c {\n    scf.yield\n  }\n  return\n}\n"
    module = shlo.parse(text)
    assert "yield" not in shlo.format(module)
    (last,) = [op for op in module.walk() if op.name == "scf.yield"]
    if part == "attributes":
        last.attributes["a"] = StringAttr("b")
    else:
        last.name, last.regions = "x.y", (Region([Block()]),)
    written = 'scf.yield {a = "b"}\n' if part == "attributes" else '"x.y"() ({\n'
    assert f"      {written}" in shlo.format(module)


def test_a_module_that_the_text_leaves_out_is_printed_with_its_attributes() -> None:
    module = shlo.parse("func.func @f() {\n  return\n}\n")
    assert shlo.format(module, canonical=False).startswith("func.func @f")
    module.op.attributes["a.b"] = StringAttr("c")
    assert shlo.format(module, canonical=False).startswith('module attributes {a.b = "c"} {\n')


def test_results_are_named_as_their_op_defines_them() -> None:
    text = """\
module {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<2xi32> {
    %values, %indices = chlo.top_k(%arg0, k = 2) : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi32>)
    %values_0, %indices_1 = chlo.top_k(%arg0, k = 2) : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi32>)
    return %indices_1 : tensor<2xi32>
  }
}
"""
    assert shlo.format(shlo.parse(text)) == text


def test_constants_are_named_after_their_value() -> None:
    """As jaxlib 0.10.2 names them: a dense constant of integers is `c` in StableHLO and `cst` in arith."""
    text = """\
module {
  func.func @main() -> tensor<i32> {
    %c = stablehlo.constant dense<-1> : tensor<i32>
    %cst = arith.constant dense<-1> : tensor<i32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %c7_i32 = arith.constant 7 : i32
    %true = arith.constant true
    return %c : tensor<i32>
  }
}
"""
    assert shlo.format(shlo.parse(text)) == text


def test_attributes_with_their_default_are_left_out() -> None:
    text = """\
module {
  func.func @main(%arg0: tensor<2xf32>) {
    %0 = stablehlo.custom_call @f(%arg0) {api_version = 1 : i32, has_side_effect = false} : \
(tensor<2xf32>) -> tensor<2xf32>
    %1 = stablehlo.custom_call @f(%arg0) {backend_config = "", has_side_effect = true} : \
(tensor<2xf32>) -> tensor<2xf32>
    return
  }
}
"""
    kept = " {api_version = 1 : i32, has_side_effect = false}"
    assert shlo.format(shlo.parse(text)) == text.replace(kept, "")


def test_a_default_that_upstream_does_not_know_is_printed_where_it_is_stated() -> None:
    text = """\
module {
  func.func @main(%arg0: tensor<?xf32>, %arg1: tensor<2xindex>) {
    %0 = stablehlo.compare EQ, %arg0, %arg0, NOTYPE : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xi1>
    %1 = stablehlo.compare EQ, %arg0, %arg0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xi1>
    %2 = stablehlo.dynamic_broadcast_in_dim %arg0, %arg1, dims = [1] \
{known_expanding_dimensions = array<i64>} : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
    return
  }
}
"""
    assert shlo.format(shlo.parse(text)) == text


TYPES = {"a": "tensor<f32>", "b": "tensor<2xf32>", "c": "tensor<i1>", "d": "tensor<complex<f32>>"}


@pytest.mark.parametrize(
    ("name", "operands", "result", "is_short"),
    [
        ("add", "aa", "a", True),
        ("add", "ab", "a", False),
        ("add", "ba", "a", False),
        ("add", "aa", "b", False),
        ("complex", "aa", "d", True),
        ("complex", "ab", "d", False),
        ("complex", "ba", "d", False),
        ("select", "caa", "a", True),
        ("select", "aaa", "a", True),
        ("select", "cab", "a", False),
        ("select", "cba", "a", False),
        ("select", "caa", "b", False),
    ],
)
def test_types_are_left_out_where_others_imply_them(
    name: str, operands: str, result: str, is_short: bool
) -> None:
    arguments = ", ".join(f"%{each}: {type}" for each, type in TYPES.items())
    values = ", ".join(f"%{each}" for each in operands)
    signature = f"({', '.join(TYPES[each] for each in operands)}) -> {TYPES[result]}"
    generic = f'%0 = "stablehlo.{name}"({values}) : {signature}'
    module = shlo.parse(f"func.func @f({arguments}) {{\n  {generic}\n  return\n}}\n")
    printed = shlo.format(module, canonical=False)
    short = f"{TYPES[operands[0]]}, {TYPES[result]}" if name == "select" else TYPES[result]
    assert f"  %0 = stablehlo.{name} {values} : {short if is_short else signature}\n" in printed
    assert shlo.format(shlo.parse(printed), generic=True) == shlo.format(module, generic=True)


def test_encodings_of_types_that_are_left_out() -> None:
    integers, floats, numbers, flags = (
        f"tensor<?x{element}, #stablehlo.bounds<4>>" for element in ("i32", "f32", "complex<f32>", "i1")
    )
    text = f"""func.func @f(%a: {integers}, %b: {floats}) -> ({flags}, {numbers}) {{
  %0 = arith.cmpi eq, %a, %a : {integers}
  %1 = stablehlo.complex %b, %b : {numbers}
  return %0, %1 : {flags}, {numbers}
}}
"""
    assert shlo.format(shlo.parse(text), canonical=False) == text


@pytest.mark.parametrize("result", ["() -> i1", "(i1) -> (i1, i32)", "i1"])
def test_a_function_whose_result_is_a_function(result: str) -> None:
    shown = f"({result})" if "->" in result else result
    text = f"module {{\n  func.func private @f() -> {shown}\n}}\n"
    assert shlo.format(shlo.parse(text)) == text


def test_several_modules_are_in_one_around_them() -> None:
    text = "module {\n  module {\n  }\n  module {\n  }\n}\n"
    assert shlo.format(shlo.parse("module {}\nmodule {}")) == shlo.format(shlo.parse(text)) == text


def test_a_module_with_arguments_is_generic() -> None:
    module = Module(Operation("builtin.module", regions=[Region([Block([parse_type("i1")])])]))
    assert shlo.format(module) == '"builtin.module"() ({\n^bb0(%arg0: i1):\n}) : () -> ()\n'


def test_an_op_that_its_pretty_form_cannot_say_is_generic() -> None:
    text = """\
module {
  func.func @main(%arg0: tensor<2xf32>) {
    %0 = stablehlo.constant() <{value = dense<1> : tensor<2xi32>}> : () -> tensor<?xi32>
    %1 = "stablehlo.while"(%arg0) ({
    ^bb0(%arg1: tensor<?xf32>):
      %2 = stablehlo.constant dense<true> : tensor<i1>
      stablehlo.return %2 : tensor<i1>
    }, {
    ^bb0(%arg1: tensor<?xf32>):
      stablehlo.return %arg1 : tensor<?xf32>
    }) : (tensor<2xf32>) -> tensor<?xf32>
    return
  }
}
"""
    expected = text.replace("%0", "%c").replace("%2", "%c_0").replace("%1", "%0").replace("%arg1", "%iterArg")
    assert shlo.format(shlo.parse(text)) == expected


def test_names_and_comments_of_the_author_are_kept() -> None:
    assert shlo.format(shlo.parse(AUTHORED), canonical=False) == AUTHORED


def test_a_while_whose_regions_name_their_arguments_differently_has_one_name_for_both() -> None:
    text = """\
func.func @main(%a: tensor<i32>, %n: tensor<i32>) -> tensor<i32> {
  %r = "stablehlo.while"(%a) ({
  ^bb0(%counter: tensor<i32>):
    %i = stablehlo.add %counter, %counter : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%i: tensor<i32>):
    %counter = stablehlo.negate %i : tensor<i32>
    stablehlo.return %counter : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  return %r : tensor<i32>
}
"""
    expected = """\
func.func @main(%a: tensor<i32>, %n: tensor<i32>) -> tensor<i32> {
  %r = stablehlo.while(%i = %a) : tensor<i32>
  cond {
    %i_0 = stablehlo.add %i, %i : tensor<i32>
    %p = stablehlo.compare LT, %i_0, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %counter = stablehlo.negate %i : tensor<i32>
    stablehlo.return %counter : tensor<i32>
  }
  return %r : tensor<i32>
}
"""
    assert shlo.format(shlo.parse(text), canonical=False) == expected
    assert shlo.format(shlo.parse(expected)) == shlo.format(shlo.parse(text))


def test_one_blank_line_of_the_author_is_kept() -> None:
    text = """\


// on @f

// still
func.func @f(%x: tensor<f32>) -> tensor<f32> { // its body

  // first
  %y = stablehlo.add %x, %x : tensor<f32>


  return %y : tensor<f32>

}



func.func @g() {

  return
}


// end

"""
    expected = """\
// on @f

// still
func.func @f(%x: tensor<f32>) -> tensor<f32> { // its body
  // first
  %y = stablehlo.add %x, %x : tensor<f32>

  return %y : tensor<f32>
}

func.func @g() {
  return
}

// end
"""
    assert shlo.format(shlo.parse(text), canonical=False) == expected
    assert shlo.format(shlo.parse(expected), canonical=False) == expected


def test_a_module_that_the_author_wrote_is_kept_and_none_is_added() -> None:
    function = "func.func @f() {\n  return\n}\n"
    wrapped = "module {\n  func.func @f() {\n    return\n  }\n}\n"
    assert shlo.format(shlo.parse(function), canonical=False) == function
    assert shlo.format(shlo.parse(function)) == wrapped
    assert shlo.format(shlo.parse(wrapped), canonical=False) == wrapped
    assert shlo.format(shlo.parse(""), canonical=False) == "module {\n}\n"


def test_comments_inside_an_op_follow_it() -> None:
    text = """\
func.func @main(%a: tensor<f32>, // left
                %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %a, // one
      // two
      %b : tensor<f32> // three
  return %0 : tensor<f32>
}
// end
"""
    formatted = shlo.format(shlo.parse(text), canonical=False)
    assert (
        formatted
        == """\
func.func @main(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  // left
  %0 = stablehlo.add %a, %b : tensor<f32> // one
  // two
  // three
  return %0 : tensor<f32>
}
// end
"""
    )
    assert shlo.format(shlo.parse(formatted), canonical=False) == formatted


def function(name: str, type: Type) -> Operation:
    """A function that negates its argument twice; all three values are called `x`."""
    block = Block([type])
    value = block.arguments[0]
    value.name = "x"
    for _ in range(2):
        op = block.append(Operation("stablehlo.negate", [value], [type]))
        op.result.name = "x"
        value = op.result
    block.append(Operation("func.return", [value]))
    properties = {"sym_name": StringAttr(name), "function_type": TypeAttr(FunctionType((type,), (type,)))}
    return Operation("func.func", properties=properties, regions=[Region([block])])


def test_names_that_collide_are_made_unique() -> None:
    module = Module()
    module.body.append(function("main", TensorType((), parse_type("f32"))))
    assert (
        format_module(module, canonical=False, locations=False)
        == """\
module {
  func.func @main(%x: tensor<f32>) -> tensor<f32> {
    %x_0 = stablehlo.negate %x : tensor<f32>
    %x_1 = stablehlo.negate %x_0 : tensor<f32>
    return %x_1 : tensor<f32>
  }
}
"""
    )


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ([None, None], "%0:2"),
        (["x", None, None], "%x:3"),
        (["x", "x#1", "z", None], "%x:2, %z:2"),
        (["x", "y", "y#1"], "%x, %y:2"),
    ],
)
def test_results_without_a_name_belong_to_those_before_them(names: list[str | None], text: str) -> None:
    op = Operation("x.y", [], [TensorType((), parse_type("f32"))] * len(names))
    for result, name in zip(op.results, names, strict=True):
        result.name = name
    assert str(op).startswith(f"{text} = ")


LOCATED = """\
#loc1 = loc("f.py":1:2)
#loc2 = loc("a")
#loc5 = loc("x"(#loc1))
module {
  func.func @main(%arg0: tensor<f32> loc("x"(#loc1)), %arg1: tensor<f32> loc("a")) -> tensor<f32> {
    %0 = stablehlo.negate %arg0 : tensor<f32> loc(#loc7)
    %1 = stablehlo.negate %0 : tensor<f32> loc(#loc4)
    %2 = stablehlo.negate %1 : tensor<f32> loc(#loc6)
    %3 = stablehlo.negate %2 : tensor<f32> loc(#loc2)
    return %3 : tensor<f32> loc(#loc)
  } loc(#loc)
} loc(#loc)
#loc = loc(unknown)
#loc3 = loc("f.py":1:2 to 3:4)
#loc4 = loc("f.py":1:2 to :5)
#loc6 = loc(fused<"m">[#loc2, #loc4])
#loc7 = loc(callsite(#loc5 at #loc3))
"""


def test_locations_are_numbered_by_depth_in_the_order_of_the_text() -> None:
    assert format_module(shlo.parse(LOCATED), locations=True) == LOCATED
    assert "loc" not in shlo.format(shlo.parse(LOCATED))


REDUCTIONS = """func.func @f(%a: tensor<2xf32>, %z: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : \
(tensor<2xf32>, tensor<f32>) -> tensor<f32>
  %1 = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  return
}
"""


def test_places_that_mlir_takes_for_locations() -> None:
    """Of a reduction, behind its name; of parts that are implied, those of what implies them."""
    module = shlo.parse(REDUCTIONS, "a")
    found = [(op.name.rpartition(".")[2], location_text(location_of(module, op))) for op in module.walk()]
    lines = [
        *(("module", "0:0"), ("func", "1:1"), ("reduce", "2:24"), ("add", "2:24"), ("return", "2:24")),
        *(("reduce", "3:8"), ("return", "5:5"), ("return", "7:3")),
    ]
    assert found == [(name, f'loc("a":{place})') for name, place in lines]
    arguments = [a for op in module.walk() for block in op.blocks for a in block.arguments]
    assert [location_text(location_of(module, each)) for each in arguments] == [
        f'loc("a":{place})' for place in ("1:14", "1:33", "2:24", "2:24", "4:8", "4:25")
    ]
    built = Operation("a.b")
    module.functions["f"].entry_block.append(built)
    assert location_text(location_of(module, built)) == "loc(unknown)"


def test_unused_aliases_of_locations_are_kept() -> None:
    """Wherever the text has them."""
    text = 'module {\n}\n#loc = loc("a")\n'
    assert shlo.format(shlo.parse(text), canonical=False) == text
    text = 'func.func @f() {\n  return loc(#here)\n}\n#here = loc("a")\n#there = loc("b")\n'
    kept = shlo.format(shlo.parse(text), canonical=False)
    assert '#loc = loc("a")\n' in kept and '#loc1 = loc("b")\n' in kept and "return loc(#loc)" in kept


def test_no_location_of_the_author_is_added() -> None:
    text = 'func.func @f() {\n  return loc("a")\n}\n'
    assert shlo.format(shlo.parse(text), canonical=False, locations=True) == text


DIFFERENT_LOCATIONS = [
    '"a"("f.py":1:2)',
    '"b"("f.py":1:2)',
    '"a"("b")',
    'fused["a", "b"]',
    'fused["b", "a"]',
    'fused<"m">["a", "b"]',
    'fused<"n">["a", "b"]',
    'callsite("a" at "b")',
    'callsite("b" at "a")',
]


def test_locations_that_differ_in_one_part_have_aliases_of_their_own() -> None:
    module = shlo.parse(
        "".join(f'"x.y"() : () -> () loc({each})\n' for each in DIFFERENT_LOCATIONS), **UNKNOWN
    )
    again = shlo.parse(format_module(module, locations=True), **UNKNOWN)
    found = [location_text(op.location) for op in again.body.ops if op.location]
    assert found == [f"loc({each})" for each in DIFFERENT_LOCATIONS]


def test_locations_of_the_author_are_kept_inline_or_as_aliases() -> None:
    text = """\
module {
  func.func @main(%a: tensor<f32> loc("a")) -> tensor<f32> {
    %b = stablehlo.negate %a : tensor<f32> loc("n"("f.py":1:2))
    return %b : tensor<f32>
  }
}
"""
    assert shlo.format(shlo.parse(text), canonical=False) == text
    formatted = shlo.format(shlo.parse(LOCATED), canonical=False)
    assert "#loc" in formatted
    assert shlo.format(shlo.parse(formatted), canonical=False) == formatted


def test_long_chains_of_locations_do_not_recurse() -> None:
    chain = "".join(f'#loc{n} = loc(callsite("f" at #loc{n - 1}))\n' for n in range(1, 3000))
    text = f'#loc0 = loc("f.py":1:1)\n{chain}module {{\n}} loc(#loc2999)\n'
    formatted = format_module(shlo.parse(text), locations=True)
    assert formatted.count("callsite") == 2999


def test_large_tuples_have_aliases() -> None:
    small, large = (f"tuple<{', '.join(['tensor<f32>'] * count)}>" for count in (16, 17))
    nested = f"tuple<{', '.join([large] * 17)}>"
    text = f"func.func private @f(tuple<{nested}>, {small}) -> {large}"
    assert (
        shlo.format(shlo.parse(text))
        == f"""\
!tuple = {large}
!tuple1 = {nested.replace(large, "!tuple")}
module {{
  func.func private @f(tuple<!tuple1>, {small}) -> !tuple
}}
"""
    )


def test_resources_that_constants_refer_to_are_printed() -> None:
    section = '{-#\n  dialect_resources: {\n    builtin: {\n      k: "0x040000000000803F"\n    }\n  }\n#-}\n'
    constant = "    %cst = stablehlo.constant dense_resource<k> : tensor<f32>\n"
    body = f"module {{\n  func.func @f() {{\n{constant}    return\n  }}\n}}\n"
    unused = section.replace('803F"', '803F",\n      unused: "0x04000000"')
    assert shlo.format(shlo.parse(f"{body}\n{unused}")) == f"{body}\n{section}"
    assert shlo.format(shlo.parse(f"{body}\n{unused}"), canonical=False) == f"{body}\n{unused}"


def test_resources_are_printed_in_the_order_of_the_text() -> None:
    used = {key: f"dense_resource<{key}> : tensor<f32>" for key in "dbca"}
    text = f'"x.y"() {{a = [{used["d"]}, {used["b"]}], b = {{m = {used["c"]}, n = {used["a"]}}}}} : () -> ()'
    section = ", ".join(f'{key}: "0x0400000000000001"' for key in "abcd")
    module = shlo.parse(f"{text}\n{{-# dialect_resources: {{builtin: {{{section}}}}} #-}}", **UNKNOWN)
    written = shlo.format(module).partition("dialect_resources")[2]
    assert re.findall(r"(\w): \"0x", written) == ["d", "b", "c", "a"]


@pytest.mark.parametrize("name", ["attention", "lstm"])
def test_real_programs_are_fixed_points(name: str, programs: Path) -> None:
    text = (programs / f"{name}.mlir").read_text()
    module = shlo.parse(text)
    if name == "attention":  # this one was printed with its locations
        assert format_module(module, locations=True) == text
    formatted = shlo.format(module, canonical=False)
    assert shlo.format(shlo.parse(formatted), canonical=False) == formatted


@pytest.mark.parametrize(("alignments", "head"), [({}, "04"), ({"k": 8}, "08"), ({"x": 8}, "04")])
def test_a_resource_without_text(alignments: dict[str, int], head: str) -> None:
    """As bytecode gives it: the alignment, 4 bytes where none is stated, and the bytes."""
    section = '{-# dialect_resources: {builtin: {k: "0x04000000"}} #-}'
    module = shlo.parse(f"module attributes {{a = dense_resource<k> : tensor<f32>}} {{}}\n{section}")
    module.resource_text, module.resource_alignments = None, alignments
    module.resources = {"k": b"\x00\x00\x80\xbf", "unused": b""}
    assert f'      k: "0x{head}000000000080BF"\n    }}' in shlo.format(module)


def test_comments_in_resources_and_a_comma_behind_a_window() -> None:
    text = """\
func.func @main(%a: tensor<1x6x6x1xf32>, %b: tensor<3x3x1x1xf32>) -> tensor<1x4x4x1xf32> {
  %w = stablehlo.constant dense_resource<w> : tensor<1xf32>
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {stride = [1, 1], reverse = [false, false],}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x6x6x1xf32>, tensor<3x3x1x1xf32>) -> tensor<1x4x4x1xf32>
  return %0 : tensor<1x4x4x1xf32>
}
{-#
  // blobs: {
  dialect_resources: {
    builtin: {
      // a "one"
      w: "0x040000000000803F" // the end
    } // of builtin
  }
#-}
"""
    module = shlo.parse(text)
    assert module.resources == {"w": b"\x00\x00\x80\x3f"}
    assert "window = {stride = [1, 1], reverse = [false, false]} {" in shlo.format(module)


def test_padding_that_is_no_list_of_pairs() -> None:
    """A module that does not verify is printed as well."""
    module = shlo.parse(
        """func.func @main(%x: tensor<1x4x4x1xf32>, %k: tensor<3x3x1x1xf32>) -> tensor<1x2x2x1xf32> {
  %0 = "stablehlo.convolution"(%x, %k) <{padding = dense<0> : tensor<3xi64>,
    dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>,
    feature_group_count = 1 : i64, batch_group_count = 1 : i64}>
    : (tensor<1x4x4x1xf32>, tensor<3x3x1x1xf32>) -> tensor<1x2x2x1xf32>
  return %0 : tensor<1x2x2x1xf32>
}"""
    )
    assert "dense<0>" in shlo.format(module)


def test_segments_that_do_not_add_up_are_printed_in_generic_form() -> None:
    text = """func.func @main(%a: tensor<4xf32>, %b: tensor<f32>) {
  %r:3 = "chlo.scan"(%a, %b) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1>,
      resultSegmentSizes = array<i32: 1, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    "stablehlo.return"(%x, %y, %y) : (tensor<f32>, tensor<f32>, tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>, tensor<f32>)
  return
}"""
    assert '"chlo.scan"(%arg0, %arg1) <{' in shlo.format(shlo.parse(text))


def test_a_constant_of_another_type_is_printed_in_generic_form() -> None:
    op = '"check.expect_eq_const"(%arg0) <{value = dense<0> : tensor<2xi64>}> : (tensor<?xi64>) -> ()'
    text = f"func.func @main(%arg0: tensor<?xi64>) {{\n  {op}\n  return\n}}"
    assert op in shlo.format(shlo.parse(text))


def test_missing_segment_sizes() -> None:
    text = """func.func @main(%a: tensor<1xi32>, %b: tensor<i32>) {
  %r:2 = "chlo.scan"(%a, %b) <{dimension = 0 : i64, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    "stablehlo.return"(%x, %y) : (tensor<i32>, tensor<i32>) -> ()
  }) : (tensor<1xi32>, tensor<i32>) -> (tensor<1xi32>, tensor<i32>)
  return
}"""
    module = shlo.parse(text)
    (error,) = shlo.verify(module)
    assert error.message == "chlo.scan: operandSegmentSizes is missing, but there are 2 operands"
    assert '"chlo.scan"(%arg0, %arg1) <{' in shlo.format(module)
