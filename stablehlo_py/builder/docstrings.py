"""Shared parts of the docstrings of operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

ALL = "000, 001, 003"
NEWEST = "001"
NONE = "none; in XlaBuilder only"

F = TypeVar("F", bound=Callable[..., Any])


def with_shared_docs(shared: str, documents: str) -> Callable[[F], F]:
    """Append a shared text, and the documents that describe the operation, to its docstring."""

    def finish(function: F) -> F:
        lines = [function.__doc__ or "", "", *shared.strip().splitlines(), "", f"Documents: {documents}."]
        function.__doc__ = "\n".join(
            f"        {line}".rstrip() if i else line for i, line in enumerate(lines)
        )
        return function

    return finish
