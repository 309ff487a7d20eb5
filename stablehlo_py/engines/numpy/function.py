"""Compiled functions: plans as tuples that a tight loop executes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from stablehlo_py.diagnostics.diagnostic import RunError, StablehloError
from stablehlo_py.engines.engine import Instrument
from stablehlo_py.engines.numpy.steps import BoundStep
from stablehlo_py.interpreter.errors import located
from stablehlo_py.interpreter.observer import ObserverError
from stablehlo_py.interpreter.plan import Plan
from stablehlo_py.ir.element_types import element_type_of
from stablehlo_py.ir.types import TensorType, Type
from stablehlo_py.kernels.numeric.numerics import Narrowed
from stablehlo_py.kernels.numeric.ufuncs import COMPLEX_PRODUCT, MAXIMUM, MINIMUM, Ufunc, is_ufunc
from stablehlo_py.kernels.registry import Array
from stablehlo_py.opset.definition import has_trait

_TUPLE = -1
_ANY = 0


class CompiledFunction:
    """A compiled region or `func.func`: the `Function` that kernels call.

    It is created without a plan, so that functions may call each other, and gets one by `finish`. The last
    `captures` inputs of the plan are captured values, which `Closure` supplies.

    Attributes:
        plan: The plan.
        regions: What an engine has compiled of the function and of those that it calls.
    """

    plan: Plan[BoundStep]
    regions: Sequence[Any] = ()

    def finish(self, plan: Plan[BoundStep]) -> None:
        """Set the plan and prepare it for execution."""
        self.plan = plan
        self.arity = plan.arity
        self.captures = plan.captures
        self.input_types = plan.input_types
        self.output_types = plan.output_types
        self._template = [plan.constants.get(slot) for slot in range(len(plan.types))]
        self._thunks = [_thunk(step, self._call_of(step)) for step in plan.steps]
        self._results = _getter(plan.outputs)

    def _call_of(self, step: BoundStep) -> Callable[..., Any]:
        """Return the call of a step."""
        return step.in_place if step.overwrites and step.in_place else step.call

    @property
    def ufunc(self) -> Ufunc | None:
        """The equivalent ufunc, if the plan is one binary operation on its two inputs."""
        if self.arity != 2 or len(self.plan.steps) != 1:
            return None
        (step,) = self.plan.steps
        if not step.elementwise or step.outs != self.plan.outputs:
            return None
        call = step.call.function if isinstance(step.call, Narrowed) else step.call
        symmetric = call in _SYMMETRIC and step.ins == (1, 0)
        return call if is_ufunc(call) and (step.ins == (0, 1) or symmetric) else None

    @property
    def compares(self) -> bool:
        """True if the plan only compares and selects among its inputs; see `Closure` for captured ones."""
        used = {slot for step in self.plan.steps for slot in step.ins}
        logical = all(has_trait(step.name, "logical") for step in self.plan.steps)
        return logical and used.isdisjoint(self.plan.constants)

    def __call__(self, *arguments: Any) -> tuple[Any, ...]:
        """Run the function."""
        slots = self._template.copy()
        slots[: self.arity] = arguments
        return self._execute(slots)

    def consume(self, arguments: list[Any]) -> tuple[Any, ...]:
        """Run the function on arguments that it removes from a list, to release each after its last use."""
        slots = self._template.copy()
        slots[: self.arity] = arguments
        arguments.clear()
        return self._execute(slots)

    def _execute(self, slots: list[Any]) -> tuple[Any, ...]:
        """Run the steps on slots that hold the arguments."""
        thunk: Any = ()
        try:
            for thunk in self._thunks:
                kind, call, a, b, c, out, frees = thunk
                if kind == 2:
                    slots[out] = call(slots[a], slots[b])
                elif kind == 1:
                    slots[out] = call(slots[a])
                elif kind == 3:
                    slots[out] = call(slots[a], slots[b], slots[c])
                elif kind == _ANY:
                    slots[out] = call(*[slots[i] for i in a])
                else:
                    for slot, value in zip(out, call(*[slots[i] for i in a]), strict=True):
                        slots[slot] = value
                for slot in frees:
                    slots[slot] = None
        except Exception as error:
            found = self._located(error, thunk, slots)
            if found is error:
                raise
            raise found from error
        results: tuple[Any, ...] = self._results(slots)
        return results

    def _located(self, error: Exception, thunk: tuple[Any, ...], slots: Sequence[Any]) -> Exception:
        """Return a RunError at the step of a thunk; a chain's error keeps its own location."""
        steps = zip(self.plan.steps, self._thunks, strict=True)
        step = next((step for step, each in steps if each is thunk), None)
        if isinstance(error, ObserverError):
            return error
        if isinstance(error, RecursionError):
            error = RunError("calls are nested too deeply")
        if isinstance(error, MemoryError | OverflowError) or str(error).startswith(_TOO_LARGE):
            error = RunError("not enough memory for the result")
        if step is None or (isinstance(error, StablehloError) and not isinstance(error, RunError)):
            return error
        if not isinstance(error, RunError):
            of_user = has_trait(step.name, "external_call")  # an implementation that the user has registered
            words = f"computation failed: {error}" if of_user else _refused([slots[i] for i in step.ins])
            error = RunError(words)
        return located(error, self.plan.module, step.op)


def _refused(values: Sequence[Any]) -> str:
    """Return the error for a kernel that fails for a reason that no rule of the op states."""
    arrays = [value for value in values if isinstance(value, np.ndarray)]
    rows = [(element_type_of(array.dtype), array) for array in arrays]
    types = [str(TensorType(array.shape, row.type)) for row, array in rows if row is not None]
    given = f"operands of types {', '.join(types)}" if types else "these operands"
    return f"not defined for {given} with these attributes and values"


class InstrumentedFunction(CompiledFunction):
    """A compiled function with instruments around its steps and around itself.

    Args:
        instruments: The instruments, the innermost first.
    """

    def __init__(self, instruments: Sequence[Instrument]) -> None:
        self._instruments = instruments

    def finish(self, plan: Plan[BoundStep]) -> None:
        """Set the plan and prepare it for execution, with instruments."""
        super().finish(plan)
        self._run: Callable[..., tuple[Any, ...]] = super().__call__
        for instrument in self._instruments:
            self._run = instrument.wrap_function(plan, self._run)

    def _call_of(self, step: BoundStep) -> Callable[..., Any]:
        call = super()._call_of(step)
        for instrument in self._instruments:
            call = instrument.wrap_step(self.plan, step, call)
        return call

    def __call__(self, *arguments: Any) -> tuple[Any, ...]:
        """Run the function."""
        return self._run(*arguments)

    def consume(self, arguments: list[Any]) -> tuple[Any, ...]:
        """Run the function; its instruments keep the arguments."""
        return self._run(*arguments)


class Closure:
    """A compiled function together with its captured values.

    Args:
        function: The function.
        captured: The captured values.
    """

    __slots__ = ("_captured", "_function")

    def __init__(self, function: CompiledFunction, captured: tuple[Any, ...]) -> None:
        self._function = function
        self._captured = captured

    def __call__(self, *arguments: Array) -> tuple[Array, ...]:
        """Run the function."""
        return self._function(*arguments, *self._captured)

    @property
    def input_types(self) -> tuple[Type, ...]:
        """The types of the inputs, without captured ones."""
        return self._function.input_types

    @property
    def output_types(self) -> tuple[Type, ...]:
        """The types of the outputs."""
        return self._function.output_types

    @property
    def ufunc(self) -> Ufunc | None:
        """The ufunc of the function."""
        return self._function.ufunc

    @property
    def compares(self) -> bool:
        """False: captured values may be anything."""
        return False


# How NumPy's messages about arrays begin that no machine can hold.
_TOO_LARGE = ("Maximum allowed", "array is too big", "iterator is too large", "Unable to allocate")
_SYMMETRIC = frozenset(
    {
        np.add,
        np.multiply,
        np.maximum,
        np.minimum,
        MAXIMUM,
        MINIMUM,
        COMPLEX_PRODUCT,
        np.logical_and,
        np.logical_or,
    }
)


def _thunk(step: BoundStep, call: Callable[..., Any]) -> tuple[Any, ...]:
    """Return the step as the loop executes it: the arity, the call, slots, and slots to release."""
    count = len(step.ins)
    if step.returns_tuple:
        return (_TUPLE, call, step.ins, 0, 0, step.outs, step.frees)
    (out,) = step.outs
    if 1 <= count <= 3:
        a, b, c = (*step.ins, 0, 0)[:3]
        return (count, call, a, b, c, out, step.frees)
    return (_ANY, call, step.ins, 0, 0, out, step.frees)


def _getter(slots: tuple[int, ...]) -> Any:
    """Return a function from a list to a tuple of its items at `slots`."""
    if len(slots) >= 2:
        return itemgetter(*slots)
    return lambda values: tuple([values[slot] for slot in slots])
