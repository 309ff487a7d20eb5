"""Process groups: shared inputs and constraints of collectives."""

from __future__ import annotations

from stablehlo_py.opset.definition import Attr, Constraint, upstream

GROUPS = Attr(
    "replica_groups",
    "elements i64 or struct stablehlo.replica_group_mesh_axes",
    type="2-dimensional tensor constant of type `si64` or `ReplicaGroupMeshAxes`",
)
CHANNEL_ID = Attr(
    "channel_id",
    "i64",
    type="constant of type `si64`",
    at="channel_handle.handle",
    optional=True,
    default="0",
)
CHANNEL = (("channel_handle", "struct stablehlo.channel_handle"),)
GLOBAL_IDS = Attr(
    "use_global_device_ids", "unit", type="constant of type `i1`", optional=True, default="false"
)
DYNAMIC_ROOT = Attr("has_dynamic_root", "unit", type="constant of type `i1`", optional=True, default="false")

# The ids in replica_groups; groups of different sizes are padded with -1.
IDS = ("ids", "flatten(replica_groups)")
UNEVEN_IDS = ("ids", "[id for id in flatten(replica_groups) if id != -1]")
GLOBAL_PROCESS_GROUPS = (
    "process_groups",
    "use_global_device_ids ? flattened_ids(replica_groups) : "
    "(channel_id > 0 ? cross_replica_and_partition(replica_groups) : cross_replica(replica_groups))",
)
DATA = ("data", "has_dynamic_root ? operands[:-1] : operands")
MESH = "replica_groups may be mesh axes, without explicit ids"
NO_GRID = "the process grid is unknown to upstream"


def unique(label: str) -> Constraint:
    """Return the constraint that ids are unique."""
    return Constraint(label, "is_unique(ids)", spec="`is_unique(replica_groups)`.", why=MESH)


def within_size(label: str) -> Constraint:
    """Return the constraint that ids are less than their number."""
    return Constraint(
        label, "0 <= ids < size(ids)", spec="`0 <= replica_groups < size(replica_groups)`.", why=MESH
    )


def global_size(label: str) -> Constraint:
    """Return the constraint that the groups contain all processes or replicas."""
    return Constraint(
        label,
        "if 0 < size(ids) then size(ids) = (use_global_device_ids ? num_processes : num_replicas)",
        spec="`size(replica_groups)` is defined as:\n"
        "  * `num_replicas` if `cross_replica` is used.\n"
        "  * `num_replicas` if `cross_replica_and_partition` is used.\n"
        "  * `num_processes` if `flattened_ids` is used.",
        why=NO_GRID,
        verdict="spec-only",
    )


def needs_channel(label: str) -> Constraint:
    """Return the constraint that global device ids require a channel."""
    return Constraint(
        label,
        "if use_global_device_ids then channel_id > 0",
        spec="If `use_global_device_ids = true`, then `channel_id > 0`.",
        why="prose",
    )


def within_grid(label: str) -> tuple[Constraint, Constraint]:
    """Return the constraint that ids are valid replicas or partitions; upstream only rejects negative ids."""
    spec = (
        "`0 <= replica_groups < N` where `N` is defined as:\n"
        "  * `num_replicas` if `cross_replica` is used.\n"
        "  * `num_partitions` if `cross_partition` is used."
    )
    return (
        Constraint(label, "0 <= ids", spec=spec, why=NO_GRID),
        Constraint(
            label,
            "ids < (channel_id > 0 ? num_partitions : num_replicas)",
            spec=spec,
            why=NO_GRID,
            verdict="spec-only",
        ),
    )


RANK_2 = upstream("U1", "if is_dense(replica_groups) then rank(replica_groups) = 2")
NOT_EMPTY = upstream(
    "U2", "if use_global_device_ids and is_dense(replica_groups) then 0 < size(replica_groups)"
)
MESH_RULES = (
    upstream("U8", "has_mesh(replica_groups)"),
    upstream("U9", "for axis in group_axes(replica_groups) : axis in mesh_axes(replica_groups)"),
)
COMPUTATION_TYPE = """`computation` has type `(tensor<E>, tensor<E>) -> (tensor<E>)` where
       `is_promotable(element_type(operand), E)`."""
