"""List what upstream's definitions state and this package lacks.

usage: upstream.py CHECKOUT

CHECKOUT is a clone of openxla/stablehlo. Of its folder stablehlo/dialect, the gate reads the ops of StableHLO
and CHLO, the forms of ops, types, attributes and enumerations of VHLO, and the tables of versions. A line is
printed for each one that is missing or different here; the exit status is 1 if there are some.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from tablegen import Record, Table, Tokens, entries, text_of

from stablehlo_py.artifacts.dialects import vhlo
from stablehlo_py.artifacts.dialects.rows import Row
from stablehlo_py.artifacts.encode import BYTECODE_VERSIONS
from stablehlo_py.artifacts.vhlo.forms import forms_of
from stablehlo_py.ir.version import CURRENT, MINIMUM, NAMED, Version
from stablehlo_py.opset.definition import OpDef, all_definitions
from stablehlo_py.opset.structures import ENUMS

Facts = dict[str, str]  # what there is, and what is stated of it
_FOLDER = Path("stablehlo/dialect")
_DIALECTS = {  # the files of a dialect, and its class of ops
    "stablehlo": (
        "Base.td StablehloTypes.td StablehloEnums.td StablehloAttrs.td StablehloOps.td",
        "StableHLO_Op",
    ),
    "chlo": ("Base.td ChloEnums.td ChloOps.td", "CHLO_Op"),
}
_VHLO = "VhloEnums.td VhloAttrs.td VhloTypes.td VhloOps.td"
_NUMBERS = r"Version\((\d+), (\d+), (\d+)\)"


def stated_upstream(folder: Path) -> Facts:
    """Return what the files of a checkout state."""

    def table(names: str) -> Table:
        return Table([(folder / _FOLDER / name).read_text(encoding="utf-8") for name in names.split()])

    found = dict(_versions(folder / _FOLDER))
    for dialect, (files, base) in _DIALECTS.items():
        found |= dict(_ops(table(files), dialect, base))
    return found | dict(_portable(table(_VHLO)))


def stated_here() -> Facts:
    """Return what the definitions, the rows and the tables of this package state."""
    found = {"the current version": str(CURRENT), "the minimum version": str(MINIMUM)}
    found |= {f"the version {name}": str(NAMED[name]) for name in ("WEEK_4", "WEEK_12")}
    found |= {f"the bytecode since {since}": str(number) for since, number in BYTECODE_VERSIONS}
    for definition in all_definitions():
        if definition.name.partition(".")[0] in _DIALECTS:
            found[f"op {definition.name}"] = _interface(definition)
        found |= {
            f"op {form.name}": _since(str(form.since), form.attributes) for form in forms_of(definition.name)
        }
    for kind, rows in (("type", vhlo.TYPES), ("attribute", vhlo.ATTRIBUTES)):
        found |= {f"{kind} vhlo.{row.mnemonic}": _since(row.since, _values(row)) for row in rows}
    return found


def lacking(upstream: Mapping[str, str], here: Mapping[str, str]) -> list[str]:
    """Return a line for each fact of upstream that is missing or different here."""
    return [
        f"{what}: {stated}; here {here.get(what, 'it is missing')}"
        for what, stated in upstream.items()
        if here.get(what) != stated
    ]


def _versions(folder: Path) -> Iterator[tuple[str, str]]:
    header, source = ((folder / name).read_text(encoding="utf-8") for name in ("Version.h", "Version.cpp"))
    for name, text, pattern in (
        ("the current version", header, rf"getCurrentVersion\(\) {{ return {_NUMBERS}"),
        ("the minimum version", header, rf"getMinimumVersion\(\) {{ return {_NUMBERS}"),
        ("the version WEEK_4", source, rf"::WEEK_4:\s*return {_NUMBERS}"),
        ("the version WEEK_12", source, rf"::WEEK_12:\s*return {_NUMBERS}"),
    ):
        match = re.search(pattern, text)
        if match is None:
            raise SystemExit(f"{folder}: expected {name} as {pattern}")
        yield name, str(Version(*map(int, match.groups())))
    since = MINIMUM
    for *numbers, bytecode in re.findall(rf"< {_NUMBERS}\) return (\d+)", source):
        yield f"the bytecode since {since}", bytecode
        since = Version(*map(int, numbers))
    if newest := re.search(r"<= getCurrentVersion\(\)\) return (\d+)", source):
        yield f"the bytecode since {since}", newest[1]


def news(folder: Path) -> list[str]:
    """Return the entries of upstream's log of versions that are newer than this package."""
    text = (folder / _FOLDER / "VhloDialect.td").read_text(encoding="utf-8")
    entries = re.findall(r"^ *(\d+)\.(\d+)\.(\d+): (.*)$", text, re.MULTILINE)
    versions = [(Version(*map(int, numbers)), sentence) for *numbers, sentence in entries]
    return [f"{version}: {sentence}" for version, sentence in versions if version > CURRENT]


def _ops(table: Table, dialect: str, base: str) -> Iterator[tuple[str, str]]:
    """Yield the ops of a dialect with their interfaces."""
    for record in table.definitions:
        passed = table.arguments(record, base)
        if passed is not None:
            inputs = entries(table.value(record, "arguments"))
            operands = [
                "*" if "Variadic" in type else "1" for type, _ in inputs if not _is_attribute(table, type)
            ]
            attributes = [name for type, name in inputs if _is_attribute(table, type)]
            bodies = len(entries(table.value(record, "regions")))
            yield f"op {dialect}.{text_of(passed[0])}", _described(operands, attributes, bodies)


def _is_attribute(table: Table, type: Tokens) -> bool:
    """Test whether a type in a list of arguments is one of attributes, by its name or its class."""
    records = [table.records[token] for token in type if token in table.records]
    ancestors = [name for record in records for name, _ in table.ancestors(record)]
    return any("Attr" in name for name in (*type, *ancestors))


def _interface(definition: OpDef) -> str:
    operands = ["*" if each.variadic else "1" for each in definition.operands]
    names = [name for name in definition.property_kinds if not name.endswith("SegmentSizes")]
    return _described(operands, names, len(definition.bodies))


def _described(operands: Iterable[str], attributes: Iterable[str], bodies: int) -> str:
    return f"operands ({' '.join(operands)}), attributes ({', '.join(sorted(attributes))}), {bodies} regions"


def _portable(table: Table) -> Iterator[tuple[str, str]]:
    """Yield VHLO's ops, types and attributes."""
    for record in table.definitions:
        if passed := table.arguments(record, "VHLO_Op"):
            inputs = entries(table.value(record, "arguments"))
            names = sorted([name for type, name in inputs if "VHLO_AnyAttr" in type])
            yield f"op vhlo.{text_of(passed[0])}", _since(text_of(passed[1]), names)
        elif passed := table.arguments(record, "VHLO_TypeDef"):
            yield f"type vhlo.{text_of(passed[1])}", _since(text_of(passed[2]), ())
        elif passed := table.arguments(record, "VHLO_AttrDef"):
            yield f"attribute vhlo.{text_of(table.value(record, 'mnemonic'))}", _since(text_of(passed[1]), ())
        elif passed := table.arguments(record, "VHLO_EnumAttr"):
            values = _enumerators(table, table.records[passed[0][0]])
            yield f"attribute vhlo.{text_of(passed[1])}", _since(text_of(passed[2]), values)


def _enumerators(table: Table, enumeration: Record) -> list[str]:
    """Return the names of the values of an enumeration."""
    passed = table.arguments(enumeration, "VHLO_I32EnumAttr") or ()
    cases = [table.records[token] for token in passed[-1] if token in table.records]
    return [text_of(case.parents[0][1][0]) for case in cases]


def _values(row: Row) -> tuple[str, ...]:
    enumeration = ENUMS.get(row.key) if isinstance(row.key, str) else None
    return () if enumeration is None else enumeration.values


def _since(version: str, names: Iterable[str]) -> str:
    listed = ", ".join(names)
    return f"since {version}, {listed}" if listed else f"since {version}"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("checkout", type=Path, help="a clone of openxla/stablehlo")
    checkout = parser.parse_args().checkout
    if not (checkout / _FOLDER).is_dir():
        parser.error(f"{checkout}: expected a clone of openxla/stablehlo, with a folder {_FOLDER}")
    lines = news(checkout) + lacking(stated_upstream(checkout), stated_here())
    print("\n".join(lines) or f"nothing is missing: StableHLO {CURRENT}")
    return bool(lines)


if __name__ == "__main__":
    sys.exit(main())
