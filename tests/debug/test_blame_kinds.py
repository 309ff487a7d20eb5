"""`shlo.blame`: an edit of each kind that a wrong pass makes is named by its dump and its instruction."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import stablehlo_py as shlo

TEXT = """HloModule kinds

%sum (x: f32[], y: f32[]) -> f32[] {
  %x = f32[] parameter(0)
  %y = f32[] parameter(1)
  ROOT %s = f32[] add(%x, %y)
}

%body (t: (s32[], f32[4,4])) -> (s32[], f32[4,4]) {
  %t = (s32[], f32[4,4]) parameter(0)
  %i = s32[] get-tuple-element(%t), index=0
  %m = f32[4,4] get-tuple-element(%t), index=1
  %one = s32[] constant(1)
  %next = s32[] add(%i, %one)
  %sine = f32[4,4] sine(%m)
  %grown = f32[4,4] add(%sine, %m)
  ROOT %pair = (s32[], f32[4,4]) tuple(%next, %grown)
}

%test (u: (s32[], f32[4,4])) -> pred[] {
  %u = (s32[], f32[4,4]) parameter(0)
  %k = s32[] get-tuple-element(%u), index=0
  %trips = s32[] constant(3)
  ROOT %more = pred[] compare(%k, %trips), direction=LT
}

%halved (h: f32[4]) -> f32[4] {
  %h = f32[4] parameter(0)
  ROOT %root = f32[4] tanh(%h)
}

%other (o: f32[4]) -> f32[4] {
  %o = f32[4] parameter(0)
  ROOT %negated = f32[4] negate(%o)
}

ENTRY %main (a: f32[4,4], b: f32[4,4], n: s32[4]) -> (f32[6,7], f32[4,4], f32[4], f32[8,4], \
f32[4,4], f32[2,2], f32[4,4]) {
  %a = f32[4,4] parameter(0)
  %b = f32[4,4] parameter(1)
  %n = s32[4] parameter(2)
  %zero = f32[] constant(0)
  %start = s32[] constant(0)
  %turned = f32[4,4] transpose(%b), dimensions={1,0}
  %product = f32[4,4] dot(%a, %turned), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  %difference = f32[4,4] subtract(%product, %a)
  %padded = f32[6,7] pad(%difference, %zero), padding=2_0x1_2
  %rows = f32[4] reduce(%difference, %zero), dimensions={1}, to_apply=%sum
  %wide = f32[4,4] broadcast(%rows), dimensions={0}
  %ordinal = s32[4,4] iota(), iota_dimension=0
  %whole = s32[4,4] convert(%a)
  %back = f32[4,4] convert(%whole)
  %numbers = f32[4,4] convert(%ordinal)
  %shares = f32[4,4] multiply(%numbers, %back)
  %weighted = f32[4,4] add(%wide, %shares)
  %first = (s32[], f32[4,4]) tuple(%start, %weighted)
  %loop = (s32[], f32[4,4]) while(%first), condition=%test, body=%body
  %last = f32[4,4] get-tuple-element(%loop), index=1
  %both = (f32[4,4], f32[4,4]) tuple(%last, %turned)
  %chosen = f32[4,4] get-tuple-element(%both), index=0
  %tested = pred[4,4] compare(%chosen, %b), direction=GT
  %selected = f32[4,4] select(%tested, %chosen, %a)
  %windows = f32[4,4] reduce-window(%selected, %zero), window={size=2x1 pad=1_0x0_0}, to_apply=%sum
  %part = f32[2,4] slice(%a), slice={[0:4:2],[0:4]}
  %joined = f32[8,4] concatenate(%a, %part, %part), dimensions={0}
  %index = s32[] constant(1)
  %kind = f32[4] conditional(%index, %rows, %rows), branch_computations={%halved, %other}
  %taken = f32[4,4] gather(%a, %n), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, \
index_vector_dim=1, slice_sizes={1,4}
  %block = f32[2,2] dynamic-slice(%b, %index, %start), dynamic_slice_sizes={2,2}
  %mirror = f32[4,4] reverse(%windows), dimensions={0}
  ROOT %results = (f32[6,7], f32[4,4], f32[4], f32[8,4], f32[4,4], f32[2,2], \
f32[4,4]) tuple(%padded, %mirror, %kind, %joined, %taken, %block, %shares)
}
"""


class Edit(NamedTuple):
    """What a wrong pass did: the texts before and after it, and the instruction that is then wrong."""

    kind: str
    before: str
    after: str
    wrong: str


EDITS = (
    Edit("operands in another order", "subtract(%product, %a)", "subtract(%a, %product)", "%difference"),
    Edit("another opcode", "sine(%m)", "cosine(%m)", "%sine"),
    Edit("constant", "%one = s32[] constant(1)", "%one = s32[] constant(2)", "%one"),
    Edit("trip count", "%trips = s32[] constant(3)", "%trips = s32[] constant(2)", "%trips"),
    Edit("direction", "(%chosen, %b), direction=GT", "(%chosen, %b), direction=LE", "%tested"),
    Edit("dropped instruction", "add(%sine, %m)", "add(%m, %m)", "%grown"),
    Edit("dimension of reduce", "dimensions={1}, to_apply=%sum", "dimensions={0}, to_apply=%sum", "%rows"),
    Edit("initial value", "reduce(%difference, %zero)", "reduce(%difference, %seed)", "%rows"),
    Edit("reducer", "f32[] add(%x, %y)", "f32[] maximum(%x, %y)", "%rows"),
    Edit(
        "dimension of broadcast",
        "broadcast(%rows), dimensions={0}",
        "broadcast(%rows), dimensions={1}",
        "%wide",
    ),
    Edit("transpose", "transpose(%b), dimensions={1,0}", "transpose(%b), dimensions={0,1}", "%turned"),
    Edit("operands of concatenate", "(%a, %part, %part)", "(%part, %a, %part)", "%joined"),
    Edit("dimension of iota", "iota_dimension=0", "iota_dimension=1", "%ordinal"),
    Edit("slice", "[0:4:2],[0:4]", "[0:2:1],[0:4]", "%part"),
    Edit("pad", "2_0x1_2", "0_2x1_2", "%padded"),
    Edit("contracted dimensions", "rhs_contracting_dims={0}", "rhs_contracting_dims={1}", "%product"),
    Edit(
        "element of a tuple",
        "get-tuple-element(%both), index=0",
        "get-tuple-element(%both), index=1",
        "%tested",
    ),
    Edit("lost conversion", "multiply(%numbers, %back)", "multiply(%numbers, %a)", "%shares"),
    Edit("window", "size=2x1 pad=1_0x0_0", "size=2x1 pad=0_1x0_0", "%windows"),
    Edit("start of a dynamic slice", "(%b, %index, %start)", "(%b, %start, %index)", "%block"),
    Edit("reversed dimension", "(%windows), dimensions={0}", "(%windows), dimensions={1}", "%mirror"),
    Edit("operand of gather", "gather(%a, %n)", "gather(%b, %n)", "%taken"),
    Edit("branches", "{%halved, %other}", "{%other, %halved}", "%kind"),
    Edit("operands of select", "(%tested, %chosen, %a)", "(%tested, %a, %chosen)", "%selected"),
)
RNG = np.random.default_rng(7)
INPUTS = [
    *RNG.normal(size=(2, 4, 4)).astype(np.float32) * np.float32(1.7),
    np.array([2, 0, 3, 1], np.int32),
]


def dumped(folder: Path, edit: Edit | None) -> None:
    """Write four dumps, each with other names; the last two have the edit."""
    seed = "  %seed = f32[] constant(0.75)\n  %start = "
    for number in range(4):
        text = TEXT.replace("  %start = ", seed)
        if edit is not None and number > 1:
            assert text.count(edit.before) == 1, edit.kind
            text = text.replace(edit.before, edit.after)
        text = text.replace("%product", f"%product.{number}").replace("%loop", f"%loop.{number}")
        step = f"{number:04}.simplify.after_pass{number}.before_other" if number else "before_optimizations"
        (folder / f"module_0001.kinds.{step}.txt").write_text(text)


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.kind)
def test_an_edit_of_each_kind_is_named(tmp_path: Path, edit: Edit) -> None:
    dumped(tmp_path, edit)
    found = shlo.blame(tmp_path, INPUTS)
    assert found.file == "module_0001.kinds.0002.simplify.after_pass2.before_other.txt"
    assert found.pass_name == "pass2" and found.first is not None
    assert f"{edit.wrong} = " in found.first.text or f"{edit.wrong}." in found.first.text


def test_the_series_without_an_edit_is_not_accused(tmp_path: Path) -> None:
    dumped(tmp_path, None)
    found = shlo.blame(tmp_path, INPUTS)
    assert (found.file, found.first, found.dumps, found.runs) == (None, None, 4, 3)
