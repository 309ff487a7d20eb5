"""The table of what is native: every op is in it, with an emitter or a reason."""

from __future__ import annotations

import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")


from stablehlo_py.engines.native.passes.legalization import FORMS
from stablehlo_py.engines.native.passes.pipeline import OTHER_FORMS
from stablehlo_py.engines.native.support import OWN_REASONS, REASONS, native_form
from stablehlo_py.kernels.registry import find_kernel
from stablehlo_py.opset.definition import families


def test_every_op_has_an_emitter_or_a_reason() -> None:
    for family, definitions in families().items():
        for definition in definitions:
            known = native_form(definition.name) is not None or family in REASONS
            assert known or find_kernel(definition.name) is None, definition.name


def test_ops_with_other_forms_are_known_to_the_pipeline() -> None:
    assert set(OTHER_FORMS) == set(FORMS)


def test_reasons_are_of_families_that_there_are() -> None:
    assert set(REASONS) <= set(families())
    names = {definition.name for definitions in families().values() for definition in definitions}
    assert set(OWN_REASONS) <= {name for name in names if native_form(name) is None}


def test_a_form_says_how_and_for_which_elements() -> None:
    """Two texts, the second of element types: of one at least, and each once."""
    for definitions in families().values():
        for definition in definitions:
            form = native_form(definition.name)
            if form is not None:
                how, elements = form
                words = elements.split(", ")
                assert how and all(words) and len(set(words)) == len(words), definition.name
