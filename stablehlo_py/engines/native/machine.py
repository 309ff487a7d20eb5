"""The machine and the compiler that code is made for and by, without loading LLVM where the system tells."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from stablehlo_py.storage import cache

_CPUINFO = Path("/proc/cpuinfo")  # Linux
_FIELDS = re.compile(
    r"^(?:vendor_id|cpu family|model|model name|stepping|flags|Features|CPU \w+|isa)\s*:.*$", re.ASCII | re.M
)


@lru_cache
def machine() -> str:
    """Describe the processor, and the version of LLVM: object code is kept for both."""
    return f"{_processor()}\0{_compiler()}"


def _processor() -> str:
    if _CPUINFO.exists():
        fields = _FIELDS.findall(_CPUINFO.read_text().partition("\n\n")[0])
        if fields:
            return "\n".join(fields)
    from stablehlo_py.engines.native.jit import host_name

    return host_name()


def _compiler() -> str:
    spec = find_spec("llvmlite")
    folders = [Path(folder) for folder in (spec and spec.submodule_search_locations) or ()]
    return cache.stamp(sorted(path for folder in folders for path in (folder / "binding").glob("*llvmlite*")))
