"""Vectors: the elements that the iterations of a vectorized loop load, compute and store together."""

from __future__ import annotations

from stablehlo_py.engines.native.arithmetic.elements import Element
from stablehlo_py.engines.native.arithmetic.llvm_ir import Builder, Value


def load_vector(b: Builder, element: Element, count: int, pointer: Value, offset: Value) -> Value:
    """Some neighbouring elements, which are kept in memory as they are computed."""
    assert element.is_wide and element.storage == element.compute
    type, place = f"<{count} x {element.storage}>", b.address(element.storage, pointer, offset)
    return b.emit(type, f"load {type}, {place}, align {element.size}")


def store_vector(value: Value, element: Element, pointer: Value, offset: Value) -> None:
    """Store some neighbouring elements."""
    b = value.builder
    b.do(f"store {value}, {b.address(element.storage, pointer, offset)}, align {element.size}")


def widened(value: Value, count: int) -> Value:
    """A vector whose elements are all a value; a vector as it is."""
    if value.type.startswith("<"):
        return value
    b, type = value.builder, f"<{count} x {value.type}>"
    if not value.text.startswith("%"):
        return b.value(f"splat ({value})", type)
    one = b.emit(type, f"insertelement {type} poison, {value}, i64 0")
    return b.emit(type, f"shufflevector {one}, {type} poison, <{count} x i32> zeroinitializer")
