"""For each constraint, a program that violates it and no other, found by its label."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from functools import cache

import pytest
from conftest import ROOT

import stablehlo_py as shlo
from stablehlo_py.opset import definition as opset
from tests.helpers.each import check_each

FOLDER = ROOT / "testdata" / "constraints"
HEADER = re.compile(
    r"// (?P<kind>valid|breaks|warns|rejects|stops)(: (?P<label>[\w.]+))?(: (?P<text>.+))?\n"
    r"(// with: (?P<others>[\w., ]+) \(.+\)\n)?"
)

# Constraints of an op that no program can break: the reason, and the label that is reported instead.
UNBREAKABLE = {
    "all_to_all.C4": "split_count is an integer greater than 0 by its kind (I4)",
}
# Constraints of types and constants that no text can break.
UNWRITABLE = {
    ("QuantizedTensorElementType", "C9"): "each scale has its zero point, which is 0 where it is not written",
}


@dataclass(frozen=True)
class Program:
    """A program of a file with what it says about itself; labels without the op's name."""

    file: str
    text: str
    kind: str
    label: str
    says: str
    others: frozenset[str]

    def __str__(self) -> str:
        return f"{self.file}-{self.label or self.kind}" + "-spec" * (self.kind == "warns")


@cache
def programs() -> list[Program]:
    return [
        read(path.stem, text)
        for path in sorted(FOLDER.glob("*.mlir"))
        for text in path.read_text().split("// -----\n")
    ]


def read(file: str, text: str) -> Program:
    header = HEADER.match(text.lstrip())
    assert header, f"{file}: a program does not say what it is: {text.strip().splitlines()[0]}"
    others = frozenset(re.findall(r"[\w.]+", header["others"] or ""))
    return Program(file, text, header["kind"], header["label"] or "", header["text"] or "", others)


def found(program: Program) -> tuple[set[str], set[str]]:
    """The labels of the errors, and those of the warnings where there is no error for them."""
    findings = shlo.verify(shlo.parse(program.text))
    if program.file != "types":  # programs for other dialects have types that the specification does not
        findings = [d for d in findings if not (d.spec_only and d.code == "type")]
    labels = [(label_of(program.file, d), d.severity) for d in findings]
    errors = {label for label, severity in labels if severity == "error"}
    return errors, {label for label, severity in labels if severity == "warning"} - errors


def label_of(file: str, diagnostic: shlo.Diagnostic) -> str:
    in_message = re.search(r" \((C\d+)\): ", diagnostic.message) if diagnostic.code == "type" else None
    return in_message[1] if in_message else diagnostic.code.removeprefix(file + ".")


@pytest.mark.parametrize("file", sorted({program.file for program in programs()}))
def test_programs(file: str) -> None:
    check_each(check, [program for program in programs() if program.file == file])


def check(program: Program) -> None:
    if program.kind == "rejects":
        with pytest.raises(shlo.ParseError) as caught:
            shlo.parse(program.text)
        (diagnostic,) = caught.value.diagnostics
        assert program.says in diagnostic.message
        return
    errors, warnings = found(program)
    if program.kind == "breaks":
        assert program.label in errors
    elif program.kind == "warns":
        assert not errors and program.label in warnings
    elif program.kind == "stops":
        assert not errors
        with pytest.raises(shlo.RunError) as stopped:
            shlo.run(shlo.parse(program.text))
        assert f"({program.label}): " in str(stopped.value)
        return
    assert errors | warnings == {program.label, *program.others} - {""}


def test_files_begin_with_a_valid_program() -> None:
    for path in FOLDER.glob("*.mlir"):
        assert path.read_text().startswith("// valid\n"), path.name


def test_every_constraint_of_an_op_has_a_program() -> None:
    """Both verdicts of a constraint that upstream enforces in part have a program of their own."""
    wanted = {
        (d.name.removeprefix("stablehlo."), c.label, c.verdict == "spec-only")
        for d in opset.all_definitions()
        for c in d.constraints
    }
    there = {
        (p.file, p.label, p.kind == "warns") for p in programs() if p.kind in ("breaks", "warns", "stops")
    }
    missing = {f"{op}.{label}" + " (spec-only)" * only for op, label, only in wanted - there}
    assert missing == set(UNBREAKABLE)
    assert {op for op, _, _ in there - wanted} == {"types"}


def test_every_constraint_of_a_type_and_a_constant_has_a_program() -> None:
    table = ROOT / "testdata" / "spec_tables" / "constraints.csv"
    lines = csv.DictReader(table.read_text(encoding="utf-8").splitlines())
    rows = [row for row in lines if row["kind"] != "op"]
    there = {(p.file, p.label) for p in programs()}
    missing = {
        (row["element"], row["label"])
        for row in rows
        if ("types", row["label"]) not in there
        and ("constants", f"{row['element']}.{row['label']}") not in there
    }
    assert missing == set(UNWRITABLE)


def test_files_are_named_after_ops() -> None:
    names = {d.name.removeprefix("stablehlo.") for d in opset.all_definitions()} | {"types", "constants"}
    assert {path.stem for path in FOLDER.iterdir()} <= names
