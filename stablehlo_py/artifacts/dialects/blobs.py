"""Field kinds of blobs: the elements of constants and arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from stablehlo_py.artifacts.dialects.fields import FieldKind, Given, Sink, Source, known
from stablehlo_py.artifacts.faults import Fault
from stablehlo_py.ir.element_types import bit_width, numpy_dtype, storage_dtype
from stablehlo_py.ir.types import I1, FloatType, IntegerType, TensorType
from stablehlo_py.syntax.read.vectors import shaped


def _dtype(source: Source, element: Any) -> np.dtype[Any]:
    try:
        return storage_dtype(element)
    except TypeError:
        raise Fault(source.at, f"expected elements of a number type, found {element}") from None


def _read_dense(source: Source, given: Given) -> np.ndarray[Any, np.dtype[Any]]:
    """Read the elements of a constant; a view of the file if they take whole bytes."""
    type = shaped(known(given, "type"))
    if type is None or type.size is None:
        found = known(given, "type")
        raise Fault(source.at, f"expected a constant of a tensor type of known shape, found {found}")
    dtype, count, at = _dtype(source, type.element_type), type.size, source.at
    raw = source.take(source.varint(), "the elements of a constant")
    if type.element_type is I1:
        return _unpacked(at, raw, count)
    if len(raw) not in (dtype.itemsize, dtype.itemsize * count):
        message = f"expected {count} elements of {dtype.itemsize} bytes each, or one for all, for {type}"
        raise Fault(at, f"{message}; found {len(raw)} bytes")
    data = np.frombuffer(raw, dtype.newbyteorder("<"))
    data.flags.writeable = False
    return data


def _unpacked(at: int, raw: memoryview, count: int) -> np.ndarray[Any, np.dtype[Any]]:
    """Return booleans from bits; one byte of equal bits is a splat."""
    if len(raw) == 1 and not 1 < count <= 8 and raw[0] in (0, 1, 0xFF):
        return np.array([raw[0] != 0])
    if len(raw) != (count + 7) // 8:
        raise Fault(at, f"expected {count} bits, or one byte for all; found {len(raw)} bytes")
    return np.unpackbits(np.frombuffer(raw, np.uint8), bitorder="little", count=count).view(np.bool_)


def dense_bytes(data: np.ndarray[Any, np.dtype[Any]], type: TensorType) -> bytes | memoryview:
    """Return the bytes of a constant's elements."""
    if type.element_type is I1:
        if data.size == 1:
            return b"\xff" if data[0] else b"\0"
        return np.packbits(data, bitorder="little").tobytes()
    width = bit_width(type.element_type)
    if width < 8:
        return (data.view(np.uint8) & np.uint8(2**width - 1)).tobytes()
    return np.ascontiguousarray(data).reshape(-1).view(np.uint8).data if data.size else b""


def _write_dense(sink: Sink, value: np.ndarray[Any, np.dtype[Any]], given: Given) -> None:
    type = shaped(given["type"])
    assert type is not None
    data = dense_bytes(value, type)
    sink.varint(len(data))
    sink.raw(data)


def collapsed(data: np.ndarray[Any, np.dtype[Any]]) -> np.ndarray[Any, np.dtype[Any]]:
    """Return one element if all, of which there are several, are equal bit for bit; else the data."""
    rows = np.ascontiguousarray(data).view(np.uint8).reshape(data.size, -1)
    return data[:1] if bool((rows[-1] == rows[0]).all() and (rows == rows[0]).all()) else data


def _write_tensor(sink: Sink, value: np.ndarray[Any, np.dtype[Any]], given: Given) -> None:
    """Write a dense tensor. VHLO has one boolean as a bit, and none of no booleans; others may be a splat."""
    type = given["type"]
    if type.element_type is I1 and type.size in (0, 1):
        sink.varint(type.size)
        sink.raw(value[: type.size].tobytes())
    else:
        _write_dense(sink, value, given)


DENSE = FieldKind(_read_dense, _write_dense)
TENSOR = FieldKind(_read_dense, _write_tensor)


def _read_array(source: Source, given: Given) -> tuple[Any, ...]:
    element, at = known(given, "element_type"), source.at
    if not isinstance(element, IntegerType | FloatType):
        raise Fault(at, f"expected an array of integers or floats, found elements of {element}")
    count = source.varint()
    raw = source.take(source.varint(), "the elements of an array")
    dtype = _dtype(source, element)
    if len(raw) != count * dtype.itemsize:
        raise Fault(at, f"expected {count} elements of {dtype.itemsize} bytes each; found {len(raw)} bytes")
    return tuple(np.frombuffer(raw, dtype).tolist())


def _write_array(sink: Sink, value: tuple[Any, ...], given: Given) -> None:
    data = np.array(value, numpy_dtype(given["element_type"])).tobytes()
    sink.varint(len(value))
    sink.varint(len(data))
    sink.raw(data)


ARRAY = FieldKind(_read_array, _write_array)
