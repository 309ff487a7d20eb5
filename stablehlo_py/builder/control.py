"""Loops, branches, calls, and functions of elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from stablehlo_py.builder.core import Computation, Core
from stablehlo_py.builder.errors import BuildError
from stablehlo_py.builder.op import XlaOp
from stablehlo_py.builder.shape import ShapeLike, leaves, shape_type

if TYPE_CHECKING:
    from stablehlo_py.builder.op import Operand


class Control(Core):
    """While, Conditional, Call, Map, CustomCall, and tuples."""

    def While(self, condition: Computation, body: Computation, init: Operand | Sequence[Any]) -> XlaOp:
        """Applies `body` again and again, for as long as `condition` holds.

        Args:
          condition: of a T, gives a pred scalar.
          body: of a T, gives a T.
          init: the first T, usually a tuple. Its shape is that of every iteration.

        Gives the last T. Python functions may use values of the program around the loop.

        Raises BuildError for computations of other types.

        Documents: 000, 001, 003. 000 and 003 forbid loops in loops.
        """
        first = self._operand(init)
        bodies = [self._region(part, [first.type], captures=True) for part in (condition, body)]
        return self._pack(first.type, self._emit("while", list(first.values), regions=bodies))

    def CustomCall(
        self,
        target_name: str,
        args: Sequence[Operand],
        shape: ShapeLike,
        backend_config: Any = None,
        has_side_effect: bool = False,
        api_version: str | None = None,
    ) -> XlaOp:
        """Calls a function of that name which the implementation knows, for a result of that shape.

        `stablehlo_py.custom_call` says what it does when the program is run. The function should be pure and
        idempotent, unless `has_side_effect`.

        Documents: 000, 001, 003.
        """
        operands = [value for arg in args for value in self._operand(arg).values]
        type = shape_type(shape)
        attributes = {
            "call_target_name": target_name,
            "has_side_effect": has_side_effect or None,
            "backend_config": backend_config,
            "api_version": api_version,
        }
        return self._pack(type, self._emit("custom_call", operands, attributes, types=leaves(type)))

    def Tuple(self, *elements: Any) -> XlaOp:
        """Groups operands, given one by one or as one list: other operations take and give them together.

        StableHLO's operations take several values, so that no op is made.

        Documents: 000, 001, 003.
        """
        is_list = len(elements) == 1 and isinstance(elements[0], list | tuple)
        return self._tuple([self._operand(element) for element in (elements[0] if is_list else elements)])

    def GetTupleElement(self, tuple: XlaOp, index: int) -> XlaOp:
        """The element of a tuple at an index that is known now. Raises BuildError if there is none.

        Documents: 000, 001, 003.
        """
        elements = self._operand(tuple).elements
        if not isinstance(index, int) or not 0 <= index < len(elements):
            raise BuildError(f"GetTupleElement: a tuple of {len(elements)} has no element {index!r}")
        self._last = elements[index]
        return self._last
