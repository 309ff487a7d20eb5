"""Every op with an emitter, on element types that its definition allows, on both engines.

All types are drawn where slow tests are run; otherwise a third of them, others for each op.
"""

from __future__ import annotations

from typing import Any
from zlib import crc32

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo
from stablehlo_py.engines import program
from stablehlo_py.engines.native import regions
from stablehlo_py.engines.native.passes.pipeline import BROADCASTING
from stablehlo_py.engines.native.support import native_form
from stablehlo_py.ir.attributes import SymbolRefAttr, TypeAttr
from stablehlo_py.ir.core import Module
from stablehlo_py.ir.op_builder import OpBuilder, add_function
from stablehlo_py.ir.types import ComplexType
from stablehlo_py.opset.definition import OpDef, all_definitions
from tests.helpers.agreement import SUMS, TAME, bound, distance, least_size
from tests.helpers.drawing.draw import Case, draw_case, elements_of
from tests.helpers.soak import DRAWS, sample

SEED = 31
EVERY = 3  # element type, by default
ELSEWHERE = (  # in programs of many ops
    "stablehlo.while", "stablehlo.if", "stablehlo.case",
    "stablehlo.uniform_quantize", "stablehlo.uniform_dequantize",
)  # fmt: skip
NOT_OF_COMPLEX = (
    "stablehlo.remainder",
    "chlo.bessel_i1e",
    "chlo.broadcast_remainder",
    "chlo.top_k",
)  # no engine has them
NATIVE = [
    definition
    for definition in all_definitions()
    if native_form(definition.name) is not None and definition.name not in ELSEWHERE
]


def base_of(definition: OpDef) -> OpDef:
    """The op that one of CHLO's broadcasts the operands of; any other op itself."""
    name = definition.name.removeprefix(BROADCASTING)
    if name == definition.name:
        return definition
    return next(each for each in all_definitions() if each.name in (f"stablehlo.{name}", f"chlo.{name}"))


def cases_of(definition: OpDef, seed: int) -> list[Case]:
    """A program for each element type."""
    rng = np.random.default_rng([seed, crc32(definition.name.encode())])
    found = []
    elements = [
        element
        for element in elements_of(base_of(definition))
        if definition.name not in NOT_OF_COMPLEX or not isinstance(element, ComplexType)
    ]
    for number, element in enumerate(elements):
        mood = "few" if definition.name in SUMS else "tame" if definition.name in TAME else "any"
        case = draw_case(rng, definition, element, None, mood, f"f{number}")
        found += [case] if case is not None and is_static(case) else []
    return found


def is_static(case: Case) -> bool:
    return "?" not in str(case.module)


def joined(cases: list[Case]) -> tuple[Module, list[Any], list[Case]]:
    """A program that calls those of all cases; their arguments, and the case of each result."""
    module = Module()
    functions = [module.body.append(case.module.body.ops[0]) for case in cases]
    signatures = [function.properties["function_type"] for function in functions]
    types = [each.value.fields() for each in signatures if isinstance(each, TypeAttr)]
    inputs, results = ([type for pair in types for type in pair[side]] for side in range(2))
    block = add_function(module, "main", inputs, results)
    builder, values, found, owners = OpBuilder(block), iter(block.arguments), [], []
    for case, (takes, gives) in zip(cases, types, strict=True):
        callee = {"callee": SymbolRefAttr(case.name)}
        found += builder.create("func.call", [next(values) for _ in takes], gives, callee).results
        owners += [case] * len(gives)
    builder.create("func.return", found)
    return module, [array for case in cases for array in case.arguments], owners


@pytest.mark.parametrize("definition", NATIVE, ids=lambda definition: definition.name)
def test_op(definition: OpDef, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_equal(list(sample(cases_of(definition, SEED), definition.name, EVERY)), monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("draw", range(DRAWS))
@pytest.mark.parametrize("definition", NATIVE, ids=lambda definition: definition.name)
def test_op_on_all_element_types(definition: OpDef, draw: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_equal(cases_of(definition, SEED + 1 + draw), monkeypatch)


def assert_equal(cases: list[Case], monkeypatch: pytest.MonkeyPatch) -> None:
    """Both engines give the same results, as one step each and without constants that are known before."""
    monkeypatch.setattr(regions, "LEAST_STEPS", 1)
    monkeypatch.setattr(program, "constant_folder", lambda options: lambda step, operands, functions: None)
    module, arguments, owners = joined(cases)
    expected = shlo.compile(module, engine="numpy")(*arguments)
    found = shlo.compile(module, engine="native")(*arguments)
    wrong = [
        f"{case.elements}: {apart} ULPs apart\n{ours}\n{theirs}"
        for case, ours, theirs in zip(owners, found, expected, strict=True)
        if not (apart := distance(ours, theirs, least_size(case.op, [theirs])))
        <= bound(case.op, case.elements)
    ]
    assert not wrong, "\n".join(wrong)
