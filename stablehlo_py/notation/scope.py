"""The scope of an op's formulas, from its definition: the sort of each name, and how to load it."""

from __future__ import annotations

from collections.abc import Callable
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
from stablehlo_py.notation.terms import NotationError, load, parse
from stablehlo_py.opset.attribute_conversion import read_only
from stablehlo_py.opset.definition import (
    Attr,
    Body,
    OpDef,
    Operand,
    Result,
    all_definitions,
    cached_per_registry,
)
from stablehlo_py.opset.kinds import Kind
from stablehlo_py.opset.op_inputs import groups, stored_value

# What a formula raises on inputs that the rules of the op forbid.
NO_VALUE = (Undefined, TypeError, ValueError, LookupError, ArithmeticError)


def attribute_sort(kind: Kind) -> Sort:
    """The sort of an attribute of a kind."""
    return parse_sort(kind.sort)


class EmptyContext:
    """The context of an op that is in no module."""

    num_replicas: int | None = None
    num_partitions: int | None = None

    def resolve(self, op: Operation, name: str) -> Operation | None:
        return None

    def is_symbol(self, op: Operation, name: str) -> bool:
        return True


EMPTY_CONTEXT = EmptyContext()


class Scope:
    """The names that the formulas of one definition may use."""

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
        """A compiler for a formula of this scope."""
        return Compiler(self.names)

    def default(self, attr: Attr) -> Run:
        """The closure of an attribute's default. Raises NotationError if its sort is not the attribute's."""
        found = self._defaults.get(attr.name)
        if found is None:
            found = self._defaults[attr.name] = self._default(attr, attr.default or "")
        return found

    def _default(self, attr: Attr, formula: str) -> Run:
        sort, run, _ = self.compiler().compile(parse(formula))
        wanted = attribute_sort(attr.kind)
        if wanted == ARRAY and sort.name == "List":
            return lambda env: _array(run(env), attr)
        if convert(sort, wanted, {}) is None:
            raise NotationError(f"the default of {attr.name} is of sort {sort}, not {wanted}")
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
            raise NotationError(f"{self.definition.name}: {name} is already the name of something")
        self.names[name], self.loaders[name], contextual = self.compiler().compile(parse(formula))
        self.contextual |= contextual


def _part_loader(key: str, index: int, part: Operand | Result | Body) -> Loader:
    if part.variadic:
        return lambda env: env[key][index]

    def load(env: Environment) -> Any:
        found = env[key][index]
        return found[0] if found else ABSENT

    return load


def _array(rows: Any, attr: Attr) -> Any:
    """The default of an attribute that is an Array."""
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
    """The scope of a definition's formulas. Raises NotationError."""
    return Scope(definition)


@cached_per_registry
def load_formulas() -> None:
    """Parses every formula of the registry at once, or takes them from the cache."""
    definitions = list(all_definitions())
    formulas = [c.formula for d in definitions for c in d.constraints]
    formulas += [formula for d in definitions for _, formula in d.where]
    formulas += [a.default for d in definitions for a in d.attrs if a.default is not None]
    formulas += [r.uses for d in definitions for r in d.revisions if r.uses]
    load(formulas)


def holds(op: Operation, definition: OpDef, formula: str) -> bool:
    """Whether a condition in the terms of the definition holds of an op; False where it has no value."""
    try:
        return _condition(definition, formula)(environment(op, definition)) is True
    except NO_VALUE:
        return False


@cache
def _condition(definition: OpDef, formula: str) -> Run:
    load_formulas()
    return scope_of(definition).compiler().condition(parse(formula)).run


def environment(op: Operation, definition: OpDef, context: EvaluationContext = EMPTY_CONTEXT) -> Environment:
    """The environment of an op."""
    return Environment(op, context, scope_of(definition).loaders)


def attribute_value(op: Operation, definition: OpDef, attr: Attr) -> Any:
    """The Python value of an input that is a constant.

    Where the op does not have it: the definition's default, False for `unit`, otherwise None.
    """
    stored = stored_value(op, attr)
    if stored is not None:
        return attr.kind.to_python(stored)
    if attr.default is None:
        return attr.kind.absent
    value = scope_of(definition).default(attr)(environment(op, definition))
    return tuple(value) if isinstance(value, list) else value
