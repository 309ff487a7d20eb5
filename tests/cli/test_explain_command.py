"""`shlo explain`: descriptions of ops from their definitions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from stablehlo_py.cli.main import run_command

from stablehlo_py.analysis.op_reference import explain, page
from stablehlo_py.opset.definition import all_definitions


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs `shlo explain` and gives its exit status, output and errors."""

    def run(*arguments: str) -> tuple[int, str, str]:
        status = run_command(["explain", *arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


def section(text: str, title: str) -> list[str]:
    """The lines below a title, up to the next empty line."""
    lines = text.splitlines()
    start = lines.index(title) + 1
    end = next((i for i in range(start, len(lines)) if not lines[i]), len(lines))
    return lines[start:end]


def starts(lines: Sequence[str]) -> list[str]:
    """What comes first on the lines that begin a row."""
    return [line.split()[0] for line in lines if line[:3].strip()]


def test_a_page_has_the_whole_definition(say: Any) -> None:
    status, text, _ = say("dot_general")
    assert status == 0
    assert text.startswith("stablehlo.dot_general   (dot)\n")
    assert "/spec.md#dot_general" in text
    assert starts(section(text, "Inputs")) == [f"I{i}" for i in range(1, 15)]
    assert "default [DEFAULT, DEFAULT]" in text
    assert section(text, "Outputs") == ["  O1   result: tensor or quantized tensor"]
    assert any("%lhs, %rhs" in line for line in section(text, "Assembly format"))
    assert any("batching_dims = dims x dims" in line for line in section(text, "Assembly format"))
    assert starts(section(text, "Constraints"))[:24] == [f"C{i}" for i in range(1, 25)]
    assert "C10  dim(lhs, lhs_contracting_dimensions...) = dim(rhs, rhs_contracting_dimensions...)" in text
    assert "[spec-only]: required by the specification" in text
    assert max(map(len, section(text, "Constraints"))) <= 100


@pytest.mark.parametrize("arguments", [("dot_general", "C12"), ("dot_general", "c12"), ("dot_general.C12",)])
def test_one_rule(say: Any, arguments: tuple[str, ...]) -> None:
    status, text, _ = say(*arguments)
    assert status == 0
    assert text.startswith("stablehlo.dot_general\n  C12  shape(result) = ")
    assert "specification: shape(result) = dim(lhs, lhs_batching_dimensions) +" in text
    assert "lhs_result_dimensions = [d for d in axes(lhs)" in text  # a name that the rule uses
    assert "C13" not in text


def test_labels_of_the_source_edition(say: Any) -> None:
    assert say("gather", "C18")[1].splitlines()[2] == " " * 9 + "source edition: C9"
    assert "source edition: none" in say("gather", "C10")[1]
    assert "source edition: C3" in say("recv", "U2")[1]
    assert "source edition" not in say("gather", "C1")[1]
    assert say("dynamic_conv")[1].count("source edition") == 1  # of the op, not of each constraint
    (row,) = json.loads(say("gather", "C18", "--format", "json")[1])["rows"]
    assert row["source_label"] == "C9"


def test_an_input(say: Any) -> None:
    assert say("iota", "I1")[1] == "stablehlo.iota\n  I1   iota_dimension: si64; stored as i64\n"


def test_a_mnemonic_is_stablehlos_first(say: Any) -> None:
    assert say("constant")[1].startswith("stablehlo.constant ")
    assert say("top_k")[1].startswith("chlo.top_k ")
    assert say("func.func")[1].startswith("func.func ")


def test_a_deprecated_op_says_what_to_use(say: Any) -> None:
    assert "deprecated: use stablehlo.dot_general" in say("einsum")[1]


def test_the_list_has_every_op(say: Any) -> None:
    status, text, _ = say()
    assert status == 0
    names = {name.strip(",") for name in text.split()}
    assert {d.name.removeprefix("stablehlo.") for d in all_definitions()} <= names
    assert text.index("\nelementwise\n") < text.index("\nshape\n") < text.index("\ndot\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("dot_genral",), "unknown op dot_genral; did you mean dot_general"),
        (("stablehlo.multply",), "did you mean multiply"),
        (("qqqqqqqq",), "unknown op qqqqqqqq"),
        (("abs", "C9"), "stablehlo.abs has no label C9; known labels: I1, O1, C1, C2"),
    ],
)
def test_what_there_is_not(say: Any, arguments: tuple[str, ...], message: str) -> None:
    for options in ((), ("--format", "json")):
        status, text, errors = say(*arguments, *options)
        assert (status, text) == (2, "")
        assert message in errors


def test_json(say: Any) -> None:
    data = json.loads(say("transpose", "--format", "json")[1])
    assert data["name"] == "stablehlo.transpose"
    assert [(i["label"], i["name"], i["role"]) for i in data["inputs"]] == [
        ("I1", "operand", "operand"),
        ("I2", "permutation", "attribute"),
    ]
    assert data["inputs"][1]["kind"] == "array<i64>"
    assert "C2" in [c["label"] for c in data["constraints"]]
    (row,) = json.loads(say("transpose", "C2", "--format", "json")[1])["rows"]
    assert (row["label"], row["formula"]) == ("C2", "sorted(permutation) = range(rank(operand))")
    assert "stablehlo.add" in json.loads(say("--format", "json")[1])["elementwise"]


@pytest.mark.parametrize("width", [40, 100])
def test_every_op_has_a_page(width: int) -> None:
    for definition in all_definitions():
        data = explain(definition.name)
        assert data is not None
        text = page(data, width)
        assert text.startswith(definition.name)
        for part in (*definition.inputs, *definition.outputs):
            assert part.name in text
        for constraint in definition.constraints:
            assert f"  {constraint.label} " in text


@pytest.mark.parametrize(
    ("op", "form"),
    [
        ("abs", "%result = stablehlo.abs %operand [{..}] : type"),
        ("iota", "%output = stablehlo.iota dim = <iota_dimension> [{..}] : type(output)"),
    ],
)
def test_forms_read_as_they_are_written(op: str, form: str) -> None:
    data = explain(op)
    assert data is not None and data["form"] == form
