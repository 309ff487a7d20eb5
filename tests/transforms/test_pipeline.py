"""Spellings of passes and options, and the pass manager."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo
from stablehlo_py.diagnostics.diagnostic import InternalError
from stablehlo_py.ir.core import Module
from stablehlo_py.syntax.parser import parse_type
from stablehlo_py.transforms import registry
from stablehlo_py.transforms.pass_definition import Option, Options, Pass, failure
from stablehlo_py.transforms.pass_manager import PassRun, run_passes
from stablehlo_py.transforms.pipeline import schedule

FOLD = "stablehlo-aggressive-simplification"
PROGRAM = """// Adds nothing.
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<2xf32>
  %y = stablehlo.add %x, %zero : tensor<2xf32>
  %w = stablehlo.multiply %y, %y : tensor<2xf32> loc("square") // the square
  return %w : tensor<2xf32>
}
"""


@pytest.mark.parametrize(
    "text",
    [
        f"{FOLD}=fold-op-element-limit=100",
        f"{FOLD}={{fold-op-element-limit=100}}",
        f"{FOLD}{{fold-op-element-limit=100}}",
        f"builtin.module(func.func({FOLD}{{fold-op-element-limit=100}}))",
        f"  {FOLD}='fold-op-element-limit=100'  ",
    ],
)
def test_spellings_of_an_option(text: str) -> None:
    (found,) = schedule(text)
    assert found.definition.name == FOLD
    assert found.options == {"fold-op-element-limit": 100}
    assert str(found) == f"{FOLD}{{fold-op-element-limit=100}}"


def test_spellings_of_several_passes() -> None:
    for passes in (
        "cse,canonicalize",
        "builtin.module(cse,func.func(canonicalize))",
        ["cse", "canonicalize"],
    ):
        assert [each.definition.name for each in schedule(passes)] == ["cse", "canonicalize"]
    assert schedule("builtin.module()") == []
    assert schedule([]) == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("stablehlo-refine-shapes=separate-calls", "stablehlo-refine-shapes{separate-calls=true}"),
        (
            "stablehlo-aggressive-folder=optimize-float=FALSE",
            "stablehlo-aggressive-folder{optimize-float=false}",
        ),
        (
            "stablehlo-refine-arguments=types=tensor<f32>,token",
            "stablehlo-refine-arguments{types=tensor<f32>,token}",
        ),
        ("narrow={keep={a b}}", "narrow{keep={a b}}"),
    ],
)
def test_passes_with_options_as_text(text: str, shown: str) -> None:
    """The text stands for the same pass and options."""
    (found,) = schedule(text)
    assert str(found) == shown
    assert schedule(shown) == [found]


OPTIONS = (
    Option("types", (), "Types."),
    Option("version", 0, "A version."),
    Option("strict", False, "Strictness."),
    Option("target", "", "A target."),
)


def test_kinds_of_options(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Pass("some-pass", "Nothing.", lambda module, options: None, OPTIONS)
    monkeypatch.setattr("stablehlo_py.transforms.pipeline.find", lambda name: made)

    def options(text: str) -> object:
        (found,) = schedule(f"some-pass={text}")
        return [found.options[option.name] for option in OPTIONS]

    types = ("tensor<1x2xf32>", "!a.f<(i32,i1)->i32>", "tuple<tensor<f32>,tensor<i1>>", "!stablehlo.token")
    assert options(f"types={','.join(types)}") == [types, 0, False, ""]
    assert options("version=-3 strict target=1.0.0") == [(), -3, True, "1.0.0"]
    assert options("{strict=0 types={a,b}}") == [("a", "b"), 0, False, ""]
    assert options("target='a b' strict=TRUE") == [(), 0, True, "a b"]
    for wrong in ("version=x", "strict=2", "colour=red"):
        with pytest.raises(ValueError, match=r"of some-pass must be|has no option colour"):
            options(wrong)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cce", "unknown pass cce; did you mean cse?"),
        ("aggressive-simplification", f"did you mean {FOLD}?"),
        ("cse=limit=1", "pass cse has no option limit; it has no options"),
        ("cse(", "is not a pass"),
    ],
)
def test_errors_name_what_is_known(text: str, message: str) -> None:
    with pytest.raises(ValueError, match="pass") as error:
        schedule(text)
    assert message in str(error.value)


def test_what_a_run_says_of_its_passes() -> None:
    """The program has six ops with the module, the function and its return; two of them go."""
    seen: list[tuple[str, int, int, int]] = []

    def note(run: PassRun, module: shlo.Module) -> None:
        seen.append((str(run.scheduled), run.ops_before, run.ops_after, sum(1 for _ in module.walk())))

    run_passes(shlo.parse(PROGRAM), [FOLD, "cse"], after_each=note)
    assert seen == [(FOLD, 6, 4, 4), ("cse", 4, 4, 4)]


def test_opt_returns_a_new_module_and_keeps_what_no_rule_changes() -> None:
    module = shlo.parse(PROGRAM)
    before = shlo.format(module, canonical=False)
    small = shlo.opt(module, [FOLD])
    assert shlo.format(module, canonical=False) == before
    assert shlo.format(small, canonical=False) == PROGRAM.replace("%y, %y", "%x, %x").replace(
        """  %zero = stablehlo.constant dense<0.0> : tensor<2xf32>
  %y = stablehlo.add %x, %zero : tensor<2xf32>
""",
        "",
    )
    assert "add" in shlo.format(shlo.opt(module, [FOLD], exact=True))


def broken(module: Module, options: Options) -> None:
    module.functions["main"].regions[0].block.ops[-1].use_operands(())


def recursive(module: Module, options: Options) -> None:
    raise RecursionError


def refusing(module: Module, options: Options) -> None:
    raise failure(module, module.functions["main"].regions[0].block.ops[1], "no addition is allowed")


def test_a_pass_that_breaks_a_program_is_an_internal_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stablehlo_py.transforms.pipeline.find", lambda name: Pass(name, "Breaks.", broken))
    with pytest.raises(InternalError, match="invalid after some-pass") as error:
        shlo.opt(shlo.parse(PROGRAM), ["some-pass"])
    assert '"stablehlo.multiply"' in str(error.value)
    assert shlo.opt(shlo.parse(PROGRAM), ["some-pass"], verify_each=False).functions


def test_a_program_that_is_nested_too_deeply(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stablehlo_py.transforms.pipeline.find", lambda name: Pass(name, "-", recursive))
    with pytest.raises(InternalError, match=r"some-pass: the program is nested too deeply"):
        shlo.opt(shlo.parse(PROGRAM), ["some-pass"])


def test_a_refusal_has_the_position_of_the_op(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stablehlo_py.transforms.pipeline.find", lambda name: Pass(name, "No.", refusing))
    with pytest.raises(shlo.TransformError) as error:
        shlo.opt(shlo.parse(PROGRAM, "model.mlir"), ["some-pass"])
    (found,) = error.value.diagnostics
    assert (found.line, found.column, found.code) == (4, 8, "transform")
    assert str(error.value) == "model.mlir:4:8: error: stablehlo.add: no addition is allowed"


def test_a_pipeline_is_its_passes() -> None:
    found = [each.definition.name for each in schedule("chlo-pre-serialization-pipeline,cse")]
    assert found == [
        "chlo-legalize-to-stablehlo",
        "shape-legalize-to-stablehlo",
        "reconcile-unrealized-casts",
        "cse",
    ]
    text = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = chlo.broadcast_add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }"""
    lowered = str(shlo.opt(shlo.parse(text), "chlo-pre-serialization-pipeline"))
    assert "chlo" not in lowered
    assert "stablehlo.add" in lowered


# The passes that upstream's pipelines consist of.
STAGES = {
    "stablehlo-deserialize": ("vhlo-to-version{target=current}", "vhlo-legalize-to-stablehlo"),
    "stablehlo-lower-quant-pipeline": (
        "stablehlo-legalize-quant-to-math",
        "chlo-legalize-to-stablehlo",
        "canonicalize",
        "shape-legalize-to-stablehlo",
        "stablehlo-canonicalize-dynamism",
        "canonicalize",
    ),
    "stablehlo-remove-dynamism{types=tensor<4xf32>}": (
        "stablehlo-refine-arguments{types={tensor<4xf32>}}",
        "stablehlo-refine-shapes",
        "stablehlo-canonicalize-dynamism",
    ),
}


@pytest.mark.parametrize("name", STAGES)
def test_passes_of_pipelines(name: str) -> None:
    found = [(each.definition.name, each.options) for each in schedule(name)]
    stages = [each for stage in STAGES[name] for each in schedule(stage)]
    assert found == [(each.definition.name, each.options) for each in stages]


def test_no_rules_are_left_after_propagation() -> None:
    text = """sdy.mesh @m = <["x"=2]>
    func.func @main(%x: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>},
                    %y: tensor<2x4xf32>) -> tensor<4x4xf32> {
      %0 = stablehlo.dot %x, %y : (tensor<4x2xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
      return %0 : tensor<4x4xf32>
    }"""
    module = shlo.opt(shlo.parse(text), "sdy-populate-op-sharding-rules")
    assert "sdy.sharding_rule" in str(module)
    for name in ("sdy-propagation-pipeline", "sdy-export-pipeline"):
        assert "sdy.sharding_rule" not in str(shlo.opt(module, name))


def test_every_pass_of_the_registry_is_found() -> None:
    for definition in registry.all_passes():
        assert registry.find(definition.name) is definition
        assert definition.summary.endswith(".")
        assert all(option.summary.endswith(".") for option in definition.options)


@pytest.mark.parametrize(
    "name",
    ["stablehlo-refine-shapes", "stablehlo-aggressive-folder", "stablehlo-target-independent-optimization"],
)
def test_sizes_that_a_pass_computes_and_that_contradict_others(name: str) -> None:
    """The program is at fault, not the pass: the rule holds for constants only, and no run is possible."""
    module = shlo.parse("""func.func @main(%x: tensor<4xf32>) -> tensor<?x?xf32> {
      %a = stablehlo.constant dense<[1, 1]> : tensor<2xi32>
      %b = stablehlo.constant dense<[2, 1]> : tensor<2xi32>
      %s = stablehlo.add %a, %b : tensor<2xi32>
      %0 = stablehlo.dynamic_reshape %x, %s : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x?xf32>
      return %0 : tensor<?x?xf32>
    }""")
    assert shlo.verify(module) == []
    with pytest.raises(shlo.TransformError) as error:
        shlo.opt(module, [name])
    (found,) = error.value.diagnostics
    assert (found.line, found.code) == (5, "dynamic_reshape.U2")
    assert found.notes[-1] == f"{name} computes these values, which no run of the program can use"


UNUSED_RESHAPE = """func.func @main(%x: tensor<4xf32>) {
  %two = stablehlo.constant dense<2> : tensor<2xi32>
  %three = stablehlo.constant dense<3> : tensor<2xi32>
  %0 = stablehlo.dynamic_reshape %x, %two : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return
}"""


@pytest.mark.parametrize(
    ("size", "element", "error"),
    [
        ("2", "f32", None),
        ("3", "f32", shlo.TransformError),
        ("2", "f64", InternalError),
        ("3", "f64", InternalError),  # which is not about constants alone
    ],
)
def test_which_rules_a_program_may_come_to_break(
    monkeypatch: pytest.MonkeyPatch, size: str, element: str, error: type[Exception] | None
) -> None:
    """Those on the values of constants; others are broken by the pass."""

    def change(module: Module, options: Options) -> None:
        two, three, reshape, _ = module.functions["main"].blocks[0].ops
        reshape.set_operand(1, (two if size == "2" else three).result)
        reshape.result.type = parse_type(f"tensor<?x?x{element}>")

    monkeypatch.setattr("stablehlo_py.transforms.pipeline.find", lambda name: Pass(name, "-", change))
    module = shlo.parse(UNUSED_RESHAPE)
    if error is None:
        assert shlo.opt(module, ["some-pass"]).functions
        return
    with pytest.raises(error):
        shlo.opt(module, ["some-pass"])


def test_a_program_that_is_invalid_before_is_no_fault_of_a_pass() -> None:
    module = shlo.parse(PROGRAM)
    broken(module, {})
    assert shlo.verify(run_passes(module, ["cse"])) != []


@pytest.mark.parametrize("count", [1 << 14, (1 << 14) + 1])
def test_the_text_of_a_binary_program_has_no_large_constants(count: int) -> None:
    """Those of more than 64 KiB; the program has them."""
    text = f"""func.func @main() -> tensor<{count}xi32> {{
      %0 = stablehlo.constant dense<{[*range(count)]}> : tensor<{count}xi32>
      return %0 : tensor<{count}xi32>
    }}"""
    module = shlo.opt(shlo.parse(shlo.serialize(shlo.parse(text), "bytecode")), "cse")
    assert ("__elided__" in module.source.text) == (count > 1 << 14)
    assert shlo.run(module)[0].tolist() == [*range(count)]
