"""The scope of a definition's formulas: the sort of each name, and the loader of its value."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

from stablehlo_py.ir.core import Operation
from stablehlo_py.notation.calls import Run
from stablehlo_py.notation.compile import Compiler
from stablehlo_py.notation.environment import ABSENT, Environment, EvaluationContext, Loader
from stablehlo_py.notation.sorts import (
    ARRAY,
    FUNCTION,
    INT,
    VALUE,
    Sort,
    Undefined,
    convert,
    list_of,
    parse_sort,
)
from stablehlo_py.notation.terms import NotationError, Term, are_loaded, load, parse
from stablehlo_py.opset.attribute_conversion import read_only
from stablehlo_py.opset.definition import (
    Attr,
    Body,
    OpDef,
    Operand,
    Result,
    all_definitions,
    cached_per_registry,
    extensions,
)
from stablehlo_py.opset.kinds import Kind
from stablehlo_py.opset.op_inputs import groups, stored_value

# Exceptions of a formula on inputs that violate other constraints of the op.
NO_VALUE = (Undefined, TypeError, ValueError, LookupError, ArithmeticError)


def attribute_sort(kind: Kind) -> Sort:
    """Return the sort of an attribute of a kind."""
    return parse_sort(kind.sort)


class EmptyContext:
    """The evaluation context of an op outside of a module: nothing is known."""

    num_replicas: int | None = None
    num_partitions: int | None = None

    def resolve(self, op: Operation, name: str) -> Operation | None:
        """Return None: no symbol is defined."""
        return None

    def is_symbol(self, op: Operation, name: str) -> bool:
        """Return True: any symbol may be defined around the op."""
        return True


EMPTY_CONTEXT = EmptyContext()


class Scope:
    """The names that the formulas of a definition may use, each with its sort and loader.

    Raises:
        NotationError: If a formula that defines a name is malformed.
    """

    def __init__(self, definition: OpDef) -> None:
        self.definition = definition
        self.names: dict[str, Sort] = dict.fromkeys(("num_replicas", "num_partitions", "num_processes"), INT)
        self.loaders: dict[str, Loader] = dict(_MODULE)
        self.contextual = False
        self._defaults: dict[str, Run] = {}
        self._values("operand", definition.operands, lambda op: op.operands)
        self._values("result", definition.outputs, lambda op: op.results)
        self._values("region", definition.bodies, lambda op: op.regions)
        for attr in definition.attrs:
            self.names[attr.name] = attribute_sort(attr.kind)
            self.loaders[attr.name] = self._attribute(attr)
        for name, formula in definition.where:
            self._let(name, formula)

    def compiler(self) -> Compiler:
        """Return a compiler for formulas in this scope; those of this package are checked by its tests."""
        return Compiler(self.names, is_lazy=self.definition not in extensions())

    def default(self, attr: Attr) -> Run:
        """Return the closure of an attribute's default; raise NotationError if its sort does not match."""
        found = self._defaults.get(attr.name)
        if found is None:
            found = self._defaults[attr.name] = self._default(attr, attr.default or "")
        return found

    def _default(self, attr: Attr, formula: str) -> Run:
        term = parse(formula)
        sort, run, _ = self.compiler().compile(term)
        run = _apart(run, term)
        wanted = attribute_sort(attr.kind)
        if wanted == ARRAY and sort.name == "List":
            return lambda env: _array(run(env), attr)
        if convert(sort, wanted, {}) is None:
            raise NotationError(f"default of {attr.name}: expected sort {wanted}, got {sort}")
        return run

    def _values(self, role: str, parts: tuple[Any, ...], values: Callable[[Operation], Any]) -> None:
        key = f".{role}s"
        sort = FUNCTION if role == "region" else VALUE
        self.loaders[key] = lambda env: groups(env.op, role, values(env.op), parts)
        for index, part in enumerate(parts):
            self.names[part.name] = list_of(sort) if part.variadic else sort
            self.loaders[part.name] = _part_loader(key, index, part)

    def _attribute(self, attr: Attr) -> Loader:
        is_array = attribute_sort(attr.kind) == ARRAY
        kind = attr.kind
        absent = ABSENT if kind.absent is None else kind.absent

        def load(env: Environment) -> Any:
            stored = stored_value(env.op, attr)
            if stored is not None:
                return stored if is_array else kind.to_python(stored)
            if attr.default is None:
                return absent
            return self.default(attr)(env)

        return load

    def _let(self, name: str, formula: str) -> None:
        if name in self.names:
            raise NotationError(f"{self.definition.name}: {name} is already bound")
        term = parse(formula)
        self.names[name], run, contextual = self.compiler().compile(term)
        self.loaders[name] = _apart(run, term)
        self.contextual |= contextual


def _apart(run: Run, term: Term) -> Run:
    """Return the closure of a term that is evaluated within another: it keeps that one's variables."""
    bound = _bound_names(term)
    if not bound:
        return run

    def keeping(env: Environment) -> Any:
        outer = {name: env[name] for name in bound if name in env}
        try:
            return run(env)
        finally:
            env.update(outer)

    return keeping


def _bound_names(term: Any) -> frozenset[str]:
    """Return the variables of the loops and lets in a term."""
    if not isinstance(term, tuple):
        return frozenset()
    name = {"for": 1, "let": 1, "comprehension": 2}.get(term[0]) if term else None
    return frozenset(() if name is None else (term[name],)).union(*map(_bound_names, term))


def _part_loader(key: str, index: int, part: Operand | Result | Body) -> Loader:
    if part.variadic:
        return lambda env: env[key][index]

    def load(env: Environment) -> Any:
        found = env[key][index]
        return found[0] if found else ABSENT

    return load


def _array(rows: Any, attr: Attr) -> Any:
    """Convert the default of an attribute of sort Array."""
    array = np.array(rows, dtype=np.int64)
    if array.size == 0 and "2-dimensional" in attr.type:
        array = array.reshape(0, 2)
    return read_only(array)


def _num_processes(env: Environment) -> int | None:
    replicas, partitions = env.context.num_replicas, env.context.num_partitions
    return None if replicas is None or partitions is None else replicas * partitions


_MODULE: dict[str, Loader] = {
    "num_replicas": lambda env: env.context.num_replicas,
    "num_partitions": lambda env: env.context.num_partitions,
    "num_processes": _num_processes,
}


@cache
def scope_of(definition: OpDef) -> Scope:
    """Return the scope of a definition's formulas; raise NotationError if one is malformed."""
    return Scope(definition)


@cached_per_registry
def load_formulas() -> None:
    """Parse all formulas of the registry, or load them from the cache."""
    load(formula for definition in all_definitions() for formula in _formulas(definition))


def load_formulas_of(definition: OpDef) -> None:
    """Load the formulas of a definition, with all of the registry if they are not loaded yet."""
    if not are_loaded(_formulas(definition)):
        load_formulas()


def _formulas(definition: OpDef) -> Iterator[str]:
    yield from [constraint.formula for constraint in definition.constraints]
    yield from [formula for _, formula in definition.where]
    yield from [a.default for a in definition.attrs if a.default is not None]
    yield from [revision.uses for revision in definition.revisions if revision.uses]
    if definition.sharding is not None:
        yield from definition.sharding.formulas()


def holds(op: Operation, definition: OpDef, formula: str) -> bool:
    """Evaluate a condition on an op.

    Args:
        op: The op.
        definition: Its definition.
        formula: The condition, in the notation.

    Returns:
        True if the condition is true; False if it is false, unknown or undefined.
    """
    try:
        return _condition(definition, formula)(environment(op, definition)) is True
    except NO_VALUE:
        return False


@cache
def _condition(definition: OpDef, formula: str) -> Run:
    load_formulas_of(definition)
    return scope_of(definition).compiler().condition(parse(formula)).run


def environment(op: Operation, definition: OpDef, context: EvaluationContext = EMPTY_CONTEXT) -> Environment:
    """Return the evaluation environment of an op."""
    return Environment(op, context, scope_of(definition).loaders)


def attribute_value(op: Operation, definition: OpDef, attr: Attr) -> Any:
    """Return the Python value of a constant input.

    Args:
        op: The op.
        definition: Its definition.
        attr: The input.

    Returns:
        The value. If the op does not have the attribute: the default of the definition, False for `unit`, or
        None.
    """
    stored = stored_value(op, attr)
    if stored is not None:
        return attr.kind.to_python(stored)
    if attr.default is None:
        return attr.kind.absent
    value = scope_of(definition).default(attr)(environment(op, definition))
    return tuple(value) if isinstance(value, list) else value
