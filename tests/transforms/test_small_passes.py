"""Passes that change types, or insert ops, everywhere."""

from __future__ import annotations

import numpy as np
import pytest

import stablehlo_py as shlo


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


def test_buffers_become_signless() -> None:
    """Casts to signless integers are then casts to the same type, and the copy of a buffer is the buffer."""
    text = """func.func @main(%x: memref<*xui16>) -> memref<ui16> {
  %0 = memref.cast %x : memref<*xui16> to memref<ui16>
  %1 = bufferization.to_tensor %0 : memref<ui16> to tensor<ui16>
  %2 = builtin.unrealized_conversion_cast %1 : tensor<ui16> to tensor<i16>
  %3 = bufferization.to_buffer %2 : tensor<i16> to memref<i16>
  %4 = builtin.unrealized_conversion_cast %3 : memref<i16> to memref<ui16>
  return %4 : memref<ui16>
}
"""
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
