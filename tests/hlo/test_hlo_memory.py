"""Live memory over the schedule of HLO, by hand calculation."""

from __future__ import annotations

from pathlib import Path

import pytest

from stablehlo_py.hlo.memory import assigned_bytes, memory_use, origin_of, schedule_dict
from stablehlo_py.hlo.parser import parse_hlo

SCHEDULED = "HloModule m, is_scheduled=true{}\n\n"


def sizes(body: str, header: str = "", before: str = "") -> dict[str, int]:
    """The bytes that are live at each instruction."""
    use = memory_use(parse_hlo(f"{SCHEDULED.format(header)}{before}ENTRY %main {{\n{body}\n}}\n"))
    assert use is not None
    return {step.instruction.name: step.size for step in use.steps}


def test_values_are_live_from_definition_to_last_use() -> None:
    """A f32[100] has 400 bytes. `a` ends at the reduction, which cannot be written over it."""
    assert sizes(
        """  %p = f32[100] parameter(0)
  %zero = f32[] constant(0)
  %a = f32[100] sine(%p)
  %b = f32[200] concatenate(%a, %p), dimensions={0}
  %c = f32[200] negate(%b)
  %d = f32[100] slice(%c), slice={[0:100]}
  ROOT %e = f32[100] add(%d, %p)"""
    ) == {"p": 404, "zero": 404, "a": 804, "b": 1604, "c": 1204, "d": 1604, "e": 804}


def test_an_elementwise_result_is_written_over_an_operand_that_ends() -> None:
    assert sizes(
        """  %p = f32[100] parameter(0)
  %a = f32[100] sine(%p)
  %b = f32[100] cosine(%a)
  %c = f32[100] multiply(%a, %b)
  ROOT %t = f32[100] transpose(%c), dimensions={0}"""
    ) == {"p": 400, "a": 800, "b": 1200, "c": 1200, "t": 1200}


def test_tuples_and_bitcasts_are_no_memory_of_their_own() -> None:
    """The table of a tuple with two elements has 16 bytes."""
    assert sizes(
        """  %p = (f32[100], f32[50]) parameter(0)
  %a = f32[100] get-tuple-element(%p), index=0
  %b = f32[10,10] bitcast(%a)
  %c = f32[10,10] sine(%b)
  ROOT %t = (f32[10,10], f32[100]) tuple(%c, %a)"""
    ) == {"p": 616, "a": 616, "b": 616, "c": 1016, "t": 1032}


LOOP = """%cond {
  %cp = (s32[], f32[100]) parameter(0)
  %i = s32[] get-tuple-element(%cp), index=0
  %n = s32[] constant(9)
  ROOT %less = pred[] compare(%i, %n), direction=LT
}

%body {
  %bp = (s32[], f32[100]) parameter(0)
  %bi = s32[] get-tuple-element(%bp), index=0
  %bx = f32[100] get-tuple-element(%bp), index=1
  %one = s32[] constant(1)
  %next = s32[] add(%bi, %one)
  %wide = f32[1000] broadcast(%next), dimensions={}
  %narrow = f32[100] slice(%wide), slice={[0:100]}
  %new = f32[100] add(%bx, %narrow)
  ROOT %carried = (s32[], f32[100]) tuple(%next, %new)
}

"""


def test_a_loop_carries_its_memory() -> None:
    """What a loop carries is a buffer of 400 bytes, one of 4, and a table of 16; three constants have 4."""
    found = sizes(
        """  %start = s32[] constant(0)
  %x = f32[100] parameter(0)
  %copied = f32[100] copy(%x)
  %from = s32[] copy(%start)
  %init = (s32[], f32[100]) tuple(%from, %copied)
  %loop = (s32[], f32[100]) while(%init), condition=%cond, body=%body
  ROOT %result = f32[100] get-tuple-element(%loop), index=1""",
        before=LOOP.replace("broadcast(%next)", "iota(), iota_dimension=0").replace(", dimensions={}", ""),
    )
    carried, constants, parameter = 400 + 4 + 16, 12, 400
    assert found["less"] == carried + constants + parameter + 1
    assert found["wide"] == carried + constants + parameter + 4000
    assert found["narrow"] == carried + constants + parameter + 4000 + 400
    assert found["new"] == carried + constants + parameter + 400
    assert found["result"] == 400 + 16 + constants + parameter


SAME = 'domain={kind="sharding", entry={replicated}, exit={replicated}}'
VIEWS = {  # of %s: whether the result is its memory
    "bitcast(%s)": True,
    "opt-barrier(%s)": True,
    f"domain(%s), {SAME}": True,
    "add-dependency(%s, %t)": True,
    "all-reduce-done(%s)": True,
    "copy(%s)": False,
    "reverse(%s), dimensions={0}": False,
}


@pytest.mark.parametrize("view", VIEWS)
def test_results_that_are_the_memory_of_an_operand(view: str) -> None:
    start = "all-reduce-start(%p), replica_groups={}, to_apply=%sum" if "done" in view else "sine(%p)"
    found = sizes(
        f"""  %p = f32[100] parameter(0)
  %t = token[] after-all()
  %s = f32[100] {start}
  %v = f32[100] {view}
  ROOT %r = f32[100] reverse(%v), dimensions={{0}}""",
        before="%sum { x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT z = f32[] add(x, y)\n }\n",
    )
    assert (found["s"], found["v"], found["r"]) == ((800, 800, 1200) if VIEWS[view] else (800, 1200, 1200))


def test_a_result_that_takes_the_memory_of_a_parameter() -> None:
    body = "  %p = f32[100] parameter(0)\n  ROOT %a = f32[100] sine(%p)"
    assert sizes(body)["a"] == 800
    assert sizes(body, ", input_output_alias={ {}: (0, {}, may-alias) }")["a"] == 400
    body = """  %p = (f32[100], f32[100]) parameter(0)
  %x = f32[100] get-tuple-element(%p), index=0
  %a = f32[100] sine(%x)
  ROOT %r = (f32[100]) tuple(%a)"""
    assert sizes(body)["a"] == 816 + 400  # two arrays, and the table of their addresses
    assert sizes(body, ", input_output_alias={ {0}: (0, {1}, may-alias) }")["a"] == 816


FIRST = "{ a = f32[100] parameter(0)\n ROOT n = f32[50] slice(a), slice={[0:50]}\n }\n"
CALLS = {  # the lines before the entry and its own lines, and the bytes at each step: a f32[100] has 400
    "call": (
        "f { q = f32[100] parameter(0)\n s = f32[50] slice(q), slice={[0:50]}\n"
        "ROOT r = f32[50] sine(s)\n }\n",
        """  p = f32[100] parameter(0)
  a = f32[100] sine(p)
  c = f32[50] call(a), to_apply=f
  ROOT t = f32[50] reverse(c), dimensions={0}""",
        # q is a; r is c, which has memory from the start of the call
        {"p": 400, "a": 800, "q": 1000, "s": 1200, "r": 1200, "c": 1000, "t": 800},
    ),
    "conditional": (
        f"yes {FIRST}"
        "no { b = f32[10] parameter(0)\n ROOT m = f32[50] concatenate(b, b, b, b, b), dimensions={0}\n }\n",
        """  p = pred[] parameter(0)
  x = f32[100] parameter(1)
  y = f32[10] parameter(2)
  u = f32[100] sine(x)
  v = f32[10] sine(y)
  c = f32[50] conditional(p, u, v), true_computation=yes, false_computation=no
  ROOT t = f32[50] reverse(c), dimensions={0}""",
        # parameters have 441; a is u, b is v; n, m and c are one buffer
        {"p": 441, "x": 441, "y": 441, "u": 841, "v": 881, "t": 841} | dict.fromkeys("anbmc", 1081),
    ),
    "async": (
        f"yes {FIRST}",
        """  p = f32[100] parameter(0)
  u = f32[100] sine(p)
  s = ((f32[100]), f32[50], s32[]) async-start(u), calls=yes
  w = ((f32[100]), f32[50], s32[]) async-update(s)
  d = f32[50] async-done(w)
  ROOT t = f32[50] reverse(d), dimensions={0}""",
        # tables of 3 and of 1, 50 numbers and one
        {"p": 400, "u": 800, "s": 800 + 24 + 8 + 200 + 4, "w": 1036, "d": 1036, "t": 800},
    ),
    "token": (
        "",
        """  k = token[] after-all()
  p = f32[100] parameter(0)
  ROOT t = (token[], f32[100]) tuple(k, p)""",
        {"k": 400, "p": 400, "t": 416},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_calls_share_the_memory_of_operands_and_results(name: str) -> None:
    before, body, expected = CALLS[name]
    assert sizes(body, before=before) == expected


def test_a_computation_is_executed_once() -> None:
    """Of several calls, the first has its steps."""
    found = memory_use(
        parse_hlo(
            SCHEDULED.format("")
            + """f { q = f32[100] parameter(0)
 ROOT r = f32[100] reverse(q), dimensions={0}
 }
ENTRY main {
  p = f32[100] parameter(0)
  a = f32[100] call(p), to_apply=f
  b = f32[100] call(a), to_apply=f
  ROOT t = f32[100] reverse(b), dimensions={0}
}
"""
        )
    )
    assert found is not None
    assert [step.instruction.name for step in found.steps] == ["p", "q", "r", "a", "b", "t"]


def test_the_most_calls_in_each_other() -> None:
    """A hundred below the entry: what is further inside has no steps."""
    text = SCHEDULED.format("") + "k0 {\n p = f32[] parameter(0)\n ROOT r0 = f32[] negate(p)\n }\n"
    for n in range(1, 103):
        text += f"k{n} {{\n p = f32[] parameter(0)\n ROOT r{n} = f32[] call(p), to_apply=k{n - 1}\n }}\n"
    found = memory_use(parse_hlo(text))
    assert found is not None
    calls = [step.instruction.name for step in found.steps if step.instruction.name.startswith("r")]
    assert calls == [f"r{n}" for n in range(2, 103)]


FUSED = {  # the instructions of a fusion on q, the root last; whether it may be written over q
    "n = f32[100] negate(q)": True,
    "n = f32[100] negate(q)\n m = f32[100] add(n, q)": True,
    "n = f32[100] reverse(q), dimensions={0}": False,
    "n = f32[100] negate(q)\n m = f32[100] reverse(n), dimensions={0}": False,
    "n = f32[100] bitcast(q)\n m = f32[100] negate(n)": False,
    "n = f32[10,10] reshape(q)\n m = f32[100] reshape(n)": False,
}
IN_PLACE = {  # an instruction on a, which is used later, and b, which is not; whether it is written over b
    "r = f32[100] add(a, b)": True,
    "r = f32[100] reverse(b), dimensions={0}": False,
    "r = f32[100] dynamic-update-slice(b, a, i)": True,
    "r = f32[100] dynamic-update-slice(a, b, i)": False,
    'r = f32[100] custom-call(a, b), custom_call_target="t"': False,
    'r = f32[100] custom-call(a, b), custom_call_target="t", output_to_operand_aliasing={{}: (1, {})}': True,
    "r = s32[100] convert(b)": True,
    "r = f64[100] convert(b)": None,  # is larger
}


@pytest.mark.parametrize("instruction", [*FUSED, *IN_PLACE])
def test_results_that_are_written_over_an_operand(instruction: str) -> None:
    before, in_place, line = "", IN_PLACE.get(instruction), instruction
    if instruction in FUSED:
        *others, last = instruction.split("\n ")
        lines = "\n ".join([*others, f"ROOT {last}"])
        before, in_place = f"f {{ q = f32[100] parameter(0)\n {lines}\n }}\n", FUSED[instruction]
        line = "r = f32[100] fusion(b), kind=kLoop, calls=f"
    found = sizes(
        f"""  p = f32[100] parameter(0)
  i = s32[] parameter(1)
  a = f32[100] sine(p)
  b = f32[100] cosine(a)
  {line}
  c = f32[200] concatenate(a, p), dimensions={{0}}
  ROOT t = f32[1] slice(r), slice={{[0:1]}}""",
        before=before,
    )
    size = 800 if in_place is None else 0 if in_place else 400
    assert found["r"] == 404 + 800 + size


ONE = """f { q = f32[] parameter(0)
 x = f32[1] parameter(1)
 ROOT k = f32[1] clamp(q, x, q)
 }
"""


def test_an_array_is_not_written_over_a_scalar() -> None:
    """Of the same size, 4 bytes, which each element reads; a is used later."""
    body = """  p = f32[1] parameter(0)
  a = f32[1] sine(p)
  s = f32[] reshape(p)
  b = f32[] negate(s)
  r = f32[1] fusion(b, a), kind=kLoop, calls=f
  ROOT t = f32[2] concatenate(r, a), dimensions={0}"""
    assert sizes(body, before=ONE)["r"] == 4 + 4 + 4 + 4  # p, a, b, r


def test_packed_and_padded_elements() -> None:
    body = "  %p = s4[10]{0:E(4)} parameter(0)\n  ROOT %q = f32[3,5]{1,0:T(2,128)} custom-call(%p), "
    assert sizes(body + 'custom_call_target="f"') == {"p": 5, "q": 5 + 4 * 128 * 4}


def test_where_the_result_of_a_fusion_is_from() -> None:
    """The metadata of what its root passes on, where it has none of its own."""
    text = """HloModule m
f {
  q = f32[4] parameter(0)
  s = f32[4] sine(q), metadata={op_name="s"}
  c = f32[4] copy(s), metadata={op_name="c"}
  b = f32[2,2] bitcast(c), metadata={op_name="b"}
  ROOT t = (f32[2,2], f32[4]) tuple(b, q)
}
ENTRY e {
  p = f32[4] parameter(0)
  x = (f32[2,2], f32[4]) fusion(p), kind=kLoop, calls=f
  ROOT y = (f32[2,2], f32[4]) fusion(p), kind=kLoop, calls=f, metadata={op_name="y"}
}
"""
    module = parse_hlo(text)
    names = [origin_of(each).metadata["op_name"] for each in module.entry.instructions[1:]]
    assert names == ["s", "y"]


def test_the_peak_and_who_holds_it(tmp_path: Path) -> None:
    text = (
        SCHEDULED.format("")
        + """ENTRY %main {
  %p = f32[100] parameter(0), metadata={op_name="x"}
  %a = f32[300] broadcast(%p), dimensions={0}, metadata={op_name="f/spread" source_file="f.py" source_line=7}
  ROOT %b = f32[50] slice(%a), slice={[0:50]}
}
""".replace("broadcast(%p), dimensions={0}", "concatenate(%p, %p, %p), dimensions={0}")
    )
    path = tmp_path / "module_0000.f.cpu_after_optimizations.txt"
    path.write_text(text)
    (tmp_path / "module_0000.f.cpu_after_optimizations-buffer-assignment.txt").write_text(
        "BufferAssignment:\nallocation 0: size 400, parameter 0, shape |f32[100]| at ShapeIndex {}:\n"
        " value: <1 p @0> (size=400,offset=0): f32[100]{0}\n"
        "allocation 1: size 200, output shape is |f32[50]|, maybe-live-out:\n"
        "allocation 2: size 1200, preallocated-temp:\n"
    )
    found = schedule_dict(parse_hlo(text), path)
    assert found is not None
    assert (found["peak_bytes"], found["peak_instruction"], found["peak_line"]) == (1800, "b", 6)
    assert (found["parameter_bytes"], found["result_bytes"], found["constant_bytes"]) == (400, 200, 0)
    assert found["assigned_bytes"] == 1800
    assert found["live"][0] == {
        "instruction": "a", "index": [], "shape": "f32[300]{0}", "opcode": "concatenate", "line": 5,
        "bytes": 1200, "kind": "temporary", "op_name": "f/spread", "source": "f.py:7",
    }  # fmt: skip


@pytest.mark.parametrize("header", ["HloModule m\n\n", ""])
def test_without_a_schedule_there_is_no_memory_over_time(header: str, tmp_path: Path) -> None:
    module = parse_hlo(header + "ENTRY %main {\n  ROOT %p = f32[] parameter(0)\n}\n")
    assert memory_use(module) is None
    assert schedule_dict(module, tmp_path / "module.txt") is None
    assert assigned_bytes(tmp_path / "module.txt") is None


def test_the_report_of_xla_on_memory() -> None:
    """XLA's report on the recorded dump has the sum; an assignment is not beside it."""
    folder = Path(__file__).parents[2] / "testdata" / "dumps" / "classify"
    path = folder / "module_0000.jit_classify.cpu_after_optimizations.txt"
    total = int(
        (folder / f"{path.stem}-memory-usage-report.txt").read_text().split("Total bytes: ")[1].split()[0]
    )
    assert assigned_bytes(path) == total
    found = schedule_dict(parse_hlo(path.read_text()), path)
    assert found is not None and 0.9 * total <= found["peak_bytes"] <= total
