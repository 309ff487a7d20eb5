"""Type inference: the types of an op's results, from its constraints and type classes.

Formulas are evaluated with unknown results. Each equation of `verifier.equations` contributes a facet (type,
shape, dimension or element type), as does a type class with a single member. A facet that nothing determines
is a hole, with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cache
from typing import Any, NamedTuple, cast

from stablehlo_py.ir.attributes import BOUNDS, Attribute, StructAttr
from stablehlo_py.ir.core import Block, Module, Operation, OpResult, Region, Value
from stablehlo_py.ir.element_types import ELEMENT_TYPES
from stablehlo_py.ir.records import dataclass
from stablehlo_py.ir.types import (
    F32,
    TOKEN,
    IntegerType,
    QuantizedType,
    Shape,
    TensorType,
    Type,
)
from stablehlo_py.notation.compile import Compiler
from stablehlo_py.notation.environment import EvaluationContext
from stablehlo_py.notation.scope import NO_VALUE, environment, scope_of
from stablehlo_py.notation.sorts import ARRAY, BOOL, Sort, Undefined
from stablehlo_py.notation.terms import Term, write
from stablehlo_py.notation.values import nested_list
from stablehlo_py.opset.classes import TypeClass
from stablehlo_py.opset.definition import OpDef, Result, lookup
from stablehlo_py.verifier.constraints import ConstraintChecker, rules_of
from stablehlo_py.verifier.equations import Equation, alike, equations_of
from stablehlo_py.verifier.inferred import Inference, InferredType
from stablehlo_py.verifier.report import diagnose
from stablehlo_py.verifier.structure import op_structure

UNKNOWN_TYPE = cast(Type, None)  # as everywhere in the notation, None is what is not known
_MOST_DIMENSIONS = 1 << 12  # of a result, which a value of the program states


def infer_types(
    name: str,
    operands: Sequence[Value | Type],
    properties: Mapping[str, Attribute] | None = None,
    regions: Sequence[Region] = (),
) -> Inference:
    """Infer the result types of an op from its definition.

    Args:
        name: The full name of the op.
        operands: Its operands, or their types.
        properties: Its properties.
        regions: Its regions.

    Returns:
        The inferred types, and violations by the inputs.

    Raises:
        KeyError: If the op has no definition.
    """
    definition = lookup(name)
    if definition is None:
        raise KeyError(name)
    fixed = [UNKNOWN_TYPE for output in definition.outputs if not output.variadic]
    inherent = {n: p for n, p in (properties or {}).items() if n != "resultSegmentSizes"}
    op = Operation(name, (), fixed, inherent)
    op.operands = tuple([Value(x) if isinstance(x, Type) else x for x in operands])  # no use is recorded
    op.regions = tuple(regions)
    op.parent = _block_around(op)
    module = _module_around(op)
    checker = ConstraintChecker(module)
    diagnostics = [diagnose(module, violation) for violation in op_structure(op, definition)]
    if diagnostics:
        return Inference((), tuple(diagnostics))
    known = _what_is_known(op, definition, checker.context)
    diagnostics = checker.check_inputs(op, definition, known)
    if any(d.severity == "error" for d in diagnostics):
        return Inference((), tuple(diagnostics))
    solver = _Solver(op, definition, checker.context, known)
    for equation in equations_of(definition):
        solver.solve(equation, equation.loops)
    for result in alike(definition):
        solver.share_shape(result)
    return Inference(solver.results(), tuple(diagnostics))


def _block_around(op: Operation) -> Block | None:
    """Return the block that an op belongs to: that of its operands, or of its regions."""
    for value in op.operands:
        block = value.op.parent if isinstance(value, OpResult) else getattr(value, "block", None)
        if isinstance(block, Block):
            return block
    parents = [region.parent for region in op.regions if region.parent is not None]
    return parents[0].parent if parents else None


def _module_around(op: Operation) -> Module:
    """Return the module that an op belongs to, for symbols and the process grid."""
    around = op.parent_op
    while around is not None and not around.is_module:
        around = around.parent_op
    return Module(around)


Bindings = dict[str, Any]


def _what_is_known(op: Operation, definition: OpDef, context: EvaluationContext) -> Bindings:
    """Return the values of names that depend on results before inference starts.

    The number of variadic outputs is unknown. A condition is decided if the opposite would violate a
    constraint for every result: `is_quantized_op` of two f32 operands violates add C2.
    """
    known: Bindings = {output.name: None for output in definition.outputs if output.variadic}
    names = scope_of(definition).names
    for name, _ in definition.where:
        if names[name] == BOOL and _truth(name, op, definition, context, known) is None:
            impossible = [
                truth for truth in (True, False) if _breaks(op, definition, context, {**known, name: truth})
            ]
            if impossible:
                known[name] = impossible == [False]
    return known


def _truth(
    name: str, op: Operation, definition: OpDef, context: EvaluationContext, known: Bindings
) -> bool | None:
    env = environment(op, definition, context)
    env.update(known)
    try:
        truth: bool | None = env[name]
    except NO_VALUE:
        return None
    return truth


def _breaks(op: Operation, definition: OpDef, context: EvaluationContext, assumed: Bindings) -> bool:
    """Test whether an assumption violates a constraint for every result."""
    env = environment(op, definition, context)
    env.update(assumed)
    for constraint, run in rules_of(definition).constraints:
        try:
            if constraint.verdict not in ("spec-only", "run") and run(env) is False:
                return True
        except NO_VALUE:
            continue
    return False


@dataclass
class _Known:
    """The known facets of a result, and why equations did not determine the others."""

    output: Result
    type: Type | None = None
    shape: Shape | None = None
    element_type: Type | None = None
    encoding: Any = None
    reasons: dict[str, list[str]] = field(default_factory=dict)

    def note(self, facet: str, reason: str) -> None:
        of = facet if facet in ("type", "element_type") else "shape"
        self.reasons.setdefault(of, []).append(reason)

    def meet(self, equation: Equation, value: Any, axis: Any) -> None:
        """Combine the known facets with the value of an equation."""
        match equation.facet:
            case "type" if isinstance(value, TensorType):
                self.meet_shape(value.shape, equation.label)
                self.meet_element(value.element_type, equation)
                self.encoding = self.encoding or value.encoding
            case "type":
                self.type = self.type or value
            case "element_type":
                self.meet_element(value, equation)
            case "shape":
                self.meet_shape(tuple(value), equation.label)
            case "rank" if value > _MOST_DIMENSIONS:
                self.note("shape", f"{equation.label}: {value} dimensions are too many")
            case "rank":
                self.meet_shape((None,) * value, equation.label)
            case _:
                self.meet_dimensions(equation, value, axis)

    def meet_dimensions(self, equation: Equation, value: Any, axis: Any) -> None:
        """Combine the known shape with the sizes at some axes, or at all other axes (`drop`)."""
        axes, sizes = (axis, value) if isinstance(axis, Sequence) else ([axis], value)
        if equation.facet == "drop":
            rank = len(sizes) + len(axes)
            gone = {a % rank for a in axes}
            axes = [a for a in range(rank) if a not in gone]
        elif self.shape is None:
            return self.note("shape", f"{equation.label} gives a dimension, but the rank is unknown")
        else:
            rank = len(self.shape)
            sizes = sizes if isinstance(axis, Sequence) else [value]
        shape: list[int | None] = [None] * rank
        for a, size in zip(axes, sizes, strict=False):
            if a is not None and -rank <= a < rank:
                shape[a] = size
        self.meet_shape(tuple(shape), equation.label)
        return None

    def meet_shape(self, shape: Shape, label: str) -> None:
        known = self.shape if self.shape is not None else shape
        pairs = list(zip(known, shape, strict=False))
        if len(known) != len(shape) or any(a != b for a, b in pairs if a is not None and b is not None):
            return self.note("shape", f"{label}: {list(shape)} conflicts with {list(known)}")
        if any(size is not None and (not isinstance(size, int) or size < 0) for size in shape):
            return self.note("shape", f"{label}: invalid sizes {[str(size) for size in shape]}")
        self.shape = tuple([b if a is None else a for a, b in pairs])
        return None

    def meet_element(self, element: Type, equation: Equation) -> None:
        if isinstance(element, QuantizedType) and not equation.exact:
            self.note("element_type", f"{equation.label} does not determine scales and zero points")
        elif self.element_type is None:
            self.element_type = element

    def finished(self, name: str) -> InferredType:
        """Return the complete type, or the known facets and the reasons for the holes."""
        self.decide_by_class()
        if self.type is None and self.shape is not None and self.element_type is not None:
            self.type = TensorType(self.shape, self.element_type, self._encoding())
        if self.type is not None:
            return InferredType(name, self.type, self.shape, self.element_type)
        holes = self.reasons.get("type", [])
        for facet, words in (("shape", "shape"), ("element_type", "element type")):
            if getattr(self, facet) is None:
                nothing = [] if holes else [f"no constraint determines the {words}"]
                holes = [*holes, *self.reasons.get(facet, nothing)]
        return InferredType(name, None, self.shape, self.element_type, tuple(dict.fromkeys(holes)))

    def decide_by_class(self) -> None:
        """Add the facets that the output's type class determines."""
        decided = decided_by(self.output.type)
        self.type = self.type or decided.type
        self.element_type = self.element_type or decided.element_type
        if self.shape is None:
            self.shape = decided.shape

    def _encoding(self) -> Any:
        """Return the encoding of the operands, without bounds if all sizes are known."""
        is_bounds = isinstance(self.encoding, StructAttr) and self.encoding.name == BOUNDS
        return None if is_bounds and self.shape and None not in self.shape else self.encoding


class _Solver:
    """Evaluates equations and collects the known facets of results, by name and position."""

    def __init__(self, op: Operation, definition: OpDef, context: EvaluationContext, known: Bindings) -> None:
        self.names = dict(scope_of(definition).names)
        self.outputs = {output.name: output for output in definition.outputs}
        self.found = {(o.name, 0): _Known(o) for o in definition.outputs if not o.variadic}
        self.env = environment(op, definition, context)
        self.env.update(known)

    def results(self) -> tuple[InferredType, ...]:
        order = list(self.outputs)
        keys = sorted(self.found, key=lambda key: (order.index(key[0]), key[1]))
        names = [f"{n}[{position}]" if self.outputs[n].variadic else n for n, position in keys]
        return tuple([self.found[key].finished(name) for key, name in zip(keys, names, strict=True)])

    def evaluate(self, term: Term) -> tuple[Sort, Any]:
        """Evaluate a term to its sort and value, with arrays as lists and values as their types."""
        sort, run, _ = Compiler(self.names).compile(term)
        value = run(self.env)
        return sort, nested_list(value) if sort == ARRAY else value.type if isinstance(
            value, Value
        ) else value

    def solve(self, equation: Equation, loops: tuple[tuple[str, Term], ...]) -> None:
        try:
            if not loops:
                self.equate(equation)
                return
            (name, xs), *rest = loops
            element, source, _ = Compiler(self.names).elements_of(xs)
            self.names[name] = element
            for x in source(self.env):
                self.env[name] = x
                self.solve(equation, tuple(rest))
        except NO_VALUE as error:
            reason = str(error) if isinstance(error, Undefined) else "has no value"
            self.note(equation, f"{equation.label}: {reason}")
        finally:
            for name, _ in loops:
                self.names.pop(name, None)

    def equate(self, equation: Equation) -> None:
        for guard in equation.guards:
            truth = Compiler(self.names).condition(guard).run(self.env)
            if truth is None:
                self.note(
                    equation, f"{equation.label} depends on {write(guard)}, which the inputs do not determine"
                )
            if not truth:
                return
        sort, value = self.evaluate(equation.source)
        if value is None:
            self.note(equation, f"{equation.label}: {write(equation.source)} is unknown")
            return
        axis = self.evaluate(equation.axis)[1] if equation.axis else None
        result = equation.result
        if result[0] == "each":
            values = value if sort.name == "Each" else [value] * self.count(result[1][1])
            for position, one in enumerate(values):
                self.at(result[1][1], position).meet(equation, one, axis)
            return
        name, position = (
            (result[1], 0) if result[0] == "name" else (result[1][1], self.evaluate(result[2])[1])
        )
        for one in value if sort.name == "Each" else [value]:
            self.at(name, position).meet(equation, one, axis)

    def share_shape(self, name: str) -> None:
        """Propagate the known shape of one element of a variadic result to all elements."""
        alike = [known for (of, _), known in self.found.items() if of == name]
        shape = next((known.shape for known in alike if known.shape is not None), None)
        for known in alike:
            known.shape = shape if known.shape is None else known.shape

    def count(self, name: str) -> int:
        """Count the known elements of a variadic result."""
        return sum(key == name for key, _ in self.found)

    def at(self, name: str, position: int) -> _Known:
        key = (name, position)
        if key not in self.found:
            self.found[key] = _Known(self.outputs[name])
        return self.found[key]

    def note(self, equation: Equation, reason: str) -> None:
        """Record why an equation does not determine the facet of its result."""
        base = equation.result if equation.result[0] == "name" else equation.result[1]
        for (name, _), known in self.found.items():
            if name == base[1]:
                known.note(equation.facet, reason)


# Type classes ----------------------------------------------------------------------------------------

_ELEMENTS: tuple[Type, ...] = (
    *(row.type for row in ELEMENT_TYPES.values() if row.supported),
    QuantizedType(IntegerType(8), F32, (1.0,), (0,), -128, 127),
)


class Decided(NamedTuple):
    """The facets shared by all members of a type class."""

    type: Type | None = None
    shape: Shape | None = None
    element_type: Type | None = None


@cache
def decided_by(of: TypeClass) -> Decided:
    """Return the facets that a type class determines."""
    shapes: tuple[Shape, ...] = ((), (1,), (1, 1))
    members = [(s, e) for s in shapes for e in _ELEMENTS if of.contains(TensorType(s, e))]
    if of.contains(TOKEN):
        return Decided(None if members else TOKEN)
    sizes, elements = {s for s, _ in members}, {e for _, e in members}
    only = elements.pop() if len(elements) == 1 else None
    return Decided(None, () if sizes == {()} else None, None if isinstance(only, QuantizedType) else only)
