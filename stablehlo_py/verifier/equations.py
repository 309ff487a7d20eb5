"""Equations for type inference, extracted from the formulas of a definition's constraints.

A constraint such as `shape(result) = dims(operand, permutation)` is an equation for a facet of the result if
its other side does not depend on the results; `tensor(element_type(result))` and `complex_element_type(..)`
are inverted first.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from stablehlo_py.notation.terms import Term, parse
from stablehlo_py.opset.definition import OpDef

FACETS = {
    "type": "type",
    "baseline_type": "type",
    "element_type": "element_type",
    "baseline_element_type": "element_type",
    "shape": "shape",
    "rank": "rank",
    "dim": "dims",
    "dims": "dims",
}
_ORDER = ("type", "shape", "rank", "drop", "element_type", "dims")  # the number of results is known by then
# Inverse functions: `complex_element_type(x) = y` means `x = complex(y)`.
_INVERSES = {
    "complex_element_type": "complex",
    "tensor": "element_type",
}


class Equation(NamedTuple):
    """An equation: a facet of a result is the value of `source`.

    Attributes:
        label: The label of the constraint.
        facet: What of the result is determined; see FACETS.
        result: The result.
        axis: The axis of a facet "dims" or "drop".
        source: The value.
        guards: The conditions under which the equation holds.
        loops: The loop variables that it holds for, each with the list of its values.
        exact: Whether equality includes the parameters of quantized types.
    """

    label: str
    facet: str
    result: Term
    axis: Term | None
    source: Term
    guards: tuple[Term, ...] = ()
    loops: tuple[tuple[str, Term], ...] = ()
    exact: bool = False


class _Around(NamedTuple):
    """The context of a condition: the label of the constraint, guards and loops."""

    label: str
    guards: tuple[Term, ...] = ()
    loops: tuple[tuple[str, Term], ...] = ()

    def guarded(self, guard: Term) -> _Around:
        return self._replace(guards=(*self.guards, guard))


@cache
def equations_of(definition: OpDef) -> tuple[Equation, ...]:
    """Extract the equations of a definition, those about single dimensions last."""
    finder = _Finder(definition)
    stated = [rule for rule in definition.constraints if rule.verdict != "run"]
    rules = sorted(stated, key=lambda rule: rule.verdict == "spec-only")
    found = [e for rule in rules for e in finder.equations(parse(rule.formula), _Around(rule.label))]
    return tuple(sorted(found, key=lambda equation: _ORDER.index(equation.facet)))


@cache
def alike(definition: OpDef) -> tuple[str, ...]:
    """Return the variadic results that a constraint such as `same(shape(results...))` gives one shape."""
    results = {output.name for output in definition.outputs}
    terms = [parse(rule.formula) for rule in definition.constraints]
    return tuple([r for r in results if ("call", "same", ("call", "shape", ("each", ("name", r)))) in terms])


class _Finder:
    """Extracts equations from the formulas of a definition; `bound` are names that depend on results."""

    def __init__(self, definition: OpDef) -> None:
        self.results = {output.name for output in definition.outputs}
        self.bound = set(self.results)
        for name, formula in definition.where:
            if self.depends(parse(formula)):
                self.bound.add(name)

    def equations(self, term: Term, around: _Around) -> Iterator[Equation]:
        match term:
            case ("and", a, b):
                yield from self.equations(a, around)
                yield from self.equations(b, around)
            case ("if" | "choice", test, then, otherwise):
                yield from self.equations(then, around.guarded(test))
                yield from self.equations(otherwise, around.guarded(("not", test)))
            case ("for", name, xs, body) if not self.depends(xs):
                yield from self.equations(body, around._replace(loops=(*around.loops, (name, xs))))
            case ("let", name, value, body):
                yield from self.equations(_substituted(body, name, value), around)
            case ("compare", *parts) if all(op == "=" for op in parts[1::2]):
                yield from self.equals(parts[::2], around)
            case ("call", "identical", *sides):
                yield from self.equals(sides, around, exact=True)
            case ("call", "has_type", function, _, outputs):
                yield from self.equals([("call", "output_types", function), outputs], around)

    def equals(self, sides: list[Term], around: _Around, exact: bool = False) -> Iterator[Equation]:
        """Pair each facet of a result in a chain of equalities with each side independent of the results."""
        for i, side in enumerate(sides):
            if side[0] == "choice" and self.depends(side):
                _, test, a, b = side
                yield from self.equals([*sides[:i], a, *sides[i + 1 :]], around.guarded(test), exact)
                yield from self.equals([*sides[:i], b, *sides[i + 1 :]], around.guarded(("not", test)), exact)
                return
        free = [side for side in sides if not self.depends(side)]
        for side in sides:
            if self.depends(side):
                for source in free:
                    yield from self.solved(side, source, around, exact)

    def solved(self, side: Term, source: Term, around: _Around, exact: bool) -> Iterator[Equation]:
        """Solve `side = source` for the facet of a result in `side`, if there is one."""
        while True:
            match side:
                case ("list", only) if only[0] != "each":
                    side, source = only, ("index", source, ("int", 0))
                case ("call", name, inner) if name in _INVERSES:
                    side, source = inner, ("call", _INVERSES[name], source)
                case _:
                    break
        facet, result, axis = self.facet(side)
        if facet and not self.depends(axis):
            yield Equation(around.label, facet, result, axis, source, around.guards, around.loops, exact)

    def facet(self, side: Term) -> tuple[str, Term, Term | None]:
        """Return the facet that a term is, its result and axes; "" if the term is not a facet."""
        match side:
            case ("call", name, of) if name in FACETS and self.is_result(of):
                return FACETS[name], of, None
            case ("call", "dim" | "dims", of, axis) if self.is_result(of):
                return "dims", of, axis
            case ("call", "drop", ("call", "shape", of), axis) if self.is_result(of):
                return "drop", of, axis
            case ("index", ("call", "shape", of), ("slice", None, ("int", -1))) if self.is_result(of):
                return "drop", of, ("int", -1)
        return ("type", side, None) if self.is_result(side) else ("", side, None)

    def is_result(self, term: Term) -> bool:
        """Test whether a term is a result, an element of a variadic result, or each of its elements."""
        match term:
            case ("name", name) | ("each", ("name", name)):
                return name in self.results
            case ("index", ("name", name), at):
                return name in self.results and at[0] != "slice"
        return False

    def depends(self, term: Any) -> bool:
        """Test whether a term depends on a result."""
        if not isinstance(term, tuple):
            return False
        return term[1] in self.bound if term[0] == "name" else any(map(self.depends, term[1:]))


def _substituted(term: Any, name: str, value: Term) -> Any:
    """Substitute a value for a name in a term."""
    if not isinstance(term, tuple):
        return term
    if term == ("name", name):
        return value
    return tuple([_substituted(part, name, value) for part in term])
