"""XlaBuilder: all families of operations."""

from __future__ import annotations

from stablehlo_py.builder.binary import Binary
from stablehlo_py.builder.collectives import Collectives
from stablehlo_py.builder.control import Control
from stablehlo_py.builder.convolution import Convolutions
from stablehlo_py.builder.dot import Dots
from stablehlo_py.builder.indexing import Indexing
from stablehlo_py.builder.reductions import Reductions
from stablehlo_py.builder.shapes import Shapes
from stablehlo_py.builder.unary import Unary


class XlaBuilder(Binary, Unary, Shapes, Dots, Convolutions, Reductions, Control, Collectives, Indexing):
    """Builds a computation, operation by operation, as XLA's XlaBuilder does.

        b = XlaBuilder("axpy")
        x = b.Parameter(0, "f32[3]", "x")
        y = b.Parameter(1, "f32[3]", "y")
        b.Add(b.Mul(x, 2.0), y)
        module = b.build()

    Every operation is checked when it is called. Its location in the program is the caller's line.
    """
