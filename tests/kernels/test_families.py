"""Families have the same file names in definitions, kernels and tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from stablehlo_py.kernels.registry import all_kernels
from stablehlo_py.opset.definition import all_definitions, families, family_of

KERNELS = all_kernels()
PACKAGE = Path(__file__).parents[2] / "stablehlo_py"


@pytest.mark.parametrize("name", [definition.name for definition in all_definitions()])
def test_a_kernel_is_in_the_file_of_the_same_name(name: str) -> None:
    kernel = KERNELS.get(name)
    assert kernel is None or kernel.family == family_of(name)


def test_kernels_are_of_ops_that_are_defined() -> None:
    assert not [name for name in KERNELS if family_of(name) is None]


def test_each_file_of_definitions_is_a_family() -> None:
    files = {path.stem for path in (PACKAGE / "opset" / "ops").glob("[a-z]*.py")}
    assert files <= set(families())  # tests define some of their own


@pytest.mark.parametrize("family", sorted({kernel.family for kernel in KERNELS.values()}))
def test_a_family_has_tests(family: str) -> None:
    assert Path(__file__).with_name(f"test_{family}.py").is_file()
