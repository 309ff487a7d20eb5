"""Tiers: modules of functions that are optimized and of those that are not, which call each other."""

from __future__ import annotations

import ctypes

import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from stablehlo_py.engines.native.jit import object_code, translated
from stablehlo_py.engines.native.library import Library
from stablehlo_py.engines.native.tiers import split_by_tier

SQUARE = "define internal i64 @square(i64 %x) nounwind noinline {\n  %y = mul i64 %x, %x\n  ret i64 %y\n}"
NEXT = "define internal i64 @next(i64 %x) nounwind noinline optnone {\n  %y = add i64 %x, 1\n  ret i64 %y\n}"
MAIN = """define i64 @main(i64 %x) nounwind noinline optnone {
  %a = call i64 @square(i64 %x)
  %b = call i64 @next(i64 %a)
  %c = call i64 @larger(i64 %b)
  ret i64 %c
}"""
LARGER = """define i64 @larger(i64 %x) nounwind {
  %k = load i64, ptr @table
  %y = call i64 @llvm.smax.i64(i64 %x, i64 %k)
  %z = call i64 @next(i64 %y)
  ret i64 %z
}"""
BESIDE = {
    "@table": "@table = internal constant i64 20",
    "@llvm.smax.i64": "declare i64 @llvm.smax.i64(i64, i64)",
    "@unused": "declare void @unused()",
}


def test_modules_have_what_they_use_and_call_each_other() -> None:
    hot, cold = split_by_tier([SQUARE, NEXT, MAIN, LARGER], BESIDE)
    assert "define hidden i64 @square" in hot
    assert "declare hidden i64 @next(i64) nounwind" in hot
    assert "@table = " in hot
    assert "@unused" not in hot + cold
    assert "define hidden i64 @next" in cold
    assert "declare hidden i64 @square(i64) nounwind" in cold
    assert "@table" not in cold
    library = Library([object_code(hot), translated(cold)])
    function = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(library.address("main"))
    assert [function(x) for x in (1, 4, 7)] == [21, 21, 51]


def test_a_tier_without_functions_is_no_module() -> None:
    assert split_by_tier([NEXT], BESIDE)[0] == ""
    (hot, cold) = split_by_tier([SQUARE], BESIDE)
    assert "define internal i64 @square" in hot
    assert cold == ""
