"""The engine of the documentation runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

import stablehlo_py as shlo

PAGE = (Path(__file__).parents[2] / "docs" / "many-processes.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_the_documented_engine_counts_the_ops_of_the_documented_program() -> None:
    (program,) = blocks("mlir")
    (code,) = [block for block in blocks("python") if "class CountingEngine" in block]
    names: dict[str, Any] = {"np": np, "shlo": shlo, "module": shlo.parse(program)}
    exec(compile(code, "many-processes.md", "exec"), names)
    assert names["engine"].ops["stablehlo.all_reduce"] == 4


def test_the_documented_program_adds_over_replicas() -> None:
    (text,) = blocks("mlir")
    program = shlo.compile(shlo.parse(text))
    found = program.call_grid({place: [[place[0] + 1.0, place[1]]] for place in program.process_ids()})
    assert {place: results[0].tolist() for place, results in found.items()} == {
        (0, 0): [3, 0],
        (0, 1): [3, 2],
        (1, 0): [3, 0],
        (1, 1): [3, 2],
    }
