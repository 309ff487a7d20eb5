"""Metadata, shardings and groups of devices of protobuf messages, as XLA's text of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from stablehlo_py.hlo.kinds import ReplicaGroups
from stablehlo_py.hlo.proto.shapes import listed
from stablehlo_py.hlo.shardings import AXES, Axis, Mesh, named_text
from stablehlo_py.hlo.texts import escaped, metadata_text
from stablehlo_py.protobuf.messages import Message

_GROUPS = {"AS": "shard_as", "LIKE": "shard_like"}
_FIELDS = (
    "op_type", "op_name", "source_file", "source_line", "source_end_line", "source_column",
    "source_end_column", "deduplicated_name", "scheduling_name", "stack_frame_id",
    "size_of_generated_code_in_bytes", "size_of_memory_working_set_in_bytes",
)  # fmt: skip
_PROFILES = ("INVALID", "WINDOW", "FLAG", "INTEGER")


def op_metadata(message: Message) -> dict[str, Any]:
    """Return the fields of an OpMetadata."""
    found = {name: message[name] for name in _FIELDS if message[name]}
    if message["profile_type"]:
        found["profile_type"] = tuple(map(_PROFILES.index, message["profile_type"]))
    return found


def _listed_metadata(sharding: Message) -> list[str]:
    """Return the field of metadata of a sharding, if it has one."""
    found = [metadata_text(op_metadata(each)) for each in sharding["metadata"]]
    return [f"metadata={{{', '.join(found)}}}"] if found else []


def sharding_text(sharding: Message) -> str:
    """Return the text of an OpSharding."""
    if sharding["type"] == "TUPLE":
        return f"{{{', '.join(map(sharding_text, sharding['tuple_shardings']))}}}"
    if sharding["named_sharding"] is not None:
        return f"{{{_named(sharding['named_sharding'])}}}"
    kind = sharding["type"].lower()
    if kind == "maximal":
        kind += f" device={listed(sharding['tile_assignment_devices'])}"
    parts = [_tiles(sharding) if kind == "other" else kind]
    if sharding["replicate_on_last_tile_dim"]:
        parts.append("last_tile_dim_replicate")
    if sharding["last_tile_dims"]:
        parts.append(f"last_tile_dims={{{', '.join(word.lower() for word in sharding['last_tile_dims'])}}}")
    if sharding["is_shard_group"]:
        parts.append(f"{_GROUPS[sharding['shard_group_type']]} {sharding['shard_group_id']}")
    return f"{{{' '.join([*parts, *_listed_metadata(sharding)])}}}"


def _tiles(sharding: Message) -> str:
    sizes = f"devices=[{listed(sharding['tile_assignment_dimensions'])}]"
    if sharding["iota_reshape_dims"]:
        return f"{sizes}<={_iota(sharding['iota_reshape_dims'], sharding['iota_transpose_perm'])}"
    return sizes + listed(sharding["tile_assignment_devices"])


def _iota(sizes: Iterable[int], permutation: Iterable[int]) -> str:
    order = list(permutation)
    return f"[{listed(sizes)}]" + (f"T({listed(order)})" if len(order) > 1 else "")


def _mesh(mesh: Message) -> str:
    devices = listed(mesh["device_ids"])
    iota = mesh["iota_transform"]
    if iota is not None:
        devices = _iota(iota["reshape_dims"], iota["transpose_perm"])
    if not mesh["axes"] and devices:
        return f"maximal_mesh[device_id={devices}]"
    axes = tuple([(escaped(axis["name"]), axis["size"]) for axis in mesh["axes"]])
    return str(Mesh(axes, f", device_ids=({devices})" if devices else ""))


def _axes(axes: Iterable[Message], mesh: Message) -> list[str]:
    found = []
    for axis in axes:
        number, part = axis["mesh_axis_index"], axis["sub_axis_info"]
        names = mesh["axes"]
        name = escaped(names[number]["name"]) if 0 <= number < len(names) else f"axis {number}"
        found.append(str(Axis(name, f":({part['pre_size']}){part['size']}" if part is not None else "")))
    return found


def _named(sharding: Message) -> str:
    mesh = sharding["mesh"]
    if mesh is None:
        return "replicated"
    text = _mesh(mesh)
    if text.startswith("maximal_mesh"):
        return ", ".join([text, *_listed_metadata(sharding)])
    dimensions = []
    for dimension in sharding["dim_shardings"]:
        along = _axes(dimension["axes"], mesh) + ([] if dimension["is_closed"] else ["?"])
        dimensions.append(f"{{{', '.join(along)}}}")
    axes = {word: _axes(sharding[f"{word}_axes"], mesh) for word in AXES}
    names = [f"'{escaped(axis['name'])}'" for axis in mesh["axes"]]
    return named_text(text, names, dimensions, axes, _listed_metadata(sharding))


def groups(instruction: Message) -> ReplicaGroups:
    """Return the replica groups of an instruction, in whichever field they are."""
    mesh, iota = instruction["mesh_axes_replica_group_list"], instruction["iota_collective_device_list"]
    if mesh is not None and mesh["mesh"] is not None:
        axes = ",".join(_axes(mesh["axes"], mesh["mesh"]))
        return ReplicaGroups(text=f"{_mesh(mesh['mesh'])} {{{axes}}}")
    if iota is not None:
        rows = f"[{iota['num_replica_groups']},{iota['num_devices_per_group']}]"
        devices = _iota(iota["iota_reshape_dims"], iota["iota_transpose_perm"])
        return ReplicaGroups(text=f"{rows}<={devices}")
    devices = instruction["collective_device_list"]
    found = devices["replica_groups"] if devices is not None else instruction["replica_groups"]
    return ReplicaGroups(tuple([tuple(group["replica_ids"]) for group in found]))
