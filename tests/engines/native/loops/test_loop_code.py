"""Machine code of small programs of loops beside the interpreter: a construct of the writer each."""

from __future__ import annotations

import re

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from loop_regions import run_code

from stablehlo_py.engines.native import cost
from stablehlo_py.engines.native.llvm import control
from stablehlo_py.engines.native.llvm.module import ModuleWriter
from stablehlo_py.engines.native.loop_ir.sharing import SharedProgram
from stablehlo_py.engines.native.loop_ir.statements import Loop, Program, While
from stablehlo_py.engines.native.loop_ir.uses import captured_by
from stablehlo_py.engines.native.loop_ir.verify import verify
from stablehlo_py.engines.native.region import LONG
from stablehlo_py.ir.element_types import numpy_dtype
from tests.helpers.loop_interpreter import Interpreter
from tests.helpers.loop_parser import parse

COUNTED = """{buffers}
scratch n: i32
{before}
store n[] = i32(0)
while {{
  let c = load n[]
}} compare(c, i32(3), compare_type=SIGNED, comparison_direction=LT: i1) {{
  {body}
  store n[] = (load n[] + i32(1))
}}"""


def counted(buffers: str, before: str, body: str) -> str:
    """A program whose last statements run three times, with the number in `n` and in `c`."""
    return COUNTED.format(buffers=buffers, before=before, body=body)


XY = "input x: 40xf32\noutput y: 40xf32"
SQUARE = "input x: 8x16xf32\noutput y: 8x16xf32"
PROGRAMS = {
    "a captured variable and value": counted(
        "input x: 1501xf32\noutput y: 2x1500xf32",
        "parallel i in 0..2 { parallel j in 0..1500 { store y[i, j] = f32(0.0) } }",
        """let f = convert(c: f32)
        unrolled r in 0..2 {
          let g = (f + convert(index(r + 1): f32))
          parallel i in 0..1500 { store y[r, i] = ((load x[i + r] * g) + (load y[r, i] * f32(0.5))) }
        }""",
    ),
    "large nests in a loop, from a start to an end": counted(
        "input x: 1501xf32\noutput y: 3x1500xf32\nscratch t: 3x1500xf32",
        """parallel i in 0..3 { parallel j in 0..1500 { store t[i, j] = f32(-1.0) } }
        parallel i in 0..3 { parallel j in 0..1500 { store y[i, j] = f32(-2.0) } }""",
        """for i in 0..3 {
          parallel j in i + 100..1500 of 1500 { store t[i, j] = (load x[j] + convert(c: f32)) }
        }
        for i in 0..3 {
          parallel j in i + 100..-i + 1400 of 1500 { store y[i, j] = load t[i, -j + 1499] }
        }""",
    ),
    "parts of loops, and whole ones": counted(
        "input x: 401xf32\noutput y: 400xf32\noutput z: 401xf32",
        """parallel i in 0..400 { store y[i] = f32(-1.0) }
        parallel i in 0..401 { store z[i] = f32(-2.0) }""",
        """parallel i in 100..389 of 400 { store y[i] = (load x[i] + convert(c: f32)) }
        parallel i in 0..401 { store z[i] = (load z[i] + (load x[i] * convert(c: f32))) }
        for i in 7..301 of 400 { store y[i] = (load y[-i + 399] + load x[i]) }""",
    ),
    "nests of one loop": counted(
        f"{XY}\nscratch t: 40xf32",
        "parallel i in 0..40 { store y[i] = f32(0.0) }",
        """parallel i in 0..40 { store t[i] = (load x[i] * convert(c: f32)) }
        parallel i in 0..40 { store y[i] = (load t[-i + 39] + load y[i]) }""",
    ),
    "a value that is stored again": f"""{XY}
parallel i in 0..40 {{
  store y[i] = load x[i]
  store y[i] = (load y[i] + load y[i])
  let a = load y[i]
  store y[i] = (a * load x[i])
  store y[i] = (load y[i] - a)
}}""",
    "a choice by an element that is stored again": f"""{XY}
scratch n: 40xi32
parallel i in 0..40 {{
  store n[i] = i32(0)
  store y[i] = (f32(1.0) if clamp(load n[i], 40) >= 5 else f32(2.0))
  store n[i] = i32(9)
  store y[i] = ((f32(1.0) if clamp(load n[i], 40) >= 5 else f32(2.0)) + load y[i])
}}""",
    "a value that a loop stores again": f"""{XY}
parallel i in 0..40 {{
  store y[i] = load x[i]
  let a = load y[i]
  for k in 0..3 {{ store y[i] = ((load y[i] * f32(2.0)) + a) }}
  store y[i] = (load y[i] - a)
}}""",
    "a value that a while stores again": f"""{XY}
output m: i32
scratch n: i32
scratch t: i32
parallel i in 0..40 {{ store y[i] = load x[i] }}
store n[] = i32(0)
store t[] = i32(5)
let d = load t[]
while {{ }} compare(load n[], i32(3), compare_type=SIGNED, comparison_direction=LT: i1) {{
  store t[] = (load t[] + i32(2))
  store n[] = (load n[] + i32(1))
}}
store m[] = (load t[] * d)
""",
    "names that are defined again": f"""{XY}
parallel i in 0..40 {{
  let d = load x[i]
  let e = (d + f32(1.0))
  where i >= 7 {{
    let d = (e * f32(3.0))
    store y[i] = (d + f32(1.0))
  }} else {{
    d = reduce(add, f32(2.0)) j in 0..3 {{ load x[i + j] }}
    store y[i] = ((d + f32(1.0)) * e)
  }}
  store y[i] = (load y[i] + (d + f32(1.0)))
}}""",
    "names in blocks": f"""{XY}
parallel i in 0..40 {{
  let a = load x[i]
  let b = (a + f32(1.0))
  where i >= 7 {{
    let d = (b * a)
    store y[i] = (d + b)
  }} else {{
    let d = (b - a)
    store y[i] = (d * d)
  }}
  let e = (load y[i] + b)
  store y[i] = e
}}""",
    "conditions": f"""{XY}
parallel i in 0..40 {{
  if compare(load x[i], f32(3.0), compare_type=FLOAT, comparison_direction=GT: i1) {{
    store y[i] = (load x[i - 5] if i >= 9 and -i >= -30 else (f32(2.0) * load x[i]))
  }} else {{
    where i >= 7 and -i >= -20 {{ store y[i] = load x[i - 7] }} else {{ store y[i] = load x[-i + 39] }}
  }}
}}""",
    "folds": """
input x: 8x300xf32
output y: 8x4xf32
parallel i in 0..8 {
  s = reduce(add, f32(0.0)) j in 0..300 { load x[i, j] }
  p = reduce(multiply, f32(1.0)) j2 in 0..3 { load x[i, j2] }
  d = reduce(add, f32(5.0)) j3 in 0..3, k3 in 0..4 { (load x[i, 4 * j3 + k3] * s) }
  m, n = fold(f32(-9.0), f32(0.0)) j4 in 0..30 { maximum(m, load x[i, j4]); (n + m) }
  store y[i, 0] = s
  store y[i, 1] = p
  store y[i, 2] = d
  store y[i, 3] = (m + n)
}""",
    "folds of narrow elements": """
input x: 40xbf16
output y: 20xbf16
parallel i in 0..20 {
  p = reduce(multiply, bf16(1.0)) j in 0..2 { load x[2 * i + j] }
  store y[i] = (p * bf16(3.0))
}""",
    "folds of other elements": """
input x: 300xcomplex<f32>
input z: 300xi16
output y: complex<f32>
output w: i16
s = reduce(add, complex<f32>(1.0, 2.0)) j in 0..300 { load x[j] }
t = reduce(add, i16(-3)) j2 in 0..300 { load z[j2] }
store y[] = s
store w[] = t
""",
    "vectors": f"""{SQUARE}
parallel i in 0..8 {{
  let a = load x[i, 3]
  vectorized v in 0..8 {{ store y[i, v] = ((load x[i, v + 8] * a) + (load x[0, 5] - f32(2.0))) }}
  unrolled r in 0..2 {{
    vectorized w in 0..4 {{ store y[i, w + 4 * r + 8] = native.multiply_add(load x[i, 3 * w + r], a, a) }}
  }}
}}""",
    "strides": """
input x: 8x70xf32
output y: 8x48xf32
parallel i in 0..8 {
  vectorized v in 0..16 { store y[i, v] = load x[i, 2 * v + 39] }
  vectorized v in 0..16 { store y[i, v + 16] = load x[i, 3 * v + 1] }
  vectorized v in 0..16 { store y[i, v + 32] = load x[i, 4 * v + 9] }
}""",
    "quotients and numbers": """
input x: 300xf32
input p: 40xi32
input q: 40xui8
input u: 40xui64
output y: 40xf32
parallel i in 0..40 {
  let a = (load x[clamp(load p[i], 9)] + load x[clamp(load q[i], 300)])
  let b = (a + load x[clamp(load u[i], 300)])
  store y[i] = (b + load x[6 * ((i) / 7) + (i) % 7])
}
""",
    "positions": """
output y: 5x7xi64
parallel i in 0..5 { parallel j in 0..7 { store y[i, j] = convert(index(7 * i - j + 3): i64) } }""",
    "narrow elements": """
input x: 40xbf16
input z: 40xi4
input b: 40xi1
output y: 40xbf16
output w: 40xi4
output c: 40xi1
parallel i in 0..40 {
  store y[i] = load x[-i + 39]
  store w[i] = (load z[i] + load z[-i + 39])
  let p = xor(load b[i], i1(true))
  store c[i] = xor(p, compare(load z[i], i4(2), compare_type=SIGNED, comparison_direction=LT: i1))
}
parallel i in 0..20 { store y[i] = (load x[i] + load y[i + 20]) }
""",
    "arrays of an iteration": """
input x: 8x16xf32
output y: 8x16xf32
frame t: 16xf32
frame u: 2x16xf32
parallel i in 0..8 {
  parallel j in 0..16 { store t[j] = (load x[i, j] * f32(2.0)) }
  for k in 0..2 { parallel j2 in 0..16 { store u[k, j2] = (load t[-j2 + 15] + load x[k, j2]) } }
  parallel j3 in 0..16 { store y[i, j3] = (load u[1, j3] - load u[0, -j3 + 15]) }
}""",
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize(("piece", "long"), [(1 << 8, LONG), (cost.PIECE, LONG), (cost.PIECE, 1 << 8)])
def test_code(piece: int, long: int, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nests in control flow are functions.

    From the size of a piece on, they are offered to other threads; long ones are called for parts in turn.
    """
    monkeypatch.setattr(cost, "INLINED", 1 << 8)
    monkeypatch.setattr(cost, "PIECE", piece)
    monkeypatch.setattr(control, "LONG", long)
    program = parse(PROGRAMS[name])
    assert not [each for each in verify(program) if not each.unknown]
    rng = np.random.default_rng(2)
    given = [
        rng.integers(-5, 50, each.shape).astype(numpy_dtype(each.element))
        for each in program.in_space("input")
    ]
    for found, wanted in zip(run_code(program, given), Interpreter().run(program, given), strict=True):
        np.testing.assert_allclose(found.astype(complex), wanted.astype(complex), rtol=1e-5)


@pytest.mark.parametrize("extent", [7, 5000])
@pytest.mark.parametrize("in_loop", [False, True])
def test_nests_that_update_an_array_run_once(extent: int, in_loop: bool) -> None:
    """A sine of a large number is one of the unlikely cases for which a nest runs again."""
    buffers = f"input x: {extent}xf32\noutput y: {extent}xf32"
    copy = f"parallel i in 0..{extent} {{ store y[i] = load x[i] }}\n"
    value = "(load y[i] + (sine(load x[i]) * f32(1000000.0)))"
    update = f"parallel i in 0..{extent} {{ store y[i] = {value} }}\n"
    text = counted(buffers, copy, update) if in_loop else f"{buffers}\n{copy}{update}"
    x = np.float32([1e6, 1, 2e7, 3, 4e9, 5, 6]).repeat(extent // 7)
    x = np.pad(x, (0, extent - len(x)))
    (found,) = run_code(parse(text), [x])
    wanted = x + np.sin(x.astype(np.float64)) * (3e6 if in_loop else 1e6)
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=3)


@pytest.mark.parametrize("extent", [1, 50, 5000])
def test_loops_poll_interrupts_as_often_as_they_have_to(extent: int) -> None:
    body = f"parallel i in 0..{extent} {{ store y[i] = (load y[i] + sine(load x[i])) }}"
    before = f"parallel i in 0..{extent} {{ store y[i] = f32(0.0) }}"
    program = parse(counted(f"input x: {extent}xf32\noutput y: {extent}xf32", before, body))
    (loop,) = [each for each in program.body if isinstance(each, While)]
    writer = ModuleWriter()
    made = writer.program(SharedProgram(Program(program.buffers, (loop,))), "main")
    (mask,) = re.findall(r" = and i64 %\S+, (\d+)\n.*\n? .*@poll_at", writer.texts()[0])
    every = int(mask) + 1
    assert every & int(mask) == 0
    assert LONG // 16 < every * made.instructions <= LONG // 2


def test_what_a_nest_captures() -> None:
    """Values and variables from outside: neither its own loops and values, nor those of its folds."""
    program = parse("""input x: 4x5xf32
output y: 3x4xf32
let f = f32(2.0)
parallel r in 0..3 {
  let h = (f + f32(1.0))
  parallel i in 0..4 {
    let g = (h * load x[i, 0])
    s = fold(f) j in 0..5 { (s + load x[i, j]) }
    store y[r, i] = (g * s)
  }
}""")
    _, outer = program.body
    assert isinstance(outer, Loop)
    _, inner = outer.body
    assert {each.name for each in captured_by([inner])} == {"h", "f", "r"}
    assert [each.name for each in captured_by([outer])] == ["f"]
    assert captured_by(program.body) == ()
