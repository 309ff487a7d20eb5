"""Every op, on every element type that its definition allows, against XLA's CPU backend.

The programs are drawn from the definitions: see `draw`. What may differ, and why, is in `agreement`. Seeds
are fixed; `ORACLE_DRAWS=50` draws fifty times as many.
"""

from __future__ import annotations

from collections.abc import Iterator
from zlib import crc32

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.attributes import TypeAttr
from stablehlo_py.ir.element_types import bit_width
from stablehlo_py.ir.types import FunctionType, Type
from stablehlo_py.opset.definition import OpDef, all_definitions

pytest.importorskip("jaxlib")
pytest.importorskip("jax")

from stablehlo_py.debug.generate.elements import ELEMENTS, Mood
from stablehlo_py.debug.generate.programs import COVERED
from tests.helpers.agreement import (
    BOUNDS,
    COARSE,
    CRASHES,
    DIFFERENT,
    MESSAGES,
    NOT_COMPARED,
    NOT_IN_XLA,
    REJECTED,
    SUMS,
    TAME,
    UNDRAWN,
    bound,
    distance,
    is_different,
    is_fatal,
    least_size,
    listed,
)
from tests.helpers.drawing.draw import Case, draw_case, elements_of
from tests.helpers.soak import DRAWS
from tests.helpers.xla_batch import Function, Rejected, Xla

SEED = 20
CONVERSIONS = ("stablehlo.convert", "stablehlo.bitcast_convert")
WIDENING = ("stablehlo.dot_general", "stablehlo.dot", "stablehlo.convolution")
COMPARED = [
    definition
    for definition in all_definitions()
    if definition.name.startswith(("stablehlo.", "chlo.")) and definition.name not in NOT_COMPARED
]


def cases_of(definition: OpDef, seed: int) -> Iterator[Case]:
    """Two programs for each element type, and one for each type that a result may have besides."""
    rng = np.random.default_rng([seed, crc32(definition.name.encode())])
    count = 0
    for element in elements_of(definition):
        moods = moods_of(definition, element)
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


def moods_of(definition: OpDef, element: Type) -> tuple[Mood, Mood]:
    """Sums in narrow types are to be exact: XLA rounds after each step, we once at the end."""
    if definition.name in SUMS:
        return ("few", "few") if str(element) in COARSE else ("whole", "tame")
    return ("tame", "tame") if definition.name in TAME else ("any", "any")


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


@pytest.mark.parametrize("draw", range(DRAWS))
@pytest.mark.parametrize("definition", COMPARED, ids=lambda definition: definition.name)
def test_op(definition: OpDef, draw: int, xla: Xla) -> None:
    """What is drawn agrees with XLA, and every element type is compared or known not to be."""
    cases = list(cases_of(definition, SEED + draw))
    skipped = [listed(REJECTED, c.op, c.elements) or is_fatal(c.op, c.elements) for c in cases]
    kept = [case for case, skip in zip(cases, skipped, strict=True) if not skip]
    wrong, compared = [], set()
    functions = list(map(function_of, kept))
    for case, function, theirs in zip(kept, functions, xla.run(functions), strict=True):
        if isinstance(theirs, Rejected):
            if not any(message in theirs for message in MESSAGES):
                wrong.append(f"XLA rejects\n{function.text}\n{theirs}")
            continue
        compared.add(case.elements[0])
        if not is_different(case.op, case.elements):
            ours = shlo.run(case.module, case.arguments)
            least = least_size(case.op, theirs)
            apart = max([distance(*pair, least) for pair in zip(ours, theirs, strict=True)], default=0.0)
            if not apart <= bound(case.op, case.elements):
                wrong.append(f"{apart} ULPs apart\n{function.text}\n{case.arguments}\n{ours}\n{theirs}")
    assert not wrong, f"{len(wrong)} of {len(kept)}\n\n" + "\n\n".join(wrong)
    elements = {str(element) for element in elements_of(definition)}
    known = {e for e in elements for t in (REJECTED, CRASHES, UNDRAWN) if listed(t, definition.name, (e,))}
    assert draw or elements == compared | known, "an element type is neither compared nor known not to be"


def test_every_op_is_compared_or_known_not_to_be() -> None:
    defined = {definition.name: definition for definition in all_definitions()}
    assert set(NOT_COMPARED) <= set(defined)
    drawn = {definition.name for definition in COMPARED} | COVERED
    dialects = {name.partition(".")[0] for name in set(defined) - set(NOT_COMPARED) - drawn}
    assert dialects <= set(NOT_IN_XLA), dialects
    tables = (REJECTED, CRASHES, UNDRAWN, DIFFERENT, BOUNDS)
    assert [name for table in tables for name in table if name not in drawn] == []
