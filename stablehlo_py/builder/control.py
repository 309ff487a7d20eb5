"""Control flow: loops, branches, calls and maps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

from stablehlo_py.builder.arguments import integers, is_integer
from stablehlo_py.builder.base import listed, scalar_types
from stablehlo_py.builder.computation_builder import Computation, ComputationBuilder
from stablehlo_py.builder.errors import BuildError
from stablehlo_py.builder.op import Operand, XlaOp
from stablehlo_py.builder.shape import ShapeLike, custom_call_layouts, leaves, shape_type
from stablehlo_py.ir.core import Region
from stablehlo_py.ir.types import IntegerType, Type


class Control(ComputationBuilder):
    """While, Conditional, Call, Map, CustomCall, and tuples."""

    def While(self, condition: Computation, body: Computation, init: Operand | Sequence[Any]) -> XlaOp:
        """Applies `body` repeatedly while `condition` is true.

        Args:
            condition: A computation from T to a pred scalar.
            body: A computation from T to T.
            init: The initial T, usually a tuple. Its shape is loop-invariant.

        Returns:
            The final T. Python functions may capture values of the enclosing program.

        Raises:
            BuildError: If the types of the computations do not match.

        Documents: 000, 001, 003. 000 and 003 disallow nested loops.
        """
        first = self._operand(init)
        bodies = [self._region(part, [first.type], captures=True) for part in (condition, body)]
        return self._pack(first.type, self._emit("while", list(first.values), regions=bodies))

    @overload
    def Conditional(
        self,
        pred: Operand,
        true_operand: Operand | Sequence[Any],
        true_computation: Computation,
        false_operand: Operand | Sequence[Any],
        false_computation: Computation,
    ) -> XlaOp: ...
    @overload
    def Conditional(
        self,
        branch_index: Operand,
        branch_computations: Sequence[Computation],
        branch_operands: Sequence[Any],
    ) -> XlaOp: ...
    def Conditional(self, *arguments: Any, **named: Any) -> XlaOp:
        """Executes one of several computations, each with its own operand.

        `Conditional(pred, true_operand, true_computation, false_operand, false_computation)` executes the
        true computation if the scalar pred is true. `Conditional(branch_index, branch_computations,
        branch_operands)` executes the one at an s32 scalar index, and the last one for an index out of range.

        The computations may have different parameters, but must return the same type. Python functions may
        capture values of the enclosing program.

        Raises:
            BuildError: If the types of the computations do not match.

        Documents: 003 (the first form), 001.
        """
        choice, computations, operands = _conditional_arguments(arguments, named)
        selector = self._operand(choice)
        if len(computations) != len(operands) or not operands:
            raise BuildError("Conditional: expected one operand for each computation, and at least one")
        given = [self._operand(operand) for operand in operands]
        results: list[Type] = []
        regions = [
            self._branch(computation, operand, results)
            for computation, operand in zip(computations, given, strict=True)
        ]
        name = (
            "if"
            if isinstance(selector.element_type, IntegerType) and selector.element_type.width == 1
            else "case"
        )
        return self._pack(results[0], self._emit(name, [selector], regions=regions))

    def _branch(self, computation: Computation, operand: XlaOp, results: list[Type]) -> Region:
        """Build a body without arguments, which captures the operand."""

        def branch() -> XlaOp:
            result = self._apply(computation, [operand])
            results.append(result.type)
            return result

        return self._region(branch, [], captures=True)

    def Call(self, computation: Computation, *args: Any) -> XlaOp:
        """Calls a computation as a function.

        Args:
            computation: A computation with N parameters.
            *args: N operands, as separate arguments or one list.

        Raises:
            BuildError: If number or types of the operands do not match the parameters.

        Documents: 000, 001, 003.
        """
        is_list = len(args) == 1 and isinstance(args[0], list | tuple)
        given = [self._operand(arg) for arg in (args[0] if is_list else args)]
        called = self._computation(computation, [arg.type for arg in given])
        self._check_arguments(called, given)
        values = [value for arg in given for value in arg.values]
        attributes = {"callee": self._function(called)}
        results = self._emit("func.call", values, attributes, types=leaves(called.result_type))
        return self._pack(called.result_type, results)

    def Map(
        self,
        operands: Operand | Sequence[Operand],
        computation: Computation,
        dimensions: Sequence[Any] | None = None,
        static_operands: Sequence[Any] = (),
    ) -> XlaOp:
        """Applies a computation of scalars at each index.

        Args:
            operands: N arrays of the same shape.
            computation: A computation from N scalars and the static operands to a scalar.
            dimensions: All dimensions of the operands, in order; the default.
            static_operands: Additional arguments, the same at each index. In 000 they are the third argument,
                which is accepted as well.

        Returns:
            An array of the operands' shape.

        Documents: 000, 001, 003.
        """
        if isinstance(dimensions, list | tuple) and not all(isinstance(d, int) for d in dimensions):
            static_operands, dimensions = dimensions, None
        arrays = self._arrays(operands)
        fixed = self._listed(static_operands)
        axes = list(range(arrays[0].rank)) if dimensions is None else integers(dimensions, "dimensions")
        body = self._region(
            lambda *elements: self._apply(computation, [*elements, *fixed]),
            scalar_types(arrays),
            captures=bool(fixed),
        )
        return self._one("map", arrays, {"dimensions": axes}, [body])

    def CustomCall(
        self,
        target_name: str,
        args: Sequence[Operand],
        shape: ShapeLike,
        backend_config: Any = None,
        has_side_effect: bool = False,
        api_version: str | None = None,
        operand_shapes: Sequence[ShapeLike] | None = None,
    ) -> XlaOp:
        """Calls an external function.

        Args:
            target_name: The function. `stablehlo_py.custom_call` registers implementations for running the
                program. It should be pure and idempotent, unless `has_side_effect`.
            args: N operands.
            shape: The shape of the result; a tuple for several results.
            backend_config: The configuration: a string, or a mapping.
            has_side_effect: Whether the call has side effects.
            api_version: The version of the calling convention.
            operand_shapes: The shapes of the operands, with layouts. Layouts are recorded if any of them, or
                that of `shape`, is not major to minor.

        Raises:
            BuildError: If a shape is invalid.

        Documents: 000, 001, 003.
        """
        if not isinstance(target_name, str):
            raise BuildError(f"CustomCall: target_name must be a string, not {target_name!r}")
        operands = [value for arg in listed(args) for value in self._operand(arg).values]
        type = shape_type(shape)
        given = [value.type for value in operands] if operand_shapes is None else list(operand_shapes)
        attributes = {
            **custom_call_layouts(given, [shape]),
            "call_target_name": target_name,
            "has_side_effect": has_side_effect or None,
            "backend_config": backend_config,
            "api_version": api_version,
        }
        return self._pack(type, self._emit("custom_call", operands, attributes, types=leaves(type)))

    def Tuple(self, *elements: Any) -> XlaOp:
        """Groups operands, as separate arguments or one list, to a tuple.

        No op is created, since StableHLO's ops have multiple operands and results.

        Documents: 000, 001, 003.
        """
        is_list = len(elements) == 1 and isinstance(elements[0], list | tuple)
        return self._tuple([self._operand(element) for element in (elements[0] if is_list else elements)])

    def GetTupleElement(self, tuple: XlaOp, index: int) -> XlaOp:
        """Extracts the element of a tuple at a static index. Raises BuildError if it is out of range.

        Documents: 000, 001, 003.
        """
        elements = self._operand(tuple).elements
        if not is_integer(index) or not 0 <= index < len(elements):
            raise BuildError(
                f"GetTupleElement: index {index!r} is out of range for a tuple of {len(elements)}"
            )
        self._last = elements[index]
        return self._last

    def OptimizationBarrier(self, operands: Operand | Sequence[Any]) -> XlaOp:
        """Returns its operand, an array, token or tuple, and prevents optimizations across it.

        Documents: 001.
        """
        op = self._operand(operands)
        return self._pack(op.type, self._emit("optimization_barrier", list(op.values)))


_BY_PRED = ("pred", "true_operand", "true_computation", "false_operand", "false_computation")
_BY_INDEX = ("branch_index", "branch_computations", "branch_operands")


def _conditional_arguments(
    arguments: tuple[Any, ...], named: dict[str, Any]
) -> tuple[Any, Sequence[Computation], Sequence[Any]]:
    """Return the selector, the computations and their operands, from either form."""
    names = _BY_PRED if len(arguments) + len(named) == len(_BY_PRED) else _BY_INDEX
    rest = names[len(arguments) :]
    if len(arguments) + len(named) == len(names) and set(named) == set(rest):
        first, *others = [*arguments, *(named[name] for name in rest)]
        if names is _BY_PRED:
            return first, [others[1], others[3]], [others[0], others[2]]
        if all(isinstance(other, list | tuple) for other in others):
            return first, others[0], others[1]
    raise BuildError(f"Conditional: expected the arguments {', '.join(_BY_PRED)}, or {', '.join(_BY_INDEX)}")
