"""Checks of one op against its definition: type classes, attribute kinds, and constraints (C1, C2, ...)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from stablehlo_py.diagnostics.diagnostic import Diagnostic
from stablehlo_py.diagnostics.suggestions import nearest
from stablehlo_py.ir.core import BlockArgument, Module, Operation, OpResult, Region, Value
from stablehlo_py.ir.types import Type
from stablehlo_py.notation import terms
from stablehlo_py.notation.calls import Run
from stablehlo_py.notation.environment import ABSENT, Environment, Loader
from stablehlo_py.notation.scope import NO_VALUE, Scope, environment, load_formulas_of, scope_of
from stablehlo_py.notation.sorts import Undefined
from stablehlo_py.opset.definition import Constraint, OpDef, Operand, Result, lookup
from stablehlo_py.opset.kinds import Kind
from stablehlo_py.opset.op_inputs import groups
from stablehlo_py.verifier.context import ModuleContext
from stablehlo_py.verifier.report import Violation, diagnose

if TYPE_CHECKING:
    from stablehlo_py.notation.explain import Reason, Subject

_LONGEST_RULE = 100


class AttributeRule(NamedTuple):
    """The rule of a property; `label` is that of the first input stored in it."""

    label: str
    name: str
    kind: Kind
    required: bool


class Rules(NamedTuple):
    """The compiled rules of a definition.

    Attributes:
        scope: The names that formulas may use.
        operands: The operands with their labels.
        results: The results with theirs.
        attributes: The rules of properties.
        constraints: The constraints with their compiled formulas.
        contextual: Whether a constraint depends on more than types and attributes, so that the verdict on
            one op does not apply to another that looks the same.
    """

    scope: Scope
    operands: tuple[tuple[str, Operand], ...]
    results: tuple[tuple[str, Result], ...]
    attributes: tuple[AttributeRule, ...]
    constraints: tuple[tuple[Constraint, Run], ...]
    contextual: bool


@cache
def rules_of(definition: OpDef) -> Rules:
    """Compile the constraints of a definition; raise NotationError for an ill-formed formula."""
    load_formulas_of(definition)
    scope = scope_of(definition)
    compiler = scope.compiler()
    codes = [compiler.condition(terms.parse(c.formula)) for c in definition.constraints]
    runs = zip(definition.constraints, (code.run for code in codes), strict=True)
    labels = {part.name: f"I{index + 1}" for index, part in enumerate(definition.inputs)}
    operands = tuple([(labels[part.name], part) for part in definition.operands])
    results = tuple([(f"O{index + 1}", output) for index, output in enumerate(definition.outputs)])
    contextual = scope.contextual or any(code.contextual for code in codes)
    attributes = _attribute_rules(definition, labels)
    return Rules(scope, operands, results, attributes, tuple(runs), contextual)


def _attribute_rules(definition: OpDef, labels: dict[str, str]) -> tuple[AttributeRule, ...]:
    found: dict[str, AttributeRule] = {}
    for attr in definition.attrs:
        name = attr.property
        if name not in found:
            wanted = definition.property_kinds.get(name, attr.kind)
            required = name in definition.required_properties
            found[name] = AttributeRule(labels[attr.name], name, wanted, required)
    return tuple(found.values())


class ConstraintChecker:
    """Checks the ops of a module. Ops that are equal in all that their rules depend on are checked once.

    Args:
        module: The module.
        at_run: Whether to check the constraints of a run, too: operands are known.
    """

    def __init__(self, module: Module, at_run: bool = False) -> None:
        self.module = module
        self.at_run = at_run
        self.context = ModuleContext(module)
        self._passed: set[object] = set()
        self._fitting: set[tuple[Callable[[Type], bool], Type]] = set()  # tests of classes, and types in them

    def check(self, op: Operation) -> list[Diagnostic]:
        """Check an op whose structure matches its definition."""
        definition = lookup(op.name)
        if definition is None:
            return []
        rules = rules_of(definition)
        key = None if rules.contextual else appearance(op)
        if key is not None and key in self._passed:
            return []
        found = self.check_anew(op, definition)
        if key is not None and not found:
            self._passed.add(key)
        return found

    def check_anew(self, op: Operation, definition: OpDef) -> list[Diagnostic]:
        """Check an op as `check` does, also if an equal one passed.

        Args:
            op: The op.
            definition: Its definition.

        Returns:
            The violations.
        """
        rules = rules_of(definition)
        violations = [*self._inputs(op, definition, rules), *self._outputs(op, definition, rules)]
        violations += self._constraints(op, definition, rules, violations)
        return [diagnose(self.module, violation) for violation in violations]

    def check_inputs(self, op: Operation, definition: OpDef, unknown: Mapping[str, Any]) -> list[Diagnostic]:
        """Check the inputs of an op whose result types are not known yet.

        Args:
            op: The op.
            definition: Its definition.
            unknown: The values of names that depend on the outputs.

        Returns:
            The violations.
        """
        rules = rules_of(definition)
        violations = list(self._inputs(op, definition, rules))
        violations += self._constraints(op, definition, rules, violations, unknown)
        return [diagnose(self.module, violation) for violation in violations]

    def check_constraints(self, op: Operation, definition: OpDef) -> list[Diagnostic]:
        """Check only the constraints of an op, whose inputs and outputs are valid."""
        violations = self._constraints(op, definition, rules_of(definition), ())
        return [diagnose(self.module, violation) for violation in violations]

    # Inputs and outputs

    def _outputs(self, op: Operation, definition: OpDef, rules: Rules) -> Iterator[Violation]:
        """Check the type classes of results (O1, O2, ...)."""
        results = groups(op, "result", op.results, definition.outputs)
        for (label, output), given in zip(rules.results, results, strict=False):
            if not self._fits(output, given):
                yield from _misfits(op, label, output, given)

    def _inputs(self, op: Operation, definition: OpDef, rules: Rules) -> Iterator[Violation]:
        """Check the type classes of operands and the kinds of attributes (I1, I2, ...)."""
        operands = groups(op, "operand", op.operands, definition.operands)
        for (label, part), values in zip(rules.operands, operands, strict=False):
            if not self._fits(part, values):
                yield from _misfits(op, label, part, values)
        for rule in rules.attributes:
            stored = op.attribute(rule.name)
            if stored is None and rule.required:
                yield _missing(op, rule)
            elif stored is not None and not rule.kind.contains(stored):
                yield _fault(op, rule.label, f"{rule.name} must be {rule.kind.phrase}, but got {stored}")

    def _fits(self, part: Operand | Result, values: Sequence[Value]) -> bool:
        """Test whether the types of values are in the class of a part; each type is tested once."""
        contains = part.type.contains
        for value in values:
            if (contains, value.type) not in self._fitting:
                if not contains(value.type):
                    return False
                self._fitting.add((contains, value.type))
        return True

    # Constraints

    def _constraints(
        self,
        op: Operation,
        definition: OpDef,
        rules: Rules,
        failed: Sequence[Violation],
        known: Mapping[str, Any] | None = None,
    ) -> list[Violation]:
        env = environment(op, definition, self.context)
        env.update(known or ())
        if failed:
            env.loaders = env.loaders | _without_misfits(op, definition, rules)
        violations: list[Violation] = []
        undefined: list[tuple[Constraint, Exception]] = []
        for constraint, run in rules.constraints:
            if constraint.verdict == "run" and not self.at_run:
                continue
            try:
                if run(env) is False:
                    violations.append(self._violation(op, constraint, rules.scope, env))
            except NO_VALUE as error:
                undefined.append((constraint, error))
        if violations or failed or known is not None:
            return violations
        return [_undefined(op, constraint, error) for constraint, error in undefined]

    def _violation(self, op: Operation, constraint: Constraint, scope: Scope, env: Environment) -> Violation:
        from stablehlo_py.notation.explain import explain  # for errors only

        rule = constraint.spec.replace("`", "").removesuffix(".")
        if not rule or "\n" in rule or len(rule) > _LONGEST_RULE:
            rule = constraint.formula
        formula = [f"  {constraint.formula}"] if rule != constraint.formula else []
        reasons = explain(terms.parse(constraint.formula), scope.names, env)
        only = " [spec-only]" if constraint.verdict == "spec-only" else ""
        return Violation(
            op,
            _code(op, constraint.label),
            f"{op.name} ({constraint.label}): {rule}{only}",
            (*formula, *self._lines(reasons)),
            at=constraint.at,
            spec_only=bool(only),
        )

    def _lines(self, reasons: list[Reason]) -> Iterator[str]:
        """Format the reasons, with the definitions of their values in a second column."""
        width = max((len(reason.text) for reason in reasons), default=0)
        for reason in reasons:
            origin = self._origin(reason.subject) if reason.subject else ""
            yield f"    {reason.text:<{width}}      {origin}".rstrip()

    def _origin(self, subject: Subject) -> str:
        """Format a value and where it is defined: `%0 : tensor<2x3xf32>   (line 40)`."""
        value = subject.value
        name = subject.name if value.name is None else f"%{value.name}"
        line = 0
        if isinstance(value, OpResult):
            line = self.module.line(value.op)
        elif isinstance(value, BlockArgument):
            line = self.module.line(value)
        return f"{name} : {value.type}" + (f"   (line {line})" if line else "")


def _without_misfits(op: Operation, definition: OpDef, rules: Rules) -> dict[str, Loader]:
    """Return loaders that treat inputs with attributes of a wrong kind as absent."""
    stored = {rule.name: op.attribute(rule.name) for rule in rules.attributes}
    misfits = {
        r.name for r in rules.attributes if (s := stored[r.name]) is not None and not r.kind.contains(s)
    }
    return {attr.name: lambda env: ABSENT for attr in definition.attrs if attr.property in misfits}


def _misfits(
    op: Operation, label: str, part: Operand | Result, values: Sequence[Value]
) -> Iterator[Violation]:
    """Report the values whose types are not in the class of a part."""
    types = {value.type for value in values}  # an op may have a million operands of one type
    misfits = {type for type in types if not part.type.contains(type)}
    for index, value in enumerate(values):
        if value.type in misfits:
            which = f"{part.name}[{index}]" if len(values) > 1 else part.name
            yield _fault(op, label, f"{which} must be {part.type.phrase}, but got {value.type}")


def _fault(op: Operation, label: str, message: str) -> Violation:
    return Violation(op, _code(op, label), f"{op.name} ({label}): {message}")


def _missing(op: Operation, rule: AttributeRule) -> Violation:
    """Report a missing attribute; suggest a misspelled one."""
    meant = nearest(rule.name, [*op.properties, *op.attributes])
    fault = _fault(op, rule.label, f"missing attribute {rule.name}")
    return fault._replace(notes=(f"found {meant}; did you mean {rule.name}?",)) if meant else fault


def _undefined(op: Operation, constraint: Constraint, error: Exception) -> Violation:
    """Report a constraint with a term that has no value, such as the size of a missing dimension."""
    reason = f": {error}" if isinstance(error, Undefined) else ""
    only = " [spec-only]" if constraint.verdict == "spec-only" else ""
    return Violation(
        op,
        _code(op, constraint.label),
        f"{op.name} ({constraint.label}): {constraint.formula}{only}",
        (f"  a term of this formula has no value{reason}",),
        at=constraint.at,
        spec_only=bool(only),
    )


def _code(op: Operation, label: str) -> str:
    """Return the code of a rule: `dot_general.C12`, or with the dialect, `chlo.top_k.C1`."""
    return f"{op.name.removeprefix('stablehlo.')}.{label}"


def appearance(op: Operation) -> object:
    """All that the rules of an op may look at, if they are not contextual."""
    return (
        op.name,
        tuple([value.type for value in op.operands]),
        tuple([value.type for value in op.results]),
        tuple(op.properties.items()),
        tuple(op.attributes.items()) if op.attributes else None,
        tuple([_region_appearance(region) for region in op.regions]) if op.regions else None,
    )


def _region_appearance(region: Region) -> object:
    return tuple(
        [
            (
                tuple([argument.type for argument in block.arguments]),
                tuple([operand.type for operand in block.ops[-1].operands]) if block.ops else None,
            )
            for block in region.blocks
        ]
    )
