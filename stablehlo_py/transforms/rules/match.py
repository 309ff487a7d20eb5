"""Compilation of patterns to matchers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from stablehlo_py.ir.core import Operation, OpResult, Value
from stablehlo_py.notation.compile import Compiler
from stablehlo_py.notation.environment import Environment
from stablehlo_py.notation.scope import NO_VALUE, attribute_sort, environment, load_formulas
from stablehlo_py.notation.sorts import VALUE, Sort, list_of
from stablehlo_py.notation.terms import NotationError, parse
from stablehlo_py.notation.values import equal, nested_list
from stablehlo_py.opset.constants import constant_ops, is_number
from stablehlo_py.opset.definition import OpDef, lookup
from stablehlo_py.opset.op_inputs import groups
from stablehlo_py.transforms.rules.pattern import Operand, OpLine

Match = Callable[[Operation, Environment], bool]
MatchOperands = Callable[[Sequence[Value], Environment], bool]
Names = dict[str, Sort]


def definition_of(name: str) -> OpDef:
    """Return the definition of an op; raise NotationError for an unknown one."""
    found = lookup(name)
    if found is None:
        raise NotationError(f"unknown op {name}")
    return found


class PatternCompiler:
    """Compiles the lines of a pattern.

    Attributes:
        names: The sort of each name.
        match: Matches an op, without its name, and binds the names.
        definers: Operands that must be defined by certain ops, with their names: a test before matching.
    """

    def __init__(self, lines: list[OpLine]) -> None:
        self.names: Names = {}
        self._by_result = {name: line for line in lines[:-1] for name in line.results}
        self.match = self._op(lines[-1])
        self.definers = self._definers(lines[-1])
        unused = set(self._by_result) - set(self.names)
        if unused:
            raise NotationError(f"%{unused.pop()} of the pattern is not an operand of its last op")

    def _definers(self, line: OpLine) -> list[tuple[int, frozenset[str]]]:
        if any(operand.many for operand in line.operands):
            return []
        found = []
        for index, operand in enumerate(line.operands):
            definer = self._by_result.get(operand.name)
            if operand.number is not None:
                found.append((index, constant_ops()))
            elif definer is not None and definer.ops:
                found.append((index, frozenset(definer.ops)))
        return found

    def _op(self, line: OpLine) -> Match:
        """Return a function that matches an op, without its name, and binds the names of a line."""
        bind = self._results(line)
        many = any(operand.many for operand in line.operands)
        match_operands = (self._groups if many else self._positional)(line)
        attributes = self._attributes(line)

        def match(op: Operation, env: Environment) -> bool:
            bind(op, env)
            return match_operands(op, env) and all(test(op, env) for test in attributes)

        return match

    def _results(self, line: OpLine) -> Callable[[Operation, Environment], None]:
        for name in line.results:
            self.names[name] = list_of(VALUE) if line.many else VALUE
        if line.many:
            (only,) = line.results
            return lambda op, env: env.__setitem__(only, list(op.results))
        return lambda op, env: env.update(zip(line.results, op.results, strict=False))

    # Operands

    def _positional(self, line: OpLine) -> Match:
        if not line.ops and not line.operands:
            return lambda op, env: True
        tests = [self._operand(operand) for operand in line.operands]
        count = len(tests)

        def match(op: Operation, env: Environment) -> bool:
            operands = op.operands
            if len(operands) != count:
                return False
            return all(test(value, env) for test, value in zip(tests, operands, strict=True))

        return match

    def _groups(self, line: OpLine) -> Match:
        parts = definition_of(line.ops[0]).operands
        if len(parts) != len(line.operands):
            raise NotationError(
                f"{line.ops[0]} has {len(parts)} operands: {', '.join(p.name for p in parts)}"
            )
        tests = []
        for part, operand in zip(parts, line.operands, strict=True):
            if operand.many != part.variadic:
                raise NotationError(f"operand {part.name} of {line.ops[0]}: write %{operand.name or 'x'}...")
            tests.append(self._many(operand.name) if operand.many else self._only(self._operand(operand)))

        def match(op: Operation, env: Environment) -> bool:
            found = groups(op, "operand", op.operands, parts)
            if len(found) != len(tests):
                return False
            return all(test(values, env) for test, values in zip(tests, found, strict=True))

        return match

    def _only(self, test: Callable[[Value, Environment], bool]) -> MatchOperands:
        return lambda values, env: len(values) == 1 and test(values[0], env)

    def _many(self, name: str) -> MatchOperands:
        known = name in self.names
        self.names[name] = list_of(VALUE)
        if known:
            return lambda values, env: list(env[name]) == list(values)

        def bind(values: Sequence[Value], env: Environment) -> bool:
            env[name] = list(values)
            return True

        return bind

    def _operand(self, operand: Operand) -> Callable[[Value, Environment], bool]:
        number, name = operand.number, operand.name
        if number is not None:
            wanted = number
            return lambda value, env: is_number(value, wanted)
        if name in self.names:
            return lambda value, env: env[name] is value
        line = self._by_result.get(name)
        if line is not None:
            return self._defined_by(line, name)
        self.names[name] = VALUE

        def bind(value: Value, env: Environment) -> bool:
            env[name] = value
            return True

        return bind

    def _defined_by(self, line: OpLine, name: str) -> Callable[[Value, Environment], bool]:
        match, names, index = self._op(line), frozenset(line.ops), line.results.index(name)

        def defined(value: Value, env: Environment) -> bool:
            if not isinstance(value, OpResult) or (names and value.op.name not in names):
                return False
            return (line.many or value.index == index) and match(value.op, env)

        return defined

    # Attributes

    def _attributes(self, line: OpLine) -> list[Match]:
        return [self._attribute(line, name, formula) for name, formula in line.attributes.items()]

    def _attribute(self, line: OpLine, name: str, formula: str) -> Match:
        definition = definition_of(line.ops[0])
        attr = next((attr for attr in definition.attrs if attr.name == name), None)
        if attr is None:
            raise NotationError(f"{definition.name} has no attribute {name}")
        term = parse(formula)
        compiler = Compiler(self.names)
        if term[0] == "name" and _is_new(term[1], compiler):
            self.names[term[1]] = attribute_sort(attr.kind)
            return lambda op, env: _bind_attribute(op, name, term[1], env)
        run = compiler.compile(term).run

        def match(op: Operation, env: Environment) -> bool:
            try:
                value = environment(op, definition_of(op.name))[name]
                return equal(nested_list(value), nested_list(run(env))) is True
            except NO_VALUE:
                return False

        return match


def _is_new(name: str, compiler: Compiler) -> bool:
    """Test whether a name is neither bound, nor an enumerator or type."""
    try:
        compiler.compile(("name", name))
    except NotationError:
        return True
    return False


def _bind_attribute(op: Operation, attribute: str, name: str, env: Environment) -> bool:
    try:
        env[name] = environment(op, definition_of(op.name))[attribute]
    except NO_VALUE:
        return False
    return True


def compile_condition(formula: str, names: Names) -> Callable[[Environment], bool] | None:
    """Compile the condition of a rule; None if it is empty.

    Returns:
        A function that is True where the condition is true, and False where it is false, unknown or
        undefined; raises NotationError for a malformed condition.
    """
    if not formula:
        return None
    load_formulas()
    run = Compiler(dict(names)).condition(parse(formula)).run

    def holds(env: Environment) -> bool:
        try:
            return run(env) is True
        except NO_VALUE:
            return False

    return holds
