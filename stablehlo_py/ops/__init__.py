"""The ops of StableHLO as functions on NumPy arrays, generated from their definitions.

    from stablehlo_py import ops

    ops.add([1, 2], [3, 4])
    ops.dot_general(lhs, rhs, lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0])
    ops.reduce([x], [np.float32(0)], dimensions=[0], body=ops.add)
    ops.reshape(x, result_types="tensor<6xf32>")

Operands and attributes have the names of the specification, with defaults where the definition has them. A
call checks the constraints of the op, infers the types of the results, and runs its kernel, as the NumPy
engine does. A region is a function that calls functions of this module. An element type that the op leaves
open is that of the first operand. `ops.chlo` has the ops of chlo.

Names that Python reserves end in an underscore: `ops.while_`, `ops.if_`, `ops.and_`, `ops.or_`, `ops.not_`.
"""

from __future__ import annotations

from typing import Any

from stablehlo_py.ops import chlo as chlo
from stablehlo_py.ops.functions import OpError as OpError
from stablehlo_py.ops.functions import function_of, names_of

_DIALECT = "stablehlo"


def __getattr__(name: str) -> Any:
    return function_of(_DIALECT, name)


def __dir__() -> list[str]:
    return sorted([*names_of(_DIALECT), "OpError", "chlo"])
