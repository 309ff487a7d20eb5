"""Messages between processes: a header that describes values, and the bytes of their arrays."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import blake2b
from math import prod
from typing import IO, Any

import ml_dtypes as ml_dtypes  # names its types
import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


def digest(key: Any) -> str:
    """Return a short text for a key, the same in all processes."""
    return blake2b(repr(key).encode(), digest_size=16).hexdigest()


def header_of(value: Any) -> Any:
    """Return the structure of nested tuples and lists of arrays, as data for JSON."""
    if value is None:
        return None
    if isinstance(value, tuple | list):
        return {"tuple" if isinstance(value, tuple) else "list": [header_of(item) for item in value]}
    return [value.dtype.name, list(value.shape)]


def encoded(header: Any) -> Array:
    """Return a header as bytes."""
    return np.frombuffer(json.dumps(header).encode(), np.uint8)


def decoded(data: Array) -> Any:
    """Return the header of `encoded` bytes."""
    return json.loads(data.tobytes())


def leaves(value: Any) -> Iterator[Array]:
    """Yield the bytes of the arrays of a value that have elements, in order."""
    if isinstance(value, tuple | list):
        for item in value:
            yield from leaves(item)
    elif value is not None and value.size:
        yield np.ascontiguousarray(value).reshape(-1).view(np.uint8)


def empty_like(structure: Any) -> Any:
    """Return a value of a structure, whose arrays are to be filled."""
    match structure:
        case None:
            return None
        case {"tuple": items}:
            return tuple([empty_like(item) for item in items])
        case {"list": items}:
            return [empty_like(item) for item in items]
    name, shape = structure
    dtype = np.dtype(name)
    return np.empty(prod(shape) * dtype.itemsize, np.uint8).view(dtype).reshape(shape)


# Over a pipe


def write_message(stream: IO[bytes], text: str, value: Any) -> None:
    """Write a text and a value to a stream."""
    stream.write(json.dumps([text, header_of(value)]).encode() + b"\n")
    for buffer in leaves(value):
        stream.write(buffer.data)
    stream.flush()


def read_message(stream: IO[bytes]) -> tuple[str, Any]:
    """Read a text and a value from a stream.

    Raises:
        EOFError: The stream ends before them.
    """
    line = stream.readline()
    if not line.endswith(b"\n"):
        raise EOFError
    text, header = json.loads(line)
    value = empty_like(header)
    for buffer in leaves(value):
        if stream.readinto(buffer.data) != buffer.size:  # type: ignore[attr-defined]
            raise EOFError
    return text, value
