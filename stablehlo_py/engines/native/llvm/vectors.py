"""Vectors: the elements that the iterations of a vectorized loop load, compute and store together."""

from __future__ import annotations

from stablehlo_py.engines.native.arithmetic.elements import Element
from stablehlo_py.engines.native.arithmetic.llvm_ir import Builder, Value


def load_vector(b: Builder, element: Element, count: int, pointer: Value, offset: Value) -> Value:
    """Some neighbouring elements, which are kept in memory as they are computed."""
    assert element.is_wide and element.storage == element.compute
    type, place = f"<{count} x {element.storage}>", b.address(element.storage, pointer, offset)
    return b.emit(type, f"load {type}, {place}, align {element.size}")


def load_strided(b: Builder, element: Element, count: int, pointer: Value, offset: Value, step: int) -> Value:
    """Load elements with a stride from vectors of neighbours; no access is behind the last element."""
    found = load_vector(b, element, count, pointer, offset)
    places = [lane * step for lane in range(count)]
    for part in range(1, step):
        start = min(part * count, places[-1] - count + 1)
        loaded = load_vector(b, element, count, pointer, offset + start)
        before = places if part == 1 else range(count)
        mask = [
            at if place < part * count else min(count + place - start, 2 * count - 1)
            for at, place in zip(before, places, strict=True)
        ]
        lanes = ", ".join([f"i32 {each}" for each in mask])
        found = b.emit(found.type, f"shufflevector {found}, {loaded}, <{count} x i32> <{lanes}>")
    return found


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
