"""Finished computations, and copies of their ops into the programs that use them."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count

from stablehlo_py.builder.shape import leaves, shape_text
from stablehlo_py.ir.attributes import Attribute, StringAttr, SymbolRefAttr, integer
from stablehlo_py.ir.core import Block, Module, Operation, Region, Value
from stablehlo_py.ir.op_builder import function_op
from stablehlo_py.ir.types import TupleType, Type


@dataclass(frozen=True, eq=False)
class Parameter:
    """A computation's parameter: its type, and its name ("" if it has none)."""

    type: Type
    name: str


@dataclass(frozen=True, eq=False)
class XlaComputation:
    """What `XlaBuilder.Build` gives: a function of its parameters, which other computations may use.

    `arguments` are the arrays of the parameters, `ops` give `values`, the arrays of `result_type`.
    `functions` are the computations that it calls, by the names that its calls have.
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
        """A program whose `@main` is this computation.

        The module has the computation's name. A parameter that is a tuple is an argument of a tuple type;
        the elements of a tuple that is the result are the results.
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
            argument = body.add_argument(parameter.type, parameter.name or None)
            values += _elements(body, argument)
        return _function(self, names, body, values, "public")


Names = dict[XlaComputation, str]


def _name_functions(computation: XlaComputation, names: Names) -> None:
    """Adds names for all computations that are called, directly or not: each is one function."""
    for name, called in computation.functions.items():
        if called not in names:
            names[called] = free_name(name, set(names.values()))
            _name_functions(called, names)


def free_name(name: str, taken: Container[str]) -> str:
    """The name, with a number behind it if it is taken."""
    numbered = (f"{name}_{number}" for number in count())
    return next(candidate for candidate in chain([name], numbered) if candidate not in taken)


def _elements(body: Block, value: Value) -> list[Value]:
    """The arrays of a value, taken out of the tuples that they are in."""
    if not isinstance(value.type, TupleType):
        return [value]
    found: list[Value] = []
    for index, type in enumerate(value.type.types):
        position: dict[str, Attribute] = {"index": integer(index, 32)}
        op = body.append(Operation("stablehlo.get_tuple_element", [value], [type], position))
        found += _elements(body, op.result)
    return found


def _private(computation: XlaComputation, names: Names) -> Operation:
    """The function that calls of a computation refer to; it takes and gives arrays, no tuples."""
    body = Block()
    values: list[Value] = []
    for parameter in computation.parameters:
        values += [body.add_argument(leaf, parameter.name or None) for leaf in leaves(parameter.type)]
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
    names: Mapping[str, str] | None = None,
) -> list[Value]:
    """Copies a computation's ops to the end of a block, and gives what its results are there.

    `arguments` take the place of its own, and calls of the functions in `names` get new names.
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
        op.attributes,
        [_copy_region(region, values, names) for region in op.regions],
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
