"""Converter: a module of StableHLO to a module of HLO."""

from __future__ import annotations

from typing import Any

from stablehlo_py.diagnostics.diagnostic import Diagnostic, ParseError
from stablehlo_py.diagnostics.origin import frames, scope_name
from stablehlo_py.hlo.from_stablehlo.forms import FORMS, plain
from stablehlo_py.hlo.from_stablehlo.scope import Captured, Scope, Unwritable, shape_of
from stablehlo_py.hlo.module import Computation, HloModule
from stablehlo_py.hlo.names import UniqueNames
from stablehlo_py.hlo.shapes import tuple_of
from stablehlo_py.ir.core import Block, Module, Operation, Region
from stablehlo_py.ir.locations import Source

_MOST_NESTED = 100


def from_stablehlo(module: Module, entry: str = "main") -> HloModule:
    """Convert a module.

    Args:
        module: The module, which is valid. Its functions have one block each.
        entry: The name of the function that becomes the entry.

    Returns:
        The module of HLO. Several results are a tuple. Its text is that of `to_string`.

    Raises:
        ParseError: If an op has no form in HLO; with the line of the op.
    """
    return _Converter(module).module_of(entry)


class _Converter:
    """Converts one module."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.functions = module.functions
        name = str(module.op.python_value("sym_name") or "module")
        self.hlo = HloModule(name, Source(module.source.name, ""))
        self.names, self.computation_names = UniqueNames(), UniqueNames()
        self.made: dict[str, Computation] = {}
        self.depth = 0

    def module_of(self, entry: str) -> HloModule:
        """Convert the module, from its entry."""
        if entry not in self.functions:
            message = f"there is no function @{entry}"
            raise ParseError(self.module.source.name, [Diagnostic("error", "hlo.convert", message, 0, 0)])
        self.hlo.entry = self._function(entry)
        for name, attribute in (("num_replicas", "replica_count"), ("num_partitions", "num_partitions")):
            count = self.module.op.python_value(f"mhlo.{name}")
            if isinstance(count, int) and count > 1:
                self.hlo.attributes[attribute] = count
        return self.hlo

    def _function(self, name: str) -> Computation:
        """Return the computation of a function."""
        if name not in self.made:
            function = self.functions[name]
            self._at(function, _check_body, function)
            block = function.entry_block
            scope = self._scope(name, None)
            self._at(function, self._parameters, scope, block)
            self.made[name] = self._body(scope, block, None)
        return self.made[name]

    def _region(
        self, outer: Scope, region: Region, taken: Captured | None, returned: Captured | None
    ) -> Computation:
        """Return the computation of a region; see `MakeRegion`."""
        block = region.blocks[0]
        scope = self._scope("region", outer)
        if taken is None:
            self._parameters(scope, block)
        else:
            values = [*block.arguments, *taken]
            shapes = [shape_of(value.type) for value in values]
            whole = scope.emit("parameter", tuple_of(tuple(shapes)), value=0)
            scope.values.update(zip(values, scope.elements(whole), strict=True))
        return self._body(scope, block, returned)

    @staticmethod
    def _parameters(scope: Scope, block: Block) -> None:
        for number, argument in enumerate(block.arguments):
            scope.values[argument] = scope.emit("parameter", shape_of(argument.type), value=number)

    def _scope(self, name: str, outer: Scope | None) -> Scope:
        computation = Computation(self.computation_names.unique(name))
        return Scope(computation, self.names, self._region, self._function, outer)

    def _body(self, scope: Scope, block: Block, returned: Captured | None) -> Computation:
        """Convert the ops of a block; the computation is complete then."""
        self.depth += 1
        for op in block.ops[:-1]:
            scope.metadata = _metadata(op)
            self._at(op, self._convert, scope, op)
        last = block.ops[-1]
        self._at(last, _check_end, last)
        scope.metadata = {}
        results = [self._at(last, scope.value, value) for value in (*last.operands, *(returned or ()))]
        computation = scope.computation
        computation.root = results[0] if len(results) == 1 and returned is None else scope.tuple(results)
        self.hlo.computations.append(computation)
        self.depth -= 1
        return computation

    def _convert(self, scope: Scope, op: Operation) -> None:
        if self.depth > _MOST_NESTED:
            raise Unwritable(f"more than {_MOST_NESTED} regions and calls are in each other")
        FORMS.get(op.name, plain)(scope, op)

    def _at(self, op: Operation, make: Any, *arguments: Any) -> Any:
        try:
            return make(*arguments)
        except Unwritable as error:
            line, column = self.module.position(op)
            found = Diagnostic("error", "hlo.convert", f"{op.name}: {error}", line, column)
            raise ParseError(self.module.source.name, [found]) from None


def _check_body(function: Operation) -> None:
    """Check that a function has a body."""
    if not function.regions[0].blocks:
        raise Unwritable("it is a declaration, which has no body to convert")


def _check_end(op: Operation) -> None:
    """Check that an op ends a computation."""
    if op.successors:
        raise Unwritable("it continues with another block, and a computation has one")


def _metadata(op: Operation) -> dict[str, Any]:
    """Return the metadata of the instructions of an op: its name in the program, and its line."""
    found: dict[str, Any] = {}
    if name := scope_name(op.location):
        found["op_name"] = name
    frame = next(frames(op.location), None)
    if frame is not None:
        found |= {"source_file": frame.file, "source_line": frame.line, "source_column": frame.column}
    return found
