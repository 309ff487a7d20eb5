"""Every op, on every element type that its definition allows, against XLA's CPU backend.

The programs are drawn from the definitions: see `draw`. What may differ, and why, is in `agreement`.
"""

from __future__ import annotations

from collections.abc import Iterator
from zlib import crc32

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.attributes import TypeAttr
from stablehlo_py.ir.dtypes import bit_width
from stablehlo_py.ir.types import FunctionType, Type
from stablehlo_py.opset.definition import OpDef, all_definitions

pytest.importorskip("jaxlib")
pytest.importorskip("jax")

from agreement import (
    DIFFERENT,
    MESSAGES,
    NEAR_ZERO,
    NOT_COMPARED,
    REJECTED,
    SUMS,
    TAME,
    bound,
    distance,
    listed,
)
from draw import Case, draw_case, elements_of
from elements import ELEMENTS, Mood
from xla_batch import Function, Rejected, Xla

SEED = 20
CONVERSIONS = ("stablehlo.convert", "stablehlo.bitcast_convert")
WIDENING = ("stablehlo.dot_general", "stablehlo.dot", "stablehlo.convolution")
COMPARED = [
    definition
    for definition in all_definitions()
    if definition.name.startswith(("stablehlo.", "chlo.")) and definition.name not in NOT_COMPARED
]


@pytest.fixture(scope="module")
def xla() -> Iterator[Xla]:
    backend = Xla()
    yield backend
    backend.close()


def cases_of(definition: OpDef) -> Iterator[Case]:
    """Two programs for each element type, and one for each type that a result may have besides."""
    rng = np.random.default_rng([SEED, crc32(definition.name.encode())])
    moods: tuple[Mood, Mood] = ("any", "any")
    if definition.name in SUMS:
        moods = ("whole", "tame")
    elif definition.name in TAME:
        moods = ("tame", "tame")
    count = 0
    for element in elements_of(definition):
        drawn = [
            draw_case(rng, definition, element, None, mood, f"f{count + i}") for i, mood in enumerate(moods)
        ]
        found = [case for case in drawn if case is not None]
        if found and found[0].free:
            for other in other_results(definition, element):
                case = draw_case(rng, definition, element, other, moods[0], f"f{count + 2 + len(found)}")
                found += [case] if case else []
        count += 2 + len(ELEMENTS)
        yield from found


def other_results(definition: OpDef, element: Type) -> list[Type]:
    """All other types for a conversion, the widest of the same kind for a product."""
    if definition.name in CONVERSIONS:
        return [other for other in ELEMENTS if other is not element]
    if definition.name not in WIDENING:
        return []
    return [other for other in ELEMENTS if is_wider(other, element)][-1:]


def is_wider(other: Type, element: Type) -> bool:
    signs = [getattr(type, "signedness", "") for type in (other, element)]
    if signs[0] != signs[1] or bit_width(element) == 1:
        return False
    return type(other) is type(element) and bit_width(other) > bit_width(element)


def function_of(case: Case) -> Function:
    op = case.module.body.ops[0]
    signature = op.properties["function_type"]
    assert isinstance(signature, TypeAttr) and isinstance(signature.value, FunctionType)
    inputs, results = (tuple(map(str, types)) for types in signature.value.fields())
    text = "\n".join(shlo.format(case.module, generic=True).strip().splitlines()[1:-1])
    return Function(case.name, text, inputs, results, case.arguments)


@pytest.mark.parametrize("definition", COMPARED, ids=lambda definition: definition.name)
def test_op(definition: OpDef, xla: Xla) -> None:
    cases = list(cases_of(definition))
    assert cases, "no valid program was drawn"
    functions = [function_of(case) for case in cases if not listed(REJECTED, case.op, case.elements)]
    kept = [case for case in cases if not listed(REJECTED, case.op, case.elements)]
    wrong = []
    for case, function, theirs in zip(kept, functions, xla.run(functions), strict=True):
        if isinstance(theirs, Rejected):
            if not any(message in theirs for message in MESSAGES):
                wrong.append(f"XLA rejects\n{function.text}\n{theirs}")
        elif not listed(DIFFERENT, case.op, case.elements):
            ours = shlo.run(case.module, case.arguments)
            together = case.op in SUMS | TAME | NEAR_ZERO
            apart = max([distance(*pair, together) for pair in zip(ours, theirs, strict=True)], default=0.0)
            if apart > bound(case.op, case.elements):
                wrong.append(f"{apart} ULPs apart\n{function.text}\n{case.arguments}\n{ours}\n{theirs}")
    assert not wrong, f"{len(wrong)} of {len(kept)}\n\n" + "\n\n".join(wrong)


def test_what_is_not_compared_is_defined() -> None:
    names = {definition.name for definition in all_definitions()}
    assert set(NOT_COMPARED) <= names
