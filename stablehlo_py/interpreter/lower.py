"""From operations to steps: slots are numbered, calls inlined, constants decoded and folded."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from stablehlo_py.diagnostics.diagnostic import RunError, Unsupported
from stablehlo_py.interpreter.bind import BoundBody, BoundKernel, bind, lift
from stablehlo_py.interpreter.deferred import deferred_step
from stablehlo_py.interpreter.errors import place
from stablehlo_py.interpreter.function import CompiledFunction
from stablehlo_py.interpreter.guards import LimitedCall, refuse_large_results
from stablehlo_py.interpreter.limits import LimitedFunction, Limits
from stablehlo_py.interpreter.observed import LOOPS, ObservedFunction, Watch
from stablehlo_py.interpreter.optimize import optimize, summarize
from stablehlo_py.interpreter.plan import Flow, Plan, Step
from stablehlo_py.ir.core import Block, Module, Operation, Region, Value
from stablehlo_py.ir.types import TensorType, Type
from stablehlo_py.kernels.grid.mesh import SAME_VALUE
from stablehlo_py.kernels.interpreter_dialect import print_value
from stablehlo_py.kernels.targets.registry import find_target
from stablehlo_py.opset.calls import callee, is_call
from stablehlo_py.opset.definition import has_trait, lookup

if TYPE_CHECKING:
    from collections.abc import Mapping

INLINED_OPS = 200  # a function of more ops than this, called from several places, is compiled once
FOLDED_ELEMENTS = 1 << 18  # operations on constants are computed once, up to results of this size
ALIASES = frozenset({"stablehlo.optimization_barrier", *SAME_VALUE})
EFFECTS = (  # what ops begin with that do something besides giving results
    "check.",
    "interpreter.",
    "sdy.manual_computation",
    "shape.cstr_",
    "stablehlo.all_",
    "stablehlo.async_",
    "stablehlo.collective_",
    "stablehlo.cross-replica-sum",
    "stablehlo.custom_call",
    "stablehlo.infeed",
    "stablehlo.outfeed",
    "stablehlo.partition_id",
    "stablehlo.recv",
    "stablehlo.reduce_scatter",
    "stablehlo.replica_id",
    "stablehlo.send",
)


class Unit:
    """What the functions of one module share while they are compiled."""

    def __init__(self, module: Module, limits: Limits | None = None, watch: Watch | None = None) -> None:
        self.module = module
        self.plain = watch is not None and watch.observer.every_op  # each op is a step of its own
        self._limits = limits
        self._watch = watch
        self.symbols = module.functions
        self._compiled: dict[str, CompiledFunction] = {}
        self._sizes: dict[str, int] = {}
        self._calls = _count_calls(module)

    def empty(self, name: str, lifted: bool = False, iterates: bool = False) -> CompiledFunction:
        """A function that has no plan yet, of the kind that runs within the limits and is watched.

        `lifted`: it runs on elements, which nobody watches. `iterates`: as the body of a loop.
        """
        if self._watch is not None and not lifted:
            return ObservedFunction(name, self.module, self._limits or Limits(), self._watch, iterates)
        if self._limits is None:
            return CompiledFunction(name, self.module)
        return LimitedFunction(name, self.module, self._limits)

    def function(self, name: str, entry: bool = False) -> CompiledFunction:
        """The compiled function of a name, compiled when it is first asked for."""
        key = f"{name}, the entry" if entry else name
        if key not in self._compiled:
            function = self._compiled[key] = self.empty(f"@{name}")
            lowering = Lowering(self, f"@{name}")
            lowering.function(self.symbols[name], function, entry)
        return self._compiled[key]

    def callee(self, op: Operation) -> str:
        """The name of the function that a call calls. Raises RunError if there is none with a body."""
        name = str(callee(op))
        if name not in self.symbols or not self.symbols[name].regions[0].blocks:
            raise place(RunError(f"there is no function @{name} with a body"), self.module, op)
        return name

    def inlines(self, name: str) -> bool:
        """Whether calls of a function become its ops."""
        return self._calls.get(name, 0) <= 1 or self._size(name) <= INLINED_OPS

    def _size(self, name: str) -> int:
        """The number of ops that an inlined call stands for."""
        if name not in self._sizes:
            self._sizes[name] = INLINED_OPS + 1  # while it is being counted: it calls itself
            ops = list(self.symbols[name].walk())
            called = [self.callee(op) for op in ops if is_call(op)]
            self._sizes[name] = min(len(ops) + sum(map(self._size, called)), INLINED_OPS + 1)
        return self._sizes[name]


def _has_effect(op: Operation, bound: BoundKernel) -> bool:
    """Whether an op, or a region of it, does something besides giving results."""
    if op.name.startswith(EFFECTS) or op.name == "stablehlo.rng":
        return True
    if not bound.bodies:
        return False
    plans = [body.function.plan for body in bound.all_bodies]
    return any(step.effect for plan in plans if plan for step in plan.steps)


def _count_calls(module: Module) -> dict[str, int]:
    counts: dict[str, int] = {}
    for op in module.walk():
        name = callee(op)
        if name is not None:
            counts[name] = counts.get(name, 0) + 1
    return counts


class Lowering:
    """Makes the plan of one function or region.

    `lifted`: inputs stand for arrays of elements; `varying` are the slots that depend on them.
    """

    def __init__(self, unit: Unit, name: str, lifted: bool = False) -> None:
        self.unit = unit
        self.name = name
        self.lifted = lifted
        self.types: list[Type] = []
        self.constants: dict[int, Any] = {}
        self.steps: list[Step] = []
        self.varying: set[int] = set()
        self.captures: list[int] = []  # slots of the surrounding lowering
        self.bodies: list[tuple[str, Plan]] = []
        self._outer: tuple[Lowering, Mapping[Value, int]] | None = None
        self._captured: dict[int, int] = {}
        self._inlining: list[str] = []

    # Entry points

    def function(self, op: Operation, function: CompiledFunction, entry: bool) -> None:
        """Compiles a `func.func`."""
        self._inlining.append(function.name[1:])
        block = op.regions[0].blocks[0]
        outputs = self._block(block, {arg: self._slot(arg.type) for arg in block.arguments})
        plan = Plan(
            self.name, len(block.arguments), self.types, self.constants, self.steps, outputs, self.bodies
        )
        optimize(plan, fresh=entry, plain=self.unit.plain)
        function.finish(plan)

    def region(
        self, region: Region, outer: Lowering, environment: Mapping[Value, int], owned: bool, iterates: bool
    ) -> tuple[CompiledFunction, frozenset[int]]:
        """Compiles a region; `owned`: as one that may own what it carries; `iterates`: as a loop's body.

        Gives the function and the positions of the inputs that it must own.
        """
        self._outer = (outer, environment)
        self._inlining = list(outer._inlining)
        block = region.blocks[0]
        # Captured values become inputs behind the arguments, so the body is lowered to find them first.
        scope: dict[Value, int] = {arg: self._slot(arg.type) for arg in block.arguments}
        if self.lifted:
            self.varying.update(scope.values())
        outputs = self._block(block, scope)
        arity = self._arrange_captures(len(block.arguments))
        plan = Plan(
            self.name, arity, self.types, self.constants, self.steps, self._moved(outputs), self.bodies
        )
        carried = range(len(block.arguments)) if owned else ()
        plain = self.unit.plain and not self.lifted
        writes = optimize(plan, owned=frozenset(carried), lifted=self.lifted, plain=plain)
        function = self.unit.empty(self.name, self.lifted, iterates)
        function.finish(plan, len(self.captures))
        return function, writes

    def _arrange_captures(self, arguments: int) -> int:
        """Renumbers slots so that captured ones follow the arguments; gives the number of inputs."""
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
        """The slot of a value, which may come from outside."""
        if value not in scope:
            scope[value] = self._capture(value)
        return scope[value]

    def _capture(self, value: Value) -> int:
        if self._outer is None:
            raise RunError(f"the value %{value.name} is used outside of where it is defined")
        lowering, environment = self._outer
        outer = lowering._find(value, environment)  # type: ignore[arg-type]
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

    def _block(self, block: Block, scope: dict[Value, int]) -> tuple[int, ...]:
        """Lowers the ops of a block and gives the slots that it returns."""
        for op in block.ops:
            ins = tuple([self._find(value, scope) for value in op.operands])
            if has_trait(op.name, "terminator"):
                return ins
            for result, slot in zip(op.results, self._operation(op, ins, scope), strict=True):
                scope[result] = slot
        return ()

    def _operation(self, op: Operation, ins: tuple[int, ...], scope: dict[Value, int]) -> Sequence[int]:
        if op.name in ALIASES:
            return ins[: len(op.results)]
        if op.name == "sdy.named_computation":
            block = op.regions[0].blocks[0]
            return self._block(block, dict(zip(block.arguments, ins, strict=True)))
        if is_call(op):
            return self._call(op, ins)
        try:
            return self._kernel(op, ins, scope)
        except RunError as error:
            raise place(error, self.unit.module, op) from error
        except (TypeError, ValueError, KeyError) as error:
            raise place(Unsupported(f"cannot be prepared: {error}"), self.unit.module, op) from error

    def _call(self, op: Operation, ins: tuple[int, ...]) -> Sequence[int]:
        name = self.unit.callee(op)
        inlined = self.lifted or not self.unit.plain
        if inlined and name not in self._inlining and self.unit.inlines(name):
            block = self.unit.symbols[name].regions[0].blocks[0]
            self._inlining.append(name)
            slots = self._block(block, dict(zip(block.arguments, ins, strict=True)))
            self._inlining.pop()
            return slots
        if self.varying & set(ins):
            raise place(Unsupported(f"@{name} calls itself in a function on elements"), self.unit.module, op)
        function = self.unit.function(name)
        step = Step(f"call {function.name}", LimitedCall(function), ins, (), op, effect=True, packed=True)
        anywhere = Flow(frozenset(range(len(ins))), constant=True, spread=True)
        step.flows = tuple([anywhere] * len(op.results))
        return self._append(step, op)

    def _kernel(self, op: Operation, ins: tuple[int, ...], scope: dict[Value, int]) -> Sequence[int]:
        definition = lookup(op.name)
        if definition is None:
            raise Unsupported("is not an op that can be run")
        varying = self.lifted and not self.varying.isdisjoint(ins)
        bound = bind(
            op,
            definition,
            self.unit.module,
            lambda region, scalar, owned: self._body(op, region, scope, scalar, owned),
        )
        if op.name == "interpreter.run_parallel":
            self._find_programs(bound)
        if op.name == "interpreter.print":
            printed = op.operands[0]
            bound.call = partial(print_value, f"%{printed.name or 0}", printed.type)
        if op.name == "stablehlo.custom_call":
            self._find_target(bound)
        captured = tuple([slot for body in bound.captures for slot in body]) if bound.bodies else ()
        if varying or not self.varying.isdisjoint(captured):
            lift(op, bound)
        step = bound.step(op, (*ins, *captured))
        step.effect = _has_effect(op, bound)
        if not step.view:
            refuse_large_results(step, [result.type for result in op.results])
        folded = self._fold(op, step)
        if folded is not None:
            return folded
        check = None if self.lifted else deferred_step(self.unit.module, op, ins)
        if check is not None:
            self.steps.append(check)
        slots = self._append(step, op)
        if self.lifted and not self.varying.isdisjoint(step.ins):
            self.varying.update(slots)
        return slots

    def _find_programs(self, bound: BoundKernel) -> None:
        """Puts functions in the place of the names that an op calls them by."""
        keywords = bound.keywords
        function = self.unit.function
        keywords["programs"] = tuple([tuple(map(function, row)) for row in keywords["programs"]])
        keywords["infeed"] = tuple(map(function, keywords["infeed"] or ()))

    def _find_target(self, bound: BoundKernel) -> None:
        """Makes sure that a target is known, and gives it the functions that the call names."""
        find_target(bound.keywords["call_target_name"])
        names = bound.keywords["called_computations"]
        bound.keywords["called_computations"] = tuple([self.unit.function(name) for name in names])

    def _append(self, step: Step, op: Operation) -> tuple[int, ...]:
        step.outs = tuple([self._slot(result.type) for result in op.results])
        self.steps.append(step)
        return step.outs

    def _fold(self, op: Operation, step: Step) -> Sequence[int] | None:
        """The results of an operation on constants, computed now; None where that is for the run."""
        watched = self.unit.plain and not self.lifted and not (step.view and not step.ins)
        if watched or step.effect or not self.constants.keys() >= set(step.ins):
            return None
        types = [result.type for result in op.results]
        small = all(
            isinstance(t, TensorType) and t.size is not None and t.size <= FOLDED_ELEMENTS for t in types
        )
        if not small and not step.view:
            return None
        try:
            with np.errstate(all="ignore"):
                found = step.call(*[self.constants[slot] for slot in step.ins])
        except Exception:  # the run will say so, with its place
            return None
        values = found if step.packed else (found,)
        return [self._constant(type, value) for type, value in zip(types, values, strict=True)]

    def _body(
        self, op: Operation, region: Region, scope: dict[Value, int], scalar: bool, owned: bool
    ) -> BoundBody:
        """Compiles a region of `op`: `scalar` where the op applies it to elements."""
        lowering = Lowering(self.unit, f"{op.name} body", scalar or self.lifted)
        iterates = op.name in LOOPS and region is op.regions[LOOPS[op.name]]
        function, writes = lowering.region(region, self, scope, owned and not lowering.lifted, iterates)
        assert function.plan is not None
        self.bodies.append((op.name, function.plan))
        return BoundBody(function, tuple(lowering.captures), writes, summarize(function.plan))
