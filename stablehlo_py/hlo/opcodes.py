"""Opcodes: one row each, which the parser, the printer, the verifier and the conversion read.

The rows are in `opcodes.csv`. `operands` is a number, `*` for any, or `2+` for at least two. An attribute
is written `name:kind`; `!` after the name marks one that is required, `+` one that is always printed.
`omitted` says whether a text may omit the shape of the result. `inputs` are the inputs of the op that are
attributes, as `input=attribute` if the names differ: `[0]` takes the only number, `?` marks an attribute that
has a default, and `*name` is a row of `attribute_rows` for others.
"""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from typing import NamedTuple

from stablehlo_py.ir.records import dataclass


class Attribute(NamedTuple):
    """An attribute of an opcode: its name, its kind, and whether it is required or always printed."""

    name: str
    kind: str
    is_required: bool = False
    is_always: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Opcode:
    """A row.

    Attributes:
        name: The opcode.
        operands: The number of operands; None for any.
        least: The smallest number of operands that has a meaning. XLA's parser reads some texts with fewer.
        attributes: Its own attributes by name, in the order of the printer.
        result: The name of the rule that infers the shape of the result; "" for none.
        may_omit: Whether a text may omit the shape.
        op: The op of StableHLO or CHLO that it is converted to; "" if there is no equal one.
        inputs: The inputs of the op that are attributes.
        differences: How it differs from the op.
        accepted: Its own attributes and those of every opcode, by name.
        required: The names of the required ones.
        always: Those that are always printed.
    """

    name: str
    operands: int | None
    least: int
    attributes: dict[str, Attribute]
    result: str
    may_omit: bool
    op: str
    inputs: str
    differences: str
    accepted: dict[str, Attribute]
    required: tuple[str, ...]
    always: tuple[tuple[str, Attribute], ...]


COMMON = {  # attributes of every opcode, in the order of the printer
    name: Attribute(name, kind)
    for name, kind in {
        "parameter_replication": "bools",
        "sharding": "sharding",
        "frontend_attributes": "frontend",
        "control-predecessors": "instructions",
        "statistics": "statistics",
        "origin": "origin",
        "metadata": "metadata",
        "backend_config": "backend_config",
    }.items()
}
ASYNC_SUFFIXES = ("start", "update", "done")


def _attribute(text: str) -> Attribute:
    name, _, kind = text.partition(":")
    return Attribute(name.rstrip("!+"), kind, name.endswith("!"), name.endswith("+"))


@cache
def opcodes() -> dict[str, Opcode]:
    """Return the rows by opcode."""
    with Path(__file__).with_name("opcodes.csv").open(encoding="utf-8", newline="") as file:
        return {row["opcode"]: _row(row) for row in csv.DictReader(file)}


def _row(row: dict[str, str]) -> Opcode:
    own = {found.name: found for found in map(_attribute, row["attributes"].split())}
    count = row["operands"]
    return Opcode(
        row["opcode"],
        int(count) if count.isdigit() else None,
        int(count.rstrip("+*") or 0),
        own,
        row["result"],
        row["omitted"] == "yes",
        row["op"],
        row["inputs"],
        row["differences"],
        own | COMMON,
        tuple([name for name, found in own.items() if found.is_required]),
        tuple([(name, found) for name, found in own.items() if found.is_always]),
    )


def wrapped_opcode(name: str) -> tuple[str, str] | None:
    """Split the opcode of an asynchronous form such as `custom-call-start`; None if it is none."""
    opcode, _, suffix = name.rpartition("-")
    if suffix not in ASYNC_SUFFIXES or opcode not in opcodes() or opcode in _NO_ASYNC:
        return None
    return opcode, suffix


_NO_ASYNC = ("all-gather", "all-reduce", "collective-permute", "copy", "send", "recv")
