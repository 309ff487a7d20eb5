"""Invalid `sdy.sharding` attributes on inputs, outputs and ops, which C++ rejects."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo

T = "tensor<8x4xf32>"


def program(value: str = "", output: str = "", op: str = "") -> str:
    attribute = f" {{sdy.sharding = {value}}}" if value else ""
    result = f"({T} {{sdy.sharding = {output}}})" if output else T
    on_op = f" {{sdy.sharding = {op}}}" if op else ""
    return f"""sdy.mesh @mesh = <["x"=2, "y"=2]>
sdy.mesh @one = <[], device_ids=[0]>
func.func @main(%a: {T}{attribute}) -> {result} {{
  %0 = stablehlo.tanh %a{on_op} : {T}
  return %0 : {T}
}}
"""


GOOD = '#sdy.sharding<@mesh, [{"x"}, {?}]>'


def test_shardings_that_fit() -> None:
    each = "#sdy.sharding_per_value<[<@one, []>]>"
    assert shlo.verify(shlo.parse(program(GOOD, GOOD, each))) == []


FAULTS = [
    ('#sdy.sharding<@grid, [{"x"}, {}]>', "undefined mesh @grid"),
    ('#sdy.sharding<@mesh, [{"x"}]>', f"expected 2 dimension shardings for {T}, got 1"),
    ('#sdy.sharding<@one, [{"x"}, {}]>', f"expected 0 dimension shardings for {T}, got 2"),
    ('#sdy.sharding<@mesh, [{"z"}, {}]>', "unknown mesh axis z"),
    ('#sdy.sharding<@mesh, [{"x"}, {"x"}]>', "axis x is used twice"),
]


@pytest.mark.parametrize(("sharding", "message"), [*FAULTS, ('"none"', "expected #sdy.sharding<...>")])
def test_inputs_and_outputs(sharding: str, message: str) -> None:
    (found,) = shlo.verify(shlo.parse(program(value=sharding)))
    assert (found.code, found.message) == ("sharding", f"sdy.sharding of input 0: {message}")
    assert (found.line, found.column) == (3, 17)
    (found,) = shlo.verify(shlo.parse(program(output=sharding)))
    assert found.message == f"sdy.sharding of output 0: {message}"


@pytest.mark.parametrize(("sharding", "message"), FAULTS)
def test_results_of_an_op(sharding: str, message: str) -> None:
    text = program(op=f"#sdy.sharding_per_value<[{sharding.removeprefix('#sdy.sharding')}]>")
    (found,) = shlo.verify(shlo.parse(text))
    assert (found.message, found.line) == (f"sdy.sharding of result 0: {message}", 4)


@pytest.mark.parametrize(
    ("sharding", "message"),
    [
        (GOOD, "sdy.sharding must be #sdy.sharding_per_value<...>"),
        ("#sdy.sharding_per_value<[]>", "sdy.sharding has 0 shardings for 1 results"),
    ],
)
def test_an_op_has_a_sharding_for_each_result(sharding: str, message: str) -> None:
    (found,) = shlo.verify(shlo.parse(program(op=sharding)))
    assert found.message == message


@pytest.mark.parametrize("type", ["tensor<*xf32>", "memref<8x4xf32>"])
def test_types_whose_rank_is_not_known_take_any_sharding(type: str) -> None:
    text = f"""sdy.mesh @mesh = <["x"=2]>
func.func private @f({type} {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}]>}})"""
    assert not [d for d in shlo.verify(shlo.parse(text)) if d.code == "sharding"]


def test_axes_of_the_manual_computation_around() -> None:
    text = f"""sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: {T}) -> {T} {{
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{{"x"}}, {{}}]>]
      out_shardings=[<@mesh, [{{"x"}}, {{}}]>] manual_axes={{"x"}} (%b: tensor<4x4xf32>) {{
    %1 = stablehlo.tanh %b {{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{{"x"}}, {{}}]>]>}}
      : tensor<4x4xf32>
    sdy.return %1 : tensor<4x4xf32>
  }} : ({T}) -> {T}
  return %0 : {T}
}}
"""
    (found,) = shlo.verify(shlo.parse(text))
    assert "axis x is a manual axis of the enclosing manual computation" in found.message


BAD = '{sdy.sharding = #sdy.sharding<@mesh, [{"z"}, {}]>}'


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (f"@f(%a: {T}, %b: {T} {BAD}) {{ return }}", [(2, 35, "input 1")]),
        (
            f"@f(%a: {T}, %b: {T} {BAD}, %c: {T} {BAD}) {{ return }}",
            [(2, 35, "input 1"), (2, 107, "input 2")],
        ),
        (f"private @f({T}, {T} {BAD})", [(2, 1, "input 1")]),
        (f"private @f() -> ({T} {BAD}, {T}, {T} {BAD})", [(2, 1, "output 0"), (2, 1, "output 2")]),
    ],
)
def test_where_a_sharding_is_wrong(function: str, expected: list[tuple[int, int, str]]) -> None:
    """At the argument of the function's block; at the function if it has none, and for outputs."""
    found = shlo.verify(shlo.parse(f'sdy.mesh @mesh = <["x"=2, "y"=2]>\nfunc.func {function}\n'))
    message = "sdy.sharding of {}: unknown mesh axis z"
    assert [(d.line, d.column, d.message) for d in found] == [(*at, message.format(w)) for *at, w in expected]


def test_each_result_has_a_sharding_of_its_own() -> None:
    text = f"""sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: {T}, %b: {T}) {{
  %0:2 = stablehlo.optimization_barrier {{sdy.sharding =
    #sdy.sharding_per_value<[<@mesh, [{{"x"}}, {{}}]>, <@mesh, [{{}}]>]>}} %a, %b : {T}, {T}
  return
}}
"""
    (found,) = shlo.verify(shlo.parse(text))
    assert found.message == f"sdy.sharding of result 1: expected 2 dimension shardings for {T}, got 1"


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_an_op_of_several_results_has_a_sharding_for_each(count: int) -> None:
    shardings = ", ".join(['<@mesh, [{"x"}, {}]>'] * count)
    text = f"""sdy.mesh @mesh = <["x"=2, "y"=4]>
    func.func @main(%a: {T}) {{
      %0:2 = stablehlo.optimization_barrier {{sdy.sharding = #sdy.sharding_per_value<[{shardings}]>}} %a, %a
        : {T}, {T}
      return
    }}"""
    found = [each.message for each in shlo.verify(shlo.parse(text))]
    assert found == ([] if count == 2 else [f"sdy.sharding has {count} shardings for 2 results"])


@pytest.mark.parametrize("count", [0, 1, 2])
def test_an_op_without_results_may_have_one_sharding(count: int) -> None:
    shardings = ", ".join(['<@mesh, [{"x"}, {}]>'] * count)
    text = f"""sdy.mesh @mesh = <["x"=2, "y"=4]>
    func.func @f(%a: {T}) {{ return }}
    func.func @main(%a: {T}) {{
      call @f(%a) {{sdy.sharding = #sdy.sharding_per_value<[{shardings}]>}} : ({T}) -> ()
      return
    }}"""
    found = [each.message for each in shlo.verify(shlo.parse(text))]
    assert found == ([] if count < 2 else [f"sdy.sharding has {count} shardings for 0 results"])
