"""Rendering of arrays: as text, as literals, as JSON data, and in summary."""

from __future__ import annotations

from typing import Any

import numpy as np

from stablehlo_py.ir.attributes import DenseElementsAttr
from stablehlo_py.ir.types import TensorType, Type

_INDENT = "  "


def array_text(value: Any, full: bool = False, indent: str = _INDENT) -> str:
    """Format the elements of a value, abbreviated in the middle unless `full`."""
    if isinstance(value, tuple):
        inner = ",\n".join(array_text(v, full, indent + " ") for v in value)
        return f"{indent}(\n{inner}\n{indent})"
    array = np.asarray(value)
    shown = array.astype(np.float32) if array.dtype.kind == "V" else array
    with np.printoptions(threshold=array.size + 1 if full else 60, edgeitems=3, linewidth=78 - len(indent)):
        text = np.array2string(shown, separator=", ", floatmode="maxprec")
    return "\n".join(indent + row for row in text.splitlines())


def literal_text(value: Any, type: Type) -> str:
    """Format a value as an MLIR literal, `dense<[1, 2]> : tensor<2xi32>`; a token as its type."""
    if not isinstance(type, TensorType):
        return str(type)
    elements = np.ascontiguousarray(value).reshape(-1)
    return str(DenseElementsAttr(type, elements))


def json_data(value: Any) -> Any:
    """Convert a value to JSON data: nested lists, complex numbers as pairs, "nan" and "inf" as strings."""
    if isinstance(value, tuple):
        return [json_data(v) for v in value]
    if not isinstance(value, np.ndarray | np.generic):
        return None
    if value.dtype.kind == "c":
        return _finite(np.stack([value.real, value.imag], -1).tolist())
    if value.dtype.kind in "biu":
        return value.tolist()
    return _finite(value.astype(np.int64 if "int" in value.dtype.name else np.float64).tolist())


def _finite(data: Any) -> Any:
    if isinstance(data, list):
        return [_finite(item) for item in data]
    return data if data - data == 0 else str(data)


def array_summary(value: Any) -> dict[str, Any]:
    """Return the minimum, mean and maximum element, and the number of non-finite elements."""
    array = np.asarray(value)
    if not array.size:
        return {"min": None, "mean": None, "max": None, "nonfinite": 0}
    if array.dtype.kind == "c":
        array = np.abs(array)
    exact = array.dtype.kind in "iub"
    numbers = array.astype(
        np.int64 if exact and array.dtype != np.uint64 else array.dtype if exact else np.float64
    )
    finite = numbers[np.isfinite(numbers)]
    counts = {"nonfinite": int(numbers.size - finite.size)}
    if not finite.size:
        return {"min": None, "mean": None, "max": None, **counts}
    return {"min": finite.min().item(), "mean": float(finite.mean()), "max": finite.max().item(), **counts}
