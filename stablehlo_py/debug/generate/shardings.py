"""Drawn shardings for programs: of arguments and results, constraints, groups, priorities, parts of axes."""

from __future__ import annotations

import random
from math import prod

from stablehlo_py.ir.attributes import (
    ArrayAttr,
    Attribute,
    DictAttr,
    StringAttr,
    StructAttr,
    SymbolRefAttr,
    integer,
)
from stablehlo_py.ir.core import Block, Module, Operation, Region, Value
from stablehlo_py.ir.types import TensorType
from stablehlo_py.opset.definition import has_trait
from stablehlo_py.sharding.annotations import FunctionResult, set_result_sharding, set_sharding
from stablehlo_py.sharding.axes import Axis, appended
from stablehlo_py.sharding.shardings import (
    SHARDING,
    DimSharding,
    Sharding,
    manual_axes,
    per_value,
    to_attribute,
)

KINDS = ("plain", "open", "constraint", "priority", "parts", "indivisible", "manual", "group")
SEVERAL = KINDS[:-1]  # kinds that fit any program: the values of a group need shapes of one rank
_MESH = SymbolRefAttr("mesh")
_MESHES = (
    {"x": 2},
    {"x": 4, "y": 2},
    {"x": 2, "y": 2, "z": 2},
    {"x": 8},
    {"x": 3, "y": 2},
    {"x": 4, "y": 1, "z": 2},
)
_WITH_PARTS = ({"x": 4, "y": 2}, {"x": 8}, {"x": 8, "y": 4})


class Drawing:
    """Draws shardings for a program.

    Args:
        module: The module, which is changed.
        kind: The kind of shardings, one of `KINDS`.
        seed: The seed.
    """

    def __init__(self, module: Module, kind: str, seed: int) -> None:
        self.module, self.kind = module, kind
        self.random = random.Random(seed)
        self.sizes = self.random.choice(_WITH_PARTS if kind == "parts" else _MESHES)

    def run(self) -> None:
        """Annotate the program."""
        _clean(self.module)
        axes = [_struct("mesh_axis", name=name, size=size) for name, size in self.sizes.items()]
        mesh = _struct("mesh", axes=tuple(axes), device_ids=())
        self.module.body.insert(
            0, Operation("sdy.mesh", properties={"sym_name": StringAttr("mesh"), "mesh": mesh})
        )
        self.module.op.attributes["mhlo.num_partitions"] = integer(prod(self.sizes.values()), 32)
        main = self.module.functions["main"]
        for argument in main.entry_block.arguments:
            if _is_sharded(argument) and self.random.random() < 0.6:
                set_sharding(argument, self.sharding(argument))
        for index, value in enumerate(main.entry_block.ops[-1].operands):
            if _is_sharded(value) and self.random.random() < 0.2:
                set_result_sharding(FunctionResult(main, index), self.sharding(value))
        for op in [op for op in main.walk() if len(op.results) == 1 and _is_sharded(op.results[0])]:
            if op.parent_op is main or has_trait(op.parent_op.name, "runs_bodies"):  # type: ignore[union-attr]
                self._annotate(op)

    def _annotate(self, op: Operation) -> None:
        draw, value = self.random.random(), op.results[0]
        if draw < (0.25 if self.kind == "constraint" else 0.03):
            self._constrain(op)
        elif self.kind == "group" and draw < 0.3:
            number = sum(value.type.shape) % 7 if isinstance(value.type, TensorType) else 0  # type: ignore[arg-type]
            _insert_behind(op, Operation("sdy.sharding_group", [value], [], {"group_id": integer(number)}))
        elif self.kind == "manual" and draw < 0.2 and has_trait(op.name, "elementwise"):
            if all(_shape(operand) == _shape(value) for operand in op.operands):
                self._enclose(op)
        elif draw < 0.06 and not op.regions:
            op.attributes[SHARDING] = per_value([self.sharding(value)])

    def sharding(self, value: Value) -> Sharding:
        """Draw a sharding of a value."""
        axes, dims = self._axes(), []
        for size in _shape(value):
            found: tuple[Axis, ...] = ()
            while axes and self.random.random() < 0.5:
                count = axes[-1].size(self.sizes)
                if size < count or (self.kind != "indivisible" and size % count):
                    break
                found, size = appended(found, axes.pop(), self.sizes), size // count
            is_closed = self.random.random() < (0.3 if self.kind == "open" else 0.7)
            takes = self.kind == "priority" and (found or not is_closed)
            dims.append(DimSharding(found, is_closed, self.random.choice((None, 0, 1, 2)) if takes else None))
        replicated = (axes.pop(),) if axes and self.random.random() < 0.15 else ()
        return Sharding(_MESH, tuple(dims), replicated)

    def _axes(self) -> list[Axis]:
        found: list[Axis] = []
        for name, size in self.sizes.items():
            splits = self.kind == "parts" and size >= 4 and self.random.random() < 0.6
            found += [Axis(name, 1, 2), Axis(name, 2, size // 2)] if splits else [Axis(name)]
        self.random.shuffle(found)
        return found

    def _constrain(self, op: Operation) -> None:
        value = op.results[0]
        constraint = Operation(
            "sdy.sharding_constraint", [], [value.type], {"sharding": to_attribute(self.sharding(value))}
        )
        value.replace_all_uses(constraint.results[0])
        constraint.use_operands([value])
        _insert_behind(op, constraint)

    def _enclose(self, op: Operation) -> None:
        """Let a manual computation compute an elementwise op."""
        value = op.results[0]
        shape, dims = list(_shape(value)), [()] * len(_shape(value))
        names = [name for name in self.sizes if self.random.random() < 0.7] or [next(iter(self.sizes))]
        for name in names:
            fitting = [dim for dim, size in enumerate(shape) if size and size % self.sizes[name] == 0]
            if fitting:
                dim = self.random.choice(fitting)
                dims[dim] = (*dims[dim], Axis(name))  # type: ignore[assignment]
                shape[dim] //= self.sizes[name]
        types = [TensorType(tuple(shape), v.type.element_type) for v in (*op.operands, value)]
        block = Block(types[:-1])
        inner = block.append(Operation(op.name, block.arguments, types[-1:], op.properties, op.attributes))
        block.append(Operation("sdy.return", inner.results))

        def drawn() -> Sharding:
            return Sharding(_MESH, tuple([DimSharding(axes, self.random.random() < 0.6) for axes in dims]))

        properties: dict[str, Attribute] = {
            "in_shardings": per_value([drawn() for _ in op.operands]),
            "out_shardings": per_value([drawn()]),
            "manual_axes": manual_axes(names),
        }
        made = Operation(
            "sdy.manual_computation", op.operands, [value.type], properties, regions=[Region([block])]
        )
        value.replace_all_uses(made.results[0])
        _insert_behind(op, made)
        op.erase()


def _struct(kind: str, /, **fields: object) -> StructAttr:
    return StructAttr(f"sdy.{kind}", tuple(fields.items()))


def _shape(value: Value) -> tuple[int, ...]:
    assert isinstance(value.type, TensorType)
    return tuple([size or 0 for size in value.type.shape])


def _is_sharded(value: Value) -> bool:
    return isinstance(value.type, TensorType) and value.type.is_static and bool(value.type.shape)


def _insert_behind(op: Operation, new: Operation) -> None:
    assert op.parent is not None
    op.parent.insert(op.parent.ops.index(op) + 1, new)


def _clean(module: Module) -> None:
    """Remove all shardings."""
    module.body.ops = [op for op in module.body.ops if not has_trait(op.name, "mesh")]
    for op in module.walk():
        op.attributes.pop(SHARDING, None)
        for key in ("arg_attrs", "res_attrs"):
            stored = op.properties.get(key)
            if isinstance(stored, ArrayAttr):
                op.properties[key] = ArrayAttr(tuple(map(_without_sharding, stored.value)))


def _without_sharding(entry: Attribute) -> Attribute:
    assert isinstance(entry, DictAttr)
    return DictAttr(tuple([(key, value) for key, value in entry if key != SHARDING]))
