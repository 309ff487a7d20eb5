"""The module-level context of formulas: the process grid and symbols."""

from __future__ import annotations

from functools import cached_property

from stablehlo_py.ir.attributes import SymbolRefAttr
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.verifier.symbols import Symbols


class ModuleContext:
    """The process grid and the functions of a module."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self._symbols = Symbols(module)

    @cached_property
    def num_replicas(self) -> int | None:
        """The attribute `mhlo.num_replicas` of the module, or None."""
        return self._count("mhlo.num_replicas")

    @cached_property
    def num_partitions(self) -> int | None:
        """The attribute `mhlo.num_partitions` of the module, or None."""
        return self._count("mhlo.num_partitions")

    def resolve(self, op: Operation, name: str) -> Operation | None:
        """Look up the function that a symbol refers to at `op`, or return None."""
        root, *nested = name.split("::")
        found = self._symbols.resolve(op, SymbolRefAttr(root, tuple(nested)))
        return found if found is not None and found.is_function else None

    def is_symbol(self, op: Operation, name: str) -> bool:
        """Test whether a symbol is defined at `op`."""
        return self._symbols.resolve(op, SymbolRefAttr(name)) is not None

    def _count(self, name: str) -> int | None:
        value = self.module.op.python_value(name)
        return value if isinstance(value, int) else None
