"""Shape refinement: a worklist of ops whose result types are inferred and shape computations folded."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from itertools import count
from typing import TypeVar

from stablehlo_py.diagnostics.diagnostic import TransformError
from stablehlo_py.ir.attributes import ArrayAttr, Attribute, DenseElementsAttr, StringAttr, SymbolRefAttr
from stablehlo_py.ir.cloning import clone_op
from stablehlo_py.ir.core import BlockArgument, Module, Operation, OpResult, Value
from stablehlo_py.ir.types import (
    FutureType,
    IntegerType,
    TensorType,
    TupleType,
    Type,
    UnrankedTensorType,
)
from stablehlo_py.opset.calls import callee, is_call
from stablehlo_py.opset.constants import constant_attribute
from stablehlo_py.opset.definition import has_trait, lookup
from stablehlo_py.opset.effects import is_dead, is_pure
from stablehlo_py.transforms.hoisting import hoist_constants
from stablehlo_py.transforms.pass_definition import diagnostic
from stablehlo_py.transforms.refinement.arguments import (
    check_one_block,
    refine_arguments,
    results_of,
    set_function_type,
)
from stablehlo_py.transforms.refinement.calls import Context, context_of
from stablehlo_py.transforms.refinement.refined_types import Conflict, most_specific
from stablehlo_py.transforms.refinement.result_types import WRAPPER, Known, result_types
from stablehlo_py.transforms.regions import drop_arguments
from stablehlo_py.transforms.rewriter import Rewriter
from stablehlo_py.transforms.rules.rule_set import RuleSet
from stablehlo_py.transforms.simplification.dynamic import RULES as DYNAMIC
from stablehlo_py.transforms.simplification.folding import FLOATS, SHAPE_FOLDS
from stablehlo_py.verifier.constraints import ConstraintChecker

T = TypeVar("T")
_REFINABLE = ("stablehlo.", "chlo.", "sdy.", "func.return")  # whose operand types may change
_FOLDS = RuleSet((*SHAPE_FOLDS, *[rule for rule in DYNAMIC if rule.name == "get-dimension-size-static"]))
_CAST = "builtin.unrealized_conversion_cast"


class Refiner:
    """Refines functions, starting at a function that calls the others.

    Args:
        module: The module, which is changed.
        separate: Whether calls of a function with different types or sizes get separate copies of it.
            Otherwise, such calls are an error, as upstream.
    """

    def __init__(self, module: Module, separate: bool) -> None:
        self.module = module
        self.rewriter = Rewriter(module, {FLOATS: False})
        self.separate = separate
        self._functions = module.functions
        self._contexts: dict[Operation, Context] = {}
        self._variants: dict[Operation, list[Operation]] = {}  # what a function was refined to
        self._originals: dict[Operation, Operation] = {}  # a function before that
        self._marks: dict[Operation, Attribute | None] = {}  # its `arg_attrs` before that
        self._active: list[Operation] = []
        self._known: Known = {}
        self._called: set[Operation] = set()
        self._effects: dict[Operation, bool] = {}
        self._pending: deque[Operation] = deque()
        self._listed: set[Operation] = set()
        self._refined: dict[Operation, None] = {}  # the ops whose types or sizes changed, in order

    def refine(self, function: Operation) -> None:
        """Refine a function for its own argument types, and the functions that it calls.

        Raises:
            TransformError: If types contradict each other, or a call contradicts another call of its callee.
        """
        types = tuple([argument.type for argument in function.entry_block.arguments])
        self._function(function, Context((), types))
        checker = ConstraintChecker(self.module)
        wrong = [d for op in self._refined if op.parent is not None for d in checker.check(op)]
        wrong = [d for d in wrong if d.severity == "error"]
        if wrong:
            raise TransformError(self.module.name, wrong)

    # Functions

    def _function(self, function: Operation, context: Context) -> None:
        """Refine a function for a context, once."""
        check_one_block(self.module, function)
        self._active.append(function)
        self._contexts[function] = context
        block = function.entry_block
        self._replace_sizes(function, context)
        refine_arguments(self.module, function, context.types)
        hoist_constants(function)
        outer = self._pending, self._listed
        inside = [op for op in function.walk() if op is not function]
        self._pending, self._listed = deque(inside), set(inside)
        while self._pending:
            op = self._pending.popleft()
            self._listed.discard(op)
            if op.parent is not None:
                self._visit(op)
        self._pending, self._listed = outer
        self.rewriter.flush()
        hoist_constants(function)
        last = block.terminator
        assert last is not None
        set_function_type(function, [value.type for value in last.operands])
        self._active.pop()

    def _replace_sizes(self, function: Operation, context: Context) -> None:
        """Replace the arguments that stand for sizes by constants."""
        block = function.entry_block
        self.rewriter.at(block.ops[0])
        for index, value in context.sizes:
            argument = block.arguments[index]
            argument.replace_all_uses(self.rewriter.constant(value, argument.type))
        drop_arguments(block, context.dropped)
        _drop_entries(function, context)
        self.rewriter.flush()

    # Ops

    def _visit(self, op: Operation) -> None:
        """Fold, refine or erase an op."""
        self._step(op)
        rewriter = self.rewriter
        self._push([op for op in (*rewriter.created, *rewriter.touched) if op.parent is not None])
        rewriter.created, rewriter.touched = [], []

    def _step(self, op: Operation) -> None:
        if is_dead(op):
            self.rewriter.erase(op)
        elif self._fold(op):
            return
        elif op.name == "func.return":
            self._drop_casts(op)
        elif op.name == "func.call":
            self._call(op)
        elif is_call(op):
            self._composite(op)
        else:
            self._infer(op)

    def _fold(self, op: Operation) -> bool:
        """Fold an op of a shape computation; return whether it could be."""
        if any(_is_dynamic(result.type) for result in op.results):
            return False
        return any(rule.apply(op, self.rewriter) for rule in _FOLDS.of_op(op.name))

    def _infer(self, op: Operation) -> None:
        """Refine the results of an op, and the arguments of the regions of a loop or an asynchronous op."""
        if any(_is_dynamic(result.type) for result in op.results):
            types = result_types(self.module, op, self._known)
            if types is not None:
                self._refine(op.results, types)
        if op.name in ("stablehlo.while", "stablehlo.async_start"):
            for block in op.blocks:
                self._refine(block.arguments, [value.type for value in op.operands])
        if op.python_value("call_target_name") == WRAPPER and op.operands[0].type is op.result.type:
            self.rewriter.replace(op, op.operands[:1], merge=False)

    def _refine(self, values: Sequence[Value], types: Sequence[Type | None]) -> None:
        """Combine the types of values with what is known about them, if all their uses allow it."""
        try:
            new = [
                v.type if t is None else most_specific(v.type, t) for v, t in zip(values, types, strict=True)
            ]
        except Conflict:
            self._refined.update(dict.fromkeys(op for value in values if (op := _defining(value))))
            return
        changed = [(value, type) for value, type in zip(values, new, strict=True) if value.type is not type]
        if any(self._keeps_types(use.op) for value, _ in changed for use in value.uses):
            return
        for value, type in changed:
            value.type = type
            defining = _defining(value)
            around = [*([defining] if defining else []), *[use.op for use in value.uses]]
            self._refined.update(dict.fromkeys(around))
            self._push(around)

    def _keeps_types(self, op: Operation) -> bool:
        """Test whether the types of an op's operands may not change."""
        if is_call(op):
            function = self._functions.get(callee(op) or "")
            return function is None or not function.blocks
        return not op.name.startswith(_REFINABLE)

    def _drop_casts(self, op: Operation) -> None:
        """Return the operands of casts to less specific types."""
        operands = [_before_cast(value) for value in op.operands]
        if operands != list(op.operands):
            self.rewriter.set_operands(op, operands)

    # Calls

    def _call(self, call: Operation) -> None:
        """Refine the callee for a call, and the call's results."""
        function = self._functions.get(callee(call) or "")
        if function is None or not function.blocks:
            return
        types = tuple([value.type for value in call.operands])
        marks = self._marks.setdefault(function, function.attribute("arg_attrs"))
        context = Context((), types) if call in self._called else context_of(call, marks)
        self._called.add(call)
        function = self._variant(call, function, context)
        self._refine(call.results, results_of(function))
        constants = self._constant_results(function)
        if call.results and all(constants) and not self._has_effects(function):
            self.rewriter.at(call)
            self.rewriter.replace(call, [self.rewriter.constant(c, c.type) for c in constants if c])
            return
        if context.sizes:
            self.rewriter.set_operands(call, _without(call.operands, context))
            _drop_entries(call, context)
        for result, constant in zip(call.results, constants, strict=True):
            if constant is not None and result.uses:
                self.rewriter.modified(call)
                self._refined.update(dict.fromkeys([use.op for use in result.uses]))
                result.replace_all_uses(self.rewriter.at(call).constant(constant, constant.type))

    def _composite(self, op: Operation) -> None:
        """Refine the decomposition of a composite, and its results."""
        function = self._functions.get(callee(op) or "")
        if function is not None and function.blocks:
            context = Context((), tuple([value.type for value in op.operands]))
            self._refine(op.results, results_of(self._variant(op, function, context)))

    def _variant(self, call: Operation, function: Operation, context: Context) -> Operation:
        """Return the function that is refined for a call, and let the call use it; refine it if it is not."""
        variants = self._variants.setdefault(function, [])
        for variant in sorted(variants, key=lambda each: each is not function):
            if context.agrees_with(self._contexts[variant]):
                if variant in self._active:
                    raise self._clash(call, variant, "is refined recursively", ())
                if variant is not function:
                    _set_callee(call, str(variant.python_value("sym_name")))
                return variant
        if not variants:
            self._originals[function] = clone_op(function) if self.separate else function
            variant = function
        elif self.separate and not set(variants) & set(self._active):
            variant = self._copy(call, function)
        else:
            earlier = self._contexts[variants[0]]
            notes = (f"this call: {context}", f"an earlier one: {earlier}")
            raise self._clash(call, function, "is refined for calls that differ", notes)
        variants.append(variant)
        self._function(variant, context)
        return variant

    def _copy(self, call: Operation, function: Operation) -> Operation:
        """Let a call use a copy of a function as it was before refinement, with a new name."""
        made = clone_op(self._originals[function])
        name = str(function.python_value("sym_name"))
        made_name = next(n for n in (f"{name}_{i}" for i in count(1)) if n not in self._functions)
        self._functions[made_name] = made
        made.properties["sym_name"] = StringAttr(made_name)
        made.properties["sym_visibility"] = StringAttr("private")
        _set_callee(call, made_name)
        body = self.module.body
        body.insert(body.ops.index(function) + 1, made)
        self._variants[made] = self._variants[function]
        return made

    def _clash(
        self, call: Operation, function: Operation, message: str, notes: tuple[str, ...]
    ) -> TransformError:
        """Return the error of a call that a function is not refined for."""
        name = function.python_value("sym_name")
        found = [
            diagnostic(self.module, function, f"@{name} {message}"),
            diagnostic(self.module, call, f"incorrect operands for the refined @{name}", *notes),
        ]
        return TransformError(self.module.name, found)

    def _constant_results(self, function: Operation) -> list[DenseElementsAttr | None]:
        """Return the integer constants that a function returns, None for each other result."""
        last = function.entry_block.terminator
        assert last is not None
        found = [constant_attribute(value) for value in last.operands]
        return [c if c is not None and isinstance(c.type.element_type, IntegerType) else None for c in found]

    def _has_effects(self, function: Operation) -> bool:
        """Test whether a function may have side effects, directly or in a callee."""
        if function not in self._effects:
            self._effects[function] = True  # of a recursive one
            ops = [op for block in function.blocks for op in block.ops]
            calls = [inner for op in ops for inner in op.walk() if is_call(inner)]
            callees = [self._functions.get(callee(call) or "") for call in calls]
            self._effects[function] = (
                not ops
                or not all(is_pure(op, calls=True) for op in ops)
                or any(inner is None or self._has_effects(inner) for inner in callees)
            )
        return self._effects[function]

    # The worklist

    def _push(self, ops: Iterable[Operation]) -> None:
        """Add ops to the worklist; for a terminator, also the op that contains it."""
        for op in ops:
            around = op.parent_op if has_trait(op.name, "terminator") else None
            for each in (op, around):
                if each is not None and each not in self._listed:
                    self._listed.add(each)
                    self._pending.append(each)


def _set_callee(call: Operation, name: str) -> None:
    definition = lookup(call.name)
    assert definition is not None
    call.properties[definition.callee] = SymbolRefAttr(name)


def _defining(value: Value) -> Operation | None:
    """Return the op that defines a value, as its result or as an argument of its regions."""
    if isinstance(value, OpResult):
        return value.op
    return value.block.parent_op if isinstance(value, BlockArgument) else None


def _before_cast(value: Value) -> Value:
    """Return the operand of a cast to a less specific type of the same elements; another value itself."""
    if not isinstance(value, OpResult) or value.op.name != _CAST or len(value.op.results) != 1:
        return value
    operands = value.op.operands
    if len({getattr(each.type, "element_type", None) for each in (value, *operands)}) > 1:
        return value
    try:
        is_specific = len(operands) == 1 and most_specific(operands[0].type, value.type) is operands[0].type
    except Conflict:
        return value
    return operands[0] if is_specific else value


def _is_dynamic(type: Type) -> bool:
    if isinstance(type, TupleType | FutureType):
        return any(map(_is_dynamic, type.types))
    return isinstance(type, UnrankedTensorType) or (isinstance(type, TensorType) and not type.is_static)


def _without(values: Sequence[T], context: Context) -> tuple[T, ...]:
    dropped = set(context.dropped)
    return tuple([value for index, value in enumerate(values) if index not in dropped])


def _drop_entries(op: Operation, context: Context) -> None:
    """Remove the attributes of dropped arguments."""
    found = op.properties.get("arg_attrs")
    if isinstance(found, ArrayAttr):
        op.properties["arg_attrs"] = ArrayAttr(_without(found.value, context))
