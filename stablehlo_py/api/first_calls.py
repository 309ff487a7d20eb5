"""What almost every program needs, imported with the package so that the first calls are fast."""

from __future__ import annotations

import stablehlo_py.engines.auto
import stablehlo_py.engines.program
import stablehlo_py.kernels.elementwise
import stablehlo_py.kernels.shape  # noqa: F401
