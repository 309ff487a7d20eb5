"""The resident memory of LLVM's library."""

from __future__ import annotations

import mmap
import re
import struct
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo
from stablehlo_py.engines.native import jit
from stablehlo_py.engines.native.resident import _written, release_library_pages

PROGRAM = """func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.add %x, %x : tensor<8xf32>
  %1 = stablehlo.multiply %0, %x : tensor<8xf32>
  %2 = stablehlo.constant dense<OFFSET.0> : tensor<8xf32>
  %3 = stablehlo.subtract %1, %2 : tensor<8xf32>
  return %3 : tensor<8xf32>
}"""


def resident_library_pages() -> int:
    """The size of the library's pages in memory, in KiB; 0 where the system does not tell."""
    maps = Path("/proc/self/smaps")
    mapping = r"^[0-9a-f]+-[0-9a-f]+ r-.. .*libllvmlite.*\n(?:[A-Z].*\n)*?Rss: +(\d+) kB$"
    return sum(map(int, re.findall(mapping, maps.read_text(), re.M))) if maps.exists() else 0


def test_compiling_goes_on_after_pages_are_released() -> None:
    x = np.arange(8, dtype=np.float32)
    for offset in range(3):
        module = shlo.parse(PROGRAM.replace("OFFSET", str(offset)))
        assert shlo.run(module, [x], engine="native")[0].tolist() == [2 * n * n - offset for n in range(8)]
        release_library_pages()


def test_pages_are_released() -> None:
    jit.target_machine()  # reads of the library
    before = resident_library_pages()
    if not before:
        pytest.skip("this system does not tell how much of a library is in memory")
    release_library_pages()
    assert resident_library_pages() < before


def test_parts_of_a_file_that_are_written(tmp_path: Path) -> None:
    """Segments that are loaded and writable, from the start of a page (ELF specification, figure 2-1)."""
    segments = [(1, 5, 0, 0x5000), (1, 6, 0x7010, 0x100), (2, 6, 0x7020, 0x80), (0x6474E551, 6, 0, 0x9000)]
    header = struct.pack("<16sHHIQQQIHHH", b"\x7fELF\2\1\1", 3, 62, 1, 0, 64, 0, 0, 64, 56, len(segments))
    rows = [
        struct.pack("<IIQQQQQQ", kind, flags, at, at, at, size, size, 4096)
        for kind, flags, at, size in segments
    ]
    library = tmp_path / "libllvmlite.so"
    library.write_bytes(header.ljust(64, b"\0") + b"".join(rows))
    (part,) = _written(library)
    assert part.stop == 0x7110
    assert part.start == 0x7010 - 0x7010 % mmap.PAGESIZE
