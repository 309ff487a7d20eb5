"""Tiers: modules of functions that are optimized and of those that are not, which call each other."""

from __future__ import annotations

import ctypes

import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from llvmlite import binding as llvm

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


def defined(text: str) -> set[str]:
    """The functions that a module defines."""
    return {each.name for each in llvm.parse_assembly(text).functions if not each.is_declaration}


def used(text: str) -> set[str]:
    """What else a module knows: functions of other modules, and variables."""
    module = llvm.parse_assembly(text)
    declared = {each.name for each in module.functions if each.is_declaration}
    return declared | {each.name for each in module.global_variables}


def test_modules_have_what_they_use_and_call_each_other() -> None:
    hot, cold = split_by_tier([SQUARE, NEXT, MAIN, LARGER], BESIDE)
    assert (defined(hot), used(hot)) == ({"square", "larger"}, {"next", "table", "llvm.smax.i64"})
    assert (defined(cold), used(cold)) == ({"next", "main"}, {"square", "larger"})
    library = Library([object_code(hot), translated(cold)])
    function = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(library.address("main"))
    assert [function(x) for x in (1, 4, 7)] == [21, 21, 51]


def test_a_tier_without_functions_is_no_module() -> None:
    assert split_by_tier([NEXT], BESIDE)[0] == ""
    (hot, cold) = split_by_tier([SQUARE], BESIDE)
    assert defined(hot) == {"square"} and cold == ""
