"""Messages between the ranks of MPI: a header, and the arrays of a value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np

from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.engines.messages import decoded, empty_like, encoded, header_of, leaves

_HEADER, _DATA = 1, 2  # tags


class Message(NamedTuple):
    """A message that arrived: the rank that sent it, what it states, and its value."""

    source: int
    fields: dict[str, Any]
    value: Any


class Transport(Protocol):
    """What carries messages between ranks; those from one rank to another arrive in order.

    Attributes:
        rank: The number of this rank.
        size: The number of ranks.
    """

    rank: int
    size: int

    def send(self, rank: int, fields: dict[str, Any], value: Any = None) -> None:
        """Send fields (data for JSON) and a value (nested arrays) to a rank, without waiting for it."""

    def receive(self) -> Iterator[Message]:
        """Yield the messages that have arrived."""

    def release(self) -> None:
        """Release the memory of messages that were received."""

    def complete(self) -> None:
        """Wait until all messages were received."""


class MpiTransport:
    """The communicator of all ranks: a `Transport`.

    Raises:
        RunError: There is no MPI library.
    """

    def __init__(self) -> None:
        try:
            from mpi4py import MPI
        except (ImportError, RuntimeError) as error:
            message = f"engine mpi found no MPI library ({error}): install one, or pip install mpich"
            raise RunError(message) from None
        self._mpi = MPI
        self._comm = MPI.COMM_WORLD.Dup()
        self.rank = int(self._comm.Get_rank())
        self.size = int(self._comm.Get_size())
        self.ranks_here = int(self._comm.Split_type(MPI.COMM_TYPE_SHARED).Get_size())  # on this machine
        self._pending: list[tuple[Any, Any]] = []  # requests, with the buffers that they send

    def send(self, rank: int, fields: dict[str, Any], value: Any = None) -> None:
        """Send a message; see `Transport`."""
        self.release()
        self._post(encoded([fields, header_of(value)]), rank, _HEADER)
        for buffer in leaves(value):
            self._post(buffer, rank, _DATA)

    def receive(self) -> Iterator[Message]:
        """Yield the messages that have arrived; see `Transport`."""
        status = self._mpi.Status()
        while self._comm.Iprobe(self._mpi.ANY_SOURCE, _HEADER, status):
            data = np.empty(status.Get_count(self._mpi.BYTE), np.uint8)
            source = status.Get_source()
            self._comm.Recv([data, self._mpi.BYTE], source, _HEADER)
            fields, structure = decoded(data)
            value = empty_like(structure)
            for buffer in leaves(value):
                self._comm.Recv([buffer, self._mpi.BYTE], source, _DATA)
            yield Message(source, fields, value)

    def release(self) -> None:
        """Release the buffers of messages that were received."""
        self._pending = [each for each in self._pending if not each[0].Test()]

    def complete(self) -> None:
        """Wait until all messages were received."""
        self._mpi.Request.Waitall([request for request, _ in self._pending])
        self._pending = []

    def _post(self, buffer: Any, rank: int, tag: int) -> None:
        self._pending.append((self._comm.Isend([buffer, self._mpi.BYTE], rank, tag), buffer))
