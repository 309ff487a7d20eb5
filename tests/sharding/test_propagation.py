"""Propagation of shardings: the expected texts are those of Shardy in jaxlib."""

from __future__ import annotations

from pathlib import Path

import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.attributes import SymbolRefAttr
from stablehlo_py.sharding.annotations import set_sharding, sharding_of
from stablehlo_py.sharding.shardings import replicated
from stablehlo_py.sharding.state import State

PROGRAMS = Path(__file__).parent / "programs"
NAMES = sorted(path.name.removesuffix(".propagated.mlir") for path in PROGRAMS.glob("*.propagated.mlir"))


def opt(text: str, *passes: str) -> str:
    return shlo.format(shlo.opt(shlo.parse(text), passes))


@pytest.mark.parametrize("name", NAMES)
def test_programs(name: str) -> None:
    text = (PROGRAMS / f"{name}.mlir").read_text()
    assert opt(text, "sdy-propagation-pipeline") == (PROGRAMS / f"{name}.propagated.mlir").read_text()


@pytest.mark.parametrize("name", NAMES)
def test_propagation_has_nothing_to_add(name: str) -> None:
    text = (PROGRAMS / f"{name}.propagated.mlir").read_text()
    again = opt(text, "sdy-propagation-pipeline")
    assert opt(again, "sdy-propagation-pipeline") == again


MESH = 'sdy.mesh @mesh = <["x"=2, "y"=4]>\n'


def sharding_of_sum(a: str, b: str, *passes: str) -> str:
    """The sharding of a sum, given those of the terms."""
    text = (
        f"{MESH}func.func @main(%a: tensor<8x8xf32> {{sdy.sharding = #sdy.sharding<@mesh, {a}>}}, "
        f"%b: tensor<8x8xf32> {{sdy.sharding = #sdy.sharding<@mesh, {b}>}}) -> tensor<8x8xf32> {{\n"
        "  %0 = stablehlo.add %a, %b : tensor<8x8xf32>\n  return %0 : tensor<8x8xf32>\n}"
    )
    found = opt(text, *passes)
    line = next(line for line in found.splitlines() if "stablehlo.add" in line)
    return line.partition("<[<@mesh, ")[2].partition(">]>")[0]


def test_a_conflict_of_basic_propagation() -> None:
    """The terms agree on neither dimension, so that basic propagation leaves the sum alone."""
    a, b = '[{"x", ?}, {?}]', '[{"y", ?}, {?}]'
    assert sharding_of_sum(a, b, "sdy-basic-propagate") == ""
    assert sharding_of_sum(a, a, "sdy-basic-propagate") == '[{"x", ?}, {?}]'


def test_an_axis_divides_one_dimension() -> None:
    """Both dimensions could take `x`: the first operand decides in aggressive propagation."""
    found = sharding_of_sum('[{"x", ?}, {?}]', '[{?}, {"x", ?}]', "sdy-aggressive-propagate")
    assert found == '[{"x", ?}, {?}]'


def test_user_priorities() -> None:
    """The first operand's axis waits until the second's has been propagated."""
    a, b = '[{"x", ?}p1, {?}]', '[{?}, {"x", ?}p0]'
    assert sharding_of_sum(a, b, "sdy-user-priority-propagate") == '[{?}, {"x", ?}]'


def test_parts_of_an_axis() -> None:
    """A reshape splits `y` of 4 devices between its two factors of 2."""
    text = (
        f'{MESH}func.func @main(%a: tensor<8xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"y"}}]>}}) '
        "-> tensor<2x4xf32> {\n  %0 = stablehlo.reshape %a : (tensor<8xf32>) -> tensor<2x4xf32>\n"
        "  return %0 : tensor<2x4xf32>\n}"
    )
    assert '[{"y":(1)2, ?}, {"y":(2)2, ?}]' in opt(text, "sdy-basic-propagate")


RESHAPES = [  # the sharding and the sizes of the operand, and the sizes and the sharding of the result
    ('[{"x"}, {"y"}]', "4x8", "32", '[{"x", ?}]'),
    ('[{"y"}, {"x"}]', "4x8", "32", '[{"y", "x", ?}]'),
    ('[{}, {"x"}]', "4x8", "32", ""),
    ('[{"x"}, {}]', "4x8", "32", '[{"x", ?}]'),
    ('[{"x", "y":(1)2}, {"y":(2)2}]', "4x8", "32", '[{"x", "y", ?}]'),
    ('[{"x"}]', "32", "4x8", '[{"x", ?}, {?}]'),
    ('[{"y", "x"}]', "32", "4x8", '[{"y", ?}, {"x", ?}]'),
    ('[{"x", "y"}]', "32", "2x2x8", '[{"x", ?}, {"y":(1)2, ?}, {"y":(2)2, ?}]'),
    ('[{"x"}, {"y":(1)2}, {}]', "2x2x8", "32", '[{"x", "y":(1)2, ?}]'),
    ('[{"x"}, {}, {"y"}]', "2x2x8", "4x8", '[{"x", ?}, {"y", ?}]'),
    ('[{}, {"x"}, {"y"}]', "2x2x8", "4x8", '[{?}, {"y", ?}]'),
]


@pytest.mark.parametrize(("given", "operand", "result", "expected"), RESHAPES)
def test_reshapes(given: str, operand: str, result: str, expected: str) -> None:
    """Axes of a later dimension divide a joined one if the dimension before is divided fully."""
    before, after = f"tensor<{operand}xf32>", f"tensor<{result}xf32>"
    text = (
        f"{MESH}func.func @main(%a: {before} {{sdy.sharding = #sdy.sharding<@mesh, {given}>}}) "
        f"-> {after} {{\n  %0 = stablehlo.reshape %a : ({before}) -> {after}\n  return %0 : {after}\n}}"
    )
    found = opt(text, "sdy-basic-propagate")
    line = next(line for line in found.splitlines() if "stablehlo.reshape" in line)
    assert line.partition("<[<@mesh, ")[2].partition(">]>")[0] == expected


@pytest.mark.parametrize("first", ["@mesh", "@empty"])
def test_a_mesh_without_axes_is_no_other_mesh(first: str) -> None:
    """What has a sharding by it gets one by the mesh of the other values."""
    stated = {"@mesh": '@mesh, [{"x", ?}, {?}]', "@empty": "@empty, [{?}, {?}]"}
    a, b = stated[first], stated["@empty" if first == "@mesh" else "@mesh"]
    text = (
        f"{MESH}sdy.mesh @empty = <[]>\n"
        f"func.func @main(%a: tensor<8x8xf32> {{sdy.sharding = #sdy.sharding<{a}>}}, "
        f"%b: tensor<8x8xf32> {{sdy.sharding = #sdy.sharding<{b}>}}) -> tensor<8x8xf32> {{\n"
        "  %0 = stablehlo.add %a, %b : tensor<8x8xf32>\n  return %0 : tensor<8x8xf32>\n}"
    )
    found = opt(text, "sdy-basic-propagate")
    assert "@empty," not in found and found.count('<@mesh, [{"x", ?}, {?}]>') == 4


def test_a_group_with_another_shape() -> None:
    text = (
        f"{MESH}func.func @main(%a: tensor<8xf32>, %b: tensor<4xf32>) {{\n"
        "  sdy.sharding_group %a group_id=0 : tensor<8xf32>\n"
        "  sdy.sharding_group %b group_id=0 : tensor<4xf32>\n  return\n}"
    )
    with pytest.raises(shlo.TransformError, match="different shapes"):
        opt(text, "sdy-sharding-group-import")


@pytest.mark.parametrize(
    ("given", "expected"),
    [("{}", "{}"), ("{?}", '{"x", ?}'), ('{"y"}', '{"y"}'), ('{"y", ?}', '{"y", ?}')],
)
def test_a_group_has_the_sharding_that_one_of_its_values_has(given: str, expected: str) -> None:
    """A closed one without axes is a sharding, an open one is none."""
    text = f"""{MESH}func.func @main(
      %a: tensor<8xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{given}]>}},
      %b: tensor<8xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}]>}}) -> tensor<8xf32> {{
      %0 = stablehlo.negate %b : tensor<8xf32>
      sdy.sharding_group %a group_id=0 : tensor<8xf32>
      sdy.sharding_group %0 group_id=0 : tensor<8xf32>
      return %0 : tensor<8xf32>
    }}"""
    module = shlo.opt(shlo.parse(text), "sdy-aggressive-propagate")
    negate = module.functions["main"].blocks[0].ops[0]
    assert str(sharding_of(negate.result)) == str(
        sharding_of(module.functions["main"].blocks[0].arguments[0])
    )
    assert f"[<@mesh, [{expected}]>]" in shlo.format(module)


def test_unused_manual_computations_are_erased() -> None:
    text = (
        f"{MESH}func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {{\n"
        '  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] '
        'manual_axes={"x"} (%b: tensor<4xf32>) {\n    sdy.return %b : tensor<4xf32>\n'
        "  } : (tensor<8xf32>) -> tensor<8xf32>\n  return %a : tensor<8xf32>\n}"
    )
    assert "manual_computation" not in opt(text, "sdy-propagation-pipeline")


def test_of_equal_candidates_the_longer_one_is_taken() -> None:
    """Both operands of a concatenation have 8 shards; Shardy prefers more axes where sizes are equal."""
    first = '#sdy.sharding<@mesh, [{}, {"y", "x"}]>'
    second = '#sdy.sharding<@mesh, [{}, {"y":(2)2, "y":(1)2, "x"}]>'
    text = (
        f"{MESH}func.func @main(%a: tensor<8x16xf32> {{sdy.sharding = {first}}}, "
        f"%b: tensor<8x16xf32> {{sdy.sharding = {second}}}) -> tensor<16x16xf32> {{\n"
        "  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<8x16xf32>, tensor<8x16xf32>) -> "
        "tensor<16x16xf32>\n  return %0 : tensor<16x16xf32>\n}"
    )
    found = opt(text, "sdy-insert-explicit-reshards")
    assert 'sdy.reshard %arg0 <@mesh, [{}, {"y":(2)2, "y":(1)2, "x"}]>' in found


def test_constants_of_quantized_elements_are_not_split() -> None:
    """An op `sdy.constant` has the type of its value; the value here has the type of the storage."""
    text = """func.func @main() -> tensor<2x!quant.uniform<i8:f32, 2.0:15>> {
  %0 = stablehlo.constant() {value = dense<[1, 2]> : tensor<2xi8>}
    : () -> tensor<2x!quant.uniform<i8:f32, 2.0:15>>
  return %0 : tensor<2x!quant.uniform<i8:f32, 2.0:15>>
}"""
    assert "stablehlo.constant" in opt(text, "sdy-constant-or-scalar-splitter")


def test_a_program_whose_main_function_is_declared_only() -> None:
    text = "func.func @main() -> tensor<2xf32>"
    assert opt(text, "sdy-basic-propagate") == shlo.format(shlo.parse(text))


@pytest.mark.parametrize(
    ("direction", "forward", "backward"),
    [("FORWARD", True, False), ("BACKWARD", False, True), ("NONE", False, False)],
)
def test_barriers(direction: str, forward: bool, backward: bool) -> None:
    text = f"""{MESH}func.func @main(%a: tensor<8xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}]>}},
    %b: tensor<8xf32>) -> tensor<8xf32> {{
  %0 = sdy.propagation_barrier %a allowed_direction={direction} : tensor<8xf32>
  %1 = sdy.propagation_barrier %b allowed_direction={direction} : tensor<8xf32>
  %2 = stablehlo.abs %0 : tensor<8xf32>
  %3 = stablehlo.negate %1 {{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{{"y"}}]>]>}} : tensor<8xf32>
  return %2 : tensor<8xf32>
}}"""
    lines = opt(text.replace("return %2", "return %3"), "sdy-basic-propagate").splitlines()
    assert ('%arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}]>}' in lines[2]) == backward
    (result,) = [line for line in opt(text, "sdy-basic-propagate").splitlines() if "stablehlo.abs" in line]
    assert ('<[<@mesh, [{"x", ?}]>]>' in result) == forward


@pytest.mark.parametrize(
    ("argument", "op", "message"),
    [
        (
            "tensor<8xf32>",
            "stablehlo.tuple %a : tuple<tensor<8xf32>>",
            "shardings do not propagate through tuples",
        ),
        (
            "tensor<?xf32>",
            "stablehlo.abs %a : tensor<?xf32>",
            "shardings propagate through static shapes only, not tensor<?xf32>",
        ),
        (
            "tensor<*xf32>",
            "stablehlo.abs %a : tensor<*xf32>",
            "shardings propagate through static shapes only, not tensor<*xf32>",
        ),
    ],
)
def test_types_without_shardings(argument: str, op: str, message: str) -> None:
    text = f"func.func @main(%a: {argument}) {{\n  %0 = {op}\n  return\n}}"
    with pytest.raises(shlo.TransformError) as caught:
        opt(text, "sdy-basic-propagate")
    (found,) = caught.value.diagnostics
    assert (found.line, found.message.partition(": ")[2]) == (2, message)


def test_an_argument_of_a_region_that_has_no_sharding() -> None:
    """Nothing says where the argument of an unknown op comes from: what uses it has no effect."""
    text = f"""{MESH}func.func @main() {{
  "x.y"() ({{
  ^bb0(%a: tensor<8xf32>):
    sdy.sharding_group %a group_id=1 : tensor<8xf32>
    %0 = stablehlo.negate %a {{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{{"y"}}]>]>}} : tensor<8xf32>
    "x.z"(%0) : (tensor<8xf32>) -> ()
  }}) : () -> ()
  return
}}"""
    module = shlo.parse(text, allow_unregistered=True)
    expected = shlo.format(module)
    assert shlo.format(shlo.opt(module, "sdy-basic-propagate")) == expected


def test_the_shardings_of_an_argument_of_an_unknown_region() -> None:
    text = '"x.y"() ({\n^bb0(%a: tensor<8xf32>):\n  "x.z"() : () -> ()\n}) : () -> ()'
    (op,) = [op for op in shlo.parse(text, allow_unregistered=True).walk() if op.name == "x.y"]
    argument = op.blocks[0].arguments[0]
    sharding = replicated(1, SymbolRefAttr("mesh"))
    set_sharding(argument, sharding)
    state = State()
    state.set(argument, sharding)
    assert sharding_of(argument) is None and state.get(argument) is None
