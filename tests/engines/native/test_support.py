"""The table of what is native: every op is in it, with an emitter or a reason."""

from __future__ import annotations

from zlib import crc32

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from stablehlo_py.engines.native.arithmetic.scalar_ops import OTHERS, ROWS
from stablehlo_py.engines.native.lower.records import is_lowered
from stablehlo_py.engines.native.passes.legalization import FORMS
from stablehlo_py.engines.native.passes.pipeline import OTHER_FORMS, rewritten
from stablehlo_py.engines.native.support import OWN_REASONS, REASONS, native_form
from stablehlo_py.interpreter.lower import ModuleLowering
from stablehlo_py.ir.types import F32, I1, I32, ComplexType
from stablehlo_py.kernels.registry import find_kernel
from stablehlo_py.opset.definition import OpDef, families
from tests.engines.native.test_every_op import NATIVE, base_of, is_static
from tests.helpers.drawing.draw import draw_case, elements_of


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


KINDS = {
    F32: {"floats of 4 to 64 bits", "f32"},
    I32: {"integers of 2 to 64 bits", "i32"},
    I1: {"i1"},
    ComplexType(F32): {"complex<f32>"},
}


@pytest.mark.parametrize("definition", NATIVE, ids=lambda definition: definition.name)
def test_the_elements_of_a_form_are_those_with_loops(definition: OpDef) -> None:
    """For each kind of elements that the op is defined for; ops other than expressions have conditions."""
    rng, form = np.random.default_rng(crc32(definition.name.encode())), native_form(definition.name)
    assert form is not None
    listed = {part.partition(" (")[0] for part in form[1].split(", ")}
    elements = elements_of(base_of(definition))
    for element in [each for each in KINDS if each in elements]:
        case = draw_case(rng, definition, element, None, "tame", "main")
        if case is None or not is_static(case):
            continue
        plan = rewritten(ModuleLowering(case.module, lambda *given: None)[case.name])
        steps = [step for step in plan.steps if "." in step.name.partition(" ")[0]]
        if not steps:
            continue
        if all(is_lowered(plan, step) for step in steps):
            assert KINDS[element] & listed, (element, form)
        elif definition.name in ROWS:
            assert not KINDS[element] & listed, (element, form)


@pytest.mark.parametrize("name", sorted(OTHERS.keys() - {"stablehlo.select"}))  # whose first operand is i1
def test_expressions_have_no_elements_that_the_op_is_not_defined_for(name: str) -> None:
    definition = next(each for each in NATIVE if each.name == name)
    form = native_form(name)
    assert form is not None
    listed = {part.partition(" (")[0] for part in form[1].split(", ")}
    defined = elements_of(base_of(definition))
    assert [str(element) for element in KINDS if KINDS[element] & listed and element not in defined] == []
