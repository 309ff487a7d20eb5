"""Aliases that MLIR's printer assigns to attributes and types: `#map`, `#set`, `#distinct`, `!tuple`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import Any

from stablehlo_py.ir.attributes import ArrayAttr, Attribute, DictAttr, OpaqueAttr, TypeAttr
from stablehlo_py.ir.core import Module
from stablehlo_py.ir.records import dataclass
from stablehlo_py.ir.types import FunctionType, MemRefType, TupleType, Type
from stablehlo_py.syntax.write.fragments import join
from stablehlo_py.syntax.write.types import EXPANSIONS

LARGEST_TUPLE = 16  # types; MLIR prints larger tuples as aliases
_ALIASED = {"affine_map<": "map", "affine_set<": "set", "distinct[": "distinct"}
_DISTINCT = re.compile(r"distinct\[\d+\]")


@dataclass(frozen=True, slots=True)
class Aliases:
    """Aliases of attributes and types.

    Attributes:
        names: The text of each attribute or type that has an alias.
        definitions: The lines that define the aliases.
    """

    names: Mapping[Any, str] = field(default_factory=dict)
    definitions: str = ""


def aliases_of(module: Module) -> Aliases:
    """Return the aliases of a module's attributes and types, in the order of their definitions."""
    types = dict.fromkeys(inner for type in dict.fromkeys(_types(module)) for inner in _within(type))
    attributes = dict.fromkeys(inner for root in _attributes(module, types) for inner in _inside(root))
    names, lines = _attribute_aliases(attributes)
    tuples = _tuple_aliases(types)
    names |= tuples
    lines += [
        f"{name} = {join(*EXPANSIONS[TupleType](type), aliases=names)}" for type, name in tuples.items()
    ]
    return Aliases(names, "".join(f"{line}\n" for line in lines))


def _attribute_aliases(attributes: Iterable[OpaqueAttr]) -> tuple[dict[Any, str], list[str]]:
    """Return the aliases of attributes, in the order of their names, and their definitions.

    A distinct attribute without a value has no alias. Distinct attributes are numbered in the order of the
    text, those with an alias first.
    """
    texts = {attribute: attribute.text for attribute in attributes}
    numbers: dict[str, str] = {}
    for attribute in sorted(texts, key=lambda attribute: attribute.text.endswith("]<>")):
        texts[attribute] = _DISTINCT.sub(
            lambda match: numbers.setdefault(match[0], f"distinct[{len(numbers)}]"), attribute.text
        )
    names: dict[Any, str] = {}
    lines: list[str] = []
    for opening, word in sorted(_ALIASED.items(), key=lambda item: item[1]):
        group = [a for a, text in texts.items() if text.startswith(opening) and not text.endswith("]<>")]
        names |= {attribute: f"#{word}{number or ''}" for number, attribute in enumerate(group)}
        lines += [f"{names[attribute]} = {texts[attribute]}" for attribute in group]
    return texts | names, lines


def _attributes(module: Module, types: Iterable[Type]) -> Iterator[Attribute]:
    """Yield the attributes in the text of a module's ops and buffer types, in order."""
    for op in module.walk():
        for attributes in (op.properties, op.attributes):
            if attributes:
                yield from [attributes[name] for name in sorted(attributes)]
    for type in types:
        if isinstance(type, MemRefType):
            yield from type.rest


def _inside(root: Attribute) -> Iterator[OpaqueAttr]:
    """Yield the attributes inside an attribute that may have an alias, from left to right."""
    pending = [root]
    while pending:
        attribute = pending.pop()
        match attribute:
            case OpaqueAttr(text) if text[:9].startswith("distinct[") or text[:11] in _ALIASED:
                yield attribute
            case ArrayAttr(items):
                pending.extend(reversed(items))
            case DictAttr(items):
                pending.extend(reversed([value for _, value in items]))


def _tuple_aliases(types: Iterable[Type]) -> dict[Any, str]:
    """Return the aliases `!tuple`, `!tuple1` of large tuples, innermost first."""
    found = dict.fromkeys(type for type in types if _is_large(type))
    inside = {
        type: [inner for inner in _within(type) if inner in found and inner is not type] for type in found
    }
    depths: dict[Type, int] = {}
    for type in sorted(found, key=lambda type: len(inside[type])):
        depths[type] = 1 + max([depths[inner] for inner in inside[type]], default=0)
    order = sorted(found, key=depths.__getitem__)
    return {type: f"!tuple{number or ''}" for number, type in enumerate(order)}


def _is_large(type: Type) -> bool:
    return isinstance(type, TupleType) and len(type.types) > LARGEST_TUPLE


def _types(module: Module) -> Iterator[Type]:
    """Yield the types in the text of a module's ops, in order."""
    for op in module.walk():
        signature = op.attribute("function_type")
        if isinstance(signature, TypeAttr):
            yield signature.value
        yield from [value.type for value in op.operands]
        yield from [result.type for result in op.results]
        yield from [argument.type for block in op.blocks for argument in block.arguments]


def _within(root: Type) -> Iterator[Type]:
    """Yield a type and the types nested in it, from left to right."""
    pending = [root]
    while pending:
        type = pending.pop()
        yield type
        match type:
            case TupleType(types):
                pending.extend(reversed(types))
            case FunctionType(inputs, results):
                pending.extend(reversed((*inputs, *results)))
