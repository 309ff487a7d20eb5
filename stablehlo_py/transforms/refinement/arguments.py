"""Refinement of a function's argument types, and which function of a module is refined."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stablehlo_py.ir.attributes import TypeAttr
from stablehlo_py.ir.core import BlockArgument, Module, Operation
from stablehlo_py.ir.types import I64, FunctionType, TensorType, Type, UnrankedTensorType
from stablehlo_py.transforms.folding import elements_of
from stablehlo_py.transforms.pass_definition import failure
from stablehlo_py.transforms.refinement.result_types import DYNAMIC, SHAPE_OPERANDS, WRAPPER
from stablehlo_py.transforms.rewriter import Rewriter


def function_to_refine(module: Module) -> Operation:
    """Return the function of a module that refinement starts at: `@main`, or the only one.

    Raises:
        TransformError: If there is no such function, or it does not have a single block.
    """
    functions = module.functions
    found = next(iter(functions.values())) if len(functions) == 1 else functions.get("main")
    if found is None:
        message = "must have no more than one function or a `main` function to identify which one is refined"
        raise failure(module, module.op, message)
    check_one_block(module, found)
    return found


def check_one_block(module: Module, function: Operation) -> None:
    """Raise TransformError if a function does not have a single block."""
    if len(function.blocks) != 1:
        raise failure(module, function, f"{function.name} must have exactly one block")


def refine_arguments(module: Module, function: Operation, types: Sequence[Type]) -> None:
    """Set the types of a function's arguments.

    The types in the body do not change. The body uses the result of a custom call that converts an argument
    to its old type; shape refinement removes the call.

    Args:
        module: The module.
        function: A function with one block.
        types: The new types of all arguments.

    Raises:
        TransformError: If a type is not a refinement of the argument's type.
    """
    block = function.entry_block
    if len(block.arguments) != len(types):
        counts = f"{len(types)} vs {len(block.arguments)}"
        raise failure(module, function, f"number of refinements must match number of arguments {counts}")
    for argument, type in zip(block.arguments, types, strict=True):
        _check(module, function, argument, type)
    rewriter = Rewriter(module).at(block.ops[0])
    for argument, type in zip(block.arguments, types, strict=True):
        if argument.type is not type:
            assert isinstance(type, TensorType)
            _wrap(rewriter, argument, type)
    rewriter.flush()
    set_function_type(function, results_of(function))


def results_of(function: Operation) -> tuple[Type, ...]:
    """Return the result types of a function."""
    type = function.attribute("function_type")
    assert isinstance(type, TypeAttr) and isinstance(type.value, FunctionType)
    return type.value.results


def set_function_type(function: Operation, results: Sequence[Type]) -> None:
    """Set the type of a function to the types of its arguments and the given result types."""
    inputs = tuple([argument.type for argument in function.entry_block.arguments])
    function.properties["function_type"] = TypeAttr(FunctionType(inputs, tuple(results)))


def _check(module: Module, function: Operation, argument: BlockArgument, type: Type) -> None:
    """Check that a type refines the type of an argument."""
    old = argument.type
    if old is type:
        return
    reason = ""
    if not isinstance(old, TensorType | UnrankedTensorType) or not isinstance(
        type, TensorType | UnrankedTensorType
    ):
        reason = "must be a tensor"
    elif old.element_type is not type.element_type:
        reason = "element types must match"
    elif isinstance(type, UnrankedTensorType):
        reason = "must be ranked"
    elif isinstance(old, TensorType) and old.rank != type.rank:
        reason = "rank must match operand rank"
    elif isinstance(old, TensorType) and any(
        a is not None and a != b for a, b in zip(old.shape, type.shape, strict=True)
    ):
        reason = "dimension sizes must match for static dimensions"
    if reason:
        where = f"invalid refinement for argument {argument.index}"
        raise failure(module, function, f"{where}, refinement {reason} in {old} -> {type}")


def _wrap(rewriter: Rewriter, argument: BlockArgument, type: TensorType) -> None:
    """Set the type of an argument, and let its uses use a conversion to its old type."""
    sizes = np.array([DYNAMIC if size is None else size for size in type.shape], np.int64)
    shape = rewriter.constant(sizes, TensorType((type.rank,), I64))
    index = elements_of(1, TensorType((1,), I64))
    wrapper = rewriter.create(
        "stablehlo.custom_call",
        [shape],
        {"call_target_name": WRAPPER},
        [argument.type],
        attributes={SHAPE_OPERANDS: index},
    )
    argument.replace_all_uses(wrapper.result)
    wrapper.use_operands([argument, shape])
    argument.type = type
