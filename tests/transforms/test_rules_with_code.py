"""Rules whose replacement is code: what keeps each of them from a program, and what it makes of others.

Each program is near one that the rule rewrites. Of a program that a rule rewrites, the row has the ops and
the numbers of operands of the function afterwards, and its results are those of the program before.
"""

from __future__ import annotations

import numpy as np
import pytest
from programs_of_rules import PROGRAMS, REFUSED

import stablehlo_py as shlo
from stablehlo_py.transforms.greedy_driver import apply_rules
from stablehlo_py.transforms.registry import all_rules
from stablehlo_py.transforms.rules.example import example_module

RULES = {rule.name: rule for rule in all_rules()}


def after(module: shlo.Module) -> str:
    ops = module.functions["main"].regions[0].block.ops[:-1]
    return " ".join(f"{op.name.removeprefix('stablehlo.')}/{len(op.operands)}" for op in ops)


def inputs(module: shlo.Module) -> list[np.ndarray]:
    """Numbers that are all different, and not in order."""
    types = [value.type for value in module.functions["main"].regions[0].block.arguments]
    shapes = [tuple(2 if size is None else size for size in type.shape) for type in types]
    dtypes = [{"i1": bool, "f32": np.float32}.get(str(type.element_type), np.int32) for type in types]
    return [
        (np.arange(np.prod(shape)) * 3 % 11 + n).reshape(shape).astype(dtype)
        for n, (shape, dtype) in enumerate(zip(shapes, dtypes, strict=True))
    ]


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str) -> None:
    for body, expected in PROGRAMS[name]:
        module = example_module(body)
        assert [d for d in shlo.verify(module) if d.severity == "error"] == [], body
        changed = module.clone()
        counts = apply_rules(changed, changed.op, [RULES[name]], erase_dead=False, share=False)
        assert (after(changed) if counts else REFUSED) == expected, body
        if counts and "custom_call" not in body and not RULES[name].inexact:
            assert [d for d in shlo.verify(changed) if d.severity == "error"] == [], body
            given = inputs(module)
            for a, b in zip(shlo.run(module, given), shlo.run(changed, given), strict=True):
                np.testing.assert_equal(b, a, body)
