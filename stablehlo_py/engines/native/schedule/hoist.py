"""Loop-invariant code motion: a fold is computed in front of the loops that it does not depend on.

Inlining makes such folds: a convolution with a kernel of one number is the same for all features.
"""

from __future__ import annotations

from stablehlo_py.engines.native.loop_ir.statements import Fold, Loop, Program, Statement, roots_of
from stablehlo_py.engines.native.schedule.nests import loops_over, map_nests, perfect_nest, variables_in


def hoist(program: Program) -> Program:
    """Move folds out of parallel loops that do not change them."""
    return Program(program.buffers, map_nests(program.body, lambda nest: [_hoisted(nest)]))


def _hoisted(nest: Loop) -> Statement:
    loops, (fold, *rest) = perfect_nest(nest)
    if not isinstance(fold, Fold):
        return nest
    used = set().union(*map(variables_in, roots_of(fold)))
    outer = [v for v in loops if v in used]
    inner = [v for v in loops if v not in used and v.extent > 1]
    if not outer or not inner:
        return nest
    (hoisted,) = loops_over(outer, [fold, *loops_over(inner, rest, "parallel")], "parallel")
    return hoisted
