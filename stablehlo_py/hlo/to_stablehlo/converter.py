"""Converter: a module of HLO to a module of StableHLO ops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stablehlo_py.diagnostics.diagnostic import Diagnostic, ParseError
from stablehlo_py.diagnostics.render import counted
from stablehlo_py.hlo.locations import location_of
from stablehlo_py.hlo.module import Computation, HloModule, Instruction
from stablehlo_py.hlo.to_stablehlo.forms import FORMS
from stablehlo_py.hlo.to_stablehlo.scope import Scope, Unconvertible, plain
from stablehlo_py.hlo.to_stablehlo.values import Tree, foreign_element, leaves, tree_of, types_of
from stablehlo_py.ir.attributes import IntegerAttr, StringAttr
from stablehlo_py.ir.core import Module, Value
from stablehlo_py.ir.op_builder import OpBuilder, add_function, return_values
from stablehlo_py.ir.types import I32

_MOST_NESTED = 100
_LEAST, _TIMES = 20_000, 20  # the most instructions: those of the text, some times


def to_stablehlo(module: HloModule) -> Module:
    """Convert a module of HLO.

    Args:
        module: The module.

    Returns:
        The module. Parameters and results that are tuples are several arguments and results of `@main`.
        Positions of ops are those of the HLO text, and locations are those of the metadata.

    Raises:
        ParseError: If the text states wrong shapes, or an instruction has no form in StableHLO.
    """
    errors = module.verify()
    if errors:
        raise ParseError(module.source.name, errors)
    return _Converter(module).module_op()


class _Converter:
    """Converts one module."""

    def __init__(self, module: HloModule) -> None:
        self.hlo = module
        self.module = Module(source=module.source)
        self.functions: dict[int, str] = {}
        self.depth = 0  # of computations in each other
        self.count = 0  # of converted instructions
        self.limit = _LEAST + _TIMES * sum(len(each.instructions) for each in module.computations)

    def module_op(self) -> Module:
        """Convert the module, from its entry."""
        self.module.op.properties["sym_name"] = StringAttr(self.hlo.name)
        for name, attribute in (("num_replicas", "replica_count"), ("num_partitions", "num_partitions")):
            count = self.hlo.attributes.get(attribute, 1)
            if count > 1:
                self.module.op.attributes[f"mhlo.{name}"] = IntegerAttr(count, I32)
        self._add(self.hlo.entry, "main", "public")
        return self.module

    def function(self, computation: Computation) -> str:
        """Return the name of the function that a computation is, which is added when it is first called."""
        known = self.functions.get(id(computation))
        if known is None:
            known = self.functions[id(computation)] = computation.name
            self._add(computation, known, "private")
        return known

    def _add(self, computation: Computation, name: str, visibility: str) -> None:
        shapes = [parameter.shape for parameter in computation.parameters]
        inputs = [type for shape in shapes for type in types_of(shape)]
        block = add_function(self.module, name, inputs, types_of(computation.root.shape), visibility)
        owners = [each for each in computation.parameters for _ in types_of(each.shape)]
        for argument, parameter in zip(block.arguments, owners, strict=True):
            if not parameter.shape.is_tuple:  # the name of a tuple is that of no argument
                argument.location = location_of(self.hlo, parameter)
        values: Iterator[Value] = iter(block.arguments)
        result = self.body(computation, [tree_of(shape, values) for shape in shapes], OpBuilder(block))
        last = return_values(block, leaves(result))
        if computation.root.opcode == "tuple":  # which is no other op
            last.offset = last.end = computation.root.offset

    def body(self, computation: Computation, arguments: Sequence[Tree], builder: OpBuilder) -> Tree:
        """Convert the instructions of a computation, and return the value of its root."""
        self._bounded(computation)
        scope = Scope(builder, self.body, self.function)
        for instruction in computation.instructions:
            if name := foreign_element(instruction.shape):
                raise self._error(instruction, f"element type {name} has no equal in StableHLO")
            if instruction.opcode == "parameter":
                assert isinstance(instruction.value, int)
                scope.trees[id(instruction)] = arguments[instruction.value]
                continue
            scope.location = location_of(self.hlo, instruction)
            scope.offset = instruction.offset
            scope.trees[id(instruction)] = self._converted(scope, instruction)
        self.depth -= 1
        return scope.tree(computation.root)

    def _bounded(self, computation: Computation) -> None:
        """Count the instructions of a computation, which is converted in each place that calls it."""
        self.depth += 1
        self.count += len(computation.instructions)
        if self.depth > _MOST_NESTED or self.count > self.limit:
            why = (
                f"{_MOST_NESTED} calls in each other"
                if self.depth > _MOST_NESTED
                else f"{self.limit} instructions"
            )
            line, column = self.hlo.source.position(computation.offset)
            message = f"computation {computation.name} is called too often: the program has more than {why}"
            raise ParseError(
                self.hlo.source.name, [Diagnostic("error", "hlo.convert", message, line, column)]
            )

    def _converted(self, scope: Scope, instruction: Instruction) -> Tree:
        form = FORMS.get(instruction.opcode)
        try:
            if len(instruction.operands) < (least := instruction.row.least):
                raise Unconvertible(f"takes at least {counted(least, 'operand')}")
            if form is not None:
                return form(scope, instruction)
            return plain(scope, instruction)
        except Unconvertible as error:
            raise self._error(instruction, str(error)) from None

    def _error(self, instruction: Instruction, message: str) -> ParseError:
        line, column = self.hlo.position(instruction)
        found = Diagnostic("error", "hlo.convert", f"{instruction.opcode}: {message}", line, column)
        return ParseError(self.hlo.source.name, [found])
