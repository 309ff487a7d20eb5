"""Arrays that loops carry: each value takes the place that the body gives it, by hand calculation."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo

TYPE = "tensor<200xi32>"
INNER = f"""
        %limit = stablehlo.constant dense<3> : tensor<i32>
        %in:2 = stablehlo.while(%j = %zero, %x = %a) : tensor<i32>, {TYPE}
        cond {{
          %go = stablehlo.compare LT, %j, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %go : tensor<i1>
        }} do {{
          %j1 = stablehlo.add %j, %one : tensor<i32>
          %x1 = stablehlo.add %x, %b : {TYPE}
          stablehlo.return %j1, %x1 : tensor<i32>, {TYPE}
        }}"""

# the steps of a body, what it returns for %a, %b and %c, and the same in Python
BODIES = {
    "exchanged": ("", "%b, %a, %c", lambda a, b, c: (b, a, c)),
    "rotated": (f"%s = stablehlo.add %a, %b : {TYPE}", "%s, %a, %b", lambda a, b, c: (a + b, a, b)),
    "one for two": (f"%s = stablehlo.add %a, %c : {TYPE}", "%s, %s, %c", lambda a, b, c: (a + c, a + c, c)),
    "reversed": (
        f"%s = stablehlo.reverse %a, dims = [0] : {TYPE}\n%t = stablehlo.subtract %b, %s : {TYPE}",
        "%s, %t, %a",
        lambda a, b, c: (a[::-1], b - a[::-1], a),
    ),
    "inner loop": (INNER, "%in#1, %a, %in#1", lambda a, b, c: (a + 3 * b, a, a + 3 * b)),
}


@pytest.mark.parametrize("trips", [0, 1, 2, 5])
@pytest.mark.parametrize("name", BODIES)
def test_values_and_places(name: str, trips: int) -> None:
    body, returned, after = BODIES[name]
    module = shlo.parse(f"""
    func.func @main(%n: tensor<i32>, %a0: {TYPE}, %b0: {TYPE}, %c0: {TYPE}) -> ({TYPE}, {TYPE}, {TYPE}) {{
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %r:4 = stablehlo.while(%i = %zero, %a = %a0, %b = %b0, %c = %c0) : tensor<i32>, {TYPE}, {TYPE}, {TYPE}
      cond {{
        %0 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %0 : tensor<i1>
      }} do {{
        %next = stablehlo.add %i, %one : tensor<i32>
        {body}
        stablehlo.return %next, {returned} : tensor<i32>, {TYPE}, {TYPE}, {TYPE}
      }}
      return %r#1, %r#2, %r#3 : {TYPE}, {TYPE}, {TYPE}
    }}""")
    compiled = shlo.compile(module, engine="native")
    assert [step.name for step in compiled.plan.steps if step.name != "copy"] == ["native"]
    given = [np.random.default_rng(k).integers(-9, 10, 200, np.int32) for k in range(3)]
    expected = tuple(given)
    for _ in range(trips):
        expected = after(*expected)
    for have, want in zip(compiled(np.int32(trips), *given), expected, strict=True):
        np.testing.assert_array_equal(have, want)
