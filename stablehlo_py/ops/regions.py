"""Regions of ops from Python functions, which build ops on the arguments of a block."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from stablehlo_py.ir.attributes import Attribute
from stablehlo_py.ir.core import Block, Operation, Region, Value
from stablehlo_py.ir.types import TensorType, Type
from stablehlo_py.notation.scope import NO_VALUE, environment, load_formulas, scope_of
from stablehlo_py.notation.terms import Term, parse
from stablehlo_py.opset.definition import Body, OpDef

END = "stablehlo.return"
_local = threading.local()


def current_block() -> Block | None:
    """Return the block of the region that is built on this thread, if any."""
    return getattr(_local, "block", None)


@contextmanager
def _building(block: Block) -> Iterator[None]:
    before = current_block()
    _local.block = block
    try:
        yield
    finally:
        _local.block = before


def build_region(
    function: Callable[..., Any], types: Sequence[Type], as_value: Callable[..., Value]
) -> Region:
    """Return the region that a Python function builds.

    Args:
        function: A function of values, which returns one or several.
        types: The types of its arguments.
        as_value: Returns the value of what the function returns, such as of a number.
    """
    block = Block(types)
    region = Region([block])
    with _building(block):
        found = function(*block.arguments)
        results = found if isinstance(found, tuple | list) else (found,)
        block.append(Operation(END, [as_value(each, block) for each in results]))
    return region


def argument_types(
    definition: OpDef, body: Body, operands: Sequence[Type], properties: Mapping[str, Attribute]
) -> list[Type]:
    """Return the types of the arguments of a region: those that the op's constraints state.

    Args:
        definition: The definition of the op.
        body: The region.
        operands: The types of the operands.
        properties: The properties of the op.

    Raises:
        ValueError: The constraints do not state them.
    """
    op = Operation(definition.name, (), (), properties)
    op.operands = tuple([Value(type) for type in operands])  # no use is recorded
    env = environment(op, definition)
    elements = [type.element_type for type in operands if isinstance(type, TensorType)]
    count = 1 if not definition.operands[0].variadic else max(len(elements) // len(definition.operands), 1)
    env.update({"E": elements[:count]})
    load_formulas()
    for constraint in definition.constraints:
        term = _types_of(parse(constraint.formula), body.name)
        if term is not None:
            try:
                return list(scope_of(definition).compiler().compile(term).run(env))
            except NO_VALUE as error:
                raise ValueError(f"the arguments of {body.name} are unknown: {error}") from None
    return []


def _types_of(term: Any, name: str) -> Term | None:
    """Return the term of the argument types in `has_type(name, arguments, results)`, if a term has one."""
    if not isinstance(term, tuple):
        return None
    if term[:3] == ("call", "has_type", ("name", name)):
        found: Term = term[3]
        return found
    return next((found for part in term for found in [_types_of(part, name)] if found is not None), None)
