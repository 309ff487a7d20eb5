"""Values of HLO as values of StableHLO: a value for an array or token, a tuple of these for a tuple."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from stablehlo_py.diagnostics.diagnostic import Frame
from stablehlo_py.hlo.module import HloModule, Instruction
from stablehlo_py.ir.attributes import BOUNDS, StructAttr
from stablehlo_py.ir.core import Value
from stablehlo_py.ir.locations import UNKNOWN, CallSiteLoc, FileLoc, Location, NameLoc
from stablehlo_py.ir.types import TOKEN, TensorType, Type
from stablehlo_py.layout.shape import Shape

Tree = Value | tuple["Tree", ...]


def leaves(tree: Tree) -> list[Value]:
    """Return the values of a tree, in order."""
    if isinstance(tree, Value):
        return [tree]
    return [value for part in tree for value in leaves(part)]


def tree_of(shape: Shape, values: Iterator[Value]) -> Tree:
    """Return the tree of a shape, made of the next values."""
    if shape.is_tuple:
        return tuple([tree_of(part, values) for part in shape.tuple_shapes])
    return next(values)


def types_of(shape: Shape) -> list[Type]:
    """Return the types of the values of a shape."""
    if shape.is_tuple:
        return [type for part in shape.tuple_shapes for type in types_of(part)]
    return [type_of(shape)]


def type_of(shape: Shape) -> Type:
    """Return the type of an array or token."""
    if shape.is_token:
        return TOKEN
    if not any(shape.dynamic):
        return TensorType(shape.dimensions, shape.element_type)
    pairs = list(zip(shape.dimensions, shape.dynamic, strict=True))
    sizes = tuple([None if varies else size for size, varies in pairs])
    bounds = tuple([size if varies else None for size, varies in pairs])
    encoding = StructAttr(BOUNDS, (("bounds", bounds),)) if any(b is not None for b in bounds) else None
    return TensorType(sizes, shape.element_type, encoding)


def location_of(module: HloModule, instruction: Instruction) -> Location:
    """Return the location of an instruction in the program, from its metadata."""
    data = instruction.metadata
    place: Location = UNKNOWN
    frames = stack_of(module, data.get("stack_frame_id", 0))
    if frames:
        places = [NameLoc(frame.function, _file(frame)) for frame in frames]
        place = places[-1]
        for callee in reversed(places[:-1]):
            place = CallSiteLoc(callee, place)
    elif "source_file" in data:
        place = FileLoc(data["source_file"], data.get("source_line", 0), data.get("source_column", 0))
    return NameLoc(data["op_name"], place) if "op_name" in data else place


def _file(frame: Frame) -> FileLoc:
    return FileLoc(frame.file, frame.line, frame.column)


def stack_of(module: HloModule, number: int) -> list[Frame]:
    """Return a stack frame of the tables and its callers; a frame states the number of its caller plus 1."""
    found: list[Frame] = []
    stack = module.frames.get("StackFrames", [])
    seen = set[int]()
    while 0 < number <= len(stack) and number not in seen:
        seen.add(number)
        row = stack[number - 1]
        place = _row(module.frames.get("FileLocations", []), row.get("file_location_id", 0)) or {}
        file = _row(module.frames.get("FileNames", []), place.get("file_name_id", 0))
        function = _row(module.frames.get("FunctionNames", []), place.get("function_name_id", 0))
        found.append(Frame(file or "-", place.get("line", 0), place.get("column", 0), function or ""))
        number = row.get("parent_frame_id", 0) - 1
    return found


def _row(rows: Sequence[Any], number: int) -> Any:
    return rows[number - 1] if 0 < number <= len(rows) else None
