"""Every operation of the documents exists, as a method and as a function, and cites its section."""

from __future__ import annotations

import csv
import inspect
from pathlib import Path

import pytest

from stablehlo_py import builder
from stablehlo_py.builder import XlaBuilder
from tests.helpers.each import for_each

TABLE = Path(__file__).parents[2] / "testdata" / "spec_tables" / "xla_ops.csv"
BOTH = "lhs: 'Operand', rhs: 'Operand', broadcast_dimensions: 'Sequence[int]' = ()"
EDITIONS = ("000", "001", "003")


def rows() -> list[dict[str, str]]:
    with TABLE.open(newline="") as file:
        return list(csv.DictReader(file))


def editions() -> dict[str, set[str]]:
    """The documents that have each operation; several rows may be of one."""
    found: dict[str, set[str]] = {}
    for row in rows():
        name = row["builder_method"].partition("(")[0]
        found.setdefault(name, set()).update(e for e in EDITIONS if row[f"in_{e}"] == "y")
    return found


def test_no_operation_is_missing() -> None:
    names = editions()
    assert len(rows()) == 115 and len(names) == 110
    assert [name for name in names if not hasattr(XlaBuilder, name)] == []
    assert [name for name in names if not hasattr(builder, name) or name not in builder.__all__] == []


@for_each(editions())
def test_docstrings_name_the_documents(name: str) -> None:
    text = inspect.getdoc(getattr(XlaBuilder, name)) or ""
    documents = text.rpartition("Documents: ")[2]
    assert {edition for edition in EDITIONS if edition in documents} == editions()[name], documents


@for_each(rows())
def test_arguments_have_the_documents_names(row: dict[str, str]) -> None:
    method = getattr(XlaBuilder, row["builder_method"].partition("(")[0])
    signature = inspect.signature(method)
    kinds = {p.kind for p in signature.parameters.values()}
    if inspect.Parameter.VAR_KEYWORD in kinds or inspect.Parameter.VAR_POSITIONAL in kinds:
        return  # several forms, or any number: called in other tests
    for argument in row["arguments"].split(";"):
        name = argument.partition(":")[0].replace("(s)", "s").replace("...", "").split("(")[0].strip()
        names = {name, f"{name}s", name.removesuffix("s"), name.replace("shape", "out_shape")}
        if name and " " not in name and "," not in name:
            assert names & set(signature.parameters), name


@for_each(name for name in builder.__all__ if inspect.isfunction(getattr(builder, name)))
def test_functions_are_documented_methods(name: str) -> None:
    method = getattr(XlaBuilder, name)
    assert inspect.getdoc(getattr(builder, name)) == inspect.getdoc(method)
    assert "Documents:" in (inspect.getdoc(method) or "")


@pytest.mark.parametrize(
    "name, parameters, op",
    [
        ("Exp", "(self, operand: 'Operand') -> 'XlaOp'", "exponential"),
        ("Pow", f"(self, {BOTH}) -> 'XlaOp'", "power"),
        ("Le", f"(self, {BOTH}) -> 'XlaOp'", "compare"),
        ("LeTotalOrder", f"(self, {BOTH}) -> 'XlaOp'", "compare"),
    ],
)
def test_rows_are_methods(name: str, parameters: str, op: str) -> None:
    """A row has the name, the parameters and the errors of a method that is written out."""
    method = getattr(XlaBuilder, name)
    assert (method.__name__, str(inspect.signature(method))) == (name, parameters)
    b = XlaBuilder()
    given = [b.Parameter(0, "f32[2]")] * (len(inspect.signature(method).parameters) > 2) + [1.0]
    found = method(b, *given).value.op
    assert found.name == f"stablehlo.{op}" and found.location.file == __file__
    with pytest.raises(TypeError, match=rf"{name}\(\) missing 1 required positional argument: "):
        method(b, *given[1:])
    with pytest.raises(builder.BuildError, match=f"^{name}: expected an XlaOp or a literal of numbers"):
        method(b, *given[1:], "x")


@pytest.mark.parametrize(
    ("name", "first"), [("Add", "Adds two tensors "), ("Exp", "Computes the exponential of each element.")]
)
def test_the_first_line_says_what_an_operation_does(name: str, first: str) -> None:
    lines = (inspect.getdoc(getattr(XlaBuilder, name)) or "").splitlines()
    assert lines[0].startswith(first) and lines[-1].startswith("Documents: ")
