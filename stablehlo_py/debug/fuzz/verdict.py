"""What goes wrong when two engines run a program: the op of the first result that differs, and how."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from stablehlo_py.debug.compare_arrays import compare_arrays
from stablehlo_py.ir.core import Module, OpResult

Array = np.ndarray[Any, np.dtype[Any]]
ENDED = "the process ended"
DIFFERS = "results differ"
_NEAR = 4  # units in the last place, up to which a difference may be one of rounding
_DETAILS = re.compile(r"\d+|[<(\[].*?[>)\]]|%\w+")  # numbers, types, lists and names in messages
_OP = re.compile(r"\b(?:stablehlo|chlo)\.\w+")


class Verdict(NamedTuple):
    """The failure of a program.

    Attributes:
        op: The op of the first result that differs, or that the error names; "" if unknown.
        cause: The kind of failure, with the engine.
        example: The element that differs, or the error.
        at: The index of the result that differs; -1 for an error.
    """

    op: str
    cause: str
    example: str
    at: int = -1

    def is_like(self, other: Verdict) -> bool:
        """Test whether two programs go wrong in the same way: both differ, or have the same error."""
        return self.cause == other.cause if self.at < 0 else other.at >= 0


def judged(module: Module, engines: Sequence[str], answers: Sequence[list[Any] | str]) -> Verdict | None:
    """Compare the answers of two engines; return None if they agree.

    The programs are drawn so that results are exact, in any order of sums: every element counts.

    Args:
        module: The program, whose entry is `@main`.
        engines: The names of the engines.
        answers: The results on each, or the error.
    """
    for engine, answer in zip(engines, answers, strict=True):
        if isinstance(answer, str):
            return _failed(engine, answer)
    for at, (a, b) in enumerate(zip(*answers, strict=True)):
        wrong = _first_wrong(a, b)
        if wrong is not None:
            return _differing(module, at, a, b, wrong)
    return None


def _failed(engine: str, error: str) -> Verdict:
    line = next((line for line in error.splitlines() if line.strip()), "an error without a message")
    named = _OP.search(line)
    return Verdict(named[0] if named else "", f"{engine}: {_DETAILS.sub('', line)[:120]}", error[:2000])


def _differing(module: Module, at: int, a: Any, b: Any, wrong: tuple[int, ...]) -> Verdict:
    end = module.functions["main"].entry_block.terminator
    assert end is not None
    value = end.operands[at]
    op = value.op.name if isinstance(value, OpResult) else ""
    if np.shape(a) != np.shape(b):
        return Verdict(op, f"{DIFFERS} in shape", f"result {at}: {np.shape(a)} and {np.shape(b)}", at)
    x, y = np.asarray(a)[wrong], np.asarray(b)[wrong]
    element = getattr(value.type, "element_type", value.type)
    found = f"result {at}, element {list(wrong)}: {x} and {y}"
    return Verdict(op, f"{DIFFERS}: {element}, {_kind(np.asarray(x), np.asarray(y))}", found, at)


def _kind(a: Array, b: Array) -> str:
    """Return how two elements differ, in words."""
    if a.dtype.kind in "biu":
        return "other values"
    with np.errstate(all="ignore"):
        wide_a, wide_b = a.astype(np.complex128), b.astype(np.complex128)
    if np.isnan(wide_a) != np.isnan(wide_b):
        return "NaN in one"
    if np.isfinite(wide_a) != np.isfinite(wide_b):
        return "infinite in one"
    is_near = np.isfinite(wide_a) and compare_arrays(a, b).max_ulp <= _NEAR
    return "last places" if is_near else "other values"


def _first_wrong(a: Any, b: Any) -> tuple[int, ...] | None:
    """Return the index of the first element that differs. NaNs are equal, and so are zeros of either sign."""
    if not hasattr(a, "dtype") or not hasattr(b, "dtype"):
        return None
    if np.shape(a) != np.shape(b):
        return ()
    with np.errstate(all="ignore"):
        same = (np.asarray(a) == b) | ((np.asarray(a) != a) & (np.asarray(b) != b))
    return None if np.all(same) else tuple(np.argwhere(~same)[0].tolist())
