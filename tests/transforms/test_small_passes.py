"""Passes that change types, or insert ops, everywhere."""

from __future__ import annotations

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.transforms.rewriter import Rewriter
from stablehlo_py.transforms.symbols import erase_unused_symbols


def test_signless_elements_of_all_ops() -> None:
    """The bits stay, of constants and of what checks compare with."""
    text = """func.func @main() -> tensor<2xui8> {
      %c = stablehlo.constant dense<[1, 255]> : tensor<2xui8>
      %y = stablehlo.add %c, %c : tensor<2xui8>
      check.expect_eq_const %y, dense<[2, 254]> : tensor<2xui8>
      return %y : tensor<2xui8>
    }"""
    module = shlo.opt(shlo.parse(text), ["stablehlo-convert-to-signless"])
    assert "ui8" not in shlo.format(module)
    (found,) = shlo.run(module)
    np.testing.assert_array_equal(found, np.int8([2, -2]))


def test_probes_stay_out_of_bodies_on_elements() -> None:
    """The body of a reduction runs on many elements at once; those of loops are instrumented."""
    text = """func.func @main(%x: tensor<3xi32>) -> tensor<i32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
      %last = stablehlo.while(%i = %sum) : tensor<i32>
        cond { %less = stablehlo.compare LT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
               stablehlo.return %less : tensor<i1> }
        do { %next = stablehlo.add %i, %i : tensor<i32>
             stablehlo.return %next : tensor<i32> }
      return %last : tensor<i32>
    }"""
    module = shlo.opt(shlo.parse(text), ["interpreter-instrument-with-probe"])
    probed = [op.operands[0].name for op in module.walk() if op.name == "interpreter.probe"]
    assert set(probed) == {"sum", "less", "next", "last"}
    (found,) = shlo.run(module, [np.int32([1, 2, 3])])
    assert found == 6


def test_probes_stay_out_of_asynchronous_bodies() -> None:
    text = """func.func @main(%x: tensor<4xf32>) -> tensor<2xf32> {
      %future = "stablehlo.async_start"(%x) ({
      ^bb0(%inner: tensor<4xf32>):
        %half = stablehlo.slice %inner [0:2] : (tensor<4xf32>) -> tensor<2xf32>
        stablehlo.return %half : tensor<2xf32>
      }) : (tensor<4xf32>) -> !stablehlo.future<tensor<2xf32>>
      %done = "stablehlo.async_done"(%future) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
      return %done : tensor<2xf32>
    }"""
    module = shlo.opt(shlo.parse(text), ["interpreter-instrument-with-probe"])
    assert [op.operands[0].name for op in module.walk() if op.name == "interpreter.probe"] == ["done"]


@pytest.mark.parametrize("size", [0, 1])
def test_a_callee_that_contradicts_its_call_is_an_error(size: int) -> None:
    """What a call returns is a constant after refinement, and its user does not fit."""
    text = f"""module {{
      func.func public @main() -> tensor<{size}xi32> {{
        %token = stablehlo.create_token : !stablehlo.token
        %next, %shape = call @callee(%token) : (!stablehlo.token) -> (!stablehlo.token, tensor<1xi64>)
        %1 = stablehlo.dynamic_iota %shape, dim = 0 : (tensor<1xi64>) -> tensor<{size}xi32>
        return %1 : tensor<{size}xi32>
      }}
      func.func private @callee(%token: !stablehlo.token) -> (!stablehlo.token, tensor<1xi64>) {{
        %c = stablehlo.constant dense<4> : tensor<1xi64>
        return %token, %c : !stablehlo.token, tensor<1xi64>
      }}
    }}"""
    with pytest.raises(shlo.TransformError, match="dynamic_iota") as caught:
        shlo.opt(shlo.parse(text), ["stablehlo-refine-shapes"])
    assert [d.line for d in caught.value.diagnostics] == [5]


def test_types_and_elements_in_lists_become_signless() -> None:
    text = """func.func @main() {
      "x.y"() <{a = [ui8, [dense<200> : tensor<2xui8>, tensor<ui32>], "ui8"]}> : () -> ()
      return
    }"""
    module = shlo.opt(shlo.parse(text, allow_unregistered=True), ["stablehlo-convert-to-signless"])
    (op,) = [op for op in module.walk() if op.name == "x.y"]
    assert str(op.properties["a"]) == '[i8, [dense<-56> : tensor<2xi8>, tensor<i32>], "ui8"]'


@pytest.mark.parametrize("sign", ["u", "s"])
def test_buffers_become_signless(sign: str) -> None:
    """Casts to signless integers are then casts to the same type, and the copy of a buffer is the buffer."""
    text = """func.func @main(%x: memref<*xui16>) -> memref<ui16> {
  %0 = memref.cast %x : memref<*xui16> to memref<ui16>
  %1 = bufferization.to_tensor %0 : memref<ui16> to tensor<ui16>
  %2 = builtin.unrealized_conversion_cast %1 : tensor<ui16> to tensor<i16>
  %3 = bufferization.to_buffer %2 : tensor<i16> to memref<i16>
  %4 = builtin.unrealized_conversion_cast %3 : memref<i16> to memref<ui16>
  return %4 : memref<ui16>
}
""".replace("ui16", f"{sign}i16")
    module = shlo.parse(text)
    assert shlo.format(module, canonical=False) == text
    small = shlo.opt(module, ["stablehlo-convert-to-signless", "canonicalize"])
    assert (
        shlo.format(small, canonical=False)
        == """func.func @main(%x: memref<*xi16>) -> memref<i16> {
  %0 = memref.cast %x : memref<*xi16> to memref<i16>
  return %0 : memref<i16>
}
"""
    )


@pytest.mark.parametrize(
    "name",
    [
        "simplify-inference",
        "stablehlo-aggressive-simplification",
        "stablehlo-target-independent-optimization",
    ],
)
@pytest.mark.parametrize(("limits", "size"), [("0:2", 2), ("1:1", 0)])
def test_the_body_of_an_asynchronous_op_keeps_its_op(name: str, limits: str, size: int) -> None:
    """A slice of everything, or of nothing, is another value elsewhere."""
    text = f"""func.func @main(%x: tensor<2xf32>) -> tensor<{size}xf32> {{
  %f = "stablehlo.async_start"(%x) ({{
  ^bb0(%a: tensor<2xf32>):
    %s = stablehlo.slice %a [{limits}] : (tensor<2xf32>) -> tensor<{size}xf32>
    stablehlo.return %s : tensor<{size}xf32>
  }}) : (tensor<2xf32>) -> !stablehlo.future<tensor<{size}xf32>>
  %r = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<{size}xf32>>) -> tensor<{size}xf32>
  return %r : tensor<{size}xf32>
}}"""
    module = shlo.opt(shlo.parse(text), [name])  # which verifies
    (start,) = [op for op in module.walk() if op.name == "stablehlo.async_start"]
    (block,) = start.blocks
    assert [op.name for op in block.ops] == ["stablehlo.slice", "stablehlo.return"]
    assert block.ops[1].operands == block.ops[0].results


def test_tuples_and_pending_results_become_signless() -> None:
    text = """func.func @main(%x: tensor<2xui8>, %u: tuple<tensor<ui8>>) -> tensor<1xui8> {
  %t = stablehlo.tuple %x, %u : tuple<tensor<2xui8>, tuple<tensor<ui8>>>
  %y = stablehlo.get_tuple_element %t[0] : (tuple<tensor<2xui8>, tuple<tensor<ui8>>>) -> tensor<2xui8>
  %f = "stablehlo.async_start"(%y) ({
  ^bb0(%a: tensor<2xui8>):
    %r = stablehlo.slice %a [0:1] : (tensor<2xui8>) -> tensor<1xui8>
    stablehlo.return %r : tensor<1xui8>
  }) : (tensor<2xui8>) -> !stablehlo.future<tensor<1xui8>>
  %d = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<1xui8>>) -> tensor<1xui8>
  return %d : tensor<1xui8>
}
"""
    found = shlo.opt(shlo.parse(text), ["stablehlo-convert-to-signless"])  # which verifies
    assert shlo.format(found) == shlo.format(shlo.parse(text.replace("ui8", "i8")))


def test_unsigned_by_definition() -> None:
    text = """func.func @main() -> tensor<ui32> {
      %id = stablehlo.partition_id : tensor<ui32>
      return %id : tensor<ui32>
    }"""
    with pytest.raises(shlo.TransformError, match=r"'stablehlo.partition_id': its results are unsigned"):
        shlo.opt(shlo.parse(text), ["stablehlo-convert-to-signless"])


def test_a_loop_that_loses_a_size_keeps_its_values() -> None:
    """A value that no iteration changes has the size of the operand, but the result has none."""
    text = """func.func @main(%x: tensor<4xf32>, %p: tensor<i1>) -> tensor<?xf32> {
      %r = "stablehlo.while"(%x) ({
      ^bb0(%a: tensor<?xf32>):
        stablehlo.return %p : tensor<i1>
      }, {
      ^bb0(%a: tensor<?xf32>):
        stablehlo.return %a : tensor<?xf32>
      }) : (tensor<4xf32>) -> tensor<?xf32>
      return %r : tensor<?xf32>
    }"""
    module = shlo.opt(shlo.parse(text), ["stablehlo-aggressive-simplification"])
    assert [str(op.results[0].type) for op in module.walk() if op.name == "stablehlo.while"] == [
        "tensor<?xf32>"
    ]


def test_a_dot_that_contracts_quantized_dimensions_stays() -> None:
    """dot_general does not contract the dimension that has a scale for each index (C16)."""
    text = """func.func @main(%x: tensor<2x2x!quant.uniform<i8:f32, 2.0:15>>,
        %y: tensor<2x2x!quant.uniform<i8<-127:127>:f32:0, {0.5, 0.25}>>)
        -> tensor<2x2x!quant.uniform<i8:f32, 10.0:50>> {
      %r = "stablehlo.dot"(%x, %y) : (tensor<2x2x!quant.uniform<i8:f32, 2.0:15>>,
        tensor<2x2x!quant.uniform<i8<-127:127>:f32:0, {0.5, 0.25}>>)
        -> tensor<2x2x!quant.uniform<i8:f32, 10.0:50>>
      return %r : tensor<2x2x!quant.uniform<i8:f32, 10.0:50>>
    }"""
    module = shlo.opt(shlo.parse(text), ["stablehlo-legalize-deprecated-ops"])
    assert [op.name for op in module.walk() if op.name.startswith("stablehlo.")] == ["stablehlo.dot"]


def test_probes_stay_out_of_functions_on_elements() -> None:
    """What the body of a reduction calls, directly or not, runs on many elements at once, as it does."""
    text = """func.func private @f(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
      %sum = func.call @g(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      return %sum : tensor<i32>
    }
    func.func private @g(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
      %sum = stablehlo.add %a, %b : tensor<i32>
      return %sum : tensor<i32>
    }
    func.func @main(%x: tensor<3xi32>) -> tensor<i32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %total = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 0>}> ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %sum = func.call @f(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
        stablehlo.return %sum : tensor<i32>
      }) : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
      return %total : tensor<i32>
    }"""
    module = shlo.opt(shlo.parse(text), ["interpreter-instrument-with-probe"])
    assert [op.operands[0].name for op in module.walk() if op.name == "interpreter.probe"] == ["total"]
    assert shlo.run(module, [np.int32([1, 2, 3])]) == [6]


WRAPPED = """func.func @main(%x: tensor<4xf32>, %y: tensor<f32>) -> tensor<f32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    %2 = stablehlo.maximum %1, %y : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}"""


def test_composites_inside_of_composites() -> None:
    """What a region uses from outside is an operand of the composite around it."""
    module = shlo.opt(
        shlo.parse(WRAPPED),
        ["stablehlo-wrap-in-composite{op-names=stablehlo.add,stablehlo.reduce,stablehlo.constant}"],
    )
    main = module.functions["main"].blocks[0]
    assert [op.name for op in main.ops] == ["stablehlo.composite", "stablehlo.composite", "func.return"]
    assert main.ops[1].operands == (main.arguments[0], main.ops[0].result, main.arguments[1])
    assert list(module.functions) == [
        "main",
        "stablehlo.add.impl",
        "stablehlo.reduce.impl",
        "stablehlo.constant.impl",
    ]
    assert shlo.run(module, [np.float32([1, 2, 3, -9]), np.float32(-1)]) == [-1]


def test_a_composite_states_all_attributes_of_the_op() -> None:
    """Those of its definition, and others."""
    text = """func.func @main(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
      %0 = stablehlo.transpose %x, dims = [1, 0] {mhlo.note = "a"} : (tensor<2x3xf32>) -> tensor<3x2xf32>
      return %0 : tensor<3x2xf32>
    }"""
    module = shlo.opt(shlo.parse(text), ["stablehlo-wrap-in-composite{op-names=stablehlo.transpose}"])
    composite = module.functions["main"].blocks[0].ops[0]
    stated = composite.properties["composite_attributes"]
    assert str(stated) == '{mhlo.note = "a", permutation = array<i64: 1, 0>}'


@pytest.mark.parametrize(
    ("op", "captured", "operands"),
    [
        ("stablehlo.subtract %x, %x : tensor<f32>", "", ["x", "x"]),
        ("stablehlo.subtract %x, %y : tensor<f32>", "", ["x", "y"]),
        ("REDUCE", "%z", ["v", "y", "z"]),
        ("REDUCE", "%y", ["v", "y"]),  # an operand that its body uses as well is one of the composite
    ],
)
def test_a_decomposition_has_an_argument_for_each_operand(
    op: str, captured: str, operands: list[str]
) -> None:
    reduce = f"""stablehlo.reduce(%v init: %y) across dimensions = [0]
      : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
      reducer(%a: tensor<f32>, %b: tensor<f32>) {{
        %s = stablehlo.subtract %a, %b : tensor<f32>
        %t = stablehlo.maximum %s, {captured} : tensor<f32>
        stablehlo.return %t : tensor<f32>
      }}"""
    kind = "stablehlo.subtract" if op != "REDUCE" else "stablehlo.reduce"
    arguments = "%v: tensor<3xf32>, %x: tensor<f32>, %y: tensor<f32>, %z: tensor<f32>"
    text = f"""func.func @main({arguments}) -> tensor<f32> {{
      %r = {op.replace("REDUCE", reduce)}
      return %r : tensor<f32>
    }}"""
    module = shlo.parse(text)
    made = shlo.opt(module, [f"stablehlo-wrap-in-composite{{op-names={kind}}}"])
    composite = made.functions["main"].entry_block.ops[0]
    assert [value.name for value in composite.operands] == operands
    body = made.functions[f"{kind}.impl"].entry_block
    assert len(body.arguments) == len(operands)
    assert body.ops[0].operands == body.arguments[:2]
    inputs = [np.float32([1, 2, 3]), np.float32(5), np.float32(2), np.float32(7)]
    assert shlo.run(made, inputs) == shlo.run(module, inputs)


def test_the_only_op_of_an_asynchronous_body_stays() -> None:
    text = """func.func @main(%x: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
      %future = "stablehlo.async_start"(%x) ({
      ^bb0(%inner: tensor<4xf32>):
        %half = stablehlo.slice %inner [0:2] : (tensor<4xf32>) -> tensor<2xf32>
        stablehlo.return %half : tensor<2xf32>
      }) : (tensor<4xf32>) -> !stablehlo.future<tensor<2xf32>>
      %done = "stablehlo.async_done"(%future) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
      %other = stablehlo.slice %x [2:4] : (tensor<4xf32>) -> tensor<2xf32>
      return %done, %other : tensor<2xf32>, tensor<2xf32>
    }"""
    module = shlo.opt(shlo.parse(text), ["stablehlo-wrap-in-composite{op-names=stablehlo.slice}"])
    names = [op.name for op in module.functions["main"].walk()]
    assert (names.count("stablehlo.slice"), names.count("stablehlo.composite")) == (1, 1)
    assert list(module.functions) == ["main", "stablehlo.slice.impl"]


def test_names_of_wrapped_ops_of_one_kind() -> None:
    text = """func.func private @stablehlo.add.impl_1()
    func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %0 = stablehlo.add %x, %x : tensor<f32>
      %1 = stablehlo.add %0, %x : tensor<f32>
      %2 = stablehlo.add %1, %x : tensor<f32>
      return %2 : tensor<f32>
    }"""
    module = shlo.opt(shlo.parse(text), ["stablehlo-wrap-in-composite{op-names=stablehlo.add}"])
    wrapped = [op.properties["decomposition"] for op in module.walk() if op.name == "stablehlo.composite"]
    names = [f"stablehlo.add.impl{suffix}" for suffix in ("", "_0", "_2")]
    assert [str(each) for each in wrapped] == [
        f"@{name}" for name in reversed(names)
    ]  # the last op is wrapped first
    assert list(module.functions) == ["stablehlo.add.impl_1", "main", *names]
    assert shlo.run(module, [np.float32(3)]) == [12]


def test_names_of_wrapped_ops_of_modules_inside_of_a_module() -> None:
    """A decomposition is in the module of its composite, and has a name that no module has."""
    text = """module {
      module @inner {
        func.func private @stablehlo.abs.impl()
        func.func @f(%x: tensor<f32>) -> tensor<f32> {
          %0 = stablehlo.abs %x : tensor<f32>
          return %0 : tensor<f32>
        }
      }
      func.func @main(%x: tensor<f32>) -> tensor<f32> {
        %0 = stablehlo.abs %x : tensor<f32>
        return %0 : tensor<f32>
      }
    }"""
    module = shlo.opt(shlo.parse(text), ["stablehlo-wrap-in-composite{op-names=stablehlo.abs}"])
    inner = next(op for op in module.walk() if op.is_module and op is not module.op)
    bodies = [each.regions[0].block for each in (inner, module.op)]
    names = [[str(op.python_value("sym_name")) for op in body.ops] for body in bodies]
    assert names == [
        ["stablehlo.abs.impl", "f", "stablehlo.abs.impl_1"],
        ["inner", "main", "stablehlo.abs.impl_0"],
    ]


@pytest.mark.parametrize(
    ("name", "line", "reason"),
    [
        ("stablehlo.return", 7, "it ends a block"),
        ("func.func", 1, "it defines a symbol"),
    ],
)
def test_ops_that_cannot_be_wrapped_are_refused(name: str, line: int, reason: str) -> None:
    with pytest.raises(shlo.TransformError) as error:
        shlo.opt(shlo.parse(WRAPPED), [f"stablehlo-wrap-in-composite{{op-names={name}}}"])
    (found,) = error.value.diagnostics
    assert found.message == f"{name} cannot be wrapped in a composite: {reason}"
    assert found.line == line


def test_operands_that_composites_do_not_have() -> None:
    text = """func.func @main(%x: tensor<4xf32>) -> tensor<1xindex> {
      %0 = shape.shape_of %x : tensor<4xf32> -> tensor<1xindex>
      return %0 : tensor<1xindex>
    }"""
    with pytest.raises(shlo.TransformError, match="operands and results of composites are") as error:
        shlo.opt(shlo.parse(text), ["stablehlo-wrap-in-composite{op-names=shape.shape_of}"])
    assert error.value.diagnostics[0].line == 2


REDUCED = """func.func @main(%x: tensor<4xi32>, %y: tensor<4xi32>, %z: tensor<4xi32>) -> tensor<i32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0:3 = stablehlo.reduce(%x init: %c), (%y init: %c), (%z init: %c) across dimensions = [0] :
    (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<i32>, tensor<i32>, tensor<i32>)
      -> (tensor<i32>, tensor<i32>, tensor<i32>)
    reducer(%a: tensor<i32>, %b: tensor<i32>) (%d: tensor<i32>, %e: tensor<i32>)
      (%f: tensor<i32>, %g: tensor<i32>) {
    %sum = stablehlo.add %a, %b : tensor<i32>
    %s = stablehlo.add %d, %e : tensor<i32>
    %p = stablehlo.multiply %s, %f : tensor<i32>
    %q = stablehlo.add %p, %s : tensor<i32>
    %less = stablehlo.compare LT, %f, %g : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %r = "stablehlo.if"(%less) ({
      stablehlo.return %q : tensor<i32>
    }, {
      stablehlo.return %g : tensor<i32>
    }) : (tensor<i1>) -> tensor<i32>
    stablehlo.return %sum, %r, %q : tensor<i32>, tensor<i32>, tensor<i32>
  }
  return %0#0 : tensor<i32>
}"""


def test_unused_results_of_three_of_a_reduction() -> None:
    """Ops of the body are dropped in whatever order they use the dropped inputs, in regions as well."""
    module = shlo.opt(shlo.parse(REDUCED), ["stablehlo-aggressive-simplification"])
    (reduce,) = [op for op in module.walk() if op.name == "stablehlo.reduce"]
    assert [op.name for op in reduce.regions[0].block.ops] == ["stablehlo.add", "stablehlo.return"]
    assert shlo.run(module, [np.int32([1, 2, 3, 4])] * 3) == [10]


def test_a_result_that_depends_on_dropped_ones_keeps_them() -> None:
    """The second accumulator is part of the third result, so that its input stays."""
    text = REDUCED.replace("return %0#0", "return %0#2")
    module = shlo.opt(shlo.parse(text), ["stablehlo-aggressive-simplification"], exact=True)
    inputs = [np.int32([1, 2, 3, 4])] * 3
    assert shlo.run(module, inputs) == shlo.run(shlo.parse(text), inputs)


def test_constants_stay_in_regions_that_capture_nothing() -> None:
    text = """sdy.mesh @mesh = <["x"=2]>
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>]
        manual_axes={"x"} (%a: tensor<2xf32>) {
        %c = stablehlo.constant dense<2.0> : tensor<2xf32>
        %1 = stablehlo.add %a, %c : tensor<2xf32>
        sdy.return %1 : tensor<2xf32>
      } : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }"""
    for name in ("stablehlo-canonicalize-dynamism", "stablehlo-refine-shapes"):
        module = shlo.opt(shlo.parse(text), [name])  # which verifies
        (body,) = [op.blocks[0] for op in module.walk() if op.name == "sdy.manual_computation"]
        assert [op.name for op in body.ops] == ["stablehlo.constant", "stablehlo.add", "sdy.return"]


SHARDINGS = 'sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, [{"y"}]>]>'


def test_what_a_loop_still_carries_keeps_its_sharding() -> None:
    text = f"""sdy.mesh @mesh = <["x"=2, "y"=2]>
    func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %p: tensor<i1>) -> tensor<4xf32> {{
      %0:2 = stablehlo.while(%a = %x, %b = %y) : tensor<4xf32>, tensor<4xf32> attributes {{m.n, {SHARDINGS}}}
      cond {{ stablehlo.return %p : tensor<i1> }}
      do {{
        %1 = stablehlo.add %a, %b : tensor<4xf32>
        stablehlo.return %a, %1 : tensor<4xf32>, tensor<4xf32>
      }}
      return %0#1 : tensor<4xf32>
    }}"""
    made = shlo.opt(shlo.parse(text), "stablehlo-aggressive-simplification")
    assert 'attributes {m.n, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>}' in str(made)


def test_values_have_the_shardings_of_the_results_that_they_replace() -> None:
    text = f"""sdy.mesh @mesh = <["x"=2, "y"=2]>
    func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {{
      %0 = stablehlo.negate %x : tensor<4xf32>
      %1:2 = stablehlo.optimization_barrier %0, %x : tensor<4xf32>, tensor<4xf32>
      %2:2 = "stablehlo.optimization_barrier"(%x, %x) {{m.n, {SHARDINGS}}}
        : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
      return %2#0, %2#1 : tensor<4xf32>, tensor<4xf32>
    }}"""
    module = shlo.parse(text)
    negate, other, old, _ = module.functions["main"].blocks[0].ops
    rewriter = Rewriter(module)
    rewriter.replace(old, [other.results[1], negate.result])
    rewriter.flush()
    assert {"m.n"} == set(other.attributes)  # the sharding of its first result is not known
    assert (
        '{m.n, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>}' in str(module).split("barrier")[0]
    )


def test_probes_are_numbered_from_1_or_have_the_name_of_the_location() -> None:
    text = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = stablehlo.sine %x : tensor<2xf32> loc("a/b")
      %1 = stablehlo.cosine %0 : tensor<2xf32>
      return %1 : tensor<2xf32>
    }"""

    def probes(passes: str) -> list[str]:
        module = shlo.opt(shlo.parse(text), passes)
        return [str(op.python_value("probe_id")) for op in module.walk() if op.name == "interpreter.probe"]

    assert probes("interpreter-instrument-with-probe") == ["probe1", "probe2"]
    named = "interpreter-instrument-with-probe{useDebugInfo=true}"
    assert probes(named) == ["a/b.1", "probe2"]
    text = text.replace('"a/b"', '"a/b@main@f"')
    assert probes(named) == ["a/b.1", "probe2"]


def test_probes_are_of_static_tensors_of_numbers() -> None:
    text = """func.func @main(%x: tensor<2xf32>, %y: tensor<?xf32>) {
      %a = stablehlo.sine %x : tensor<2xf32>
      %b = stablehlo.sine %y : tensor<?xf32>
      %c = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 1.0>>
      %d = stablehlo.complex %x, %x : tensor<2xcomplex<f32>>
      %e = stablehlo.compare LT, %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
      %f = stablehlo.after_all : !stablehlo.token
      %g = stablehlo.tuple %x, %x : tuple<tensor<2xf32>, tensor<2xf32>>
      return
    }"""
    module = shlo.opt(shlo.parse(text), ["interpreter-instrument-with-probe"])
    probed = [op.operands[0].op.name for op in module.walk() if op.name == "interpreter.probe"]
    assert probed == ["stablehlo.sine", "stablehlo.complex", "stablehlo.compare"]


def test_patterns_of_other_packages_erase_dead_ops_and_move_constants() -> None:
    """As the greedy driver of MLIR (jaxlib) does without a pattern to apply."""
    text = """func.func @main(%a: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
      %0 = stablehlo.constant dense<0> : tensor<i32>
      %1 = stablehlo.add %a, %0 : tensor<i32>
      %2 = stablehlo.constant dense<0> : tensor<i32>
      %3 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.add %3, %2 : tensor<i32>
      %dead = stablehlo.negate %0 : tensor<i32>
      return %1, %4 : tensor<i32>, tensor<i32>
    }"""

    def ops(passes: str) -> list[str]:
        module = shlo.opt(shlo.parse(text), passes)
        return [
            str(op.attribute("value")) if "constant" in op.name else op.name.rpartition(".")[2]
            for op in module.functions["main"].regions[0].block.ops
        ]

    assert ops("canonicalize{enable-patterns=other}") == [
        "dense<3> : tensor<i32>",
        "dense<0> : tensor<i32>",
        "add",
        "add",
        "return",
    ]
    assert "add" not in ops("stablehlo-aggressive-simplification")


@pytest.mark.parametrize(
    ("constant", "expected"),
    [
        ("stablehlo.constant", ["dense<3>", "add", "if", "return", "return", "return"]),
        # They belong to the shardings of their users.
        ("sdy.constant", ["add", "dense<3>", "if", "dense<3>", "return", "return", "return"]),
    ],
)
def test_constants_that_move_out_of_branches(constant: str, expected: list[str]) -> None:
    text = f"""func.func @main(%p: tensor<i1>, %a: tensor<i32>) -> (tensor<i32>, tensor<i32>) {{
      %0 = stablehlo.add %a, %a : tensor<i32>
      %c = {constant} dense<3> : tensor<i32>
      %1 = "stablehlo.if"(%p) ({{
        %d = {constant} dense<3> : tensor<i32>
        stablehlo.return %d : tensor<i32>
      }}, {{
        stablehlo.return %c : tensor<i32>
      }}) : (tensor<i1>) -> tensor<i32>
      return %0, %1 : tensor<i32>, tensor<i32>
    }}"""
    module = shlo.opt(shlo.parse(text), "canonicalize{enable-patterns=other}")
    found = [
        str(op.attribute("value")).partition(" ")[0] if "constant" in op.name else op.name.rpartition(".")[2]
        for op in module.functions["main"].walk()
    ]
    assert found[1:] == expected


def test_constants_stay_out_of_asynchronous_bodies() -> None:
    """Those in the region of the only op move to the start of the region."""
    text = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %f = "stablehlo.async_start"(%x) ({
      ^bb0(%a: tensor<2xf32>):
        %r = "stablehlo.all_reduce"(%a) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
        ^bb0(%p: tensor<f32>, %q: tensor<f32>):
          %s = stablehlo.add %p, %q : tensor<f32>
          %c = stablehlo.constant dense<1.0> : tensor<f32>
          %t = stablehlo.multiply %s, %c : tensor<f32>
          stablehlo.return %t : tensor<f32>
        }) : (tensor<2xf32>) -> tensor<2xf32>
        stablehlo.return %r : tensor<2xf32>
      }) : (tensor<2xf32>) -> !stablehlo.future<tensor<2xf32>>
      %d = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
      return %d : tensor<2xf32>
    }"""
    module = shlo.opt(shlo.parse(text), "canonicalize{enable-patterns=other}")  # which verifies
    (reduce,) = [op for op in module.walk() if op.name == "stablehlo.all_reduce"]
    found = [op.name.rpartition(".")[2] for op in reduce.blocks[0].ops]
    assert found == ["constant", "add", "multiply", "return"]


def test_a_range_of_a_file_becomes_its_start_in_each_kind_of_location() -> None:
    """Versions before 1.9 have no ranges."""
    places = ('"a.py":1:2 to :5', '"b.py":3:4 to 5:6', '"n"("c.py":7:8 to :9)')
    text = f"""func.func @main(%a: tensor<f32>) -> tensor<f32> {{
      %0 = stablehlo.abs %a : tensor<f32>
        loc(fused[{", ".join(places)}, callsite("d.py":1:1 to :2 at "e.py":4:1 to :3), unknown])
      return %0 : tensor<f32>
    }}"""
    module = shlo.opt(shlo.parse(text), ["stablehlo-compatibility-expander{target=1.0.0}"])
    found = shlo.format(module, locations=True)
    for place in ('"a.py":1:2', '"b.py":3:4', '"c.py":7:8', '"d.py":1:1', '"e.py":4:1'):
        assert f"loc({place})" in found
    assert " to " not in found


BATCHES = [
    # Sizes, batching dimensions, those of the indices, the other dimension, and whether indices stay sorted.
    ([2, 3], [0], [0], 1, True),
    ([3, 2], [1], [0], 0, False),
    ([2, 2, 3], [0, 1], [0, 1], 2, True),
    ([2, 2, 3], [0, 1], [1, 0], 2, False),
    ([2, 3, 2], [0, 2], [0, 1], 1, False),
]


@pytest.mark.parametrize(("sizes", "dims", "batching", "axis", "stays"), BATCHES)
@pytest.mark.parametrize(("kind", "is_sorted"), [("gather", True), ("gather", False), ("scatter", True)])
def test_indices_with_positions_of_batches(
    kind: str, is_sorted: bool, sizes: list[int], dims: list[int], batching: list[int], axis: int, stays: bool
) -> None:
    """They come first in each index, and are sorted if the dimensions are, of operand and indices."""
    count = len(dims)
    x, rest = (f"tensor<{'x'.join(map(str, shape))}xi32>" for shape in (sizes, [2] * count))
    indices = f"tensor<{'2x' * count}1xi32>"
    flags = f"indices_are_sorted = {str(is_sorted).lower()}"
    if kind == "gather":
        op = f"""stablehlo.gather"(%x, %i) <{{dimension_numbers = #stablehlo.gather<
          collapsed_slice_dims = [{axis}], operand_batching_dims = {dims},
          start_indices_batching_dims = {batching}, start_index_map = [{axis}], index_vector_dim = {count}>,
          slice_sizes = array<i64: {", ".join("1" * (count + 1))}>, {flags}}}>
          : ({x}, {indices}) -> {rest}"""
    else:
        op = f"""stablehlo.scatter"(%x, %i, %u) <{{scatter_dimension_numbers = #stablehlo.scatter<
          inserted_window_dims = [{axis}], input_batching_dims = {dims},
          scatter_indices_batching_dims = {batching}, scatter_dims_to_operand_dims = [{axis}],
          index_vector_dim = {count}>, {flags}, unique_indices = true}}> ({{
          ^bb0(%a: tensor<i32>, %b: tensor<i32>):
            %s = stablehlo.subtract %a, %b : tensor<i32>
            stablehlo.return %s : tensor<i32>
          }}) : ({x}, {indices}, {rest}) -> {x}"""
    result = rest if kind == "gather" else x
    module = shlo.parse(f"""func.func @main(%x: {x}, %i: {indices}, %u: {rest}) -> {result} {{
      %r = "{op}
      return %r : {result}
    }}""")
    made = shlo.opt(module, ["stablehlo-compatibility-expander{target=1.0.0}"])
    (found,) = [op for op in made.walk() if op.name == f"stablehlo.{kind}"]
    assert "batching_dims = [" not in str(made)
    assert ("indices_are_sorted = true" in str(found)) is (is_sorted and stays)
    inputs = [np.arange(100, 112, dtype=np.int32)[: np.prod(sizes)].reshape(sizes)]
    inputs += [np.int32([0, 2, 1, 2])[: 2**count].reshape([2] * count + [1])]
    inputs += [np.int32([1, 2, 3, 4])[: 2**count].reshape([2] * count)]
    before, after = (shlo.run(each, inputs, engine="numpy")[0] for each in (module, made))
    np.testing.assert_array_equal(after, before)


@pytest.mark.parametrize(
    ("element", "size", "wide"),
    [
        ("i8", 127, "i8"),
        ("i8", 128, "i32"),
        ("ui8", 255, "ui8"),
        ("ui8", 256, "i32"),
        ("i16", 32767, "i16"),
        ("i16", 32768, "i32"),
        ("ui32", 4294967295, "ui32"),
        ("i32", 2147483647, "i32"),
        ("i32", 2147483648, "i64"),
        ("i8", 2147483648, "i64"),
    ],
)
def test_indices_that_hold_positions_of_batches(element: str, size: int, wide: str) -> None:
    arguments = f"%x: tensor<{size}x3xf32>, %i: tensor<{size}x1x{element}>"
    text = f"""func.func @main({arguments}) -> tensor<{size}xf32> {{
      %r = "stablehlo.gather"(%x, %i) <{{dimension_numbers = #stablehlo.gather<
        collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0],
        start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}}>
        : (tensor<{size}x3xf32>, tensor<{size}x1x{element}>) -> tensor<{size}xf32>
      return %r : tensor<{size}xf32>
    }}"""
    made = shlo.opt(shlo.parse(text), ["stablehlo-compatibility-expander{target=1.0.0}"])
    (gather,) = [op for op in made.walk() if op.name == "stablehlo.gather"]
    assert str(gather.operands[1].type) == f"tensor<{size}x2x{wide}>"


def replica_groups(target: str, mesh: str, axis: str) -> str:
    """The replica groups of a sum along an axis of a mesh, after the expansion for an older version."""
    axes = f'[#stablehlo.axis_ref<name = "{axis}">]'
    text = f"""func.func @main(%x: tensor<f32>) -> tensor<f32> {{
      %0 = "stablehlo.all_reduce"(%x) <{{
        replica_groups = #stablehlo.replica_group_mesh_axes<mesh = {mesh}, axes = {axes}>
      }}> ({{
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %sum = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %sum : tensor<f32>
      }}) {{m.n}} : (tensor<f32>) -> tensor<f32>
      return %0 : tensor<f32>
    }}"""
    module = shlo.opt(shlo.parse(text), [f"stablehlo-compatibility-expander{{target={target}}}"])
    (op,) = [op for op in module.walk() if op.name == "stablehlo.all_reduce"]
    assert set(op.attributes) == {"m.n"}
    return str(op.properties["replica_groups"])


MESH_OF_6 = """#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>,
  #stablehlo.mesh_axis<name = "y", size = 3>]>"""


def test_groups_along_axes_of_a_mesh_become_lists_of_ids() -> None:
    """The ids of the mesh are 0 1 2 in the first row along y, and 3 4 5 in the second one."""
    assert replica_groups("1.15.0", MESH_OF_6, "x") == "dense<[[0, 3], [1, 4], [2, 5]]> : tensor<3x2xi64>"
    assert replica_groups("1.15.0", MESH_OF_6, "y") == "dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi64>"
    assert replica_groups("1.16.0", MESH_OF_6, "x").startswith("#stablehlo.replica_group_mesh_axes<")
    with pytest.raises(shlo.TransformError, match=r"^<string>:2:12: error: .*: the mesh has no axis z$"):
        replica_groups("1.15.0", MESH_OF_6, "z")


@pytest.mark.parametrize("target", ["one", "99.0.0"])
def test_versions_that_are_unknown(target: str) -> None:
    with pytest.raises(
        ValueError, match=r"^option target of stablehlo-compatibility-expander: (invalid|unsupported) version"
    ):
        shlo.opt(shlo.parse(WRAPPED), [f"stablehlo-compatibility-expander{{target={target}}}"])


@pytest.mark.parametrize(("second", "left"), [("%a, %b", 1), ("%b, %a", 2)])
def test_ops_with_equal_bodies_are_one(second: str, left: int) -> None:
    """Bodies are equal by the places of their arguments."""
    reductions = [
        f"""%{name} = stablehlo.reduce(%x init: %zero) across dimensions = [0]
          : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
          reducer(%a: tensor<i32>, %b: tensor<i32>) {{
            %s = stablehlo.subtract {operands} : tensor<i32>
            stablehlo.return %s : tensor<i32>
          }}"""
        for name, operands in (("p", "%a, %b"), ("q", second))
    ]
    text = f"""func.func @main(%x: tensor<3xi32>, %zero: tensor<i32>) -> (tensor<i32>, tensor<i32>) {{
      {reductions[0]}
      {reductions[1]}
      return %p, %q : tensor<i32>, tensor<i32>
    }}"""
    module = shlo.opt(shlo.parse(text), ["cse"])
    assert [op.name for op in module.walk()].count("stablehlo.reduce") == left


@pytest.mark.parametrize(
    ("first", "second", "left"),
    [("", "", 1), ("{x.a = 1 : i64}", "{x.a = 1 : i64}", 1), ("{x.a = 1 : i64}", "{x.a = 2 : i64}", 2),
     ("{x.a = 1 : i64}", "", 2), ("{x.a, x.b}", "{x.b, x.a}", 1)],
)  # fmt: skip
def test_equal_ops_have_equal_attributes(first: str, second: str, left: int) -> None:
    """Also those that no dialect defines, as in C++."""
    text = f"""func.func @main(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {{
      %0 = stablehlo.negate %x {first} : tensor<f32>
      %1 = stablehlo.negate %x {second} : tensor<f32>
      return %0, %1 : tensor<f32>, tensor<f32>
    }}"""
    module = shlo.opt(shlo.parse(text), ["cse"])
    assert [op.name for op in module.walk()].count("stablehlo.negate") == left


@pytest.mark.parametrize(
    ("op", "types"),
    [
        ("stablehlo.convert %x", ("tensor<2xf64>", "tensor<2xf16>")),
        ("stablehlo.reshape %x", ("tensor<2x1xf32>", "tensor<1x2xf32>")),
        ("stablehlo.broadcast_in_dim %x, dims = [1]", ("tensor<3x2xf32>", "tensor<4x2xf32>")),
        ("stablehlo.custom_call @f(%x)", ("tensor<2xf32>", "tensor<3xf32>")),
    ],
)
def test_equal_ops_have_equal_types(op: str, types: tuple[str, str]) -> None:
    for second, left in zip(types, (1, 2), strict=True):
        lines = [f"%{n} = {op} : (tensor<2xf32>) -> {type}" for n, type in enumerate((types[0], second))]
        results = f"({types[0]}, {second})"
        text = "\n".join(lines) + f"\nreturn %0, %1 : {results[1:-1]}"
        module = shlo.opt(
            shlo.parse(f"func.func @main(%x: tensor<2xf32>) -> {results} {{\n{text}\n}}"), ["cse"]
        )
        assert len(module.functions["main"].blocks[0].ops) == left + 1


@pytest.mark.parametrize(("alias", "expected"), [(0, 0), (3, 1), (1, None)])
def test_aliases_of_operands_behind_dropped_ones(alias: int, expected: int | None) -> None:
    """Operands 1 and 2 are the shapes of the results; one that a result shares its memory with stays."""
    type = "tensor<1xi64>"
    text = f"""func.func @main(%x: {type}, %y: {type}) -> ({type}, {type}) {{
      %s = stablehlo.constant dense<1> : {type}
      %t = stablehlo.constant dense<1> : {type}
      %r:2 = stablehlo.custom_call @foo(%x, %s, %t, %y) {{
        indices_of_shape_operands = dense<[2, 1]> : tensor<2xi64>,
        output_operand_aliases = [#stablehlo.output_operand_alias<
          output_tuple_indices = [1], operand_index = {alias}, operand_tuple_indices = []>]
      }} : ({type}, {type}, {type}, {type}) -> ({type}, {type})
      return %r#0, %r#1 : {type}, {type}
    }}"""
    module = shlo.parse(text)
    assert shlo.verify(module) == []
    made = shlo.opt(module, ["stablehlo-canonicalize-dynamism"])
    assert shlo.verify(made) == []
    (call,) = [op for op in made.walk() if op.name == "stablehlo.custom_call"]
    (found,) = call.properties["output_operand_aliases"].value
    assert found["operand_index"] == (alias if expected is None else expected)
    assert len(call.operands) == (4 if expected is None else 2)


@pytest.mark.parametrize(
    ("options", "refused"), [("", [2, 5]), ("{fail-on-unused=true}", [2, 5]), ("{fail-on-unused=false}", [])]
)
def test_deprecated_ops_without_a_replacement(options: str, refused: list[int]) -> None:
    """All are named, unless the option accepts them."""
    text = """func.func @main(%a: tensor<f32>, %n: tensor<1xi64>) -> tensor<2xf32> {
      %0 = stablehlo.rng %a, %a, %n, distribution = UNIFORM
        : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<2xf32>
      %1 = stablehlo.create_token : !stablehlo.token
      %2 = "stablehlo.map"(%0) <{dimensions = array<i64: 0>}> ({
      ^bb0(%x: tensor<f32>):
        stablehlo.return %x : tensor<f32>
      }) : (tensor<2xf32>) -> tensor<2xf32>
      return %2 : tensor<2xf32>
    }"""
    module, passes = shlo.parse(text), f"stablehlo-legalize-deprecated-ops{options}"
    if not refused:
        names = [op.name.partition(".")[2] for op in shlo.opt(module, passes).functions["main"].blocks[0].ops]
        assert names == ["rng", "after_all", "map", "return"]
        return
    with pytest.raises(shlo.TransformError, match="there is no replacement") as error:
        shlo.opt(module, passes)
    assert [found.line for found in error.value.diagnostics] == refused


@pytest.mark.parametrize(
    ("back", "goes"),
    [
        ("%b:2 = builtin.unrealized_conversion_cast %a#0, %a#1 : ui8, ui16 to i8, i16", True),
        ("%b:2 = builtin.unrealized_conversion_cast %a#1, %a#0 : ui16, ui8 to i16, i8", False),
        ("%b:2 = builtin.unrealized_conversion_cast %a#1, %a#0 : ui16, ui8 to i8, i16", False),
        ("%b:2 = builtin.unrealized_conversion_cast %a#0, %y : ui8, ui16 to i8, i16", False),
        ("%b:2 = builtin.unrealized_conversion_cast %a#0 : ui8 to i8, i16", False),
    ],
)
def test_casts_that_undo_each_other_take_all_results_in_order(back: str, goes: bool) -> None:
    types = back.rpartition(" to ")[2]
    text = f"""func.func @main(%p: i8, %q: i16, %y: ui16) -> ({types}) {{
      %a:2 = builtin.unrealized_conversion_cast %p, %q : i8, i16 to ui8, ui16
      {back}
      return %b#0, %b#1 : {types}
    }}"""
    module = shlo.opt(shlo.parse(text), "reconcile-unrealized-casts")
    names = [op.name.rpartition(".")[2] for op in module.functions["main"].blocks[0].ops]
    assert names == ["return"] if goes else names == [*["unrealized_conversion_cast"] * 2, "return"]


@pytest.mark.parametrize(
    ("type", "goes"),
    [("memref<2xf32>", True), ("memref<2xf32, 1>", False), ("memref<2xf32, strided<[?]>>", False)],
)
def test_the_buffer_of_the_tensor_of_a_buffer(type: str, goes: bool) -> None:
    """It is the buffer itself, unless its layout or its space is another one."""
    text = f"""func.func @main(%x: memref<2xf32>) -> {type} {{
      %y = bufferization.to_tensor %x : memref<2xf32> to tensor<2xf32>
      %z = bufferization.to_buffer %y : tensor<2xf32> to {type}
      return %z : {type}
    }}"""
    made = shlo.opt(shlo.parse(text), "canonicalize")
    assert len(made.functions["main"].blocks[0].ops) == (1 if goes else 3)


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("", "main"),
        ('"x.y"() {table = [@b]} : () -> ()', "b c main"),
        ('"x.y"() ({ "x.z"() {table = {f = @c}} : () -> () }) : () -> ()', "c main"),
        ("module attributes {x.start = @d} {", "d main"),
        ("func.func @other() { call @d() : () -> () return }", "d main other"),
        ("func.func private @e() { call @e() : () -> () return }", "main"),  # only it refers to itself
    ],
)
def test_private_functions_that_something_refers_to_stay(line: str, left: str) -> None:
    """A function, an op beside functions, what is inside of one, or the module itself."""
    functions = "".join(
        f"func.func private @{name}() {{ {body} return }}\n"
        for name, body in (("b", "call @c() : () -> ()"), ("c", ""), ("d", ""))
    )
    text = f"{functions}func.func @main() {{ return }}\n"
    text = f"{line}\n{text}}}" if line.startswith("module") else f"{text}{line}"
    module = shlo.opt(shlo.parse(text, allow_unregistered=True), ["symbol-dce"], verify_each=False)
    assert sorted(module.functions) == left.split()


@pytest.mark.parametrize(
    ("only", "left"), [(None, "main"), ([], "b c main"), (["b"], "c main"), (["c", "main"], "b c main")]
)
def test_functions_that_may_be_erased(only: list[str] | None, left: str) -> None:
    """Others stay, and what they refer to."""
    module = shlo.parse("""func.func @main() { return }
    func.func private @b() { call @c() : () -> () return }
    func.func private @c() { return }""")
    assert erase_unused_symbols(module, only) is (left != "b c main")
    assert sorted(module.functions) == left.split()
