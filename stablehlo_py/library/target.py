"""Targets: the processors that libraries are made for, and the features that they check when they run."""

from __future__ import annotations

from dataclasses import replace

from stablehlo_py.engines.native.machine import Machine, host
from stablehlo_py.ir.records import dataclass

NATIVE = "native"
_V3 = ("sse3", "ssse3", "sse4.1", "sse4.2", "popcnt", "avx", "avx2", "bmi", "bmi2", "fma")
_V4 = (*_V3, "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")
# Features of x86-64 that a C compiler can ask the processor about, by the names of GCC, Clang and LLVM.
_KNOWN = (
    *_V4, "avx512ifma", "avx512vbmi", "avx512vbmi2", "avx512vnni", "avx512bitalg", "avx512vpopcntdq", "gfni",
    "vpclmulqdq", "pclmul", "aes",
)  # fmt: skip
# How the names of other features begin that LLVM would use: code has none of these.
_LEFT_OUT = ("amx", "avx", "fma4", "sse4a", "tbm", "xop")
_BESIDE = ("f16c", "lzcnt", "movbe")  # all processors with AVX2 have them; some compilers do not know them
_LINUX = "unknown-linux-gnu"


@dataclass(frozen=True, slots=True)
class Target:
    """A processor that code is made for.

    Attributes:
        name: Its name in `--target`.
        machine: Its description for the native engine.
        required: The features that a library asks the processor about, as C compilers name them.
    """

    name: str
    machine: Machine
    required: tuple[str, ...]

    @property
    def tools(self) -> str:
        """What the names of the C toolchain for it begin with: "" where it is that of this machine."""
        family = self.machine.triple.partition("-")[0]
        return "" if family == host().triple.partition("-")[0] else f"{family}-linux-gnu-"


def _x86(name: str, cpu: str, required: tuple[str, ...]) -> Target:
    features = ",".join(f"+{feature}" for feature in (*required, *_BESIDE))
    return Target(name, Machine(f"x86_64-{_LINUX}", cpu, features), required)


_ROWS = (
    _x86("x86_64-v3", "x86-64-v3", _V3),
    _x86("x86_64-v4", "x86-64-v4", _V4),
    Target("aarch64", Machine(f"aarch64-{_LINUX}", "generic", "+neon,+fp-armv8"), ()),
)
NAMES = (NATIVE, *[row.name for row in _ROWS])


def find_target(name: str) -> Target:
    """Return a target by its name; raise ValueError for an unknown one."""
    if name == NATIVE:
        return _native()
    found = next((row for row in _ROWS if row.name == name), None)
    if found is None:
        raise ValueError(f"no target {name}; the targets are {', '.join(NAMES)}")
    return found


def _native() -> Target:
    """This machine."""
    machine = host()
    if not machine.is_x86:
        return Target(NATIVE, machine, ())
    given = machine.features.split(",")
    features = [f"-{each[1:]}" if _is_left_out(each[1:]) else each for each in given]
    required = tuple([each for each in _KNOWN if f"+{each}" in given])
    return Target(NATIVE, replace(machine, features=",".join(features)), required)


def _is_left_out(feature: str) -> bool:
    return feature not in _KNOWN and feature.startswith(_LEFT_OUT)
