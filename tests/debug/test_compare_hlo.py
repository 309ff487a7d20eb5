"""Comparison of modules of HLO: what is equal under other names, and each kind of change."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from stablehlo_py.debug.blame.dumps import dumps_in
from stablehlo_py.debug.blame.stats import pass_stats
from stablehlo_py.debug.compare_hlo import compare_hlo
from stablehlo_py.hlo.parser import parse_hlo

OTHER = "operand 0: from %exponential to %exponential (a different value)"
TEXT = """HloModule m

%sum (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %add = f32[] add(%a, %b), metadata={op_name="sum"}
}

%largest (c: f32[], d: f32[]) -> f32[] {
  %c = f32[] parameter(0)
  %d = f32[] parameter(1)
  ROOT %maximum = f32[] maximum(%c, %d)
}

ENTRY %main (p: f32[4,8]) -> (f32[4], f32[8]) {
  %p = f32[4,8]{1,0} parameter(0)
  %zero = f32[] constant(0)
  %exponential = f32[4,8]{1,0} exponential(%p)
  %reduce = f32[4]{0} reduce(%exponential, %zero), dimensions={1}, to_apply=%sum
  %reduce.1 = f32[8]{0} reduce(%exponential, %zero), dimensions={0}, to_apply=%largest
  ROOT %tuple = (f32[4]{0}, f32[8]{0}) tuple(%reduce, %reduce.1)
}
"""


def differences(second: str, first: str = TEXT) -> list[tuple[str, str, int, int, tuple[str, ...]]]:
    found = compare_hlo(parse_hlo(first), parse_hlo(second))
    return [(d.kind, d.function, d.line_before, d.line_after, d.details) for d in found]


def changed(*edits: tuple[str, str]) -> str:
    text = TEXT
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return text


def test_names_metadata_and_the_order_of_the_text_are_ignored() -> None:
    first, second = TEXT.index("%sum"), TEXT.index("%largest")
    entry = TEXT.index("ENTRY")
    exchanged = TEXT[:first] + TEXT[second:entry] + TEXT[first:second] + TEXT[entry:]
    renamed = (
        exchanged.replace("%sum", "%region_7").replace("%largest", "%region_3").replace("%reduce.1", "%r")
    )
    renamed = renamed.replace('op_name="sum"', 'op_name="other" source_line=3').replace("%exponential", "%e")
    assert differences(renamed) == []


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ([("exponential(%p)", "tanh(%p)")], [
            ("removed", "main", 18, 0, ()), ("added", "main", 0, 18, ()),
            ("changed", "main", 19, 19, (OTHER,)), ("changed", "main", 20, 20, (OTHER,)),
        ]),
        ([("constant(0)", "constant(1)")], [("changed", "main", 17, 17, ("value: from 0 to 1",))]),
        ([("f32[4]{0} reduce", "f32[4]{0:T(2)} reduce"), ("(f32[4]{0}, f", "(f32[4]{0:T(2)}, f")], [
            ("changed", "main", 19, 19, ("shape: from f32[4]{0} to f32[4]{0:T(2)}",)),
            ("changed", "main", 21, 21,
             ("shape: from (f32[4]{0}, f32[8]{0}) to (f32[4]{0:T(2)}, f32[8]{0})",)),
        ]),
        ([("maximum(%c, %d)", "maximum(%d, %c)")], [
            ("changed", "largest", 12, 12, ("operand 0: from %c to %d", "operand 1: from %d to %c"))
        ]),
        ([("add(%a, %b)", "add(%a, %b), backend_config={\"x\":1}")], [
            ("changed", "sum", 6, 6, ('backend_config: from absent to {"x":1}',))
        ]),
        ([("reduce(%exponential, %zero), dimensions={0}, to_apply=%largest",
           "reduce(%exponential, %zero), dimensions={0}, to_apply=%sum")], [
            ("changed", "main", 20, 20, ("to_apply: from %largest to %sum",))
        ]),
    ],
)  # fmt: skip
def test_changes(
    edits: list[tuple[str, str]], expected: list[tuple[str, str, int, int, tuple[str, ...]]]
) -> None:
    found = differences(changed(*edits))
    assert [each for each in expected if each not in found] == []
    assert len(found) <= len(expected) + 1


def test_differences_have_the_order_of_the_computations_of_the_first_module() -> None:
    text = changed(("add(%a, %b)", "subtract(%a, %b)"), ("maximum(%c, %d)", "minimum(%c, %d)"))
    first, second, entry = (text.index(name) for name in ("%sum", "%largest", "ENTRY"))
    exchanged = text[:first] + text[second:entry] + text[first:second] + text[entry:]
    functions = [function for _, function, *_ in differences(exchanged)]
    assert [*dict.fromkeys(functions)] == ["sum", "largest"]
    assert [*dict.fromkeys(f for _, f, *_ in differences(TEXT, exchanged))] == ["largest", "sum"]


SLICES = """HloModule m

ENTRY %main (p: f32[8]) -> (f32[2], f32[2]) {
  %p = f32[8]{0} parameter(0)
  %slice.1 = f32[2]{0} slice(%p), slice={[0:2]}, metadata={op_name="first" source_line=1}
  %slice.2 = f32[2]{0} slice(%p), slice={[4:6]}, metadata={op_name="second" source_line=1}
  ROOT %tuple = (f32[2]{0}, f32[2]{0}) tuple(%slice.1, %slice.2)
}
"""


@pytest.mark.parametrize("lines", ["op_name", "source_line"])
def test_instructions_are_matched_by_what_they_are_for(lines: str) -> None:
    """Names, attributes and the order are others; the name scopes, or the source lines, are not."""
    first = SLICES
    if lines == "source_line":
        first = first.replace('"second" source_line=1', '"first" source_line=2')
    one, other = first.split("\n")[4:6]
    second = first.replace(one, "").replace(other, f"{other}\n{one}")
    second = second.replace("%slice.2", "%b").replace("%slice.1", "%a")
    second = second.replace("[4:6]", "[5:7]").replace("[0:2]", "[1:3]")
    found = [details for *_, details in differences(second, first)]
    assert ("slice: from {[0:2]} to {[1:3]}",) in found and ("slice: from {[4:6]} to {[5:7]}",) in found


def test_instructions_of_a_fusion_have_moved() -> None:
    fused = changed(("%largest (", "%fused (q: f32[4,8]) -> f32[4,8] {\n"
        "  %q = f32[4,8]{1,0} parameter(0)\n  ROOT %exponential.2 = f32[4,8]{1,0} exponential(%q)\n}\n\n"
        "%largest ("), ("%exponential = f32[4,8]{1,0} exponential(%p)",
        "%exponential = f32[4,8]{1,0} fusion(%p), kind=kLoop, calls=%fused"))  # fmt: skip
    found = differences(fused)
    assert ("changed", "main", 18, 11, ("moved to computation fused",)) in found
    assert [(kind, line) for kind, _, _, line, _ in found if kind == "added"] == [
        ("added", 10),
        ("added", 23),
    ]
    assert not [each for each in found if each[0] == "removed"]


def test_statistics_of_passes() -> None:
    """The dumps have a subtraction in the place of a division from the fusion pass on."""
    folder = Path(__file__).parents[2] / "testdata" / "dumps" / "classify"
    rows = pass_stats(dumps_in(folder)[0])
    texts = [parse_hlo((folder / row.file).read_text()) for row in rows]
    assert [row.instructions for row in rows] == [sum(1 for _ in each.instructions()) for each in texts]
    for before, row in pairwise(rows):
        assert row.instructions == before.instructions + row.added - row.removed
    assert (rows[0].added, rows[0].removed, rows[0].seconds) == (0, 0, 0.0)
    assert any(row.moved for row in rows if row.pass_name == "fusion")
