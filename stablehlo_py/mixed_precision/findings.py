"""What a search for a mixed-precision program finds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from stablehlo_py.analysis.cost import Cost, Costs
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.element_types import FLOATS, element_type_of
from stablehlo_py.ir.types import FloatType
from stablehlo_py.rounding.measures import rms
from stablehlo_py.rounding.rows import plain
from stablehlo_py.syntax.printer import format_module
from stablehlo_py.transforms.narrowing import is_wider


@dataclass(frozen=True, slots=True)
class KeptOp:
    """An op that stays wide.

    Attributes:
        op: The name of the op.
        value: The name of the result.
        line: The line in the program.
        source: The Python source position, or "".
        scope: The name in the location, or "".
    """

    op: str
    value: str
    line: int
    source: str
    scope: str


@dataclass(frozen=True, slots=True)
class Scaling:
    """Loss scaling: results, such as gradients, whose digits are below the normal numbers of the narrow type.

    Attributes:
        results: The indices of these results.
        lost: The number of their elements that the type rounds to zero.
        factor: A power of two: of results that it multiplies, elements down to the error of the largest are
            normal numbers. Less if the largest element would leave the range.
    """

    results: tuple[int, ...]
    lost: int
    factor: float

    def text(self, type: str) -> str:
        """Say it in a line."""
        which = f"result{'s' * (len(self.results) > 1)} {', '.join(map(str, self.results))}"
        lost = f"{which}: below the normal numbers of {type}, {self.lost:,} elements become zero"
        return f"{lost}; if these are gradients, scale the loss by {self.factor:g}"


def scaling(results: Sequence[Any], type: FloatType) -> Scaling | None:
    """Return what loss scaling would bring for the results of the wide program; None if it is not needed."""
    format = FLOATS[type.name]
    found = []
    for index, result in enumerate(results):
        row = element_type_of(result.dtype) if hasattr(result, "dtype") else None
        sizes = (
            np.abs(np.asarray(result).astype(np.float64)) if row and row.literal == "float" else np.zeros(0)
        )
        sizes = sizes[np.isfinite(sizes) & (sizes > 0)]
        if sizes.size and rms(sizes) < format.least_normal:
            found.append((index, sizes))
    if not found:
        return None
    needed = format.least_normal * 2.0**format.significand / min(rms(sizes) for _, sizes in found)
    most = format.largest / max(float(sizes.max()) for _, sizes in found)
    factor = 2.0 ** min(math.ceil(math.log2(needed)), math.floor(math.log2(most)))
    lost = sum(int((sizes <= format.least_positive / 2).sum()) for _, sizes in found)
    return Scaling(tuple(index for index, _ in found), lost, factor)


@dataclass(frozen=True, slots=True)
class Expense:
    """What a run of a program takes: operations, those of them in wide types, and bytes read and written."""

    flops: int
    wide_flops: int
    bytes: int


@dataclass(slots=True)
class MixedPrecision:
    """A program in a narrow type, but for ops that must stay wide.

    Errors are the largest of a result: its root mean square relative to that of the wide program's result, or
    the share of other elements of a result that is not of floats.

    Attributes:
        module: The program, with the arguments and results of the wide one.
        type: The narrow type.
        rtol: The tolerance.
        kept: The ops that stay wide.
        scopes: The name scopes that stay wide, if whole scopes do.
        candidates: The number of ops that could be narrow.
        narrow_error: The error of the program with all of them narrow.
        errors: The error of `module` on each set of inputs of the search.
        held_back: Its error on each other set.
        unchecked: The results that are rounding errors alone in the wide program too, by index.
        runs: The number of programs that were run.
        exhausted: Whether the search ended because of its limit.
        wide_cost: What a run of the wide program takes.
        cost: What a run of `module` takes.
        scaling: What loss scaling would bring, if the narrow type loses small numbers.
    """

    module: Module
    type: str
    rtol: float
    kept: list[KeptOp]
    scopes: list[str]
    candidates: int
    narrow_error: float
    errors: list[float]
    held_back: list[float]
    unchecked: list[int]
    runs: int
    exhausted: bool
    wide_cost: Expense
    cost: Expense
    scaling: Scaling | None = None
    program: str = field(init=False)

    def __post_init__(self) -> None:
        self.program = format_module(self.module, canonical=False)

    @property
    def ok(self) -> bool:
        """Whether the error is within tolerance on all sets of inputs."""
        return all(error <= self.rtol for error in (*self.errors, *self.held_back))

    @property
    def passes(self) -> str:
        """The pass that makes the program, as `shlo opt -p` takes it."""
        lines = [f"line:{op.line}" for op in self.kept]
        names = self.scopes if self.scopes and all(self.scopes) else list(dict.fromkeys(lines))
        return f"narrow=type={self.type} keep={','.join(['signature', *names])}"

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data; infinities are strings."""
        first = {"ok": self.ok, "type": self.type, "rtol": self.rtol, "pass": self.passes}
        names = [each.name for each in fields(self) if each.name != "module"]
        return first | {name: plain(getattr(self, name)) for name in names}


class _WideCosts(Costs):
    """The costs of ops that compute in types wider than a narrow one."""

    def __init__(self, module: Module, narrow: FloatType) -> None:
        super().__init__(module)
        self._narrow = narrow

    def own(self, op: Operation) -> Cost:
        """Return the cost of an op in a wide type; nothing for one in a narrow type."""
        types: Sequence[Any] = [value.type for value in (*op.operands, *op.results)]
        is_wide = any(is_wider(getattr(type, "element_type", type), self._narrow) for type in types)
        return super().own(op) if is_wide else Cost()


def expense(module: Module, entry: str, narrow: FloatType) -> Expense:
    """Return what a run of a function takes."""
    cost = Costs(module).function(entry)
    return Expense(cost.flops, _WideCosts(module, narrow).function(entry).flops, cost.bytes)
