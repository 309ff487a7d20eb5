"""A pytest plugin: machine code is made for the processor `SHLO_TEST_CPU`, without features of this one.

`SHLO_TEST_WITHOUT` has the beginnings of the names of these features, as LLVM names them.
"""

from __future__ import annotations

import os

from stablehlo_py.engines.native import jit

_target, _, _features = jit._host()
_without = tuple(os.environ["SHLO_TEST_WITHOUT"].split())
_kept = [f"-{name[1:]}" if name[1:].startswith(_without) else name for name in _features.split(",")]
_host = _target, os.environ["SHLO_TEST_CPU"], ",".join(_kept)
jit._host = lambda: _host  # type: ignore[assignment]
