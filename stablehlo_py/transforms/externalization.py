"""Externalization of weights: large constants become arguments, or resources."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from stablehlo_py.diagnostics.origin import python_line, scope_name
from stablehlo_py.ir.attributes import ArrayAttr, DenseElementsAttr, DenseResourceAttr, DictAttr, StringAttr
from stablehlo_py.ir.core import Block, Module, Operation, Value, erase_all
from stablehlo_py.ir.element_types import ELEMENT_TYPES, storage_dtype
from stablehlo_py.ir.locations import Location, NameLoc
from stablehlo_py.ir.signature import entry_signature
from stablehlo_py.ir.trees import normalized
from stablehlo_py.ir.types import TensorType
from stablehlo_py.opset.calls import callee
from stablehlo_py.opset.definition import has_trait, lookup
from stablehlo_py.transforms.binding import ARGUMENT_NAME
from stablehlo_py.transforms.passed_constants import movable_functions, pass_more
from stablehlo_py.transforms.refinement.arguments import function_to_refine, results_of, set_function_type

Array = np.ndarray[Any, np.dtype[Any]]
_TRANSFORM = re.compile(r"^(?:\w+\([^()/]*\)/)+")  # `jit(f)/jit(main)/`
_PLAIN_RESOURCE = re.compile(r"[^\w.$-]+", re.ASCII)


class Weight(NamedTuple):
    """A constant that becomes an argument: its name, and its op."""

    name: str
    op: Operation


def externalize(module: Module, min_bytes: int, as_resources: bool) -> dict[str, Array]:
    """Turn the large constants that a module's entry uses into arguments, or into resources.

    The arguments follow the existing arguments, in the order of the program. The entry passes them to the
    functions that it calls. Constants stay in functions that other ops refer to, and in functions on
    elements.

    Args:
        module: The module, which is changed.
        min_bytes: The least size of a constant in bytes; a splat has the size of one element.
        as_resources: Whether to keep the constants, and move their elements to resources of the module.

    Returns:
        The elements by the names of the arguments or resources, as views of the program.

    Raises:
        TransformError: If the module has no entry with one block.
    """
    entry = function_to_refine(module)
    movable = movable_functions(module, entry)
    names = _Names()
    if as_resources:
        found = [(op, _name(op)) for f in movable for op in _large(module, f, min_bytes)]
        return dict([_stored(module, op, names.unique(_PLAIN_RESOURCE.sub("_", name))) for op, name in found])
    names.taken.update(
        [
            name
            for argument in entry_signature(module, str(entry.python_value("sym_name"))).inputs
            for name in argument.normalized_names
        ]
    )
    needed: dict[str, list[Weight]] = {}
    for function in movable:
        own = [Weight(names.unique(_name(op)), op) for op in _large(module, function, min_bytes)]
        needed[str(function.python_value("sym_name"))] = own
    return _pass_on(module, entry, movable, needed)


def elements(module: Module, op: Operation) -> Array | None:
    """Return the elements of a constant; None if they are not in the program."""
    value = op.properties.get("value")
    if isinstance(value, DenseElementsAttr):
        return value.value
    type = value.type if isinstance(value, DenseResourceAttr) else None
    if not isinstance(value, DenseResourceAttr) or not isinstance(type, TensorType) or not type.is_static:
        return None
    dtype = storage_dtype(type.element_type)
    shape: Any = type.shape
    data = np.frombuffer(module.resources.get(value.key, b""), np.uint8)
    size = (type.size or 0) * dtype.itemsize
    return data[:size].view(dtype).reshape(shape) if len(data) >= size else None


# Which constants


def _large(module: Module, function: Operation, min_bytes: int) -> Iterator[Operation]:
    """Yield the large constants of a function and of its control flow, in order."""
    pending = [iter(function.blocks)]
    while pending:
        block = next(pending[-1], None)
        if block is None:
            pending.pop()
            continue
        yield from _large_in(module, block, min_bytes)
        inner = [b for op in block.ops if has_trait(op.name, "runs_bodies") for b in _open_blocks(op)]
        pending.append(iter(inner))


def _open_blocks(op: Operation) -> list[Block]:
    return [] if has_trait(op.name, "isolated") else op.blocks


def _large_in(module: Module, block: Block, min_bytes: int) -> Iterator[Operation]:
    for op in block.ops:
        if not has_trait(op.name, "constant") or len(op.results) != 1 or not _is_storable(op):
            continue
        value = op.properties.get("value")
        array = value.data if isinstance(value, DenseElementsAttr) else elements(module, op)
        if array is not None and array.nbytes >= max(min_bytes, 1):
            yield op


def _is_storable(op: Operation) -> bool:
    """Test whether weight files have the element type, in whole bytes."""
    type = op.result.type
    if not isinstance(type, TensorType) or not type.is_static:
        return False
    row = ELEMENT_TYPES.get(type.element_type)
    if row is None or not row.safetensors:
        return False
    return row.literal != "float" or (type.size or 0) * row.width % 8 == 0


# Arguments


def _pass_on(
    module: Module, entry: Operation, movable: list[Operation], needed: dict[str, list[Weight]]
) -> dict[str, Array]:
    """Give functions arguments for their constants and their callees' constants; return the elements."""
    tensors = {
        weight.name: array
        for weights in needed.values()
        for weight in weights
        if (array := elements(module, weight.op)) is not None
    }
    passed: dict[str, list[Weight]] = {}
    gone = []
    for function in movable:
        name = str(function.python_value("sym_name"))
        calls = [op for op in function.walk() if passed.get(str(callee(op)))]
        weights = dict.fromkeys([w for call in calls for w in passed[str(callee(call))]])
        passed[name] = [*needed[name], *weights]
        values = _add_arguments(function, passed[name])
        for weight in needed[name]:
            weight.op.result.replace_all_uses(values[weight])
            gone.append(weight.op)
        for call in calls:
            pass_more(call, [values[w] for w in passed[str(callee(call))]])
    order = [weight.name for weight in passed[str(entry.python_value("sym_name"))]]
    erase_all(gone)
    if order:
        module.container, module.convention = {}, None  # they describe the function with other arguments
    return {name: tensors[name] for name in order}


def _add_arguments(function: Operation, weights: list[Weight]) -> dict[Weight, Value]:
    """Append arguments to a function, with their names in an attribute and as locations."""
    if not weights:
        return {}
    block = function.entry_block
    values: dict[Weight, Value] = {}
    for weight in weights:
        location: Location = NameLoc(weight.name)
        values[weight] = block.add_argument(weight.op.result.type, None, location)
    attributes = function.attribute("arg_attrs")
    before = attributes.value if isinstance(attributes, ArrayAttr) else ()
    before = before or (DictAttr(()),) * (len(block.arguments) - len(weights))
    infos = [DictAttr.of({ARGUMENT_NAME: StringAttr(weight.name)}) for weight in weights]
    function.properties["arg_attrs"] = ArrayAttr((*before, *infos))
    set_function_type(function, results_of(function))
    return values


def _stored(module: Module, op: Operation, key: str) -> tuple[str, Array]:
    """Let a constant refer to a resource with its elements."""
    array = elements(module, op)
    assert array is not None and isinstance(op.result.type, TensorType)
    raw = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    module.resources = {**module.resources, key: raw.data}
    module.resource_text = None
    module.resource_alignments[key] = 64
    op.properties["value"] = DenseResourceAttr(key, op.result.type)
    return key, array


# Names


class _Names:
    """Unique names: a name that is taken gets a number."""

    def __init__(self) -> None:
        self.taken: set[str] = set()
        self._next: dict[str, int] = {}

    def unique(self, name: str) -> str:
        made, number = name, self._next.get(name, 1)
        while normalized(made) in self.taken:
            made, number = f"{name}_{number}", number + 1
        self._next[name] = number
        self.taken.add(normalized(made))
        return made


def _name(op: Operation) -> str:
    """Name a constant: by its path or scope, the scope of its first use, its line, or a number."""
    if scope := normalized(scope_name(op.location)):
        return _TRANSFORM.sub("", scope) or scope
    use = next(iter(op.result.uses), None)
    if use is not None and (scope := scope_name(use.op.location)):
        definition = lookup(use.op.name)
        operands = definition.operands if definition is not None else ()
        operand = operands[use.position].name if use.position < len(operands) else str(use.position)
        return f"{_TRANSFORM.sub('', scope) or scope}/{operand}"
    line = python_line(op) or (python_line(use.op) if use is not None else "")
    return line or "constant"
