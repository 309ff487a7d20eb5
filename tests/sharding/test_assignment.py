"""The pass `shard`: meshes, patterns of names, and shardings that do not fit."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.trees import normalized

MODEL = """func.func @main(
  %arg0: tensor<64x32xf32> loc("params['dense_0']['kernel']"),
  %arg1: tensor<32x6xf32> loc("params['dense_1']['kernel']"),
  %arg2: tensor<32xf32> loc("params['dense_0']['bias']"),
  %x: tensor<8x64xf32>
) -> (tensor<8x6xf32> {jax.result_info = "result['logits']"}) {
  %0 = stablehlo.dot_general %x, %arg0, contracting_dims = [1] x [0]
    : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32> loc("jit(f)/dense_0/dot_general")
  %1 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<32xf32>) -> tensor<8x32xf32>
  %2 = stablehlo.add %0, %1 : tensor<8x32xf32>
  %3 = stablehlo.dot_general %2, %arg1, contracting_dims = [1] x [0]
    : (tensor<8x32xf32>, tensor<32x6xf32>) -> tensor<8x6xf32>
  return %3 : tensor<8x6xf32>
}
"""
SIZES = "mesh=data=4,model=2"


def sharded(*values: str, mesh: str = SIZES, text: str = MODEL) -> str:
    options = [mesh, f"values={','.join(values)}" if values else ""]
    return str(shlo.opt(shlo.parse(text), [f"shard={' '.join(options)}"]))


def head(text: str) -> str:
    return next(line for line in text.splitlines() if "@main(" in line)


def test_a_mesh() -> None:
    found = sharded()
    assert 'sdy.mesh @mesh = <["data"=4, "model"=2]>' in found
    assert "mhlo.num_partitions = 8 : i32" in found

    assert "mhlo.num_replicas = 1 : i32" in found


@pytest.mark.parametrize(
    ("taken", "name"), [(["f"], "mesh"), (["mesh"], "mesh_1"), (["mesh", "mesh_1"], "mesh_2")]
)
def test_a_mesh_has_a_name_that_is_free(taken: list[str], name: str) -> None:
    others = "".join(f"func.func private @{each}(tensor<2xf32>)\n" for each in taken)
    found = sharded("x=[{data},{}]", text=MODEL + others)
    assert f'sdy.mesh @{name} = <["data"=4, "model"=2]>' in found
    assert f'#sdy.sharding<@{name}, [{{"data"}}, {{}}]>' in head(found)


def test_a_dimension_has_an_element_for_each_device_or_any_number() -> None:
    text = "func.func @main(%x: tensor<8x?xf32>) { return }"
    found = sharded("x=[{data},{model}]", mesh="mesh=data=8,model=4", text=text)
    assert '[{"data"}, {"model"}]' in head(found)


def test_the_mesh_of_a_program_is_replaced() -> None:
    before = 'sdy.mesh @own = <["data"=2, "model"=16], device_ids=[0, 1]>\n' + MODEL
    found = sharded("x=[{data},{}]", text=before.replace(", device_ids=[0, 1]", ""))
    assert 'sdy.mesh @own = <["data"=4, "model"=2]>' in found
    assert '%arg3: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@own, [{"data"}, {}]>}' in found


def test_a_pattern_names_leaves_of_a_tree() -> None:
    found = head(sharded('params/*/kernel=[{},{"model"}]', "params/dense_0/bias=[{model}]"))
    assert found.count('[{}, {"model"}]') == 2
    assert '%arg2: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}]>}' in found
    assert found.index('[{}, {"model"}]') < found.index("%arg1") < found.index("%arg2")


@pytest.mark.parametrize("name", ["x", "%x", "arg3", "in3"])
def test_names_of_an_argument(name: str) -> None:
    assert '%arg3: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {?}]>}' in head(
        sharded(f"{name}=[{{data}},{{?}}]")
    )


@pytest.mark.parametrize("name", ["out0", "result/logits", "*/logits"])
def test_names_of_a_result(name: str) -> None:
    assert head(sharded(f"{name}=[{{data}},{{}}]")).count("#sdy.sharding<@mesh") == 1


def test_the_name_of_a_location() -> None:
    found = sharded("*/dense_0/dot_general=[{data},{model}]")
    (line,) = [line for line in found.splitlines() if "sdy.sharding" in line]
    assert "stablehlo.dot_general %arg3" in line
    assert '#sdy.sharding_per_value<[<@mesh, [{"data"}, {"model"}]>]>' in line


def test_arguments_of_private_functions_have_no_names() -> None:
    text = (
        MODEL + "func.func private @row(%x: tensor<32xf32>) -> tensor<32xf32> { return %x : tensor<32xf32> }"
    )
    found = sharded("x=[{data},{}]", "out0=[{data},{}]", text=text)
    assert found.count("#sdy.sharding<") == 2
    assert "@row(%arg0: tensor<32xf32>)" in found or "@row(%x: tensor<32xf32>)" in found


def test_the_last_sharding_counts() -> None:
    assert '[{}, {"model"}]' in head(sharded("x=[{data},{}]", "x=[{},{model}]"))


def test_parts_of_axes_and_priorities() -> None:
    assert '[{"data":(1)2}p1, {"model", "data":(2)2}]' in head(
        sharded('x=[{"data":(1)2}p1,{model,data:(2)2}]')
    )


@pytest.mark.parametrize(
    ("value", "mesh", "message"),
    [
        ("y=[{}]", SIZES, "no value is named y; arguments: params/dense_0/kernel, "),
        ("params/dense_2/kernel=[{},{}]", SIZES, "did you mean params/dense_./kernel"),
        ("x=[{data}]", SIZES, "the sharding of %x has 1 dimensions, and tensor<8x64xf32> has 2"),
        ("x=[{rows},{}]", SIZES, "names the axis rows; the axes of the mesh are: data, model"),
        ("x=[{data},{data}]", SIZES, "axis data is used twice"),
        ("x=[{data},{}]", "mesh=data=16", "dimension 0 of %x has size 8, .* among 16 devices"),
        ("*/dense_0/dot_general=[{data},{}]", "mesh=data=9", "dimension 0 of %0 has size 8, .* among 9 dev"),
        ("*/dense_0/dot_general=[{}]", SIZES, "of %0 has 1 dimensions, and tensor<8x32xf32> has 2"),
        ("out0=[{},{data}]", "mesh=data=7", 'dimension 1 of result 0 .* has size 6, .* among 7 devices'),
    ],
)  # fmt: skip
def test_shardings_that_do_not_fit(value: str, mesh: str, message: str) -> None:
    with pytest.raises(shlo.TransformError, match=message):
        sharded(value, mesh=mesh)


@pytest.mark.parametrize(
    ("value", "mesh", "message"),
    [
        ("x", SIZES, "'x' is not the sharding of a value"),
        ("x=[{data},{", SIZES, "is not a sharding"),
        ("x=[{},{}]", "mesh=data", "'data' is not an axis of a mesh"),
        ("x=[{},{}]", "mesh=data=1234567890", "'data=1234567890' is not an axis of a mesh"),
        ("x=[{},{}]", "mesh=data=0", "'data=0' is not an axis of a mesh"),
        ("x=[{},{}]", "mesh=data=2,data=2", "has the axis data twice"),
        ("x=[{},{}]", "", "shardings need one mesh, and the program has none"),
    ],
)
def test_texts_that_are_not_shardings(value: str, mesh: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        sharded(value, mesh=mesh)


def test_shardings_of_the_program_have_to_fit_the_mesh() -> None:
    text = 'sdy.mesh @mesh = <["x"=2]>\n' + MODEL.replace(
        "%x: tensor<8x64xf32>", '%x: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}'
    )
    with pytest.raises(shlo.TransformError, match="unknown mesh axis x"):
        sharded(text=text)


def test_a_mesh_of_one_device_is_none_of_the_meshes_that_are_replaced() -> None:
    found = sharded(text=f'sdy.mesh @one = <[], device_ids=[0]>\nsdy.mesh @b = <["x"=4]>\n{MODEL}')
    assert "sdy.mesh @one = <[], device_ids=[0]>" in found
    assert 'sdy.mesh @b = <["data"=4, "model"=2]>' in found


def test_one_of_several_meshes_is_not_replaced() -> None:
    two = f'sdy.mesh @a = <["x"=2]>\nsdy.mesh @b = <["x"=4]>\n{MODEL}'
    with pytest.raises(shlo.TransformError, match="has several") as caught:
        sharded(text=two)
    assert caught.value.diagnostics[0].line == 2
    with pytest.raises(ValueError, match="need one mesh, and the program has 2"):
        sharded("x=[{x},{}]", mesh="", text=two)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("params['dense'][0].kernel", "params/dense/0/kernel"),
        ('p["a"]', "p/a"),
        ("[0]['x']", "0/x"),
        ("%x", "x"),
        ("params/*", "params/*"),
    ],
)
def test_paths(name: str, path: str) -> None:
    assert normalized(name) == path
