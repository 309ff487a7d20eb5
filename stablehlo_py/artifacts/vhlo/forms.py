"""The forms of VHLO's ops: an op of StableHLO has one for each change of its interface.

The newest form is derived from the op's definition, older ones from its revisions.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from stablehlo_py.ir.records import dataclass
from stablehlo_py.ir.version import CURRENT, Version, version_of
from stablehlo_py.opset.definition import OpDef, all_definitions, lookup
from stablehlo_py.opset.structures import StructDef


@dataclass(frozen=True, slots=True)
class Form:
    """A form of an op, such as `vhlo.add_v1`. `attributes` are the names that it stores, sorted."""

    name: str
    op: str  # in StableHLO or func
    since: Version
    attributes: tuple[str, ...]


# Structures whose fields are separate attributes, under the fields' names except for these.
FLATTENED = (
    "stablehlo.channel_handle",
    "stablehlo.conv",
    "stablehlo.dot",
    "stablehlo.dot_algorithm",
    "stablehlo.gather",
    "stablehlo.scatter",
)
_RENAMED = {
    ("stablehlo.channel_handle", "handle"): "channel_id",
    ("stablehlo.channel_handle", "type"): "channel_type",
}
# Attributes that the newest form does not have.
_LEFT_OUT = {
    "func.func": ("no_inline",),
    "func.call": ("no_inline", "arg_attrs", "res_attrs"),
    **{
        f"stablehlo.{mnemonic}": ("channel_type",)
        for mnemonic in (
            "all_gather",
            "all_reduce",
            "all_to_all",
            "collective_broadcast",
            "collective_permute",
            "collective_reduce",
            "reduce_scatter",
        )
    },
}
_NAMES = {"func.func": "func", "func.call": "call", "func.return": "return"}


def flattened(definition: OpDef, name: str) -> tuple[StructDef, Mapping[str, str]] | None:
    """Return the structure of a property whose fields are separate attributes, and the names of these."""
    struct = definition.property_kinds[name].struct
    if struct is None or struct.name not in FLATTENED:
        return None
    names = {field.name: _RENAMED.get((struct.name, field.name), field.name) for field in struct.fields}
    left_out = _LEFT_OUT.get(definition.name, ())
    return struct, {field: attribute for field, attribute in names.items() if attribute not in left_out}


def _newest_attributes(definition: OpDef) -> set[str]:
    names: set[str] = set()
    for name in definition.property_kinds:
        flat = flattened(definition, name)
        names.update((name,) if flat is None else flat[1].values())
    return names.difference(_LEFT_OUT.get(definition.name, ()))


@cache
def forms_of(op: str) -> tuple[Form, ...]:
    """Return the forms of an op, the oldest first; () for an op that VHLO does not have."""
    definition, mnemonic = lookup(op), _NAMES.get(op) or op.partition(".")[2]
    if definition is None or not definition.since or not (op in _NAMES or op.startswith("stablehlo.")):
        return ()
    names = _newest_attributes(definition)
    found: list[Form] = []
    for number in range(max([1, *(revision.form for revision in definition.revisions)]), 0, -1):
        changes = [revision for revision in definition.revisions if revision.form == number]
        since = version_of(changes[0].since if changes else definition.since)
        found.append(Form(f"vhlo.{mnemonic}_v{number}", op, since, tuple(sorted(names))))
        for change in changes:
            names = names.difference(change.adds).union(change.drops)
    return tuple(reversed(found))


def added_properties(definition: OpDef) -> list[frozenset[str]]:
    """Return the properties of an op that each release has added, the newest first."""
    added = [set(revision.adds) for revision in reversed(definition.revisions) if revision.adds]
    kinds = definition.property_kinds
    return [frozenset(name for name in kinds if _attributes_of(definition, name) <= names) for names in added]


def _attributes_of(definition: OpDef, name: str) -> set[str]:
    flat = flattened(definition, name)
    return {name} if flat is None else set(flat[1].values())


@cache
def form(name: str) -> Form | None:
    """Return the form of a name such as `vhlo.add_v1`, or None."""
    return _all_forms().get(name)


@cache
def _all_forms() -> Mapping[str, Form]:
    ops = [definition.name for definition in all_definitions()]
    # stablehlo.return and func.return share a form; the enclosing op distinguishes them.
    return {form.name: form for op in ops if op != "stablehlo.return" for form in forms_of(op)}


def unknown_op(name: str) -> str:
    """Say that there is no op of a name: its types and attributes have no form that could be opaque."""
    return (
        f"there is no op {name} up to StableHLO {CURRENT}: the program may be newer than this release, "
        "and allow_newer (--allow-newer) does not apply to VHLO"
    )
