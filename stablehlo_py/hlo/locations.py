"""Locations of instructions: the lines of the program in their metadata and in the tables of stack frames."""

from __future__ import annotations

from stablehlo_py.diagnostics.diagnostic import Frame
from stablehlo_py.diagnostics.origin import frames
from stablehlo_py.hlo.header import row_of
from stablehlo_py.hlo.module import HloModule, Instruction
from stablehlo_py.ir.locations import UNKNOWN, CallSiteLoc, FileLoc, Location, NameLoc


def location_of(module: HloModule, instruction: Instruction) -> Location:
    """Return the location of an instruction in the program, from its metadata."""
    data = instruction.metadata
    place: Location = UNKNOWN
    stack = _stack_of(module, data["stack_frame_id"]) if "stack_frame_id" in data else []
    if stack:
        places = [NameLoc(frame.function, _file(frame)) for frame in stack]
        place = places[-1]
        for callee in reversed(places[:-1]):
            place = CallSiteLoc(callee, place)
    elif "source_file" in data:
        place = FileLoc(data["source_file"], data.get("source_line", 0), data.get("source_column", 0))
    return NameLoc(data["op_name"], place) if "op_name" in data else place


def _file(frame: Frame) -> FileLoc:
    return FileLoc(frame.file, frame.line, frame.column)


def _stack_of(module: HloModule, number: int) -> list[Frame]:
    """Return a stack frame of the tables and its callers; a frame states the number of its caller plus 1."""
    found: list[Frame] = []
    stack = module.frames.get("StackFrames", [])
    seen = set[int]()
    while 0 < number <= len(stack) and number not in seen:
        seen.add(number)
        row = stack[number - 1]
        place = row_of(module.frames, "FileLocations", row.get("file_location_id", 0)) or {}
        file = row_of(module.frames, "FileNames", place.get("file_name_id", 0))
        function = row_of(module.frames, "FunctionNames", place.get("function_name_id", 0))
        found.append(Frame(file or "-", place.get("line", 0), place.get("column", 0), function or ""))
        number = row.get("parent_frame_id", 0) - 1
    return found


def source_of(module: HloModule, instruction: Instruction) -> str:
    """Return the line of the program that made an instruction, as `file.py:3`; "" if it is not known."""
    found = next(frames(location_of(module, instruction)), None)
    return f"{found.file}:{found.line}" if found is not None and found.line else ""
