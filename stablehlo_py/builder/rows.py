"""Operations as rows: methods with the parameters of a form, described by the definitions of their ops.

    Abs = row(unary, "abs", ALL)

`unary` is a form: a function of the op and a method's parameters, such as `unary(op, self, operand)`. Its
docstring is that of the row, with the op's description, which is the definition's by default, at `{about}`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from stablehlo_py.diagnostics.diagnostic import InternalError
from stablehlo_py.opset.definition import lookup

ALL = "000, 001, 003"
NEWEST = "001"
NONE = "none; in XlaBuilder only"

P = ParamSpec("P")
R = TypeVar("R")


def row(form: Callable[Concatenate[str, P], R], op: str, documents: str, about: str = "") -> Callable[P, R]:
    """Return the method of a row; it has the name that it is assigned to.

    Args:
        form: A function of the op and the parameters.
        op: The op, without its dialect.
        documents: The documents that describe the operation.
        about: What it does.
    """
    return cast(Callable[P, R], _Row(cast(FunctionType, form), op, documents, about or _description(op)))


class _Row:
    """A row of a class, which becomes a method when the class is created."""

    def __init__(self, form: FunctionType, op: str, documents: str, about: str) -> None:
        self._form, self._op = form, op
        self._doc = f"{(form.__doc__ or '').format(about=about).strip()}\n\nDocuments: {documents}."

    def __set_name__(self, owner: type, name: str) -> None:
        qualified, form, op = f"{owner.__name__}.{name}", self._form, self._op
        # Errors and tracebacks name the operation.
        code = form.__code__.replace(co_name=name, co_qualname=qualified)
        body = FunctionType(code, form.__globals__, name, form.__defaults__)

        @wraps(body)
        def method(*args: Any, **named: Any) -> Any:
            return body(op, *args, **named)

        _, builder, *rest = inspect.signature(form).parameters.values()
        parameters = [builder.replace(annotation=builder.empty), *rest]
        signature = inspect.Signature(parameters, return_annotation=form.__annotations__["return"])
        method.__signature__ = signature  # type: ignore[attr-defined]
        method.__doc__, method.__module__, method.__qualname__ = self._doc, owner.__module__, qualified
        setattr(owner, name, method)


def _description(op: str) -> str:
    definition = lookup(f"stablehlo.{op}")
    if definition is None:
        raise InternalError(f"unknown op {op}")
    return definition.doc
