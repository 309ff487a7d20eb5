"""The target machine: its properties, for stages and the writer, and its description in keys of the cache.

The target is this machine, unless `made_for` sets another. If the system describes its processor, the
description is read without LLVM.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from stablehlo_py.ir.records import dataclass
from stablehlo_py.storage import cache

_SECOND_CACHE = Path("/sys/devices/system/cpu/cpu0/cache/index2/size")  # Linux
_KIB = 1 << 10
_REGISTERS = (  # features that a processor needs; the number of its vector registers, and their bytes
    ({"+avx512f"}, 32, 64),
    ({"+avx2", "+fma"}, 16, 32),
    ({"+neon"}, 32, 16),
    (set[str](), 16, 16),
)
_CPUINFO = Path("/proc/cpuinfo")  # Linux
_FIELDS = re.compile(
    r"^(?:vendor_id|cpu family|model|model name|stepping|flags|Features|CPU \w+|isa)\s*:.*$", re.ASCII | re.M
)


@dataclass(frozen=True, slots=True)
class Machine:
    """A processor, and the system on it.

    Attributes:
        triple: The processor family, the system and its conventions, as LLVM names them.
        cpu: The processor, as LLVM names it.
        features: What it has, as LLVM names it: `+avx2,-avx512f`.
        second_cache: The bytes of the second cache of a core.
    """

    triple: str
    cpu: str
    features: str
    second_cache: int = 1024 * _KIB

    @property
    def is_x86(self) -> bool:
        """Test whether it is an x86-64."""
        return self.triple.startswith("x86_64")

    @property
    def registers(self) -> int:
        """The number of its vector registers."""
        return self._vectors[0]

    @property
    def vector(self) -> int:
        """The bytes of a vector register."""
        return self._vectors[1]

    @property
    def _vectors(self) -> tuple[int, int]:
        known = set(self.features.split(","))
        return next((number, size) for needed, number, size in _REGISTERS if needed <= known)


def optimizes() -> bool:
    """Test whether LLVM optimizes code; `SHLO_OPTIMIZE=0` in the environment has it only translate."""
    return os.environ.get("SHLO_OPTIMIZE") != "0"


_TARGET: ContextVar[Machine | None] = ContextVar("target", default=None)


def target() -> Machine:
    """Return the machine that code is made for."""
    return _TARGET.get() or host()


@contextmanager
def made_for(machine: Machine) -> Iterator[None]:
    """Set the target machine, which may differ from this machine."""
    token = _TARGET.set(machine)
    try:
        yield
    finally:
        _TARGET.reset(token)


def host() -> Machine:
    """Return this machine."""
    from stablehlo_py.engines.native import jit

    return _host(jit.host_triple(), *jit.host_cpu())


@lru_cache
def _host(triple: str, cpu: str, features: str) -> Machine:
    try:
        size = _SECOND_CACHE.read_text()
    except OSError:
        return Machine(triple, cpu, features)
    return Machine(triple, cpu, features, int(size.strip().removesuffix("K")) * _KIB)


def machine() -> str:
    """Describe the processor, and the version of LLVM: object code is kept for both."""
    other = _TARGET.get()
    return f"{_processor() if other is None else other}\0{_compiler()}"


@lru_cache
def _processor() -> str:
    if _CPUINFO.exists():
        fields = _FIELDS.findall(_CPUINFO.read_text().partition("\n\n")[0])
        if fields:
            return "\n".join(fields)
    from stablehlo_py.engines.native.jit import host_cpu

    return " ".join(host_cpu())


@lru_cache
def _compiler() -> str:
    spec = find_spec("llvmlite")
    folders = [Path(folder) for folder in (spec and spec.submodule_search_locations) or ()]
    return cache.stamp(sorted(path for folder in folders for path in (folder / "binding").glob("*llvmlite*")))
