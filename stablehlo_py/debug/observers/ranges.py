"""Ranges: the magnitudes of every value over several sets of inputs, and what narrow types hold of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from stablehlo_py.diagnostics.origin import python_line, scope_name
from stablehlo_py.engines.program import compile_program
from stablehlo_py.interpreter.observer import Moment, Observer
from stablehlo_py.ir.core import Module
from stablehlo_py.ir.element_types import FLOATS, element_type_of

TYPES = ("f16", "bf16", "f8E4M3FN", "f8E5M2")


@dataclass(slots=True)
class Fit:
    """The elements that a floating-point type cannot represent.

    Attributes:
        over: The number of finite elements beyond its largest number.
        under: The number of nonzero elements below its smallest normal number.
        zero: The number of nonzero elements that round to zero.
    """

    over: int = 0
    under: int = 0
    zero: int = 0


@dataclass(slots=True)
class ValueRange:
    """The range of a value over all executions and sets of inputs.

    Attributes:
        value: The name of the value.
        op: The name of the op; "" for an argument.
        type: The element type.
        line: The line in the program.
        source: The Python source position, or "".
        scope: The name in the location, or "".
        count: The number of elements.
        min: The smallest finite element; None without one.
        max: The largest finite element, or None.
        smallest: The smallest magnitude but for zeros, or None.
        zeros: The number of zeros.
        nans: The number of NaNs.
        infinities: The number of infinities.
        exponents: The number of elements from 2^e up to 2^(e+1), by e.
        fits: What narrow floating-point types do not hold.
    """

    value: str
    op: str
    type: str
    line: int
    source: str = ""
    scope: str = ""
    count: int = 0
    min: float | None = None
    max: float | None = None
    smallest: float | None = None
    zeros: int = 0
    nans: int = 0
    infinities: int = 0
    exponents: Counter[int] = field(default_factory=Counter)
    fits: dict[str, Fit] = field(default_factory=lambda: {name: Fit() for name in TYPES})

    @property
    def i8_scale(self) -> float:
        """The scale with which i8 holds the largest magnitude; 0 without one."""
        return max(abs(self.min or 0.0), abs(self.max or 0.0)) / 127

    @property
    def i8_zero(self) -> int:
        """About the number of elements, but for zeros, that i8 of this scale rounds to zero."""
        half = self.i8_scale / 2
        shares = {e: min(1.0, max(0.0, half / 2.0**e - 1)) for e in self.exponents}
        return round(sum(self.exponents[e] * share for e, share in shares.items()))

    def add(self, array: Any) -> None:
        """Add an array of the value."""
        numbers = np.asarray(array).astype(np.float64).reshape(-1)
        finite = numbers[np.isfinite(numbers)]
        self.count += numbers.size
        self.nans += int(np.isnan(numbers).sum())
        self.infinities += int(np.isinf(numbers).sum())
        if not finite.size:
            return
        least, most = float(finite.min()), float(finite.max())
        self.min = least if self.min is None else min(self.min, least)
        self.max = most if self.max is None else max(self.max, most)
        sizes = np.abs(finite[finite != 0])
        self.zeros += finite.size - sizes.size
        if sizes.size:
            smallest = float(sizes.min())
            self.smallest = smallest if self.smallest is None else min(self.smallest, smallest)
            exponents, counts = np.unique(np.frexp(sizes)[1] - 1, return_counts=True)
            self.exponents.update(dict(zip(exponents.tolist(), counts.tolist(), strict=True)))
            for name, fit in self.fits.items():
                format = FLOATS[name]
                fit.over += int((sizes > format.largest).sum())
                fit.under += int((sizes < format.least_normal).sum())
                fit.zero += int((sizes <= format.least_positive / 2).sum())

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data."""
        exponents = {str(e): count for e, count in sorted(self.exponents.items())}
        i8 = {"scale": self.i8_scale, "zero": self.i8_zero}
        return asdict(self) | {"exponents": exponents, "i8": i8}


class Ranges(Observer):
    """Collects the ranges of all values of a run, by op and result.

    Args:
        found: The ranges by value, to which the ranges of the run are added.
    """

    def __init__(self, found: dict[Any, ValueRange]) -> None:
        self._found = found

    def after(self, moment: Moment, operands: tuple[Any, ...], results: tuple[Any, ...]) -> None:
        """Add the results of an op."""
        for value, array in zip(moment.op.results, results, strict=True):
            if value not in self._found and (name := _number_type(array)):
                place = moment.module.line(moment.op), python_line(moment.op), scope_name(moment.op.location)
                self._found[value] = ValueRange(str(value), moment.op.name, name, *place)
            if value in self._found:
                self._found[value].add(array)


def ranges_of(
    module: Module, sets: Sequence[Sequence[Any] | Mapping[str, Any]], entry: str | None, seed: int
) -> list[ValueRange]:
    """Return the ranges of the arguments and of the results of all ops; see `debug.api.ranges`."""
    found: dict[Any, ValueRange] = {}
    program = compile_program(module, entry, engine="numpy", observer=Ranges(found))
    arguments: dict[int, ValueRange] = {}
    for inputs in sets:
        for index, array in enumerate(program.ordered(inputs)):
            name = _number_type(array)
            if name:
                known = program.signature.inputs[index]
                arguments.setdefault(index, ValueRange(f"%{known.name}", "", name, 0)).add(array)
        program.call(inputs, seed=seed)
    return [*arguments.values(), *found.values()]


def _number_type(array: Any) -> str:
    """Return the element type of an array of real numbers; "" for others."""
    row = element_type_of(array.dtype) if hasattr(array, "dtype") else None
    return row.name if row is not None and row.literal in ("float", "integer") else ""
