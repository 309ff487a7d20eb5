"""Compilation of replacements to functions that create their ops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from stablehlo_py.ir.core import Operation, OpResult, Value
from stablehlo_py.ir.types import TensorType, Type
from stablehlo_py.notation.compile import Compiler
from stablehlo_py.notation.environment import Environment
from stablehlo_py.notation.scope import NO_VALUE
from stablehlo_py.notation.sorts import TYPE, VALUE, Sort, list_of
from stablehlo_py.notation.terms import NotationError, parse
from stablehlo_py.opset.definition import has_trait
from stablehlo_py.opset.op_inputs import make_properties
from stablehlo_py.transforms.rewriter import Rewriter
from stablehlo_py.transforms.rules.match import Names, definition_of
from stablehlo_py.transforms.rules.pattern import Operand, OpLine, parse_replacement

Build = Callable[[Rewriter, Operation, Environment], "Sequence[Value | None] | bool | None"]
Run = Callable[[Environment], Any]
Step = Callable[[Rewriter, Operation, Environment], Operation]


def compile_replacement(text: str, names: Names) -> Build:
    """Compile a replacement.

    Args:
        text: The replacement.
        names: The sorts of the names in the pattern.

    Returns:
        A function that creates the ops and returns the values; None if a formula has no value.

    Raises:
        NotationError: If the replacement is malformed.
    """
    lines, formula = parse_replacement(text)
    bound = dict(names)
    steps: list[Step] = []
    for index, line in enumerate(lines):
        steps.append(_op(line, bound, is_last=not formula and index == len(lines) - 1))
        for name in line.results:
            bound[name] = list_of(VALUE) if line.many else VALUE
    values = _values(formula, bound) if formula else None

    def build(rewriter: Rewriter, root: Operation, env: Environment) -> Sequence[Value | None] | bool | None:
        rewriter.at(root)
        made: Operation | None = None
        try:
            for step in steps:
                made = step(rewriter, root, env)
            if values is not None:
                return values(env)
        except NO_VALUE:
            return None
        assert made is not None
        return made.results

    return build


def _values(formula: str, names: Names) -> Callable[[Environment], list[Value] | None]:
    """Compile the last line of a replacement: a value, or a list of values."""
    run = _run(formula, names)

    def values(env: Environment) -> list[Value] | None:
        value = run(env)
        return list(value) if isinstance(value, list | tuple) else [value]

    return values


def _run(formula: str, names: Names, wanted: Sort | None = None) -> Run:
    code = Compiler(dict(names)).compile(parse(formula.removesuffix("...")))
    if wanted == TYPE and code.sort not in (TYPE, VALUE):
        raise NotationError(f"{formula} must be of sort Type, not {code.sort}")
    if wanted == TYPE and code.sort == VALUE:
        return lambda env: code.run(env).type
    return code.run


def _op(line: OpLine, names: Names, is_last: bool) -> Step:
    """Compile a line that creates an op."""
    type = _run(line.type, names, TYPE) if line.type else None
    (name,) = line.ops
    if has_trait(name, "constant") and line.operands:
        return _constant(line, line.operands[0], type)
    definition = definition_of(name)
    operands = [_operand(operand, names, line) for operand in line.operands]
    known = {attr.name for attr in definition.attrs} | set(definition.property_kinds)
    if not known >= set(line.attributes):
        raise NotationError(f"{name} has no attribute {(set(line.attributes) - known).pop()}")
    inputs = {name: _run(formula, names) for name, formula in line.attributes.items()}

    def create(rewriter: Rewriter, root: Operation, env: Environment) -> Operation:
        values = [value for operand in operands for value in operand(env)]
        properties = make_properties(definition, {n: run(env) for n, run in inputs.items()})
        attributes = {}
        if line.like:
            model = env[line.like]
            model = (model[0] if isinstance(model, list) else model).op
            kept = {n: value for n, value in model.properties.items() if n in definition.property_kinds}
            properties = {**kept, **properties}
            attributes = model.attributes
        types: Sequence[Type]
        if type is not None:
            types = [type(env)]
        elif is_last:
            types = [result.type for result in root.results]
        else:
            types = rewriter.infer(name, values, properties, ())
        op = rewriter.insert(Operation(name, values, types, properties, attributes))
        if line.many:
            (several,) = line.results
            env[several] = list(op.results)
        else:
            env.update(zip(line.results, op.results, strict=False))
        return op

    return create


def _constant(line: OpLine, operand: Operand, type: Run | None) -> Step:
    """Compile a line that creates a splat, by default of the type of the root."""
    number = operand.number
    if number is None:
        raise NotationError("the operand of a constant in a replacement is a number")

    def create(rewriter: Rewriter, root: Operation, env: Environment) -> Operation:
        of = type(env) if type is not None else root.results[0].type
        if not isinstance(of, TensorType) or not of.is_static:
            raise ValueError(f"{of} is not a static tensor type")
        value = rewriter.constant(int(number) if number == int(number) else number, of)
        assert isinstance(value, OpResult)
        if line.results:
            env[line.results[0]] = value
        return value.op

    return create


def _operand(operand: Operand, names: Names, line: OpLine) -> Callable[[Environment], Sequence[Value]]:
    name = operand.name
    if operand.number is not None or name not in names:
        raise NotationError(f"the operands of {line.ops[0]} in a replacement are names that are bound")
    if operand.many:
        return lambda env: env[name]
    return lambda env: (env[name],)
