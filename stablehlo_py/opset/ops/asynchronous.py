"""Collectives and slices that run while the program goes on."""

from __future__ import annotations

from stablehlo_py.opset.classes import FUTURE, PER_TENSOR_TENSOR
from stablehlo_py.opset.definition import Body, Constraint, OpDef, Operand, Result, define, rules, upstream

define(
    OpDef(
        name="stablehlo.async_start",
        doc="Starts a collective or a slice, and gives a future of its outputs.",
        section="async_start",
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
                why="upstream takes collective_reduce as well",
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
        traits=frozenset({"isolated", "runs_bodies"}),
        example='%future = "stablehlo.async_start"(%operand) ({\n^bb0(%x: tensor<4xf32>):\n'
        "  %0 = stablehlo.slice %x [0:2] : (tensor<4xf32>) -> tensor<2xf32>\n"
        "  stablehlo.return %0 : tensor<2xf32>\n}) : (tensor<4xf32>) -> !stablehlo.future<tensor<2xf32>>",
    ),
    OpDef(
        name="stablehlo.async_done",
        doc="Waits for the outputs that a future stands for.",
        section="async_done",
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
        example='%result = "stablehlo.async_done"(%future) '
        ": (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>",
    ),
)
