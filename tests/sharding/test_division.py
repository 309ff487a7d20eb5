"""Division of programs over a mesh: results of the undivided program, local shapes, and the collectives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.generate.shardings import KINDS
from stablehlo_py.ir.attributes import IntegerAttr
from stablehlo_py.ir.types import I32
from stablehlo_py.sharding.axes import Axis
from stablehlo_py.sharding.division.choice import reshard_cost
from stablehlo_py.sharding.division.devices import Devices
from stablehlo_py.sharding.division.lookups import looked_up_factors
from stablehlo_py.sharding.division.resharding import cost, steps
from stablehlo_py.sharding.division.updates import sliced_factors
from stablehlo_py.sharding.mesh import Mesh
from stablehlo_py.sharding.op_rules import rule_of
from stablehlo_py.transforms.passes.partition import partitioned
from tests.helpers.drawn_shardings import draw_shardings

PROGRAMS = Path(__file__).parent / "programs"
COLLECTIVES = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all", "collective_permute")
X, Y = Axis("x"), Axis("y")
DEVICES = Devices(Mesh((("x", 2), ("y", 4))))


def arrays(module: shlo.Module) -> list[np.ndarray]:
    draw = np.random.default_rng(5)
    types = [argument.type for argument in module.functions["main"].regions[0].block.arguments]
    return [
        draw.integers(0, 4, t.shape).astype(np.int32)
        if "i32" in str(t)
        else draw.standard_normal(t.shape).astype(np.float32) / 4
        for t in types
    ]


def collectives(module: shlo.Module) -> list[str]:
    names = [op.name.removeprefix("stablehlo.") for op in module.walk()]
    return [name for name in names if name in COLLECTIVES]


def divided(body: str, arguments: str, results: str) -> shlo.Module:
    text = f'sdy.mesh @mesh = <["x"=2, "y"=4]>\nfunc.func @main({arguments}) -> {results} {{\n{body}\n}}'
    return shlo.opt(shlo.parse(text), ["partition"])


def argument(name: str, type: str, sharding: str) -> str:
    return f"%{name}: {type} {{sdy.sharding = #sdy.sharding<@mesh, {sharding}>}}"


@pytest.mark.parametrize(
    "name",
    sorted(path.stem for path in PROGRAMS.glob("*.mlir") if "propagated" not in path.name),
)
def test_results(name: str) -> None:
    module = shlo.load(PROGRAMS / f"{name}.mlir")
    inputs = arrays(module)
    program = shlo.compile(module, partition=True)
    assert not [d for d in shlo.verify(program.divided) if d.severity == "error"]
    for found, expected in zip(program(*inputs), shlo.run(module, inputs), strict=True):
        assert found.shape == expected.shape
        if expected.dtype.kind not in "fc" or not expected.size:
            np.testing.assert_array_equal(found, expected)
            continue
        # Sums in another order: terms that cancel leave an error of the size of the terms.
        scale = max(1.0, float(np.abs(expected[np.isfinite(expected)]).max(initial=0)))
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5 * scale)


PRODUCT = (
    "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
    "(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>\n  return %0 : tensor<8x8xf32>"
)
FACTORS = ", ".join(
    [argument("a", "tensor<8x8xf32>", '[{}, {"y"}]'), argument("b", "tensor<8x8xf32>", '[{"y"}, {}]')]
)


def test_a_contracted_dimension_is_summed_up() -> None:
    made = divided(PRODUCT, FACTORS, "tensor<8x8xf32>")
    assert collectives(made) == ["all_reduce"]
    shapes = [value.type.shape for value in made.functions["main"].regions[0].block.arguments]
    assert shapes == [(8, 2), (2, 8)]
    groups = next(op for op in made.walk() if op.name.endswith("all_reduce")).properties["replica_groups"]
    assert groups.value.tolist() == [[0, 1, 2, 3], [4, 5, 6, 7]]


@pytest.mark.parametrize("stated", [False, True])
def test_a_divided_program_has_a_partition_for_each_device(stated: bool) -> None:
    mesh = 'sdy.mesh @mesh = <["x"=2, "y"=4]>'
    module = shlo.parse(f"{mesh}\nfunc.func @main({FACTORS}) -> tensor<8x8xf32> {{\n{PRODUCT}\n}}")
    for name in ("mhlo.num_partitions", "mhlo.num_replicas") if stated else ():
        module.op.attributes[name] = IntegerAttr(3, I32)
    made = shlo.opt(module, "partition")
    numbers = {name: str(value) for name, value in made.op.attributes.items()}
    assert numbers == {"mhlo.num_partitions": "8 : i32", "mhlo.num_replicas": "1 : i32"}


def test_a_sum_that_is_wanted_in_parts_is_scattered() -> None:
    result = '(tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>})'
    assert collectives(divided(PRODUCT, FACTORS, result)) == ["reduce_scatter"]


def test_elementwise_ops_need_nothing() -> None:
    both = ", ".join(argument(name, "tensor<8x8xf32>", '[{"x"}, {"y"}]') for name in "ab")
    made = divided(
        "  %0 = stablehlo.add %a, %b : tensor<8x8xf32>\n  return %0 : tensor<8x8xf32>",
        both,
        "tensor<8x8xf32>",
    )
    assert collectives(made) == []
    assert "stablehlo.add %arg0, %arg1 : tensor<4x2xf32>" in shlo.format(made)


def test_what_has_no_division_is_a_remark() -> None:
    text = (
        'sdy.mesh @mesh = <["x"=2]>\n'
        'func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) '
        "-> tensor<8xf32> {\n  %0 = stablehlo.custom_call @foo(%a) : (tensor<8xf32>) -> tensor<8xf32>\n"
        "  return %0 : tensor<8xf32>\n}"
    )
    module, division = partitioned(shlo.parse(text))
    assert [op.name for op, _ in division.remarks] == ["stablehlo.custom_call"]
    assert collectives(module) == ["all_gather"]


def test_programs_over_two_meshes_are_refused() -> None:
    text = (
        'sdy.mesh @a = <["x"=2]>\nsdy.mesh @b = <["x"=4]>\n'
        'func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}]>}, '
        '%b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@b, [{"x"}]>}) -> tensor<8xf32> {\n'
        "  return %a : tensor<8xf32>\n}"
    )
    with pytest.raises(shlo.TransformError, match="one mesh"):
        shlo.opt(shlo.parse(text), ["partition"])


def test_groups_of_devices() -> None:
    assert DEVICES.groups((X,)).tolist() == [[0, 4], [1, 5], [2, 6], [3, 7]]
    assert DEVICES.groups((Y, X)).tolist() == [[0, 4, 1, 5, 2, 6, 3, 7]]
    assert DEVICES.groups((Axis("y", 1, 2),)).tolist() == [[0, 2], [1, 3], [4, 6], [5, 7]]
    turned = Devices(Mesh((("x", 2), ("y", 2)), (3, 2, 1, 0)))
    assert turned.groups((X,)).tolist() == [[3, 1], [2, 0]]
    assert turned.offsets((X, Y), 8).tolist() == [6, 4, 2, 0]


@pytest.mark.parametrize(
    ("source", "target", "kinds", "received"),
    [
        (((), ()), ((X,), (Y,)), ["slice"], 0),
        (((X,), ()), ((), ()), ["gather"], 4 * 32),  # the half of 8x8 floats that the other device has
        (((X,), ()), ((), (X,)), ["exchange"], 4 * 16),
        (((Y,), ()), ((Axis("y", 1, 2),), ()), ["gather"], 4 * 16),
        (((X, Axis("y", 1, 2)), ()), ((Y,), ()), ["permute"], 4 * 16),
        (((X,), (Y,)), ((Y,), (X,)), ["gather", "gather", "slice"], None),
    ],
)
def test_steps(source: tuple, target: tuple, kinds: list[str], received: int | None) -> None:
    found = steps(source, target, (8, 8), DEVICES.sizes)
    assert [step.kind for step in found] == kinds
    if received is not None:
        assert cost(source, target, (8, 8), 4, DEVICES.sizes) == received


def test_a_permutation_moves_each_shard_once() -> None:
    pairs = DEVICES.permutation(((X, Axis("y", 1, 2)), ()), ((Y,), ()))
    sources, targets = zip(*pairs, strict=True)
    assert sorted(sources) == sorted(targets) == list(range(8))
    shards = DEVICES.shard(((X, Axis("y", 1, 2)), ()))
    wanted = DEVICES.shard(((Y,), ()))
    assert all(shards[a] == wanted[b] for a, b in pairs)


def test_an_initial_value_is_counted_once() -> None:
    """A sum that starts with 1 is not divided: each part would start with 1."""
    body = (
        "  %c = stablehlo.constant dense<1.0> : tensor<f32>\n"
        "  %0 = stablehlo.reduce(%a init: %c) applies stablehlo.add across dimensions = [0] : "
        "(tensor<8xf32>, tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>"
    )
    text = 'sdy.mesh @mesh = <["x"=2]>\nfunc.func @main({}) -> tensor<f32> {{\n{}\n}}'
    module = shlo.parse(text.format(argument("a", "tensor<8xf32>", '[{"x"}]'), body))
    (found,) = shlo.compile(module, partition=True)(np.ones(8, np.float32))
    assert found == 9


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "group"])
@pytest.mark.parametrize("name", ["attention_x4y2_38", "moe_x8_34", "train_x2_4"])
def test_drawn_shardings(name: str, kind: str) -> None:
    module = shlo.parse(draw_shardings((PROGRAMS / f"{name}.mlir").read_text(), kind, 3))
    inputs = arrays(module)
    found = shlo.compile(module, partition=True, engine="numpy")(*inputs)
    for got, expected in zip(found, shlo.run(module, inputs, engine="numpy"), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-3, atol=1e-4)


def test_the_window_of_a_convolution_is_not_divided() -> None:
    """A kernel as large as its input, as of a gradient: its spatial dimension is contracted, but shifted."""
    body = (
        "  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], "
        "window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
        "(tensor<1x8x2xf32>, tensor<8x2x4xf32>) -> tensor<1x3x4xf32>\n  return %0 : tensor<1x3x4xf32>"
    )
    text = 'sdy.mesh @mesh = <["x"=2]>\nfunc.func @main({}, {}) -> tensor<1x3x4xf32> {{\n{}\n}}'
    arguments = [
        argument("a", "tensor<1x8x2xf32>", '[{}, {"x"}, {}]'),
        argument("b", "tensor<8x2x4xf32>", '[{"x"}, {}, {}]'),
    ]
    module = shlo.parse(text.format(*arguments, body))
    inputs = arrays(module)
    (found,) = shlo.compile(module, partition=True)(*inputs)
    np.testing.assert_allclose(found, shlo.run(module, inputs)[0], rtol=1e-5, atol=1e-6)


def test_a_constant_that_is_no_tensor_stays_as_it_is() -> None:
    text = """func.func @main(%x: tensor<?x3xf32>) -> index {
      %0 = arith.constant 0 : index
      %1 = tensor.dim %x, %0 : tensor<?x3xf32>
      return %1 : index
    }"""
    made = shlo.opt(shlo.parse(text), "partition")
    assert [op.name for op in made.functions["main"].walk()][1:3] == ["arith.constant", "tensor.dim"]


SUM = f"""sdy.mesh @mesh = <["x"=2]>
func.func @main({argument("a", "tensor<4xf32>", '[{"x"}]')}, %b: tensor<4xf32>) -> tensor<4xf32> {{
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}}
"""
ONES = np.ones(4, np.float32)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ((ONES,), "takes 2 inputs, 1 given"),
        ((np.ones(5, np.float32), ONES), "has shape 5, expected tensor<4xf32>"),
        ((np.ones((2, 2), np.float32), ONES), "has shape 2x2, expected tensor<4xf32>"),
        ((ONES.astype(np.float64), ONES), "is an array of float64, expected tensor<4xf32>"),
        (({"a": ONES, "c": ONES},), "no argument named c; known arguments: a, b; missing: %b"),
    ],
)
def test_inputs_of_divided_programs_are_checked(inputs: tuple[object, ...], message: str) -> None:
    """The types are those of the program before its division."""
    program = shlo.compile(shlo.parse(SUM), partition=True)
    with pytest.raises(shlo.RunError, match=message):
        program.call(inputs[0]) if isinstance(inputs[0], dict) else program(*inputs)


def test_inputs_of_divided_programs_by_name() -> None:
    program = shlo.compile(shlo.parse(SUM), partition=True)
    (found,) = program.call({"b": 2 * ONES, "a": [1.0, 2.0, 3.0, 4.0]})
    assert found.tolist() == [3.0, 4.0, 5.0, 6.0]


def test_any_function_of_a_divided_program() -> None:
    type = "tuple<tensor<4xf32>>"
    other = f"func.func @other(%t: {type}) -> {type} {{ return %t : {type} }}"
    module = shlo.parse(SUM.replace("@main", "@sum") + other)
    (found,) = shlo.compile(module, "sum", partition=True)(ONES, ONES)
    assert found.tolist() == [2.0] * 4
    ((found,),) = shlo.compile(module, "other", partition=True)((ONES,))
    assert found.tolist() == [1.0] * 4


def test_what_cannot_be_divided() -> None:
    with pytest.raises(shlo.TransformError, match="may have 1048576 devices, and this one has 1000000000"):
        shlo.compile(shlo.parse(SUM.replace('"x"=2', '"x"=1000000000')), partition=True)
    with pytest.raises(shlo.TransformError, match="unknown mesh axis z"):
        shlo.compile(shlo.parse(SUM.replace('{"x"}', '{"z"}')), partition=True)
    with pytest.raises(ValueError, match="partition=True divides a program over its mesh"):
        shlo.compile(shlo.parse(SUM), partition=True, replicas=2)  # type: ignore[call-overload]


@pytest.mark.parametrize("initial", [False, True])
@pytest.mark.parametrize(
    ("op", "collective"), [("and", "all_reduce"), ("or", "all_reduce"), ("xor", "all_gather")]
)
def test_an_initial_value_that_is_an_argument(op: str, collective: str, initial: bool) -> None:
    """Each part of `and` and `or` may start with it, but not of `xor`."""
    body = (
        f"  %0 = stablehlo.reduce(%a init: %c) applies stablehlo.{op} across dimensions = [0] : "
        "(tensor<8xi1>, tensor<i1>) -> tensor<i1>\n  return %0 : tensor<i1>"
    )
    arguments = argument("a", "tensor<8xi1>", '[{"x"}]') + ", %c: tensor<i1>"
    module = divided(body, arguments, "tensor<i1>")
    assert collectives(module) == [collective]
    text = f'sdy.mesh @mesh = <["x"=2]>\nfunc.func @main({arguments}) -> tensor<i1> {{\n{body}\n}}'
    (found,) = shlo.compile(shlo.parse(text), partition=True)(np.arange(8) % 3 == 0, np.bool_(initial))
    assert found == {"and": False, "or": True, "xor": True ^ initial}[op]


@pytest.mark.parametrize(("given", "made"), [("f64", "bf16"), ("bf16", "f64"), ("f32", "i8"), ("i8", "f32")])
def test_the_narrower_type_is_moved(given: str, made: str) -> None:
    """A conversion is divided as its operand or its result is, whichever has fewer bytes to exchange."""
    body = (
        f"  %0 = stablehlo.convert %a : (tensor<64x64x{given}>) -> tensor<64x64x{made}>\n"
        f"  return %0 : tensor<64x64x{made}>"
    )
    result = f'(tensor<64x64x{made}> {{sdy.sharding = #sdy.sharding<@mesh, [{{}}, {{"x"}}]>}})'
    module = divided(body, argument("a", f"tensor<64x64x{given}>", '[{"x"}, {}]'), result)
    (exchange,) = [op for op in module.walk() if op.name == "stablehlo.all_to_all"]
    narrow = min(given, made, key=lambda type: int(type.strip("bfi")))
    assert str(exchange.operands[0].type).endswith(f"x{narrow}>")


SHIFTS = {
    "pad that shifts": (
        "stablehlo.pad %a, %z, low = [1, -1], high = [-1, 1], interior = [0, 0] : "
        "(tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>"
    ),
    "select and scatter": (
        '"stablehlo.select_and_scatter"(%a, %b, %z) <{window_dimensions = array<i64: 1, 2>}> ({\n'
        "  ^bb0(%l: tensor<f32>, %r: tensor<f32>):\n"
        "    %s = stablehlo.compare GE, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
        "    stablehlo.return %s : tensor<i1>\n  }, {\n"
        "  ^bb0(%l: tensor<f32>, %r: tensor<f32>):\n"
        "    %s = stablehlo.add %l, %r : tensor<f32>\n    stablehlo.return %s : tensor<f32>\n"
        "  }) : (tensor<8x8xf32>, tensor<8x7xf32>, tensor<f32>) -> tensor<8x8xf32>"
    ),
    "reshape of dimensions in another order": (
        "stablehlo.reshape %c : (tensor<3x16xf32>) -> tensor<16x1x3xf32>"
    ),
    "window of one element that moves": (
        '"stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 1, 1>, '
        "padding = dense<[[1, -1], [0, 0]]> : tensor<2x2xi64>}> ({\n"
        "  ^bb0(%l: tensor<f32>, %r: tensor<f32>):\n"
        "    %s = stablehlo.add %l, %r : tensor<f32>\n    stablehlo.return %s : tensor<f32>\n"
        "  }) : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>"
    ),
}


@pytest.mark.parametrize("sharding", ['[{"x"}, {"y"}]', '[{"y"}, {"x"}]', '[{}, {"x", "y"}]', '[{}, {"x"}]'])
@pytest.mark.parametrize("op", SHIFTS.values(), ids=list(SHIFTS))
def test_ops_that_move_elements(op: str, sharding: str) -> None:
    """Operand and result may have one size, and still their elements are at other places."""
    arguments = [
        argument(name, f"tensor<{shape}xf32>", sharding) for name, shape in (("a", "8x8"), ("c", "3x16"))
    ]
    arguments += ["%b: tensor<8x7xf32>", "%z: tensor<f32>"]
    result = op.rsplit("-> ")[-1]
    text = (
        f'sdy.mesh @mesh = <["x"=2, "y"=4]>\nfunc.func @main({", ".join(arguments)}) -> {result} {{\n'
        f"  %0 = {op}\n  return %0 : {result}\n}}"
    )
    module = shlo.parse(text)
    inputs = [np.random.default_rng(3).permutation(size) for size in (64, 48, 56)]
    given = [x.astype(np.float32).reshape(s) for x, s in zip(inputs, ((8, 8), (3, 16), (8, 7)), strict=True)]
    given.append(np.float32(100))
    (found,) = shlo.compile(module, partition=True)(*given)
    np.testing.assert_array_equal(found, shlo.run(module, given)[0])


def test_a_reshape_whose_result_alone_is_divided() -> None:
    result = '(tensor<16x1x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>})'
    text = (
        f'sdy.mesh @mesh = <["x"=2]>\nfunc.func @main(%a: tensor<3x16xf32>) -> {result} {{\n'
        "  %0 = stablehlo.reshape %a : (tensor<3x16xf32>) -> tensor<16x1x3xf32>\n"
        "  return %0 : tensor<16x1x3xf32>\n}"
    )
    given = np.arange(48, dtype=np.float32).reshape(3, 16)
    (found,) = shlo.compile(shlo.parse(text), partition=True)(given)
    np.testing.assert_array_equal(found, given.reshape(16, 1, 3))


def test_a_function_that_is_declared_only() -> None:
    """It takes and returns whole values."""
    text = """sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func private @f(tensor<8xf32>) -> tensor<8xf32>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}"""
    made = shlo.opt(shlo.parse(text), ["partition"])
    assert "func.func private @f(tensor<8xf32>) -> tensor<8xf32>\n" in shlo.format(made)
    assert collectives(made) == ["all_gather"]


def test_a_region_that_takes_a_value_from_around() -> None:
    """A number whose sign determines the order."""
    body = """  %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %1 = stablehlo.multiply %p, %s : tensor<f32>
    %2 = stablehlo.multiply %q, %s : tensor<f32>
    %3 = stablehlo.compare LT, %1, %2 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>"""
    arguments = f"""{argument("a", "tensor<8x4xf32>", '[{}, {"y"}]')}, %s: tensor<f32>"""
    text = (
        f'sdy.mesh @mesh = <["x"=2, "y"=4]>\nfunc.func @main({arguments}) -> tensor<8x4xf32> {{\n{body}\n}}'
    )
    program = shlo.compile(shlo.parse(text), partition=True)
    assert program.divided.functions["main"].blocks[0].arguments[0].type.shape == (8, 1)
    numbers = np.random.default_rng(3).standard_normal((8, 4)).astype(np.float32)
    for sign in (1, -1):
        (found,) = program(numbers, np.float32(sign))
        np.testing.assert_array_equal(found, np.sort(numbers, 0)[::sign])


def test_costs_and_factors_of_what_is_not_divided() -> None:
    """Tokens cost nothing; devices do not look up parts of quantized tensors, which have other zeros."""
    text = """func.func @main(%t: tensor<8x4xTYPE>, %i: tensor<3x1xi32>, %k: tensor<i32>) {
  %0 = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
    collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}>
    : (tensor<8x4xTYPE>, tensor<3x1xi32>) -> tensor<3x4xTYPE>
  %1 = stablehlo.dynamic_slice %t, %k, %k, sizes = [2, 4]
    : (tensor<8x4xTYPE>, tensor<i32>, tensor<i32>) -> tensor<2x4xTYPE>
  %2 = stablehlo.create_token : !stablehlo.token
  return
}"""
    for type, divides in (("f32", True), ("!quant.uniform<i8:f32, 0.5>", False)):
        gather, part, token = shlo.parse(text.replace("TYPE", type)).functions["main"].blocks[0].ops[:3]
        rules = [rule_of(op) for op in (gather, part)]
        assert rules[0] is not None and rules[1] is not None
        ((row,), _), ((sliced,), _) = rules[0].operands[0], rules[1].operands[0]
        assert looked_up_factors(gather, rules[0]) == ({0: row} if divides else {})
        assert sliced_factors(part, rules[1]) == ({sliced} if divides else set())
        assert reshard_cost(token.result, (), (), DEVICES.sizes) == 0.0
