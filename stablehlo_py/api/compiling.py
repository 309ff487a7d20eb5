"""The public function `compile`, of programs for one device and of those that are divided over a mesh."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

from stablehlo_py.diagnostics.diagnostic import TransformError
from stablehlo_py.ir.core import Module

if TYPE_CHECKING:
    from stablehlo_py.api.divided import DividedProgram
    from stablehlo_py.engines.engine import Engine, Semantics
    from stablehlo_py.engines.program import Program
    from stablehlo_py.interpreter.observer import Observer
    from stablehlo_py.sharding.division.divide import Division


@overload
def compile(
    module: Module | Any,
    entry: str | None = None,
    engine: str | Engine = "auto",
    *,
    max_steps: int | None = None,
    timeout: float | None = None,
    replicas: int | None = None,
    partitions: int | None = None,
    observer: Observer | None = None,
    semantics: Semantics = "specification",
    partition: Literal[False] = False,
) -> Program: ...


@overload
def compile(
    module: Module | Any,
    entry: str | None = None,
    engine: str | Engine = "auto",
    *,
    max_steps: int | None = None,
    timeout: float | None = None,
    semantics: Semantics = "specification",
    partition: Literal[True],
) -> DividedProgram: ...


def compile(
    module: Module | Any,
    entry: str | None = None,
    engine: str | Engine = "auto",
    *,
    max_steps: int | None = None,
    timeout: float | None = None,
    replicas: int | None = None,
    partitions: int | None = None,
    observer: Observer | None = None,
    semantics: Semantics = "specification",
    partition: bool = False,
) -> Program | DividedProgram:
    """Compile a function of a module, to run it any number of times.

    Args:
        module: The module, which should be valid, or another source that `parse` takes.
        entry: The name of the function. By default `main`, or the only function, or all functions if they
            contain their own checks.
        engine: The name of the engine ("numpy", or "auto" for the best one installed), or an object with the
            methods of `stablehlo_py.engines.engine.PlanEngine` or `ModuleEngine`.
        max_steps: The maximum number of ops that a run may execute. By default unlimited.
        timeout: The maximum duration of a run, in seconds. By default unlimited.
        replicas: The number of replicas of the process grid. By default that of the module.
        partitions: The number of partitions of the process grid. By default that of the module.
        observer: Called for every op that runs (see `Observer`).
        semantics: Whose results an op gives where the specification and XLA differ by design, such as of a
            scatter window that is partly out of bounds: "specification" or "xla".
        partition: Whether to divide the module over its mesh: all devices run `divided`, on their shards.

    Returns:
        The program: `program(*inputs)` returns the list of results.

    Raises:
        ParseError: If a source is not a program.
        TransformError: If the module is invalid, or cannot be divided, with `partition`.
        RunError: If there is no such function.
        Unsupported: If it contains an op that the engine does not implement.
        ValueError: If the engine is unknown or not installed, or a grid is given with `partition`.

    Example:
        results = shlo.compile(module)(np.ones((2, 3), np.float32))
    """
    from stablehlo_py.api import parse
    from stablehlo_py.engines.program import compile_program

    whole = parse(module)
    local, division = _partitioned(whole, replicas or partitions, engine) if partition else (whole, None)
    program = compile_program(
        local,
        entry,
        engine=engine,
        max_steps=max_steps,
        timeout=timeout,
        replicas=replicas,
        partitions=partitions,
        observer=observer,
        semantics=semantics,
    )
    return program if division is None else _divided(whole, program, division)


def _partitioned(module: Module, grid: int | None, engine: str | Engine) -> tuple[Module, Division]:
    """Divide a module; its collectives are asynchronous where an engine runs its plan on several ranks."""
    from stablehlo_py.engines.registry import find_engine
    from stablehlo_py.transforms.pass_manager import run_passes
    from stablehlo_py.transforms.passes.partition import partitioned

    if grid is not None:
        raise ValueError("partition=True divides a program over its mesh: give no replicas or partitions")
    check_valid(module)
    local, division = partitioned(module)
    runs = find_engine(engine)
    if runs.takes == "plan" and getattr(runs, "spans_processes", False):
        local = run_passes(local, ["async-collectives"], verify_each=False)
    return local, division


def check_valid(module: Module) -> None:
    """Raise TransformError if a module is invalid."""
    from stablehlo_py.verifier.verifier import verify_module

    invalid = [d for d in verify_module(module) if d.severity == "error"]
    if invalid:
        raise TransformError(module.name, invalid)


def _divided(whole: Module, program: Program, division: Division) -> DividedProgram:
    from stablehlo_py.api.divided import DividedProgram

    return DividedProgram(whole, program, division)
