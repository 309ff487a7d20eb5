"""Construction of computations: parameters, constants, completion, and bodies of ops."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from inspect import signature
from typing import Any

from stablehlo_py.builder.arguments import integer
from stablehlo_py.builder.base import BuilderBase, texts
from stablehlo_py.builder.call_site import call_site
from stablehlo_py.builder.computation import Parameter, XlaComputation, copy_ops, free_name
from stablehlo_py.builder.errors import BuildError
from stablehlo_py.builder.literals import converted, literal_array
from stablehlo_py.builder.op import XlaOp
from stablehlo_py.builder.shape import ShapeLike, element_type, leaves, shape_text, shape_type
from stablehlo_py.ir.core import Block, BlockArgument, Module, Operation, Region, Value
from stablehlo_py.ir.types import TensorType, Type

Computation = XlaComputation | Callable[..., Any] | str


class ComputationBuilder(BuilderBase):
    """A computation under construction; the families of operations derive from it."""

    def __init__(self, name: str = "main") -> None:
        super().__init__(name)
        self._parameters: dict[int, tuple[Parameter, list[BlockArgument]]] = {}
        self._functions: dict[str, XlaComputation] = {}

    # Parameters and constants

    def Parameter(self, parameter_number: int, shape: ShapeLike, name: str = "") -> XlaOp:
        """Declares a parameter of the computation.

        Args:
            parameter_number: The index, from 0; parameters may be declared in any order.
            shape: XLA's text (`f32[2,3]`), a pair of element type and sizes, a type, or a list of shapes for
                a tuple.
            name: The name in the program.

        Raises:
            BuildError: If the index is negative, or already declared.

        Documents: 000, 001, 003, in examples.
        """
        if integer(parameter_number, "parameter_number") < 0:
            raise BuildError(f"Parameter: parameter_number must not be negative, not {parameter_number}")
        if parameter_number in self._parameters:
            raise BuildError(f"Parameter: parameter {parameter_number} is already declared")
        type = shape_type(shape)
        arguments = [self._blocks[0].add_argument(leaf) for leaf in leaves(type)]
        self._parameters[parameter_number] = (Parameter(type, name, call_site().location), arguments)
        return self._pack(type, arguments)

    def ConstantLiteral(self, literal: Any, shape: ShapeLike | None = None) -> XlaOp:
        """Creates a constant.

        Args:
            literal: A NumPy array, or nested lists of numbers, which become f32, s32, pred or c64.
            shape: Another element type, or a shape to fill with a single number.

        Raises:
            BuildError: If no element type can represent the literal, or if its shape differs from
                `shape`.

        Documents: 000, 001, 003, in examples.
        """
        if shape is None:
            array = literal_array(literal)
            return self._constant(array, TensorType(array.shape, element_type(array.dtype)))
        type = shape_type(shape)
        if not isinstance(type, TensorType) or not type.is_static:
            raise BuildError(f"ConstantLiteral: a literal cannot have the shape {shape_text(type)}")
        array = converted(literal, type.element_type)
        if array.ndim and array.shape != type.shape:
            raise BuildError(f"ConstantLiteral: shape {list(array.shape)} does not match {shape_text(type)}")
        return self._constant(array, type)

    # Completion

    def Build(self, root: XlaOp | None = None) -> XlaComputation:
        """Finishes the computation.

        Later operations of the builder do not change it.

        Args:
            root: The result; by default that of the last operation.

        Raises:
            BuildError: If there is no operation, or a parameter is missing.

        Documents: 000, 001, 003, in examples.
        """
        if len(self._blocks) > 1:
            raise BuildError("Build: the body of another operation is unfinished")
        result = self._operand(root) if root is not None else self._last
        if result is None:
            raise BuildError(f"Build: {self.name} has no operations")
        missing = sorted(set(range(len(self._parameters))) - set(self._parameters))
        if missing:
            raise BuildError(f"Build: {self.name} does not declare parameter {missing[0]}")
        ordered = [self._parameters[number] for number in range(len(self._parameters))]
        return XlaComputation(
            self.name,
            tuple([parameter for parameter, _ in ordered]),
            tuple([argument for _, arguments in ordered for argument in arguments]),
            tuple(self._blocks[0].ops),
            tuple(result.values),
            result.type,
            dict(self._functions),
        )

    def build(self, root: XlaOp | None = None) -> Module:
        """Finishes the computation as a module with a function `@main`.

        Args:
            root: The result; by default that of the last operation. The elements of a tuple become separate
                results.

        Raises:
            BuildError: If there is no operation, or a parameter is missing.
        """
        return self.Build(root).to_module()

    # Bodies

    def _region(self, computation: Computation, parameters: Sequence[Type], captures: bool = False) -> Region:
        """Build the body of an op: a computation with parameters of the given types.

        `captures`: whether it may use values of the enclosing program.
        """
        block = Block([leaf for type in parameters for leaf in leaves(type)])
        rest = iter(block.arguments)
        with self._inside(block):
            arguments = [self._pack(type, [next(rest) for _ in leaves(type)]) for type in parameters]
            values = self._apply(computation, arguments).values
        block.append(Operation("stablehlo.return", values, location=call_site().location))
        region = Region([block])
        if not captures:
            _refuse_captures(region)
        return region

    @contextmanager
    def _inside(self, block: Block) -> Iterator[None]:
        last = self._last
        self._blocks.append(block)
        try:
            yield
        finally:
            self._blocks.pop()
            self._last = last

    def _apply(self, computation: Computation, arguments: Sequence[XlaOp]) -> XlaOp:
        """Inline a computation, applied to arguments, in the current block and return its result.

        A Python function may take the elements of a single tuple argument as separate arguments.
        """
        if isinstance(computation, XlaComputation):
            return self._inlined(computation, arguments)
        if isinstance(computation, str):
            return self._named(computation, arguments)
        if not callable(computation):
            raise BuildError(
                f"{call_site().operation}: expected an XlaComputation, a Python function of XlaOps, or "
                f"the name of an operation such as 'Add', got {computation!r}"
            )
        if not _takes(computation, len(arguments)) and len(arguments) == 1 and arguments[0].is_tuple:
            arguments = arguments[0].elements
        if not _takes(computation, len(arguments)):
            raise BuildError(
                f"{call_site().operation}: its computation does not accept the arguments {texts(arguments)}"
            )
        return self._operand(computation(*arguments))

    def _named(self, name: str, arguments: Sequence[XlaOp]) -> XlaOp:
        """Apply an operation by name, such as `Add` or `add`, to required operands."""
        method = getattr(self, name[:1].upper() + name[1:], None)
        if method is None:
            raise BuildError(f"{call_site().operation}: unknown operation {name}")
        required = [p for p in signature(method).parameters.values() if p.default is p.empty]
        if len(required) != len(arguments):
            raise BuildError(
                f"{call_site().operation}: {name} does not accept the operands {texts(arguments)}"
            )
        result: XlaOp = method(*arguments)
        return result

    def _inlined(self, computation: XlaComputation, arguments: Sequence[XlaOp]) -> XlaOp:
        self._check_arguments(computation, arguments)
        values = [value for argument in arguments for value in argument.values]
        copied = copy_ops(computation, values, self._blocks[-1], self._adopted(computation))
        return self._pack(computation.result_type, copied)

    def _check_arguments(self, computation: XlaComputation, arguments: Sequence[XlaOp]) -> None:
        """Raise BuildError if number or types of arguments do not match the parameters."""
        given = tuple([argument.type for argument in arguments])
        if given != tuple([parameter.type for parameter in computation.parameters]):
            raise BuildError(
                f"{call_site().operation}: the arguments ({', '.join(map(shape_text, given))}) "
                f"do not match the parameters of the computation {computation}"
            )

    def _computation(self, computation: Computation, parameters: Sequence[Type]) -> XlaComputation:
        """Convert to an XlaComputation: a function is traced with parameters of these types."""
        if isinstance(computation, XlaComputation):
            return computation
        name = computation if isinstance(computation, str) else getattr(computation, "__name__", "")
        builder = type(self)(name if name.isidentifier() else "function")
        arguments = [builder.Parameter(number, shape) for number, shape in enumerate(parameters)]
        return builder.Build(builder._apply(computation, arguments))

    def _adopted(self, computation: XlaComputation) -> dict[str, str]:
        """Import the functions that a computation calls; return their names here."""
        return {name: self._function(called) for name, called in computation.functions.items()}

    def _function(self, computation: XlaComputation) -> str:
        """Import a computation as a function, once; return its name."""
        for name, known in self._functions.items():
            if known is computation:
                return name
        name = free_name(computation.name, self._functions)
        self._functions[name] = computation
        return name


def _takes(function: Callable[..., Any], count: int) -> bool:
    """Test whether a function may accept a number of arguments; true if its signature is unknown."""
    try:
        signature(function).bind(*range(count))
    except TypeError:
        return False
    except ValueError:
        return True
    return True


def _refuse_captures(region: Region) -> None:
    """Raise BuildError if a body uses a value of the enclosing program."""
    ops = [op for block in region.blocks for top in block.ops for op in top.walk()]
    inner: set[Value] = {result for op in ops for result in op.results}
    blocks = [*region.blocks, *(block for op in ops for block in op.blocks)]
    inner.update(argument for block in blocks for argument in block.arguments)
    outer = next((value for op in ops for value in op.operands if value not in inner), None)
    if outer is not None:
        raise BuildError(
            f"{call_site().operation}: the computation captures {shape_text(outer.type)} of the enclosing "
            "program, which only computations of While and Conditional may do: pass it as a parameter, or "
            "create a constant inside"
        )
