"""Data transfer between processes, and to and from the host."""

from __future__ import annotations

from typing import Any

import numpy as np

from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.ir.types import TokenType, Type
from stablehlo_py.kernels.grid.process import ProcessId, current, kept
from stablehlo_py.kernels.registry import Array, kernel

Arrays = tuple[Array, ...]


@kernel("stablehlo.infeed")
def infeed(token: None, *, results: tuple[Type, ...]) -> Any:
    """Values from the infeed of the grid (infeed)."""
    supply = next(current().grid.infeed, None)
    if supply is None:
        raise RunError("the infeed is exhausted")
    data = tuple([type for type in results if not isinstance(type, TokenType)])
    return _with_token(supply(data), results)


@kernel("stablehlo.outfeed")
def outfeed(inputs: Arrays, token: None) -> None:
    """Values to the outfeed of the grid (outfeed)."""
    take = current().grid.outfeed
    if take is not None:
        take(kept(inputs))


@kernel("stablehlo.send")
def send(inputs: Arrays, token: None, *, channel_id: int, source_target_pairs: Array | None) -> None:
    """Values to a channel (send)."""
    grid = current().grid
    if source_target_pairs is None:
        grid.send(channel_id, kept(inputs))
        return
    place = current().process_id
    for source, target in source_target_pairs.tolist():
        if _moved(source, channel_id) == place:
            grid.send((channel_id, _moved(target, channel_id)), kept(inputs))


@kernel("stablehlo.recv")
def recv(
    token: None, *, channel_id: int, source_target_pairs: Array | None, results: tuple[Type, ...]
) -> Any:
    """Values from a channel (recv)."""
    channel = channel_id if source_target_pairs is None else (channel_id, current().process_id)
    return _with_token(current().grid.receive(channel, f"channel {channel_id}"), results)


def _moved(index: int, channel_id: int) -> ProcessId:
    """Return the id of the process in another partition, or in another replica where the channel is 0."""
    replica, partition = current().process_id
    return (replica, index) if channel_id > 0 else (index, partition)


def _with_token(values: Arrays, results: tuple[Type, ...]) -> Arrays:
    """Append a token to received values where the op has one."""
    given = iter(values)
    return tuple([None if isinstance(t, TokenType) else np.array(next(given)) for t in results])  # type: ignore[misc]
