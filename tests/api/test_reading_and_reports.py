"""Sources of programs in each form, reports, graphs and analyses of devices, as Python functions."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.api import reporting
from stablehlo_py.api.reporting import analyze_subject
from stablehlo_py.linter.settings import Settings
from stablehlo_py.reports.report import Subject

PROGRAM = """func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.negate %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""
WRONG = PROGRAM.replace("negate %a", "not %a")
MALFORMED = "func.func @main( {"
COMPUTATION = "%main.3 {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] negate(x)\n}\n"
HLO = "HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] negate(x)\n}\n"


@pytest.mark.parametrize("text", [PROGRAM, HLO, COMPUTATION])
@pytest.mark.parametrize("kind", [str, bytes, bytearray, memoryview])
def test_texts_and_bytes(text: str, kind: Any) -> None:
    module = shlo.parse(text if kind is str else kind(text.encode()), name="given")
    assert shlo.run(module, [np.array([1, -2], np.float32)])[0].tolist() == [-1, 2]


@pytest.mark.parametrize("kind", ["portable", "bytecode"])
def test_artifacts_are_read_as_bytes_and_as_files(kind: Any, tmp_path: Path) -> None:
    data = shlo.serialize(shlo.parse(PROGRAM), kind)
    path = tmp_path / "program"
    path.write_bytes(data)
    expected = shlo.format(shlo.parse(PROGRAM))
    assert shlo.format(shlo.parse(data)) == shlo.format(shlo.load(path)) == expected
    with pytest.raises(shlo.ParseError) as caught:
        shlo.load_hlo(path)
    (error,) = caught.value.diagnostics
    assert error.message == "expected HLO text or an HloModuleProto, found a program of StableHLO"
    assert (error.severity, error.code, caught.value.name) == ("error", "hlo", str(path))
    assert (error.line, error.column) == (0, 0), "there is no text"


def test_the_gradient_of_a_text(tmp_path: Path) -> None:
    """A text has none, in a file and as bytes."""
    path = tmp_path / "program.mlir"
    path.write_text(PROGRAM)
    for read, given in ((shlo.load, path), (shlo.parse, path), (shlo.parse, PROGRAM.encode())):
        with pytest.raises(shlo.ParseError, match=r"expected a jax\.export container or a SavedModel"):
            read(given, vjp=1)


def test_a_folder_of_torch_xla(tmp_path: Path) -> None:
    """The program, in text or in bytecode, and the names of inputs and weights of its description."""
    (tmp_path / "functions").mkdir()
    vector = {"shape": [2], "dtype": "float32", "dynamic_dims": []}
    weight = {"type_": "parameter", "position": -1, "name": "w"}
    meta = {"name": "forward", "stablehlo_version": "0.0.0", "unused_inputs": []}
    meta |= {"input_signature": [vector], "output_signature": [vector], "input_locations": [weight]}
    (tmp_path / "functions/forward.meta").write_text(json.dumps(meta))
    path = tmp_path / "functions/forward.mlir"
    path.write_text(PROGRAM)
    expected = shlo.format(shlo.parse(PROGRAM))
    for given in (tmp_path, path):
        module = shlo.load(given)
        assert shlo.format(module) == expected
        assert module.weights == {0: tmp_path / "data" / "w"}
        with pytest.raises(shlo.ParseError, match="gradients"):
            shlo.load(given, vjp=1)
    path.write_text('"other.op"() : () -> ()')
    with pytest.raises(shlo.ParseError, match="other"):
        shlo.load(tmp_path)
    assert len(list(shlo.load(tmp_path, True).walk())) == 2


def test_hlo_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "program.hlo"
    path.write_text(HLO)
    assert shlo.load_hlo(path).name == "m"
    assert shlo.format(shlo.load(path)) == shlo.format(shlo.parse(HLO))
    path.write_text(HLO.replace("negate(x)", "negate(z)"))
    for function in (shlo.load_hlo, shlo.load):
        with pytest.raises(shlo.ParseError) as caught:
            function(path)
        assert caught.value.name == str(path)
        assert caught.value.diagnostics[0].line == 4


def test_texts_of_vhlo_are_read() -> None:
    expected = shlo.format(shlo.parse(PROGRAM))
    for generic in (False, True):
        text = shlo.serialize(shlo.parse(PROGRAM), "vhlo", generic=generic)
        assert shlo.format(shlo.parse(text)) == shlo.format(shlo.parse(text.decode())) == expected
    # The word alone does not make a text one of VHLO.
    assert shlo.format(shlo.parse(f"// vhlo.abs_v1\n{PROGRAM}")) == expected


def test_errors_of_verification_and_no_warnings_come_with_those_of_types() -> None:
    text = f"func.func private @f(tensor<2xi7>)\n{WRONG}".replace(
        "return %0 : tensor<2", "return %0 : tensor<3"
    )
    assert [each.severity for each in shlo.verify("func.func private @f(tensor<2xi7>)")] == ["warning"]
    with pytest.raises(shlo.ParseError) as caught:
        shlo.parse(text)
    assert {d.severity for d in caught.value.diagnostics} == {"error"}


def test_a_use_of_another_type_comes_with_those_of_the_verifier() -> None:
    text = WRONG.replace("return %0 : tensor<2xf32>", "return %0 : tensor<3xf32>")
    with pytest.raises(shlo.ParseError) as caught:
        shlo.parse(text, name="both")
    assert {(d.line, d.code) for d in caught.value.diagnostics} >= {(2, "not.I1"), (3, "ssa")}
    assert [d.line for d in caught.value.diagnostics] == sorted(d.line for d in caught.value.diagnostics)


# Reports


def page(*programs: Any, **options: Any) -> tuple[str, list[tuple[str, str]]]:
    report = shlo.report(*programs, **options)
    return report.html, [(d.severity, d.code) for d in report.diagnostics]


def test_programs_of_a_report_are_numbered_and_have_their_findings() -> None:
    html, findings = page(MALFORMED, WRONG, PROGRAM, title="Three programs")
    assert [code for severity, code in findings if severity == "error"] == ["parse", "not.I1", "not.O1"]
    assert "<title>Three programs</title>" in html
    assert MALFORMED in html
    for number in ("1. ", "2. ", "3. "):
        assert f"{number}&lt;string&gt;" in html


def test_a_valid_program_has_memory_and_cost_and_one_with_errors_has_none() -> None:
    valid, wrong, malformed = (page(text)[0] for text in (PROGRAM, WRONG, MALFORMED))
    assert "Memory" in valid
    assert "Memory" not in wrong
    graphs = ['<div class="graph" data-graph=' in html for html in (valid, wrong, malformed)]
    assert graphs == [True, True, False]


def test_a_report_without_inputs_measures_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[Any] = []
    monkeypatch.setattr(reporting, "_profiled", lambda module, inputs, limits: runs.append(inputs))
    page(PROGRAM)
    assert runs == []
    x = np.array([1, 2], np.float32)
    page(PROGRAM, WRONG, inputs=[x])
    assert [list(map(id, inputs)) for inputs in runs] == [[id(x)]]  # not of what is invalid


def test_programs_are_profiled_in_six_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """On the NumPy engine, with the inputs that are given."""
    seen: list[Any] = []
    monkeypatch.setattr(reporting, "_profiled", partial(_counted, reporting._profiled, seen))
    x = np.array([1, 2], np.float32)
    html, findings = page(PROGRAM, inputs=[x])
    assert findings == [] and "Profile" in html
    assert len(seen) == 6 and all(np.array_equal(given, x) for given in seen)


def _counted(profiled: Any, seen: list[Any], module: Any, inputs: Any, limits: Any) -> Any:
    """Profile a program, and note what it is run on."""

    class Input:
        def __array__(self, *arguments: Any, **options: Any) -> Any:
            seen.append(inputs[0])
            return inputs[0]

    return profiled(module, [Input()], limits)


def test_a_run_that_fails_is_a_finding() -> None:
    _, findings = page(PROGRAM, inputs=[np.zeros(3, np.float32)])
    assert [severity for severity, _ in findings] == ["error"]


# Graphs and devices


def test_programs_of_a_report_that_are_no_text() -> None:
    html, findings = page(MALFORMED.encode(), PROGRAM.encode())
    assert MALFORMED not in html and "stablehlo.negate" in html
    assert [severity for severity, _ in findings] == ["error"]


def test_a_graph_has_costs_where_the_program_is_valid_and_given_errors() -> None:
    def measured(*arguments: Any, **options: Any) -> list[tuple[int | None, float | None]]:
        items = shlo.graph(*arguments, **options).functions[0].items
        return [(each.operations, each.error) for each in items if each.title in ("negate", "not")]

    assert measured(PROGRAM) == [(2, None)]
    assert measured(PROGRAM, errors={2: 0.25}) == [(2, 0.25)]
    assert measured(WRONG, errors={2: 0.25}) == [(None, 0.25)]


def test_rules_are_explained_once() -> None:
    """What the specification says of the op, for each rule that is violated."""
    html = page(WRONG, WRONG)[0]
    for rule in ("not.I1", "not.O1"):
        assert html.count(f"<h3>{rule}</h3><p>Computes the bitwise not of each element") == 1
    assert "<h3>not" not in page(PROGRAM)[0]
    square = PROGRAM.replace("stablehlo.negate %a :", '"chlo.square"(%a) : (tensor<3xf32>) ->').replace(
        "%a: tensor<2", "%a: tensor<3"
    )
    assert "<h3>chlo.square.U1</h3><p>Multiplies each element by itself." in page(square)[0]


MESH = """sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  %0 = stablehlo.negate %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


def test_axes_that_the_mesh_does_not_have() -> None:
    assert shlo.analyze_devices(MESH, bandwidth={"x": 1.0}) is not None
    with pytest.raises(ValueError, match=r"^the mesh has no axis a; its axes are: x, y$"):
        shlo.analyze_devices(MESH, bandwidth={"z": 1.0, "x": 1.0, "a": 1.0})


def test_devices_of_an_invalid_program_and_of_one_for_a_device() -> None:
    with pytest.raises(shlo.TransformError, match="not"):
        shlo.analyze_devices(MESH.replace("negate", "not"))
    with pytest.raises(ValueError, match="one device"):
        shlo.analyze_devices(PROGRAM)


@pytest.mark.parametrize(("ignore", "codes"), [([], ["lint.dead-op"]), (["dead-op"], [])])
def test_the_settings_of_the_linter_are_those_of_a_report(ignore: list[str], codes: list[str]) -> None:
    text = "func.func @main(%x: tensor<2xf32>) {\n  %0 = stablehlo.tanh %x : tensor<2xf32>\n  return\n}"
    module = shlo.parse(text)
    subject = Subject("p", text, module, [])
    analyze_subject(subject, module, Settings.of({"ignore": ignore}), lambda: None)
    assert [each.code for each in subject.diagnostics] == codes


@pytest.mark.parametrize("is_compared", [False, True])
def test_errors_of_a_comparison_are_in_the_graph(is_compared: bool) -> None:
    """It is known after the run, and names ops by their lines."""
    module = shlo.parse(PROGRAM)
    subject = Subject("p", PROGRAM, module, [])

    def run() -> None:
        error = {"problem": "", "max_rel": 0.25, "histogram": {}}
        if is_compared:
            subject.comparison = {"others": [{"line": 2, "results": [{"error": error}]}]}

    analyze_subject(subject, module, None, run)
    assert subject.graph is not None
    found = [each.error for each in subject.graph.functions[0].items if each.title == "negate"]
    assert found == [0.25 if is_compared else None]


@pytest.mark.parametrize(("replicas", "partitions"), [(1, 1), (2, 1), (1, 3), (2, 3)])
def test_processes_without_a_mesh_are_devices(replicas: int, partitions: int) -> None:
    numbers = f"mhlo.num_replicas = {replicas} : i32, mhlo.num_partitions = {partitions} : i32"
    text = f"module attributes {{{numbers}}} {{\n{PROGRAM}}}"
    if replicas * partitions == 1:
        with pytest.raises(ValueError, match="one device"):
            shlo.analyze_devices(text)
        return
    found = shlo.analyze_devices(text).to_dict()
    assert (found["mesh"], found["devices"]) == (
        {"replica": replicas, "partition": partitions},
        replicas * partitions,
    )


def test_uneven_dimensions_before_and_after_propagation() -> None:
    """Of the argument, which propagation divides in another way; of what it gives shardings; each once."""
    sharding = 'sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>'
    text = f"""sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<8xf32> {{{sharding}}}, %b: tensor<10xf32> {{{sharding}}})
    -> (tensor<7xf32>, tensor<10xf32>) {{
  %0 = stablehlo.slice %a [0:7] : (tensor<8xf32>) -> tensor<7xf32>
  %1 = stablehlo.negate %0 {{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{{"x"}}]>]>}} : tensor<7xf32>
  %2 = stablehlo.negate %1 : tensor<7xf32>
  return %2, %b : tensor<7xf32>, tensor<10xf32>
}}
"""
    found = [(each["value"], each["size"]) for each in shlo.analyze_devices(text).to_dict()["uneven"]]
    assert sorted(found) == [("%0", 7), ("%1", 7), ("%2", 7), ("%b", 10)]


@pytest.mark.parametrize("kind", [str, str.encode])
@pytest.mark.parametrize("form", ["hlo", "vhlo"])
@pytest.mark.parametrize("first_line", [1, 11])
def test_lines_of_errors_in_hlo_and_vhlo(form: str, kind: Any, first_line: int) -> None:
    """The wrong op is in the fourth line of HLO, and in the third of VHLO."""
    vhlo = shlo.serialize(shlo.parse(PROGRAM), "vhlo").decode()
    text = {"hlo": HLO.replace("negate(x)", "negate(z)"), "vhlo": vhlo.replace("negate", "other")}[form]
    with pytest.raises(shlo.ParseError) as caught:
        shlo.parse(kind(text), "given", first_line=first_line)
    assert caught.value.name == "given"
    assert caught.value.diagnostics[0].line == first_line + {"hlo": 3, "vhlo": 2}[form]


def test_a_program_without_inputs_is_profiled_where_none_are_given() -> None:
    text = "func.func @main() -> tensor<2xf32> {\n  %0 = stablehlo.constant dense<1.0> : tensor<2xf32>\n"
    text += "  return %0 : tensor<2xf32>\n}\n"
    assert "Profile" in page(text, inputs=[])[0]
    assert "Profile" not in page(text)[0]


def test_a_program_with_warnings_is_analyzed() -> None:
    html, findings = page(f"func.func private @f(tensor<2xi7>)\n{PROGRAM}")
    assert [severity for severity, _ in findings] == ["warning"]
    assert "Memory" in html


@pytest.mark.parametrize(("vjp", "op"), [(0, "negate"), (1, "cosine"), (2, "tanh")])
def test_an_object_has_gradients(vjp: int, op: str) -> None:
    """Of the order that is given; by default the program itself."""
    datas = [
        shlo.serialize(shlo.parse(PROGRAM.replace("negate", each))) for each in ("negate", "cosine", "tanh")
    ]
    second = SimpleNamespace(mlir_module_serialized=datas[2])
    first = SimpleNamespace(mlir_module_serialized=datas[1], vjp=lambda: second)
    given = SimpleNamespace(mlir_module_serialized=datas[0], vjp=lambda: first)
    module = shlo.parse(given, vjp=vjp) if vjp else shlo.parse(given)
    assert f"stablehlo.{op} " in shlo.format(module)


def test_the_name_of_an_object() -> None:
    for name in ({}, {"name": "model"}):
        with pytest.raises(shlo.ParseError) as raised:
            shlo.parse(SimpleNamespace(as_text=lambda: "func"), **name)
        assert raised.value.name == name.get("name", "<string>")


def test_a_graph_of_a_program_with_warnings_has_costs() -> None:
    text = f"func.func private @f(tensor<2xi7>)\n{PROGRAM}"
    assert [each.severity for each in shlo.verify(text)] == ["warning"]
    items = [each for function in shlo.graph(text).functions for each in function.items]
    assert [each.operations for each in items if each.title == "negate"] == [2]
