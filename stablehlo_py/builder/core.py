"""What every operation of the builder is made with: operands, bodies, and ops that are checked at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from inspect import signature
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from stablehlo_py.builder.callers import caller
from stablehlo_py.builder.computation import Parameter, XlaComputation, copy_ops, free_name
from stablehlo_py.builder.errors import BuildError
from stablehlo_py.builder.literals import Array, literal_array
from stablehlo_py.builder.op import XlaOp
from stablehlo_py.builder.shape import ShapeLike, element_type, leaves, shape_text, shape_type
from stablehlo_py.diagnostics import InternalError
from stablehlo_py.inferred import InferredType
from stablehlo_py.ir.attributes import Attribute, DenseElementsAttr
from stablehlo_py.ir.core import Block, BlockArgument, Module, Operation, OpResult, Region, Value
from stablehlo_py.ir.dtypes import numpy_dtype
from stablehlo_py.ir.types import TensorType, TupleType, Type
from stablehlo_py.opset.definition import lookup
from stablehlo_py.opset.making import make_properties
from stablehlo_py.opset.values import read_only
from stablehlo_py.verify.constraints import ConstraintChecker
from stablehlo_py.verify.inference import infer_types

if TYPE_CHECKING:
    from stablehlo_py.builder.builder import XlaBuilder
    from stablehlo_py.builder.op import Operand

Computation = XlaComputation | Callable[..., Any] | str


class Core:
    """A computation under construction. Operations are methods of the families that XlaBuilder joins.

    Ops are put at the end of the innermost of `_blocks`: the computation's own block and, while a Python
    function is traced, that of the body that it makes.
    """

    def __init__(self, name: str = "main") -> None:
        self.name = name
        self._blocks = [Block()]
        self._parameters: dict[int, tuple[Parameter, list[BlockArgument]]] = {}
        self._functions: dict[str, XlaComputation] = {}
        self._last: XlaOp | None = None
        self._checker = ConstraintChecker(Module())

    # Parameters and constants

    def Parameter(self, parameter_number: int, shape: ShapeLike, name: str = "") -> XlaOp:
        """Declares a parameter of the computation.

        Parameters are numbered from 0, in any order of declaration. A shape is XLA's text (`f32[2,3]`),
        a pair of element type and sizes, a type, or a list of shapes for a tuple.

        Raises BuildError for a number that is taken.

        Documents: 000, 001, 003, in examples.
        """
        if parameter_number in self._parameters or parameter_number < 0:
            raise BuildError(f"Parameter: there cannot be another parameter {parameter_number}")
        type = shape_type(shape)
        block = self._blocks[0]
        arguments = [block.add_argument(leaf, name or None, caller().location) for leaf in leaves(type)]
        self._parameters[parameter_number] = (Parameter(type, name), arguments)
        return self._pack(type, arguments)

    def ConstantLiteral(self, literal: Any, shape: ShapeLike | None = None) -> XlaOp:
        """A constant: the elements of a NumPy array, or of nested lists of numbers.

        Numbers that are not NumPy's become f32, s32, pred or c64. `shape` gives another element type and
        fills an array with one number.

        Raises BuildError for elements that no element type holds, and for another shape.

        Documents: 000, 001, 003, in examples.
        """
        if shape is None:
            array = literal_array(literal)
            return self._constant(array, TensorType(array.shape, element_type(array.dtype)))
        type = shape_type(shape)
        if not isinstance(type, TensorType) or not type.is_static:
            raise BuildError(f"ConstantLiteral: {shape_text(type)} is not the shape of a literal")
        array = np.asarray(literal).astype(numpy_dtype(type.element_type))
        if array.ndim and array.shape != type.shape:
            raise BuildError(f"ConstantLiteral: {list(array.shape)} is not the shape of {shape_text(type)}")
        return self._constant(array, type)

    def _constant(self, array: Array, type: TensorType) -> XlaOp:
        data = DenseElementsAttr(type, read_only(np.array(array).reshape(-1)))
        return self._one("constant", (), {"value": data}, types=[type])

    # The end

    def Build(self, root: XlaOp | None = None) -> XlaComputation:
        """Finishes the computation: its result is `root`, by default what the last operation gave.

        Raises BuildError if it has no operation, or parameters are missing.

        Documents: 000, 001, 003, in examples.
        """
        if len(self._blocks) > 1:
            raise BuildError("Build: the body of another operation is not finished")
        result = self._operand(root) if root is not None else self._last
        if result is None:
            raise BuildError(f"Build: {self.name} has no operation that could be its result")
        missing = sorted(set(range(len(self._parameters))) - set(self._parameters))
        if missing:
            raise BuildError(f"Build: {self.name} has no parameter {missing[0]}")
        ordered = [self._parameters[number] for number in range(len(self._parameters))]
        block = self._blocks[0]
        block.arguments = tuple([argument for _, arguments in ordered for argument in arguments])
        for index, argument in enumerate(block.arguments):
            argument.index = index
        parameters = tuple([parameter for parameter, _ in ordered])
        functions = dict(self._functions)
        return XlaComputation(self.name, parameters, block, tuple(result.values), result.type, functions)

    def build(self, root: XlaOp | None = None) -> Module:
        """Finishes the computation as a program: a module whose `@main` it is.

        The elements of a tuple are the results of the program. Raises BuildError as Build does.
        """
        return self.Build(root).to_module()

    # Operands

    def _operand(self, given: Operand | Sequence[Any], like: Type | None = None) -> XlaOp:
        """The XlaOp of an operand: a number or array becomes a constant, a list a tuple.

        `like` is the element type of numbers. Raises BuildError for the op of another builder, and for one
        of a body that is finished.
        """
        if isinstance(given, list | tuple):
            return self._tuple([self._operand(part) for part in given])
        if not isinstance(given, XlaOp):
            array = literal_array(given, like)
            return self._constant(array, TensorType(array.shape, element_type(array.dtype)))
        if cast(Core, given.builder) is not self:
            raise BuildError(f"{caller().operation}: {given!r} belongs to another builder")
        if any(_block_of(value) not in self._blocks for value in given.values):
            raise BuildError(f"{caller().operation}: {given!r} is of a body that is finished, or of another")
        return given

    def _operands(self, *given: Operand) -> list[XlaOp]:
        """Arrays of one element type: numbers, and lists of them, take that of the first that has one."""
        typed = (x for x in given if isinstance(x, XlaOp | np.ndarray | np.generic))
        first = next(typed, None)
        if first is None:
            like = None
        elif isinstance(first, XlaOp):
            like = first.element_type
        else:
            like = element_type(first.dtype)
        arrays = [literal_array(x, like) if isinstance(x, list | tuple) else x for x in given]
        return [self._operand(x, like) for x in arrays]

    def _listed(self, given: Operand | Sequence[Operand]) -> list[XlaOp]:
        """One operand or several as a list."""
        if isinstance(given, XlaOp) and given.is_tuple:
            return list(self._operand(given).elements)
        return [self._operand(x) for x in (given if isinstance(given, list | tuple) else [given])]

    def _tuple(self, elements: Iterable[XlaOp]) -> XlaOp:
        return self._wrapped(list(elements))

    def _wrapped(self, content: Value | Sequence[XlaOp]) -> XlaOp:
        self._last = XlaOp(cast("XlaBuilder", self), content)
        return self._last

    def _pack(self, type: Type, values: Sequence[Value]) -> XlaOp:
        """The XlaOp of a type whose arrays are given."""
        rest = iter(values)

        def packed(type: Type) -> XlaOp:
            if isinstance(type, TupleType):
                return self._wrapped([packed(part) for part in type.types])
            return self._wrapped(next(rest))

        return packed(type)

    def _collated(self, values: Sequence[Value]) -> XlaOp:
        """The document's `Collate`: one array, or a tuple of several."""
        ops = [self._wrapped(value) for value in values]
        return ops[0] if len(ops) == 1 else self._tuple(ops)

    # Ops

    def _one(
        self,
        name: str,
        operands: Sequence[XlaOp | Value],
        attributes: Mapping[str, Any] | None = None,
        regions: Sequence[Region] = (),
        **known: Any,
    ) -> XlaOp:
        """The result of an op that has one; see `_emit`."""
        (value,) = self._emit(name, operands, attributes, regions, **known)
        return self._wrapped(value)

    def _emit(
        self,
        name: str,
        operands: Sequence[XlaOp | Value],
        attributes: Mapping[str, Any] | None = None,
        regions: Sequence[Region] = (),
        types: Sequence[Type] | None = None,
        shape: Sequence[int | None] | None = None,
        element_type: Type | None = None,
    ) -> list[OpResult]:
        """Adds an op and gives its results, whose types follow from its definition.

        `attributes` are plain values by the definition's names. `types` are the results' types where the
        definition leaves them open; `shape` and `element_type` where it leaves open just those.

        Raises BuildError, with the definition's findings, for an op that breaks a rule.
        """
        called = caller()
        full_name = name if "." in name else f"stablehlo.{name}"
        values = [x.value if isinstance(x, XlaOp) else x for x in operands]
        definition = lookup(full_name)
        if definition is None:
            raise InternalError(f"there is no op {full_name}")
        try:
            properties = make_properties(definition, attributes or {})
        except ValueError as error:
            raise BuildError(f"{called.operation}: {error}") from None
        if types is None:
            types = _inferred(called.operation, full_name, values, properties, regions, shape, element_type)
        op = Operation(full_name, values, types, properties, regions=regions, location=called.location)
        self._blocks[-1].append(op)
        found = self._checker.check(op)
        if found:
            op.erase()
            raise BuildError(f"{called.operation}({_operand_texts(values)})", found)
        return list(op.results)

    # Bodies

    def _region(self, computation: Computation, parameters: Sequence[Type], captures: bool = False) -> Region:
        """The body of an op: a computation, applied to arguments of the types of its parameters.

        `captures`: whether it may use values of the program around it.
        """
        block = Block([leaf for type in parameters for leaf in leaves(type)])
        rest = iter(block.arguments)
        with self._inside(block):
            arguments = [self._pack(type, [next(rest) for _ in leaves(type)]) for type in parameters]
            values = self._apply(computation, arguments).values
        block.append(Operation("stablehlo.return", values, location=caller().location))
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
        """What a computation gives for arguments: its ops are put into the current block."""
        if isinstance(computation, XlaComputation):
            return self._inlined(computation, arguments)
        if isinstance(computation, str):
            return self._named(computation, arguments)
        if not callable(computation):
            raise BuildError(
                f"{caller().operation}: {computation!r} is no computation; an XlaComputation, "
                "a Python function of XlaOps, or the name of an operation such as 'Add' is"
            )
        if not _takes(computation, len(arguments)):
            raise BuildError(
                f"{caller().operation}: its computation gets {_texts(arguments)}, and takes others"
            )
        return self._operand(computation(*arguments))

    def _named(self, name: str, arguments: Sequence[XlaOp]) -> XlaOp:
        """What an operation such as `Add`, or `add`, gives for the operands that it must have."""
        method = getattr(self, name[:1].upper() + name[1:], None)
        if method is None:
            raise BuildError(f"{caller().operation}: there is no operation {name}")
        required = [p for p in signature(method).parameters.values() if p.default is p.empty]
        if len(required) != len(arguments):
            raise BuildError(f"{caller().operation}: {name} does not take the operands {_texts(arguments)}")
        result: XlaOp = method(*arguments)
        return result

    def _inlined(self, computation: XlaComputation, arguments: Sequence[XlaOp]) -> XlaOp:
        self._check_arguments(computation, arguments)
        values = [value for argument in arguments for value in argument.values]
        copied = copy_ops(computation, values, self._blocks[-1], self._adopted(computation))
        return self._pack(computation.result_type, copied)

    def _check_arguments(self, computation: XlaComputation, arguments: Sequence[XlaOp]) -> None:
        """Arity and types must match. Raises BuildError if they do not."""
        given = tuple([argument.type for argument in arguments])
        if given != tuple([parameter.type for parameter in computation.parameters]):
            raise BuildError(
                f"{caller().operation}: the arguments ({', '.join(map(shape_text, given))}) "
                f"do not match the parameters of the computation {computation}"
            )

    def _computation(self, computation: Computation, parameters: Sequence[Type]) -> XlaComputation:
        """A computation on its own: a function is traced with parameters of these types."""
        if isinstance(computation, XlaComputation):
            return computation
        name = computation if isinstance(computation, str) else getattr(computation, "__name__", "")
        builder = type(self)(name if name.isidentifier() else "function")
        arguments = [builder.Parameter(number, shape) for number, shape in enumerate(parameters)]
        return builder.Build(builder._apply(computation, arguments))

    def _adopted(self, computation: XlaComputation) -> dict[str, str]:
        """The names here of the functions that a computation calls."""
        return {name: self._function(called) for name, called in computation.functions.items()}

    def _function(self, computation: XlaComputation) -> str:
        """The name of the function that a computation is here; there is one of each."""
        for name, known in self._functions.items():
            if known is computation:
                return name
        name = free_name(computation.name, {"main", *self._functions})
        self._functions[name] = computation
        return name


def _takes(function: Callable[..., Any], count: int) -> bool:
    """Whether a function may be called with so many arguments; one that does not say may."""
    try:
        signature(function).bind(*range(count))
    except TypeError:
        return False
    except ValueError:
        return True
    return True


def _texts(operands: Sequence[XlaOp]) -> str:
    return f"({', '.join(shape_text(operand.type) for operand in operands)})"


def _block_of(value: Value) -> Block | None:
    return value.op.parent if isinstance(value, OpResult) else cast(BlockArgument, value).block


def _operand_texts(values: Sequence[Value]) -> str:
    return ", ".join(shape_text(value.type) for value in values)


def _inferred(
    operation: str,
    name: str,
    operands: Sequence[Value],
    properties: Mapping[str, Attribute],
    regions: Sequence[Region],
    shape: Sequence[int | None] | None,
    element_type: Type | None,
) -> list[Type]:
    inference = infer_types(name, operands, properties, regions)
    if inference.diagnostics:
        raise BuildError(f"{operation}({_operand_texts(operands)})", inference.diagnostics)
    return [_whole(result, shape, element_type) for result in inference.results]


def _whole(found: InferredType, shape: Sequence[int | None] | None, element: Type | None) -> Type:
    """The type of a result, where what inference leaves open is given."""
    if found.type is not None:
        return found.type
    sizes = found.shape if found.shape is not None else shape
    of = found.element_type if found.element_type is not None else element
    if sizes is None or of is None:
        raise InternalError(f"the builder does not know the type of {found}")
    return TensorType(tuple(sizes), of)


def _refuse_captures(region: Region) -> None:
    """Raises BuildError where a body uses a value of the program around it."""
    ops = [op for block in region.blocks for top in block.ops for op in top.walk()]
    inner: set[Value] = {result for op in ops for result in op.results}
    blocks = [*region.blocks, *(block for op in ops for r in op.regions for block in r.blocks)]
    inner.update(argument for block in blocks for argument in block.arguments)
    outer = next((value for op in ops for value in op.operands if value not in inner), None)
    if outer is not None:
        raise BuildError(
            f"{caller().operation}: the computation uses {shape_text(outer.type)} of the program around it; "
            "only those of While and Conditional may: make it a parameter, or a constant inside"
        )
