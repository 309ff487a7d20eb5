"""The environment of an op: what the names of its definition stand for, computed when first needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from stablehlo_py.ir.core import Operation
from stablehlo_py.notation.sorts import Undefined


class EvaluationContext(Protocol):
    """What formulas may ask about the module around an op."""

    @property
    def num_replicas(self) -> int | None: ...

    @property
    def num_partitions(self) -> int | None: ...

    def resolve(self, op: Operation, name: str) -> Operation | None:
        """The function that a symbol names, seen from `op`."""
        ...

    def is_symbol(self, op: Operation, name: str) -> bool:
        """Whether a symbol names anything, seen from `op`."""
        ...


class Absent:
    """Stands for an optional input that is not there."""


ABSENT = Absent()
Loader = Callable[["Environment"], Any]


class Environment(dict[str, Any]):
    """Names to values. A name that is not there yet is computed by its loader, once."""

    __slots__ = ("context", "loaders", "op")

    def __init__(self, op: Operation, context: EvaluationContext, loaders: dict[str, Loader]) -> None:
        self.op = op
        self.context = context
        self.loaders = loaders

    def __missing__(self, name: str) -> Any:
        value = self.loaders[name](self)
        if value is ABSENT:
            raise Undefined(f"{name} is not given")
        self[name] = value
        return value

    def has(self, name: str) -> bool:
        """Whether an optional input is there, or has a default."""
        try:
            self[name]
        except Undefined:
            return False
        return True
