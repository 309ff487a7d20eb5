"""Programs of stated element types, in functions of their own, and with shardings of each kind."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.generate.chain import DEFINITIONS, LARGEST, Chain
from stablehlo_py.debug.generate.programs import Request, draw_program, generate
from stablehlo_py.debug.generate.shardings import KINDS, Drawing
from stablehlo_py.ir.core import Block
from stablehlo_py.ir.op_builder import OpBuilder
from stablehlo_py.ir.types import F32, I1, I32, ComplexType, TensorType, Type
from stablehlo_py.sharding.annotations import sharding_of
from stablehlo_py.syntax.parser import parse_type

QUANTIZED = parse_type("!quant.uniform<i8:f32, 0.5>")


@pytest.mark.parametrize(
    ("element", "bound"), [(ComplexType(F32), LARGEST), (F32, LARGEST), (QUANTIZED, 127), (I32, 2**31)]
)
def test_values_of_stated_types_are_within_the_exact_range(element: Type, bound: float) -> None:
    """Whole parts, or those of a quantized type, whatever was multiplied; floats are clamped."""
    request = Request(ops=40, elements=(I1, element, F32), depth=0)
    used = Counter[str]()
    for number in range(5):
        drawn = generate(6, number, request)
        assert shlo.verify(drawn.module) == []
        used.update(op.name.removeprefix("stablehlo.") for op in drawn.module.walk())
        for type, value in zip(drawn.results, shlo.run(drawn.module, drawn.arguments), strict=True):
            if isinstance(type, TensorType) and type.element_type == element and value.size:
                parts = (value.real, value.imag) if value.dtype.kind == "c" else (value,)
                assert all(np.abs(part.astype(np.float64)).max() <= bound for part in parts)
    needed = {ComplexType(F32): {"real", "imag", "complex", "clamp"}, QUANTIZED: {
        "uniform_quantize", "uniform_dequantize"}}.get(element, set())  # fmt: skip
    assert needed <= set(used)


def test_which_ops_fit_a_value() -> None:
    """Of a division, also the ops of its divisor; conversions of quantized types are no ops of chains."""
    elements = (I32, QUANTIZED, I1, ComplexType(F32))
    block = Block([TensorType((2,), element) for element in elements])
    number, quantized, flag, pair = block.arguments
    rows = {d.name.removeprefix("stablehlo."): d for d in DEFINITIONS}

    def fits(name: str, value: object, only: str | None = None) -> bool:
        allowed = None if only is None else frozenset(f"stablehlo.{each}" for each in only.split())
        chain = Chain(np.random.default_rng(0), OpBuilder(block), block.arguments, [I32], allowed)
        return chain.fits(rows[name], value)  # type: ignore[arg-type]

    assert fits("divide", number) and fits("divide", number, "divide and or")
    assert not fits("divide", number, "divide and") and not fits("divide", number, "divide or")
    assert not fits("divide", number, "and or") and fits("add", number, "add")
    assert fits("add", quantized) and not fits("clamp", quantized) and not fits("and", quantized)
    assert not any(fits(name, quantized) for name in rows if name.startswith("uniform_"))
    assert fits("multiply", pair) and not fits("abs", pair) and not fits("sign", pair)  # not exact
    assert fits("and", flag) and not fits("clamp", flag) and fits("select", flag)


def test_a_program_in_a_private_function() -> None:
    drawn = draw_program(np.random.default_rng(3), "piece", 6)
    function = drawn.module.functions["piece"]
    assert drawn.name == "piece" and function.python_value("sym_visibility") == "private"
    again = draw_program(np.random.default_rng(3), "piece", 7)
    assert len(again.module.functions["piece"].entry_block.ops) >= len(function.entry_block.ops)
    assert not any(each.severity == "error" for each in shlo.verify(drawn.module))
    named = drawn.named_arguments
    assert list(named) == [f"in{i}" for i in range(len(drawn.arguments))]
    assert all(named[f"in{i}"] is array for i, array in enumerate(drawn.arguments))


SHARDED = """sdy.mesh @other = <["a"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@other, [{"a"}, {}]>, my.mark})
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@other, [{"a"}, {}]>}) {
  %0 = stablehlo.add %x, %x {sdy.sharding = #sdy.sharding_per_value<[<@other, [{}, {"a"}]>]>}
    : tensor<8x8xf32>
  %1 = stablehlo.tanh %0 : tensor<8x8xf32>
  %2 = stablehlo.negate %1 : tensor<8x8xf32>
  %3 = stablehlo.abs %2 : tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}"""


@pytest.mark.parametrize("kind", KINDS)
def test_shardings_of_each_kind(kind: str) -> None:
    """Those that a program had are gone; what is drawn is valid, and what its kind is about is there."""
    seen = Counter[str]()
    for seed in range(12):
        module = shlo.parse(SHARDED)
        Drawing(module, kind, seed).run()
        text = shlo.format(module)
        assert shlo.verify(module) == [] and "@other" not in text and "my.mark" in text
        (mesh,) = [op for op in module.body.ops if op.name == "sdy.mesh"]
        assert mesh is module.body.ops[0] and mesh.python_value("sym_name") == "mesh"
        size = int(text.partition("mhlo.num_partitions = ")[2].partition(" ")[0])
        assert size in {2, 6, 8, 32}
        names = [op.name for op in module.walk()]
        seen["constraint"] += names.count("sdy.sharding_constraint")
        seen["group"] += names.count("sdy.sharding_group")
        seen["manual"] += names.count("sdy.manual_computation")
        seen["parts"] += text.count('":(')
        shardings = [sharding_of(value) for value in module.functions["main"].entry_block.arguments]
        dims = [dim for each in shardings if each is not None for dim in each.dims]
        seen["open"] += sum(not dim.is_closed for dim in dims)
        seen["closed"] += sum(dim.is_closed for dim in dims)
        seen["priority"] += sum(dim.priority is not None for dim in dims)
    for what in ("group", "manual", "parts", "priority"):
        assert (seen[what] > 0) is (kind == what), what
    assert (seen["constraint"] > 5) is (kind == "constraint")
    assert (seen["open"] > seen["closed"]) is (kind == "open")
