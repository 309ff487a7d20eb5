"""Tokens, and data from and to the outside of a program.

XLA's client orders the operations of a computation by itself; in StableHLO they pass a token on. So each
body has a token of its own, which its first such operation makes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stablehlo_py.builder.arguments import integer
from stablehlo_py.builder.computation_builder import ComputationBuilder
from stablehlo_py.builder.errors import BuildError
from stablehlo_py.builder.op import XlaOp
from stablehlo_py.builder.shape import ShapeLike, is_major_to_minor, leaves, orders, shape_of
from stablehlo_py.ir.core import Block, OpResult, Value
from stablehlo_py.ir.types import TOKEN

if TYPE_CHECKING:
    from stablehlo_py.builder.op import Operand


@dataclass(frozen=True)
class ChannelHandle:
    """What a Send and its Recv have in common. `type`: 1 between devices."""

    handle: int
    type: int = 1


class Transfers(ComputationBuilder):
    """AfterAll, Infeed, Send and Recv."""

    def __init__(self, name: str = "main") -> None:
        super().__init__(name)
        self._tokens: dict[Block, Value] = {}

    def AfterAll(self, operands: Sequence[XlaOp]) -> XlaOp:
        """One token that comes after all of the given ones; without any, a new one.

        Documents: 001.
        """
        return self._one("after_all", self._listed(operands))

    def Infeed(self, shape: ShapeLike) -> XlaOp:
        """Reads one item of that shape from what is fed in from outside (`stablehlo_py.run(.., infeed=..)`).

        Args:
          shape: an array's, or a tuple's of arrays. Its layout is the operation's; an empty tuple reads
            nothing.

        Infeeds of one body read in the order in which they are called.

        Documents: 000, 001, 003.
        """
        wanted = shape_of(shape)
        parts = wanted.tuple_shapes if wanted.is_tuple else (wanted,)
        if any(not part.is_array for part in parts):
            raise BuildError(f"Infeed: {wanted} is a tuple in a tuple, which cannot be fed")
        if not parts:
            return self._tuple([])
        types = [*leaves(wanted.to_type()), TOKEN]
        layouts = None if is_major_to_minor(parts) else orders(parts)
        *data, token = self._emit("infeed", [self._token()], {"layout": layouts}, types=types)
        self._tokens[self._blocks[-1]] = token
        return self._pack(wanted.to_type(), data)

    def Send(self, operand: Operand, channel_handle: ChannelHandle | int) -> XlaOp:
        """Sends data to the Recv that has the same channel.

        Args:
          operand: an array.
          channel_handle: a ChannelHandle, or its number.

        Gives what SendDone takes: a token, and no data. StableHLO's send does the whole transfer.

        Documents: 001, 003.
        """
        values = [*self._operand(operand).values, self._token()]
        (token,) = self._emit("send", values, {"channel_handle": _handle(channel_handle)})
        self._tokens[self._blocks[-1]] = token
        return self._wrapped(token)

    def SendDone(self, context: XlaOp) -> XlaOp:
        """Waits for the transfer that a Send has begun: its token is that of the end.

        Raises BuildError for what no Send gave.

        Documents: 001, 003.
        """
        return self._transferred(context, "send")

    def Recv(self, shape: ShapeLike, channel_handle: ChannelHandle | int) -> XlaOp:
        """Receives data from the Send that has the same channel.

        Args:
          shape: the data's.
          channel_handle: a ChannelHandle, or its number.

        Gives the data: StableHLO's recv does the whole transfer. RecvDone takes it as well.

        Documents: 001, 003.
        """
        type = shape_of(shape).to_type()
        attributes = {"channel_handle": _handle(channel_handle)}
        *data, token = self._emit("recv", [self._token()], attributes, types=[*leaves(type), TOKEN])
        self._tokens[self._blocks[-1]] = token
        return self._pack(type, data)

    def RecvDone(self, context: XlaOp) -> XlaOp:
        """Waits for the transfer that a Recv has begun, and gives its data.

        Raises BuildError for what no Recv gave.

        Documents: 001, 003.
        """
        return self._transferred(context, "recv")

    def _token(self) -> Value:
        """The token that the next operation of this body comes after."""
        block = self._blocks[-1]
        if block not in self._tokens:
            self._tokens[block] = self.AfterAll([]).value
        return self._tokens[block]

    def _transferred(self, context: XlaOp, name: str) -> XlaOp:
        op = self._operand(context)
        makers = {value.op.name if isinstance(value, OpResult) else "" for value in op.values}
        if makers != {f"stablehlo.{name}"}:
            raise BuildError(f"{name.capitalize()}Done: {op!r} is not what {name.capitalize()} gave")
        self._last = op
        return op


def _handle(channel: ChannelHandle | int) -> dict[str, int]:
    handle = channel if isinstance(channel, ChannelHandle) else ChannelHandle(channel)
    return {"handle": integer(handle.handle, "the channel"), "type": integer(handle.type, "its type")}
