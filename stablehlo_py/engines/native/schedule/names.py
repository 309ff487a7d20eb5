"""Names of loop variables: i, j, k, ... in the order of a nest, so that equal nests have equal text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, count

from stablehlo_py.engines.native.loop_ir.index import Variable
from stablehlo_py.engines.native.loop_ir.statements import Program, Statement, loops_of, renamed, walk

_LETTERS = "ijklmnpqrstuvwabcdefgh"


def name_variables(program: Program) -> Program:
    """Rename the loop variables of each nest."""
    return Program(program.buffers, tuple(chain(*map(_renamed, program.nests))))


def _renamed(nest: Sequence[Statement]) -> list[Statement]:
    names, old = _names(), dict.fromkeys(chain(*map(loops_of, walk(nest))))
    new = {variable: Variable(next(names), variable.extent) for variable in old}
    return [renamed(statement, variables=new) for statement in nest]


def _names() -> Iterator[str]:
    yield from _LETTERS
    yield from (f"i{number}" for number in count(1))
