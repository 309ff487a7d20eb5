"""XlaBuilder: the families of operations combined."""

from __future__ import annotations

from stablehlo_py.builder.collectives import Collectives
from stablehlo_py.builder.contractions import Contractions
from stablehlo_py.builder.control import Control
from stablehlo_py.builder.conversion import Conversions
from stablehlo_py.builder.elementwise import Elementwise
from stablehlo_py.builder.gather_scatter import GatherScatter
from stablehlo_py.builder.linalg import LinearAlgebra
from stablehlo_py.builder.random import Randoms
from stablehlo_py.builder.shapes import Shapes
from stablehlo_py.builder.slices import Slices
from stablehlo_py.builder.sorting import Sorts
from stablehlo_py.builder.transfer import Transfers
from stablehlo_py.builder.windows import Windows


class XlaBuilder(
    Elementwise,
    Shapes,
    Slices,
    Conversions,
    Contractions,
    Windows,
    GatherScatter,
    Sorts,
    Randoms,
    LinearAlgebra,
    Control,
    Collectives,
    Transfers,
):
    """Builds a computation operation by operation, as XLA's XlaBuilder does.

        b = XlaBuilder("axpy")
        x = b.Parameter(0, "f32[3]", "x")
        y = b.Parameter(1, "f32[3]", "y")
        b.Add(b.Mul(x, 2.0), y)
        module = b.build()

    Every operation is verified when it is called. Its location in the program is the caller's line.
    """
