"""Binding: a step of a plan and the kernel that it calls, as one function of arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, Protocol

import numpy as np

from stablehlo_py.diagnostics.diagnostic import RunError, Unsupported
from stablehlo_py.engines.numpy.function import Closure, CompiledFunction
from stablehlo_py.engines.numpy.guards import DepthGuard, refuse_large_results
from stablehlo_py.engines.numpy.shardings import operand_shardings
from stablehlo_py.engines.numpy.steps import BoundStep
from stablehlo_py.interpreter.passes.alias_analysis import result_aliases
from stablehlo_py.interpreter.plan import COPY, Alias, Plan, Step, byte_size
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.records import dataclass
from stablehlo_py.ir.types import TensorType, Type
from stablehlo_py.kernels.quantized import (
    computes_on_numbers,
    expressed,
    is_per_tensor,
    is_quantized,
    on_integers,
    on_numbers,
    sums_of,
)
from stablehlo_py.kernels.registry import Kernel, find_kernel, keyword_names
from stablehlo_py.kernels.slabs import SLAB, in_slabs
from stablehlo_py.kernels.targets.calls import check_call
from stablehlo_py.kernels.targets.registry import accepted, find_target, is_built_in
from stablehlo_py.opset.attribute_conversion import python_value
from stablehlo_py.opset.definition import OpDef, has_trait
from stablehlo_py.opset.op_inputs import groups

Bodies = dict[str, "CompiledFunction | tuple[CompiledFunction, ...]"]


class Functions(Protocol):
    """The compiled functions that steps call."""

    @property
    def semantics(self) -> str:
        """The semantics, "specification" or "xla", where the specification and XLA differ."""

    def function(self, name: str) -> CompiledFunction:
        """Return the function of a name."""

    def body(self, plan: Plan[Any], owned: bool) -> CompiledFunction:
        """Return the function of a region; `owned`: its caller can give up the arrays it passes."""


@dataclass(slots=True)
class _KernelCall:
    """A call of a kernel with all arguments except operands and captured values."""

    kernel: Kernel
    operands: int
    groups: tuple[int | None, ...]  # None: a single operand; else the size of a variadic one (-1: absent)
    keywords: dict[str, Any]
    bodies: Bodies
    types: Sequence[Type]  # of operands; empty if arrays may have other shapes
    chosen: Callable[..., Any] | None = None  # called instead of the kernel

    @property
    def functions(self) -> list[CompiledFunction]:
        """The bodies, in order."""
        found = self.bodies.values()
        return [f for body in found for f in (body if isinstance(body, tuple) else (body,))]

    def bound(self) -> Callable[..., Any]:
        """Return the call as a function of all operands and captured values, in order."""
        if self.chosen is not None:
            return self.chosen
        function, keywords = self._in_slabs(), dict(self.keywords)
        if any(f.captures for f in self.functions):
            return _with_captures(partial(function, **keywords), self)
        keywords |= {
            name: tuple(body) if isinstance(body, tuple) else body for name, body in self.bodies.items()
        }
        specialized = self._specialized(keywords)
        if specialized is not None:
            return specialized
        bound = partial(function, **keywords) if keywords else function
        return bound if all(g is None for g in self.groups) else partial(_grouped, bound, self.groups)

    def _in_slabs(self) -> Callable[..., Any]:
        """Return the kernel, which cuts large operands if it can."""
        kernel = self.kernel
        sizes = [byte_size(type) for type in self.types]
        is_small = bool(sizes) and None not in sizes and max(sizes) <= SLAB  # type: ignore[type-var,operator]
        if kernel.slabs is None or is_small:
            return kernel.call
        wanted = keyword_names(kernel.slabs)
        known = self.keywords | self.bodies
        cut_of = partial(kernel.slabs, **{name: known[name] for name in wanted})

        def call(*operands: Any, **keywords: Any) -> Any:
            return in_slabs(partial(kernel.call, **keywords), cut_of, *operands)

        return call

    def _specialized(self, keywords: dict[str, Any]) -> Callable[..., Any] | None:
        """Return the kernel for operands of known shapes, if there is a faster one."""
        specialize = self.kernel.specialize
        if specialize is None or not self.types:
            return None
        is_static = all(isinstance(t, TensorType) and t.is_static for t in self.types)
        return specialize(self.types, **keywords) if is_static else None

    def positions(self, operand: str) -> tuple[int, ...]:
        """Return the positions of an operand of the definition among the operands of the op."""
        at = 0
        code = self.kernel.call.__code__
        for name, group in zip(code.co_varnames[: code.co_argcount], self.groups, strict=True):
            size = 1 if group is None else max(group, 0)
            if name == operand:
                return tuple(range(at, at + size))
            at += size
        raise TypeError(f"{self.kernel.name} has no operand {operand}")


def bind(step: Step, module: Module, functions: Functions) -> BoundStep:
    """Bind a step to its call.

    Args:
        step: The step.
        module: The module that contains it.
        functions: The functions that it may call.

    Raises:
        Unsupported: There is no kernel for the op, or for these operands.
    """
    if step.callee:
        call: Callable[..., Any] = DepthGuard(functions.function(step.callee))
        return BoundStep.of(step, call)
    if step.deferred is not None:
        check = partial(_check, step.deferred, module.name)
        return BoundStep.of(step, check)
    assert step.op is not None and step.definition is not None
    return _bind_op(step, step.op, step.definition, functions)


def copy_step(step: Step) -> BoundStep:
    """Bind a step that copies its operand."""
    assert step.name == COPY
    return BoundStep.of(step, np.array)


def _check(deferred: Any, source: str, *operands: Any) -> tuple[()]:
    """Raise RunError for the first constraint that the operands violate, with the values."""
    violations = deferred.violations(operands)
    if violations:
        raise RunError(f"{source}:{violations[0]}", violations[0])
    return ()


def _bind_op(step: Step, op: Operation, definition: OpDef, functions: Functions) -> BoundStep:
    interface = _interface(definition)
    call = _call(step, op, definition, interface, functions)
    if step.varying:
        _lift(op, call, definition)
    kernel = call.kernel
    bound = BoundStep.of(step, call.bound())
    bound.elementwise, bound.view = kernel.elementwise, kernel.view
    if kernel.overwrites:
        bound.overwritable = call.positions(kernel.overwrites)
        call.keywords["overwrite"] = True
        bound.in_place = call.bound()
    if call.bodies:
        _describe_bodies(bound, op, call)
    if "call_target_name" in interface.attributes and not is_built_in(step.keywords["call_target_name"]):
        anything = Alias(frozenset(range(len(step.ins))), constant=True, repeats=True)  # what a user keeps
        bound.aliases = (anything,) * len(step.outs)
    if not bound.view:
        refuse_large_results(bound, [result.type for result in op.results])
    return bound


def _describe_bodies(step: BoundStep, op: Operation, call: _KernelCall) -> None:
    """Set the properties of a step with bodies that analyses use."""
    plans = [function.plan for function in call.functions]
    step.bodies = {
        name: tuple([f.plan for f in body]) if isinstance(body, tuple) else body.plan
        for name, body in call.bodies.items()
    }
    step.aliases = result_aliases(step, plans)
    if not step.overwritable:
        step.owns = frozenset().union(*[plan.writes for plan in plans])
    step.rows = _row_reduction(op, call)


def _call(
    step: Step, op: Operation, definition: OpDef, interface: _Interface, functions: Functions
) -> _KernelCall:
    """Return the call of the kernel for an op."""
    kernel = interface.kernel
    operands, results = [v.type for v in op.operands], [v.type for v in op.results]
    numbers = computes_on_numbers(definition, [*operands, *results])
    sums = sums_of(op.name, step.keywords, *operands) if numbers and len(operands) == 2 else None
    type_of = sums.type_of if sums else expressed if numbers else _identity
    keywords = _keywords(step, op, interface, functions)
    for name in interface.outputs:
        types = step.keywords[name]
        keywords[name] = tuple(map(type_of, types)) if isinstance(types, tuple) else type_of(types)
    bodies = _bodies(step, functions) if step.bodies else {}
    known = () if numbers else operands
    call = _KernelCall(kernel, len(operands), operand_groups(op, definition), keywords, bodies, known)
    if kernel.elementwise:
        call.chosen = _chosen(kernel.call, tuple([_dtype(type_of(t)) for t in operands]), keywords)
    if sums:
        product = on_integers(kernel.call, sums, (*operands, *results))
        call.kernel = Kernel(op.name, product, slabs=kernel.slabs if sums.dimension is None else None)
    elif numbers:
        call.chosen = on_numbers(call.bound(), operands, results, step.returns_tuple)
        if not all(is_per_tensor(t) for t in (*operands, *results) if is_quantized(t)):
            call.kernel = Kernel(op.name, kernel.call)  # scales differ between elements
    return call


def _keywords(step: Step, op: Operation, interface: _Interface, functions: Functions) -> dict[str, Any]:
    """Return the keywords of the kernel, without operands, result types and bodies."""
    found = {name: step.keywords[name] for name in interface.attributes}
    for name in interface.callees:
        found[name] = _called(found[name] or (), functions)
    if interface.values:
        found["values"] = op.operands
    if interface.semantics:
        found["semantics"] = functions.semantics
    if interface.every_attribute:
        stored = (op.properties | op.attributes).items()
        found["attributes"] = {name: python_value(value) for name, value in stored}
    if "call_target_name" in found:
        function = find_target(found["call_target_name"])  # raises Unsupported for an unknown one
        if "operand_shardings" in accepted(function).names:
            found["attributes"]["operand_shardings"] = operand_shardings(op)
        check_call(op)
    return found


def _called(names: Any, functions: Functions) -> Any:
    """Replace names of functions by the functions."""
    return (
        functions.function(names) if isinstance(names, str) else tuple([_called(n, functions) for n in names])
    )


def _bodies(step: Step, functions: Functions) -> Bodies:
    found: Bodies = {}
    loop = step.definition.loop if step.definition is not None else None
    carries = loop is not None and bool(loop.condition)
    for name, body in step.bodies.items():
        if isinstance(body, tuple):
            found[name] = tuple([functions.body(plan, owned=False) for plan in body])
        else:
            owned = carries and body.iterates and not body.on_elements
            owned = owned or has_trait(step.name, "single_op_body")  # the kernel owns what it gives to it
            found[name] = functions.body(body, owned)
    return found


def _with_captures(function: Callable[..., Any], of: _KernelCall) -> Callable[..., Any]:
    """Wrap a kernel call to take the captures of the bodies as its last arguments."""
    operands, groups, bodies = of.operands, of.groups, of.bodies

    def call(*arrays: Any) -> Any:
        at = operands
        closures: dict[str, Any] = {}
        for name, body in bodies.items():
            made = []
            for one in body if isinstance(body, tuple) else (body,):
                made.append(Closure(one, arrays[at : at + one.captures]))
                at += one.captures
            closures[name] = tuple(made) if isinstance(body, tuple) else made[0]
        return _grouped(partial(function, **closures), groups, *arrays[:operands])

    return call


def _grouped(function: Callable[..., Any], groups: tuple[int | None, ...], *arrays: Any) -> Any:
    """Call a kernel with variadic operands as tuples and absent ones as None."""
    arguments: list[Any] = []
    at = 0
    for group in groups:
        if group is None:
            arguments.append(arrays[at])
            at += 1
        elif group < 0:
            arguments.append(None)
        else:
            arguments.append(arrays[at : at + group])
            at += group
    return function(*arguments)


@dataclass(frozen=True, slots=True)
class _Interface:
    """The arguments of a kernel, as far as the op states them."""

    kernel: Kernel
    attributes: tuple[str, ...]
    callees: tuple[str, ...]  # attributes that name functions
    every_attribute: bool
    values: bool
    semantics: bool
    outputs: frozenset[str]


@cache
def _interface(definition: OpDef) -> _Interface:
    """Return the interface of the kernel of a definition; raise Unsupported if it has no kernel."""
    kernel = find_kernel(definition.name)
    if kernel is None:
        raise Unsupported("no kernel for this op")
    wanted = keyword_names(kernel.call)
    attrs = [attr for attr in definition.attrs if attr.name in wanted]
    return _Interface(
        kernel,
        tuple([attr.name for attr in attrs]),
        tuple([attr.name for attr in attrs if attr.kind.name.endswith("array of symbol")]),
        "attributes" in wanted,
        "values" in wanted,
        "semantics" in wanted,
        wanted.intersection(output.name for output in definition.outputs),
    )


def _chosen(stage: Callable[..., Any], dtypes: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Return the function of an elementwise op for the types of its operands."""
    return stage(*dtypes, **keywords) if keywords else _chosen_by_types(stage, dtypes)


@cache
def _chosen_by_types(stage: Callable[..., Any], dtypes: tuple[Any, ...]) -> Any:
    return stage(*dtypes)


def _identity(type: Type) -> Type:
    return type


def _dtype(type: Type) -> Any:
    """Return the NumPy type of a tensor's elements."""
    if not isinstance(type, TensorType):
        raise Unsupported(f"expected a tensor operand, got {type}")
    return numpy_dtype(type.element_type)


def operand_groups(op: Operation, definition: OpDef) -> tuple[int | None, ...]:
    """Return how the operands of an op are divided among those of its definition.

    Args:
        op: The op.
        definition: The definition of the op.

    Returns:
        For each operand of the definition: None for a single one, the size of a variadic one, -1 for an
        optional one that is absent.
    """
    if len(op.operands) == len(definition.operands) and not any(o.variadic for o in definition.operands):
        return (None,) * len(op.operands)
    sizes = [len(part) for part in groups(op, "operand", op.operands, definition.operands)]
    return tuple(
        [
            size if operand.variadic else None if size else -1
            for operand, size in zip(definition.operands, sizes, strict=True)
        ]
    )


def _lift(op: Operation, call: _KernelCall, definition: OpDef) -> None:
    """Make a kernel run on arrays in place of 0-dimensional operands; raise Unsupported if it cannot."""
    kernel = call.kernel
    if kernel.elementwise or kernel.lifted is kernel.call:
        return
    if kernel.lifted is not None:
        call.kernel = Kernel(op.name, kernel.lifted)
        return
    scalars = all(isinstance(v.type, TensorType) and v.type.rank == 0 for v in (*op.operands, *op.results))
    if "moves_data" in definition.traits and len(op.operands) == 1 and scalars:
        call.chosen = lambda operand: operand
        return
    raise Unsupported("not supported in a region on elements")


def _row_reduction(op: Operation, call: _KernelCall) -> Callable[..., Any] | None:
    """Return a reduction of one array along its last dimension by a ufunc, as a function on matrices."""
    rows = call.kernel.rows
    if rows is None or len(op.operands) != 2:
        return None
    (body,) = call.functions
    operand, result = op.operands[0].type, op.results[0].type
    assert isinstance(operand, TensorType) and isinstance(result, TensorType)
    if operand.element_type is not result.element_type or call.keywords["dimensions"] != (operand.rank - 1,):
        return None
    return rows(body.ufunc, numpy_dtype(result.element_type))
