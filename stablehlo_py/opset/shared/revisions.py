"""Versions of StableHLO that changed several ops alike, by upstream's log of versions."""

from __future__ import annotations

from stablehlo_py.opset.traits import Revision

SEVERAL_OPERANDS = Revision("1.5.0", form=2, what="several operands", uses="size(operands) != 1")
MESH_GROUPS = Revision(
    "1.16.0", what="replica groups by the axes of a mesh", uses="not is_dense(replica_groups)"
)


def promotion(inputs: str, results: str) -> Revision:
    """Reductions whose results are of other element types than what they reduce."""
    return Revision(
        "0.17.0",
        what="results of another element type than the operands",
        uses=f"not (for i in range(size({results})) : "
        f"identical(element_type({inputs}[i]), element_type({results}[i])))",
    )


def batching(operand: str, indices: str) -> Revision:
    """Gathers and scatters with batching dimensions, which two attributes name."""
    uses, adds = f"0 < size({operand})", (operand, indices)
    return Revision("1.1.0", form=2, what="batching dimensions", uses=uses, adds=adds)


def accuracy(since: str) -> Revision:
    """Functions that are computed to a requested accuracy."""
    adds = ("result_accuracy",)
    return Revision(since, form=2, what="result_accuracy", uses="mode != DEFAULT", adds=adds)
