"""Messages: a header that describes values, and the bytes of their arrays."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import blake2b
from math import prod
from typing import Any

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
