"""Lowering of functions to plans: numbers slots, inlines calls, folds constants."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from stablehlo_py.diagnostics.diagnostic import RunError, Unsupported
from stablehlo_py.interpreter.deferred import deferred_step, fits, result_step
from stablehlo_py.interpreter.errors import located
from stablehlo_py.interpreter.keywords import Keywords
from stablehlo_py.interpreter.passes.common_subexpressions import share_common_subexpressions
from stablehlo_py.interpreter.passes.dead_code import eliminate_dead_code
from stablehlo_py.interpreter.plan import Alias, Plan, Step
from stablehlo_py.ir.core import Block, Module, Operation, Region, Value
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.signature import function_type
from stablehlo_py.ir.types import TensorType, Type
from stablehlo_py.opset.calls import callee, is_call
from stablehlo_py.opset.definition import OpDef, has_trait, lookup
from stablehlo_py.opset.op_inputs import groups
from stablehlo_py.opset.traits import Trait

INLINED_OPS = 200  # larger functions with several calls are compiled once instead of inlined
MEETS: frozenset[Trait] = frozenset({"communicates", "sharded_body"})  # synchronizes processes
CONTAINS: frozenset[Trait] = frozenset({"pure", "recursive_effects"})  # no effects of its own

# Evaluates a step on constant operands, with the module's functions; None defers it to run time.
Fold = Callable[[Step, Sequence[Any], "ModuleLowering"], Sequence[Any] | None]


class ModuleLowering(Mapping[str, Plan[Step]]):
    """The plans of a module's functions by name, each lowered on first access.

    Args:
        module: The module.
        fold: Evaluates steps whose operands are constants.
        every_op: Make each op a step of its own: inline no calls and eliminate nothing.
    """

    def __init__(self, module: Module, fold: Fold, every_op: bool = False) -> None:
        self.module = module
        self.fold = fold
        self.every_op = every_op
        self.symbols = module.functions
        self._plans: dict[str, Plan[Step]] = {}
        self._sizes: dict[str, int] = {}
        self._calls = _count_calls(module)

    def __getitem__(self, name: str) -> Plan[Step]:
        if name not in self._plans:
            self._plans[name] = FunctionLowering(self, f"@{name}").function(self.symbols[name])
        return self._plans[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.symbols)

    def __len__(self) -> int:
        return len(self.symbols)

    def callee(self, op: Operation) -> str:
        """Return the name of the function that a call calls; raise RunError if it has no body."""
        name = str(callee(op))
        if name not in self.symbols or not self.symbols[name].regions[0].blocks:
            raise located(RunError(f"there is no function @{name} with a body"), self.module, op)
        return name

    def inlines(self, name: str) -> bool:
        """Return True if calls of a function are inlined."""
        return self._calls.get(name, 0) <= 1 or self._size(name) <= INLINED_OPS

    def _size(self, name: str) -> int:
        """Return the number of ops that an inlined call adds."""
        if name not in self._sizes:
            self._sizes[name] = INLINED_OPS + 1  # recursive calls count as too large
            ops = list(self.symbols[name].walk())
            called = [self.callee(op) for op in ops if is_call(op)]
            self._sizes[name] = min(len(ops) + sum(map(self._size, called)), INLINED_OPS + 1)
        return self._sizes[name]


def _count_calls(module: Module) -> dict[str, int]:
    counts: dict[str, int] = {}
    for op in module.walk():
        name = callee(op)
        if name is not None:
            counts[name] = counts.get(name, 0) + 1
    return counts


class FunctionLowering:
    """Lowering of one function or region. `varying` are the slots that depend on elements."""

    def __init__(self, functions: ModuleLowering, name: str, on_elements: bool = False) -> None:
        self.functions = functions
        self.name = name
        self.on_elements = on_elements
        self.types: list[Type] = []
        self.constants: dict[int, Any] = {}
        self.steps: list[Step] = []
        self.varying: set[int] = set()
        self.captures: list[int] = []  # slots of the surrounding lowering
        self._outer: tuple[FunctionLowering, dict[Value, int]] | None = None
        self._captured: dict[int, int] = {}
        self._inlining: list[str] = []

    # Entry points

    def function(self, op: Operation) -> Plan[Step]:
        """Return the plan of a `func.func`."""
        self._inlining.append(self.name[1:])
        block = op.entry_block
        outputs = self._body(op, tuple([self._slot(arg.type) for arg in block.arguments]))
        return self._finish(len(block.arguments), outputs)

    def region(self, region: Region, outer: FunctionLowering, environment: dict[Value, int]) -> Plan[Step]:
        """Return the plan of a region, given the slots of `outer` that hold values."""
        self._outer = (outer, environment)
        self._inlining = list(outer._inlining)
        block = region.blocks[0]
        # Captured values become inputs after the arguments; lowering the body finds them.
        scope: dict[Value, int] = {arg: self._slot(arg.type) for arg in block.arguments}
        if self.on_elements:
            self.varying.update(scope.values())
        outputs = self._block(block, scope)
        arity = self._arrange_captures(len(block.arguments))
        return self._finish(arity, self._moved(outputs))

    def _finish(self, arity: int, outputs: tuple[int, ...]) -> Plan[Step]:
        plan = Plan(
            self.name,
            self.functions.module,
            self.functions,
            arity,
            self.types,
            self.constants,
            self.steps,
            outputs,
        )
        plan.captures, plan.on_elements = len(self.captures), self.on_elements
        if self.on_elements or not self.functions.every_op:
            eliminate_dead_code(plan)
        if not self.on_elements and not self.functions.every_op:
            share_common_subexpressions(plan)
        return plan

    def _arrange_captures(self, arguments: int) -> int:
        """Renumber slots so that captured ones follow the arguments; return the number of inputs."""
        captured = list(self._captured.values())
        rest = [s for s in range(arguments, len(self.types)) if s not in set(captured)]
        order = [*range(arguments), *captured, *rest]
        self._moves = {old: new for new, old in enumerate(order)}
        self.types = [self.types[old] for old in order]
        self.constants = {self._moves[slot]: value for slot, value in self.constants.items()}
        for step in self.steps:
            step.ins, step.outs = self._moved(step.ins), self._moved(step.outs)
        return arguments + len(captured)

    def _moved(self, slots: tuple[int, ...]) -> tuple[int, ...]:
        return tuple([self._moves[slot] for slot in slots])

    # Slots

    def _slot(self, type: Type) -> int:
        self.types.append(type)
        return len(self.types) - 1

    def _constant(self, type: Type, value: Any) -> int:
        slot = self._slot(type)
        self.constants[slot] = value
        return slot

    def _find(self, value: Value, scope: dict[Value, int]) -> int:
        """Return the slot of a value, capturing it if it is defined outside of the region."""
        if value not in scope:
            scope[value] = self._capture(value)
        return scope[value]

    def _capture(self, value: Value) -> int:
        if self._outer is None:
            raise RunError(f"value %{value.name} is used outside of the region that defines it")
        lowering, environment = self._outer
        outer = lowering._find(value, environment)
        if outer in self._captured:
            return self._captured[outer]
        if outer in lowering.constants:
            return self._constant(value.type, lowering.constants[outer])
        slot = self._captured[outer] = self._slot(value.type)
        self.captures.append(outer)
        if outer in lowering.varying:
            self.varying.add(slot)
        return slot

    # Operations

    def _body(self, function: Operation, ins: tuple[int, ...]) -> tuple[int, ...]:
        """Lower the body of a function and return the slots of its results.

        The terminator of another dialect may return something else than the function declares.
        """
        block = function.entry_block
        declared = function_type(function) if len(function.regions[0].blocks) == 1 else None
        returned = tuple([value.type for value in block.ops[-1].operands]) if block.ops else ()
        if declared is not None and returned != declared.results:
            given, wanted = (", ".join(map(str, types)) for types in (returned, declared.results))
            error = RunError(f"the function returns ({given}), and its type has the results ({wanted})")
            raise located(error, self.functions.module, block.ops[-1] if block.ops else function)
        return self._block(block, dict(zip(block.arguments, ins, strict=True)))

    def _block(self, block: Block, scope: dict[Value, int]) -> tuple[int, ...]:
        """Lower the ops of a block and return the slots that it returns."""
        for op in block.ops:
            ins = tuple([self._find(value, scope) for value in op.operands])
            if op.successors:
                message = "continues with another block, and functions of several blocks cannot be run"
                raise located(Unsupported(message), self.functions.module, op)
            if has_trait(op.name, "terminator"):
                return ins
            for result, slot in zip(op.results, self._operation(op, ins, scope), strict=True):
                scope[result] = slot
        return ()

    def _operation(self, op: Operation, ins: tuple[int, ...], scope: dict[Value, int]) -> Sequence[int]:
        definition = lookup(op.name)
        traits = definition.traits if definition is not None else frozenset()
        if "identity" in traits:
            kept = ins[: len(op.results)]
            self._check_results(op, definition, kept)
            return kept
        if "inline_body" in traits:
            block = op.entry_block
            return self._block(block, dict(zip(block.arguments, ins, strict=True)))
        if definition is not None and definition.callee:
            return self._call(op, ins)
        try:
            return self._step(op, definition, ins, scope)
        except RunError as error:
            raise located(error, self.functions.module, op) from error
        except (TypeError, ValueError, KeyError) as error:
            given = ", ".join(str(value.type) for value in op.operands) or "no operands"
            refused = Unsupported(f"not supported for operands of types {given} with these attributes")
            raise located(refused, self.functions.module, op) from error

    def _call(self, op: Operation, ins: tuple[int, ...]) -> Sequence[int]:
        name = self.functions.callee(op)
        inlined = self.on_elements or not self.functions.every_op
        if inlined and name not in self._inlining and self.functions.inlines(name):
            self._inlining.append(name)
            slots = self._body(self.functions.symbols[name], ins)
            self._inlining.pop()
            return slots
        if self.varying & set(ins):
            raise located(
                Unsupported(f"recursive call of @{name} in a region on elements"), self.functions.module, op
            )
        step = Step(f"call @{name}", op, ins, callee=name, returns_tuple=True, effect=True)
        anywhere = Alias(frozenset(range(len(ins))), constant=True, repeats=True)
        step.aliases = (anywhere,) * len(op.results)
        return self._append(step, op)

    def _step(
        self, op: Operation, definition: OpDef | None, ins: tuple[int, ...], scope: dict[Value, int]
    ) -> Sequence[int]:
        if definition is None:
            raise Unsupported("the op has no definition in this release, and cannot be run")
        step = Step(op.name, op, ins, definition=definition)
        step.keywords = Keywords(op, definition, self.functions.module)
        if op.regions:
            self._lower_bodies(step, op, definition, scope)
        step.returns_tuple = len(definition.outputs) != 1 or definition.outputs[0].variadic
        step.elementwise = "elementwise" in definition.traits
        step.effect = _has_effect(step)
        step.varying = self.on_elements and not self.varying.isdisjoint(step.ins)
        check = None if self.on_elements else deferred_step(self.functions.module, op, definition, ins)
        folded = self._fold(op, step, check)
        if folded is not None:
            return folded
        if check is not None:
            self.steps.append(check)
            step.effect = step.effect or self._fails(check)
        slots = self._append(step, op)
        self._check_results(op, definition, slots)
        if step.varying:
            self.varying.update(slots)
        return slots

    def _fails(self, check: Step) -> bool:
        """Test whether a check fails whatever the operands are that are no constants."""
        assert check.deferred is not None
        return bool(check.deferred.violations([self.constants.get(slot) for slot in check.ins]))

    def _check_results(self, op: Operation, definition: OpDef | None, slots: tuple[int, ...]) -> None:
        """Adds the step that compares results with their types, where the verifier has not proved them."""
        assert definition is not None
        check = None if self.on_elements else result_step(self.functions.module, op, definition, slots)
        if check is not None:
            self.steps.append(check)

    def _append(self, step: Step, op: Operation) -> tuple[int, ...]:
        step.outs = tuple([self._slot(result.type) for result in op.results])
        self.steps.append(step)
        return step.outs

    def _fold(self, op: Operation, step: Step, check: Step | None) -> Sequence[int] | None:
        """Evaluate an op on constant operands and return the slots of its results, or None."""
        if step.effect or (step.ins and self.functions.every_op and not self.on_elements):
            return None
        if check is None and not op.regions:
            empty = [_empty(result.type) for result in op.results]
            if empty and all(value is not None for value in empty):
                return [self._constant(r.type, value) for r, value in zip(op.results, empty, strict=True)]
        if not self.constants.keys() >= set(step.ins) or _reads_process_id(step):
            return None
        constants = [self.constants[slot] for slot in step.ins]
        if check is not None and check.deferred is not None and check.deferred.violations(constants):
            return None
        values = self.functions.fold(step, constants, self.functions)
        if values is None or not all(fits(v, r.type) for v, r in zip(values, op.results, strict=True)):
            return None
        return [self._constant(result.type, value) for result, value in zip(op.results, values, strict=True)]

    def _lower_bodies(self, step: Step, op: Operation, definition: OpDef, scope: dict[Value, int]) -> None:
        """Lower the regions of an op, and append the values they capture to its operands."""
        bodies: dict[str, Plan[Step] | tuple[Plan[Step], ...]] = {}
        captured: list[int] = []
        parts = groups(op, "region", op.regions, definition.bodies)
        for body, part in zip(definition.bodies, parts, strict=True):
            made: list[Plan[Step]] = []
            for region in part:
                if not region.blocks:
                    raise Unsupported(f"region {body.name} is empty")
                on_elements = self.on_elements or _is_applied_to_elements(definition, region)
                lowering = FunctionLowering(self.functions, f"{op.name} body", on_elements)
                plan = lowering.region(region, self, scope)
                plan.iterates = definition.loop is not None and definition.loop.body == body.name
                captured += lowering.captures
                made.append(plan)
            bodies[body.name] = tuple(made) if body.variadic else made[0]
        step.bodies = bodies
        step.ins = (*step.ins, *captured)


def _empty(type: Type) -> Any:
    """Return the only value of a type of arrays without elements; None for other types."""
    if isinstance(type, TensorType) and type.is_static and type.size == 0:
        return np.empty(type.shape, numpy_dtype(type.element_type))
    return None


def _has_effect(step: Step) -> bool:
    """Return True if an op, or a region of it, has side effects."""
    traits = step.definition.traits if step.definition is not None else frozenset()
    if traits & MEETS or not traits & CONTAINS:
        return True
    return bool(step.bodies) and any(inner.effect for plan in step.plans for inner in plan.steps)


def _reads_process_id(step: Step) -> bool:
    """Return True if the results of an op depend on the process that runs it."""
    inner = (each for plan in step.plans for each in plan.steps)
    return has_trait(step.name, "reads_process_id") or any(map(_reads_process_id, inner))


def _is_applied_to_elements(definition: OpDef, region: Region) -> bool:
    """Return True if an op applies a region to elements, so that it may run on whole arrays of them."""
    arguments = region.blocks[0].arguments if region.blocks else ()
    scalars = all(isinstance(a.type, TensorType) and a.type.rank == 0 for a in arguments)
    return "runs_bodies" not in definition.traits and bool(arguments) and scalars
