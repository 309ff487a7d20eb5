"""Texts of single ops, of modules with large constants, and of modules that no text was parsed to."""

from __future__ import annotations

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.attributes import DenseElementsAttr
from stablehlo_py.ir.core import Operation
from stablehlo_py.ir.types import F32, I1, TensorType
from stablehlo_py.syntax.op_text import op_text
from stablehlo_py.syntax.printer import OpTexts, format_module, source_of
from stablehlo_py.syntax.write import large_constants
from stablehlo_py.syntax.write.large_constants import LargeText

LOOP = """func.func @f(%n: tensor<i32>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %0:2 = stablehlo.while(%i = %n, %y = %x) : tensor<i32>, tensor<2xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %z = stablehlo.add %y, %x : tensor<2xf32>
    stablehlo.return %i, %z : tensor<i32>, tensor<2xf32>
  }
  return %0#1 : tensor<2xf32>
}"""


def test_an_op_of_a_module() -> None:
    module = shlo.parse(LOOP)
    texts = OpTexts(module)
    loop, end = module.functions["f"].regions[0].block.ops
    lines = LOOP.splitlines()
    assert texts.text(loop).splitlines() == [line.removeprefix("  ") for line in lines[1:-2]]
    assert texts.first_line(loop) == lines[1].strip()
    assert texts.text(end) == "func.return %0#1 : tensor<2xf32>"
    assert texts.name(loop.results[1]) == "%0#1"
    assert op_text(loop) == texts.text(loop)
    assert repr(end) == "func.return %0#1 : tensor<2xf32>"


@pytest.mark.parametrize("visibility", ["public", "private", "nested"])
def test_the_visibility_of_a_module_is_an_attribute(visibility: str) -> None:
    """As MLIR's C++ prints and reads it: a function alone has a word for it."""
    text = f'module @m attributes {{sym_visibility = "{visibility}"}} {{\n}}\n'
    generic = f'"builtin.module"() <{{sym_name = "m", sym_visibility = "{visibility}"}}> ({{\n}}) : () -> ()'
    assert shlo.format(shlo.parse(text)) == shlo.format(shlo.parse(generic)) == text
    with pytest.raises(shlo.ParseError, match=f"found '{visibility}'"):
        shlo.parse(f"module {visibility} @m {{\n}}")


def test_a_block_outside_of_an_op_is_named() -> None:
    text = 'func.func @f() {\n  "cf.br"()[^there] : () -> ()\n^there:\n  return\n}'
    assert op_text(shlo.parse(text).functions["f"].regions[0].blocks[0].ops[0]) == "cf.br ^there"


@pytest.mark.parametrize(
    ("count", "size", "is_shown"), [(498, 4, True), (499, 4, False), (1, 4096, True), (1, 4097, False)]
)
def test_a_large_op_is_described(count: int, size: int, is_shown: bool) -> None:
    """Up to 500 ops and 16 KiB of constants are shown: here with the op itself and the terminator."""
    value = f"dense<1.0> : tensor<{size}xf32>"
    if size > 4:
        value = f'dense<"0x{np.arange(size, dtype=np.float32).tobytes().hex()}"> : tensor<{size}xf32>'
    lines = [f"%c{i} = stablehlo.constant {value}" for i in range(count)]
    text = '"test.op"(%x) ({\n' + "\n".join(lines) + '\n"test.end"() : () -> ()\n}) : (i1) -> (i1, i1)'
    module = shlo.parse(f"func.func @f(%x: i1) {{\n%r:2 = {text}\nreturn\n}}", allow_unregistered=True)
    shown = op_text(module.functions["f"].regions[0].block.ops[0])
    assert (shown == "<test.op, 1 operand, 2 results>") is not is_shown
    assert is_shown is ("stablehlo.constant" in shown)


def module_of(*arrays: np.ndarray) -> shlo.Module:
    module = shlo.Module()
    for array in arrays:
        type = TensorType(array.shape, I1 if array.dtype == bool else F32)
        value = DenseElementsAttr(type, array.reshape(-1))
        module.body.append(Operation("stablehlo.constant", (), [type], {"value": value}))
    return module


def test_the_text_of_large_constants_comes_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    many = np.arange(300, dtype=np.float32)
    whole = module_of(many, np.full(250, 2, np.float32)[:1].repeat(250), many[:249], many.reshape(3, 100))
    expected = format_module(whole)
    monkeypatch.setattr(large_constants, "_LARGE", 1000)
    monkeypatch.setattr(large_constants, "_CHUNK", 16)
    before = [dict(op.properties) for op in whole.body.ops]
    large = LargeText(whole, format_module)
    pieces = list(large.pieces())
    assert "".join(pieces) == expected
    digits = [piece for piece in pieces if len(piece) == 32 and set(piece) <= set("0123456789ABCDEF")]
    assert len(digits) == 2 * 300 * 4 // 16  # of the first and the last; the third has 996 bytes
    assert [dict(op.properties) for op in whole.body.ops] == before


def test_a_constant_stays_where_printing_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(module: shlo.Module) -> str:
        raise ValueError("no text")

    monkeypatch.setattr(large_constants, "_LARGE", 1)
    module = module_of(np.float32([1, 2]))
    with pytest.raises(ValueError, match="no text"):
        LargeText(module, fails)
    assert isinstance(module.body.ops[0].properties["value"], DenseElementsAttr)


BLOCKS = """#map = affine_map<(d0) -> (d0)>
module {
  func.func @f(%arg0: i1, %arg1: tensor<f32>) -> tensor<f32> attributes {x = #map} {
    cf.cond_br %arg0, ^bb1(%arg1 : tensor<f32>), ^bb2
  ^bb1(%0: tensor<f32>):  // 2 preds: ^bb0, ^bb2
    return %0 : tensor<f32>
  ^bb2:  // pred: ^bb0
    cf.br ^bb1(%arg1 : tensor<f32>)
  }
}
"""


@pytest.mark.parametrize("program", [LOOP, BLOCKS])
def test_places_in_the_text_that_is_printed(program: str) -> None:
    """Ops, arguments and blocks have the offsets that parsing the text would give them."""
    text = shlo.format(shlo.parse(program))
    module = shlo.parse(text)
    expected = [(op.name, op.offset, op.end) for op in module.walk()]
    arguments = [a.offset for op in module.walk() for block in op.blocks for a in block.arguments]
    built = shlo.parse(shlo.serialize(module, "bytecode"))
    source = source_of(built, "name")
    assert (source.name, source.text) == ("name", text)
    assert [(op.name, op.offset, op.end) for op in built.walk()] == expected
    found = [a for op in built.walk() for block in op.blocks for a in block.arguments]
    assert [a.offset for a in found][:2] == arguments[:2]
    assert [a.name for a in found][:2] == ["arg0", "arg1"]
    blocks = [[block.offset for op in each.walk() for block in op.blocks] for each in (module, built)]
    assert blocks[0][2:] == blocks[1][2:]  # of those with a label


def test_names_that_values_have_are_kept_beside_those_that_are_printed() -> None:
    module = shlo.parse(shlo.serialize(shlo.parse(LOOP)))
    first, second = module.functions["f"].entry_block.arguments
    second.name = "mine"
    source_of(module, "name")
    assert (first.name, second.name) == ("arg0", "mine")
