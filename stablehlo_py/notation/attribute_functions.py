"""Notation functions on structured attributes: output aliases and meshes of process groups."""

from __future__ import annotations

import re
from collections.abc import Sequence

from stablehlo_py.ir.attributes import ArrayAttr, StructAttr, SymbolRefAttr
from stablehlo_py.ir.types import TupleType, Type
from stablehlo_py.notation.environment import Environment
from stablehlo_py.notation.registry import defined


@defined("is_dictionary(Any) -> Bool")
def is_dictionary(x: object) -> bool:
    """Test whether an attribute that is a string or a dictionary is a dictionary."""
    return not isinstance(x, str)


# Aliases: `#stablehlo.output_operand_alias` ------------------------------------------------------------


@defined("output_indices(Any) -> List[Int]")
def output_indices(alias: StructAttr) -> list[int]:
    """The path of an alias in the outputs: one index for each level of tuples."""
    return list(alias["output_tuple_indices"])


@defined("operand_indices(Any) -> List[Int]")
def operand_indices(alias: StructAttr) -> list[int]:
    """The path of an alias in the operands: the operand, then one index for each level of tuples."""
    return [alias["operand_index"], *alias["operand_tuple_indices"]]


@defined("operand_part(Any, List[Type]) -> List[Type]")
def operand_part(alias: StructAttr, types: Sequence[Type]) -> list[Type]:
    """The type at an alias's path in the operands, as a list; empty if the path is invalid."""
    return _part(TupleType(tuple(types)), operand_indices(alias))


@defined("output_part(Any, List[Type]) -> List[Type]")
def output_part(alias: StructAttr, types: Sequence[Type]) -> list[Type]:
    """The type at an alias's path in the outputs, as a list; empty if the path is invalid."""
    whole = types[0] if len(types) == 1 else TupleType(tuple(types))
    return _part(whole, output_indices(alias))


def _part(whole: Type, indices: Sequence[int]) -> list[Type]:
    for index in indices:
        if not isinstance(whole, TupleType) or not 0 <= index < len(whole.types):
            return []
        whole = whole.types[index]
    return [whole]


# Configurations of einsum ------------------------------------------------------------------------------

_EINSUM = re.compile(r"(?:[A-Za-z]|\.\.\.)*")


@defined("einsum_labels(Str, List[Int]) -> List[List[Str]]")
def einsum_labels(config: str, ranks: Sequence[int]) -> list[list[str]]:
    """The labels of the dimensions of each operand, then of the result; empty if they do not fit the ranks.

    `...` stands for dimensions that are numbered from the last one.
    """
    inputs, arrow, output = config.replace(" ", "").partition("->")
    terms = inputs.split(",")
    if not arrow or len(terms) != len(ranks) or not all(map(_EINSUM.fullmatch, (*terms, output))):
        return []
    extra = [rank - len(term.replace("...", "")) for term, rank in zip(terms, ranks, strict=True)]
    if any(more < 0 or (more > 0) > ("..." in term) for term, more in zip(terms, extra, strict=True)):
        return []
    return [_labels(term, more) for term, more in zip((*terms, output), (*extra, max(extra)), strict=True)]


def _labels(term: str, more: int) -> list[str]:
    """Return the labels of a term whose `...` is that many dimensions."""
    before, _, after = term.partition("...")
    unnamed = [f"...{number}" for number in range(more, 0, -1)] if "..." in term else []
    return [*before, *unnamed, *after]


# Meshes: `#stablehlo.replica_group_mesh_axes` ----------------------------------------------------------


@defined("has_mesh(Array) -> Bool", contextual=True)
def has_mesh(env: Environment, groups: object) -> bool:
    """Test whether the mesh of process groups is defined; true if they refer to no mesh."""
    mesh = groups["mesh"] if isinstance(groups, StructAttr) else None
    if isinstance(mesh, SymbolRefAttr):
        return not mesh.nested and env.context.is_symbol(env.op, mesh.root)
    return mesh is None or (isinstance(mesh, StructAttr) and mesh.name == "stablehlo.mesh")


@defined("mesh_axes(Array) -> List[Str]")
def mesh_axes(groups: object) -> list[str] | None:
    """The axis names of an inline mesh of process groups; unknown for a mesh referred to by symbol."""
    mesh = groups["mesh"] if isinstance(groups, StructAttr) else None
    return [axis["name"] for axis in mesh["axes"]] if isinstance(mesh, StructAttr) else None


@defined("group_axes(Array) -> List[Str]")
def group_axes(groups: object) -> list[str]:
    """The names of the mesh axes of process groups; "" for an element that is not an axis."""
    axes = groups["axes"] if isinstance(groups, StructAttr) else None
    if not isinstance(axes, ArrayAttr):
        return []
    return [axis["name"] if isinstance(axis, StructAttr) else "" for axis in axes.value]
