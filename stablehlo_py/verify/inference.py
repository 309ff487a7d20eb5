"""Inference: the types of an op's results, from the constraints that say what they are.

An equation such as `shape(result) = dims(operand, permutation)` is a rule where its other side is free of
the results. That is decided once for a definition, and separately for each facet of a result: its type, its
shape, a dimension, its element type. What no rule gives is a hole, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from stablehlo_py.ir.attributes import Attribute
from stablehlo_py.ir.core import Operation, Region, Value
from stablehlo_py.ir.types import QuantizedType, Shape, TensorType, Type
from stablehlo_py.notation.compile import Compiler
from stablehlo_py.notation.environment import Context, Environment
from stablehlo_py.notation.scope import NO_CONTEXT, Scope, environment, scope_of
from stablehlo_py.notation.sorts import ARRAY, Undefined
from stablehlo_py.notation.terms import Term, parse, write
from stablehlo_py.notation.values import plain
from stablehlo_py.opset.definition import OpDef, lookup

FACETS = {
    "type": "type",
    "baseline_type": "type",
    "shape": "shape",
    "dim": "dim",
    "rank": "rank",
    "element_type": "element_type",
    "baseline_element_type": "element_type",
}


@dataclass
class Inferred:
    """What is known of a result: `type` if all of it, otherwise `shape` (with None for unknown sizes) and
    `element_type` where known. `holes` says why the rest is not."""

    type: Type | None = None
    shape: Shape | None = None
    element_type: Type | None = None
    holes: list[str] = field(default_factory=list)


class Equation(NamedTuple):
    """`facet` of a result is the value of `source`, where `guards` hold and for every value of `loops`."""

    label: str
    facet: str
    result: Term
    axis: Term | None
    source: Term
    guards: tuple[Term, ...] = ()
    loops: tuple[tuple[str, Term], ...] = ()


def infer_types(
    name: str,
    operands: Sequence[Value | Type],
    attributes: Mapping[str, Attribute] | None = None,
    regions: Sequence[Region] = (),
    context: Context = NO_CONTEXT,
) -> list[Inferred]:
    """What the constraints of an op say of its results, one entry for each.

    `attributes` are its properties. A variadic result has as many entries as the rules mention.

    Raises KeyError for an op that has no definition.
    """
    definition = lookup(name)
    if definition is None:
        raise KeyError(name)
    op = Operation(name, properties=attributes)
    op.operands = tuple([Value(x) if isinstance(x, Type) else x for x in operands])  # no use is recorded
    op.regions = tuple(regions)
    found: dict[tuple[str, int], Inferred] = {
        (output.name, 0): Inferred() for output in definition.outputs if not output.variadic
    }
    solver = _Solver(scope_of(definition), environment(op, definition, context), found)
    for equation in equations_of(definition):
        solver.solve(equation, equation.loops)
    order = [output.name for output in definition.outputs]
    return [_finished(found[key]) for key in sorted(found, key=lambda k: (order.index(k[0]), k[1]))]


class _Solver:
    """Evaluates equations and collects what they say in `found`, by result's name and position."""

    def __init__(self, scope: Scope, env: Environment, found: dict[tuple[str, int], Inferred]) -> None:
        self.names = dict(scope.names)
        self.env = env
        self.found = found

    def value(self, term: Term) -> Any:
        sort, run, _ = Compiler(self.names).compile(term)
        value = run(self.env)
        return plain(value) if sort == ARRAY else value.type if isinstance(value, Value) else value

    def solve(self, equation: Equation, loops: tuple[tuple[str, Term], ...]) -> None:
        try:
            if not loops:
                self.equate(equation)
                return
            (name, xs), *rest = loops
            element, source, _ = Compiler(self.names).elements_of(xs)
            self.names[name] = element
            for x in source(self.env):
                self.env[name] = x
                self.solve(equation, tuple(rest))
        except Undefined as error:
            self.note(equation, f"{equation.label}: {error}")
        finally:
            for name, _ in loops:
                self.names.pop(name, None)

    def equate(self, equation: Equation) -> None:
        if not all(Compiler(self.names).condition(guard).run(self.env) for guard in equation.guards):
            return
        value = self.value(equation.source)
        if value is None:
            self.note(equation, f"{equation.label}: {write(equation.source)} is unknown")
            return
        axis = self.value(equation.axis) if equation.axis else None
        result = equation.result
        if result[0] == "each":
            for position, one in enumerate(value):
                _meet(self.at(result[1][1], position), equation, one, axis)
        else:
            name, position = (result[1], 0) if result[0] == "name" else (result[1][1], self.value(result[2]))
            _meet(self.at(name, position), equation, value, axis)

    def at(self, name: str, position: int) -> Inferred:
        return self.found.setdefault((name, position), Inferred())

    def note(self, equation: Equation, reason: str) -> None:
        """Records why an equation gives nothing, on the results it is about."""
        base = equation.result if equation.result[0] == "name" else equation.result[1]
        for (name, _), inferred in self.found.items():
            if name == base[1]:
                inferred.holes.append(reason)


def _meet(inferred: Inferred, equation: Equation, value: Any, axis: Any) -> None:
    """Adds what an equation says of a result to what is known."""
    if equation.facet == "type" and not isinstance(value, TensorType):
        inferred.type = inferred.type or value
    elif equation.facet == "type":
        _meet_shape(inferred, value.shape, equation)
        _meet_element(inferred, value.element_type, equation)
    elif equation.facet == "element_type":
        _meet_element(inferred, value, equation)
    elif equation.facet == "rank":
        _meet_shape(inferred, (None,) * value, equation)
    elif equation.facet == "dim" and inferred.shape is not None and isinstance(axis, int):
        shape: list[int | None] = [None] * len(inferred.shape)
        if -len(shape) <= axis < len(shape):
            shape[axis] = value
            _meet_shape(inferred, tuple(shape), equation)
    elif equation.facet == "shape":
        _meet_shape(inferred, tuple(value), equation)


def _meet_shape(inferred: Inferred, shape: Shape, equation: Equation) -> None:
    known = inferred.shape if inferred.shape is not None else shape
    clash = len(known) != len(shape) or any(
        a is not None and b is not None and a != b for a, b in zip(known, shape, strict=True)
    )
    if clash:
        inferred.holes.append(f"{equation.label}: {list(shape)} is at odds with {list(known)}")
        return
    inferred.shape = tuple([b if a is None else a for a, b in zip(known, shape, strict=True)])


def _meet_element(inferred: Inferred, element: Type, equation: Equation) -> None:
    if isinstance(element, QuantizedType) and "baseline" in equation.label:
        inferred.holes.append(f"{equation.label}: scales and zero points are free")
    elif inferred.element_type is None:
        inferred.element_type = element


def _finished(inferred: Inferred) -> Inferred:
    """The full type where every facet is known, and a reason for each that is not."""
    if inferred.type is None:
        if inferred.shape is not None and inferred.element_type is not None:
            inferred.type = TensorType(inferred.shape, inferred.element_type)
        for name in ("shape", "element_type"):
            if getattr(inferred, name) is None and not inferred.holes:
                inferred.holes.append(f"no constraint gives the {name} from the inputs alone")
    if inferred.shape is not None and None in inferred.shape and not inferred.holes:
        inferred.holes.append("a dimension size is unknown")
    return inferred


# Which constraints are rules -------------------------------------------------------------------------


@cache
def equations_of(definition: OpDef) -> tuple[Equation, ...]:
    """The equations of a definition that say what a result is; those of dimensions last."""
    results = {output.name for output in definition.outputs}
    bound = set(results)
    for name, formula in definition.where:
        if _mentions(parse(formula), bound):
            bound.add(name)
    found = [
        equation
        for constraint in definition.constraints
        if constraint.verdict != "spec-only"
        for equation in _equations(constraint.label, parse(constraint.formula), bound, results, (), ())
    ]
    return tuple(sorted(found, key=lambda equation: equation.facet == "dim"))


def _equations(
    label: str,
    term: Term,
    bound: set[str],
    results: set[str],
    guards: tuple[Term, ...],
    loops: tuple[tuple[str, Term], ...],
) -> Iterator[Equation]:
    match term:
        case ("and", a, b):
            yield from _equations(label, a, bound, results, guards, loops)
            yield from _equations(label, b, bound, results, guards, loops)
        case ("if", test, then, otherwise) if not _mentions(test, bound):
            yield from _equations(label, then, bound, results, (*guards, test), loops)
            if otherwise:
                yield from _equations(label, otherwise, bound, results, (*guards, ("not", test)), loops)
        case ("for", name, xs, body) if not _mentions(xs, bound):
            yield from _equations(label, body, bound, results, guards, (*loops, (name, xs)))
        case ("compare", *parts) if all(op == "=" for op in parts[1::2]):
            yield from _chain(label, parts[::2], bound, results, guards, loops)


def _chain(
    label: str,
    terms: list[Term],
    bound: set[str],
    results: set[str],
    guards: tuple[Term, ...],
    loops: tuple[tuple[str, Term], ...],
) -> Iterator[Equation]:
    """Each facet of a result in a chain of equals, with each side that is free of the results."""
    sources = [term for term in terms if not _mentions(term, bound)]
    for term in terms:
        if term[0] != "call" or term[1] not in FACETS or not _is_result(term[2], results):
            continue
        axis = term[3] if len(term) > 3 else None
        if axis is None or not _mentions(axis, bound):
            name = f"{label} (baseline)" if term[1].startswith("baseline") else label
            for source in sources:
                yield Equation(name, FACETS[term[1]], term[2], axis, source, guards, loops)


def _is_result(term: Term, results: set[str]) -> bool:
    """A result by name, one of a variadic result, or each of them."""
    match term:
        case ("name", name):
            return name in results
        case ("each", ("name", name)):
            return name in results
        case ("index", ("name", name), at):
            return name in results and at[0] != "slice"
    return False


def _mentions(term: Any, names: set[str]) -> bool:
    if not isinstance(term, tuple):
        return False
    return term[1] in names if term[0] == "name" else any(_mentions(part, names) for part in term[1:])
