"""Object code from the disk cache, linked without LLVM."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo
from stablehlo_py.engines.native import jit, library, linking

# Calls of the C library and of Python, constants of several kinds, a loop that polls.
PROGRAM = """func.func @main(%x: tensor<300xf32>, %n: tensor<i64>) -> (tensor<300xf32>, tensor<i64>) {
  %0 = stablehlo.constant dense<0> : tensor<i64>
  %1 = stablehlo.constant dense<1> : tensor<i64>
  %r:2 = stablehlo.while(%a = %x, %i = %0) : tensor<300xf32>, tensor<i64>
    cond {
      %go = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %b = stablehlo.reverse %a, dims = [0] : tensor<300xf32>
      %c = stablehlo.tanh %b : tensor<300xf32>
      %j = stablehlo.add %i, %1 : tensor<i64>
      stablehlo.return %c, %j : tensor<300xf32>, tensor<i64>
    }
  return %r#0, %r#1 : tensor<300xf32>, tensor<i64>
}"""
X = np.linspace(-2, 2, 300, dtype=np.float32)
EXPECTED = np.tanh(np.tanh(np.tanh(X[::-1].astype(np.float64))))

here = pytest.mark.skipif(not linking.links_here(), reason="object files of this system are linked by LLVM")


def test_numbers_of_object_files() -> None:
    """Those of the ELF specification (figures 1-3, 1-9) and of the ABI of System V for x86-64 (table 4.9)."""
    assert (linking._MAGIC[:4], linking._RELOCATABLE, linking._X86_64) == (b"\x7fELF", 1, 62)
    assert (linking._PROGBITS, linking._SYMTAB, linking._RELA) == (1, 2, 4)
    assert (linking._WRITE, linking._ALLOC) == (1, 2)
    assert (linking._UNDEFINED, linking._FIRST_RESERVED, linking._GLOBAL) == (0, 0xFF00, 1)
    assert (linking._ABSOLUTE, linking._RELATIVE, linking._CALL, linking._LOADS) == (1, 2, 4, (9, 41, 42))
    sizes = [each.size for each in (linking._HEADER, linking._SECTION, linking._SYMBOL, linking._RELOCATION)]
    assert sizes == [64, 64, 24, 24]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SHLO_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(library, "_LIBRARIES", {})
    return tmp_path


def check() -> library.Library:
    """Run the program; return its library."""
    found, count = shlo.run(shlo.parse(PROGRAM), [X, np.int64(3)], engine="native")
    np.testing.assert_allclose(found, EXPECTED, rtol=1e-5)
    assert count == 3
    (made,) = library._LIBRARIES.values()
    return made


@here
def test_code_is_linked_here_or_by_llvm(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(check()._linked, linking.Executable)
    monkeypatch.setattr(linking, "links_here", lambda: False)
    monkeypatch.setattr(library, "_LIBRARIES", {})
    assert not isinstance(check()._linked, linking.Executable)


@pytest.mark.slow
@here
def test_a_second_process_does_not_load_llvm(folder: Path) -> None:
    code = f"""
import sys, numpy as np, stablehlo_py as shlo
x = np.linspace(-2, 2, 300, dtype=np.float32)
shlo.run(shlo.parse({PROGRAM!r}), [x, np.int64(3)], engine="native")
print("llvmlite" in sys.modules, any(name.endswith("lower.region") for name in sys.modules))"""
    for expected in ("True True", "False False"):
        result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ)
        assert result.stdout.strip() == expected, result.stderr


@here
def test_addresses_of_functions_are_loaded_from_memory() -> None:
    """A program passes the function that calls its nests to the run-time part, another object file."""
    type = "tensor<256x256xf32>"
    program = shlo.parse(f"""func.func @main(%x: {type}, %y: {type}) -> {type} {{
      %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : ({type}, {type}) -> {type}
      %1 = stablehlo.tanh %0 : {type}
      %2 = stablehlo.add %1, %x : {type}
      return %2 : {type}
    }}""")
    x, y = np.random.default_rng(1).normal(size=(2, 256, 256)).astype(np.float32)
    compiled = shlo.compile(program, engine="native")
    np.testing.assert_allclose(compiled(x, y)[0], np.tanh(x.astype(np.float64) @ y) + x, rtol=1e-4, atol=1e-4)
    (made,) = library._LIBRARIES.values()
    assert isinstance(made._linked, linking.Executable)


@here
def test_damaged_object_files_are_left_to_llvm(compiled_texts: list[str]) -> None:
    """None is linked outside of its memory; what cannot be linked is refused."""
    check()
    code, *rest = [*map(jit.object_code, compiled_texts), library._runtime_code()]
    linking.Executable([code, *rest])
    with pytest.raises(linking.MissingFunction):
        text = (
            "declare void @absent() nounwind\ndefine void @f() nounwind {\n call void @absent()\n ret void\n}"
        )
        linking.Executable([jit.object_code(text)])
    for cut in (0, 10, 63, 64, len(code) // 2, len(code) - 1):
        with pytest.raises(linking.Unlinkable):
            linking.Executable([code[:cut] or b"\0", *rest])
    rng = random.Random(7)
    refused = 0
    for _ in range(300):
        damaged = bytearray(code)
        for _ in range(4):
            damaged[rng.randrange(len(code))] = rng.choice((0, 1, 0x7F, 0xFF, rng.randrange(256)))
        try:
            linking.Executable([bytes(damaged), *rest])
        except linking.Unlinkable:
            refused += 1
    assert refused > 10


@here
def test_object_files_of_another_kind_are_refused(compiled_texts: list[str]) -> None:
    """Each field alone, at the place that the ELF specification gives it (figures 1-3 and 1-9)."""
    check()
    code, *rest = [*map(jit.object_code, compiled_texts), library._runtime_code()]

    def number(at: int, size: int) -> int:
        return int.from_bytes(code[at : at + size], "little")

    changes = [(16, 2, 2, "not a relocatable"), (18, 2, 183, "not a relocatable")]  # executable; for Arm
    headers = range(number(40, 8), number(40, 8) + 64 * number(60, 2), 64)
    for at in headers:
        kind, flags, offset, size = (
            number(at + 4, 4),
            number(at + 8, 8),
            number(at + 24, 8),
            number(at + 32, 8),
        )
        if flags & 2 and size:  # in memory
            changes += [
                (at + 4, 4, 8, "data besides"),
                (at + 8, 8, flags | 1, "data besides"),
            ]  # zeros; written
        target = headers[number(at + 44, 4)] if kind == 4 else at
        if kind == 4 and number(target + 8, 8) & 2:  # relocations of such a section
            changes.append((offset + 8, 4, 3, "a relocation of kind 3"))
            changes.append((offset, 8, number(target + 32, 8) - 3, "a relocation outside"))
            last = 8 if number(offset + 8, 4) == 1 else 4
            changes.append((offset, 8, number(target + 32, 8) - last, ""))
            for before, message in ((8, ""), (4, "a relocation outside")):  # of 8 bytes
                changes.append((offset, 12, number(target + 32, 8) - before | 1 << 64, message))
    assert len({message for *_, message in changes}) == 5
    for place, size, value, message in changes:
        changed = [code[:place] + value.to_bytes(size, "little") + code[place + size :], *rest]
        if message:
            with pytest.raises(linking.Unlinkable, match=message):
                linking.Executable(changed)
        else:
            linking.Executable(changed)


@here
def test_code_that_calls_functions_the_process_lacks_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without F16C, conversions of f16 are functions of a compiler's library."""
    target = jit._host()[0]
    monkeypatch.setattr(jit, "_host", lambda: (target, "x86-64", ""))
    text = """func.func @main(%x: tensor<4xf16>) -> tensor<4xf16> {
      %0 = stablehlo.add %x, %x : tensor<4xf16>
      %1 = stablehlo.multiply %0, %x : tensor<4xf16>
      %2 = stablehlo.subtract %1, %x : tensor<4xf16>
      return %2 : tensor<4xf16>
    }"""
    found = shlo.run(shlo.parse(text), [np.array([0, 1, -2, 2.5], np.float16)], engine="native")
    assert np.asarray(found).ravel().tolist() == [0, 1, 10, 10]


CALLER = "declare void @other() nounwind\ndefine void @f() nounwind {\n call void @other()\n ret void\n}"
OTHER = "define LINKAGE void @other() nounwind noinline {\n ret void\n}\n"
OTHER += "define void @g() nounwind {\n call void @other()\n ret void\n}"


@here
def test_functions_of_other_objects_are_global() -> None:
    caller = jit.object_code(CALLER)
    linking.Executable([caller, jit.object_code(OTHER.replace("LINKAGE", ""))])
    local = jit.object_code(OTHER.replace("LINKAGE", "internal"))
    assert b"other\0" in local
    linking.Executable([local])
    with pytest.raises(linking.MissingFunction):
        linking.Executable([caller, local])


@here
def test_the_limit_is_on_all_of_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    code = [jit.object_code(CALLER.replace("other", "abort"))]
    size = len(linking.Executable(code)._memory)
    monkeypatch.setattr(linking, "_MOST", size)
    linking.Executable(code)
    monkeypatch.setattr(linking, "_MOST", size - 1)
    with pytest.raises(linking.Unlinkable, match="too much code"):
        linking.Executable(code)


def test_entries_of_the_cache_with_other_rows_are_not_used() -> None:
    """The rows of an entry are checked, and those of a new module replace them."""
    key = library._key("rows")
    library.cache.store(library._name(key), key, ([], ["wrong"]))
    made: list[int] = []

    def source() -> library.Source:
        made.append(1)
        return library.Source("", "", ["right"])

    for _ in range(2):
        assert library.load_library("rows", source, lambda rows: rows == ["right"]).rows == ["right"]
        library._LIBRARIES.clear()
    assert made == [1]


def test_an_entry_without_code_of_the_run_time_part_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "runtime_code", lambda: b"code")
    key = "a run-time part for this test"
    library.cache.store(library._name(key), key, [1, 2])
    assert library._runtime_code_for(key) == b"code"
