"""Types that are inferred from the operands of programs of one op are those that the programs state.

The programs are drawn, and XLA has run them (`tests/kernels/recorded_ops.zip`). A facet of a result is open
where no constraint of the specification determines it from operands and attributes.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache

import pytest
from conftest import ROOT

import stablehlo_py as shlo
from stablehlo_py.ir.core import Operation
from stablehlo_py.ir.types import TensorType
from stablehlo_py.verifier.inference import infer_types
from tests.helpers.recorded_runs import read

# The open facets of results: shape, element type or both.
OPEN = {
    "stablehlo.convert": "element",
    "stablehlo.constant": "shape element",
    "stablehlo.iota": "shape element",
    "stablehlo.broadcast_in_dim": "shape",
    "stablehlo.reshape": "shape",
    "stablehlo.bitcast_convert": "shape element",  # C1 compares bits of the element types
    "stablehlo.dot_general": "element",
    "stablehlo.dot": "element",
    "stablehlo.einsum": "shape element",
    "stablehlo.batch_norm_training": "shape",
    "stablehlo.torch_index_select": "shape element",
    "stablehlo.rng_bit_generator": "shape element",
    "stablehlo.dynamic_iota": "element",
    "stablehlo.real_dynamic_slice": "shape",
    "chlo.broadcast_select": "element",
}


@cache
def operations() -> dict[str, list[Operation]]:
    """The ops of the programs, by their names."""
    found = defaultdict(list)
    for run in read(ROOT / "tests" / "kernels" / "recorded_ops.zip"):
        module = shlo.parse(run.text)
        found[run.op] += [op for op in module.walk() if op.name == run.op]
    return found


@pytest.mark.parametrize("name", operations())
def test_types_of_results(name: str) -> None:
    opened = set()
    for op in operations()[name]:
        inference = infer_types(op.name, op.operands, op.properties, op.regions)
        assert inference.diagnostics == ()
        for inferred, result in zip(inference.results, op.results, strict=True):
            stated = result.type
            assert isinstance(stated, TensorType)
            if inferred.type is not None:
                assert inferred.type is stated
                continue
            assert inferred.shape in (None, stated.shape)
            assert inferred.element_type in (None, stated.element_type)
            assert inferred.holes
            opened |= {"shape"} if inferred.shape is None else set()
            opened |= {"element"} if inferred.element_type is None else set()
    assert opened == set(OPEN.get(name, "").split())


def test_what_is_open_has_a_program() -> None:
    assert set(OPEN) <= set(operations())
