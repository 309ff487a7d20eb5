"""Merging of functions that differ in constants, on small texts and on a program."""

from __future__ import annotations

import re

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo
from stablehlo_py.engines.native import library
from stablehlo_py.engines.native.merging import merge_functions


def nest(number: int, *lines: str) -> str:
    body = "\n".join([*lines, "  ret i8 0"])
    return f"define internal i8 @nest{number}(i64 %lo, ptr noalias %p0) nounwind {{\nentry:\n{body}\n}}"


def test_constants_that_differ_are_parameters() -> None:
    caller = "define void @main0() {\n  call i8 @nest1(i64 0, ptr %m1)\n  call i8 @nest2(i64 1, ptr %m2)\n}"
    lines = [
        (f"  %v1 = mul i64 %lo, {n}", "  %v2 = add i64 %v1, 7", f"  %v3 = sub i64 {n}, %v2") for n in (3, 5)
    ]
    (merged, calls), constants = merge_functions([nest(1, *lines[0]), nest(2, *lines[1]), caller])
    assert constants == {"@nest1": ("@nest1", ("3",)), "@nest2": ("@nest1", ("5",))}
    assert "@nest1(i64 %lo, ptr noalias %p0, i64 %c0) nounwind {" in merged
    for line in ("  %v1 = mul i64 %lo, %c0", "  %v2 = add i64 %v1, 7", "  %v3 = sub i64 %c0, %v2"):
        assert line in merged
    assert "call i8 @nest1(i64 0, ptr %m1, i64 3)" in calls
    assert "call i8 @nest1(i64 1, ptr %m2, i64 5)" in calls


def test_divisors_and_other_constants_stay() -> None:
    for line in ("  %v1 = udiv i64 %lo, {}", "  %v1 = fadd float %x, {}.0", "  %v1 = alloca float, i64 {}"):
        functions = [nest(n, line.format(n)) for n in (1, 2)]
        assert merge_functions(functions) == (functions, {})


def test_floats_that_differ_are_parameters() -> None:
    """Means of 6272 and 1568 elements; powers of two stay."""
    lines = "  %v1 = fdiv float %x, 0x{}", "  %v2 = fmul reassoc double 0x{}, %y"
    means = ("40B8800000000000", "3FB999999999999A"), ("4098800000000000", "3FD999999999999A")
    functions = [nest(n, *map(str.format, lines, pair)) for n, pair in enumerate(means, 1)]
    (merged,), constants = merge_functions(functions)
    assert constants["@nest2"] == ("@nest1", (str(0x4098800000000000), str(0x3FD999999999999A)))
    for line in (
        "  %c0.floatd = bitcast i64 %c0 to double",
        "  %c0.float = fptrunc double %c0.floatd to float",
        "  %v1 = fdiv float %x, %c0.float",
        "  %c1.double = bitcast i64 %c1 to double",
        "  %v2 = fmul reassoc double %c1.double, %y",
    ):
        assert line in merged
    powers = [nest(n, f"  %v1 = fdiv float %x, 0x40{n}0000000000000") for n in (1, 2)]
    assert merge_functions(powers) == (powers, {})


def test_divisors_of_epilogues_are_parameters() -> None:
    functions = []
    for name, size in (("e1", 256), ("e2", 512)):
        body = f"entry:\n  %v1 = udiv i64 %first, {size}\n  %v2 = add i64 %v1, 32\n  ret void"
        functions.append(f"define internal void @epilogue.{name}.body(i64 %first) nounwind {{\n{body}\n}}")
        call = f"  call void @epilogue.{name}.body(i64 %first)"
        functions.append(f"define internal void @epilogue.{name}(i64 %first) nounwind {{\nentry:\n{call}\n}}")
    (merged, *callers), _ = merge_functions(functions)
    assert "  %v1 = udiv i64 %first, %c0\n  %v2 = add i64 %v1, 32" in merged
    assert ["i64 256)" in callers[0], "i64 512)" in callers[1]] == [True, True]
    assert all("call void @epilogue.e1.body(i64 %first, " in caller for caller in callers)


def test_rows_of_several_lengths_are_one_function(
    compiled_texts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sums of rows of 24, 40 and 56 elements, each in an array of its own."""
    sizes = (24, 40, 56)
    types = [f"tensor<512x{n}xf32>" for n in sizes]
    lines = [
        f"""%m{n} = stablehlo.exponential %x{n} : tensor<512x{n}xf32>
        %s{n} = stablehlo.reduce(%m{n} init: %z) applies stablehlo.add across dimensions = [1]
          : (tensor<512x{n}xf32>, tensor<f32>) -> tensor<512xf32>"""
        for n in sizes
    ]
    arguments = ", ".join(f"%x{n}: {type}" for n, type in zip(sizes, types, strict=True))
    results = ", ".join(f"%s{n}" for n in sizes)
    kinds = ", ".join(["tensor<512xf32>"] * len(sizes))
    program = shlo.parse(
        f"""func.func @main({arguments}) -> ({kinds}) {{
          %z = stablehlo.constant dense<0.0> : tensor<f32>
          {chr(10).join(lines)}
          return {results} : {kinds}
        }}"""
    )
    inputs = [np.random.default_rng(n).normal(size=(512, n)).astype(np.float32) for n in sizes]
    monkeypatch.setattr(library.cache, "load", lambda *arguments: None)
    found = shlo.run(program, inputs, engine="native")
    for have, given in zip(found, inputs, strict=True):
        np.testing.assert_allclose(have, np.exp(given.astype(np.float64)).sum(1), rtol=1e-5)
    assert len(re.findall("define hidden i8 @nest", compiled_texts[0])) == 1
