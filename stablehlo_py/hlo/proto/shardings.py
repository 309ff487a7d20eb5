"""Shardings and groups of devices of protobuf messages, as XLA's text of them."""

from __future__ import annotations

from collections.abc import Iterable

from stablehlo_py.hlo.proto.shapes import listed
from stablehlo_py.hlo.texts import escaped
from stablehlo_py.protobuf.messages import Message

_GROUPS = {"AS": "shard_as", "LIKE": "shard_like"}


def sharding_text(sharding: Message) -> str:
    """Return the text of an OpSharding."""
    if sharding["type"] == "TUPLE":
        return f"{{{', '.join(map(sharding_text, sharding['tuple_shardings']))}}}"
    if sharding["named_sharding"] is not None:
        return f"{{{_named(sharding['named_sharding'])}}}"
    kind = sharding["type"].lower()
    if kind == "maximal":
        return f"{{maximal device={listed(sharding['tile_assignment_devices'])}}}"
    parts = [_tiles(sharding) if kind == "other" else kind]
    if sharding["replicate_on_last_tile_dim"]:
        parts.append("last_tile_dim_replicate")
    if sharding["last_tile_dims"]:
        parts.append(f"last_tile_dims={{{', '.join(word.lower() for word in sharding['last_tile_dims'])}}}")
    if sharding["is_shard_group"]:
        parts.append(f"{_GROUPS[sharding['shard_group_type']]} {sharding['shard_group_id']}")
    return f"{{{' '.join(parts)}}}"


def _tiles(sharding: Message) -> str:
    sizes = f"devices=[{listed(sharding['tile_assignment_dimensions'])}]"
    if sharding["iota_reshape_dims"]:
        return f"{sizes}<={_iota(sharding['iota_reshape_dims'], sharding['iota_transpose_perm'])}"
    return sizes + listed(sharding["tile_assignment_devices"])


def _iota(sizes: Iterable[int], permutation: Iterable[int]) -> str:
    order = list(permutation)
    return f"[{listed(sizes)}]" + (f"T({listed(order)})" if len(order) > 1 else "")


def _mesh(mesh: Message) -> str:
    axes = ",".join(f"'{escaped(axis['name'])}'={axis['size']}" for axis in mesh["axes"])
    devices = listed(mesh["device_ids"])
    iota = mesh["iota_transform"]
    if iota is not None:
        devices = _iota(iota["reshape_dims"], iota["transpose_perm"])
    if not mesh["axes"] and devices:
        return f"maximal_mesh[device_id={devices}]"
    return f"mesh[{axes}]{f', device_ids=({devices})' if devices else ''}"


def _axes(axes: Iterable[Message], mesh: Message) -> list[str]:
    found = []
    for axis in axes:
        number, part = axis["mesh_axis_index"], axis["sub_axis_info"]
        names = mesh["axes"]
        name = escaped(names[number]["name"]) if 0 <= number < len(names) else f"axis {number}"
        found.append(f"'{name}'" + (f":({part['pre_size']}){part['size']}" if part is not None else ""))
    return found


def _named(sharding: Message) -> str:
    mesh = sharding["mesh"]
    if mesh is None:
        return "replicated"
    text = _mesh(mesh)
    if text.startswith("maximal_mesh"):
        return text
    dimensions = []
    for dimension in sharding["dim_shardings"]:
        axes = _axes(dimension["axes"], mesh) + ([] if dimension["is_closed"] else ["?"])
        dimensions.append(f"{{{', '.join(axes)}}}")
    parts = [text, f"[{', '.join(dimensions)}]"]
    for name in ("replicated", "unreduced", "manual"):
        if axes := _axes(sharding[f"{name}_axes"], mesh):
            parts.append(f"{name}={{{', '.join(axes)}}}")
    return ", ".join(parts)


def groups_text(instruction: Message) -> str:
    """Return the text of the replica groups of an instruction, in whichever field they are."""
    mesh, iota = instruction["mesh_axes_replica_group_list"], instruction["iota_collective_device_list"]
    if mesh is not None and mesh["mesh"] is not None:
        return f"{_mesh(mesh['mesh'])} {{{','.join(_axes(mesh['axes'], mesh['mesh']))}}}"
    if iota is not None:
        rows = f"[{iota['num_replica_groups']},{iota['num_devices_per_group']}]"
        return f"{rows}<={_iota(iota['iota_reshape_dims'], iota['iota_transpose_perm'])}"
    devices = instruction["collective_device_list"]
    groups = devices["replica_groups"] if devices is not None else instruction["replica_groups"]
    lists = [f"{{{listed(group['replica_ids'])}}}" for group in groups]
    return f"{{{','.join(lists)}}}"
