"""The forms of VHLO's ops: an op of StableHLO has one for each change of its interface.

The newest form follows from the op's definition; a row of `CHANGES` says what a form had not yet, or had besides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from stablehlo_py.artifacts.vhlo.versions import Version, version
from stablehlo_py.opset.definition import OpDef, all_definitions, lookup
from stablehlo_py.opset.kinds import STRUCTS


@dataclass(frozen=True, slots=True)
class Form:
    """A form of an op: `vhlo.add_v1`. `attributes` are the names of what it stores, sorted."""

    name: str
    op: str  # of StableHLO or func
    since: Version
    attributes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """What a version changed in an op: attributes that it added and removed, or its operands or regions."""

    version: str
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


FIRST = "0.9.0"
_INTRODUCED: Mapping[str, str] = {
    "stablehlo.collective_broadcast": "0.16.0",
    "stablehlo.composite": "0.19.0",
    "stablehlo.tan": "1.4.0",
    "stablehlo.async_start": "1.15.0",
    "stablehlo.async_done": "1.15.0",
    "stablehlo.collective_reduce": "1.19.0",
}
_ALGORITHM = tuple([field.name for field in STRUCTS["stablehlo.dot_algorithm"].fields])
_GATHER_BATCHING = Change("1.1.0", ("operand_batching_dims", "start_indices_batching_dims"))
_VARIADIC = Change("1.5.0")
_ACCURACY = Change("1.10.0", ("result_accuracy",))
_CHANGES: Mapping[str, tuple[Change, ...]] = {
    "stablehlo.dynamic_conv": (Change("0.20.0", removed=("padding",)),),
    "stablehlo.gather": (_GATHER_BATCHING,),
    "stablehlo.dynamic_gather": (_GATHER_BATCHING,),
    "stablehlo.scatter": (Change("1.1.0", ("input_batching_dims", "scatter_indices_batching_dims")),),
    "stablehlo.all_gather": (_VARIADIC,),
    "stablehlo.all_reduce": (_VARIADIC,),
    "stablehlo.all_to_all": (_VARIADIC,),
    "stablehlo.dot_general": (Change("1.6.0", _ALGORITHM),),
    "stablehlo.exponential": (Change("1.9.0", ("result_accuracy",)),),
    **dict.fromkeys(
        (
            "stablehlo.cbrt",
            "stablehlo.cosine",
            "stablehlo.exponential_minus_one",
            "stablehlo.log",
            "stablehlo.log_plus_one",
            "stablehlo.logistic",
            "stablehlo.rsqrt",
            "stablehlo.sine",
            "stablehlo.sqrt",
            "stablehlo.tan",
            "stablehlo.tanh",
        ),
        (_ACCURACY,),
    ),
    "stablehlo.send": (Change("1.12.0", ("source_target_pairs",)),),
    "stablehlo.recv": (Change("1.12.0", ("source_target_pairs",)),),
    "stablehlo.composite": (Change("1.14.0"),),
    "stablehlo.custom_call": (Change("1.18.0", ("result_tilings",)),),
    "stablehlo.collective_broadcast": (Change("1.20.0", ("has_dynamic_root",)),),
    "chlo.top_k": (Change("1.18.0", ("is_stable",)),),  # not versioned: what releases have written
}

# Structures whose fields are attributes of their own, under the fields' names but for these.
FLATTENED = (
    "stablehlo.channel_handle",
    "stablehlo.conv",
    "stablehlo.dot",
    "stablehlo.dot_algorithm",
    "stablehlo.gather",
    "stablehlo.scatter",
)
_RENAMED = {("stablehlo.channel_handle", "handle"): "channel_id", ("stablehlo.channel_handle", "type"): "channel_type"}
# Attributes for which the newest form has no place.
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


def flattened(definition: OpDef, name: str) -> tuple[str, Mapping[str, str]] | None:
    """The structure of a property whose fields are attributes of their own, with the attribute of each field."""
    word, _, struct = definition.property_kinds[name].partition(" ")
    if word != "struct" or struct not in FLATTENED:
        return None
    names = {field.name: _RENAMED.get((struct, field.name), field.name) for field in STRUCTS[struct].fields}
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
    """The forms of an op, the oldest first; () for an op that VHLO does not have."""
    definition, mnemonic = lookup(op), _NAMES.get(op) or op.partition(".")[2]
    if definition is None or not (op in _NAMES or op.startswith("stablehlo.")):
        return ()
    names = _newest_attributes(definition)
    changes = _CHANGES.get(op, ())
    found: list[Form] = []
    for number in range(len(changes), 0, -1):
        change = changes[number - 1]
        form = Form(f"vhlo.{mnemonic}_v{number + 1}", op, version(change.version), tuple(sorted(names)))
        found.append(form)
        names = names.difference(change.added).union(change.removed)
    first = version(_INTRODUCED.get(op, FIRST))
    return (Form(f"vhlo.{mnemonic}_v1", op, first, tuple(sorted(names))), *reversed(found))


def added_properties(definition: OpDef) -> list[frozenset[str]]:
    """The properties of an op that its releases have added, the newest first."""
    added = [set(change.added) for change in reversed(_CHANGES.get(definition.name, ()))]
    return [
        frozenset(name for name in definition.property_kinds if _attributes_of(definition, name) <= names)
        for names in added
        if names
    ]


def _attributes_of(definition: OpDef, name: str) -> set[str]:
    flat = flattened(definition, name)
    return {name} if flat is None else set(flat[1].values())


@cache
def form(name: str) -> Form | None:
    """The form of a name such as `vhlo.add_v1`."""
    return _all_forms().get(name)


@cache
def _all_forms() -> Mapping[str, Form]:
    ops = [definition.name for definition in all_definitions()]
    # stablehlo.return and func.return share a form: the op around it says which one is meant.
    return {form.name: form for op in ops if op != "stablehlo.return" for form in forms_of(op)}
