"""A function as one region of the native engine: what is compiled, and where each result comes from.

All of a function has to be native: no step can be a call of NumPy. What is not is reported at once, each op
with its line and the reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

from stablehlo_py.diagnostics.diagnostic import Diagnostic, TransformError
from stablehlo_py.engines.engine import Options
from stablehlo_py.engines.native.passes.empty_arrays import without_empty_arrays
from stablehlo_py.engines.native.passes.pipeline import rewritten
from stablehlo_py.engines.native.region import CONTROL, Region, make_region
from stablehlo_py.engines.numpy.folding import constant_folder
from stablehlo_py.interpreter.lower import ModuleLowering
from stablehlo_py.interpreter.plan import Plan, Step, byte_size
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.signature import Argument, Output, Signature, entry_signature
from stablehlo_py.ir.types import TensorType, Type
from stablehlo_py.library.lapack import routine, with_calls
from stablehlo_py.opset.calls import is_call
from stablehlo_py.opset.definition import family_of

CODE = "build"  # of diagnostics
Space = Literal["input", "output", "constant"]


class Source(NamedTuple):
    """An array that a result is a copy of.

    Attributes:
        space: What it is.
        at: Its position among the inputs or results, or its slot in the plan.
    """

    space: Space
    at: int


class NativeFunction(NamedTuple):
    """A function all of whose steps have loops.

    Attributes:
        signature: Its inputs and results.
        plan: The plan.
        region: All steps; None if there are none.
        inputs: The positions of the region's inputs among those of the function.
        outputs: The positions of the region's outputs among the results.
        copies: The other results, by position, and what they are copies of.
    """

    signature: Signature
    plan: Plan[Step]
    region: Region | None
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    copies: tuple[tuple[int, Source], ...]

    def constant(self, slot: int) -> Any:
        """The array of a slot that holds a constant."""
        return self.plan.constants[slot]


class _Inlining(ModuleLowering):
    """The plans of a module's functions, in which no call is left but recursive ones."""

    def inlines(self, name: str) -> bool:
        return True


def native_function(module: Module, name: str, has_lapack: bool) -> NativeFunction:
    """Lower a function to one region.

    Args:
        module: A valid module.
        name: The name of the function.
        has_lapack: Whether the library is linked with a LAPACK, which it calls.

    Raises:
        TransformError: Its inputs or results are no arrays of static shape, or steps have no native form.
    """
    signature = entry_signature(module, name)
    wrong = _wrong_types(module, signature)
    if wrong:
        raise TransformError(module.name, wrong)
    fold = constant_folder(Options())
    lowering = _Inlining(module, fold)
    plan = without_empty_arrays(lowering[name], lambda step, operands: fold(step, operands, lowering))
    plan = rewritten(plan)
    if has_lapack:
        plan = with_calls(plan)
    wrong = list(dict.fromkeys(_not_native(plan)))
    if wrong:
        raise TransformError(module.name, wrong)
    return _with_sources(signature, plan)


def _with_sources(signature: Signature, plan: Plan[Step]) -> NativeFunction:
    made = {slot for step in plan.steps for slot in step.outs}
    found: dict[int, int] = {}  # positions of the results that steps make
    copies = []
    for position, slot in enumerate(plan.outputs):
        if slot < plan.arity:
            copies.append((position, Source("input", slot)))
        elif slot not in made:
            copies.append((position, Source("constant", slot)))
        elif slot in found:
            copies.append((position, Source("output", found[slot])))
        else:
            found[slot] = position
    region = make_region(plan, plan.steps) if plan.steps else None
    inputs, outputs = (region.inputs, region.outputs) if region else ((), ())
    return NativeFunction(
        signature, plan, region, inputs, tuple([found[slot] for slot in outputs]), tuple(copies)
    )


def _wrong_types(module: Module, signature: Signature) -> list[Diagnostic]:
    """What a C program cannot pass or take."""
    function = module.functions[signature.name]
    line, column = module.position(function)
    found = []
    arrays: list[Argument | Output] = [*signature.inputs, *signature.outputs]
    for each in arrays:
        problem = _problem(each.type)
        if problem:
            found.append(Diagnostic("error", CODE, f"{each}: {problem}", line, column))
    return found


def _problem(type: Type) -> str:
    if not isinstance(type, TensorType):
        return f"{type} is no array, which a C program could pass or take"
    if not type.is_static:
        return f"the shape of {type} is not static: give the sizes with --dim"
    return "" if byte_size(type) is not None else f"no array holds elements of {type}"


def _not_native(plan: Plan[Step], is_body: bool = False) -> Iterator[Diagnostic]:
    """The steps without a native form; of control flow, those in its bodies where there are any.

    Args:
        plan: The plan.
        is_body: Whether it is a body of control flow, whose steps the native engine may leave to NumPy.
    """
    from stablehlo_py.engines.native.lower.registry import is_called, is_lowered

    steps = []
    for step in plan.steps:
        bodies = step.plans if step.name in CONTROL else []
        inner = [each for body in bodies for each in _not_native(body, is_body=True)]
        yield from inner
        if not inner and (is_called(plan, step) if is_body else not is_lowered(plan, step)):
            steps.append(step)
    ops = {id(step.op) for step in steps if step.deferred is None}
    for step in steps:
        if step.deferred is None or id(step.op) not in ops:  # a check of an op that is named itself
            yield from _explained(plan, step)


def _explained(plan: Plan[Step], step: Step) -> list[Diagnostic]:
    """A diagnostic for each op that a step stands for."""
    ops: Sequence[Operation | None] = step.members or (step.op,)
    found = []
    for op in ops:
        line, column = plan.module.position(op) if op is not None else (0, 0)
        found.append(Diagnostic("error", CODE, f"{_name(step, op)}: {_reason(plan, step)}", line, column))
    return found


def _name(step: Step, op: Operation | None) -> str:
    target = step.keywords.get("call_target_name")
    return f"{op.name if op is not None else step.name}{f' @{target}' if target else ''}"


def _reason(plan: Plan[Step], step: Step) -> str:
    """Why a step has no native form."""
    from stablehlo_py.engines.native.support import native_form, reason

    if step.op is not None and is_call(step.op):
        return "a recursive call has no native form"
    of_step = [plan.types[slot] for slot in (*step.ins, *step.outs)]
    if dynamic := [type for type in of_step if isinstance(type, TensorType) and not type.is_static]:
        return f"the shape of {dynamic[0]} is known only when it runs"
    form = native_form(step.name)
    types = ", ".join(str(plan.types[slot]) for slot in step.ins[:3]) + (", ..." if len(step.ins) > 3 else "")
    empty = [type for type in of_step if byte_size(type) == 0]
    if form is not None and empty:
        return f"no native form of arrays without elements, {empty[0]}"
    if form is not None:
        return f"no native form of ({types}) with these attributes; it has {form[0]}, of elements {form[1]}"
    if routine(plan, step) is not None:
        return "a call of LAPACK: name the one that the library is linked with (--lapack)"
    if "call_target_name" in step.keywords:
        return f"a call of code outside of the program, of ({types})"
    family = family_of(step.name)
    why = f": {reason(step.name, family)}" if family is not None else ""
    return f"no native form of ({types}){why}"
