"""Loops and object code for other processors: verified after each stage, and made by cross-compilation.

The object code for aarch64 cannot run here: its format and symbols are checked. Undefined symbols are those
of libm and of the run-time part. Tiles of processors that this one includes run here.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from conftest import ROOT
from loop_regions import largest_region, plan_of, run_code, stages_of

import stablehlo_py as shlo
from stablehlo_py.engines.native import jit, library
from stablehlo_py.engines.native import machine as machines
from stablehlo_py.engines.native.library import version
from stablehlo_py.engines.native.llvm.module import ModuleWriter
from stablehlo_py.engines.native.loop_ir.sharing import SharedProgram
from stablehlo_py.engines.native.loop_ir.statements import Loop, Program, walk
from stablehlo_py.engines.native.loop_ir.verify import verify
from stablehlo_py.engines.native.machine import Machine, host, made_for
from stablehlo_py.engines.native.passes.pipeline import rewritten
from stablehlo_py.engines.native.runtime_code import declarations, runtime_module
from stablehlo_py.engines.native.schedule.products import row_bytes, tile_rows
from tests.helpers.native import counted
from tests.helpers.programs import program

PROGRAMS = ROOT / "testdata" / "programs"
X86 = "x86_64-unknown-linux-gnu"
NEON = Machine("aarch64-unknown-linux-gnu", "generic", "+neon,+fp-armv8")
HASWELL = Machine(X86, "haswell", "+sse4.2,+avx,+avx2,+fma,+f16c,+bmi,+bmi2", 256 << 10)
V2 = Machine(X86, "x86-64-v2", "+sse3,+ssse3,+sse4.1,+sse4.2,+popcnt", 256 << 10)
AVX512 = Machine(X86, "skylake-avx512", "+avx,+avx2,+fma,+f16c,+avx512f,+avx512bw,+avx512vl,+avx512dq")
MACHINES = {"aarch64": NEON, "haswell": HASWELL, "x86-64-v2": V2}
ELF_MACHINES = {"aarch64": 183, "haswell": 62, "x86-64-v2": 62}  # EM_AARCH64, EM_X86_64
_FUNCTIONS = """
acos acosh asin asinh atan atan2 atanh cbrt ceil cos cosh erf erfc exp exp2 expm1 floor fma fmax fmin fmod
ldexp lgamma log log10 log1p log2 nearbyint pow remainder rint round roundeven sin sincos sinh sqrt tan tanh
tgamma trunc memcpy memmove memset cacos cacosh casin casinh catan catanh ccos ccosh cexp clog cpow csin csinh
csqrt ctan ctanh"""
LIBM = {*_FUNCTIONS.split(), *(f"{name}f" for name in _FUNCTIONS.split())}  # what LLVM may call

ROWS = program(
    "x: 12x64xf32",
    """
    %m = reduce %x, maximum, [1]
    %mb = broadcast %m, [0] -> 12x64
    %d = subtract %x, %mb
    %e = exponential %d
    %s = reduce %e, add, [1]
    %sb = broadcast %s, [0] -> 12x64
    %y = divide %e, %sb
    return %y""",
)


def product(type: str) -> str:
    """A product whose rows and columns are no multiples of tiles, and a bias behind it."""
    body = "%0 = dot %a, %b, ma,an\n%1 = broadcast %c, [1] -> 45x70\n%2 = add %0, %1\nreturn %2"
    return program(f"a: 45x24x{type}, b: 24x70x{type}, c: 70x{type}", body)


def elementwise(ops: str, type: str) -> str:
    """Ops of one operand, one after the other."""
    lines = [f"%{i + 1} = {op} %{i}" for i, op in enumerate(ops.split())]
    return program(f"0: 40x{type}", "\n".join([*lines, f"return %{len(lines)}"]))


UPDATE = """%none = stablehlo.constant dense<0> : tensor<i32>
  %e = stablehlo.exponential %p : tensor<600x50xf32>
  %new = stablehlo.dynamic_update_slice %e, %v, %i, %none
    : (tensor<600x50xf32>, tensor<1x50xf32>, tensor<i32>, tensor<i32>) -> tensor<600x50xf32>"""
LOOP = f"""
func.func @main(%x: tensor<600x50xf32>, %v: tensor<1x50xf32>) -> (tensor<i32>, tensor<600x50xf32>) {{
  {counted("600", {"p": ("tensor<600x50xf32>", "%x", "%new")}, UPDATE)}
  return %r#0, %r#1 : tensor<i32>, tensor<600x50xf32>
}}"""
KERNELS = {
    "softmax": ROWS,
    "product f32": product("f32"),
    "product f64": product("f64"),
    "product i32": product("i32"),
    "functions": elementwise("tanh logistic log sine cbrt exponential_minus_one", "f32"),
    "special functions": elementwise("chlo.erf chlo.lgamma chlo.sinh", "f64"),
    "narrow floats": elementwise("negate exponential abs", "bf16"),
    "complex numbers": elementwise("exponential negate tanh", "complex<f32>"),
    "integers": elementwise("popcnt count_leading_zeros not sign", "i32"),
    "columns": program("x: 40x300xf32", "%a = reduce %x, add, [0]\n return %a"),
    "sort": """
func.func @main(%x: tensor<3x100xi32>) -> tensor<3x100xi32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %less = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<3x100xi32>) -> tensor<3x100xi32>
  return %0 : tensor<3x100xi32>
}""",
    "transform": program("x: 4x16xcomplex<f32>", "%0 = fft %x, type = FFT, length = [16]\n return %0"),
    "factorization": program("x: 2x8x8xf32", "%0 = cholesky %x, lower = true\n return %0"),
    "loop": LOOP,
    **{name: (PROGRAMS / f"{name}.mlir").read_text() for name in ("convolution", "indexing")},
}


class Object(NamedTuple):
    """What an ELF object file says of itself: its machine, and the names of its global symbols."""

    machine: int
    defined: set[str]
    undefined: set[str]


def elf(code: bytes) -> Object:
    """Read an ELF object file of 64 bits, by the System V ABI."""
    assert code[:6] == b"\x7fELF\x02\x01"
    kind, machine = struct.unpack_from("<HH", code, 16)
    assert kind == 1  # ET_REL
    (sections,) = struct.unpack_from("<Q", code, 40)
    (count,) = struct.unpack_from("<H", code, 60)
    rows = [struct.unpack_from("<IIQQQQIIQQ", code, sections + 64 * i) for i in range(count)]
    (symbols,) = [row for row in rows if row[1] == 2]  # SHT_SYMTAB
    names = rows[symbols[6]]
    found = Object(machine, set(), set())
    for place in range(symbols[4], symbols[4] + symbols[5], 24):
        name, info, _, section = struct.unpack_from("<IBBH", code, place)
        if info >> 4:  # no local symbol
            start = names[4] + name
            text = code[start : code.index(b"\0", start)].decode()
            (found.defined if section else found.undefined).add(text)
    return found


@cache
def program_of(name: str, machine: Machine) -> Program:
    """The loops of a kernel for a machine, verified after each stage."""
    module = shlo.parse(KERNELS[name])
    region = largest_region(rewritten(plan_of(module, next(iter(module.functions)))))
    assert region is not None
    with made_for(machine):
        for stage, program in stages_of(region):
            assert not [each for each in verify(program) if not each.unknown], stage
    return program


def objects(name: str, machine: Machine) -> Iterator[Object]:
    """The object files of a kernel for a machine."""
    program = program_of(name, machine)
    with made_for(machine):
        writer = ModuleWriter()
        writer.program(SharedProgram(program), "main")
        yield from [elf(jit.object_code(text)) for text in filter(None, writer.texts())]


def is_known(symbol: str) -> bool:
    """Test whether a symbol is a function of libm, or of the run-time part."""
    return symbol in LIBM or f"@{symbol}" in declarations()


def check(name: str, processor: str) -> None:
    found = list(objects(name, MACHINES[processor]))
    assert {each.machine for each in found} == {ELF_MACHINES[processor]}
    defined = {symbol for each in found for symbol in each.defined}
    assert "main" in defined
    missing = {symbol for each in found for symbol in each.undefined} - defined
    assert not {symbol for symbol in missing if not is_known(symbol)}


@pytest.mark.parametrize("name", KERNELS)
def test_object_code_for_aarch64(name: str) -> None:
    check(name, "aarch64")


@pytest.mark.slow
@pytest.mark.parametrize("processor", ["haswell", "x86-64-v2"])
@pytest.mark.parametrize("name", KERNELS)
def test_object_code_for(name: str, processor: str) -> None:
    check(name, processor)


@pytest.mark.parametrize("processor", MACHINES)
def test_the_run_time_part(processor: str) -> None:
    with made_for(MACHINES[processor]):
        found = elf(jit.object_code(runtime_module()))
    assert found.machine == ELF_MACHINES[processor]
    assert found.undefined == {"usleep", "clock_gettime"}
    assert {name[1:] for name, text in declarations().items() if text.startswith("declare")} <= found.defined


@pytest.mark.parametrize(
    ("machine", "registers", "vector", "rows"),
    [(AVX512, 32, 64, 8), (HASWELL, 16, 32, 6), (V2, 16, 16, 6), (NEON, 32, 16, 8)],
)
def test_tiles_by_registers(machine: Machine, registers: int, vector: int, rows: int) -> None:
    """The sums of a tile, a row of the right factor and an element of the left one are in registers."""
    assert (machine.registers, machine.vector) == (registers, vector)
    with made_for(machine):
        assert (tile_rows(), row_bytes()) == (rows, 2 * vector)
    tiles = {
        (loop.variable.extent, inner.variable.extent)
        for loop in walk(program_of("product f32", machine).body)
        if isinstance(loop, Loop) and loop.kind == "unrolled"
        for inner in loop.body
        if isinstance(inner, Loop) and inner.kind == "vectorized"
    }
    lanes = 2 * vector // 4
    assert max(height for height, _ in tiles) <= rows
    assert max(width for _, width in tiles) == lanes
    assert all(height * width * 4 // vector + 3 <= registers for height, width in tiles)


@pytest.mark.parametrize(
    ("features", "registers", "vector"),
    [
        ("", 16, 16),
        ("+avx2", 16, 16),  # without products that are added
        ("+fma", 16, 16),
        ("+avx2,+fma", 16, 32),
        ("+fma,-avx512f,+avx2", 16, 32),
        ("+avx2,+fma,+avx512f", 32, 64),
        ("+avx512vl,+avx2,+fma", 16, 32),
        ("+neon", 32, 16),
    ],
)
def test_registers_by_features(features: str, registers: int, vector: int) -> None:
    found = Machine(X86, "any", features)
    assert (found.registers, found.vector) == (registers, vector)


def test_the_second_cache_is_that_of_the_first_core(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machines, "_SECOND_CACHE", tmp_path / "size")
    assert machines._host.__wrapped__(X86, "any", "").second_cache == 1 << 20  # the system does not tell
    (tmp_path / "size").write_text("512K\n")
    assert machines._host.__wrapped__(X86, "any", "").second_cache == 512 << 10


CORE = """processor\t: 0
vendor_id\t: GenuineIntel
cpu family\t: 6
model\t\t: 85
model name\t: Any
stepping\t: 7
cpu MHz\t\t: 2500.000
flags\t\t: fpu avx2 fma
"""


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("avx2 fma", "avx2", False),
        ("Intel", "Other", False),
        ("family\t: 6", "family\t: 5", False),
        ("model\t\t: 85", "model\t\t: 86", False),
        (": Any", ": Another", False),
        ("stepping\t: 7", "stepping\t: 8", False),
        ("flags\t\t: fpu", "Features\t: asimd", False),  # of Arm
        ("2500", "800", True),  # it changes
        ("processor\t: 0", "processor\t: 1", True),
        ("fma\n", "fma\n\nmodel name\t: Second\n", True),
    ],
)
def test_processors_are_told_apart_by_what_code_depends_on(
    old: str, new: str, same: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machines, "_CPUINFO", tmp_path / "cpuinfo")
    found = []
    for text in (CORE, CORE.replace(old, new)):
        (tmp_path / "cpuinfo").write_text(text)
        found.append(machines._processor.__wrapped__())
    assert (found[0] == found[1]) is same


def test_the_machine_of_an_outer_block_is_in_use_again() -> None:
    with made_for(NEON):
        with made_for(V2):
            assert machines.target() == V2
        assert machines.target() == NEON
    assert machines.target() == host()


def test_another_machine_is_in_use_inside_of_the_block_alone() -> None:
    with made_for(NEON), made_for(V2):
        assert jit.target_machine().triple.startswith("x86_64")
    assert jit.target_machine().triple == host().triple


def test_the_process_has_the_run_time_part_of_each_machine() -> None:
    """Code of another machine would be an illegal instruction in the next run here."""
    found = {}
    for each in (NEON, V2, NEON):
        with made_for(each):
            found[each] = int.from_bytes(library._runtime_code()[18:20], "little")  # of ELF: e_machine
    assert found == {NEON: 183, V2: 62}  # EM_AARCH64, EM_X86_64


def test_the_disk_cache_tells_machines_apart() -> None:
    keys = [version()]
    for each in MACHINES.values():
        with made_for(each):
            keys.append(version())
    assert len({*keys, version()}) == len(keys)


def runs(machine: Machine) -> bool:
    """Test whether code for a machine runs on this one."""
    known = set(host().features.split(","))
    return host().triple == machine.triple and known >= set(machine.features.split(","))


@pytest.mark.parametrize("processor", ["haswell", "x86-64-v2"])
@pytest.mark.parametrize("type", ["f32", "i32"])
def test_tiles_of_smaller_processors_run_here(processor: str, type: str) -> None:
    machine = MACHINES[processor]
    if not runs(machine):
        pytest.skip(f"this processor does not run code for {processor}")
    rng = np.random.default_rng(1)
    dtype = np.float32 if type == "f32" else np.int32
    a, b, c = [rng.integers(-9, 9, shape).astype(dtype) for shape in ((45, 24), (24, 70), (70,))]
    program = program_of(f"product {type}", machine)
    with made_for(machine):
        (found,) = run_code(program, [a, b, c])
    np.testing.assert_array_equal(found, a @ b + c)  # small integers: exact
