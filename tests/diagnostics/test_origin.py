"""Descriptions of locations: the innermost position, the scope's name, the callers."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo
from stablehlo_py.diagnostics.origin import origin
from stablehlo_py.ir.locations import CallSiteLoc, FileLoc, Location

PROGRAM = """func.func @f(%a: tensor<2xf32>) {{
  %0 = "stablehlo.abs"(%a) : (tensor<2xf32>) -> tensor<3xf32> loc({})
  return
}}
"""


@pytest.mark.parametrize(
    ("location", "notes"),
    [
        ("unknown", []),
        ('"m.py":1:2', ["from m.py:1:2"]),
        ('"m.py":1:2 to :22', ["from m.py:1:2"]),
        ('"jit(f)/abs"', ["from jit(f)/abs"]),
        ('"jit(f)/abs"("m.py":1:2)', ["from m.py:1:2 (jit(f)/abs)"]),
        ('fused["m.py":1:2, "n.py":3:4]', ["from m.py:1:2"]),
        ('fused<"pass">[unknown, "n.py":3:4]', ["from n.py:3:4"]),
        (
            '"jit(f)/abs"(callsite("g"("m.py":1:2) at callsite("f"("m.py":3:4) at "main.py":9:8)))',
            ["from m.py:1:2, in g (jit(f)/abs)", "  called from m.py:3:4, in f", "  called from main.py:9:8"],
        ),
    ],
)
def test_a_finding_tells_where_the_op_was_made(location: str, notes: list[str]) -> None:
    (diagnostic,) = shlo.verify(shlo.parse(PROGRAM.format(location)))
    assert [n for n in diagnostic.notes if n.lstrip().startswith(("from", "called"))] == notes


def test_a_finding_has_the_positions_as_data() -> None:
    location = '"jit(f)/abs"(callsite("g"("m.py":1:2) at "main.py":9:8))'
    (diagnostic,) = shlo.verify(shlo.parse(PROGRAM.format(location)))
    assert diagnostic.origin == (("m.py", 1, 2, "g"), ("main.py", 9, 8, ""))
    assert shlo.verify(shlo.parse(PROGRAM.format("unknown")))[0].origin == ()


def test_no_more_than_four_positions_are_told() -> None:
    location: Location = FileLoc("main.py", 0, 1)
    for line in range(1, 9):
        location = CallSiteLoc(FileLoc("m.py", line, 1), location)
    assert origin(location) == [
        "from m.py:8:1",
        "  called from m.py:7:1",
        "  called from m.py:6:1",
        "  called from m.py:5:1",
        "  ...",
    ]
