"""Programs called with trees: `testdata/tree.jax_export`, whose results XLA has computed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from make_tree import arguments

import stablehlo_py as shlo
from stablehlo_py.engines.program import Program
from stablehlo_py.ir.signature import entry_signature

KEY = np.zeros(2, np.uint32)


@pytest.fixture(scope="module")
def program() -> Program:
    path = Path(__file__).parents[2] / "testdata" / "tree.jax_export"
    return shlo.compile(shlo.load(path), engine="numpy")


@pytest.fixture(scope="module")
def expected() -> list[Any]:
    with np.load(Path(__file__).parents[2] / "testdata" / "tree_expected.npz") as found:
        return [found[f"out{i}"] for i in range(4)]


def check(tree: Any, expected: list[Any]) -> None:
    """Compare with XLA's results; numbers of few bits are exact."""
    assert {key: type(part) for key, part in tree.items()} == {
        "aux": tuple,
        "logits": np.ndarray,
        "norm": tuple,
    }
    assert tree["aux"][1] is None and len(tree["norm"]) == 2
    found = [tree["aux"][0], tree["logits"], *tree["norm"]]
    for array, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(array, other)


def test_trees_in_and_out(program: Program, expected: list[Any]) -> None:
    parameters, x = arguments()
    check(program.call_tree(parameters, x, KEY, scale=0.5), expected)
    check(program.call_tree(parameters, x, scale=np.float32(0.5)), expected)  # the key is not used
    check(program.call_tree(parameters, x=x, scale=0.5), expected)
    del parameters["dense"]["mask"]
    parameters["norm"] = tuple(parameters["norm"])
    parameters["out"] = tuple(parameters["out"])
    check(program.call_tree(parameters, x, None, scale=0.5), expected)


def test_arrays_in_order_and_all_arguments(program: Program, expected: list[Any]) -> None:
    parameters, x = arguments()
    dense, norm = parameters["dense"], parameters["norm"]
    kept = [dense["bias"], dense["kernel"], *norm, parameters["out"][0], x, np.float32(0.5)]
    full = [*kept[:2], dense["mask"], *kept[2:6], KEY, kept[6]]
    assert [*map(id, program.signature.flatten(parameters, x, KEY, scale=kept[6]))] == [*map(id, kept)]
    for given in (kept, full):
        check(program.signature.unflatten(program(*given)), expected)
    with pytest.raises(shlo.RunError, match=r"takes 7 inputs \(9 with unused ones\), 8 given"):
        program(*kept, 1)


def test_inputs_by_name(program: Program, expected: list[Any]) -> None:
    parameters, x = arguments()
    dense = parameters["dense"]
    given = {
        "parameters/dense/kernel": dense["kernel"],
        "parameters['dense']['bias']": dense["bias"],
        "parameters.dense.mask": None,
        "%arg2": parameters["norm"].mean,
        "in3": parameters["norm"].scale,
        "parameters/out/0": parameters["out"][0],
        "x": x,
        "args/2": KEY,
        "scale": 0.5,
    }
    check(program.signature.unflatten(program.call(given)), expected)
    del given["x"], given["parameters/out/0"]
    with pytest.raises(shlo.RunError) as caught:
        program.call(given | {"parameters/dense/kernl": 1})
    assert str(caught.value) == (
        "@main: no argument named parameters/dense/kernl; did you mean parameters/dense/kernel?; "
        "missing: parameters/out/0: tensor<4x2xf32>, x: tensor<5x3xf32>"
    )


@pytest.mark.parametrize(
    ("positional", "keywords", "message"),
    [
        ((), {}, "takes parameters, x, args/2, scale; missing: parameters, x, scale; unexpected: none"),
        ((1, 2), {"scal": 1, "x": 3}, "missing: scale; unexpected: scal, x"),
        ((1, 2, 3, 4), {}, "takes 3 positional arguments, 4 given"),
        ((1, 2), {"scale": 1}, "parameters: expected a dict of dense, norm, out, found a value of class int"),
        (
            ({"dense": {"kernl": 1}, "norm": (), "out": []}, 2),
            {"scale": 1},
            "parameters/dense: missing keys: bias, kernel; unexpected keys: kernl",
        ),
        (
            ({"dense": {"bias": 0, "kernel": 0}, "norm": 1, "out": []}, 2),
            {"scale": 1},
            "parameters/norm: expected a tuple of 2, the fields of Norm",
        ),
    ],
)
def test_other_trees(program: Program, positional: Any, keywords: Any, message: str) -> None:
    with pytest.raises(shlo.RunError) as caught:
        program.call_tree(*positional, **keywords)
    assert message in str(caught.value)


def test_the_signature_shows_names_and_what_is_dropped(program: Program) -> None:
    assert str(program.signature).splitlines()[2:5] == [
        "  parameters/dense/kernel  tensor<3x4xf32>",
        "  parameters/dense/mask    float32[7] (not used: may be left out)",
        "  parameters/norm/mean     tensor<3xf32>",
    ]
    assert [each.path for each in program.signature.inputs][4:] == ["parameters/out/0", "x", "scale"]
    assert {i: each.path for i, each in (program.signature.dropped or {}).items()} == {
        2: "parameters/dense/mask",
        7: "args/2",
    }


TEXT = """func.func @main(%arg0: tensor<f32> loc("p['w'][1]"), %arg1: tensor<f32> {jax.arg_info = "p['b']"},
    %x: tensor<f32>)
    -> (tensor<f32> {jax.result_info = "['s'][0]"}, tensor<f32> {jax.result_info = "['s'][1]"}) {
  %0 = stablehlo.multiply %arg0, %x : tensor<f32>
  %1 = stablehlo.add %0, %arg1 : tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}
"""


def test_names_in_a_text_give_trees() -> None:
    program = shlo.compile(shlo.parse(TEXT), engine="numpy")
    assert [each.path for each in program.signature.inputs] == ["p/w/1", "p/b", "x"]
    assert program.call_tree({"w": [None, 2.0], "b": 3.0}, 5.0) == {"s": (10.0, 13.0)}
    rooted = TEXT.replace("\"['s']", "\"result['s']")
    assert shlo.compile(shlo.parse(rooted)).call_tree({"w": [0, 2.0], "b": 3.0}, x=5.0) == {"s": (10.0, 13.0)}


@pytest.mark.parametrize(
    ("attributes", "paths"),
    [
        ('{tf_saved_model.index_path = ["features", "age"]}', ["features/age", "y"]),
        ('{jax.arg_info = "y"}', ["x", "y"]),  # both are called y
        ("", ["x", "y"]),
        ('loc("m.py":1:1)', ["x", "y"]),
    ],
)
def test_recorded_names(attributes: str, paths: list[str]) -> None:
    arguments = f"%x: tensor<f32> {attributes}, %y: tensor<f32>"
    text = f"func.func @main({arguments}) -> tensor<f32> {{ return %x : tensor<f32> }}"
    program = shlo.compile(shlo.parse(text))
    assert [each.path for each in program.signature.inputs] == paths
    assert program.call({paths[0]: 1.0, paths[1]: 2.0}) == [1]


def test_results_without_names_are_a_tuple() -> None:
    head, pair = "func.func @main(%x: tensor<f32>)", "tensor<f32>, tensor<f32>"
    two = shlo.parse(f"{head} -> ({pair}) {{ return %x, %x : {pair} }}")
    assert shlo.compile(two).call_tree(1.0) == (1, 1)
    one = shlo.parse(f"{head} -> tensor<f32> {{ return %x : tensor<f32> }}")
    assert shlo.compile(one).call_tree(1.0) == 1
    none = shlo.parse("func.func @main() { return }")
    assert shlo.compile(none).call_tree() == ()


def test_the_number_of_the_platform_is_that_of_cpu(artifacts: Path) -> None:
    module = shlo.load(artifacts / "jexp_multi_platform.jax_export")
    program = shlo.compile(module, engine="numpy")
    x = np.arange(4)
    given = program.signature.flatten(x)
    assert given[0] == 0 and given[1] is x


def test_weights_are_those_of_main_and_have_the_names_of_their_files() -> None:
    text = """func.func @f(%x: tensor<f32>) { return }
    func.func @main(%x: tensor<f32> {jax.arg_info = "y"}, %z: tensor<f32> {jax.arg_info = "w"}) { return }"""
    module = shlo.parse(text)
    module.weights = {0: Path("folder/data/fc.weight")}
    main, other = entry_signature(module, "main"), entry_signature(module, "f")
    assert [each.recorded for each in main.inputs] == ["fc.weight", "w"]
    assert (main.stored, other.stored) == ({0}, set())
    assert [each.recorded for each in other.inputs] == [""]
