"""An op bound to its kernel: attributes become keywords, operands are grouped, regions are compiled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from math import prod
from typing import Any

import numpy as np

from stablehlo_py.diagnostics.diagnostic import Unsupported
from stablehlo_py.interpreter.flows import flows_of, owning_loop
from stablehlo_py.interpreter.function import Closure, CompiledFunction
from stablehlo_py.interpreter.plan import Flow, Step
from stablehlo_py.ir.attributes import DenseResourceAttr, StructAttr
from stablehlo_py.ir.core import Module, Operation, OpResult, Region, Value
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import TensorType, Type
from stablehlo_py.kernels.grid.mesh import MESH_AXES, SHARDINGS, mesh_groups, spreads
from stablehlo_py.kernels.quantized import expressed, is_per_tensor, is_quantized, on_numbers
from stablehlo_py.kernels.registry import Kernel, find_kernel
from stablehlo_py.kernels.specialized import prepare
from stablehlo_py.notation.scope import attribute_value
from stablehlo_py.opset.attribute_conversion import python_value
from stablehlo_py.opset.definition import Attr, OpDef, has_trait
from stablehlo_py.opset.op_inputs import groups

SCALAR_VIEWS = frozenset(
    {"stablehlo.reshape", "stablehlo.broadcast_in_dim", "stablehlo.transpose", "stablehlo.broadcast"}
)
SCALAR_KERNELS = frozenset({"stablehlo.bitcast_convert"})  # do the same to each element, where shapes agree

# Besides elementwise ops, those that compute on the numbers that quantized elements stand for.
COMPUTES = frozenset(
    {
        "stablehlo.batch_norm_grad",
        "stablehlo.batch_norm_inference",
        "stablehlo.batch_norm_training",
        "stablehlo.cholesky",
        "stablehlo.convolution",
        "stablehlo.dot",
        "stablehlo.dot_general",
        "stablehlo.dynamic_conv",
        "stablehlo.dynamic_iota",
        "stablehlo.iota",
        "stablehlo.triangular_solve",
    }
)


@dataclass(frozen=True, slots=True)
class BoundBody:
    """A compiled region: the outer slots it captures, the inputs it must own, where its outputs come from."""

    function: CompiledFunction
    captures: tuple[int, ...]
    writes: frozenset[int]
    flows: tuple[Flow, ...]


CompileBody = Callable[[Region, bool, bool], BoundBody]  # region, on elements, may own what it carries


@dataclass(slots=True)
class BoundKernel:
    """A kernel with all that it needs but operands."""

    kernel: Kernel
    operands: int
    groups: tuple[int | None, ...]  # None: one operand; otherwise the size of a variadic one (-1: absent)
    keywords: dict[str, Any]
    bodies: dict[str, BoundBody | tuple[BoundBody, ...]]
    packed: bool
    types: Sequence[Type]  # of operands; none where they are not to be relied on
    call: Callable[..., Any] | None = field(default=None)

    @property
    def captures(self) -> list[tuple[int, ...]]:
        """The slots that each body captures."""
        return [body.captures for body in self.all_bodies]

    @property
    def all_bodies(self) -> list[BoundBody]:
        """The bodies, one after the other."""
        found = self.bodies.values()
        return [b for body in found for b in (body if isinstance(body, tuple) else (body,))]

    def step(self, op: Operation, ins: tuple[int, ...]) -> Step:
        """The step that calls the kernel."""
        kernel = self.kernel
        step = Step(
            op.name, self.call or self.bound_call(), ins, (), op, kernel.elementwise, view=kernel.view
        )
        step.packed = self.packed
        if kernel.overwrites:
            step.overwritable = self._positions(kernel.overwrites)
            self.keywords["overwrite"] = True
            step.in_place = self.bound_call()
        if self.bodies:
            step.flows = flows_of(op, self)
            step.owns = owning_loop(op, self)
            step.rows = _row_reduction(op, self)
        return step

    def bound_call(self) -> Callable[..., Any]:
        """The kernel as a function of all operands and captured values, in order."""
        function, keywords = self.kernel.call, dict(self.keywords)
        if any(self.captures):
            return _with_captures(function, keywords, self)
        for name, body in self.bodies.items():
            keywords[name] = tuple(b.function for b in body) if isinstance(body, tuple) else body.function
        prepared = prepare(self.kernel.name, self.types, keywords) if self.types else None
        if prepared is not None:
            return prepared
        bound = partial(function, **keywords) if keywords else function
        return bound if all(g is None for g in self.groups) else partial(_grouped, bound, self.groups)

    def _positions(self, operand: str) -> tuple[int, ...]:
        """The positions of an operand of the definition among the operands of the op."""
        at = 0
        code = self.kernel.call.__code__
        for name, group in zip(code.co_varnames[: code.co_argcount], self.groups, strict=True):
            size = 1 if group is None else max(group, 0)
            if name == operand:
                return tuple(range(at, at + size))
            at += size
        raise TypeError(f"{self.kernel.name} has no operand {operand}")


def _grouped(function: Callable[..., Any], groups: tuple[int | None, ...], *arrays: Any) -> Any:
    """Calls a kernel with its variadic operands as tuples and its absent ones as None."""
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


def _with_captures(
    function: Callable[..., Any], keywords: dict[str, Any], bound: BoundKernel
) -> Callable[..., Any]:
    """A kernel call whose last arguments are what the bodies capture."""
    operands, groups, bodies = bound.operands, bound.groups, bound.bodies

    def call(*arrays: Any) -> Any:
        at = operands
        closures: dict[str, Any] = {}
        for name, body in bodies.items():
            made = []
            for one in body if isinstance(body, tuple) else (body,):
                made.append(Closure(one.function, arrays[at : at + len(one.captures)]))
                at += len(one.captures)
            closures[name] = tuple(made) if isinstance(body, tuple) else made[0]
        return _grouped(partial(function, **keywords, **closures), groups, *arrays[:operands])

    return call


def bind(op: Operation, definition: OpDef, module: Module, compile_body: CompileBody) -> BoundKernel:
    """The kernel of an op with everything that the program states. Raises Unsupported if there is none."""
    needs = _needs(definition)
    kernel = needs.kernel
    operands, results = [v.type for v in op.operands], [v.type for v in op.results]
    numbers = _computes_on_numbers(kernel, [*operands, *results])
    type_of = expressed if numbers else _itself
    keywords = _attributes(op, definition, needs, module)
    if needs.outputs:
        keywords |= _outputs(op, definition, needs, type_of)
    bodies = _bodies(op, definition, needs, compile_body) if needs.bodies else {}
    known = () if numbers else operands
    grouped = operand_groups(op, definition)
    bound = BoundKernel(kernel, len(operands), grouped, keywords, bodies, needs.packed, known)
    if kernel.elementwise:
        bound.call = _chosen(kernel.call, tuple([_dtype(type_of(t)) for t in operands]), keywords)
    if numbers:
        bound.call = on_numbers(bound.call or bound.bound_call(), operands, results, needs.packed)
        if not all(is_per_tensor(t) for t in (*operands, *results) if is_quantized(t)):
            bound.kernel = Kernel(op.name, kernel.call)  # scales differ from place to place
    return bound


@dataclass(frozen=True, slots=True)
class _Needs:
    """What the kernel of an op wants to be told, by the definition: names of keywords, and attributes."""

    kernel: Kernel
    attrs: tuple[Attr, ...]
    every_attribute: bool
    outputs: frozenset[str]
    bodies: frozenset[str]
    packed: bool


@cache
def _needs(definition: OpDef) -> _Needs:
    """What to bind of the ops of a definition. Raises Unsupported if they have no kernel."""
    kernel = find_kernel(definition.name)
    if kernel is None:
        raise Unsupported("there is no kernel for this op")
    wanted = _keyword_names(kernel.call)
    return _Needs(
        kernel,
        tuple(attr for attr in definition.attrs if attr.name in wanted),
        "attributes" in wanted,
        wanted.intersection(output.name for output in definition.outputs),
        wanted.intersection(body.name for body in definition.bodies),
        len(definition.outputs) != 1 or any(output.variadic for output in definition.outputs),
    )


def _chosen(stage: Callable[..., Any], dtypes: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """The function of an elementwise op for the types of its operands."""
    return stage(*dtypes, **keywords) if keywords else _chosen_by_types(stage, dtypes)


@cache
def _chosen_by_types(stage: Callable[..., Any], dtypes: tuple[Any, ...]) -> Any:
    return stage(*dtypes)


def _computes_on_numbers(kernel: Kernel, types: list[Type]) -> bool:
    """Whether an op has quantized operands or results and computes on what they stand for."""
    if not any(map(is_quantized, types)):
        return False
    if kernel.name == "stablehlo.select":
        return len({type for type in types if is_quantized(type)}) > 1
    return kernel.elementwise or kernel.name in COMPUTES


def _itself(type: Type) -> Type:
    return type


def _dtype(type: Type) -> Any:
    """The NumPy type of a tensor's elements."""
    if not isinstance(type, TensorType):
        raise Unsupported(f"works on tensors, not on {type}")
    return numpy_dtype(type.element_type)


def _keyword_names(function: Callable[..., Any]) -> frozenset[str]:
    """The names of a function's keyword-only parameters."""
    code = getattr(function, "__code__", None)
    if code is None:
        return frozenset()
    return frozenset(code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount])


def operand_groups(op: Operation, definition: OpDef) -> tuple[int | None, ...]:
    """How the operands of an op are shared out among those of its definition.

    None for a single one, the number of a variadic one, -1 for an optional one that is absent.
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


def _attributes(op: Operation, definition: OpDef, needs: _Needs, module: Module) -> dict[str, Any]:
    found = {attr.name: attribute_value(op, definition, attr) for attr in needs.attrs}
    if needs.every_attribute:
        stored = (op.properties | op.attributes).items()
        found["attributes"] = {name: python_value(value) for name, value in stored}
        if op.name == "stablehlo.custom_call":
            found["attributes"]["operand_shardings"] = tuple([_sharding(value) for value in op.operands])
    for name, value in found.items():
        if isinstance(value, DenseResourceAttr):
            found[name] = resource_elements(value, module)
        elif isinstance(value, StructAttr) and value.name == MESH_AXES:
            found[name] = mesh_groups(value, module)
        elif isinstance(value, StructAttr) and value.name == SHARDINGS:
            found[name] = spreads(value, module)
    return found


def _sharding(value: Value) -> Any:
    """The sharding that the op states which gives a value."""
    return value.op.plain("mhlo.sharding") if isinstance(value, OpResult) else None


def resource_elements(attribute: DenseResourceAttr, module: Module) -> Any:
    """The elements of a resource, of the attribute's type. Raises Unsupported if it is missing."""
    if attribute.key not in module.resources or not isinstance(attribute.type, TensorType):
        if attribute.is_elided:
            raise Unsupported("the elements of this constant were left out when the program was printed")
        raise Unsupported(f"the module has no resource {attribute.key}")
    shape: Any = attribute.type.shape
    dtype = numpy_dtype(attribute.type.element_type)
    data = np.frombuffer(module.resources[attribute.key], np.uint8)
    return data[: prod(shape) * dtype.itemsize].view(dtype).reshape(shape)


def _outputs(
    op: Operation, definition: OpDef, needs: _Needs, type_of: Callable[[Type], Type]
) -> dict[str, Any]:
    """The result types that a kernel asks for."""
    found: dict[str, Any] = {}
    parts = groups(op, "result", op.results, definition.outputs)
    for output, part in zip(definition.outputs, parts, strict=True):
        if output.name in needs.outputs:
            types = tuple([type_of(result.type) for result in part])
            found[output.name] = types if output.variadic else types[0]
    return found


def _bodies(
    op: Operation, definition: OpDef, needs: _Needs, compile_body: CompileBody
) -> dict[str, BoundBody | tuple[BoundBody, ...]]:
    found: dict[str, BoundBody | tuple[BoundBody, ...]] = {}
    parts = groups(op, "region", op.regions, definition.bodies)
    for body, part in zip(definition.bodies, parts, strict=True):
        if body.name not in needs.bodies:
            continue
        owned = op.name == "stablehlo.while" and body.name == "body"
        made = [compile_body(region, _on_elements(op, region), owned) for region in part]
        found[body.name] = tuple(made) if body.variadic else made[0]
    return found


def _on_elements(op: Operation, region: Region) -> bool:
    """Whether an op applies a region to elements, so that it may be run on whole arrays of them."""
    arguments = region.blocks[0].arguments if region.blocks else ()
    scalars = all(isinstance(a.type, TensorType) and a.type.rank == 0 for a in arguments)
    return not has_trait(op.name, "runs_bodies") and bool(arguments) and scalars


def lift(op: Operation, bound: BoundKernel) -> None:
    """Makes a kernel run on whole arrays of its 0-dimensional operands. Raises Unsupported if it cannot."""
    from stablehlo_py.kernels.control import LIFTED

    if bound.kernel.elementwise:
        return
    if op.name in LIFTED:
        bound.kernel = Kernel(op.name, LIFTED[op.name])
        return
    scalars = [v.type for v in (*op.operands, *op.results)]
    if op.name in SCALAR_KERNELS:
        return
    if op.name in SCALAR_VIEWS and all(isinstance(t, TensorType) and t.rank == 0 for t in scalars):
        bound.call = lambda operand: operand
        return
    raise Unsupported("is not run inside of a function on elements")


def _row_reduction(op: Operation, bound: BoundKernel) -> Callable[..., Any] | None:
    """The reduction of one array along its last dimension by a ufunc, as a function on matrices."""
    if op.name != "stablehlo.reduce" or len(op.operands) != 2:
        return None
    from stablehlo_py.kernels.reduction import reduction_of_rows

    (body,) = bound.all_bodies
    operand, result = op.operands[0].type, op.results[0].type
    assert isinstance(operand, TensorType) and isinstance(result, TensorType)
    if operand.element_type is not result.element_type or bound.keywords["dimensions"] != (operand.rank - 1,):
        return None
    return reduction_of_rows(body.function.ufunc, numpy_dtype(result.element_type))
