"""Notation functions on regions, symbols, constants and the process grid."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from stablehlo_py.ir.attributes import TypeAttr
from stablehlo_py.ir.core import OpResult, Region, Value
from stablehlo_py.ir.types import I64, FunctionType, TensorType, Type
from stablehlo_py.notation.environment import Environment
from stablehlo_py.notation.registry import defined
from stablehlo_py.notation.sorts import Undefined
from stablehlo_py.notation.values import Truth, elements, equal
from stablehlo_py.opset.definition import has_trait

_OP_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9_]*([.][a-zA-Z0-9_$]+)+")


class RegionSignature(NamedTuple):
    """The signature of a region: the types of its inputs and outputs."""

    inputs: tuple[Type, ...]
    outputs: tuple[Type, ...]


def region_signature(region: Region) -> RegionSignature:
    """Return the signature of a region.

    Args:
        region: The region.

    Returns:
        The types of its block arguments and of its terminator's operands.

    Raises:
        Undefined: If the region is not a single non-empty block.
    """
    if len(region.blocks) != 1 or not region.blocks[0].ops:
        raise Undefined("not a function")
    (block,) = region.blocks
    return RegionSignature(
        tuple([argument.type for argument in block.arguments]),
        tuple([operand.type for operand in block.ops[-1].operands]),
    )


@defined("input_types(Function) -> List[Type]")
def input_types(f: Region) -> Sequence[Type]:
    """The types of a region's inputs."""
    if len(f.blocks) != 1:
        raise Undefined("not a function")
    return [argument.type for argument in f.blocks[0].arguments]


@defined("output_types(Function) -> List[Type]")
def output_types(f: Region) -> Sequence[Type]:
    """The types of a region's outputs."""
    return region_signature(f).outputs


@defined("has_type(Function, List[Type], List[Type]) -> Bool", lenient=True)
def has_type(f: Region, inputs: Sequence[Type] | None, outputs: Sequence[Type] | None) -> Truth:
    """`f` "has type (inputs) -> (outputs)"."""
    mine = region_signature(f)
    both = [equal(mine.inputs, inputs), equal(mine.outputs, outputs)]
    return False if False in both else None if None in both else True


@defined("operations(Function) -> List[Str]", contextual=True)
def operations(env: Environment, f: Region) -> list[str]:
    """The names of the ops of a region, in order."""
    return [op.name for block in f.blocks for op in block.ops]


def _function_type(env: Environment, name: str) -> FunctionType:
    found = env.context.resolve(env.op, name)
    attribute = found.attribute("function_type") if found is not None else None
    if not isinstance(attribute, TypeAttr) or not isinstance(attribute.value, FunctionType):
        raise Undefined("not a function in this module")
    return attribute.value


@defined("input_types(Str) -> List[Type]", contextual=True)
def input_types_of_symbol(env: Environment, name: str) -> Sequence[Type]:
    """The input types of a function in the module."""
    return _function_type(env, name).inputs


@defined("output_types(Str) -> List[Type]", contextual=True)
def output_types_of_symbol(env: Environment, name: str) -> Sequence[Type]:
    """The output types of a function in the module."""
    return _function_type(env, name).results


@defined("function_type(Str) -> Type", contextual=True)
def function_type_of_symbol(env: Environment, name: str) -> Type:
    """The type of a function in the module."""
    return _function_type(env, name)


@defined("is_defined_in_parent_scope(Str) -> Bool", contextual=True)
def is_defined_in_parent_scope(env: Environment, name: str) -> bool:
    """Test for "the name of a function defined in the same scope as the parent function"."""
    return env.context.resolve(env.op, name) is not None


@defined("is_namespaced_op_name(Str) -> Bool")
def is_namespaced_op_name(name: str) -> bool:
    """Test for an op name with a dialect prefix: `[a-zA-Z][a-zA-Z0-9_]*([.][a-zA-Z0-9_$]+)+`."""
    return _OP_NAME.fullmatch(name) is not None


@defined("constant_value(Value) -> Array", contextual=True)
def constant_value(env: Environment, x: Value) -> Any:
    """The elements of a value that is defined by a constant op; unknown for any other value."""
    if not isinstance(x.type, TensorType):
        raise Undefined("not a tensor")
    if isinstance(x, OpResult) and has_trait(x.op.name, "constant"):
        return x.op.attribute("value") or x.type
    return x.type


# The process grid ------------------------------------------------------------------------------------


def _groups(groups: Any) -> tuple[Any, tuple[int, int] | None]:
    """Return the elements of process groups and their shape, or None if unknown."""
    data = elements(groups)
    if data is None:
        return None, None
    if data.ndim != 2:
        raise Undefined("process groups must be a 2-dimensional constant")
    return data, (data.shape[0], data.shape[1])


def _unknown(rows: int | None, columns: int | None) -> TensorType:
    return TensorType((rows, columns), I64)


@defined("cross_replica(Array) -> Array", contextual=True)
def cross_replica(env: Environment, replica_groups: Any) -> Any:
    """Process groups within each partition: the product of `replica_groups` and the partitions."""
    data, sizes = _groups(replica_groups)
    partitions = env.context.num_partitions
    if sizes is None or partitions is None:
        return _unknown(None, sizes[1] if sizes else None)
    found = data[:, None, :] * partitions + np.arange(partitions)[None, :, None]
    return found.reshape(sizes[0] * partitions, sizes[1])


@defined("cross_partition(Array) -> Array", contextual=True)
def cross_partition(env: Environment, partition_groups: Any) -> Any:
    """Process groups within each replica: the product of `partition_groups` and the replicas."""
    data, sizes = _groups(partition_groups)
    partitions, replicas = env.context.num_partitions, env.context.num_replicas
    if sizes is None or partitions is None or replicas is None:
        return _unknown(None, sizes[1] if sizes else None)
    found = data[:, None, :] + np.arange(replicas)[None, :, None] * partitions
    return found.reshape(sizes[0] * replicas, sizes[1])


@defined("cross_replica_and_partition(Array) -> Array", contextual=True)
def cross_replica_and_partition(env: Environment, replica_groups: Any) -> Any:
    """Process groups of all partitions of each replica group."""
    data, sizes = _groups(replica_groups)
    partitions = env.context.num_partitions
    if sizes is None or partitions is None:
        return _unknown(sizes[0] if sizes else None, None)
    found = data[:, None, :] * partitions + np.arange(partitions)[None, :, None]
    return found.reshape(sizes[0], sizes[1] * partitions)


@defined("flattened_ids(Array) -> Array", contextual=True)
def flattened_ids(env: Environment, flattened_id_groups: Any) -> Any:
    """Process groups of flattened ids, `replica_id * num_partitions + partition_id`."""
    data, sizes = _groups(flattened_id_groups)
    return _unknown(None, None) if sizes is None else data
