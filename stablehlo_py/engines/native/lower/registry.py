"""The emitters of all families."""

from __future__ import annotations

from stablehlo_py.engines.native.lower import (  # noqa: F401 (they register emitters)
    contraction,
    control,
    elementwise,
    fft,
    gather_scatter,
    householder,
    linalg,
    ragged,
    random_bits,
    reduction,
    shape,
    sort,
    window,
)
from stablehlo_py.engines.native.lower.control import is_called
from stablehlo_py.engines.native.lower.records import emitter_of, is_lowered, pays_alone

__all__ = ["emitter_of", "is_called", "is_lowered", "pays_alone"]
