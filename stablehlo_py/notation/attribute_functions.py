"""Notation functions on structured attributes: output aliases and meshes of process groups."""

from __future__ import annotations

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
