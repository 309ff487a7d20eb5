"""The passes `bind` and `externalize`: bits, names, functions, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.generate.programs import Request, generate
from stablehlo_py.ir.locations import UNKNOWN, FileLoc, NameLoc
from stablehlo_py.ir.trees import Convention, Tree, numbered
from stablehlo_py.storage.safetensors import open_safetensors, write_safetensors
from stablehlo_py.transforms.binding import Below, bind, load_tensors
from stablehlo_py.transforms.externalization import elements, externalize

PROGRAM = """\
module @net {
  func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %w = stablehlo.constant dense<[1.0, 0xFFC00001, 3.0, -0.0]> : tensor<4xf32> loc("params['dense']['w']")
    %b = stablehlo.constant dense<[true, false, true, true]> : tensor<4xi1>
    %m = stablehlo.convert %b : (tensor<4xi1>) -> tensor<4xf32> loc("jit(f)/jit(main)/mask/convert")
    %0 = stablehlo.multiply %x, %w : tensor<4xf32>
    %1 = stablehlo.add %0, %m : tensor<4xf32>
    %2 = call @f(%1) : (tensor<4xf32>) -> tensor<4xf32>
    %3 = call @g(%2) : (tensor<4xf32>) -> tensor<4xf32>
    return %3 : tensor<4xf32>
  }
  func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = call @g(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = call @g(%0) : (tensor<4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  func.func private @g(%x: tensor<4xf32>) -> tensor<4xf32> {
    %c = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32> loc("model.py":31:5)
    %d = stablehlo.constant dense<[5.0, 2.0, 3.0, 4.0]> : tensor<4xf32> loc("model.py":31:5)
    %0 = stablehlo.multiply %x, %c : tensor<4xf32>
    %1 = stablehlo.add %0, %d : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
"""
NAMES = ["params/dense/w", "mask/convert/operand", "model.py:31:5", "model.py:31:5_1"]


def saved(path: Path, tensors: dict[str, np.ndarray]) -> Path:
    with path.open("wb") as stream:
        write_safetensors(stream, tensors)
    return path


def test_constants_become_arguments_with_names(tmp_path: Path) -> None:
    module = shlo.parse(PROGRAM)
    made = shlo.opt(module, "externalize=min-bytes=4")
    assert sorted(made.tensors) == sorted(NAMES)
    assert made.tensors["params/dense/w"].tobytes().hex() == "0000803f0100c0ff0000404000000080"
    assert made.tensors["mask/convert/operand"].tolist() == [True, False, True, True]
    assert not [op for op in made.walk() if op.name == "stablehlo.constant"]
    x = np.arange(4, dtype=np.float32)
    assert str(made.functions["main"].properties["function_type"]).count("tensor<4x") == 6
    before = shlo.run(module, [x], engine="numpy")
    after = shlo.run(made, [x, *made.tensors.values()], engine="numpy")
    assert before[0].tobytes() == after[0].tobytes()


@pytest.mark.parametrize(("least", "is_same"), [(4, False), (17, True)])
def test_a_container_describes_a_function_with_the_arguments_that_it_has(least: int, is_same: bool) -> None:
    module, container = shlo.parse(PROGRAM), {"kind": "jax.export container", "in_avals": ["float32[4]"]}
    module.container = container
    made = shlo.opt(module, f"externalize=min-bytes={least}")
    assert made.container == (container if is_same else {})


@pytest.mark.parametrize("form", [{}, {"generic": True}, {"canonical": False}])
def test_the_round_trip_is_the_same_program(tmp_path: Path, form: dict[str, bool]) -> None:
    module = shlo.parse(PROGRAM)
    made = shlo.opt(module, "externalize=min-bytes=4")
    file = saved(tmp_path / "w.safetensors", dict(made.tensors))
    back = shlo.opt(shlo.parse(shlo.format(made, **form)), f"bind={file}")
    assert shlo.hash(back) == shlo.hash(module)
    assert len(back.functions["main"].blocks[0].arguments) == 1


def test_the_round_trip_of_drawn_programs(tmp_path: Path) -> None:
    count = 0
    for number in range(12):
        module = generate(3, number, Request(ops=25)).module
        made = shlo.opt(module, "externalize=min-bytes=1", verify_each=True)
        count += len(made.tensors)
        file = saved(tmp_path / "w.safetensors", dict(made.tensors))
        assert shlo.hash(shlo.opt(made, f"bind={file}")) == shlo.hash(module)
    assert count > 20


def test_small_constants_and_splats_stay() -> None:
    module = shlo.parse(PROGRAM)
    assert sorted(shlo.opt(module, "externalize=min-bytes=5").tensors) == sorted(set(NAMES) - {NAMES[1]})
    assert not shlo.opt(module, "externalize=min-bytes=17").tensors
    splat = PROGRAM.replace("dense<[true, false, true, true]>", "dense<true>")
    assert NAMES[1] not in shlo.opt(shlo.parse(splat), "externalize=min-bytes=4").tensors


@pytest.mark.parametrize(
    "old, new, left",
    [
        ("func.func private @g", "func.func public @g", 2),  # other programs may call it
        ("func.func private @f", "func.func public @f", 2),  # it calls @g, and keeps its arguments
        (
            "%3 = call @g(%2) : (tensor<4xf32>) -> tensor<4xf32>",
            '%3 = stablehlo.composite "a.b" %2 {decomposition = @g} : (tensor<4xf32>) -> tensor<4xf32>',
            2,
        ),
    ],
)
def test_constants_of_other_functions_stay(old: str, new: str, left: int) -> None:
    made = shlo.opt(shlo.parse(PROGRAM.replace(old, new)), "externalize=min-bytes=4")
    assert len([op for op in made.walk() if op.name == "stablehlo.constant"]) == left
    assert sorted(made.tensors) == sorted(NAMES[:2])


def test_constants_of_control_flow() -> None:
    text = """\
func.func @main(%p: tensor<i1>) -> tensor<2xi32> {
  %0 = "stablehlo.if"(%p) ({
    %c = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    stablehlo.return %c : tensor<2xi32>
  }, {
    %c = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
    stablehlo.return %c : tensor<2xi32>
  }) : (tensor<i1>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
"""
    made = shlo.opt(shlo.parse(text), "externalize=min-bytes=8")
    assert {name: array.tolist() for name, array in made.tensors.items()} == {
        "constant": [1, 2],
        "constant_1": [3, 4],
    }
    assert shlo.run(made, [np.bool_(False), *made.tensors.values()])[0].tolist() == [3, 4]


def test_resources_instead_of_arguments() -> None:
    module = shlo.parse(PROGRAM)
    made = shlo.opt(module, "externalize=min-bytes=4 resources=true")
    assert not made.tensors
    assert len(made.resources) == 4
    back = shlo.parse(shlo.format(made))
    assert shlo.hash(back) == shlo.hash(module)
    x = np.arange(4, dtype=np.float32)
    assert shlo.run(back, [x])[0].tobytes() == shlo.run(module, [x])[0].tobytes()
    taken = shlo.opt(back, "externalize=min-bytes=4")
    assert len(taken.tensors) == 4


def test_names_that_are_taken() -> None:
    named = shlo.parse(
        PROGRAM.replace("%x: tensor<4xf32>)", "%x: tensor<4xf32> loc(\"params['dense'].w\"))", 1)
    )
    assert "params/dense/w_1" in shlo.opt(named, "externalize=min-bytes=4").tensors


# Binding

MODEL = """\
func.func @main(%x: tensor<2xf32>, %w: tensor<2xbf16> loc("params['w']"),
                %b: tensor<2xi8> {jax.arg_info = "params.b"})
    -> (tensor<2xf32>, tensor<2xbf16>, tensor<2xi8>) {
  return %x, %w, %b : tensor<2xf32>, tensor<2xbf16>, tensor<2xi8>
}
"""
W, B = np.array([1.5, -0.0], ml_dtypes.bfloat16), np.array([1, -2], np.int8)


def bound(
    tmp_path: Path, tensors: dict[str, np.ndarray], options: str = "", text: str = MODEL
) -> shlo.Module:
    file = saved(tmp_path / "w.safetensors", tensors)
    return shlo.opt(shlo.parse(text, "model.mlir"), f"bind={file} {options}")


@pytest.mark.parametrize(
    "names", [("params/w", "params/b"), ("w", "b"), ("arg1", "%arg2"), ("params['w']", "params.b")]
)
def test_arguments_by_their_names(tmp_path: Path, names: tuple[str, str]) -> None:
    made = bound(tmp_path, {names[1]: B, names[0]: W})
    x = np.ones(2, np.float32)
    assert [r.tobytes() for r in shlo.run(made, [x])] == [x.tobytes(), W.tobytes(), B.tobytes()]


def test_a_constant_has_the_place_and_the_name_of_its_argument(tmp_path: Path) -> None:
    text = MODEL.replace("%x: tensor<2xf32>", '%x: tensor<2xf32> loc("model.py":3:1)').replace("%x", "%input")
    made = bound(tmp_path, {"arg0": np.float32([1, 2]), "w": W, "b": B}, text=text)
    constants = [op for op in made.walk() if op.name == "stablehlo.constant"]
    assert constants[0].location == FileLoc("model.py", 3, 1)
    assert constants[1].location == NameLoc("params['w']", UNKNOWN)
    assert [op.result.name for op in constants] == ["input", "w", "b"]


def test_arrays_of_a_npz_file(tmp_path: Path) -> None:
    file = tmp_path / "w.npz"
    np.savez(file, w=W, b=B)
    made = shlo.opt(shlo.parse(MODEL), f"bind=file='{file}'")
    assert shlo.run(made, [np.ones(2, np.float32)])[1].tobytes() == W.tobytes()


def test_constants_are_views_of_the_file(tmp_path: Path) -> None:
    made = bound(tmp_path, {"w": W})
    (constant,) = [op for op in made.walk() if op.name == "stablehlo.constant"]
    assert not constant.properties["value"].data.flags.owndata


@pytest.mark.parametrize(
    "tensors, options, message",
    [
        (
            {"params/w": W, "params/v": B},
            "",
            "1 tensor that no argument is named after: params/v; arguments without a tensor: x, params/b",
        ),
        ({"w": W, "params/w": W}, "", "tensors w and params/w are both named after input 1"),
        ({"w": W}, "inputs=x", "no tensor for 1 argument: params/b"),
        ({}, "inputs=w", "no tensor for 2 arguments: x, params/b"),
        ({"w": W, "b": B}, "inputs=x,w", "tensor w is named after input 1"),
        ({"w": W, "b": B}, "inputs=y", "no argument is named y; the arguments are x, params/w, params/b"),
        ({"w": B}, "", "w: the argument has type tensor<2xbf16>, the tensor tensor<2xi8>"),
        ({"w": W.reshape(1, 2)}, "", "w: the argument has type tensor<2xbf16>, the tensor tensor<1x2xbf16>"),
        ({"b": B.astype(np.uint8)}, "", "b: the argument has type tensor<2xi8>, the tensor tensor<2xui8>"),
    ],
)
def test_what_does_not_fit(
    tmp_path: Path, tensors: dict[str, np.ndarray], options: str, message: str
) -> None:
    with pytest.raises(shlo.TransformError) as error:
        bound(tmp_path, tensors, options)
    assert message in error.value.diagnostics[0].message


def test_names_that_refer_to_two_arguments(tmp_path: Path) -> None:
    text = MODEL.replace("params.b", "w")
    with pytest.raises(shlo.TransformError, match=r"tensor w is named after input 1 .* and input 2"):
        bound(tmp_path, {"w": W}, "", text)


def test_extra_tensors_are_ignored_on_request(tmp_path: Path) -> None:
    made = bound(tmp_path, {"w": W, "step": B}, "extra=true")
    assert len(made.functions["main"].blocks[0].arguments) == 2
    with pytest.raises(shlo.TransformError, match="no argument is named after"):
        bound(tmp_path, {"step": B}, "extra=true")


def test_types_that_no_constant_has(tmp_path: Path) -> None:
    text = "func.func @main(%w: tensor<?xbf16>) -> tensor<?xbf16> {\n  return %w : tensor<?xbf16>\n}\n"
    with pytest.raises(shlo.TransformError, match=r"w: an argument of type tensor<\?xbf16> cannot .*--dim"):
        bound(tmp_path, {"w": W}, "", text)


@pytest.mark.parametrize(
    "options, message",
    [
        ("", "needs the option file"),
        ("=none.safetensors", "No such file"),
        ("=w.safetensors bad=1", "no option bad"),
    ],
)
def test_files_and_options(tmp_path: Path, options: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        shlo.opt(shlo.parse(MODEL), f"bind{options}")


def test_paths_of_an_exported_tree(tmp_path: Path) -> None:
    """The container of a program says which argument a path leads to."""
    folder = Path(__file__).parents[2] / "testdata"
    leaves = open_safetensors(folder / "tree.safetensors")
    file = saved(tmp_path / "w.safetensors", {f"parameters/{name}": leaves[name] for name in leaves})
    module = shlo.load(folder / "tree.jax_export")
    with pytest.raises(shlo.TransformError, match=r"1 tensor .*: parameters/dense/mask; .*: x, scale"):
        shlo.opt(module, f"bind={file}")  # the mask was dropped
    made = shlo.opt(module, f"bind={file} extra=true")
    assert [each.index for each in made.functions["main"].blocks[0].arguments] == [0, 1]


def test_tensors_below_a_node(tmp_path: Path) -> None:
    """A file of parameters alone: names without the node are told, and given with the option."""
    folder = Path(__file__).parents[2] / "testdata"
    file, module = folder / "tree.safetensors", shlo.load(folder / "tree.jax_export")
    with pytest.raises(shlo.TransformError) as found:
        shlo.opt(module, f"bind={file} inputs=x,scale extra=true")
    assert "no argument is named after" in found.value.diagnostics[0].message
    made = shlo.opt(module, f"bind={file} node=parameters inputs=x,scale extra=true")
    assert [each.index for each in made.functions["main"].blocks[0].arguments] == [0, 1]
    names = {name: leaf for name, leaf in open_safetensors(file).items() if name != "dense/mask"}
    alone = saved(tmp_path / "kept.safetensors", names)
    with pytest.raises(shlo.TransformError) as found:
        shlo.opt(module, f"bind={alone}")
    assert "node=parameters" in str(found.value.diagnostics[0].notes)
    bound_names = shlo.opt(module, f"bind={alone} node=parameters")
    assert shlo.hash(bound_names) == shlo.hash(made)


def test_tensors_of_a_node_have_the_whole_paths_as_names() -> None:
    found = Below("params/dense", {"w": W, "b": B})
    assert list(found) == ["params/dense/w", "params/dense/b"]
    assert len(found) == 2
    assert found["params/dense/b"] is B
    assert "b" not in found


@pytest.mark.parametrize("name", ["w.safetensors", "w.npz"])
def test_files_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_bytes(b"neither of them")
    with pytest.raises(ValueError, match=rf"^{re.escape(str(file))}: .") as error:
        load_tensors(str(file))
    assert str(error.value).count(name) == 1
    with pytest.raises(
        ValueError, match=rf"^{re.escape(str(tmp_path / 'no.npz'))}: No such file or directory$"
    ):
        load_tensors(str(tmp_path / "no.npz"))


def test_one_array_without_a_name(tmp_path: Path) -> None:
    file = tmp_path / "w.npy"
    np.save(file, B)
    with pytest.raises(ValueError) as error:
        load_tensors(str(file))
    assert str(error.value) == (f"{file}: one array without a name; expected a .safetensors or .npz file")


def test_arguments_of_a_function_that_is_called_do_not_change(tmp_path: Path) -> None:
    other = """func.func private @f(%x: tensor<2xf32>, %w: tensor<2xbf16>, %b: tensor<2xi8>) {
  %0:3 = call @NAME(%x, %w, %b)
    : (tensor<2xf32>, tensor<2xbf16>, tensor<2xi8>) -> (tensor<2xf32>, tensor<2xbf16>, tensor<2xi8>)
  return
}
"""
    same = MODEL.replace("func.func @main", "func.func @other")
    text = f"{MODEL}{same}{other}"
    with pytest.raises(shlo.TransformError) as error:
        bound(tmp_path, {"w": W}, "", text.replace("NAME", "main"))
    (found,) = error.value.diagnostics
    assert found.message.removeprefix("func.call: ") == "@main is called, so that its arguments cannot change"
    made = bound(tmp_path, {"w": W}, "", text.replace("NAME", "other"))
    assert len(made.functions["main"].blocks[0].arguments) == 2


def test_only_tensors_that_weight_files_have_become_arguments() -> None:
    """Their types are those of safetensors, and they consist of whole bytes."""
    constants = {
        "a": "dense<[1, 2]> : tensor<2xi4>",
        "b": "dense<[1, 2]> : tensor<2xi8>",
        "c": "dense<[1.0, 2.0]> : tensor<2xf4E2M1FN>",
        "d": "dense<[1.0, 2.0, 4.0]> : tensor<3xf4E2M1FN>",
        "e": "dense<[1, 2]> : tensor<2x!quant.uniform<i8:f32, 1.0>>",
        "f": "dense<[(1.0, 2.0)]> : tensor<1xcomplex<f64>>",
        "g": "dense_resource<none> : tensor<8xf32>",
    }
    lines = [f'%{name} = stablehlo.constant {value} loc("{name}")' for name, value in constants.items()]
    lines += ["%i = arith.constant 1 : index"]
    names = ", ".join(f"%{name}" for name in constants)
    types = ", ".join(value.partition(" : ")[2] for value in constants.values())
    text = "func.func @main() {\n" + "\n".join(lines)
    text += f'\n"stablehlo.custom_call"({names}, %i) {{call_target_name = "f", has_side_effect = true}}'
    text += f"\n : ({types}, index) -> ()\nreturn\n}}"
    made = shlo.opt(shlo.parse(text), "externalize=min-bytes=1")
    assert sorted(made.tensors) == ["b", "c"]


def test_elements_of_constants() -> None:
    """Those of a resource that is too short, or of an invalid constant, are not in the program."""
    module = shlo.parse("""func.func @main() {
      %a = stablehlo.constant dense<[1, 2]> : tensor<2xi16>
      %b = stablehlo.constant dense_resource<r> : tensor<2xi16>
      %c = stablehlo.constant dense_resource<none> : tensor<2xi16>
      %d = stablehlo.constant dense<[1, 2]> : tensor<2xi16>
      return
    }""")
    module.resources["r"] = bytes([1, 0, 2, 1])
    *ops, last, _ = module.functions["main"].blocks[0].ops
    del last.properties["value"]
    found = [elements(module, op) for op in (*ops, last)]
    assert [None if each is None else each.tolist() for each in found] == [[1, 2], [1, 258], None, None]
    module.resources["r"] = bytes(3)
    assert elements(module, ops[1]) is None


EXTRA = "the option extra=true ignores tensors that are left over"


@pytest.mark.parametrize(
    ("names", "message", "notes"),
    [
        (
            ["x", "w", "b", "v"],
            "1 tensor that no argument is named after: v; all arguments have a tensor",
            (EXTRA,),
        ),
        (
            ["w", "v", "u"],
            "2 tensors that no argument is named after: v, u; arguments without a tensor: x, params/b",
            (EXTRA,),
        ),
        (
            ["v"],
            "1 tensor that no argument is named after: v; arguments without a tensor: x, params/w, params/b",
            (),
        ),
    ],
)
def test_tensors_that_are_left_over(names: list[str], message: str, notes: tuple[str, ...]) -> None:
    arrays = {"x": np.float32([3, 4]), "w": W, "b": B}
    module = shlo.parse(MODEL)
    with pytest.raises(shlo.TransformError) as error:
        bind(module, {name: arrays.get(name, B) for name in names})
    (found,) = error.value.diagnostics
    assert (found.message.removeprefix("func.func: "), found.notes) == (message, notes)


def test_each_argument_gets_the_tensor_of_its_name() -> None:
    """In the order of the arguments, whatever the order of the tensors."""
    module = shlo.parse(MODEL)
    bind(module, {"b": B, "x": np.float32([3, 4]), "w": W})
    *ops, last = module.functions["main"].blocks[0].ops
    assert [str(op.result.type) for op in ops] == ["tensor<2xf32>", "tensor<2xbf16>", "tensor<2xi8>"]
    assert [np.asarray(op.properties["value"].value).tolist() for op in ops] == [[3, 4], [1.5, 0], [1, -2]]
    assert last.operands == tuple(op.result for op in ops)
    assert module.functions["main"].blocks[0].arguments == ()


@pytest.mark.parametrize("shape", [(1,), (2,), (1, 2)])
def test_raw_bytes_are_elements_of_their_width_only(shape: tuple[int, ...]) -> None:
    """Arrays of .npz files have them, for types that NumPy does not know: here, as long as two bf16."""
    raw = np.zeros(shape, "V4")
    with pytest.raises(shlo.TransformError) as error:
        bind(shlo.parse(MODEL), {"w": raw})
    found = error.value.diagnostics[0].message.removeprefix("func.func: ")
    assert found.endswith(f"w: the argument has type tensor<2xbf16>, the tensor |V4 of shape {shape}")


def test_files_of_the_arguments_that_are_left_have_their_new_indices() -> None:
    module = shlo.parse(MODEL)
    module.weights = {0: Path("x.npy"), 1: Path("w.npy"), 2: Path("b.npy")}
    leaves = numbered("tuple", (Tree("leaf"),) * 3)
    arguments = numbered("tuple", (leaves, Tree("dict")))
    module.convention = Convention(arguments, Tree("leaf"), ("float32[2]",) * 3, (0, 1, 2))
    bind(module, {"arg1": W})
    assert module.weights == {0: Path("x.npy"), 1: Path("b.npy")}
    assert module.convention is None  # it states how the function with all arguments is called


def test_what_describes_other_arguments_is_dropped() -> None:
    """A container says how the function with the old arguments is called."""
    text = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = stablehlo.add %x, %c : tensor<2xf32>
  return %0 : tensor<2xf32>
}"""
    for least, is_moved in ((8, True), (9, False)):
        module = shlo.parse(text)
        module.container = {"kind": "jax.export container"}
        assert bool(externalize(module, least, False)) is is_moved
        assert module.container == ({} if is_moved else {"kind": "jax.export container"})


CALLS = """\
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %w = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32> loc("w")
  %0 = call @f(%x, %w, %x) {arg_attrs = [{a.first}, {a.weight}, {a.last}]}
    : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @f(%a: tensor<2xf32> {a.first}, %w: tensor<2xf32> {a.weight}, %b: tensor<2xf32> {a.last})
    -> tensor<2xf32> {
  %c = stablehlo.constant dense<[3.0, 4.0]> : tensor<2xf32> loc("c")
  %0 = stablehlo.multiply %a, %w : tensor<2xf32>
  %1 = stablehlo.add %0, %b : tensor<2xf32>
  %2 = stablehlo.add %1, %c : tensor<2xf32>
  return %2 : tensor<2xf32>
}
"""


@pytest.mark.parametrize("stated", [True, False])
def test_attributes_of_calls_stay_with_their_operands(tmp_path: Path, stated: bool) -> None:
    text = CALLS if stated else re.sub(r" \{arg_attrs = .*\}", "", CALLS)
    moved = shlo.opt(shlo.parse(text), "externalize=min-bytes=1")
    back = bound(tmp_path, dict(moved.tensors), "", shlo.format(moved))
    attributes = [
        [str(op.attribute("arg_attrs")) for op in made.walk() if op.name == "func.call"]
        for made in (moved, back)
    ]
    assert attributes == [
        ["[{a.first}, {a.weight}, {a.last}, {}]" if stated else "None"],
        ["[{a.first}, {a.last}]" if stated else "None"],
    ]
    assert sorted(moved.tensors) == ["c", "w"] and shlo.verify(moved) == shlo.verify(back) == []
    x = np.array([5, 7], np.float32)
    results = shlo.run(moved, [x, *moved.tensors.values()]), shlo.run(back, [x])
    assert [found.tolist() for (found,) in results] == [[13, 25]] * 2


SHARED = """\
func.func @main(%x: tensor<2xf32>, %w: tensor<2xf32>, %v: tensor<2xf32>)
    -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {{
  %0 = call @f(%x, {}) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = call @f(%x, {}) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0, %1, {} : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}}
func.func {} @f(%x: tensor<2xf32>, %w: tensor<2xf32>) -> tensor<2xf32> {{
  %0 = stablehlo.subtract %x, %w : tensor<2xf32>
  return %0 : tensor<2xf32>
}}
"""


@pytest.mark.parametrize(
    ("first", "second", "returned", "visibility", "moved", "results"),
    [
        ("%w", "%w", "%x", "private", True, [[6, 5], [6, 5], [7, 7]]),
        ("%w", "%w", "%w", "private", False, [[6, 5], [6, 5], [1, 2]]),  # the entry uses it as well
        ("%w", "%v", "%x", "private", False, [[6, 5], [4, 3], [7, 7]]),
        ("%w", "%x", "%x", "private", False, [[6, 5], [0, 0], [7, 7]]),  # the second call passes no constant
        ("%x", "%w", "%x", "private", False, [[0, 0], [6, 5], [7, 7]]),
        ("%w", "%w", "%x", "public", False, [[6, 5], [6, 5], [7, 7]]),
    ],
)
def test_constants_move_into_the_only_function_that_all_calls_pass_them_to(
    first: str, second: str, returned: str, visibility: str, moved: bool, results: list[list[float]]
) -> None:
    module = shlo.parse(SHARED.format(first, second, returned, visibility))
    bind(module, {"w": np.float32([1, 2]), "v": np.float32([3, 4])})
    assert shlo.verify(module) == []
    assert len(module.functions["f"].entry_block.arguments) == (1 if moved else 2)
    names = [op.name for op in module.functions["f"].entry_block.ops]
    assert ("stablehlo.constant" in names) is moved
    assert [found.tolist() for found in shlo.run(module, [np.float32([7, 7])])] == results
