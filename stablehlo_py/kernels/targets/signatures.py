"""Signatures of custom-call targets: the types of the operands and results that a target accepts.

    T[..., m, n] -> T[..., m, n] @0, i32[..., k], i32[...] where k = min(m, n)

A term is an element type and dimensions. `T` and other single letters are element types that are equal
wherever they are written; `R` and `C` are the real and the complex type of `T`, `int` is any integer type.
Dimensions are names, equal wherever they are written, numbers, `_` (any), `...` (the dimensions of a batch,
everywhere the same) and `*r` (any dimensions, `r` of them). A term without dimensions is a whole type: `X`,
or `_` for any. `*` after a term repeats it, as often as all others with it. A result with `@0` may share the
memory of operand 0. Conditions compare names, also of attributes, and the `rank` of the batch.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from operator import eq, le
from typing import Any

from stablehlo_py.ir.records import dataclass
from stablehlo_py.ir.types import ComplexType, FloatType, IntegerType, TensorType, Type

_TERM = re.compile(r"(?P<element>\w+)(?:\[(?P<dims>[^\]]*)\])?(?P<many>\*)?(?: @(?P<alias>\d+))?(?:, |$)")
_COMPARISON: Mapping[str, Callable[[int, int], bool]] = {"=": eq, "<=": le}
_NUMBER = re.compile(r"(?P<name>\w+)(?: - (?P<less>\d+))?|min\((?P<first>\w+), (?P<second>\w+)\)")
ANY = "_"


@dataclass(frozen=True, slots=True)
class Term:
    """What a signature states of an operand or a result.

    Attributes:
        text: The term as it is written.
        element: The element type, or the whole type if there are no dimensions.
        dims: The dimensions, or None.
        repeated: Whether the term stands for a number of operands.
        alias: The operand whose memory a result may share, or None.
    """

    text: str
    element: str
    dims: tuple[str, ...] | None
    repeated: bool
    alias: int | None


@dataclass(frozen=True, slots=True)
class Signature:
    """A signature: its terms, and comparisons of names."""

    text: str
    operands: tuple[Term, ...]
    results: tuple[Term, ...]
    conditions: tuple[tuple[str, str, str], ...]


@cache
def parse_signature(text: str) -> Signature:
    """Return the signature that a text states."""
    types, _, conditions = text.partition(" where ")
    operands, _, results = types.partition("->")
    chains = [re.split(" (<=|=) ", each) for each in conditions.split(" and ") if each]
    compared = [(c[i], c[i + 1], c[i + 2]) for c in chains for i in range(0, len(c) - 2, 2)]
    return Signature(text, _terms(operands.strip()), _terms(results.strip()), tuple(compared))


def _terms(text: str) -> tuple[Term, ...]:
    return tuple(map(_term, _TERM.finditer(text)))


def _term(found: re.Match[str]) -> Term:
    dims = None if found["dims"] is None else tuple(found["dims"].split(", ")) if found["dims"] else ()
    alias = None if found["alias"] is None else int(found["alias"])
    return Term(found[0].removesuffix(", "), found["element"], dims, bool(found["many"]), alias)


def mismatch(
    signature: Signature,
    operands: Sequence[Type],
    results: Sequence[Type],
    elements: Sequence[str],
    sizes: Mapping[str, int],
) -> str | None:
    """Return what of a call does not fit a signature, None if all does.

    Dimensions of unknown size fit any size.

    Args:
        signature: The signature.
        operands: The types of the operands.
        results: The types of the results.
        elements: The element types that `T` may be; any, if there are none.
        sizes: The numbers that are given names: attributes of the call.
    """
    match = _Match(elements, dict(sizes))
    for what, terms, types in (
        ("operand", signature.operands, operands),
        ("result", signature.results, results),
    ):
        expanded = match.expanded(terms, len(types))
        if expanded is None:
            return f"{len(types)} {what}{'' if len(types) == 1 else 's'}"
        for at, ((term, copy), type) in enumerate(zip(expanded, types, strict=True)):
            if not match.fits(term, copy, type):
                return f"{what} {at} of type {type}, where {term.text} is expected{match.bound(term)}"
    for left, operator, right in signature.conditions:
        a, b = match.number(left), match.number(right)
        if a is not None and b is not None and not _COMPARISON[operator](a, b):
            return f"{left} = {a} and {right} = {b}, where {left} {operator} {right} is expected"
    return None


class _Match:
    """What the names of a signature are bound to."""

    def __init__(self, elements: Sequence[str], bound: dict[Any, Any]) -> None:
        self._elements = elements
        self._bound = bound

    def expanded(self, terms: Sequence[Term], count: int) -> list[tuple[Term, int]] | None:
        """Return the term of each of a number of types, and which copy of it; None for a wrong number."""
        groups = sum(term.repeated for term in terms)
        rest = count - (len(terms) - groups)
        if rest < 0 or (rest % groups if groups else rest):
            return None
        copies = rest // groups if groups else 0
        free = any(term.element == ANY for term in terms)
        if groups and not free and not self._same("copies", copies):
            return None
        return [(term, i) for term in terms for i in range(copies if term.repeated else 1)]

    def fits(self, term: Term, copy: int, type: Type) -> bool:
        """Bind the names of a term; return False if they are bound to something else."""
        if term.dims is None:
            return term.element == ANY or self._same_type((term.element, copy), type)
        if not isinstance(type, TensorType):
            return False
        sizes = _aligned(term.dims, type.shape)
        return (
            sizes is not None
            and self._fits_element(term.element, copy, type.element_type)
            and all(self._fits_size(name, size) for name, size in sizes)
        )

    def _fits_element(self, name: str, copy: int, type: Type) -> bool:
        if name == "T":
            return self._same(name, type) and (not self._elements or str(type) in self._elements)
        if name == "R":
            return type is _real(self._bound["T"])
        if name == "C":
            return isinstance(type, ComplexType) and type.element_type is _real(self._bound["T"])
        if name == "int":
            return isinstance(type, IntegerType)
        return self._same((name, copy), type) if len(name) == 1 and name != ANY else name in (ANY, str(type))

    def _fits_size(self, name: str, size: Any) -> bool:
        if name == "...":
            return self._same_sizes(size)
        return (
            name == ANY or size is None or (size == int(name) if name.isdigit() else self._same(name, size))
        )

    def _same_sizes(self, sizes: tuple[int | None, ...]) -> bool:
        known = [(("...", at), size) for at, size in enumerate(sizes) if size is not None]
        return self._same("rank", len(sizes)) and all(self._same(*each) for each in known)

    def _same_type(self, key: Any, type: Type) -> bool:
        other = self._bound.setdefault(key, type)
        if not isinstance(type, TensorType) or not isinstance(other, TensorType):
            return other is type
        pairs = list(zip(type.shape, other.shape, strict=False))
        equal = all(None in pair or pair[0] == pair[1] for pair in pairs)
        return type.element_type is other.element_type and type.rank == other.rank and equal

    def _same(self, key: Any, value: Any) -> bool:
        return bool(self._bound.setdefault(key, value) == value)

    def number(self, text: str) -> int | None:
        """Return the value of an expression, None if a name is not bound."""
        if text.isdigit():
            return int(text)
        found = _NUMBER.fullmatch(text)
        assert found is not None, text
        if found["name"]:
            value = self._bound.get(found["name"])
            return None if value is None else value - int(found["less"] or 0)
        first, second = self._bound.get(found["first"]), self._bound.get(found["second"])
        return None if first is None or second is None else min(first, second)

    def bound(self, term: Term) -> str:
        """Return the names of a term with what they are bound to, for a message."""
        names = [name for name in term.dims or () if isinstance(self._bound.get(name), int)]
        known = [f"{name} = {self._bound[name]}" for name in names]
        if term.element in ("T", "R", "C") and "T" in self._bound:
            known = [f"T = {self._bound['T']}", *known]
        return f" ({', '.join(known)})" if known else ""


def _aligned(names: tuple[str, ...], shape: tuple[int | None, ...]) -> list[tuple[str, Any]] | None:
    """Return names with sizes, `...` with several and `*r` with a rank; None if the rank does not fit."""
    several = next((at for at, name in enumerate(names) if name[0] in ".*"), None)
    if several is None:
        return list(zip(names, shape, strict=True)) if len(names) == len(shape) else None
    behind = len(names) - several - 1
    end = len(shape) - behind
    if end < several:
        return None
    name, middle = names[several], shape[several:end]
    one = (name, middle) if name == "..." else (name[1:] or ANY, len(middle))
    before, after = (
        zip(names[:several], shape, strict=False),
        zip(names[several + 1 :], shape[end:], strict=True),
    )
    return [*before, one, *after]


def _real(type: Type) -> Type | None:
    found = type.element_type if isinstance(type, ComplexType) else type
    return found if isinstance(found, FloatType) else None
