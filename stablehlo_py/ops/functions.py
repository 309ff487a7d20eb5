"""Functions of ops: their signatures, and a call that checks, infers and runs."""

from __future__ import annotations

import keyword
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from inspect import Parameter, Signature
from typing import Any

import numpy as np

from stablehlo_py.diagnostics.diagnostic import Diagnostic, StablehloError
from stablehlo_py.engines.program import Program, compile_program
from stablehlo_py.ir.attributes import Attribute
from stablehlo_py.ir.core import Block, Module, Operation, Region, Value
from stablehlo_py.ir.element_types import element_type_of
from stablehlo_py.ir.op_builder import OpBuilder, add_function
from stablehlo_py.ir.types import TensorType, Type
from stablehlo_py.ops.regions import argument_types, build_region, current_block
from stablehlo_py.opset.definition import Attr, Body, OpDef, Operand, all_definitions, has_trait
from stablehlo_py.opset.op_inputs import make_properties
from stablehlo_py.syntax.parser import parse_type
from stablehlo_py.verifier.inference import infer_types
from stablehlo_py.verifier.inferred import InferredType
from stablehlo_py.verifier.verifier import verify_module

Array = np.ndarray[Any, np.dtype[Any]]
RESULT_TYPES = "result_types"
_PROGRAMS = 512  # compiled programs that are kept


class OpError(StablehloError, ValueError):
    """Arguments that violate the definition of an op.

    Attributes:
        diagnostics: The violated constraints.
    """

    def __init__(self, message: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(message)
        self.diagnostics = list(diagnostics)


@cache
def names_of(dialect: str) -> dict[str, OpDef]:
    """Return the definitions of a dialect by the names of their functions."""
    found = [d for d in all_definitions() if d.name.startswith(f"{dialect}.")]
    return {function_name(d.name): d for d in found if not has_trait(d.name, "terminator")}


def function_name(op: str) -> str:
    """Return the name of the function of an op."""
    name = op.partition(".")[2].replace("-", "_")
    return f"{name}_" if keyword.iskeyword(name) else name


def function_of(dialect: str, name: str) -> OpFunction:
    """Return the function of an op; raise AttributeError if there is none."""
    if name not in names_of(dialect):
        raise AttributeError(f"{dialect} has no op {name}")
    return _function(names_of(dialect)[name])


@cache
def _function(definition: OpDef) -> OpFunction:
    return OpFunction(definition)


class OpFunction:
    """An op as a function: of arrays, or of values while a region is built.

    Args:
        definition: The definition of the op.
    """

    def __init__(self, definition: OpDef) -> None:
        self.definition = definition
        self.__name__ = function_name(definition.name)
        self.__doc__ = _documentation(definition)
        self.__signature__ = signature_of(definition)

    def __repr__(self) -> str:
        return f"<function {self.definition.name}{self.__signature__}>"

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        """Check the arguments against the definition, and compute the results.

        Args:
            args: The operands, in order: arrays, numbers, or lists of them for variadic ones.
            keywords: Attributes and regions by name, and `result_types` where the op does not determine them.

        Returns:
            The array of the result, or a tuple of several.

        Raises:
            OpError: A constraint of the op is violated.
            RunError: The op fails.
        """
        try:
            given = self.__signature__.bind(*args, **keywords)
        except TypeError as error:
            raise TypeError(f"{self.__name__}{self.__signature__}: {error}") from None
        given.apply_defaults()
        arguments = given.arguments
        groups = [_as_group(part, arguments[part.name]) for part in self.definition.operands]
        flat = _with_common_type([value for group in groups for value in group])
        block = current_block()
        if block is None:
            return self._run(arguments, groups, [np.asarray(value) for value in flat])
        values = [_as_value(value, block) for value in flat]
        return _single(block.append(self._op(arguments, groups, values)).results, self.definition)

    def _run(self, arguments: Mapping[str, Any], groups: Sequence[Any], arrays: Sequence[Array]) -> Any:
        types = tuple([_type_of(array) for array in arrays])
        op = self._op(arguments, groups, [Value(type) for type in types])
        results = tuple([result.type for result in op.results])
        properties = tuple(op.properties.items())
        make = _compiled.__wrapped__ if op.regions else _compiled
        program = make(op.name, types, properties, results, op.regions)
        return _single(program(*arrays), self.definition)

    def _op(self, arguments: Mapping[str, Any], groups: Sequence[Any], values: Sequence[Value]) -> Operation:
        """Return the op on values, with the types of its results; raise OpError for a violation."""
        definition = self.definition
        given = {attr.name: arguments[attr.name] for attr in definition.attrs}
        if sum(part.variadic for part in definition.operands) > 1:
            given["operandSegmentSizes"] = [len(group) for group in groups]
        types = [value.type for value in values]
        try:
            properties = make_properties(definition, {k: v for k, v in given.items() if v is not None})
        except ValueError as error:
            raise OpError(f"{definition.name}: {error}") from None
        regions = [
            build_region(function, argument_types(definition, body, types, properties), _as_value)
            for body in definition.bodies
            for function in _functions(body, arguments[body.name])
        ]
        results = self._result_types(arguments[RESULT_TYPES], values, properties, regions)
        op = Operation(definition.name, (), results, properties, regions=regions)
        op.operands = tuple(values)
        return op

    def _result_types(
        self,
        stated: Any,
        values: Sequence[Value],
        properties: Mapping[str, Attribute],
        regions: Sequence[Region],
    ) -> list[Type]:
        if stated is not None:
            each = [stated] if isinstance(stated, str | Type) else stated
            return [parse_type(type) if isinstance(type, str) else type for type in each]
        name = self.definition.name
        found = infer_types(name, values, properties, regions)
        errors = [d for d in found.diagnostics if d.severity == "error"]
        if errors:
            raise OpError(_message(name, errors), errors)
        made = [result.type or _completed(result, values) for result in found.results]
        holes = [str(result) for result, type in zip(found.results, made, strict=True) if type is None]
        if holes:
            raise OpError(f"{name}: {'; '.join(holes)}; state the types as {RESULT_TYPES}")
        return [type for type in made if type is not None]


def _completed(result: InferredType, values: Sequence[Value]) -> Type | None:
    """Return a type whose element type, which the op leaves open, is that of the first operand."""
    first = values[0].type if values else None
    if result.shape is None or None in result.shape or not isinstance(first, TensorType):
        return None
    return TensorType(result.shape, first.element_type)


@lru_cache(_PROGRAMS)
def _compiled(
    name: str,
    types: tuple[Type, ...],
    properties: tuple[tuple[str, Attribute], ...],
    results: tuple[Type, ...],
    regions: tuple[Region, ...],
) -> Program:
    """Return a program of one op; raise OpError if the op violates a constraint."""
    module = Module()
    body = add_function(module, "main", types, results)
    op = body.append(Operation(name, body.arguments, results, dict(properties), regions=regions))
    body.append(Operation("func.return", op.results))
    errors = [d for d in verify_module(module) if d.severity == "error"]
    if errors:
        raise OpError(_message(name, errors), errors)
    return compile_program(module, engine="numpy")


def _message(name: str, errors: Iterable[Diagnostic]) -> str:
    return f"{name}: " + "\n".join("\n  ".join([error.message, *error.notes]) for error in errors)


def _single(results: Sequence[Any], definition: OpDef) -> Any:
    if len(definition.outputs) == 1 and not definition.outputs[0].variadic:
        return results[0]
    return tuple(results)


def _as_group(part: Operand, given: Any) -> list[Any]:
    return list(given) if part.variadic and isinstance(given, list | tuple) else [given]


def _functions(body: Body, given: Any) -> list[Any]:
    return list(given) if body.variadic else [given]


def _with_common_type(values: Sequence[Any]) -> list[Any]:
    """Return operands with Python numbers as arrays of the element type of the first array, if any."""
    dtypes = [value.dtype for value in values if isinstance(value, np.ndarray | np.generic)]
    return [_typed(v, dtypes) if isinstance(v, bool | int | float | complex) else v for v in values]


def _typed(number: complex, dtypes: Sequence[np.dtype[Any]]) -> Any:
    """Return a number as an array of the first type that can represent its kind."""
    kinds = "biufcV"["biufcV".index(np.asarray(number).dtype.kind) :]
    fitting = [dtype for dtype in dtypes if dtype.kind in kinds]
    return np.asarray(number).astype(fitting[0]) if fitting else number


def _type_of(array: Array) -> TensorType:
    row = element_type_of(array.dtype)
    if row is None:
        raise OpError(f"arrays of {array.dtype} are not tensors of StableHLO")
    return TensorType(array.shape, row.type)


def _as_value(given: Any, block: Block) -> Value:
    """Return a value of a block: itself, or a constant."""
    if isinstance(given, Value):
        return given
    like = block.arguments[0].type if block.arguments else None
    if isinstance(given, bool | int | float | complex) and isinstance(like, TensorType):
        return OpBuilder(block).constant(given, TensorType((), like.element_type))
    array = np.asarray(given)
    return OpBuilder(block).constant(array, _type_of(array))


def _documentation(definition: OpDef) -> str:
    """Return the docstring of a function: of the op, its inputs, and its constraints."""
    lines = [definition.doc, "", "Args:"]
    for part in definition.inputs:
        what = (
            part.type
            if isinstance(part, Attr)
            else part.type.phrase
            if isinstance(part, Operand)
            else "function"
        )
        many = "variadic number of " if not isinstance(part, Attr) and part.variadic else ""
        lines.append(f"    {part.name}: {many}{what or 'attribute'}")
    lines.append(f"    {RESULT_TYPES}: The types of the results, where the op does not determine them.")
    rules = [rule for rule in definition.constraints if rule.verdict == "error"]
    lines += ["", "Constraints:", *(f"    {rule.label}: {rule.formula}" for rule in rules)] if rules else []
    return "\n".join(lines)


def _is_list_field(attr: Attr) -> bool:
    """Return whether an attribute is a list in a structure, which is empty if it is absent."""
    return bool(attr.field) and attr.kind_name.startswith("array<")


def signature_of(definition: OpDef) -> Signature:
    """Return the signature of a function: operands in order, then attributes and regions by name."""
    parameters = []
    for part in definition.inputs:
        if isinstance(part, Operand):
            default: Any = Parameter.empty
            kind: Any = Parameter.POSITIONAL_OR_KEYWORD
        else:
            kind = Parameter.KEYWORD_ONLY
            absent = isinstance(part, Attr) and (part.optional or part.default or _is_list_field(part))
            default = None if absent else Parameter.empty
        parameters.append(Parameter(part.name, kind, default=default))
    parameters.append(Parameter(RESULT_TYPES, Parameter.KEYWORD_ONLY, default=None))
    return Signature(sorted(parameters, key=lambda p: p.kind))
