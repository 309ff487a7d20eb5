"""The properties of an op: a blob of references, in the order of the property names."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from stablehlo_py.artifacts.bytecode.cursor import Cursor
from stablehlo_py.artifacts.bytecode.entries import Entries
from stablehlo_py.artifacts.faults import Fault
from stablehlo_py.artifacts.vhlo.forms import Form, added_properties
from stablehlo_py.ir.attributes import Attribute, DenseArrayAttr, DictAttr
from stablehlo_py.ir.types import I32
from stablehlo_py.opset.definition import OpDef

SEGMENTS = ("operandSegmentSizes", "resultSegmentSizes")
Segments = tuple[tuple[str, int], ...]
Slots = tuple[tuple[str, bool], ...]  # names, and whether each is optional


@cache
def layouts_of(definition: OpDef) -> tuple[Slots, ...]:
    """Return the layouts of an op's properties in all releases, the newest first."""
    slots = [(name, name not in definition.required_properties) for name in definition.property_kinds]
    found = [tuple(slot for slot in slots if slot[0] not in SEGMENTS)]
    for added in added_properties(definition):
        found.append(tuple(slot for slot in found[-1] if slot[0] not in added))
    return tuple(found)


def form_layout(form: Form) -> tuple[Slots, ...]:
    """Return the layout of a VHLO op's properties, none of which is optional."""
    return (tuple((name, False) for name in form.attributes),)


def read_properties(
    blob: Cursor, entries: Entries, layouts: Sequence[Slots], segments: Segments, version: int
) -> dict[str, Attribute]:
    """Read properties by the first layout that fits.

    Args:
        blob: The encoded properties.
        entries: The attributes and types of the file.
        layouts: The layouts to try.
        segments: The segment sizes that follow the properties.
        version: The version of the bytecode.

    Raises:
        Fault: No layout fits.
    """
    start, fault = blob.at, None
    for slots in layouts:
        blob.at = start
        try:
            found = _read_slots(blob, entries, slots)
            for name, length in segments:
                found[name] = _segment_sizes(blob, entries, length, version)
            blob.finish("the properties of an op")
            return found
        except Fault as error:
            fault = fault or error
    assert fault is not None
    raise fault


def segments_of(definition: OpDef) -> Segments:
    """Return the segment size properties of an op, each with its number of segments."""
    counts = (len(definition.operands), len(definition.outputs))
    found = zip(SEGMENTS, counts, strict=True)
    return tuple((name, count) for name, count in found if name in definition.property_kinds)


def read_dictionary(blob: Cursor, entries: Entries) -> dict[str, Attribute]:
    """Read the properties of an unregistered op: one dictionary, or none."""
    if blob.is_done:
        return {}
    at = blob.at
    found = entries.attribute(blob)
    if not isinstance(found, DictAttr):
        raise Fault(at, f"expected a dictionary for the properties of an op, found {found}")
    blob.finish("the properties of an op")
    return dict(found.items)


def _read_slots(blob: Cursor, entries: Entries, slots: Slots) -> dict[str, Attribute]:
    found: dict[str, Attribute] = {}
    for name, may_be_absent in slots:
        if not may_be_absent:
            found[name] = entries.attribute(blob)
            continue
        at = blob.at
        index, present = blob.flagged()
        if present:
            found[name] = entries.attribute_at(index, at)
    return found


def _segment_sizes(blob: Cursor, entries: Entries, length: int, version: int) -> Attribute:
    if version < 6:
        return entries.attribute(blob)
    return DenseArrayAttr(I32, tuple(_sparse_array(blob, length)))


_MOST_BITS = 8  # of an index in a sparse array in a sparse array


def _sparse_array(blob: Cursor, length: int) -> list[int]:
    """Read numbers one by one, or the nonzero ones with their indices in the low bits."""
    at = blob.at
    count, is_sparse = blob.flagged()
    if count > length:
        raise Fault(at, f"expected at most {length} numbers, found {count}")
    sizes = [0] * length
    if not is_sparse:
        sizes[:count] = [blob.varint() for _ in range(count)]
        return sizes
    bits = blob.varint() if count else 0
    if bits > _MOST_BITS:
        raise Fault(at, f"expected indices of at most {_MOST_BITS} bits, found {bits}")
    for _ in range(count):
        value, index = divmod(blob.varint(), 1 << bits)
        if index >= length:
            raise Fault(at, f"expected an index below {length}, found {index}")
        sizes[index] = value
    return sizes
