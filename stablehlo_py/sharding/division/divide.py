"""Division of a program: each op computes shards, and collectives bring what it lacks.

A value of the divided program has a layout: the axes that divide each of its dimensions. The axes of an op's
factors are chosen from the layouts of its operands and the sharding of its result, and its operands are
resharded to them. What has no division is gathered, computed as a whole on every device, and sliced by its
users; a remark says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from stablehlo_py.ir.attributes import (
    DenseElementsAttr,
    IntegerAttr,
    TypeAttr,
)
from stablehlo_py.ir.cloning import clone_op
from stablehlo_py.ir.core import Block, Module, Operation, Value
from stablehlo_py.ir.types import I32, FunctionType, TensorType, Type
from stablehlo_py.opset.calls import callee
from stablehlo_py.opset.definition import lookup
from stablehlo_py.sharding.annotations import (
    argument_shardings,
    result_shardings,
    sharding_of,
    stated_shardings,
)
from stablehlo_py.sharding.axes import Axes, Sizes
from stablehlo_py.sharding.data_flow import flow_of
from stablehlo_py.sharding.division.choice import (
    Placed,
    choose_axes,
    halos_of,
    layout_of,
    local_type,
    scattered_dim,
    stated_layout,
)
from stablehlo_py.sharding.division.devices import Layout, devices_of
from stablehlo_py.sharding.division.emitter import Emitter, body_of
from stablehlo_py.sharding.division.halos import exchange, mirror
from stablehlo_py.sharding.division.joins import choose_join, is_joined, joined, joined_dim, sources_of
from stablehlo_py.sharding.division.leftovers import drop_mesh, drop_shardings
from stablehlo_py.sharding.division.local_ops import (
    REDUCTION,
    SCATTER,
    combines_parts,
    divided_rule,
    is_a,
    local_properties,
    parts_of_dims,
    splat,
)
from stablehlo_py.sharding.division.lookups import looked_up, masked
from stablehlo_py.sharding.division.masks import is_iota, local_iota, mask_padding
from stablehlo_py.sharding.division.resharding import reshard
from stablehlo_py.sharding.division.scatters import scattered
from stablehlo_py.sharding.division.selections import selected
from stablehlo_py.sharding.division.updates import is_slice, widen
from stablehlo_py.sharding.division.windows import Halo, mirrored, moved_operands, windowed, windows_of
from stablehlo_py.sharding.mesh import Mesh, mesh_of_devices
from stablehlo_py.sharding.op_rules import elementwise_rule, rule_of
from stablehlo_py.sharding.rules import Rule
from stablehlo_py.sharding.shardings import SHARDING, Sharding
from stablehlo_py.sharding.uneven import Uneven
from stablehlo_py.sharding.values import shape_of

_CONSTANT = "stablehlo.constant"
_MOST_DEVICES = 1 << 20  # the groups of collectives list them


@dataclass(slots=True)
class Division:
    """What dividing a program gives.

    Attributes:
        mesh: The mesh of its devices.
        signatures: The layouts of the arguments and of the results of each function, by name.
        remarks: The ops that every device computes as a whole, with the reason.
        shortened: The dimensions of arguments and results that are divided along a part of their axes alone.
        placed: The values of the divided program, with their layouts; not those that collectives make.
    """

    mesh: Mesh
    signatures: dict[str, tuple[list[Layout], list[Layout]]] = field(default_factory=dict)
    remarks: list[tuple[Operation, str]] = field(default_factory=list)
    shortened: list[Uneven] = field(default_factory=list)
    placed: dict[Value, Placed] = field(default_factory=dict)


def divide(module: Module) -> Division:
    """Divide a program whose shardings have been propagated, into the program of one device.

    Args:
        module: The module, which is changed.

    Returns:
        How arguments and results are divided, and what is not.

    Raises:
        ShardingError: For meshes of different devices, or of too many.
    """
    mesh = mesh_of_devices(module, _MOST_DEVICES)
    division = Division(mesh)
    divider = _Divider(module, division)
    for function in list(module.functions.values()):
        divider.function(function)
    drop_mesh(module, divider.devices)
    module.op.attributes["mhlo.num_partitions"] = IntegerAttr(mesh.num_devices, I32)
    module.op.attributes["mhlo.num_replicas"] = IntegerAttr(1, I32)
    return division


class _Divider:
    """Divides the functions of a module."""

    def __init__(self, module: Module, division: Division) -> None:
        self.module, self.division = module, division
        self.devices = devices_of(division.mesh)
        self.sizes: Sizes = self.devices.sizes
        self.values: dict[Value, Placed] = {}
        # The slices that concatenations take from what they are slices of, by their results.
        self.skipped: dict[Value, Operation] = {}
        self.signatures = division.signatures
        for name, function in module.functions.items():
            self.signatures[name] = self._signature(function)

    def layout(self, sharding: Sharding | None, type: Type) -> Layout:
        """Return the layout of a sharding; see `stated_layout`."""
        return stated_layout(sharding, type, self.sizes)

    def local(self, type: Type, layout: Layout) -> Type:
        """Return the type of a shard."""
        return local_type(type, layout, self.sizes)

    def _signature(self, function: Operation) -> tuple[list[Layout], list[Layout]]:
        type = _function_type(function)
        return (
            [self.layout(s, t) for s, t in zip(argument_shardings(function), type.inputs, strict=True)],
            [self.layout(s, t) for s, t in zip(result_shardings(function), type.results, strict=True)],
        )

    def _place(self, old: Value, new: Value, layout: Layout) -> None:
        self.values[old] = Placed(new, layout, shape_of(old))
        self.division.placed.setdefault(new, self.values[old])

    # Functions and blocks

    def function(self, function: Operation) -> None:
        """Divide a function."""
        if not function.blocks:
            return
        arguments, results = self.signatures[str(function.python_value("sym_name"))]
        block = function.regions[0].block
        self._block(block, arguments, results, None)
        types = _function_type(function)
        local = FunctionType(
            tuple([self.local(t, layout) for t, layout in zip(types.inputs, arguments, strict=True)]),
            tuple([self.local(t, layout) for t, layout in zip(types.results, results, strict=True)]),
        )
        function.properties["function_type"] = TypeAttr(local)
        for key in ("arg_attrs", "res_attrs"):
            drop_shardings(function, key)

    def _block(
        self, block: Block, arguments: Sequence[Layout], results: Sequence[Layout], outer: Emitter | None
    ) -> None:
        """Divide a block in place."""
        pairs = list(zip(block.arguments, arguments, strict=True))
        made = Block([self.local(arg.type, layout) for arg, layout in pairs], block.label, block.offset)
        for (argument, layout), new in zip(pairs, made.arguments, strict=True):
            new.name, new.location, new.offset = argument.name, argument.location, argument.offset
            self._place(argument, new, layout)
        emitter = Emitter(self.devices, made) if outer is None else outer.inside(made)
        *ops, last = block.ops
        for op in ops:
            emitter.source = op
            self._visit(op, emitter)
        emitter.source = last
        operands = [
            self._in(value, layout, emitter) for value, layout in zip(last.operands, results, strict=True)
        ]
        emitter.append(Operation(last.name, operands, (), last.properties))
        region = block.parent
        assert region is not None
        made.parent = region
        region.blocks[region.blocks.index(block)] = made

    def _in(self, value: Value, layout: Layout, emitter: Emitter) -> Value:
        """Return a value in a layout."""
        placed = self.values[value]
        if placed.layout == layout:
            return placed.value
        elements = splat(placed.value)
        type = self.local(value.type, layout)
        if elements is not None and isinstance(type, TensorType):
            return emitter.op(_CONSTANT, (), type, value=DenseElementsAttr(type, elements.data))
        key = (placed.value, layout, placed.shape)
        if key not in emitter.moved:
            emitter.moved[key] = reshard(emitter, placed.value, placed.layout, layout, placed.shape)
        return emitter.moved[key]

    def _whole(self, value: Value, emitter: Emitter) -> Value:
        return self._in(value, ((),) * len(self.values[value].shape), emitter)

    # Ops

    def _visit(self, op: Operation, emitter: Emitter) -> None:
        flow = flow_of(op)
        definition = lookup(op.name)
        traits = definition.traits if definition is not None else frozenset()
        if flow == "loop" or "branches" in traits:
            self._control(op, flow, emitter)
        elif callee(op) is not None and str(callee(op)) in self.signatures and "composite" not in traits:
            self._call(op, emitter)
        elif flow == "manual_body":
            self._manual(op, emitter)
        elif "identity" in traits and len(op.results) == len(op.operands):
            self._identity(op, emitter)
        elif is_iota(op):
            self._iota(op, emitter)
        elif "constant" in traits and isinstance(op.result.type, TensorType):
            made = Operation(_CONSTANT, (), [op.result.type], {"value": op.properties["value"]})
            self._place(op.result, emitter.append(made).result, self._replicated(op.result))
        else:
            rule = rule_of(op) or elementwise_rule(op)
            if rule is None or rule.is_custom:
                self._undivided(op, emitter)
            elif is_joined(op):
                self.skipped[op.result] = op
            elif joined_dim(op) is None or not self._joined(op, rule, emitter):
                self._divided(op, rule, emitter)

    def _iota(self, op: Operation, emitter: Emitter) -> None:
        type = op.result.type
        layout = self.layout(sharding_of(op.result), type)
        local = self.local(type, layout)
        assert isinstance(local, TensorType)
        self._place(op.result, local_iota(emitter, op, layout, local), layout)

    def _replicated(self, value: Value) -> Layout:
        return ((),) * len(value.type.shape) if isinstance(value.type, TensorType) else ()

    def _identity(self, op: Operation, emitter: Emitter) -> None:
        """Give values the sharding that an op states; a barrier keeps the layouts of its operands."""
        if flow_of(op) == "operands":
            values = [self.values[value] for value in op.operands]
            made = Operation(op.name, [v.value for v in values], [v.value.type for v in values])
            emitter.append(made)
            for result, new, placed in zip(op.results, made.results, values, strict=True):
                self._place(result, new, placed.layout)
            return
        layout = self.layout(sharding_of(op.result), op.result.type)
        self._place(op.result, self._in(op.operands[0], layout, emitter), layout)

    def _remark(self, op: Operation) -> None:
        self.division.remarks.append((op, "is computed as a whole on every device"))

    def _undivided(self, op: Operation, emitter: Emitter) -> None:
        """Compute an op as a whole on every device."""
        inside = {value: value for inner in op.walk() for value in inner.operands}
        values = {v: self._whole(v, emitter) for v in inside if v in self.values}
        if any(any(self.values[v].layout) for v in op.operands):
            self._remark(op)
        made = clone_op(op, dict(values))
        made.attributes.pop(SHARDING, None)
        emitter.append(made)
        for old, new in zip(op.results, made.results, strict=True):
            self._place(old, new, self._replicated(old))

    def _divided(self, op: Operation, rule: Rule, emitter: Emitter) -> None:
        """Compute an op on shards, along the axes of its factors."""
        rule = divided_rule(op, rule)
        given = [self.values[value] for value in op.operands]
        wanted = [self.layout(sharding_of(result), result.type) for result in op.results]
        axes = choose_axes(op, rule, given, wanted, self.sizes)
        if not any(axes) and any(any(value.layout) for value in given):
            self._remark(op)
        layouts = [layout_of(mapping, axes) for mapping in rule.tensors]
        operands = [self._in(v, layout, emitter) for v, layout in zip(op.operands, layouts, strict=False)]
        results = layouts[len(op.operands) :]
        reduced = tuple([axis for factor in rule.of_kind("reduction") for axis in axes[factor]])
        halos = self._exchange(op, rule, axes, operands, emitter)
        inside = looked_up(emitter, op, rule, axes, operands) if reduced else None
        shard = widen(emitter, op, parts_of_dims(op, rule, axes), operands)
        if is_a(op, SCATTER):
            shard = scattered(emitter, op, rule, axes, operands)
        elif reduced and inside is None and shard is None:
            mask_padding(emitter, op, rule, axes, operands)
        shard = None if is_slice(op) else shard
        values: dict[Value, Value] = dict(zip(op.operands, operands, strict=True))
        for inner in op.walk():
            for value in inner.operands if inner is not op else ():
                if value in self.values and value not in values:
                    values[value] = self._whole(value, emitter)
        made = clone_op(op, values)
        made.use_operands(operands)
        for result, layout in zip(made.results, results, strict=True):
            result.type = operands[0].type if shard is not None else self.local(result.type, layout)
        made.attributes.pop(SHARDING, None)
        made.properties = local_properties(op, [shape_of(value) for value in made.operands], halos)
        emitter.append(made)
        if reduced and is_a(op, REDUCTION) and not combines_parts(op):
            found = selected(emitter, made, operands[len(op.results) :], reduced)
            for old, new, layout in zip(op.results, found, results, strict=True):
                self._place(old, new, layout)
            return
        for old, result, layout in zip(op.results, made.results, results, strict=True):
            new = emitter.cut(result, *shard) if shard is not None else result
            if inside is not None:
                self._reduce(op, old, masked(emitter, op, new, inside), layout, reduced, emitter)
            elif reduced:
                self._reduce(op, old, new, layout, reduced, emitter)
            else:
                self._place(old, new, layout)

    def _joined(self, op: Operation, rule: Rule, emitter: Emitter) -> bool:
        """Divide a concatenation or slice along its dimension, if no other way moves less."""
        wanted = self.layout(sharding_of(op.result), op.result.type)
        sources = sources_of(op, self.skipped)
        join = choose_join(op, rule, sources, [self.values[s.value] for s in sources], wanted, self.sizes)
        if join is not None:
            pairs = zip(sources, join.sources, strict=True)
            operands = [self._in(source.value, layout, emitter) for source, layout in pairs]
            self._place(op.result, joined(emitter, operands, join), join.layout)
            return True
        for value in [value for value in dict.fromkeys(op.operands) if value in self.skipped]:
            skipped = self.skipped.pop(value)
            emitter.source = skipped
            rule_of_slice = rule_of(skipped)
            assert rule_of_slice is not None
            self._divided(skipped, rule_of_slice, emitter)
        emitter.source = op
        return False

    def _exchange(
        self, op: Operation, rule: Rule, axes: list[Axes], operands: list[Value], emitter: Emitter
    ) -> dict[int, Halo]:
        """Bring what windows reach of divided dimensions; return it by the number of the window."""
        for factor in mirrored(op, rule):
            operands[0] = mirror(emitter, operands[0], axes[factor]) if axes[factor] else operands[0]
        windows = windows_of(op)
        found: dict[int, Halo] = {}
        for factor, halo in halos_of(op, rule, axes, self.sizes).items():
            window = windowed(op, rule)[factor]
            found[windows.index(window)] = halo
            for index, padding in moved_operands(op):
                number = None if padding is None else operands[padding]
                operands[index] = exchange(
                    emitter, operands[index], window.source, axes[factor], halo, number
                )
        return found

    def _reduce(
        self, op: Operation, old: Value, new: Value, layout: Layout, axes: Axes, emitter: Emitter
    ) -> None:
        """Combine the parts of a reduction of all devices; scatter the result where that is wanted."""
        body = body_of(op) if op.regions else None
        wanted = self.layout(sharding_of(old), old.type)
        dim = scattered_dim(layout, wanted, axes, shape_of(old), self.sizes)
        if dim is not None:
            self._place(old, emitter.reduce_scatter(new, dim, axes, body), wanted)
            return
        self._place(old, emitter.all_reduce(new, axes, body), layout)

    # Control flow

    def _control(self, op: Operation, flow: str, emitter: Emitter) -> None:
        """Divide a loop or branches: what they carry has the sharding of their results."""
        results = [self.layout(sharding_of(result), result.type) for result in op.results]
        carried = results if flow == "loop" else [self._replicated(value) for value in op.operands]
        operands = [self._in(v, layout, emitter) for v, layout in zip(op.operands, carried, strict=True)]
        types = [self.local(r.type, layout) for r, layout in zip(op.results, results, strict=True)]
        for index, region in enumerate(op.regions):
            block = region.block
            arguments = carried if flow == "loop" else []
            is_condition = flow == "loop" and index == 0
            self._block(block, arguments, [()] if is_condition else results, emitter)
        regions = op.regions
        op.regions = ()
        attributes = {k: v for k, v in op.attributes.items() if k != SHARDING}
        made = Operation(op.name, operands, types, op.properties, attributes, regions)
        emitter.append(made)
        for old, new, layout in zip(op.results, made.results, results, strict=True):
            self._place(old, new, layout)

    def _call(self, op: Operation, emitter: Emitter) -> None:
        arguments, results = self.signatures[str(callee(op))]
        operands = [self._in(v, layout, emitter) for v, layout in zip(op.operands, arguments, strict=True)]
        types = [self.local(r.type, layout) for r, layout in zip(op.results, results, strict=True)]
        attributes = {k: v for k, v in op.attributes.items() if k != SHARDING}
        made = emitter.append(Operation(op.name, operands, types, op.properties, attributes))
        for old, new, layout in zip(op.results, made.results, results, strict=True):
            self._place(old, new, layout)

    def _manual(self, op: Operation, emitter: Emitter) -> None:
        """Inline a manual computation: its body is on shards along the manual axes already."""
        names = set(op.properties["manual_axes"]["value"])  # type: ignore[index]
        block = op.regions[0].block
        for value, argument, sharding in zip(
            op.operands, block.arguments, stated_shardings(op, "in_shardings"), strict=True
        ):
            layout = self.layout(sharding, value.type)
            self._place(argument, self._in(value, layout, emitter), _free(layout, names))
        for inner in block.ops[:-1]:
            emitter.source = inner
            self._visit(inner, emitter)
        emitter.source = op
        for value, result, sharding in zip(
            block.ops[-1].operands, op.results, stated_shardings(op, "out_shardings"), strict=True
        ):
            layout = self.layout(sharding, result.type)
            self._place(result, self._in(value, _free(layout, names), emitter), layout)


def _free(layout: Layout, names: set[str]) -> Layout:
    return tuple([tuple([axis for axis in axes if axis.name not in names]) for axes in layout])


def _function_type(function: Operation) -> FunctionType:
    type = function.properties["function_type"]
    assert isinstance(type, TypeAttr) and isinstance(type.value, FunctionType)
    return type.value
