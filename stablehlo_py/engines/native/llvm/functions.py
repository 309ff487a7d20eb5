"""Functions of loop nests, with parameters for a range of the outermost loop and for memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from stablehlo_py.engines.native.arithmetic.llvm_ir import Builder
from stablehlo_py.engines.native.llvm.nests import Writer
from stablehlo_py.engines.native.loop_ir.expressions import Buffer, Reference
from stablehlo_py.engines.native.loop_ir.index import Variable
from stablehlo_py.engines.native.loop_ir.statements import Loop, Statement
from stablehlo_py.engines.native.loop_ir.uses import buffers_of, captured_by


class Nest(NamedTuple):
    """A nest as a function of a range of its outermost loop; equal nests of other memory have equal text.

    Attributes:
        parameters: The types and names of its parameters: the range, and addresses.
        body: Its lines.
        buffers: The buffers whose addresses it takes.
        captured: The captured values and variables, whose addresses follow.
        extent: The extent of the outermost loop; 1 for statements without a loop.
        instructions: The estimated number of instructions that it executes.
        declarations: The declarations of the module that it needs, by name.
    """

    parameters: str
    body: str
    buffers: tuple[Buffer, ...]
    captured: tuple[Reference | Variable, ...]
    extent: int
    instructions: int
    declarations: dict[str, str]


def write_nest(nest: Sequence[Statement], may_repeat: bool) -> Nest:
    """Write the function of a nest.

    Args:
        nest: A loop, or statements without a loop.
        may_repeat: Whether the nest is idempotent. Its code then assumes likely conditions, and the nest runs
            again without the assumptions if one of them failed (loop versioning).
    """
    b = Builder({})
    if may_repeat:
        b.broken = b.alloca("i8")
        b.allocas.append(f"  store i8 0, {b.broken}")
    writer = Writer(b)
    given = writer.declare(buffers_of(nest))
    captured = captured_by(nest)
    for place, each in enumerate(captured, len(given)):
        writer.capture(each, b.value(f"%p{place}", "ptr"))
    first = nest[0]
    extent = first.variable.extent if isinstance(first, Loop) else 1

    def write() -> None:
        if isinstance(first, Loop):
            writer.loop(first, b.value("%lo", "i64"), b.value("%hi", "i64"))
        else:
            writer.statements(nest)

    with writer.block():
        write()
    broken, b.broken = b.broken, None
    if broken is not None and b.assumed:
        count = b.instructions
        failed = b.load("i8", broken, b.constant(0, "i64"))
        writer.branch(failed.compare("ne", 0), write)
        b.count(count - b.instructions)
    b.do("ret void")
    pointers = [f"ptr noalias %p{k}" for k in range(len(given) + len(captured))]
    parameters = ", ".join(["i64 %lo", "i64 %hi", *pointers])
    body = "\n".join([*b.allocas, *b.lines])
    return Nest(parameters, body, tuple(given), captured, extent, b.instructions, b.declarations)
