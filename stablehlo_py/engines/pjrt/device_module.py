"""Lowering of a module to the one that is compiled: `@main` and what it calls, with positions in the text."""

from __future__ import annotations

from collections.abc import Sequence

from stablehlo_py.diagnostics.diagnostic import Unsupported
from stablehlo_py.engines.pjrt.external_calls import check_calls
from stablehlo_py.engines.pjrt.flatten import flatten_grid
from stablehlo_py.engines.pjrt.host_ops import HostPart, split_host_ops
from stablehlo_py.engines.pjrt.symbols import renamed, symbol_names
from stablehlo_py.interpreter.errors import located
from stablehlo_py.ir.attributes import (
    ArrayAttr,
    DictAttr,
    StringAttr,
    TypeAttr,
)
from stablehlo_py.ir.core import Module, Operation, erase_all
from stablehlo_py.ir.locations import FileLoc
from stablehlo_py.ir.records import dataclass
from stablehlo_py.ir.signature import function_type
from stablehlo_py.ir.types import FunctionType, TensorType, TokenType, TupleType, Type
from stablehlo_py.opset.definition import has_trait

MAIN = "main"
SHARDING = "mhlo.sharding"
RESULT_SHARDING = "xla.sdy.FuncResultSharding"
SHARDING_TARGETS = frozenset({"Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape"})


@dataclass(frozen=True, slots=True)
class DeviceModule:
    """What a device executes of a module.

    Attributes:
        original: The module of the program.
        module: A module whose `@main` is executed.
        host: What the host executes afterwards, or None.
        replicas, partitions: The sizes of the device assignment.
        is_sharded: Whether XLA partitions the program by its shardings: inputs and results are global arrays.
    """

    original: Module
    module: Module
    host: HostPart | None
    replicas: int
    partitions: int
    is_sharded: bool

    @property
    def input_types(self) -> tuple[Type, ...]:
        """The types of the inputs."""
        return _type(self.module.functions[MAIN]).inputs

    @property
    def is_dynamic(self) -> bool:
        """Whether shapes are known only once there are inputs."""
        return any(_is_dynamic(type) for type in self.input_types)

    def specialized(self, shapes: Sequence[tuple[int, ...]]) -> Module:
        """Return a copy of the module that takes inputs of given shapes."""
        made = self.module.clone()
        function = made.functions[MAIN]
        block = function.entry_block
        for shape, argument in zip(shapes, block.arguments, strict=True):
            if isinstance(argument.type, TensorType) and not argument.type.is_static:
                convert = Operation("stablehlo.convert", (), [argument.type])
                argument.replace_all_uses(convert.result)
                argument.type = TensorType(shape, argument.type.element_type)
                convert.use_operands([argument])
                block.insert(0, convert)
        types = tuple([argument.type for argument in block.arguments])
        function.properties["function_type"] = TypeAttr(FunctionType(types, _type(function).results))
        return made


def has_dynamic_shapes(module: Module) -> bool:
    """Return whether a value has dimensions of unknown size and without bounds."""
    return any(_is_dynamic(result.type) for op in module.walk() for result in op.results)


def _is_dynamic(type: Type) -> bool:
    return isinstance(type, TensorType) and not type.is_static and type.encoding is None


def device_module(module: Module, entry: str, replicas: int, partitions: int) -> DeviceModule:
    """Return what a device executes of a module.

    Args:
        module: The module, which is not modified.
        entry: The name of the function to execute.
        replicas: The number of replicas.
        partitions: The number of partitions.

    Raises:
        Unsupported: Part of the function cannot be executed on a device.
    """
    made = module.clone()
    function = made.functions[entry]
    _drop_unreachable(made, function)
    check_calls(made, module)
    _check_types(made, function)
    host = split_host_ops(made, function)
    _name_main(made, function)
    is_sharded = partitions > 1 and _is_sharded(made)
    if not is_sharded:
        _drop_marks(made)
    if is_sharded and replicas > 1:
        raise Unsupported("engine pjrt partitions programs with shardings on one replica only")
    if partitions > 1 and not is_sharded:
        flatten_grid(made, replicas, partitions)
        replicas, partitions = replicas * partitions, 1
    _locate(made, module.name)
    return DeviceModule(module, made, host, replicas, partitions, is_sharded)


def _type(function: Operation) -> FunctionType:
    type = function_type(function)
    assert type is not None
    return type


def _check_types(module: Module, function: Operation) -> None:
    """Raise Unsupported for inputs and results that are no arrays."""
    type = _type(function)
    for what, types in (("input", type.inputs), ("result", type.results)):
        for at, each in enumerate(types):
            if isinstance(each, TupleType | TokenType):
                message = f"engine pjrt exchanges only arrays with a device; {what} {at} has type {each}"
                raise located(Unsupported(message), module, function)


def _is_sharded(module: Module) -> bool:
    """Return whether a module states how XLA is to partition it."""
    function = module.functions[MAIN]
    stated = [function.properties.get(name) for name in ("arg_attrs", "res_attrs")]
    entries = [entry for each in stated if isinstance(each, ArrayAttr) for entry in each.value]
    return (
        any(has_trait(op.name, "mesh") for op in module.body.ops)
        or any(isinstance(entry, DictAttr) and entry.get(SHARDING) for entry in entries)
        or any(
            has_trait(op.name, "external_call") and op.python_value("call_target_name") in SHARDING_TARGETS
            for op in module.walk()
        )
    )


def _drop_marks(module: Module) -> None:
    """Remove shardings of results that nothing reads; XLA ends the process at those that it cannot read."""
    marks = [
        op
        for op in module.walk()
        if has_trait(op.name, "external_call") and op.python_value("call_target_name") == RESULT_SHARDING
    ]
    for op in marks:
        op.result.replace_all_uses(op.operands[0])
    erase_all(marks)


def _drop_unreachable(module: Module, entry: Operation) -> None:
    """Remove the functions that a function does not need."""
    functions, found = module.functions, {entry}
    waiting = [entry]
    while waiting:
        for op in waiting.pop().walk():
            for name in symbol_names(op):
                function = functions.get(name)
                if function is not None and function not in found:
                    found.add(function)
                    waiting.append(function)
    module.body.ops = [op for op in module.body.ops if not op.is_function or op in found]


def _name_main(module: Module, function: Operation) -> None:
    """Name a function `main`, as XLA expects of the entry, and make it public."""
    old = module.functions.get(MAIN)
    if old is not None and old is not function:
        _rename(module, old, next(f"{MAIN}_{n}" for n in range(len(module.functions) + 1)))
    if function.python_value("sym_name") != MAIN:
        _rename(module, function, MAIN)
    function.properties.pop("sym_visibility", None)
    function.attributes.pop("sym_visibility", None)


def _rename(module: Module, function: Operation, name: str) -> None:
    old = str(function.python_value("sym_name"))
    for op in module.walk():
        for held in (op.properties, op.attributes):
            for key, value in held.items():
                held[key] = renamed(value, old, name)
    function.properties["sym_name"] = StringAttr(name)


def _locate(module: Module, name: str) -> None:
    """Replace the locations of ops by their positions in the text, which XLA's errors then name."""
    for op in module.walk():
        line, column = module.position(op)
        if line:
            op.location = FileLoc(name, line, column)
