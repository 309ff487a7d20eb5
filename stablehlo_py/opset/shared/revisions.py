"""Versions of StableHLO that changed several ops in the same way, by upstream's version log."""

from __future__ import annotations

from stablehlo_py.opset.traits import Revision

SEVERAL_OPERANDS = Revision("1.5.0", form=2, what="several operands", uses="size(operands) != 1")
MESH_GROUPS = Revision(
    "1.16.0", what="replica groups by the axes of a mesh", uses="not is_dense(replica_groups)"
)


def promotion(inputs: str, results: str) -> Revision:
    """Return the revision of reductions with other element types in results than in operands."""
    return Revision(
        "0.17.0",
        what="a result element type that differs from the operands'",
        uses=f"not (for i in range(size({results})) : "
        f"identical(element_type({inputs}[i]), element_type({results}[i])))",
    )


def batching(operand: str, indices: str) -> Revision:
    """Return the revision of gathers and scatters with batching dimensions, in two attributes."""
    uses, adds = f"0 < size({operand})", (operand, indices)
    return Revision("1.1.0", form=2, what="batching dimensions", uses=uses, adds=adds)


def accuracy(since: str) -> Revision:
    """Return the revision of functions with a requested accuracy."""
    adds = ("result_accuracy",)
    return Revision(since, form=2, what="result_accuracy", uses="mode != DEFAULT", adds=adds)
