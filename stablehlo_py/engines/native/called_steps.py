"""Steps without a native form, which native loops call as Python functions.

The operands are copied from the memory of the region, and the results are copied to it. An error in a called
step ends the loops, and the region raises the error.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from stablehlo_py.engines.native.runtime import CALLED, STOPPED
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.element_types import numpy_dtype

# Takes Python's lock while it runs.
_FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.POINTER(ctypes.c_void_p))


class CalledStep:
    """A step as a function of addresses.

    Args:
        plan: The plan of the step.
        step: The step.
        call: Its function of arrays, which returns a tuple of arrays.

    Attributes:
        call: The function.
    """

    def __init__(self, plan: Plan[Step], step: Step, call: Callable[..., Sequence[Any]]) -> None:
        self.call = call
        self._inputs = [_Place(plan, slot) for slot in step.ins]
        self._outputs = [_Place(plan, slot) for slot in step.outs]

    def run(self, addresses: Any) -> None:
        """Compute the results, and store them."""
        count = len(self._inputs)
        operands = [place.at(addresses[k]).copy() for k, place in enumerate(self._inputs)]
        for k, (place, result) in enumerate(zip(self._outputs, self.call(*operands), strict=True), count):
            place.at(addresses[k])[...] = result


class _Place:
    """The type of an array whose address is given in the call."""

    def __init__(self, plan: Plan[Step], slot: int) -> None:
        self.shape = plan.shape_of(slot)
        self.dtype = np.dtype(numpy_dtype(plan.tensor(slot).element_type))
        self._memory = ctypes.c_char * (int(np.prod(self.shape)) * self.dtype.itemsize)

    def at(self, address: int) -> Any:
        """The array at an address."""
        memory = memoryview(self._memory.from_address(address)).cast("B")
        return np.frombuffer(memory, self.dtype).reshape(self.shape)


@contextmanager
def calls(steps: Sequence[CalledStep], sync: Any) -> Iterator[None]:
    """Let a region call steps by number, and raise the error of the first step that fails.

    Args:
        steps: The steps.
        sync: What the region shares with Python.
    """
    errors: list[BaseException] = []

    def call(number: int, addresses: Any) -> None:
        try:
            with np.errstate(all="ignore"):  # which another thread may run
                steps[number].run(addresses)
        except BaseException as error:  # of a signal, too
            errors.append(error)
            sync[STOPPED] = 1

    function = _FUNCTION(call)
    sync[CALLED] = ctypes.cast(function, ctypes.c_void_p).value
    yield
    if errors:
        raise errors[0]
