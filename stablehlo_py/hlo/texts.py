"""Strings, and the attributes that hold them: metadata, frontend attributes, configurations."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from stablehlo_py.hlo.lexer import Cursor

_SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_SIMPLE |= {char: char for char in "\\'\"?"}
_ESCAPE = re.compile(
    rb"\\(?:([0-7]{1,3})|[xX]([0-9a-fA-F]+)|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL
)
_SPECIAL = re.compile(rb"[\x00-\x1f\x7f-\xff\"'\\]")
_METADATA = re.compile(r', metadata=\{(?:[^{}"]|"(?:[^"\\]|\\.)*")*\}')
_WRITTEN = {9: "\\t", 10: "\\n", 13: "\\r", 34: '\\"', 39: "\\'", 92: "\\\\"}


def read_string(cursor: Cursor) -> str:
    """Read a string in quotes, with C's escapes."""
    start = cursor.at
    text = cursor.match("STRING")
    if text is None:
        cursor.fail("a string" if cursor.text[start : start + 1] not in ('"', "'") else "the closing quote")
    return text[1:-1] if "\\" not in text else _unescaped(cursor, start, text)


def _unescaped(cursor: Cursor, start: int, text: str) -> str:
    def character(match: re.Match[bytes]) -> bytes:
        octal, hexadecimal, short, long, simple = match.groups()
        if simple is not None:
            found = _SIMPLE.get(simple.decode("latin-1"))
            return found.encode() if found is not None else fail(match)
        code = int(octal, 8) if octal else int(hexadecimal or short or long, 16)
        if short or long:
            return chr(code).encode("utf-8", "surrogatepass") if code < 0x110000 else fail(match)
        return bytes([code]) if code < 256 else fail(match)

    def fail(match: re.Match[bytes]) -> bytes:
        escape = match[0].decode("latin-1")
        return cursor.fail(f"an escape of C instead of {escape}", at=start)

    data = text[1:-1].encode("utf-8", "surrogateescape")
    return _ESCAPE.sub(character, data).decode("utf-8", "surrogateescape")


def escaped(text: str) -> str:
    """Return a text with C's escapes, and others than ASCII in octal."""
    data = text.encode("utf-8", "surrogateescape")
    if _SPECIAL.search(data) is None:
        return text
    return _SPECIAL.sub(lambda m: _written(m[0][0]).encode(), data).decode("ascii")


def _written(code: int) -> str:
    return _WRITTEN.get(code) or f"\\{code:03o}"


def quoted(text: str) -> str:
    """Return a text in quotes."""
    return f'"{escaped(text)}"'


# ------------------------------------------------------------------------------- JSON dictionaries

_JSON = re.compile(r'[^{}"]++|"(?:[^"\\]++|\\.)*+"|([{}])', re.DOTALL)


def json_end(text: str, start: int) -> int | None:
    """Return the offset after the dictionary that starts at a brace; None if it does not end."""
    depth, at = 0, start
    while (found := _JSON.match(text, at)) is not None:
        at = found.end()
        if found[1]:
            depth += 1 if found[1] == "{" else -1
            if not depth:
                return at
    return None


def _read_text(cursor: Cursor) -> str:
    """Read a string, or a dictionary in braces as raw text."""
    if not cursor.is_next("{"):
        return read_string(cursor)
    end = json_end(cursor.text, cursor.at)
    if end is None:
        cursor.fail("a dictionary with balanced braces")
    text = cursor.text[cursor.at : end]
    cursor.skip(end)
    return text


def config_text(text: str) -> str:
    """Return the text of a configuration: raw if it is a dictionary, else in quotes."""
    is_raw = text[:1] == "{" and json_end(text, 0) == len(text)
    return text if is_raw else quoted(text)


_NO_QUEUES = '"wait_on_operation_queues":[],'


def read_config(cursor: Cursor) -> str:
    """Read a configuration: a string, or a dictionary as raw text, without a field of GPUs that XLA drops."""
    return _read_text(cursor).replace(_NO_QUEUES, "")


Pairs = tuple[tuple[str, str], ...]


def read_frontend(cursor: Cursor) -> Pairs:
    """Read frontend attributes, as sorted pairs."""

    def pair() -> tuple[str, str]:
        key = cursor.want("KEY", "a name followed by '='")
        return key[:-1], _read_text(cursor)

    found: dict[str, str] = {}
    for key, value in cursor.items(pair):
        found.setdefault(key, value)
    return tuple(sorted(found.items()))


def frontend_text(pairs: Pairs) -> str:
    """Return the text of frontend attributes."""
    return f"{{{','.join(f'{key}={config_text(value)}' for key, value in pairs)}}}"


# ------------------------------------------------------------------------------- metadata

_FIELDS = {  # in the order of the text
    "op_type": "s", "op_name": "s", "source_file": "s", "source_line": "i", "source_end_line": "i",
    "source_column": "i", "source_end_column": "i", "profile_type": "l", "deduplicated_name": "s",
    "scheduling_name": "s", "stack_frame_id": "i", "metadata_payload": "s", "preserve_layout": "b",
    "size_of_generated_code_in_bytes": "i", "size_of_memory_working_set_in_bytes": "i",
}  # fmt: skip
_EMPTY = ("", 0, (), False)
_FIELD = re.compile(r'(\w+)=(?:"([^"\\\n]*)"|(\d{1,9})(?=[\s,}]))(?: |(?=}))')  # as it is printed


def read_metadata(cursor: Cursor) -> dict[str, Any]:
    """Read the metadata of an instruction, without empty fields."""
    found: dict[str, Any] = {}
    cursor.expect("{")
    text = cursor.text
    while (plain := _FIELD.match(text, cursor.at)) is not None:
        name, string, number = plain.groups()
        if name not in _FIELDS or name in found or _FIELDS[name] != ("i" if string is None else "s"):
            break
        found[name] = int(number) if string is None else string
        cursor.at = plain.end()
    cursor.skip()
    read = partial(_metadata_value, cursor)
    cursor.fields(tuple(_FIELDS), "a field of metadata", read, found=found)
    return {name: value for name, value in found.items() if value not in _EMPTY}


def _metadata_value(cursor: Cursor, name: str) -> Any:
    kind = _FIELDS[name]
    if kind == "s":
        return read_string(cursor)
    if kind == "l":
        return cursor.integers()
    return cursor.int32() if kind == "i" else cursor.boolean()


def metadata_text(fields: dict[str, Any]) -> str:
    """Return the text of metadata."""
    parts = []
    for name, kind in _FIELDS.items():
        if (value := fields.get(name)) is not None:
            parts.append(f"{name}={_WRITTEN_KINDS[kind](value)}")
    return f"{{{' '.join(parts)}}}"


_WRITTEN_KINDS: dict[str, Callable[[Any], str]] = {
    "s": quoted,
    "i": str,
    "l": lambda values: f"{{{','.join(map(str, values))}}}",
    "b": lambda value: str(value).lower(),
}


# ------------------------------------------------------------------------------- origins, statistics


def read_origin(cursor: Cursor) -> str:
    """Read the value that an instruction had in the original program, as text."""
    cursor.expect("{")
    if cursor.take("["):
        if not cursor.take_word("synthetic_call"):
            cursor.fail("synthetic_call")
        cursor.expect("]")
        found = "[synthetic_call]"
    else:
        found = _origin_tree(cursor)
    cursor.expect("}")
    return f"{{{found}}}"


def _origin_tree(cursor: Cursor) -> str:
    if cursor.is_next("("):
        return f"({', '.join(cursor.items(lambda: _origin_tree(cursor), '(', ')'))})"
    return read_original_array(cursor)


def read_original_array(cursor: Cursor) -> str:
    """Read the array of an original value, such as `{"v" {0}}`, as text."""
    cursor.expect("{")
    if cursor.take("}"):
        return "{}"
    text = quoted(read_string(cursor))
    if cursor.is_next("{"):
        index = cursor.integers()
        text += " {" + ",".join(map(str, index)) + "}" if index else ""
    cursor.expect("}")
    return f"{{{text}}}"


def read_statistics(cursor: Cursor) -> str:
    """Read the statistics of an instruction, as text."""
    cursor.expect("{")
    if cursor.take("}"):
        return ""
    if not cursor.take_word("visualizing_index"):
        cursor.fail("visualizing_index=")
    cursor.expect("=")
    parts = [f"visualizing_index={cursor.integer()}"]
    while cursor.take(","):
        key = cursor.want("KEY", "a name followed by '='")
        number = cursor.match("DECIMAL") or cursor.match("INTEGER")
        if number is None:
            cursor.fail("a number")
        parts.append(f"{key}{float(number):.6g}")
    cursor.expect("}")
    return f"{{{','.join(parts)}}}"


def without_metadata(line: str) -> str:
    """Return the line of an instruction without its metadata."""
    return _METADATA.sub("", line).strip()
