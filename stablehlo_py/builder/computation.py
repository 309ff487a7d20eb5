"""Finished computations, and cloning of their ops."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count

from stablehlo_py.builder.shape import leaves, shape_text
from stablehlo_py.ir.attributes import Attribute, StringAttr, SymbolRefAttr, integer
from stablehlo_py.ir.core import Block, Module, Operation, Region, Value
from stablehlo_py.ir.locations import Location
from stablehlo_py.ir.op_builder import function_op
from stablehlo_py.ir.types import TupleType, Type


@dataclass(frozen=True, eq=False)
class Parameter:
    """A parameter of a computation: its type, its name, or "", and where it is declared."""

    type: Type
    name: str
    location: Location


@dataclass(frozen=True, eq=False)
class XlaComputation:
    """A finished computation: the result of `XlaBuilder.Build`, which other computations may use.

    Attributes:
        name: Its name.
        parameters: Its parameters.
        arguments: The arrays of the parameters.
        ops: Its ops.
        values: The arrays of the result.
        result_type: The type of the result.
        functions: The computations that it calls, by the names in its calls.
    """

    name: str
    parameters: tuple[Parameter, ...]
    arguments: tuple[Value, ...]
    ops: tuple[Operation, ...]
    values: tuple[Value, ...]
    result_type: Type
    functions: Mapping[str, XlaComputation]

    def __str__(self) -> str:
        parameters = ", ".join(f"{p.name}: {shape_text(p.type)}".removeprefix(": ") for p in self.parameters)
        return f"{self.name} ({parameters}) -> {shape_text(self.result_type)}"

    def to_module(self) -> Module:
        """Convert to a module with this computation as `@main`.

        The module has the computation's name. A tuple parameter becomes an argument of tuple type; the
        elements of a tuple result become separate results.
        """
        module = Module()
        if self.name != "main":
            module.op.properties["sym_name"] = StringAttr(self.name)
        names = {self: "main"}
        _name_functions(self, names)
        module.body.append(self._main(names))
        for computation in [c for c in names if c is not self]:
            module.body.append(_private(computation, names))
        return module

    def _main(self, names: Names) -> Operation:
        body = Block()
        values: list[Value] = []
        for parameter in self.parameters:
            argument = body.add_argument(parameter.type, parameter.name or None, parameter.location)
            values += _elements(body, argument)
        return _function(self, names, body, values, "public")


Names = dict[XlaComputation, str]


def _name_functions(computation: XlaComputation, names: Names) -> None:
    """Assign names to all directly or indirectly called computations, one function each."""
    for name, called in computation.functions.items():
        if called not in names:
            names[called] = free_name(name, set(names.values()))
            _name_functions(called, names)


def free_name(name: str, taken: Container[str]) -> str:
    """Return a name, with a numeric suffix if it is taken."""
    numbered = (f"{name}_{number}" for number in count())
    return next(candidate for candidate in chain([name], numbered) if candidate not in taken)


def _elements(body: Block, value: Value) -> list[Value]:
    """Return the arrays of a value, extracted from nested tuples."""
    if not isinstance(value.type, TupleType):
        return [value]
    found: list[Value] = []
    for index, type in enumerate(value.type.types):
        position: dict[str, Attribute] = {"index": integer(index, 32)}
        op = body.append(Operation("stablehlo.get_tuple_element", [value], [type], position))
        found += _elements(body, op.result)
    return found


def _private(computation: XlaComputation, names: Names) -> Operation:
    """Create the private function of a called computation, which takes and returns arrays."""
    body = Block()
    values: list[Value] = []
    for parameter in computation.parameters:
        name, location = parameter.name or None, parameter.location
        values += [body.add_argument(leaf, name, location) for leaf in leaves(parameter.type)]
    return _function(computation, names, body, values, "private")


def _function(
    computation: XlaComputation, names: Names, body: Block, arguments: Sequence[Value], visibility: str
) -> Operation:
    called = {name: names[function] for name, function in computation.functions.items()}
    results = copy_ops(computation, arguments, body, called)
    body.append(Operation("func.return", results))
    return function_op(names[computation], body, [value.type for value in results], visibility)


def copy_ops(
    computation: XlaComputation,
    arguments: Sequence[Value],
    into: Block,
    names: Mapping[str, str] | None,
) -> list[Value]:
    """Clone a computation's ops at the end of a block.

    Args:
        computation: The computation.
        arguments: The values that replace its arguments.
        into: The block.
        names: The new names of called functions.

    Returns:
        The values of its results in the block.
    """
    values: dict[Value, Value] = dict(zip(computation.arguments, arguments, strict=True))
    for op in computation.ops:
        into.append(_copy(op, values, names or {}))
    return [values.get(value, value) for value in computation.values]


def _copy(op: Operation, values: dict[Value, Value], names: Mapping[str, str]) -> Operation:
    copied = Operation(
        op.name,
        [values.get(operand, operand) for operand in op.operands],
        [result.type for result in op.results],
        {name: _renamed(attribute, names) for name, attribute in op.properties.items()},
        regions=[_copy_region(region, values, names) for region in op.regions],
        location=op.location,
    )
    values.update(zip(op.results, copied.results, strict=True))
    return copied


def _copy_region(region: Region, values: dict[Value, Value], names: Mapping[str, str]) -> Region:
    copied = Region()
    for block in region.blocks:
        inner = copied.add_block(Block())
        for argument in block.arguments:
            values[argument] = inner.add_argument(argument.type, argument.name, argument.location)
        for op in block.ops:
            inner.append(_copy(op, values, names))
    return copied


def _renamed(attribute: Attribute, names: Mapping[str, str]) -> Attribute:
    if isinstance(attribute, SymbolRefAttr) and attribute.root in names:
        return SymbolRefAttr(names[attribute.root])
    return attribute
