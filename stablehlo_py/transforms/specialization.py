"""Specialization: a dynamic program for given sizes of its arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from stablehlo_py.diagnostics.suggestions import did_you_mean
from stablehlo_py.ir.attributes import bounds
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.signature import Argument, signature
from stablehlo_py.ir.types import TensorType, Type
from stablehlo_py.transforms.pass_manager import run_passes
from stablehlo_py.transforms.refinement.arguments import function_to_refine
from stablehlo_py.transforms.refinement.refined_types import most_specific
from stablehlo_py.transforms.symbolic_sizes import evaluate_size, symbolic_shapes, symbols

_LISTED = 8


def specialized(module: Module, sizes: Mapping[str, int]) -> Module:
    """Return a program for given sizes of its arguments; see `transforms.api.specialize`."""
    function = function_to_refine(module)
    types = _types(module, function, sizes)
    is_complete = all(not isinstance(type, TensorType) or type.is_static for type in types)
    passes = [
        f"stablehlo-refine-arguments{{types={{{','.join(map(str, types))}}}}}",
        "stablehlo-refine-shapes{separate-calls}",
        *(["stablehlo-check-shape-assertions"] if is_complete else []),
        "stablehlo-canonicalize-dynamism",
        "symbol-dce",
    ]
    made = run_passes(module, passes)
    made.container, made.convention = {}, module.convention
    return made


def _types(module: Module, function: Operation, sizes: Mapping[str, int]) -> list[Type]:
    """Return the types of the arguments for the given sizes."""
    shapes = symbolic_shapes(module, function)
    arguments = signature(function).inputs
    known = _names(arguments, shapes)
    for name, size in sizes.items():
        if name not in known:
            raise ValueError(_unknown(name, known, arguments, shapes))
        if size < 0:
            raise ValueError(f"dimension {name} must be at least 0, not {size}")
    return [_type(argument, shapes.get(argument.index), sizes) for argument in arguments]


def open_sizes(module: Module) -> list[str]:
    """Return the names of the sizes that a program leaves open: its symbols, then other dimensions.

    Raises:
        TransformError: If no function is the entry.
    """
    function = function_to_refine(module)
    shapes = symbolic_shapes(module, function)
    arguments = signature(function).inputs
    return _open(_names(arguments, shapes), arguments, shapes)


def _axes(argument: Argument) -> Iterator[tuple[int, int | None, list[str]]]:
    """Yield the axes of an argument: index, size, and the names `INPUT.AXIS` of the axis."""
    if isinstance(argument.type, TensorType):
        for axis, size in enumerate(argument.type.shape):
            yield axis, size, [f"{name}.{axis}" for name in sorted(argument.names)]


def _names(arguments: tuple[Argument, ...], shapes: Mapping[int, tuple[str, ...]]) -> list[str]:
    """Return the names of all dimensions: symbols first."""
    found = [name for shape in shapes.values() for size in shape for name in symbols(size)]
    axes = [names for argument in arguments for _, _, names in _axes(argument)]
    return list(dict.fromkeys([*found, *[name for names in axes for name in names]]))


def _type(argument: Argument, shape: tuple[str, ...] | None, sizes: Mapping[str, int]) -> Type:
    """Return the type of an argument for the given sizes."""
    type = argument.type
    if not isinstance(type, TensorType):
        return type
    found: list[int | None] = []
    for axis, size, names in _axes(argument):
        text = shape[axis] if shape is not None else ""
        given = {sizes[name] for name in names if name in sizes}
        value = evaluate_size(text, sizes) if text else None
        given |= {each for each in (value, size) if each is not None}
        if len(given) > 1 or any(each < 0 for each in given):
            stated = f" ({text})" if text else ""
            conflict = " and ".join(map(str, sorted(given)))
            raise ValueError(f"dimension {axis} of {argument}{stated} cannot have size {conflict}")
        found.append(next(iter(given), None))
    made = TensorType(tuple(found), type.element_type)
    for axis, (size, bound) in enumerate(zip(found, bounds(type), strict=True)):
        if size is not None and bound is not None and size > bound:
            raise ValueError(f"dimension {axis} of {argument} cannot have size {size}: its bound is {bound}")
    return made if made.is_static else most_specific(type, made)


def _open(
    known: list[str], arguments: tuple[Argument, ...], shapes: Mapping[int, tuple[str, ...]]
) -> list[str]:
    """Return the symbols, and a name of each dimension of unknown size that has none."""
    unknown = [
        names[0]
        for argument in arguments
        if argument.index not in shapes
        for _, size, names in _axes(argument)
        if size is None
    ]
    return [each for each in known if "." not in each] + unknown


def _unknown(
    name: str, known: list[str], arguments: tuple[Argument, ...], shapes: Mapping[int, tuple[str, ...]]
) -> str:
    """Return the message for a name that is no dimension."""
    stated = _open(known, arguments, shapes)
    listed = ", ".join(stated[:_LISTED]) + (
        f" and {len(stated) - _LISTED} more" if len(stated) > _LISTED else ""
    )
    has = f"its dimensions are {listed}" if stated else "all its dimensions have sizes"
    return f"the program has no dimension {name}{did_you_mean(name, known) or f'; {has}'}"
