"""Memory, call graphs, statistics and whole reports, compared with hand calculations."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import stablehlo_py as shlo
from stablehlo_py.analysis.inputs import attribute
from stablehlo_py.analysis.memory import Memory
from stablehlo_py.analysis.report import entry_of
from stablehlo_py.analysis.sizes import byte_size, elements, is_dynamic
from stablehlo_py.ir.trees import Convention, Tree
from stablehlo_py.ir.types import F32, TensorType, TupleType

# %0 and %1 are alive at once, beside the argument; %0 dies with %1's use of it.
STRAIGHT = """func.func @main(%x: tensor<100xf32>) -> tensor<f32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.negate %x : tensor<100xf32>
  %1 = stablehlo.abs %0 : tensor<100xf32>
  %2 = stablehlo.reduce(%1 init: %c) applies stablehlo.add across dimensions = [0]
    : (tensor<100xf32>, tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}"""


def peak(text: str) -> int:
    return Memory(shlo.parse(text)).peak("main")


def test_peak_of_a_straight_function() -> None:
    assert peak(STRAIGHT) == 400 + 4 + 400 + 400


def test_reshapes_take_no_memory_and_results_live_to_the_end() -> None:
    text = """func.func @main(%x: tensor<100xf32>) -> (tensor<10x10xf32>, tensor<100xf32>) {
      %0 = stablehlo.negate %x : tensor<100xf32>
      %1 = stablehlo.reshape %0 : (tensor<100xf32>) -> tensor<10x10xf32>
      %2 = stablehlo.abs %x : tensor<100xf32>
      %3 = stablehlo.abs %2 : tensor<100xf32>
      return %1, %3 : tensor<10x10xf32>, tensor<100xf32>
    }"""
    assert peak(text) == 400 + 400 + 400 + 400


def test_values_that_nobody_uses_die_at_once() -> None:
    text = """func.func @main(%x: tensor<100xf32>) -> tensor<100xf32> {
      %0 = stablehlo.negate %x : tensor<100xf32>
      %1 = stablehlo.abs %x : tensor<100xf32>
      return %1 : tensor<100xf32>
    }"""
    assert peak(text) == 400 + 400


def test_a_callee_adds_what_it_needs() -> None:
    text = (
        STRAIGHT.replace("@main", "private @sum")
        + """
    func.func @main(%x: tensor<100xf32>) -> tensor<f32> {
      %0 = func.call @sum(%x) : (tensor<100xf32>) -> tensor<f32>
      return %0 : tensor<f32>
    }"""
    )
    assert peak(text) == peak(STRAIGHT)


def test_a_loop_keeps_its_memory_and_adds_what_its_body_needs() -> None:
    text = """func.func @main(%n: tensor<i32>, %x: tensor<100xf32>) -> tensor<100xf32> {
      %0:2 = stablehlo.while(%i = %n, %a = %x) : tensor<i32>, tensor<100xf32>
      cond {
        %p = stablehlo.compare GT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %1 = stablehlo.negate %a : tensor<100xf32>
        %2 = stablehlo.abs %1 : tensor<100xf32>
        stablehlo.return %i, %2 : tensor<i32>, tensor<100xf32>
      }
      return %0#1 : tensor<100xf32>
    }"""
    assert peak(text) == 4 + 400 + 800


CALLS = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = func.call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = func.call @f(%0) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = stablehlo.composite "my.g" %1 {decomposition = @g} : (tensor<2xf32>) -> tensor<2xf32>
  %3 = stablehlo.custom_call @target(%2) {called_computations = [@h]} : (tensor<2xf32>) -> tensor<2xf32>
  return %3 : tensor<2xf32>
}
func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func private @g(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = func.call @h(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @h(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = func.call @g(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}"""


def test_call_graph() -> None:
    calls = shlo.analyze(shlo.parse(CALLS)).calls
    assert calls.calls == {"main": {"f": 2, "g": 1, "h": 1}, "f": {}, "g": {"h": 1}, "h": {"g": 1}}
    assert calls.recursive == {"g", "h"}
    assert calls.reachable("main") == ["main", "f", "g", "h"]
    assert calls.reachable("main", {"g"}) == ["main", "f", "h"]
    assert calls.reachable("main", {"f", "h"}) == ["main", "g"]
    assert calls.reachable("main", {"main"}) == []
    assert calls.to_dict() == {
        "calls": {"main": {"f": 2, "g": 1, "h": 1}, "f": {}, "g": {"h": 1}, "h": {"g": 1}},
        "recursive": ["g", "h"],
    }


def test_statistics() -> None:
    found = shlo.analyze(shlo.parse(CALLS)).statistics
    assert found.functions == 4
    assert found.ops == {"func.call": 4, "stablehlo.composite": 1, "stablehlo.custom_call": 1}
    assert (found.custom_calls, found.composites) == ({"target": 1}, {"my.g": 1})
    text = """func.func @main(%x: tensor<?x?x2xf32, #stablehlo.bounds<4, ?, ?>>) -> tensor<2x3xi8> {
      %0 = stablehlo.constant dense<1> : tensor<2x3xi8>
      return %0 : tensor<2x3xi8>
    }"""
    found = shlo.analyze(shlo.parse(text)).statistics
    assert (found.constants, found.constant_bytes) == (1, 6)
    assert found.element_types == {"f32": 1, "i8": 1}
    assert (found.dynamic_dimensions, found.bounded_dimensions) == (2, 1)


def test_functions_of_nested_modules_count() -> None:
    text = """module {
      func.func @main() { return }
      module @part { func.func @main_2() { return } func.func private @g() }
    }"""
    assert shlo.analyze(shlo.parse(text)).statistics.functions == 3


def test_an_analysis_is_plain_data() -> None:
    data = shlo.analyze(shlo.parse(STRAIGHT, "straight.mlir")).to_dict()
    assert json.loads(json.dumps(data)) == data
    assert (data["file"], data["entry"]) == ("straight.mlir", "main")
    (main,) = data["functions"]
    assert main["inputs"] == [{"path": "x", "name": "x", "type": "tensor<100xf32>"}]
    assert main["dropped"] == []
    assert main["parameter_bytes"] == 400 and main["result_bytes"] == 4
    assert main["flops"] == 100 + 100 + 99


def test_private_functions() -> None:
    """Public is the default, and may be stated."""
    words = ("", "public", "private")
    text = "\n".join(f"func.func {word} @f{n}() {{\n  return\n}}" for n, word in enumerate(words))
    found = shlo.analyze(shlo.parse(text), "f0").functions
    assert [found[name].private for name in found] == [False, False, True]


def test_only_the_main_function_is_called_as_the_exported_one() -> None:
    """It was exported from a function of two arguments, and does not take the second."""
    leaves = Tree("tuple", ("0", "1"), (Tree("leaf"), Tree("dropped")))
    text = "func.func {} @{}(%x: tensor<2xf32>) {{\n  return\n}}\n"
    module = shlo.parse(text.format("", "main") + text.format("private", "other"))
    arguments = Tree("tuple", ("0", "1"), (leaves, Tree("dict")))
    module.convention = Convention(arguments, Tree("leaf"), ("float32[2]", "int32[]"), (0,))
    main, other = shlo.analyze(module).to_dict()["functions"]
    assert [each["type"] for each in main["dropped"]] == ["int32[]"] and other["dropped"] == []
    assert [each["name"] for each in other["inputs"]] == ["x"]


def test_costs_that_are_no_polynomials_are_none() -> None:
    found = shlo.analyze(shlo.parse(STRAIGHT)).functions["main"]
    assert "symbolic" not in found.to_dict()
    assert replace(found, symbolic={"flops": None}).to_dict()["symbolic"] == {"flops": None}


def test_entries() -> None:
    module = shlo.parse(CALLS)
    assert shlo.analyze(module, "@f").entry == "f"
    with pytest.raises(ValueError, match="@main, @f, @g, @h"):
        shlo.analyze(module, "nothing")
    assert entry_of(module) == "main" and entry_of(module, "@f") == "f"
    two = shlo.parse(CALLS.replace("@main", "@other"))
    assert shlo.analyze(two).entry is None
    with pytest.raises(ValueError, match=r"^no function is the entry; name one of @other, @f, @g, @h$"):
        entry_of(two)


def test_tuples() -> None:
    """They have what their elements have."""
    text = """func.func @main(%x: tuple<tensor<3xf32>, tuple<tensor<?xi8>, !stablehlo.token>>) {
  return
}"""
    module = shlo.parse(text)
    type = module.functions["main"].blocks[0].arguments[0].type
    assert (elements(type), byte_size(type), is_dynamic(type)) == (3 + 1, 3 * 4 + 1, True)
    assert not is_dynamic(TupleType((TensorType((3,), F32),)))
    found = shlo.analyze(module).statistics
    assert (found.element_types, found.dynamic_dimensions) == ({"f32": 1, "i8": 1}, 1)


def test_a_constant_input_that_an_op_does_not_have() -> None:
    module = shlo.parse(
        "func.func @main(%x: tensor<3xf32>) {\n%0 = stablehlo.abs %x : tensor<3xf32>\nreturn\n}"
    )
    (op,) = [op for op in module.walk() if op.name == "stablehlo.abs"]
    with pytest.raises(KeyError, match=r"stablehlo\.abs has no constant input dimension"):
        attribute(op, "dimension")


@pytest.mark.parametrize(("name", "trips", "dot"), [("lstm", 10, 2 * 3 * 16 * 32)])
def test_the_loop_of_an_lstm(programs: Path, name: str, trips: int, dot: int) -> None:
    analysis = shlo.analyze(shlo.load(programs / f"{name}.mlir"))
    assert analysis.functions["main"].cost.flops > trips * dot
    assert analysis.functions["main"].cost.flops < trips * dot * 1.2
    assert analysis.notes == ()


def test_a_long_chain_of_calls() -> None:
    link = (
        "func.func @f{}(%a: tensor<f32>) -> tensor<f32> {{\n"
        "  %0 = stablehlo.negate %a : tensor<f32>\n"
        "  %1 = call @f{}(%0) : (tensor<f32>) -> tensor<f32>\n  return %1 : tensor<f32>\n}}\n"
    )
    last = "func.func @f1000(%a: tensor<f32>) -> tensor<f32> {\n  return %a : tensor<f32>\n}\n"
    module = shlo.parse("".join(link.format(i, i + 1) for i in range(1000)) + last)
    assert shlo.analyze(module, "f0").functions["f0"].cost.flops == 1000
    order = shlo.analyze(module, "f0").calls.callees_first()
    assert order == [f"f{i}" for i in range(1000, -1, -1)]
    with pytest.raises(shlo.RunError, match="nested too deeply"):
        shlo.compile(module, "f0")
