"""Pretty forms and the C++ printer's generic forms are parsed to the same IR."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.core import Module, Operation, Value
from stablehlo_py.opset.definition import all_definitions

pytest.importorskip("jaxlib")

GENERIC = """
import json, sys
from jax._src.interpreters import mlir
from jaxlib.mlir import ir
context = mlir.make_ir_context()
context.allow_unregistered_dialects = True
for line in sys.stdin:
    try:
        with context:
            text = ir.Module.parse(json.loads(line)).operation.get_asm(print_generic_op_form=True)
    except ir.MLIRError:
        text = None
    print(json.dumps(text), flush=True)
"""


def generic_texts(programs: list[str]) -> list[str | None]:
    """The generic form of each program as C++ prints it, None for one that it rejects."""
    done = subprocess.run(
        [sys.executable, "-Pc", GENERIC],
        input="\n".join(map(json.dumps, programs)),
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def shape(module: Module) -> list[Any]:
    """Everything about a module but names, positions and locations."""
    numbers: dict[Value, int] = {}

    def number(value: Value) -> int:
        return numbers.setdefault(value, len(numbers))

    def operation(op: Operation) -> tuple[Any, ...]:
        regions = [
            [([(number(a), a.type) for a in block.arguments], len(block.ops)) for block in region.blocks]
            for region in op.regions
        ]
        operands = [number(o) for o in op.operands]
        results = [(number(r), r.type) for r in op.results]
        return (
            op.name,
            operands,
            results,
            sorted(op.properties.items()),
            sorted(op.attributes.items()),
            regions,
        )

    return [operation(op) for op in module.walk()]


def compare(programs: dict[str, str]) -> None:
    wrong = []
    compared = 0
    for (name, text), generic in zip(programs.items(), generic_texts(list(programs.values())), strict=True):
        if generic is None:
            continue
        compared += 1
        ours, theirs = (shlo.parse(t, name, allow_unregistered=True) for t in (text, generic))
        if shape(ours) != shape(theirs):
            wrong.append(name)
    assert compared > len(programs) / 2
    assert wrong == []


def test_conformance_cases(shared: Path) -> None:
    labels = json.loads((shared / "conformance/cases.json").read_text())
    names = [name for name, label in labels.items() if not label["errors"] and name.startswith("verify/")][
        ::7
    ]
    compare({name: (shared / "conformance" / name).read_text() for name in names})


def test_programs(shared: Path) -> None:
    compare({path.name: path.read_text() for path in sorted((shared / "programs").glob("*.mlir"))})


def test_there_is_an_example_for_each_form() -> None:
    assert all(definition.example for definition in all_definitions() if definition.form)
