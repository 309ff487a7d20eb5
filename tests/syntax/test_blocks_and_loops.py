"""Programs of several blocks, loops and branches of `scf`, functions as values: read, printed, not run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from stablehlo_py.cli.main import run_command

import stablehlo_py as shlo
from stablehlo_py.hlo.from_stablehlo import from_stablehlo
from tests.helpers.drawing.control_flow import drawn

BLOCKS = """func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %a, %a : tensor<f32>
  cf.br ^next(%0 : tensor<f32>)
^next(%x: tensor<f32>):
  return %x : tensor<f32>
}
"""
LOOP = """func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%x = %a) -> (tensor<f32>) {
    %y = stablehlo.add %x, %x : tensor<f32>
    scf.yield %y : tensor<f32>
  }
  return %r : tensor<f32>
}
"""
FLOATS = """func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = arith.addf %a, %a fastmath<nnan> : tensor<2xf32>
  %1 = arith.extf %0 fastmath<none> : tensor<2xf32> to tensor<2xf64>
  %2 = arith.truncf %1 : tensor<2xf64> to tensor<2xf32>
  return %2 : tensor<2xf32>
}
"""
INDIRECT = """func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %f = constant @g : (tensor<f32>) -> tensor<f32>
  %r = call_indirect %f(%a) : (tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}
func.func private @g(%a: tensor<f32>) -> tensor<f32> {
  return %a : tensor<f32>
}
"""


@pytest.mark.parametrize("program", [BLOCKS, LOOP, FLOATS, INDIRECT])
def test_names_and_labels_are_kept(program: str) -> None:
    assert shlo.format(shlo.parse(program), canonical=False) == program


@pytest.mark.parametrize("seed", range(12))
def test_drawn_programs_survive_their_forms(seed: int) -> None:
    """Generic form, bytecode and the author's names are read as the same program."""
    module = shlo.parse(drawn(seed))
    text = shlo.format(module)
    assert shlo.format(shlo.parse(shlo.format(module, generic=True))) == text
    assert shlo.format(shlo.parse(shlo.format(module, canonical=False))) == text
    assert shlo.format(shlo.parse(shlo.serialize(module, "bytecode"))) == text


@pytest.mark.parametrize("engine", ["numpy", "native", "auto"])
@pytest.mark.parametrize(
    ("program", "message"),
    [
        (BLOCKS, "3:3: cf.br: continues with another block, and functions of several blocks cannot be run"),
        (LOOP, "4:8: scf.for: no kernel for this op"),
        (FLOATS, "2:8: arith.addf: no kernel for this op"),
        (INDIRECT, "2:8: func.constant: no kernel for this op"),
    ],
)
def test_none_is_run(program: str, message: str, engine: str) -> None:
    if engine == "native":
        pytest.importorskip("llvmlite", reason="needs the extra native")
    module = shlo.parse(program, "m.mlir")
    with pytest.raises(shlo.Unsupported) as refused:
        shlo.compile(module, engine=engine)(*shlo.random_inputs(module))
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["convert", "--to", "hlo"], "cf.br: it continues with another block, and a computation has one"),
        (
            ["convert", "--to", "portable"],
            "cf.br is of the dialect cf, which a portable artifact cannot hold",
        ),
        (
            ["opt", "-p", "sdy-propagation-pipeline"],
            "cf.br: shardings are propagated in functions of one block only",
        ),
    ],
)
def test_what_needs_one_block(
    command: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "m.mlir"
    file.write_text(BLOCKS)
    assert run_command([*command, str(file), "-o", str(tmp_path / "out")]) == 1
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("%0 = arith.addf %a, %a fastmath<quick> : f32", "expected one of none, reassoc, nnan, "),
        ("%0 = arith.cmpf less, %a, %a : f32", "expected one of false, oeq, ogt, "),
        ("%0 = arith.truncf %a nearest : f32 to bf16", "expected one of to_nearest_even, downward, "),
        ("cf.br ^bb9", "reference to an undefined block ^bb9"),
        ("cf.switch %i : i32, [1: ^bb1]", "expected 'default'"),
        (
            "%0 = scf.for %k = %i to %i step %i iter_args(%x = %a) -> () : i32 {\n}",
            "expected as many types as values: got 1 values and 0 types",
        ),
    ],
)
def test_errors_of_reading(line: str, message: str) -> None:
    with pytest.raises(shlo.ParseError) as refused:
        shlo.parse(f"func.func @f(%a: f32, %i: i32) {{\n{line}\nreturn\n}}")
    assert message in str(refused.value)


def test_cases_are_printed_without_a_sign() -> None:
    """As the C++ printer does; one value for all cases is stored once."""
    cases = "[default: ^bb1, -1: ^bb1, -1: ^bb1]"
    text = shlo.format(shlo.parse(f"func.func @f(%i: i8) {{\ncf.switch %i : i8, {cases}\n^bb1:\nreturn\n}}"))
    assert text.count("      255: ^bb1") == 2
    assert shlo.format(shlo.parse(text)) == text


@pytest.mark.parametrize(
    ("flag", "cases", "stored", "printed"),
    [
        ("i8", ["300", "-300", "-129"], "[44, -44, 127]", ["44", "212", "127"]),
        ("i8", ["-0", "0x1FF"], "[0, -1]", ["0", "255"]),
        ("ui8", ["-1", "256"], "[255, 0]", ["255", "0"]),
        ("si4", ["15", "-9"], "[-1, 7]", ["15", "7"]),
        ("i1", ["true", "2"], "[true, false]", ["1", "0"]),
        ("i8", ["true", "false"], "[-1, 0]", ["255", "0"]),
        ("i64", ["-1", "5"], "[-1, 5]", None),
        ("i128", ["5", "-1"], "[5, -1]", None),
    ],
)
def test_cases_wrap_around(flag: str, cases: list[str], stored: str, printed: list[str] | None) -> None:
    """As in C++; what its pretty form cannot say is printed in generic form."""
    listed = "".join([f", {case}: ^bb1" for case in cases])
    module = shlo.parse(
        f"func.func @f(%i: {flag}) {{\ncf.switch %i : {flag}, [default: ^bb1{listed}]\n^bb1:\nreturn\n}}"
    )
    assert not any(each.severity == "error" for each in shlo.verify(module))
    text, generic = shlo.format(module), shlo.format(module, generic=True)
    assert f"case_values = dense<{stored}> : vector<{len(cases)}x{flag}>" in generic
    assert re.findall(r"^ +(\S+): \^bb1,?$", text, re.MULTILINE)[1:] == (printed or [])
    assert shlo.format(shlo.parse(text)) == text == shlo.format(shlo.parse(generic))


def test_operands_of_the_default_have_no_result_number() -> None:
    declared = (
        "func.func private @g() -> (i32, i32)\nfunc.func @f(%k: i32) {\n%a:2 = call @g() : () -> (i32, i32)\n"
    )
    rest = "\n^bb1(%x: i32):\nreturn\n}"
    for operand in ("%k#0", "%a#1"):
        with pytest.raises(shlo.ParseError, match="4:36: error: result number not allowed in argument list"):
            shlo.parse(f"{declared}cf.switch %k : i32, [default: ^bb1({operand} : i32)]{rest}")
    sizes = "case_operand_segments = array<i32>, operandSegmentSizes = array<i32: 1, 1, 0>"
    text = shlo.format(
        shlo.parse(f'{declared}"cf.switch"(%a#0, %a#1)[^bb1] <{{{sizes}}}> : (i32, i32) -> (){rest}')
    )
    assert '"cf.switch"(%0#0, %0#1)' in text
    assert shlo.format(shlo.parse(text)) == text
    pair = "%a:2 = arith.addui_extended %k, %k : i32, i1\n"  # two names, where MLIR names them
    module = shlo.parse(
        f'func.func @f(%k: i32) {{\n{pair}"cf.switch"(%k, %a#0)[^bb1] <{{{sizes}}}> : (i32, i32) -> (){rest}'
    )
    text = shlo.format(module, canonical=False)
    assert '"cf.switch"(%k, %a#0)' in text
    assert shlo.format(shlo.parse(text), canonical=False) == text


DECLARATION = """func.func private @f(tensor<8xf32>) -> tensor<8xf32>
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
"""


def test_a_declaration_has_no_form_in_hlo() -> None:
    with pytest.raises(shlo.ParseError, match=r"1:1: error: .* has no body to convert"):
        from_stablehlo(shlo.parse(DECLARATION))


def test_calls_of_declarations_stay_where_shardings_are_propagated() -> None:
    made = shlo.opt(shlo.parse(DECLARATION), ["sdy-propagation-pipeline"])
    assert shlo.format(made) == shlo.format(shlo.parse(DECLARATION))


SWITCH = """func.func @main(%i: {flag}, %x: f32) {{
  "cf.switch"(%i, %x, %x, %x)[^a, ^a, ^a] <{{case_operand_segments = array<i32: {segments}>,
    case_values = dense<{values}> : {type}, operandSegmentSizes = array<i32: 1, 1, 2>}}>
    : ({flag}, f32, f32, f32) -> ()
^a(%y: f32):
  return
}}"""


@pytest.mark.parametrize(
    ("flag", "segments", "values", "type", "numbers"),
    [
        ("i32", "1, 1", "[1, 2]", "vector<2xi32>", [1, 2]),
        ("i32", "1, 1", "[1, 2]", "tensor<2xi32>", [1, 2]),
        ("i32", "1, 1", "7", "tensor<2xi32>", [7, 7]),
        ("i8", "1, 1", "[1, -2]", "tensor<2xi8>", [1, 254]),  # without a sign, as MLIR prints them
        ("i1", "1, 1", "[true, false]", "vector<2xi1>", [1, 0]),
        ("i32", "2", "[1, 2]", "vector<2xi32>", None),
        ("index", "1, 1", "[1, 2]", "vector<2xindex>", None),
        ("tensor<i32>", "1, 1", "[1, 2]", "vector<2xi32>", None),
    ],
)
def test_numbers_of_cases(
    flag: str, segments: str, values: str, type: str, numbers: list[int] | None
) -> None:
    text = shlo.format(shlo.parse(SWITCH.format(flag=flag, segments=segments, values=values, type=type)))
    printed = [int(line.split(":")[0]) for line in text.splitlines() if re.match(r" +\d+: \^", line)]
    assert printed == (numbers or [])
    assert ('"cf.switch"' in text) == (numbers is None)


@pytest.mark.parametrize(
    ("type", "line"),
    [
        ("i32", '"func.func"() <{function_type = i32, sym_name = "f"}> ({'),
        ("(i32) -> ()", "func.func @f(i32)"),
    ],
)
def test_a_function_without_a_signature(type: str, line: str) -> None:
    text = f'"func.func"() <{{function_type = {type}, sym_name = "f"}}> ({{}}) : () -> ()'
    assert shlo.format(shlo.parse(text)).splitlines()[1].strip() == line


@pytest.mark.parametrize("second", ["", "  ^b:\n    scf.condition(%p) %x : f32\n"])
def test_a_loop_with_two_blocks(second: str) -> None:
    text = f"""func.func @main(%x: f32, %p: i1) {{
  %0 = "scf.while"(%x) ({{
  ^a(%a: f32):
    scf.condition(%p) %a : f32
{second}  }}, {{
  ^c(%a: f32):
    scf.yield %a : f32
  }}) : (f32) -> f32
  return
}}"""
    found = shlo.format(shlo.parse(text))
    assert ('"scf.while"' in found) == bool(second)
    assert shlo.format(shlo.parse(found)) == found
