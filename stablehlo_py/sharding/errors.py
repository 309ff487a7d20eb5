"""The error of a program whose shardings do not fit."""

from __future__ import annotations

from stablehlo_py.ir.core import BlockArgument, Operation


class ShardingError(Exception):
    """A stage cannot be applied to a program because of an op or argument.

    Attributes:
        op: The op or argument.
        message: What is wrong.
    """

    def __init__(self, op: Operation | BlockArgument, message: str) -> None:
        super().__init__(message)
        self.op, self.message = op, message
