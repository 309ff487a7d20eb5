"""Fusions and live memory by the lines of a text."""

from __future__ import annotations

from stablehlo_py.hlo.lines import fusion_scopes, live_by_line
from stablehlo_py.hlo.memory import memory_use
from stablehlo_py.hlo.parser import parse_hlo

TEXT = """HloModule m, is_scheduled=true
inner {
  p = f32[4] parameter(0)
  ROOT n = f32[4] negate(p), metadata={op_name="jit(f)/inner/neg"}
}
outer {
  p = f32[4] parameter(0)
  i = f32[4] fusion(p), kind=kLoop, calls=inner
  ROOT a = f32[4] abs(i), metadata={op_name="jit(f)/layer/abs"}
}
alone {
  p = f32[4] parameter(0)
  ROOT s = f32[4] sine(p)
}
bare {
  p = f32[4] parameter(0)
  ROOT c = f32[4] cosine(p)
}
ENTRY e {
  x = f32[4] parameter(0)
  f = f32[4] fusion(x), kind=kLoop, calls=outer
  g = f32[4] fusion(f), kind=kLoop, calls=alone, metadata={op_name="jit(f)/other/sin"}
  w = f32[4,16] broadcast(g), dimensions={0}
  h = f32[4] fusion(g), kind=kLoop, calls=alone
  k = f32[4] fusion(h), kind=kLoop, calls=bare
  ROOT r = (f32[4], f32[4,16]) tuple(k, w)
}
"""


def test_scopes_of_fused_instructions() -> None:
    """That of what the fusion makes, for the fusions in it as well; the first of two fusions of the same."""
    scopes = fusion_scopes(parse_hlo(TEXT))
    of_f, of_g = dict.fromkeys((3, 4, 7, 8, 9), "jit(f)/layer/%f"), dict.fromkeys((12, 13), "jit(f)/other/%g")
    assert scopes == {**of_f, **of_g, 16: "%k", 17: "%k"}


def test_live_memory_of_fused_instructions() -> None:
    """That of the fusion, and the most of two of the same."""
    module = parse_hlo(TEXT)
    use = memory_use(module)
    assert use is not None
    sizes = {step.instruction.name: step.size for step in use.steps}
    live = live_by_line(module)
    names = dict(zip(range(20, 27), "xfgwhkr", strict=True))
    assert {line: live[line] for line in names} == {line: sizes[name] for line, name in names.items()}
    assert {live[line] for line in (3, 4, 7, 8, 9)} == {sizes["f"]}
    assert {live[line] for line in (12, 13)} == {max(sizes["g"], sizes["h"])} and sizes["g"] < sizes["h"]
    assert {live[line] for line in (16, 17)} == {sizes["k"]}
    assert live_by_line(parse_hlo(TEXT.replace(", is_scheduled=true", ""))) == {}
