"""Containers of `jax.export`: flatbuffers that `Exported.serialize()` writes around a portable artifact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stablehlo_py.artifacts.containers.flatbuffer import FlatbufferReader, Schema
from stablehlo_py.artifacts.faults import Fault
from stablehlo_py.ir.element_types import ELEMENT_TYPES
from stablehlo_py.ir.trees import LEAF, Convention, Tree, numbered

_LISTED = ("in_avals", "out_avals", "in_shardings", "out_shardings")

SCHEMA: Schema = {
    "Exported": (
        ("serialization_version", "u16"),
        ("function_name", "string"),
        ("in_tree", "PyTreeDef"),
        ("in_avals", "[AbstractValue]"),
        ("out_tree", "PyTreeDef"),
        ("out_avals", "[AbstractValue]"),
        ("nr_devices_short", "u16"),
        ("in_shardings", "[Sharding]"),
        ("out_shardings", "[Sharding]"),
        ("platforms", "[string]"),
        ("ordered_effects", "[Effect]"),
        ("unordered_effects", "[Effect]"),
        ("disabled_checks", "[DisabledSafetyCheck]"),
        ("mlir_module_serialized", "bytes"),
        ("calling_convention_version", "u16"),
        ("module_kept_var_idx", "[u16]"),
        ("uses_global_constants", "bool"),
        ("vjp", "Exported"),
        ("nr_devices", "u32"),
        ("unique_avals", "[AbstractValue]"),
        ("unique_abstract_meshes", "[AbstractMesh]"),
        ("unique_named_shardings", "[NamedSharding]"),
        ("in_avals_idxs", "[u32]"),
        ("out_avals_idxs", "[u32]"),
        ("in_shardings_idxs", "[u32]"),
        ("out_shardings_idxs", "[u32]"),
        ("jax_version", "string"),
    ),
    "PyTreeDef": (
        ("kind", "u8"),
        ("children", "[PyTreeDef]"),
        ("children_names", "[string]"),
        ("custom_name", "string"),
        ("custom_auxdata", "bytes"),
    ),
    "AbstractValue": (("kind", "u8"), ("shape", "[string]"), ("dtype", "u8"), ("memory_space", "u8")),
    "AbstractMesh": (
        ("axis_sizes", "[u32]"),
        ("axis_names", "[string]"),
        ("axis_types", "[u8]"),
        ("abstract_device", "AbstractDevice"),
    ),
    "AbstractDevice": (("device_kind", "string"), ("num_cores", "u32"), ("platform", "string")),
    "NamedSharding": (
        ("mesh", "AbstractMesh"),
        ("spec", "PartitionSpec"),
        ("memory_kind", "string"),
        ("abstract_mesh_idx", "u32"),
    ),
    "PartitionSpec": (
        ("partitions", "[PartitionSpecOneAxis]"),
        ("reduced", "[string]"),
        ("unreduced", "[string]"),
    ),
    "PartitionSpecOneAxis": (("axes", "[string]"),),
    "Sharding": (("kind", "u8"), ("hlo_sharding_proto", "bytes"), ("named_sharding", "NamedSharding")),
    "Effect": (("type_name", "string"),),
    "DisabledSafetyCheck": (("kind", "u8"), ("custom_call_target", "string")),
}
_DTYPES = {code: row.numpy for row in ELEMENT_TYPES.values() if (code := row.codes.jax) is not None} | {
    22: "float0",
    27: "key<fry>",
    28: "key<rbg>",
    29: "key<urbg>",
}
_PLATFORM = "cpu"  # that of programs which run here
_CHECKS = ("platform", "custom_call", "shape_assertions")
_AXIS_TYPES = ("Missing", "Auto", "Explicit", "Manual")


@dataclass(frozen=True, slots=True)
class Exported:
    """A container.

    Attributes:
        module: The bytes of its module.
        fields: Its fields as plain data.
        convention: How the exported function is called; None if the fields disagree about it.
        vjp: The container of its gradient.
    """

    module: memoryview
    fields: Mapping[str, Any]
    convention: Convention | None
    vjp: Exported | None


def read_exported(data: memoryview) -> Exported:
    """Return the container in a file; raise Fault for an invalid one."""
    return _exported(FlatbufferReader(data, SCHEMA).root("Exported"))


def _exported(table: Mapping[str, Any]) -> Exported:
    module = table["mlir_module_serialized"]
    if module is None:
        raise Fault(0, "expected a jax.export container with a module")
    vjp = None if table["vjp"] is None else _exported(table["vjp"])
    avals = {name: _of_indices(table, name, "unique_avals") or table[name] or [] for name in _LISTED[:2]}
    fields = {
        "function_name": table["function_name"] or "",
        "platforms": table["platforms"] or [],
        "nr_devices": table["nr_devices"] or table["nr_devices_short"] or 0,
        "calling_convention_version": table["calling_convention_version"] or 0,
        "serialization_version": table["serialization_version"] or 0,
        "jax_version": table["jax_version"] or "",
        "in_tree": f"PyTreeDef({_tree_text(table['in_tree'])})",
        "out_tree": f"PyTreeDef({_tree_text(table['out_tree'])})",
        **{name: [_aval_text(aval) for aval in avals[name]] for name in _LISTED[:2]},
        **{
            name: _shardings(table, name, len(avals[name.replace("shardings", "avals")]))
            for name in _LISTED[2:]
        },
        "module_kept_var_idx": table["module_kept_var_idx"] or [],
        "uses_global_constants": bool(table["uses_global_constants"]),
        "ordered_effects": [effect["type_name"] or "" for effect in table["ordered_effects"] or ()],
        "unordered_effects": [effect["type_name"] or "" for effect in table["unordered_effects"] or ()],
        "disabled_safety_checks": [_check_text(check) for check in table["disabled_checks"] or ()],
        "has_vjp": vjp is not None,
    }
    return Exported(module, fields, _convention(table, fields), vjp)


def _convention(table: Mapping[str, Any], fields: Mapping[str, Any]) -> Convention | None:
    arguments, results = _tree(table["in_tree"]), _tree(table["out_tree"])
    types, kept, platforms = fields["in_avals"], fields["module_kept_var_idx"], fields["platforms"]
    if (
        arguments is None
        or results is None
        or [part.kind for part in arguments.children] != ["tuple", "dict"]
    ):
        return None
    counts = (len([*arguments.paths()]), len([*results.paths()]))
    if counts != (len(types), len(fields["out_avals"])) or kept != sorted({*kept} & {*range(len(types))}):
        return None
    here = platforms.index(_PLATFORM) if _PLATFORM in platforms else 0
    arguments = arguments.without(iter([number in {*kept} for number in range(len(types))]))
    return Convention(arguments, results, tuple(types), tuple(kept), here)


def _tree(table: Mapping[str, Any] | None) -> Tree | None:
    """Return a tree of arguments or results; None for an invalid one."""
    if table is None or not table["kind"]:
        return LEAF
    children = [child for each in table["children"] or () if (child := _tree(each)) is not None]
    names = tuple(table["children_names"] or ())
    if len(children) != len(table["children"] or ()):
        return None
    match table["kind"]:
        case 1:
            return Tree("none")
        case 2:
            return numbered("tuple", children)
        case 3:
            return numbered("list", children)
        case 4:
            return Tree("dict", names, tuple(children)) if len({*names}) == len(children) else None
    return numbered("custom", children, table["custom_name"] or "a class")


def _of_indices(table: Mapping[str, Any], name: str, unique: str) -> list[Any]:
    """Return the values of a list of indices into a table of distinct values."""
    values, indices = table[unique] or [], table[f"{name}_idxs"] or []
    if any(index >= len(values) for index in indices):
        raise Fault(0, f"expected indices of the {len(values)} values of {unique} in {name}")
    return [values[index] for index in indices]


def _shardings(table: Mapping[str, Any], name: str, count: int) -> list[str | None]:
    """Return the sharding of each value, or None."""
    named, indices = table["unique_named_shardings"] or [], table[f"{name}_idxs"]
    if any(index > len(named) for index in indices or ()):
        raise Fault(0, f"expected indices of the {len(named)} shardings in {name}")
    if indices:
        return [None if not index else _sharding_text(named[index - 1], table) for index in indices]
    given = table[name]
    if given is None:
        return [None] * count
    return [_old_sharding_text(sharding, table) for sharding in given]


def _old_sharding_text(sharding: Mapping[str, Any], table: Mapping[str, Any]) -> str | None:
    if sharding["named_sharding"] is not None:
        return _sharding_text(sharding["named_sharding"], table)
    proto = sharding["hlo_sharding_proto"]
    return None if proto is None else f"HloSharding({len(proto)} bytes)"


def _sharding_text(sharding: Mapping[str, Any], table: Mapping[str, Any]) -> str:
    meshes = table["unique_abstract_meshes"] or []
    index = sharding["abstract_mesh_idx"] or 0
    mesh = sharding["mesh"] or (meshes[index] if index < len(meshes) else None)
    spec = sharding["spec"] or {"partitions": None}
    parts = [_axes_text(part["axes"]) for part in spec["partitions"] or ()]
    memory = sharding["memory_kind"]
    return (
        f"NamedSharding(mesh={_mesh_text(mesh)}, spec=P({', '.join(parts)})"
        + (f", memory_kind={memory}" if memory else "")
        + ")"
    )


def _axes_text(axes: Sequence[str] | None) -> str:
    if not axes:
        return "None"
    return repr(axes[0]) if len(axes) == 1 else repr(tuple(axes))


def _mesh_text(mesh: Mapping[str, Any] | None) -> str:
    if mesh is None:
        return "None"
    axes = zip(mesh["axis_names"] or (), mesh["axis_sizes"] or (), strict=False)
    sizes = ", ".join([f"{name!r}: {size}" for name, size in axes])
    types = [_AXIS_TYPES[kind] if kind < len(_AXIS_TYPES) else "?" for kind in mesh["axis_types"] or ()]
    device = mesh["abstract_device"]
    kinds = "" if device is None else ", " + ", ".join([f"{name}={value}" for name, value in device.items()])
    return f"AbstractMesh({sizes}, axis_types=({', '.join(types)}){kinds})"


def _aval_text(aval: Mapping[str, Any]) -> str:
    """Return a shape and element type in JAX's notation, such as `float32[b,2*c]`."""
    number = aval["dtype"] or 0
    if number not in _DTYPES:
        raise Fault(0, f"expected one of {len(_DTYPES)} element types, found number {number}")
    return f"{_DTYPES[number]}[{','.join(aval['shape'] or ())}]"


def _check_text(check: Mapping[str, Any]) -> str:
    number = check["kind"] or 0
    kind = _CHECKS[number] if number < len(_CHECKS) else str(number)
    return f"{kind}: {check['custom_call_target']}" if check["custom_call_target"] else kind


def _tree_text(tree: Mapping[str, Any] | None) -> str:
    """Return a tree of arguments or results in JAX's notation, such as `((*, {'a': *}), {})`."""
    if tree is None or not tree["kind"]:
        return "*"
    children = [_tree_text(child) for child in tree["children"] or ()]
    match tree["kind"]:
        case 1:
            return "None"
        case 2:
            return f"({', '.join(children)}{',' * (len(children) == 1)})"
        case 3:
            return f"[{', '.join(children)}]"
        case 4:
            names = tree["children_names"] or ()
            entries = [f"{name!r}: {child}" for name, child in zip(names, children, strict=False)]
            return "{" + ", ".join(entries) + "}"
    return f"CustomNode({tree['custom_name'] or ''}, [{', '.join(children)}])"
