"""Collectives, process ids and asynchronous ops."""

from __future__ import annotations

from stablehlo_py.opset.classes import FUTURE, PER_TENSOR_TENSOR, UNSIGNED_32, tensor_of
from stablehlo_py.opset.definition import (
    Attr,
    Body,
    Constraint,
    OpDef,
    Operand,
    Result,
    at_run,
    define,
    rules,
    upstream,
)
from stablehlo_py.opset.sharding_rule import POINTWISE, factors, rule
from stablehlo_py.opset.shared.process_groups import (
    CHANNEL,
    CHANNEL_ID,
    COMPUTATION_TYPE,
    DATA,
    DYNAMIC_ROOT,
    GLOBAL_IDS,
    GLOBAL_PROCESS_GROUPS,
    GROUPS,
    IDS,
    MESH,
    MESH_RULES,
    NO_GRID,
    NOT_EMPTY,
    RANK_2,
    UNEVEN_IDS,
    global_size,
    needs_channel,
    unique,
    within_grid,
    within_size,
)
from stablehlo_py.opset.shared.reducers import accumulators, shared_reducer
from stablehlo_py.opset.shared.revisions import MESH_GROUPS, SEVERAL_OPERANDS, promotion
from stablehlo_py.opset.traits import NO_TRAFFIC, CostRule, Revision

EXAMPLE_GROUPS = "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>"
EXAMPLE_SUM = (
    "({\n^bb0(%a: tensor<i64>, %b: tensor<i64>):\n  %0 = stablehlo.add %a, %b : tensor<i64>\n"
    "  stablehlo.return %0 : tensor<i64>\n})"
)

define(
    OpDef(
        name="stablehlo.all_gather",
        doc="Concatenates the operands of a group's processes along a dimension, in every process.",
        section="all_gather",
        inputs=(
            Operand("operands", PER_TENSOR_TENSOR, variadic=True),
            Attr("all_gather_dim", "i64 >= 0", type="constant of type `si64`"),
            GROUPS,
            CHANNEL_ID,
            GLOBAL_IDS,
        ),
        outputs=(Result("results", PER_TENSOR_TENSOR, variadic=True),),
        properties=CHANNEL,
        where=(IDS, GLOBAL_PROCESS_GROUPS),
        constraints=rules(
            ("C1", "0 <= all_gather_dim < rank(operands...)"),
            unique("C2"),
            global_size("C3"),
            within_size("C4"),
            Constraint(
                "C5",
                "if use_global_device_ids then channel_id >= 0",
                spec="If `use_global_device_ids = true`, then `channel_id > 0`.",
                why="upstream accepts channel 0 here",
            ),
            Constraint(
                "C5",
                "if use_global_device_ids then channel_id > 0",
                spec="If `use_global_device_ids = true`, then `channel_id > 0`.",
                why="prose",
                verdict="spec-only",
            ),
            Constraint(
                "C6",
                "element_type(results...) = element_type(operands...) and "
                "drop(shape(results...), all_gather_dim) = drop(shape(operands...), all_gather_dim) and "
                "dim(results..., all_gather_dim) % dim(operands..., all_gather_dim) = 0",
                spec="`type(results...) = type(operands...)` except:\n"
                "  * `dim(results..., all_gather_dim) =\n"
                "    dim(operands..., all_gather_dim) * dim(process_groups, 1)`.",
                why=NO_GRID,
            ),
            Constraint(
                "C6",
                "dim(results..., all_gather_dim) = dim(operands..., all_gather_dim) * dim(process_groups, 1)",
                spec="`type(results...) = type(operands...)` except:\n"
                "  * `dim(results..., all_gather_dim) =\n"
                "    dim(operands..., all_gather_dim) * dim(process_groups, 1)`.",
                why=NO_GRID,
                verdict="spec-only",
            ),
            RANK_2,
            *MESH_RULES,
            NOT_EMPTY,
            upstream("U3", "dim(operands..., all_gather_dim) != 0"),
            upstream("U4", "rank(results...) = rank(operands...)"),
        ),
        traits=frozenset({"communicates", "moves_data", "shape_at_run"}),
        sharding=rule(
            factors(
                "[d for d in axes(operands[0]) if d != all_gather_dim]", size="dim(operands[0], i)", all="i"
            ),
            factors("[all_gather_dim]", "need_replication", size="dim(operands[0], i)", operands="i"),
            factors("[all_gather_dim]", "need_replication", size="dim(results[0], i)", results="i"),
        ),
        cost=CostRule(messages="gather"),
        revisions=(SEVERAL_OPERANDS, MESH_GROUPS),
        example=f'%result = "stablehlo.all_gather"(%operand) <{{all_gather_dim = 1 : i64, '
        f"{EXAMPLE_GROUPS}}}> "
        ": (tensor<2x2xi64>) -> tensor<2x4xi64>",
    ),
    OpDef(
        name="stablehlo.all_reduce",
        doc="Combines the operands of a group's processes, element by element, in every process.",
        section="all_reduce",
        inputs=(
            Operand("operands", PER_TENSOR_TENSOR, variadic=True),
            GROUPS,
            CHANNEL_ID,
            GLOBAL_IDS,
            Body("computation"),
        ),
        outputs=(Result("results", PER_TENSOR_TENSOR, variadic=True),),
        properties=CHANNEL,
        where=(UNEVEN_IDS, accumulators("computation")),
        constraints=rules(
            unique("C1"),
            global_size("C2"),
            within_size("C3"),
            needs_channel("C4"),
            *shared_reducer("C5", COMPUTATION_TYPE, "computation", "operands"),
            ("C6", "shape(results...) = shape(operands...)"),
            Constraint(
                "C7", "element_type(results...) = E[0]", spec="`element_type(results...) = E`.", why="sort"
            ),
            RANK_2,
            *MESH_RULES,
            NOT_EMPTY,
        ),
        traits=frozenset({"communicates"}),
        sharding=rule(factors("axes(operands[0])", size="dim(operands[0], i)", all="i")),
        cost=CostRule(work="combination", messages="reduce"),
        revisions=(promotion("operands", "results"), SEVERAL_OPERANDS, MESH_GROUPS),
        example=f'%result = "stablehlo.all_reduce"(%operand) <{{{EXAMPLE_GROUPS}}}> {EXAMPLE_SUM} '
        ": (tensor<4xi64>) -> tensor<4xi64>",
    ),
    OpDef(
        name="stablehlo.all_to_all",
        doc="Splits the operands of a group's processes, exchanges the parts, and concatenates them.",
        section="all_to_all",
        inputs=(
            Operand("operands", PER_TENSOR_TENSOR, variadic=True),
            Attr("split_dimension", "i64 >= 0", type="constant of type `si64`"),
            Attr("concat_dimension", "i64 >= 0", type="constant of type `si64`"),
            Attr("split_count", "i64 > 0", type="constant of type `si64`"),
            GROUPS,
            CHANNEL_ID,
        ),
        outputs=(Result("results", PER_TENSOR_TENSOR, variadic=True),),
        properties=CHANNEL,
        where=(IDS,),
        constraints=rules(
            ("C1", "0 <= split_dimension < rank(operands...)"),
            ("C2", "dim(operands..., split_dimension) % split_count = 0"),
            ("C3", "0 <= concat_dimension < rank(operands...)"),
            ("C4", "0 < split_count"),
            unique("C5"),
            Constraint(
                "C6",
                "if 0 < size(ids) then size(ids) = (channel_id > 0 ? num_partitions : num_replicas)",
                spec="`size(replica_groups)` is defined as:\n"
                "  * `num_replicas` if `cross_replica` is used.\n"
                "  * `num_partitions` if `cross_partition` is used.",
                why=NO_GRID,
                verdict="spec-only",
            ),
            within_size("C7"),
            Constraint(
                "C8",
                "if is_dense(replica_groups) then dim(replica_groups, 1) = split_count",
                spec="`dim(replica_groups, 1) = split_count`.",
                why=MESH,
            ),
            Constraint(
                "C9",
                "size(results) = size(operands) and element_type(results...) = element_type(operands...) "
                "and (for i in range(size(operands)) : split_dimension = concat_dimension "
                "? shape(results[i]) = shape(operands[i]) : shape(results[i]) = "
                "replace(shape(operands[i]), [split_dimension, concat_dimension], "
                "[dim(operands[i], split_dimension) / split_count, "
                "dim(operands[i], concat_dimension) * split_count]))",
                spec="`type(results...) = type(operands...)` except, if `split_dimension !=\n"
                "  concat_dimension`:\n"
                "  * `dim(results..., split_dimension) =\n"
                "    dim(operands..., split_dimension) / split_count`.\n"
                "  * `dim(results..., concat_dimension) =\n"
                "    dim(operands..., concat_dimension) * split_count`.",
                why="prose",
            ),
            RANK_2,
            *MESH_RULES,
        ),
        traits=frozenset({"communicates", "exact", "shape_at_run"}),
        sharding=rule(
            factors(
                "[d for d in axes(operands[0]) if d not in [split_dimension, concat_dimension]]",
                size="dim(operands[0], i)",
                all="i",
            ),
            factors("[split_dimension]", "need_replication", size="dim(operands[0], i)", operands="i"),
            factors("[split_dimension]", "need_replication", size="dim(results[0], i)", results="i"),
            factors(
                "split_dimension = concat_dimension ? range(0) : [concat_dimension]",
                "need_replication",
                size="dim(operands[0], i)",
                operands="i",
            ),
            factors(
                "split_dimension = concat_dimension ? range(0) : [concat_dimension]",
                "need_replication",
                size="dim(results[0], i)",
                results="i",
            ),
        ),
        cost=CostRule(messages="exchange"),
        revisions=(SEVERAL_OPERANDS, MESH_GROUPS),
        example='%result = "stablehlo.all_to_all"(%operand) <{split_dimension = 1 : i64, '
        f"concat_dimension = 0 : i64, split_count = 2 : i64, {EXAMPLE_GROUPS}}}> "
        ": (tensor<2x4xi64>) -> tensor<4x2xi64>",
    ),
    OpDef(
        name="stablehlo.collective_broadcast",
        doc="Sends the operands of one process of each group to all processes of the group.",
        section="collective_broadcast",
        source_labels="C4= C5= C6=",
        inputs=(Operand("operands", PER_TENSOR_TENSOR, variadic=True), GROUPS, CHANNEL_ID, DYNAMIC_ROOT),
        outputs=(Result("results", PER_TENSOR_TENSOR, variadic=True),),
        properties=CHANNEL,
        where=(IDS, DATA),
        constraints=rules(
            unique("C1"),
            *within_grid("C2"),
            Constraint(
                "C3",
                "if not has_dynamic_root then 1 <= size(operands) and type(results...) = type(operands...)",
                spec="If `has_dynamic_root = false`:\n"
                "  * `size(operands) >= 1`.\n"
                "  * `type(results[j]) = type(operands[j])` for all `j` in `[0, size(operands))`.",
                why="prose",
            ),
            Constraint(
                "C4",
                "if has_dynamic_root then 2 <= size(operands) "
                "and type(operands[-1]) = tensor([size(operands) - 1], i32) "
                "and type(results...) = type(data...)",
                spec="If `has_dynamic_root = true`:\n"
                "  * `size(operands) >= 2`.\n"
                "  * `type(operands[size(operands)-1]) = tensor<[size(operands)-1]xi32>`.\n"
                "  * `type(results[j]) = type(operands[j])` for all `j` in `[0, size(operands)-1)`.",
                why="prose",
            ),
            ("C5", "size(results) = size(operands) - (has_dynamic_root ? 1 : 0)"),
            Constraint(
                "C6",
                "if has_dynamic_root and is_dense(replica_groups) then "
                "0 <= values(constant_value(operands[-1])) < dim(replica_groups, 1)",
                spec="`0 <= operands[size(operands)-1] < shape(replica_groups)[1]`.",
                why="the root is known only at run time, unless constant",
                verdict="spec-only",
            ),
            RANK_2,
            *MESH_RULES,
        ),
        traits=frozenset({"communicates", "exact"}),
        sharding=rule(factors("axes(operands[0])", size="dim(operands[0], i)", all="i")),
        since="0.16.0",
        cost=CostRule(messages="from_one"),
        revisions=(
            MESH_GROUPS,
            Revision("1.20.0", form=2, what="several operands", uses="size(operands) != 1"),
            Revision(
                "1.20.0",
                form=2,
                what="has_dynamic_root",
                uses="has_dynamic_root",
                adds=("has_dynamic_root",),
            ),
        ),
        example=f'%result = "stablehlo.collective_broadcast"(%operand) <{{{EXAMPLE_GROUPS}}}> '
        ": (tensor<1x2xi64>) -> tensor<1x2xi64>",
    ),
    OpDef(
        name="stablehlo.collective_permute",
        doc="Sends the operand of each source process to its target.",
        section="collective_permute",
        inputs=(
            Operand("operand", PER_TENSOR_TENSOR),
            Attr("source_target_pairs", "elements i64", type="2-dimensional tensor constant of type `si64`"),
            CHANNEL_ID,
        ),
        outputs=(Result("result", PER_TENSOR_TENSOR),),
        properties=CHANNEL,
        constraints=rules(
            ("C1", "dim(source_target_pairs, 1) = 2"),
            ("C2", "is_unique(source_target_pairs[:, 0])"),
            ("C3", "is_unique(source_target_pairs[:, 1])"),
            Constraint(
                "C4",
                "0 <= source_target_pairs",
                spec="`0 <= source_target_pairs < N`, where `N` is defined as:\n"
                "  * `num_replicas` if `cross_replica` is used.\n"
                "  * `num_partitions` if `cross_partition` is used.",
                why=NO_GRID,
            ),
            Constraint(
                "C4",
                "source_target_pairs < (channel_id > 0 ? num_partitions : num_replicas)",
                spec="`0 <= source_target_pairs < N`, where `N` is defined as:\n"
                "  * `num_replicas` if `cross_replica` is used.\n"
                "  * `num_partitions` if `cross_partition` is used.",
                why=NO_GRID,
                verdict="spec-only",
            ),
            ("C5", "type(result) = type(operand)"),
            upstream("U1", "rank(source_target_pairs) = 2"),
        ),
        traits=frozenset({"communicates", "exact"}),
        sharding=POINTWISE,
        sign="non_negative_part",
        cost=CostRule(messages="pairs"),
        example='%result = "stablehlo.collective_permute"(%operand) '
        "<{source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>}> "
        ": (tensor<2x2xi64>) -> tensor<2x2xi64>",
    ),
    OpDef(
        name="stablehlo.collective_reduce",
        doc="Combines the operands of a group's processes, element by element, in one of them.",
        section="collective_reduce",
        source_labels=None,
        inputs=(
            Operand("operands", PER_TENSOR_TENSOR, variadic=True),
            GROUPS,
            CHANNEL_ID,
            GLOBAL_IDS,
            DYNAMIC_ROOT,
            Body("computation"),
        ),
        outputs=(Result("results", PER_TENSOR_TENSOR, variadic=True),),
        properties=CHANNEL,
        where=(UNEVEN_IDS, DATA, accumulators("computation")),
        constraints=rules(
            unique("C1"),
            *within_grid("C2"),
            Constraint(
                "C3",
                "shape(results...) = shape(data...) "
                "and (if has_dynamic_root then shape(operands[-1]) = [size(operands) - 1])",
                spec="if `has_dynamic_root` == false, `shape(results) = shape(operands)`;\n"
                "  * else, `shape(results) = shape(operands[0, size(operands)-2])`,\n"
                "    `dim(operands[size(operands)-1]) == 1` with\n"
                "    `num_elements(operands[size(operands)-1]) == size(operands)-1`.",
                why="prose",
            ),
            *shared_reducer("C4", COMPUTATION_TYPE.replace("     ", ""), "computation", "data"),
            RANK_2,
            *MESH_RULES,
            NOT_EMPTY,
            upstream("U3", "if use_global_device_ids then channel_id > 0"),
            upstream("U4", "(has_dynamic_root ? 2 : 1) <= size(operands)"),
            upstream("U5", "if has_dynamic_root then element_type(operands[-1]) = i32"),
            upstream("U6", "0 <= ids < size(ids)"),
            upstream("U7", "element_type(results...) = E[0]"),
        ),
        traits=frozenset({"communicates"}),
        cost=CostRule(work="combination", messages="to_one"),
        since="1.19.0",
        revisions=(MESH_GROUPS,),
        example=f'%result = "stablehlo.collective_reduce"(%operand) <{{{EXAMPLE_GROUPS}}}> {EXAMPLE_SUM} '
        ": (tensor<4xi64>) -> tensor<4xi64>",
    ),
    OpDef(
        name="stablehlo.reduce_scatter",
        doc="Combines the operands of a group's processes, and scatters the result among them.",
        section="reduce_scatter",
        inputs=(
            Operand("operand", PER_TENSOR_TENSOR),
            Attr("scatter_dimension", "i64 >= 0", type="constant of type `si64`"),
            GROUPS,
            CHANNEL_ID,
            GLOBAL_IDS,
            Body("computation"),
        ),
        outputs=(Result("result", PER_TENSOR_TENSOR),),
        properties=CHANNEL,
        where=(IDS, GLOBAL_PROCESS_GROUPS, accumulators("computation")),
        constraints=rules(
            Constraint(
                "C1",
                "dim(operand, scatter_dimension) % dim(process_groups, 1) = 0",
                why=NO_GRID,
                verdict="spec-only",
            ),
            ("C2", "0 <= scatter_dimension < rank(operand)"),
            unique("C3"),
            global_size("C4"),
            within_size("C5"),
            needs_channel("C6"),
            *shared_reducer("C7", COMPUTATION_TYPE, "computation", "[operand]"),
            Constraint(
                "C8",
                "drop(shape(result), scatter_dimension) = drop(shape(operand), scatter_dimension) "
                "and dim(operand, scatter_dimension) % dim(result, scatter_dimension) = 0",
                spec="`shape(result) = shape(operand)` except:\n"
                "  * `dim(result, scatter_dimension) = dim(operand, scatter_dimension) /\n"
                "    dim(process_groups, 1)`.",
                why=NO_GRID,
            ),
            Constraint(
                "C8",
                "dim(result, scatter_dimension) = dim(operand, scatter_dimension) / dim(process_groups, 1)",
                spec="`shape(result) = shape(operand)` except:\n"
                "  * `dim(result, scatter_dimension) = dim(operand, scatter_dimension) /\n"
                "    dim(process_groups, 1)`.",
                why=NO_GRID,
                verdict="spec-only",
            ),
            Constraint("C9", "element_type(result) = E[0]", spec="`element_type(result) = E`.", why="sort"),
            RANK_2,
            *MESH_RULES,
            NOT_EMPTY,
            upstream("U3", "dim(operand, scatter_dimension) != 0"),
            upstream("U4", "dim(result, scatter_dimension) != 0"),
            upstream("U5", "rank(result) = rank(operand)"),
        ),
        traits=frozenset({"communicates", "shape_at_run"}),
        sharding=rule(
            factors("[d for d in axes(operand) if d != scatter_dimension]", all="i"),
            factors("[scatter_dimension]", "need_replication", operand="i"),
            factors("[scatter_dimension]", "need_replication", result="i"),
        ),
        cost=CostRule(work="combination", messages="scattered_reduction"),
        revisions=(promotion("[operand]", "[result]"), MESH_GROUPS),
        example='%result = "stablehlo.reduce_scatter"(%operand) '
        f"<{{scatter_dimension = 1 : i64, {EXAMPLE_GROUPS}}}> {EXAMPLE_SUM} "
        ": (tensor<2x4xi64>) -> tensor<2x2xi64>",
    ),
    OpDef(
        name="stablehlo.cross-replica-sum",
        doc="Adds the operands of a group's processes, element by element, in every process.",
        inputs=(Operand("operand", PER_TENSOR_TENSOR), Attr("replica_groups", "elements i64")),
        outputs=(Result("result", PER_TENSOR_TENSOR),),
        constraints=(
            upstream("U1", "type(operand) = type(result)"),
            at_run("R1", "rank(replica_groups) = 2"),
        ),
        traits=frozenset({"pure", "communicates"}),
        sharding=POINTWISE,
        cost=CostRule(work="combination", messages="reduce"),
        deprecated="stablehlo.all_reduce",
        example='%result = "stablehlo.cross-replica-sum"(%operand) <{replica_groups = dense<[[0, 1]]> '
        ": tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>",
    ),
    OpDef(
        name="stablehlo.replica_id",
        doc="Returns the replica id of the current process.",
        section="replica_id",
        outputs=(Result("result", tensor_of(UNSIGNED_32, rank=0)),),
        form="attr-dict `:` type(results)",
        traits=frozenset({"pure", "reads_process_id"}),
        cost=NO_TRAFFIC,
        example="%result = stablehlo.replica_id : tensor<ui32>",
    ),
    OpDef(
        name="stablehlo.partition_id",
        doc="Returns the partition id of the current process.",
        section="partition_id",
        outputs=(Result("result", tensor_of(UNSIGNED_32, rank=0)),),
        form="attr-dict `:` type(results)",
        traits=frozenset({"pure", "reads_process_id"}),
        cost=NO_TRAFFIC,
        example="%result = stablehlo.partition_id : tensor<ui32>",
    ),
    OpDef(
        name="stablehlo.async_start",
        doc="Starts a collective or a slice, and returns a future of its outputs.",
        section="async_start",
        source_labels=None,
        inputs=(Operand("operands", PER_TENSOR_TENSOR, variadic=True), Body("body")),
        outputs=(Result("result", FUTURE),),
        constraints=rules(
            Constraint(
                "C1",
                "size(operations(body)) = 2",
                spec="`body` must contain a single operation and a return.",
                why="prose",
            ),
            Constraint(
                "C2",
                "operations(body)[0] in ["
                + ", ".join(
                    f'"stablehlo.{name}"'
                    for name in (
                        *("all_reduce", "all_gather", "all_to_all", "collective_permute", "reduce_scatter"),
                        *("collective_broadcast", "collective_reduce"),
                        *("slice", "dynamic_slice", "dynamic_update_slice"),
                    )
                )
                + "]",
                spec="The operation in `body` can only be a collective (`all_reduce`,\n"
                "       `all_gather`, `all_to_all`, `collective_permute`, `reduce_scatter`,\n"
                "       `collective_broadcast`) or a slice (`slice`, `dynamic_slice`,\n"
                "       `dynamic_update_slice`).",
                why="upstream also accepts collective_reduce",
            ),
            Constraint(
                "C3",
                "size(operands) = size(input_types(body)) "
                "and identical(type(operands...), input_types(body)...)",
                spec="The arguments to `async_start` must match the ones passed to the operation\n"
                "       in `body`.",
                why="prose",
            ),
            Constraint(
                "C4",
                "type(result) = future_type(output_types(body))",
                spec="If the op in `body` returns type `T`, then `async_start` returns\n       `future<T>`.",
                why="prose",
            ),
            upstream("U1", "size(output_types(body)) = 1"),
        ),
        traits=frozenset({"isolated", "runs_bodies", "single_op_body"}),
        since="1.15.0",
        example='%future = "stablehlo.async_start"(%operand) ({\n^bb0(%x: tensor<4xf32>):\n'
        "  %0 = stablehlo.slice %x [0:2] : (tensor<4xf32>) -> tensor<2xf32>\n"
        "  stablehlo.return %0 : tensor<2xf32>\n}) : (tensor<4xf32>) -> !stablehlo.future<tensor<2xf32>>",
    ),
    OpDef(
        name="stablehlo.async_done",
        doc="Waits for the outputs of a future, and returns them.",
        section="async_done",
        source_labels=None,
        inputs=(Operand("operand", FUTURE),),
        outputs=(Result("result", PER_TENSOR_TENSOR),),
        constraints=rules(
            Constraint(
                "C1",
                "future_types(operand) = [type(result)]",
                spec="If `async_done` receives a `future<T>`, then `async_done` returns `T`.",
                why="prose",
            ),
        ),
        traits=frozenset({"received"}),
        cost=NO_TRAFFIC,
        since="1.15.0",
        example='%result = "stablehlo.async_done"(%future) '
        ": (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>",
    ),
)
