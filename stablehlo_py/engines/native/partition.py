"""Partition: the steps of a plan that run as native regions, in an order with few regions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import NamedTuple

from stablehlo_py.engines.native.arithmetic.elements import element_of
from stablehlo_py.engines.native.lower.records import is_on_numbers
from stablehlo_py.engines.native.lower.registry import is_lowered, pays_alone
from stablehlo_py.engines.native.region import Region, make_region
from stablehlo_py.interpreter.plan import Plan, Step, byte_size
from stablehlo_py.ir.core import Operation
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.records import dataclass
from stablehlo_py.ir.types import Type
from stablehlo_py.kernels.numeric.ufuncs import is_ufunc
from stablehlo_py.kernels.registry import find_kernel, keyword_names

MANY = 1 << 15  # elements: as many as take NumPy longer than the call of a region, where it takes passes
LARGE = 1 << 17  # bytes: arrays that are worth a call of a region not to be stored

_FIRST_TURN = -1  # of steps with effects; those behind it are less


@dataclass(frozen=True)
class Partition:
    """How plans are cut into regions.

    Attributes:
        least: The least number of steps of a region.
    """

    least: int

    def parts(self, plan: Plan[Step]) -> list[Step | Region]:
        """The steps of a plan in an order with few, large regions.

        Ready steps are taken alternately: all native steps, then the other steps in their order. Steps with
        effects run in the order of the plan.
        """
        waiting = list(_waiting(plan))
        known = {*range(plan.arity), *plan.constants, _FIRST_TURN}
        found: list[Step | Region] = []
        while waiting:
            group = _take(waiting, known)
            pays = len(group) >= self.least or any(_needs_region(plan, step) for step in group)
            pays = pays or (len(group) > 1 and _is_fusion_of_large(plan, group))
            found += [make_region(plan, group)] if group and pays else group
            found += _take_first(waiting, known)
        return found


class _Waiting(NamedTuple):
    """A step that is not assigned to a part.

    Attributes:
        step: The step.
        is_native: Whether it has loops.
        needs: The slots that it reads. A step with effects also needs the number of its turn, a virtual slot.
        gives: The slots that it writes, and the number of the next turn.
    """

    step: Step
    is_native: bool
    needs: tuple[int, ...]
    gives: tuple[int, ...]


def _waiting(plan: Plan[Step]) -> Iterator[_Waiting]:
    turn = _FIRST_TURN
    for step in plan.steps:
        own = (turn,) if step.effect else ()
        turn -= len(own)
        following = (turn,) if step.effect else ()
        yield _Waiting(step, is_lowered(plan, step), (*step.ins, *own), (*step.outs, *following))


def _needs_region(plan: Plan[Step], step: Step) -> bool:
    """Test whether a region with a single step pays, or is the only form of the step."""
    numbers = step.op is not None and is_on_numbers(step, _types(step.op))
    return pays_alone(plan, step) or numbers or _takes_passes(plan, step)


def _takes_passes(plan: Plan[Step], step: Step) -> bool:
    """Test whether NumPy needs more than one vectorized pass for an elementwise step of many elements."""
    kernel = find_kernel(step.name)
    if kernel is None or not kernel.elementwise or prod(plan.shape_of(step.outs[0])) < MANY:
        return False
    elements = [element_of(plan.types[slot]) for slot in (*step.ins, *step.outs)]
    if any(element and (element.kind == "complex" or not element.is_wide) for element in elements):
        return True
    if [element and element.kind for element in elements] == ["floating", "integer"]:  # saturates
        return True
    if keyword_names(kernel.call):  # a comparison, or another conversion
        return False
    dtypes = [numpy_dtype(plan.tensor(slot).element_type) for slot in step.ins]
    return not is_ufunc(kernel.call(*dtypes))


def _types(op: Operation) -> list[Type]:
    return [value.type for value in (*op.operands, *op.results)]


def _is_fusion_of_large(plan: Plan[Step], steps: Sequence[Step]) -> bool:
    """Test whether fusion saves a large array, which the steps both write and read."""
    read = {slot for step in steps for slot in step.ins}
    return any(slot in read and (byte_size(plan.types[slot]) or 0) >= LARGE for s in steps for slot in s.outs)


def _take(waiting: list[_Waiting], known: set[int]) -> list[Step]:
    """Takes the native steps whose operands are known, or are results of steps taken before."""
    taken: list[Step] = []
    rest: list[_Waiting] = []
    for each in waiting:
        if each.is_native and known.issuperset(each.needs):
            taken.append(each.step)
            known.update(each.gives)
        else:
            rest.append(each)
    waiting[:] = rest
    return taken


def _take_first(waiting: list[_Waiting], known: set[int]) -> list[Step]:
    """Takes steps that are not native, up to the first step with unknown operands."""
    taken: list[_Waiting] = []
    for each in [each for each in waiting if not each.is_native]:
        if not known.issuperset(each.needs):
            break
        taken.append(each)
        known.update(each.gives)
    inside = {id(each) for each in taken}
    waiting[:] = [each for each in waiting if id(each) not in inside]
    return [each.step for each in taken]
