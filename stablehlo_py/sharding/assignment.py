"""Assignment: a mesh for a program, and shardings for the values that patterns name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from fnmatch import fnmatchcase
from typing import NamedTuple

from stablehlo_py.diagnostics.diagnostic import ParseError
from stablehlo_py.diagnostics.origin import scope_name
from stablehlo_py.diagnostics.suggestions import nearest
from stablehlo_py.ir.attributes import StringAttr, StructAttr, SymbolRefAttr, integer
from stablehlo_py.ir.core import BlockArgument, Module, Operation, Value
from stablehlo_py.ir.signature import signature
from stablehlo_py.ir.trees import listed, normalized
from stablehlo_py.ir.types import TensorType, Type
from stablehlo_py.sharding.annotations import FunctionResult, set_result_sharding, set_sharding
from stablehlo_py.sharding.errors import ShardingError
from stablehlo_py.sharding.mesh import Mesh, Meshes
from stablehlo_py.sharding.shardings import Sharding, from_attribute
from stablehlo_py.sharding.stages.meshes import MESH
from stablehlo_py.syntax.parser import parse_attribute

_FORM = "the form is NAME=[{AXIS}, {}, ...], with a pair of braces for each dimension"
_BARE_NAME = re.compile(r'(?<![\w"}])([A-Za-z_]\w*)(?![\w"]|\s*=)')


def parse_mesh(text: str) -> Mesh:
    """Return the mesh that a text such as `data=4,model=2` states; raise ValueError for another text."""
    axes: dict[str, int] = {}
    for part in text.split(","):
        match = re.fullmatch(r"\s*([A-Za-z_]\w*)\s*=\s*(\d{1,9})\s*", part)
        if match is None or not int(match[2]):
            raise ValueError(f"{part.strip()!r} is not an axis of a mesh; the form is AXIS=SIZE,AXIS=SIZE")
        if match[1] in axes:
            raise ValueError(f"the mesh {text} has the axis {match[1]} twice")
        axes[match[1]] = int(match[2])
    return Mesh(tuple(axes.items()))


def set_mesh(module: Module, mesh: Mesh) -> str:
    """Give a module a mesh, in place of its own one, and return the name of the mesh.

    Raises:
        ShardingError: If the module has several meshes.
    """
    meshes = Meshes(module)
    own = {name: op for name, op in meshes.ops.items() if meshes.find(op.properties["mesh"]).axes}
    if len(own) > 1:
        raise ShardingError(
            list(own.values())[1], "a mesh replaces the only one of a program, which has several"
        )
    axes = [StructAttr("sdy.mesh_axis", (("name", name), ("size", size))) for name, size in mesh.axes]
    attribute = StructAttr("sdy.mesh", (("axes", tuple(axes)), ("device_ids", mesh.device_ids)))
    for key, count in (("mhlo.num_partitions", mesh.num_devices), ("mhlo.num_replicas", 1)):
        module.op.attributes[key] = integer(count, 32)
    for name, op in own.items():
        op.properties["mesh"] = attribute
        op.attributes.pop("stablehlo.mesh", None)
        return name
    used = {op.python_value("sym_name") for op in module.body.ops}
    name = next(name for n in range(len(used) + 1) if (name := f"mesh_{n}" if n else "mesh") not in used)
    made = Operation(MESH, properties={"sym_name": StringAttr(name), "mesh": attribute})
    module.body.insert(0, made)
    return name


class Assignment(NamedTuple):
    """A sharding for the values that a pattern names."""

    pattern: str
    sharding: str

    @classmethod
    def parse(cls, text: str) -> Assignment:
        """Parse `params/*/kernel=[{}, {model}]`; raise ValueError for another text."""
        pattern, equal, dims = text.rpartition("=[")
        if not equal or not pattern.strip():
            raise ValueError(f"{text!r} is not the sharding of a value; {_FORM}")
        return cls(pattern.strip(), "[" + dims.strip())

    def read(self, mesh: str) -> Sharding:
        """Return the sharding over a mesh; raise ValueError if the text is not one."""
        dims = _BARE_NAME.sub(r'"\1"', self.sharding)
        try:
            found = parse_attribute(f"#sdy.sharding<@{mesh}, {dims}>")
        except ParseError as error:
            why = error.diagnostics[0].message
            raise ValueError(f"{self.sharding} is not a sharding ({why}); {_FORM}") from None
        assert isinstance(found, StructAttr)
        return from_attribute(found)


def assign(module: Module, assignments: Iterable[Assignment]) -> None:
    """Give values shardings; of several for one value, the last counts.

    Args:
        module: The module, which is changed.
        assignments: The shardings. A pattern is a name, in which `*` stands for any characters: of an
            argument in the text (`x`, `%x`, `arg0`) or in JAX (`params/*/kernel` for
            `params['dense']['kernel']`), of a result (`out0`, or what JAX recorded), or of an op's location
            (`*/layer_0/dot_general`).

    Raises:
        ShardingError: If a pattern names no value, or a sharding does not fit one.
        ValueError: If a text is not a sharding, or the program has not one mesh.
    """
    meshes = Meshes(module)
    own = [name for name, op in meshes.ops.items() if meshes.find(op.properties["mesh"]).axes]
    if len(own) != 1:
        count = len(own) or "none"
        raise ValueError(f"shardings need one mesh, and the program has {count}; give one as mesh=x=4,y=2")
    mesh = Meshes(module).find(SymbolRefAttr(own[0]))
    named = list(_named(module))
    for each in assignments:
        sharding = each.read(own[0])
        pattern = normalized(each.pattern)
        found = [place for place, names in named if any(fnmatchcase(name, pattern) for name in names)]
        if not found:
            raise ShardingError(module.op, _no_value(each.pattern, pattern, named))
        for place in found:
            _check(place, sharding, mesh)
            if isinstance(place, FunctionResult):
                set_result_sharding(place, sharding)
            else:
                set_sharding(place, sharding)


Place = Value | FunctionResult


def _named(module: Module) -> Iterator[tuple[Place, Set[str]]]:
    """Yield arguments, results and the results of ops, with the names of each.

    Names of arguments are those of public functions: every private one has an `arg0`, too.
    """
    for function in module.functions.values():
        if not function.regions or not function.regions[0].blocks:
            continue
        if function.python_value("sym_visibility") != "private":
            yield from _border(function)
        for op in function.walk():
            scope = normalized(scope_name(op.location)) if op is not function else ""
            if scope:
                yield from ((value, {scope}) for value in op.results)


def _border(function: Operation) -> Iterator[tuple[Place, Set[str]]]:
    found = signature(function)
    for argument, value in zip(found.inputs, function.entry_block.arguments, strict=True):
        yield value, argument.normalized_names
    for result in found.outputs:
        yield FunctionResult(function, result.index), {f"out{result.index}", normalized(result.name)} - {""}


def _no_value(pattern: str, path: str, named: list[tuple[Place, Set[str]]]) -> str:
    arguments = [sorted(names)[-1] for place, names in named if isinstance(place, BlockArgument)]
    close = nearest(path, [name for _, names in named for name in names])
    hint = f"did you mean {close}?" if close else f"arguments: {listed(arguments)}"
    return f"no value is named {pattern}; {hint}"


def _check(place: Place, sharding: Sharding, mesh: Mesh) -> None:
    """Raise ShardingError if a sharding does not fit a value."""
    where, what, type = _described(place)
    shape = type.shape if isinstance(type, TensorType) else ()
    if len(shape) != len(sharding.dims):
        raise ShardingError(
            where, f"the sharding of {what} has {len(sharding.dims)} dimensions, and {type} has {len(shape)}"
        )
    unknown = next((axis.name for axis in sharding.axes if axis.name not in mesh.sizes), None)
    if unknown is not None:
        axes = ", ".join(mesh.sizes)
        raise ShardingError(
            where, f"the sharding of {what} names the axis {unknown}; the axes of the mesh are: {axes}"
        )
    for number, (size, dim) in enumerate(zip(shape, sharding.dims, strict=True)):
        shards = dim.num_shards(mesh.sizes)
        if size is not None and size < shards:
            raise ShardingError(
                where,
                f"dimension {number} of {what} has size {size}, and the sharding divides it among {shards} "
                "devices",
            )


def _described(place: Place) -> tuple[Operation | BlockArgument, str, Type]:
    if isinstance(place, FunctionResult):
        output = signature(place.function).outputs[place.index]
        return place.function, str(output), output.type
    if isinstance(place, BlockArgument):
        return place, str(place), place.type
    return place.op, str(place), place.type  # type: ignore[attr-defined]
