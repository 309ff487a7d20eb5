"""Regions of programs as loops, and their machine code, for tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

import stablehlo_py as shlo
from stablehlo_py.engines.engine import Options
from stablehlo_py.engines.native import jit
from stablehlo_py.engines.native.called_steps import CalledStep, calls
from stablehlo_py.engines.native.library import Library, new_sync
from stablehlo_py.engines.native.llvm.module import ModuleWriter
from stablehlo_py.engines.native.loop_ir.sharing import SharedProgram
from stablehlo_py.engines.native.loop_ir.statements import Program
from stablehlo_py.engines.native.loop_ir.text import text_of
from stablehlo_py.engines.native.loop_ir.verify import verify
from stablehlo_py.engines.native.lower.records import is_lowered
from stablehlo_py.engines.native.lower.region import lower
from stablehlo_py.engines.native.passes.pipeline import rewritten
from stablehlo_py.engines.native.patterns import fill
from stablehlo_py.engines.native.region import Region, make_region
from stablehlo_py.engines.native.runtime import ALIGNMENT
from stablehlo_py.engines.native.schedule.pipeline import scheduled
from stablehlo_py.engines.numpy.prepare import Preparation
from stablehlo_py.engines.program import constant_folder
from stablehlo_py.interpreter.lower import ModuleLowering
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.core import Module
from stablehlo_py.ir.element_types import numpy_dtype
from tests.helpers.agreement import distance
from tests.helpers.loop_interpreter import Interpreter
from tests.helpers.loop_parser import parse

ULPS = 64  # between engines: sums are taken in another order


def plan_of(module: Module, name: str = "main") -> Plan[Step]:
    """The plan of a function, with its constants folded."""
    return ModuleLowering(module, constant_folder(Options()))[name]


def region_of(text: str) -> Region:
    """All steps of the function `@main` of a program."""
    plan = plan_of(shlo.parse(text))
    return make_region(plan, plan.steps)


def largest_region(plan: Plan[Step]) -> Region | None:
    """The steps that have loops and depend on no others."""
    known, taken = {*range(plan.arity), *plan.constants}, []
    for step in plan.steps:
        if is_lowered(plan, step) and known.issuperset(step.ins):
            taken.append(step)
            known.update(step.outs)
    return make_region(plan, taken) if taken else None


def run_code(program: Program, arrays: list[Any], called: Sequence[CalledStep] = ()) -> list[Any]:
    """The outputs of a program as machine code, in memory that is filled with a pattern."""
    writer = ModuleWriter()
    function = writer.program(SharedProgram(program), "main")
    texts = [jit.object_code(text) for text in filter(None, writer.texts())]
    library = Library(texts)
    made = [np.empty(buffer.shape, numpy_dtype(buffer.element)) for buffer in program.in_space("output")]
    taken = [*program.in_space("input"), *program.in_space("constant")]
    dtypes = [numpy_dtype(buffer.element) for buffer in taken]
    inputs = [np.ascontiguousarray(array, dtype) for array, dtype in zip(arrays, dtypes, strict=True)]
    count = len(program.in_space("input"))
    objects, scratch = (
        (*inputs[:count], *made, *inputs[count:]),
        np.empty(function.scratch + ALIGNMENT, np.uint8),
    )
    fill([*made, scratch])
    sync = new_sync(function.tasks)
    first = id(objects) + tuple.__basicsize__
    with calls(called, sync):
        library.enter()(library.address(function.name), first, id(scratch), id(sync), 1)
    return made


def called_by(region: Region) -> list[CalledStep]:
    """The steps that the loops of a region call, by the NumPy engine."""
    prepared = Preparation(region.plan.module, region.plan.functions, Options())
    return [CalledStep(*each, prepared.function_of(*each)) for each in lower(region).called]


def stages_of(region: Region) -> list[tuple[str, Program]]:
    """A region after each stage."""
    program = lower(region).program
    return [("lower", program), *scheduled(program)]


def changing(stages: Sequence[tuple[str, Program]], compiled: bool) -> Iterator[tuple[str, Program]]:
    """The stages that change a program; without the last one, which gives names, if its code is run."""
    before = None
    for name, program in stages:
        if program != before and not (compiled and name == "name"):
            yield name, program
        before = program


def check_stages(region: Region, values: Mapping[int, Any], where: object, compiled: bool = True) -> int:
    """Verify and run a region after each stage.

    Args:
        region: The region.
        values: The arrays of its inputs, and of the outputs to compare, by their slots.
        where: What messages name.
        compiled: Whether it runs as machine code as well, after the last stage.

    Returns:
        The number of compared arrays.
    """
    compared, called = 0, called_by(region)
    stages, arrays = stages_of(region), [*(values[s] for s in region.inputs), *lower(region).constants]
    for name, program in changing(stages, compiled=False):
        findings = [each.message for each in verify(program) if not each.unknown]
        assert not findings, (where, name, findings[0])
        text = text_of(program)
        assert text_of(parse(text)) == text, (where, name)
    interpreter = Interpreter([step.call for step in called])
    runs = [(name, partial(interpreter.run, each, arrays)) for name, each in changing(stages, compiled)]
    _, last = stages[-1]
    runs += [("code", partial(run_code, last, arrays, called))] if compiled else []
    for name, run in runs:
        for buffer, array in zip(last.in_space("output"), run(), strict=True):
            slot = int(buffer.name[1:])
            if slot in values:
                assert_same(array, values[slot], (where, name, buffer.name))
                compared += 1
    return compared


def check_text(
    text: str, inputs: Sequence[Any], wanted: Sequence[Any], rtol: float = 0
) -> dict[str, Program]:
    """Verify and run a program after each stage, then as machine code.

    Args:
        text: The program.
        inputs: Its arguments.
        wanted: Its results.
        rtol: How far its results may be from these.

    Returns:
        The loops after each stage, by its name.
    """
    region = region_of(text)
    given, stages = [*inputs, *lower(region).constants], dict(stages_of(region))
    for name, program in changing([*stages.items()], compiled=False):
        assert not verify(program), name
    runs = [(name, Interpreter().run(each, given)) for name, each in changing([*stages.items()], True)]
    for name, results in [*runs, ("code", run_code(stages["name"], given))]:
        for found, expected in zip(results, wanted, strict=True):
            np.testing.assert_allclose(found, expected, rtol, err_msg=name)
    return stages


def check_module(module: Module, name: str, arguments: Sequence[Any], compiled: bool = True) -> int:
    """Run a function as loops, as it is and after the passes; gives the number of compared values."""
    plan = plan_of(module, name)
    if not plan.steps:
        plan = ModuleLowering(module, lambda step, operands, functions: None)[name]  # constants too
    results = shlo.run(module, arguments, entry=name, engine="numpy")
    compared, where, after = 0, shlo.format(module), rewritten(plan)
    for steps in (plan,) if after is plan else (plan, after):
        others = {step.name for step in steps.steps if not is_lowered(steps, step)}
        if others or not steps.steps:
            continue
        values = dict(zip(steps.outputs, results, strict=True)) | dict(enumerate(arguments))
        compared += check_stages(make_region(steps, steps.steps), values, where, compiled)
    return compared


def assert_same(found: Any, wanted: Any, where: object) -> None:
    """Compare two arrays: bits of integers, and floats within some units in the last place."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    if wanted.dtype.kind in "iub":
        np.testing.assert_array_equal(found, wanted, str(where))
    else:
        assert distance(found, wanted) <= ULPS or _near(found, wanted), where


def _near(found: Any, wanted: Any) -> bool:
    """Sums of terms that cancel: near beside the terms, which are at most some thousands."""
    with np.errstate(all="ignore"):
        pair = [np.asarray(each, np.complex128) for each in (found, wanted)]
    return bool(
        np.allclose(*pair, rtol=2e-2 if wanted.dtype.itemsize < 4 else 1e-4, atol=1e-3, equal_nan=True)
    )
