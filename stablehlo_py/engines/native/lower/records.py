"""Emitter records: the native form of each op."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from stablehlo_py.engines.native.arithmetic.elements import element_of
from stablehlo_py.engines.native.loop_ir.expressions import Expression
from stablehlo_py.engines.native.loop_ir.index import Indices
from stablehlo_py.engines.native.loop_ir.statements import Statement
from stablehlo_py.engines.native.region import CONTROL
from stablehlo_py.interpreter.lower import MEETS
from stablehlo_py.interpreter.plan import Plan, Step, byte_size
from stablehlo_py.ir.records import dataclass
from stablehlo_py.ir.types import Type
from stablehlo_py.kernels.quantized import computes_on_numbers
from stablehlo_py.opset.traits import Trait

if TYPE_CHECKING:
    from stablehlo_py.engines.native.lower.region import Lowering

Supports = Callable[[Plan[Step], Step], bool]
Element = Callable[["Lowering", Step, Indices], Expression]
Loops = Callable[["Lowering", Step], Sequence[Statement]]
_JOINED = ("stablehlo.concatenate", "stablehlo.pad")
_OF_PROCESSES = MEETS | frozenset[Trait]({"reads_process_id"})
MOST_BYTES = 1 << 32  # of one array: results beyond are refused by the steps of the NumPy engine


@dataclass(frozen=True, slots=True)
class Emitter:
    """The native form of an op: either `element` or `loops`.

    Attributes:
        op: The op's name, with its dialect.
        element: Returns the element of the single result at an index, as an expression of operand elements.
        loops: Returns the statements that store all results.
        supports: Tests whether a step is supported, apart from its element types.
        pays: Tests whether a region with this step alone pays.
    """

    op: str
    element: Element | None = None
    loops: Loops | None = None
    supports: Supports | None = None
    pays: Supports | None = None


def always(plan: Plan[Step], step: Step) -> bool:
    """Hold for every step."""
    return True


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


def by_loops(
    op: str, supports: Supports | None = None, pays: Supports | None = None
) -> Callable[[Loops], Loops]:
    """Register a function that gives the loops of an op."""

    def registered(function: Loops) -> Loops:
        register(Emitter(op, loops=function, supports=supports, pays=pays))
        return function

    return registered


def emitter_of(op: str) -> Emitter | None:
    """The emitter of an op, if it has one."""
    return _EMITTERS.get(op)


def is_on_numbers(step: Step, types: Sequence[Type]) -> bool:
    """Test whether a step computes on the numbers that quantized elements represent."""
    return step.definition is not None and computes_on_numbers(step.definition, types)


def has_native_arrays(plan: Plan[Step], step: Step) -> bool:
    """Test whether all operands and results are nonempty and have element types with a native form.

    Operands of a concatenation may be empty. Quantized elements are integers here; a separate step converts
    them to the numbers that they represent (`passes/quantization.py`).
    """
    if is_on_numbers(step, [plan.types[slot] for slot in (*step.ins, *step.outs)]):
        return False
    read = [slot for slot in step.ins if step.name not in _JOINED or byte_size(plan.types[slot]) != 0]
    return all(is_native_type(plan.types[slot]) for slot in (*read, *step.outs))


def is_native_type(type: Type) -> bool:
    """Test whether arrays of a type have elements, of a type with a native form."""
    return element_of(type) is not None and 0 < (byte_size(type) or 0) <= MOST_BYTES


def is_supported(plan: Plan[Step], step: Step) -> bool:
    """Test whether a step has an emitter for its operands and attributes."""
    emitter = emitter_of(step.name)
    return emitter is not None and (emitter.supports is None or emitter.supports(plan, step))


def is_lowered(plan: Plan[Step], step: Step) -> bool:
    """Test whether a step is lowered to loops: it computes arrays of elements with a native form.

    Control flow has the effects of its bodies.
    """
    if (step.effect and step.name not in CONTROL) or step.deferred is not None or step.callee:
        return False
    return has_native_arrays(plan, step) and is_supported(plan, step)


def is_callable(plan: Plan[Step], step: Step) -> bool:
    """Test whether a native loop can call a step: it takes and gives arrays, and waits for no process."""
    is_known = step.definition is not None or step.deferred is not None
    if not is_known or _depends_on_processes(step):
        return False
    return all(is_native_type(plan.types[slot]) for slot in (*step.ins, *step.outs))


def _depends_on_processes(step: Step) -> bool:
    traits = step.definition.traits if step.definition is not None else frozenset[Trait]()
    inside = any(_depends_on_processes(inner) for body in step.plans for inner in body.steps)
    return inside or bool(traits & _OF_PROCESSES)


def pays_alone(plan: Plan[Step], step: Step) -> bool:
    """Test whether a region with a single step pays, as for steps that the engine's passes create."""
    emitter = emitter_of(step.name)
    if emitter is None:
        return False
    return step.definition is None or (emitter.pays is not None and emitter.pays(plan, step))


def is_scalar(body: Plan[Step]) -> bool:
    """Test whether a function on elements is made of expressions."""
    return all(_is_expression(step.name) and is_lowered(body, step) for step in body.steps)


def _is_expression(op: str) -> bool:
    emitter = emitter_of(op)
    return emitter is not None and emitter.element is not None


def combines_elements(plan: Plan[Step], step: Step, *columns: Sequence[int]) -> bool:
    """Test whether the function of a step consists of expressions, in the types of the step.

    Args:
        plan: The plan.
        step: The step, which has one function.
        columns: Slots for each output of the function, whose elements have to be of the output's type.
    """
    (body,) = step.plans
    same = all(
        len({*[plan.tensor(slot).element_type for slot in slots], body.tensor(out).element_type}) == 1
        for *slots, out in zip(*columns, body.outputs, strict=True)
    )
    captured = step.ins[len(step.ins) - body.captures :] if body.captures else ()
    return same and is_scalar(body) and all(plan.shape_of(slot) == () for slot in captured)


def is_reduction(plan: Plan[Step], step: Step) -> bool:
    """Test whether a reduction combines the elements of operands with initial values by expressions."""
    count = len(step.outs)
    return combines_elements(plan, step, step.ins[:count], step.ins[count : 2 * count], step.outs)
