"""The first line of a module: its attributes, and the tables of stack frames after it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from textwrap import indent
from typing import Any

from stablehlo_py.diagnostics.diagnostic import ParseError
from stablehlo_py.hlo import texts
from stablehlo_py.hlo.kind_forms import Kind, listing, sequence
from stablehlo_py.hlo.kinds import INT, index, kind_of
from stablehlo_py.hlo.lexer import Cursor
from stablehlo_py.hlo.shapes import indexed, read_shape, text_of
from stablehlo_py.layout.shape import Shape

_INDEX = index(",")
_ALIAS_KINDS = ("may-alias", "must-alias")


def _alias_kind(cursor: Cursor) -> str:
    return cursor.choice(_ALIAS_KINDS, "a kind of alias") if cursor.take(",") else _ALIAS_KINDS[0]


def _spaced(item: Kind) -> Kind:
    """Return the kind of a list in braces with blanks."""
    write = lambda values: f"{{ {', '.join(map(item.write, values))} }}"  # noqa: E731
    return listing(item)._replace(write=write, omitted=())


def _parameters(cursor: Cursor) -> tuple[Shape, ...]:
    return cursor.items(lambda: read_shape(cursor), "(", ")")


_PARAMETERS = Kind(_parameters, lambda shapes: f"({', '.join(indexed([*map(text_of, shapes)]))})")


def _recovery(cursor: Cursor) -> tuple[tuple[str, str, str], ...]:
    """Read how original values are recovered: pairs of arrays, and a module as text."""
    cursor.expect("{")
    found = []
    while not cursor.take("}"):
        old = texts.read_original_array(cursor)
        cursor.expect(":")
        new, module = texts.read_original_array(cursor), ""
        if cursor.take(","):
            at = cursor.at
            module = _printed(cursor, texts.read_string(cursor), at)
        found.append((old, new, module))
    return tuple(found)


def _printed(cursor: Cursor, text: str, at: int) -> str:
    """Return the text of a module in a string, as XLA prints it."""
    from stablehlo_py.hlo.parser import parse_hlo  # which reads this header

    try:
        return parse_hlo(text).to_string()
    except ParseError as error:
        cursor.fail_with(at, f"the module is invalid: {error.diagnostics[0].message}")


def _recovery_text(rows: tuple[tuple[str, str, str], ...]) -> str:
    """Return the text of a table; its modules are indented."""
    parts = []
    for old, new, module in rows:
        quoted = f'  "\n{indent(module, "    ")}\n  "\n' if module else ""
        parts.append(f"  {old} : {new}{',' * bool(module)}\n{quoted}")
    return f"{{\n{''.join(parts)}}}\n"


_JSON = Kind(texts.read_config, str)
HEADER = {  # in the order of the printer
    "is_scheduled": kind_of("flag"),
    "input_output_alias": _spaced(
        sequence(_INDEX, ": (", INT, ", ", _INDEX, Kind(_alias_kind, lambda kind: f", {kind}"), ")")
    ),
    "buffer_donor": _spaced(sequence("(", INT, ", ", _INDEX, ")")),
    "alias_passthrough_params": kind_of("flag"),
    "entry_computation_layout": sequence("{", _PARAMETERS, "->", Kind(read_shape, text_of), "}"),
    "allow_spmd_sharding_propagation_to_parameters": kind_of("bools")._replace(omitted=(False,)),
    "allow_spmd_sharding_propagation_to_output": kind_of("bools")._replace(omitted=(False,)),
    "replica_count": kind_of("count"),
    "num_partitions": kind_of("count"),
    "frontend_attributes": kind_of("frontend"),
    "origin_recovery_table": Kind(_recovery, _recovery_text, ()),
    "debug_attributes": _JSON,
}

# ------------------------------------------------------------------------------- stack frames

_TABLES = {
    "FileNames": (),
    "FunctionNames": (),
    "FileLocations": ("file_name_id", "function_name_id", "line", "end_line", "column", "end_column"),
    "StackFrames": ("file_location_id", "parent_frame_id"),
}


def read_frames(cursor: Cursor) -> dict[str, list[Any]]:
    """Read the tables of stack frames: all of them, or none."""
    found: dict[str, list[Any]] = {}
    for name, fields in _TABLES.items():
        if not cursor.take_word(name):
            if not found:
                break
            cursor.fail(f"the table {name}")
        rows = found[name] = []
        while re.match(r"[-\d]", cursor.text[cursor.at : cursor.at + 1]):
            cursor.integer()
            row = cursor.fields(fields, "a field", lambda _: cursor.int32()) if fields else None
            rows.append(texts.read_string(cursor) if row is None else row)
    return found


def frames_text(frames: dict[str, list[Any]]) -> str:
    """Return the text of the tables."""
    lines = []
    for name, fields in _TABLES.items():
        if name not in frames:
            continue
        lines += ["", name]
        for number, row in enumerate(frames[name], 1):
            written = [f"{field}={row[field]}" for field in fields if field in row]
            lines.append(f"{number} " + (f"{{{' '.join(written)}}}" if fields else texts.quoted(row)))
    return "".join(f"{line}\n" for line in lines) + "\n" * bool(lines)


def used_frames(frames: dict[str, list[Any]], used: set[int]) -> tuple[dict[str, list[Any]], dict[int, int]]:
    """Return the tables without what no instruction uses, and the new numbers of frames.

    A frame states the number of its caller plus 1.

    Args:
        frames: The tables.
        used: The numbers of the frames that instructions have.
    """
    stack = frames.get("StackFrames", [])
    kept: set[int] = set()
    for number in used:
        chain = set[int]()
        while number not in chain and _is_valid(frames, number):
            chain.add(number)
            number = stack[number - 1].get("parent_frame_id", 0) - 1
        kept |= chain if number == 0 else set()
    places = _renumbered(stack[n - 1]["file_location_id"] for n in kept)
    rows = [frames["FileLocations"][n - 1] for n in places]
    files, functions = (
        _renumbered(row[name] for row in rows) for name in ("file_name_id", "function_name_id")
    )
    numbers = _renumbered(kept)
    new_stack = [
        {
            "file_location_id": places[stack[n - 1]["file_location_id"]],
            "parent_frame_id": numbers.get(stack[n - 1]["parent_frame_id"] - 1, 0) + 1,
        }
        for n in numbers
    ]
    new_rows = [
        row
        | {"file_name_id": files[row["file_name_id"]], "function_name_id": functions[row["function_name_id"]]}
        for row in rows
    ]
    tables: dict[str, list[Any]] = {
        "FileNames": [frames["FileNames"][n - 1] for n in files],
        "FunctionNames": [frames["FunctionNames"][n - 1] for n in functions],
        "FileLocations": new_rows,
        "StackFrames": new_stack,
    }
    return (tables if kept else {}), numbers


def _is_valid(frames: dict[str, list[Any]], number: int) -> bool:
    """Test whether there is a frame, and what it refers to."""
    frame = row_of(frames, "StackFrames", number) or {}
    place = row_of(frames, "FileLocations", frame.get("file_location_id", 0)) or {}
    names = (("FileNames", "file_name_id"), ("FunctionNames", "function_name_id"))
    return all(row_of(frames, table, place.get(field, 0)) is not None for table, field in names)


def row_of(frames: dict[str, list[Any]], table: str, number: int) -> Any:
    """Return a row of a table, which count from 1; None if there is none."""
    rows = frames.get(table, [])
    return rows[number - 1] if 0 < number <= len(rows) else None


def _renumbered(numbers: Iterable[int]) -> dict[int, int]:
    return {number: new for new, number in enumerate(sorted(set(numbers)), 1)}
