"""Libraries for other processors: object code, the check of features, and what CMake makes of both."""

from __future__ import annotations

import struct
import subprocess
import sys
from pathlib import Path
from shutil import which

import numpy as np
import pytest

from tests.library.building import CASES, build, needs_compiler, run_example

MLP, INPUTS = CASES["product"]
PRODUCT = INPUTS[0].astype(np.float64) @ INPUTS[1] + [0.5, -1.0, 2.0, 0.0, 1.0, 3.0, -2.0, 0.25]
EM_X86_64, EM_AARCH64 = 62, 183
# Of the ABI for ELF: those of position-independent code, for calls, addresses in pages and offsets in them.
RELOCATIONS = {
    EM_X86_64: {2, 4, 9, 41, 42},  # PC32, PLT32, GOTPCREL, GOTPCRELX, REX_GOTPCRELX
    EM_AARCH64: {261, 275, 277, 278, 282, 283, 284, 285, 286, 299, 311, 312},
}
SYMBOL, RELOCATION = struct.Struct("<IBBHQQ"), struct.Struct("<QQq")
SHT_SYMTAB, SHT_RELA = 2, 4
STV_HIDDEN = 2
LIBC = {"clock_gettime", "usleep", "memcpy", "memset", "memmove"}


def elf(path: Path) -> tuple[int, dict[str, int], set[str], set[int]]:
    """An object file's machine, the visibility of its symbols, what it needs, and kinds of relocations."""
    data = path.read_bytes()
    assert data[:6] == b"\x7fELF\x02\x01"
    kind, machine = struct.unpack_from("<HH", data, 16)
    assert kind == 1  # ET_REL
    (start,), (size, count) = struct.unpack_from("<Q", data, 40), struct.unpack_from("<HH", data, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, start + i * size) for i in range(count)]
    defined: dict[str, int] = {}
    needed: set[str] = set()
    kinds: set[int] = set()
    for _, type, _, _, offset, length, link, _, _, _ in sections:
        if type == SHT_RELA:
            kinds |= {
                RELOCATION.unpack_from(data, at)[1] & 0xFFFFFFFF for at in range(offset, offset + length, 24)
            }
        if type == SHT_SYMTAB:
            for at in range(offset + SYMBOL.size, offset + length, SYMBOL.size):
                name, info, other, section, _, _ = SYMBOL.unpack_from(data, at)
                text = data[sections[link][4] + name :].split(b"\0", 1)[0].decode()
                if info >> 4 == 1 and section:
                    defined[text] = other & 3
                elif info >> 4 == 1:
                    needed.add(text)
    return machine, defined, needed, kinds


@pytest.mark.skipif(sys.platform != "linux", reason="libraries are built on Linux")
@pytest.mark.parametrize(
    ("target", "machine"), [("aarch64", EM_AARCH64), ("x86_64-v3", EM_X86_64), ("x86_64-v4", EM_X86_64)]
)
@pytest.mark.parametrize("name", ["product", "loop", "sort"])
def test_object_code_of_a_target(target: str, machine: int, name: str, tmp_path: Path) -> None:
    files = build(CASES[name][0], tmp_path, target=target, link=False)
    found = [elf(path) for path in files if path.suffix == ".o"]
    assert found and {each[0] for each in found} == {machine}
    visible = {symbol: kind for _, defined, _, _ in found for symbol, kind in defined.items()}
    assert "model.main.main" in visible
    assert {*visible.values()} == {STV_HIDDEN}
    assert all(symbol.startswith(("model.main.", "model..")) for symbol in visible)
    assert {symbol for _, _, needed, _ in found for symbol in needed} <= {*visible} | LIBC
    assert {kind for *_, kinds in found for kind in kinds} <= RELOCATIONS[machine]


@pytest.mark.skipif(sys.platform != "linux", reason="libraries are built on Linux")
def test_functions_share_the_run_time_part(tmp_path: Path) -> None:
    """What loops call to share pieces among threads is in one object file, whatever the functions' names."""
    text = "".join([f"\n{MLP.replace('@main', f'@{name}')}" for name in ("f", "runtime", "take")])
    files = build(text, tmp_path, entries=("f", "runtime", "take"), link=False)
    found = [elf(path)[1] for path in files if path.suffix == ".o"]
    names = [name for defined in found for name in defined]
    assert len({*names}) == len(names)
    assert {"model.f.main", "model.runtime.main", "model.take.main"} < {*names}
    shared = [{*defined} for defined in found if any(name.startswith("model..") for name in defined)]
    assert len(shared) == 1 and "model..take" in shared[0]


@pytest.mark.skipif(sys.platform != "linux", reason="libraries are built on Linux")
def test_linking_needs_a_compiler_for_the_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from stablehlo_py.library.toolchain import ToolchainError

    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolchainError, match=r"for the target: aarch64-linux-gnu-gcc .* --no-link"):
        build(MLP, tmp_path / "out", target="aarch64")


@pytest.mark.slow
@needs_compiler
@pytest.mark.skipif(which("cmake") is None, reason="needs cmake")
@pytest.mark.parametrize("static", [False, True])
def test_cmake_makes_the_library_and_the_example(static: bool, tmp_path: Path) -> None:
    build(MLP, tmp_path, link=False, static=static)
    example = tmp_path / "example"
    for folder in (tmp_path, example):
        subprocess.run(["cmake", "-B", "build"], cwd=folder, check=True, capture_output=True, timeout=300)
        subprocess.run(
            ["cmake", "--build", "build"], cwd=folder, check=True, capture_output=True, timeout=300
        )
    for number, array in enumerate(INPUTS):
        (example / f"{number}.bin").write_bytes(array.tobytes())
    subprocess.run(["build/example_c", "0.bin", "1.bin"], cwd=example, check=True, timeout=60)
    found = np.fromfile(example / "result0.bin", np.float32).reshape(4, 8)
    np.testing.assert_allclose(found, np.tanh(PRODUCT), rtol=2e-6, atol=1e-6)
    command = ["build/example_cpp", "0.bin", "1.bin"]
    done = subprocess.run(command, cwd=example, check=True, capture_output=True, text=True, timeout=60)
    assert done.stdout.startswith("result 0: f32, 128 bytes, checksum ")


@needs_compiler
@pytest.mark.parametrize(("target", "feature"), [("x86_64-v3", "avx2"), ("x86_64-v4", "avx512f")])
def test_a_library_runs_where_the_processor_has_its_features(
    target: str, feature: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Elsewhere its calls say which feature is missing, before they execute an instruction of it."""
    build(MLP, tmp_path, target=target)
    if feature in Path("/proc/cpuinfo").read_text().split():
        (found,) = run_example(tmp_path, INPUTS, [np.empty((4, 8), np.float32)])
        np.testing.assert_allclose(found, np.tanh(PRODUCT), rtol=2e-6, atol=1e-6)
        return
    with pytest.raises(subprocess.CalledProcessError):
        run_example(tmp_path, INPUTS, [np.empty((4, 8), np.float32)])
    expected = f"model_run: this processor has no {feature}; the library was built for {target} processors"
    assert expected in capfd.readouterr().err


@needs_compiler
@pytest.mark.skipif(which("qemu-x86_64") is None, reason="needs an emulator: Debian's qemu-user")
@pytest.mark.parametrize(
    ("target", "cpu", "feature"), [("x86_64-v3", "Nehalem", "avx"), ("x86_64-v4", "max", "avx512f")]
)
def test_an_emulated_processor_without_a_feature(
    target: str, cpu: str, feature: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    build(MLP, tmp_path, target=target)
    with pytest.raises(subprocess.CalledProcessError):
        run_example(tmp_path, INPUTS, [np.empty((4, 8), np.float32)], "qemu-x86_64", "-cpu", cpu)
    assert f"this processor has no {feature}; " in capfd.readouterr().err


@needs_compiler
def test_a_processor_without_a_feature_is_an_error(tmp_path: Path) -> None:
    """A compiler's answer about the processor is replaced by that of an older one."""
    build(MLP, tmp_path, target="x86_64-v3", link=False)
    driver = tmp_path / "driver.c"
    text = driver.read_text()
    assert '__builtin_cpu_supports("avx2")' in text and '__builtin_cpu_supports("fma")' in text
    driver.write_text(text.replace('__builtin_cpu_supports("avx2")', "0"))
    (tmp_path / "main.c").write_text(
        """
#include "model.h"
#include <stdio.h>
int main(void) {
  int status = model_run(NULL, NULL, NULL);
  printf("%s", model_status_text(status));
  return status != MODEL_ERROR_PROCESSOR;
}"""
    )
    files = ["main.c", "driver.c", "constants.S", *[path.name for path in tmp_path.glob("*.o")]]
    command = ["cc", *files, "-o", "main", "-lm", "-lpthread"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=300)
    done = subprocess.run(["./main"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0 and done.stdout.startswith("this processor has no avx2; ")
