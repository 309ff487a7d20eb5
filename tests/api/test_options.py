"""The options of the public functions: each changes what its description states, and has that default."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.diagnostics.diagnostic import TransformError
from stablehlo_py.linter.settings import Settings

HEAD = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
BROKEN = HEAD + "  %0 = = 3\n  return %x : tensor<2xf32>\n}\n"
NEWER = (
    HEAD + '  %0 = "stablehlo.new"(%x) : (tensor<2xf32>) -> tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n'
)
OTHER = NEWER.replace("stablehlo.new", "other.op")
ABS = "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %y = stablehlo.abs %x : tensor<2xf32>"
ABS += '  // why\n  return %y : tensor<2xf32> loc("here")\n}\n'


def sources(text: str, folder: Path) -> dict[str, Any]:
    """A program in each form that `parse` takes."""
    data = text.encode()
    (folder / "a.mlir").write_bytes(data)
    (folder / "a.mlir.gz").write_bytes(gzip.compress(data))
    forms = {"text": text, "bytes": data, "bytearray": bytearray(data), "view": memoryview(data)}
    paths = {"path": folder / "a.mlir", "path of gzip": folder / "a.mlir.gz"}
    return {**forms, "gzip": gzip.compress(data), **paths}


FORMS = ["text", "bytes", "bytearray", "view", "gzip", "path", "path of gzip"]


@pytest.mark.parametrize("form", FORMS)
def test_names_and_lines(form: str, tmp_path: Path) -> None:
    source = sources(BROKEN, tmp_path)[form]
    with pytest.raises(shlo.ParseError) as raised:
        shlo.parse(source, "model", first_line=11)
    name, line = (str(source), 2) if "path" in form else ("model", 12)
    (found,) = raised.value.diagnostics
    assert (raised.value.name, found.line, found.column) == (name, line, 8)
    with pytest.raises(shlo.ParseError) as raised:
        shlo.parse(source)
    assert (raised.value.name == "<string>") is ("path" not in form)
    assert raised.value.diagnostics[0].line == 2


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("text", "option"), [(NEWER, "allow_newer"), (OTHER, "allow_unregistered")])
def test_ops_without_a_definition(form: str, text: str, option: str, tmp_path: Path) -> None:
    source = sources(text, tmp_path)[form]
    for options in (
        {},
        {"allow_newer": option != "allow_newer", "allow_unregistered": option != "allow_unregistered"},
    ):
        with pytest.raises(shlo.ParseError, match=r"stablehlo\.new|other\.op"):
            shlo.parse(source, **options)
    assert shlo.format(shlo.parse(source, **{option: True}), canonical=False) == text
    if "path" in form:
        with pytest.raises(shlo.ParseError):
            shlo.load(source)
        assert shlo.format(shlo.load(source, **{option: True}), canonical=False) == text


def test_errors_of_types_include_constraints_in_the_order_of_the_text() -> None:
    text = HEAD + (
        '    %0 = "stablehlo.abs"(%x) : (tensor<2xf32>) -> tensor<3xf32>\n'
        "  %1 = stablehlo.abs %0 : tensor<4xf32>\n  return %x : tensor<2xf32>\n}\n"
    )
    with pytest.raises(shlo.ParseError) as raised:
        shlo.parse(text)
    assert raised.value.module is not None
    assert [(d.line, d.code) for d in raised.value.diagnostics] == [(2, "abs.C1"), (3, "abs.C1"), (3, "ssa")]


def test_strict_verification() -> None:
    """A rule that only the text of the specification has is a warning, or an error."""
    text = "func.func private @f(tensor<2xi7>)"
    assert [each.severity for each in shlo.verify(text)] == ["warning"]
    assert [each.severity for each in shlo.verify(text, True)] == ["error"]


DEAD = HEAD + "  %0 = stablehlo.abs %x : tensor<2xf32>\n  return %x : tensor<2xf32>\n}\n"


@pytest.mark.parametrize(
    ("options", "codes"),
    [
        ({}, ["lint.dead-op"]),
        ({"select": ["dead-op"]}, ["lint.dead-op"]),
        ({"select": ["D"]}, ["lint.dead-op"]),
        ({"select": ["chlo-op"]}, []),
        ({"ignore": ["dead-op"]}, []),
        ({"settings": {"ignore": ["dead-op"]}}, []),
        ({"settings": Settings.of({"select": ["chlo-op"]})}, []),
        ({"settings": {"select": ["chlo-op"]}, "select": ["dead-op"]}, ["lint.dead-op"]),
        ({"settings": {"ignore": ["dead-op"]}, "ignore": ["chlo-op"]}, []),
    ],
)
def test_lint(options: dict[str, Any], codes: list[str]) -> None:
    assert [each.code for each in shlo.lint(DEAD, **options)] == codes


@pytest.mark.parametrize(
    ("name", "operands", "attributes", "types"),
    [
        ("transpose", ["tensor<2x3xf32>"], {"permutation": [1, 0]}, ["tensor<3x2xf32>"]),
        ("stablehlo.abs", ["tensor<2xf32>"], None, ["tensor<2xf32>"]),
        ("concatenate", [["tensor<2xf32>", "tensor<3xf32>"]], {"dimension": 0}, ["tensor<5xf32>"]),
        (
            "dynamic_slice",
            ["tensor<9x9xf32>", ["tensor<i32>", "tensor<i32>"]],
            {"slice_sizes": [1, 2]},
            ["tensor<1x2xf32>"],
        ),
        ("dynamic_slice", ["tensor<f32>", []], {"slice_sizes": []}, ["tensor<f32>"]),
    ],
)
def test_infer(name: str, operands: list[Any], attributes: dict[str, Any] | None, types: list[str]) -> None:
    assert [str(each) for each in shlo.infer(name, operands, attributes).types] == types


@pytest.mark.parametrize(("element", "first"), [("i1", "tensor<2xi1>"), ("f32", "tensor<2xf32>")])
def test_infer_from_bodies(element: str, first: str) -> None:
    """The element type of the results of a map is that of what its body returns."""
    text = f"""func.func @main(%x: tensor<2xf32>, %c: tensor<{element}>) -> {first} {{
  %0 = "stablehlo.map"(%x) <{{dimensions = array<i64: 0>}}> ({{
  ^bb0(%a: tensor<f32>):
    stablehlo.return %c : tensor<{element}>
  }}) : (tensor<2xf32>) -> {first}
  return %0 : {first}
}}"""
    (op,) = [each for each in shlo.parse(text).walk() if each.name == "stablehlo.map"]
    found = shlo.infer("map", ["tensor<2xf32>"], {"dimensions": [0]}, op.regions)
    assert [str(each) for each in found.types] == [first]


def test_infer_of_no_op() -> None:
    with pytest.raises(KeyError, match="unknown op nothing"):
        shlo.infer("nothing")


def test_format() -> None:
    """The defaults are those of the C++ printer: no comments, names and locations."""
    plain = shlo.format(ABS)
    assert "%0 = stablehlo.abs %arg0" in plain and "why" not in plain and "loc(" not in plain
    assert shlo.format(ABS, generic=True) == shlo.format(ABS, True) != plain
    assert "%y = stablehlo.abs %x : tensor<2xf32> // why" in shlo.format(ABS, canonical=False)
    assert 'loc("here")' in shlo.format(ABS, canonical=False)
    assert "loc(" not in shlo.format(ABS, canonical=False, locations=False)
    assert 'loc("here")' in shlo.format(ABS, locations=True)


def test_opt_leaves_the_module_as_it_is() -> None:
    module = shlo.parse(DEAD)
    assert "abs" not in shlo.format(shlo.opt(module, "symbol-dce,canonicalize"))
    assert "abs" in shlo.format(module)
    with pytest.raises(ValueError, match="nothing"):
        shlo.opt(module, ["nothing"])


CHLO = HEAD + "  %0 = chlo.square %x : tensor<2xf32> -> tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n"


@pytest.mark.parametrize(
    ("kind", "options", "ops"),
    [
        ("portable", {}, {"stablehlo.multiply"}),
        ("bytecode", {}, {"chlo.square"}),
        ("bytecode", {"lower_chlo": True}, {"stablehlo.multiply"}),
        ("portable", {"allow_other_dialects": True}, {"chlo.square"}),
        ("vhlo", {}, {"stablehlo.multiply"}),
    ],
)
def test_serialize(kind: Any, options: dict[str, Any], ops: set[str]) -> None:
    data = shlo.serialize(shlo.parse(CHLO), kind, **options)
    names = {op.name for op in shlo.parse(data).walk()}
    assert names - {"builtin.module", "func.func", "func.return"} == ops
    with pytest.raises(shlo.SerializationError):
        shlo.serialize(shlo.parse(CHLO), "portable", lower_chlo=False)


def test_what_a_version_cannot_hold_and_a_pass_can_lower() -> None:
    """`tan` came with 1.4.0, and the expander lowers it; f4E2M1FN came with 1.8.0, and no pass does."""
    text = """func.func @main(%a: tensor<2xf32>, %b: tensor<2xf4E2M1FN>) -> tensor<2xf32> {
      %0 = stablehlo.tan %a : tensor<2xf32>
      return %0 : tensor<2xf32>
    }"""
    with pytest.raises(shlo.SerializationError) as raised:
        shlo.serialize(shlo.parse(text, "model"), target="1.0.0")
    *types, tan = sorted(raised.value.diagnostics, key=lambda each: each.line)
    assert raised.value.name == "model" and types and tan.line == 2
    assert "tan needs StableHLO 1.4.0, and the target is 1.0.0" in tan.message
    lowering = "it can be lowered for 1.0.0 by shlo opt --pass stablehlo-compatibility-expander=target=1.0.0"
    assert tan.notes[-1] == lowering and not any(lowering in each.notes for each in types)


INVALID_CHLO = CHLO.replace("tensor<2xf32> -> tensor<2xf32>", "tensor<2xf32> -> tensor<3xf32>")


def test_programs_with_chlo_that_are_invalid() -> None:
    with pytest.raises(shlo.SerializationError) as raised:
        shlo.serialize(shlo.parse(INVALID_CHLO.replace("return %0", "return %x"), "model"), "portable")
    assert raised.value.name == "model"
    assert [(each.severity, each.line) for each in raised.value.diagnostics] == [("error", 2)]


def test_texts_of_vhlo() -> None:
    module = shlo.parse(ABS)
    plain = shlo.serialize(module, "vhlo")
    assert b"loc(" not in plain and b"vhlo.abs_v1" in plain
    assert b'loc("here")' in shlo.serialize(module, "vhlo", locations=True)
    assert b'"vhlo.func_v1"' not in plain and b'"vhlo.func_v1"' in shlo.serialize(
        module, "vhlo", generic=True
    )
    assert shlo.serialize(module) == shlo.serialize(module, "portable", "current")
    assert shlo.serialize(module) != shlo.serialize(module, target="0.9.0")


FED = """func.func @main(%t: !stablehlo.token) -> tensor<2xi32> {
  %0:2 = "stablehlo.infeed"(%t) <{infeed_config = "", layout = []}>
    : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
  %1 = "stablehlo.outfeed"(%0#0, %0#1) <{outfeed_config = ""}>
    : (tensor<2xi32>, !stablehlo.token) -> !stablehlo.token
  return %0#0 : tensor<2xi32>
}
"""
DRAWN = """func.func @main() -> tensor<4xf32> {
  %a = stablehlo.constant dense<0.0> : tensor<f32>
  %b = stablehlo.constant dense<1.0> : tensor<f32>
  %s = stablehlo.constant dense<4> : tensor<1xi64>
  %0 = stablehlo.rng %a, %b, %s, distribution = UNIFORM
    : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""
PLACE = """func.func @main() -> (tensor<ui32>, tensor<ui32>) {
  %r = stablehlo.replica_id : tensor<ui32>
  %p = stablehlo.partition_id : tensor<ui32>
  return %r, %p : tensor<ui32>, tensor<ui32>
}
"""


@pytest.mark.parametrize(
    "start", [shlo.run, lambda module, inputs=(), **io: shlo.compile(module).call(inputs, **io)]
)
def test_what_a_run_is_given(start: Callable[..., list[Any]]) -> None:
    sent: list[Any] = []
    data = np.int32([3, 4])
    (found,) = start(FED, [None], infeed=[(data,)], outfeed=sent)
    assert found.tolist() == [3, 4] and [part.tolist() for (part,) in sent] == [[3, 4]]
    with pytest.raises(shlo.RunError, match="infeed"):
        start(FED, [None])
    first, again, other = (start(DRAWN, **seed)[0].tolist() for seed in ({}, {"seed": 0}, {"seed": 1}))
    assert first == again != other


LOOP = """func.func @main(%n: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.while(%i = %zero) : tensor<i32>
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j : tensor<i32>
    }
  return %0 : tensor<i32>
}
"""


@pytest.mark.parametrize("through", ["run", "compile"])
def test_how_a_run_is_bounded_and_observed(through: str) -> None:
    def start(text: str, *inputs: Any, entry: str | None = None, **options: Any) -> list[Any]:
        if through == "run":
            return shlo.run(text, inputs, entry, **options)
        return shlo.compile(text, entry, **options)(*inputs)

    assert start(LOOP, np.int32(5), max_steps=1000) == start(LOOP, np.int32(5)) == [5]
    with pytest.raises(shlo.RunError, match=r"steps|ops"):
        start(LOOP, np.int32(5), max_steps=3)
    with pytest.raises(shlo.RunError, match=r"second|time"):
        start(LOOP, np.int32(2**31 - 1), timeout=0.01)
    with pytest.raises(ValueError, match="engine"):
        start(LOOP, np.int32(5), engine="nothing")
    with pytest.raises(ValueError, match="semantics"):
        start(LOOP, np.int32(5), semantics="nothing")
    seen: list[str] = []

    class Names(shlo.Observer):
        def after(self, moment: shlo.Moment, operands: Any, results: Any) -> None:
            seen.append(moment.op.name)

    start(LOOP, np.int32(2), observer=Names())
    assert seen.count("stablehlo.add") == 2


@pytest.mark.parametrize(("replicas", "partitions"), [(2, 1), (1, 3), (2, 3)])
def test_grids(replicas: int, partitions: int) -> None:
    program = shlo.compile(PLACE, replicas=replicas, partitions=partitions)
    found = program.call_grid()
    assert set(found) == {(r, p) for r in range(replicas) for p in range(partitions)}
    assert all((int(r), int(p)) == place for place, (r, p) in found.items())
    assert shlo.run(PLACE, replicas=replicas, partitions=partitions) == [0, 0]


def test_division_checks_first() -> None:
    with pytest.raises(ValueError, match="partition=True divides a program over its mesh"):
        shlo.compile(DEAD, partition=True, replicas=2)  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="partition=True divides a program over its mesh"):
        shlo.compile(DEAD, partition=True, partitions=2)  # type: ignore[call-overload]
    invalid = DEAD.replace(
        "stablehlo.abs %x : tensor<2xf32>", '"stablehlo.abs"(%x) : (tensor<2xf32>) -> tensor<3xf32>'
    )
    for call in (lambda: shlo.compile(invalid, partition=True), lambda: shlo.analyze_devices(invalid)):
        with pytest.raises(TransformError) as raised:
            call()
        assert [each.code for each in raised.value.diagnostics] == ["abs.C1"]
    with pytest.raises(ValueError, match="for one device"):
        shlo.analyze_devices(DEAD)
    warned = f"func.func private @f(tensor<2xi7>)\n{DEAD}"
    assert [each.severity for each in shlo.verify(warned)] == ["warning"]
    assert shlo.compile(warned, partition=True).name == "main"


def test_hashes() -> None:
    one, two = (f"func.func @f() -> tensor<f32> {{\n  %0 = stablehlo.constant dense<{x}> : tensor<f32>\n"
                "  return %0 : tensor<f32>\n}\n" for x in ("1.0", "2.0"))  # fmt: skip
    assert shlo.hash(one) != shlo.hash(two)
    assert shlo.hash(one, structure=True) == shlo.hash(two, structure=True) != shlo.hash(DEAD, structure=True)
    assert shlo.hash(one) == shlo.hash(one.replace("%0", "%x"))


def test_options_of_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Any] = []
    from stablehlo_py.transforms import pass_manager

    monkeypatch.setattr(pass_manager, "run_passes", lambda *args, **options: given.append((args[1], options)))
    shlo.opt(DEAD, ["cse"])
    shlo.opt(DEAD, "cse", verify_each=False, exact=True)
    assert given == [
        (["cse"], {"verify_each": True, "exact": False}),
        ("cse", {"verify_each": False, "exact": True}),
    ]


@pytest.mark.parametrize(
    ("count", "given", "message"),
    [
        (0, 1, "@main takes 0 inputs, 1 given"),
        (1, 2, "@main takes 1 input, 2 given"),
        (2, 1, "@main takes 2 inputs, 1 given"),
    ],
)
def test_another_number_of_inputs(count: int, given: int, message: str) -> None:
    arguments = ", ".join([f"%a{index}: tensor<f32>" for index in range(count)])
    program = shlo.compile(shlo.parse(f"func.func @main({arguments}) {{ return }}"))
    with pytest.raises(shlo.RunError, match=f"{message}$"):
        program(*[np.float32(0)] * given)
