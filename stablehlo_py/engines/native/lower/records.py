"""Emitter records: what the native engine knows about an op."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from stablehlo_py.engines.native.loop_ir.expressions import Expression
from stablehlo_py.engines.native.loop_ir.index import Indices
from stablehlo_py.engines.native.loop_ir.statements import Statement
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.records import dataclass

if TYPE_CHECKING:
    from stablehlo_py.engines.native.lower.region import Lowering

Supports = Callable[[Plan[Step], Step], bool]
Element = Callable[["Lowering", Step, Indices], Expression]
Loops = Callable[["Lowering", Step], Sequence[Statement]]


@dataclass(frozen=True, slots=True)
class Emitter:
    """How the native engine computes an op. One of `element` and `loops` is there.

    Attributes:
        op: The op's name, with its dialect.
        element: Gives the element of the only result at an index, as an expression of the operands' elements.
        loops: Gives the statements that store all results.
        supports: Tests a step, beyond its element types.
    """

    op: str
    element: Element | None = None
    loops: Loops | None = None
    supports: Supports | None = None


_EMITTERS: dict[str, Emitter] = {}


def register(emitter: Emitter) -> None:
    """Add the emitter of an op."""
    assert emitter.op not in _EMITTERS
    _EMITTERS[emitter.op] = emitter


def by_element(op: str, supports: Supports | None = None) -> Callable[[Element], Element]:
    """Register a function that gives an element of an op's result."""

    def registered(function: Element) -> Element:
        register(Emitter(op, element=function, supports=supports))
        return function

    return registered


def by_loops(op: str, supports: Supports | None = None) -> Callable[[Loops], Loops]:
    """Register a function that gives the loops of an op."""

    def registered(function: Loops) -> Loops:
        register(Emitter(op, loops=function, supports=supports))
        return function

    return registered


def emitter_of(op: str) -> Emitter | None:
    """The emitter of an op, if it has one."""
    return _EMITTERS.get(op)


def is_supported(plan: Plan[Step], step: Step) -> bool:
    """Test whether a step has an emitter for its operands and attributes."""
    emitter = emitter_of(step.name)
    return emitter is not None and (emitter.supports is None or emitter.supports(plan, step))
