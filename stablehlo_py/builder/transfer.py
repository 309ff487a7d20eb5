"""Tokens, and data transfers to and from a program.

XLA orders the transfers of a computation implicitly; StableHLO orders them by a token. The builder keeps one
token for each body, which its first transfer creates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stablehlo_py.builder.arguments import integer
from stablehlo_py.builder.computation_builder import ComputationBuilder
from stablehlo_py.builder.errors import BuildError
from stablehlo_py.builder.op import Operand, XlaOp
from stablehlo_py.builder.shape import ShapeLike, is_major_to_minor, leaves, orders, shape_of
from stablehlo_py.ir.core import Block, OpResult, Value
from stablehlo_py.ir.types import TOKEN


@dataclass(frozen=True)
class ChannelHandle:
    """The channel of a Send and its Recv. `type` is 1 between devices."""

    handle: int
    type: int = 1


class Transfers(ComputationBuilder):
    """AfterAll, Infeed, Send and Recv."""

    def __init__(self, name: str = "main") -> None:
        super().__init__(name)
        self._tokens: dict[Block, Value] = {}

    def AfterAll(self, operands: Sequence[XlaOp]) -> XlaOp:
        """Joins tokens to one that follows all of them; without operands, creates a new token.

        Documents: 001.
        """
        return self._one("after_all", self._listed(operands))

    def Infeed(self, shape: ShapeLike) -> XlaOp:
        """Reads one item from the infeed (`stablehlo_py.run(.., infeed=..)`).

        Args:
            shape: The shape of an array, or of a tuple of arrays, with layouts. An empty tuple reads nothing.

        The infeeds of a body read in program order.

        Documents: 000, 001, 003.
        """
        wanted = shape_of(shape)
        parts = wanted.tuple_shapes if wanted.is_tuple else (wanted,)
        if any(not part.is_array for part in parts):
            raise BuildError(f"Infeed: the shape {wanted} has nested tuples")
        if not parts:
            return self._tuple([])
        types = [*leaves(wanted.to_type()), TOKEN]
        layouts = None if is_major_to_minor(parts) else orders(parts)
        *data, token = self._emit("infeed", [self._token()], {"layout": layouts}, types=types)
        self._tokens[self._blocks[-1]] = token
        return self._pack(wanted.to_type(), data)

    def Send(self, operand: Operand, channel_handle: ChannelHandle | int) -> XlaOp:
        """Sends data to the Recv with the same channel.

        Args:
            operand: An array.
            channel_handle: A ChannelHandle, or its number.

        Returns:
            The operand of SendDone: a token. StableHLO's send completes the transfer.

        Documents: 001, 003.
        """
        values = [*self._operand(operand).values, self._token()]
        (token,) = self._emit("send", values, {"channel_handle": _handle(channel_handle)})
        self._tokens[self._blocks[-1]] = token
        return self._wrapped(token)

    def SendDone(self, context: XlaOp) -> XlaOp:
        """Waits for the completion of a Send, and returns its token.

        Raises:
            BuildError: If the operand is not the result of a Send.

        Documents: 001, 003.
        """
        return self._transferred(context, "send")

    def Recv(self, shape: ShapeLike, channel_handle: ChannelHandle | int) -> XlaOp:
        """Receives data from the Send with the same channel.

        Args:
            shape: The shape of the data.
            channel_handle: A ChannelHandle, or its number.

        Returns:
            The data, since StableHLO's recv completes the transfer. It is also the operand of RecvDone.

        Documents: 001, 003.
        """
        type = shape_of(shape).to_type()
        attributes = {"channel_handle": _handle(channel_handle)}
        *data, token = self._emit("recv", [self._token()], attributes, types=[*leaves(type), TOKEN])
        self._tokens[self._blocks[-1]] = token
        return self._pack(type, data)

    def RecvDone(self, context: XlaOp) -> XlaOp:
        """Waits for the completion of a Recv, and returns its data.

        Raises:
            BuildError: If the operand is not the result of a Recv.

        Documents: 001, 003.
        """
        return self._transferred(context, "recv")

    def _token(self) -> Value:
        """Return the token that the next transfer of the current body depends on."""
        block = self._blocks[-1]
        if block not in self._tokens:
            self._tokens[block] = self.AfterAll([]).value
        return self._tokens[block]

    def _transferred(self, context: XlaOp, name: str) -> XlaOp:
        op = self._operand(context)
        makers = {value.op.name if isinstance(value, OpResult) else "" for value in op.values}
        if makers != {f"stablehlo.{name}"}:
            raise BuildError(f"{name.capitalize()}Done: {op!r} is not the result of {name.capitalize()}")
        self._last = op
        return op


def _handle(channel: ChannelHandle | int) -> dict[str, int]:
    handle = channel if isinstance(channel, ChannelHandle) else ChannelHandle(channel)
    return {"handle": integer(handle.handle, "the channel"), "type": integer(handle.type, "its type")}
