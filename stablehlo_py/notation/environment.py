"""The evaluation environment of an op: lazily computed values of the names in its formulas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from stablehlo_py.ir.core import Operation
from stablehlo_py.notation.sorts import Undefined


class EvaluationContext(Protocol):
    """Queries of formulas about the module that contains an op."""

    @property
    def num_replicas(self) -> int | None:
        """The number of replicas, or None if unknown."""
        ...

    @property
    def num_partitions(self) -> int | None:
        """The number of partitions, or None if unknown."""
        ...

    def resolve(self, op: Operation, name: str) -> Operation | None:
        """Return the function that a symbol refers to in the scope of `op`, or None."""
        ...

    def is_symbol(self, op: Operation, name: str) -> bool:
        """Test whether a symbol is defined in the scope of `op`."""
        ...


class Absent:
    """The value of an absent optional input."""


ABSENT = Absent()
Loader = Callable[["Environment"], Any]


class Environment(dict[str, Any]):
    """A mapping from names to values; a missing value is computed once, by its loader.

    Attributes:
        op: The op.
        context: Queries about the module that contains it.
        loaders: A function for each name, which computes its value.
    """

    __slots__ = ("context", "loaders", "op")

    def __init__(self, op: Operation, context: EvaluationContext, loaders: dict[str, Loader]) -> None:
        self.op = op
        self.context = context
        self.loaders = loaders

    def __missing__(self, name: str) -> Any:
        value = self.loaders[name](self)
        if value is ABSENT:
            raise Undefined(f"{name} is absent")
        self[name] = value
        return value

    def has(self, name: str) -> bool:
        """Test whether an optional input is present or has a default."""
        try:
            self[name]
        except Undefined:
            return False
        return True
