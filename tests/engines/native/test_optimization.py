"""What LLVM makes of a loop, with and without its optimizations."""

from __future__ import annotations

import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import llvmlite.binding as llvm

from stablehlo_py.engines.native import jit, library

OPTIMIZE = "SHLO_OPTIMIZE"
LOOP = """
define void @double(ptr %x, i64 %n) {
entry:
  %place = alloca i64
  store i64 0, ptr %place
  br label %body
body:
  %i = load i64, ptr %place
  %at = getelementptr float, ptr %x, i64 %i
  %value = load float, ptr %at
  %twice = fadd float %value, %value
  store float %twice, ptr %at
  %next = add i64 %i, 1
  store i64 %next, ptr %place
  %more = icmp slt i64 %next, %n
  br i1 %more, label %body, label %end
end:
  ret void
}
"""


def test_loops_are_vectorized_and_not_interleaved() -> None:
    module = llvm.parse_assembly(LOOP)
    jit._optimize(module, jit.target_machine())
    text = str(module)
    assert "alloca" not in text
    assert text.count("fadd <") in (1, 2)  # iterations that are left over may run in shorter vectors
    assert text.count("fadd float") == 1


@pytest.mark.parametrize(
    ("setting", "is_translated"), [("0", True), ("1", False), ("", False), (None, False)]
)
def test_a_setting_leaves_optimizations_out(
    setting: str | None, is_translated: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(OPTIMIZE)
    if setting is not None:
        monkeypatch.setenv(OPTIMIZE, setting)
    assert (jit.object_code(LOOP) == jit.translated(LOOP)) == is_translated


def test_both_kinds_of_code_have_their_own_entries_in_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(OPTIMIZE, "0")
    translated = library.version()
    monkeypatch.setenv(OPTIMIZE, "1")
    assert library.version() != translated
