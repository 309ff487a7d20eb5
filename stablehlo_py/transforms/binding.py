"""Binding of weights: arguments become constants."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from stablehlo_py.diagnostics.render import counted
from stablehlo_py.interpreter.array_files import Array, load_arrays
from stablehlo_py.ir.attributes import DenseElementsAttr
from stablehlo_py.ir.core import BlockArgument, Module, Operation
from stablehlo_py.ir.element_types import element_type_of, numpy_dtype
from stablehlo_py.ir.signature import Argument, entry_signature
from stablehlo_py.ir.trees import listed, node_above, normalized
from stablehlo_py.ir.types import QuantizedType, TensorType, Type
from stablehlo_py.opset.calls import symbol_references
from stablehlo_py.storage.safetensors import is_safetensors, open_safetensors
from stablehlo_py.transforms.pass_definition import failure
from stablehlo_py.transforms.passed_constants import drop_arguments, sink_constants
from stablehlo_py.transforms.refinement.arguments import function_to_refine

ARGUMENT_NAME = "jax.arg_info"  # the attribute of an argument with its name, as JAX exports it


def bind(
    module: Module, tensors: Mapping[str, Array], inputs: Collection[str] = (), extra: bool = False
) -> None:
    """Make constants of the arguments of a module's entry that tensors are named after.

    Args:
        module: The module, which is changed.
        tensors: Arrays by name: of an argument in the text, or its path in the tree of arguments. Constants
            are views of them.
        inputs: The names of the arguments that stay arguments; if there are any, all others have a tensor.
        extra: Whether tensors that no argument is named after are ignored.

    Raises:
        TransformError: If names are missing, left over, or refer to the same argument; or if the type of a
            tensor is not the type of its argument.
    """
    function = function_to_refine(module)
    _check_calls(module, function)
    arguments = entry_signature(module, str(function.python_value("sym_name"))).inputs
    found = _matched(module, function, arguments, tensors, extra)
    stay = _named(module, function, arguments, inputs)
    _check_inputs(module, function, arguments, found, stay)
    block = function.entry_block
    made = []
    for index, name in sorted(found.items()):
        argument = block.arguments[index]
        made.append(_constant(module, argument, name, tensors[name]))
        argument.replace_all_uses(made[-1].result)
    for op in made:
        op.parent = block
    block.ops[:0] = made
    left = drop_arguments(function, found)
    module.weights = {n: module.weights[old] for n, old in enumerate(left) if old in module.weights}
    module.container, module.convention = {}, None  # they describe the function with all arguments
    sink_constants(module, function, made)


class Below(Mapping[str, Array]):
    """Tensors of a node of the tree of arguments, by whole paths.

    Args:
        node: The path of the node.
        tensors: The tensors by their paths below the node.
    """

    def __init__(self, node: str, tensors: Mapping[str, Array]) -> None:
        self._names = {f"{node}/{name}": name for name in tensors}
        self._tensors = tensors

    def __getitem__(self, name: str) -> Array:
        return self._tensors[self._names[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def load_tensors(path: str) -> Mapping[str, Array]:
    """Open a file of arrays by name: `.safetensors`, which is mapped, its index, `.npz`, or a checkpoint.

    Raises:
        ValueError: The file cannot be read, or has another format.
    """
    try:
        found = open_safetensors(Path(path)) if is_safetensors(path) else load_arrays(Path(path))
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    if not isinstance(found, Mapping):
        raise ValueError(f"{path}: one array without a name; expected a .safetensors or .npz file")
    return found


# Names


def _matched(
    module: Module,
    function: Operation,
    arguments: Sequence[Argument],
    tensors: Mapping[str, Array],
    extra: bool,
) -> dict[int, str]:
    """Match arguments with tensors; return the name of the tensor by the index of the argument."""
    by_name: dict[str, list[Argument]] = {}
    for argument in arguments:
        for name in argument.normalized_names:
            by_name.setdefault(name, []).append(argument)
    found: dict[int, str] = {}
    left_over = []
    for name in tensors:
        named = by_name.get(normalized(name), [])
        if len(named) > 1:
            message = f"tensor {name} is named after {named[0]} and {named[1]}; rename one of them"
            raise failure(module, function, message)
        if not named:
            left_over.append(name)
        elif (first := found.setdefault(named[0].index, name)) != name:
            raise failure(module, function, f"tensors {first} and {name} are both named after {named[0]}")
    if left_over and not (extra and found):
        free = [each.path for each in arguments if each.index not in found]
        has = f"arguments without a tensor: {listed(free)}" if free else "all arguments have a tensor"
        tensor = counted(len(left_over), "tensor")
        message = f"{tensor} that no argument is named after: {listed(left_over)}; {has}"
        raise failure(module, function, message, *_hints(left_over, free, bool(found)))
    return found


def _hints(left_over: Collection[str], free: Collection[str], is_partial: bool) -> list[str]:
    """What to do about tensors that no argument is named after."""
    node = node_above(left_over, free)
    if node:
        return [f"they are the tensors of the node {node}: bind them with the option node={node}"]
    return ["the option extra=true ignores tensors that are left over"] if is_partial else []


def _named(
    module: Module, function: Operation, arguments: Sequence[Argument], inputs: Collection[str]
) -> set[int]:
    """Return the indices of arguments by name."""
    found: set[int] = set()
    for name in inputs:
        named = [argument.index for argument in arguments if normalized(name) in argument.normalized_names]
        if not named:
            labels = listed([each.path for each in arguments])
            raise failure(module, function, f"no argument is named {name}; the arguments are {labels}")
        found.update(named)
    return found


def _check_inputs(
    module: Module,
    function: Operation,
    arguments: Sequence[Argument],
    found: Mapping[int, str],
    stay: Collection[int],
) -> None:
    """Check that the kept arguments, if given, and the arguments with a tensor are all arguments."""
    for index in stay:
        if index in found:
            message = f"tensor {found[index]} is named after {arguments[index]}, which stays an argument"
            raise failure(module, function, message)
    missing = [each.path for each in arguments if each.index not in found and each.index not in stay]
    if stay and missing:
        message = f"no tensor for {counted(len(missing), 'argument')}: {listed(missing)}"
        raise failure(module, function, message)


def _check_calls(module: Module, function: Operation) -> None:
    """Check that no op refers to the function, since its arguments change."""
    name = str(function.python_value("sym_name"))
    for op in module.walk():
        if name in set(symbol_references(op)):
            raise failure(module, op, f"@{name} is called, so that its arguments cannot change")


# Constants


def _constant(module: Module, argument: BlockArgument, name: str, array: Array) -> Operation:
    """Return a constant in place of an argument, with its name and location."""
    type = argument.type
    if not isinstance(type, TensorType) or not type.is_static or isinstance(type.element_type, QuantizedType):
        hint = "; specialize the program first, with --dim" if isinstance(type, TensorType) else ""
        message = f"{name}: an argument of type {type} cannot be a constant{hint}"
        raise failure(module, argument, message)
    dtype = numpy_dtype(type.element_type)
    if array.dtype.kind == "V" and array.dtype.itemsize == dtype.itemsize:
        array = array.view(dtype)  # .npz files have narrow types as raw bytes
    if array.dtype != dtype or array.shape != type.shape:
        found = _type_of(array)
        raise failure(module, argument, f"{name}: the argument has type {type}, the tensor {found}")
    data = np.ascontiguousarray(array).reshape(-1)
    data.flags.writeable = False
    attribute = DenseElementsAttr(type, data)
    made = Operation("stablehlo.constant", (), [type], {"value": attribute}, location=argument.location)
    made.result.name = argument.name
    return made


def _type_of(array: Array) -> Type | str:
    row = element_type_of(array.dtype)
    return TensorType(array.shape, row.type) if row else f"{array.dtype} of shape {array.shape}"
