"""Transfers of data to and from other processes and the host."""

from __future__ import annotations

from stablehlo_py.opset.classes import ANY_TENSOR, STATIC_QUANTIZED_TENSOR, STATIC_TENSOR, TOKEN
from stablehlo_py.opset.definition import Attr, Constraint, OpDef, Operand, Result, define, rules, upstream
from stablehlo_py.opset.traits import Revision

RECEIVED = STATIC_TENSOR | STATIC_QUANTIZED_TENSOR | TOKEN
CHANNEL = (
    Attr("channel_id", "i64", type="constant of type `si64`", at="channel_handle.handle"),
    Attr(
        "channel_type",
        "i64",
        type="enum of `DEVICE_TO_DEVICE` and `DEVICE_TO_HOST`",
        at="channel_handle.type",
    ),
)
CHANNEL_NUMBERS = "channel types are stored as integers: DEVICE_TO_DEVICE 1, DEVICE_TO_HOST 2"
CHANNEL_TYPE = (
    "`channel_type` is defined as:\n"
    "  * `DEVICE_TO_HOST` if `is_host_transfer = true`,\n"
    "  * `DEVICE_TO_DEVICE` otherwise."
)
HOST_TRANSFER = Attr("is_host_transfer", "bool", type="constant of type `i1`", optional=True, default="false")
PAIRS = Attr(
    "source_target_pairs", "elements i64", type="2-dimensional tensor constant of type `si64`", optional=True
)
PAIRS_REVISION = Revision(
    "1.12.0",
    form=2,
    what="source_target_pairs",
    uses="given(source_target_pairs) and 0 < size(source_target_pairs)",
    adds=("source_target_pairs",),
)
UNCHECKED = "upstream does not check source_target_pairs here"


def _pairs(label: str, formula: str, spec: str) -> Constraint:
    """Return a constraint on source_target_pairs, if given."""
    return Constraint(
        label,
        f"if given(source_target_pairs) and 0 < size(source_target_pairs) then {formula}",
        spec=spec,
        why=UNCHECKED,
        verdict="spec-only",
    )


PAIRS_RULES = (
    _pairs("C1", "shape(source_target_pairs)[1:] = [2]", "`dim(source_target_pairs, 1) = 2`."),
    _pairs("C2", "is_unique(source_target_pairs[:, 0])", "`is_unique(source_target_pairs[:, 0])`."),
    _pairs("C3", "is_unique(source_target_pairs[:, 1])", "`is_unique(source_target_pairs[:, 1])`."),
    _pairs(
        "C4",
        "0 <= source_target_pairs < (channel_id > 0 ? num_partitions : num_replicas)",
        "`0 <= source_target_pairs < N`, where `N` is defined as:\n"
        "  * `num_replicas` if `cross_replica` is used.\n"
        "  * `num_partitions` if `cross_partition` is used.",
    ),
)

define(
    OpDef(
        name="stablehlo.infeed",
        doc="Reads data from the infeed.",
        section="infeed",
        inputs=(
            Operand("token", TOKEN),
            Attr(
                "infeed_config",
                "string",
                type="constant of type `string`",
                optional=True,
                default='""',
                stores_default=True,
            ),
            Attr("layout", "array of array of number", optional=True),
        ),
        outputs=(Result("results", RECEIVED, variadic=True),),
        constraints=rules(
            ("C1", "0 < size(results)"),
            Constraint(
                "C2",
                "is_tensor(results[:-1]...)",
                spec="`is_empty(result[:-1])` or `is_tensor(type(results[:-1]))`.",
                why="sort",
            ),
            ("C3", "is_token(type(results[-1]))"),
            upstream("U1", "if given(layout) then size(layout) = size(results) - 1"),
        ),
        traits=frozenset({"received", "shape_at_run"}),
        example='%results:2 = "stablehlo.infeed"(%token) '
        ": (!stablehlo.token) -> (tensor<2x2xi64>, !stablehlo.token)",
    ),
    OpDef(
        name="stablehlo.outfeed",
        doc="Writes its inputs to the outfeed.",
        section="outfeed",
        inputs=(
            Operand("inputs", ANY_TENSOR, variadic=True),
            Operand("token", TOKEN),
            Attr(
                "outfeed_config",
                "string",
                type="constant of type `string`",
                optional=True,
                default='""',
                stores_default=True,
            ),
        ),
        outputs=(Result("result", TOKEN),),
        example='%result = "stablehlo.outfeed"(%input, %token) '
        ": (tensor<2x2xi64>, !stablehlo.token) -> !stablehlo.token",
    ),
    OpDef(
        name="stablehlo.send",
        doc="Sends inputs over a channel to another process or to the host.",
        section="send",
        source_labels="C1= C2= C3= C4= C5=C1",
        inputs=(
            Operand("inputs", ANY_TENSOR, variadic=True),
            Operand("token", TOKEN),
            *CHANNEL,
            HOST_TRANSFER,
            PAIRS,
        ),
        outputs=(Result("result", TOKEN),),
        properties=(("channel_handle", "struct stablehlo.channel_handle"),),
        constraints=rules(
            *PAIRS_RULES,
            Constraint(
                "C5", "channel_type = (is_host_transfer ? 2 : 1)", spec=CHANNEL_TYPE, why=CHANNEL_NUMBERS
            ),
        ),
        traits=frozenset({"communicates"}),
        revisions=(PAIRS_REVISION,),
        example='%result = "stablehlo.send"(%operand, %token) '
        "<{channel_handle = #stablehlo.channel_handle<handle = 0, type = 1>}> "
        ": (tensor<2x2xi64>, !stablehlo.token) -> !stablehlo.token",
    ),
    OpDef(
        name="stablehlo.recv",
        doc="Receives data over a channel from another process or from the host.",
        section="recv",
        source_labels="C1= C2= C3= C4= C5=C1 U1=C2 U2=C3 U3=C4",
        inputs=(Operand("token", TOKEN), *CHANNEL, HOST_TRANSFER, PAIRS),
        outputs=(Result("results", RECEIVED, variadic=True),),
        properties=(("channel_handle", "struct stablehlo.channel_handle"),),
        constraints=rules(
            *PAIRS_RULES,
            Constraint(
                "C5",
                "channel_type = (is_host_transfer ? 3 : 1)",
                spec=CHANNEL_TYPE,
                why=CHANNEL_NUMBERS + "; data from the host requires HOST_TO_DEVICE, 3",
            ),
            upstream("U1", "0 < size(results)"),
            Constraint(
                "U2",
                "is_tensor(results[:-1]...)",
                spec="`is_empty(result[:-1])` or `is_tensor(type(results[:-1]))`.",
                why="prose",
                verdict="upstream",
            ),
            upstream("U3", "is_token(type(results[-1]))"),
        ),
        traits=frozenset({"communicates", "received", "shape_at_run"}),
        revisions=(PAIRS_REVISION,),
        example='%results:2 = "stablehlo.recv"(%token) '
        "<{channel_handle = #stablehlo.channel_handle<handle = 0, type = 1>}> "
        ": (!stablehlo.token) -> (tensor<2x2xi64>, !stablehlo.token)",
    ),
)
