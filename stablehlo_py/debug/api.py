"""The public functions of this folder, which import their dependencies on the first call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stablehlo_py.ir.core import Module

if TYPE_CHECKING:
    from stablehlo_py.debug.blame.search import Blame
    from stablehlo_py.debug.compare.findings import Comparison
    from stablehlo_py.debug.compare_arrays import Tolerance
    from stablehlo_py.debug.extract import Extract
    from stablehlo_py.debug.fuzz.report import Report
    from stablehlo_py.debug.generate.programs import Request
    from stablehlo_py.debug.observers.ranges import ValueRange
    from stablehlo_py.debug.reduce.candidate import Candidate
    from stablehlo_py.debug.reduce.checks import Check
    from stablehlo_py.debug.reduce.reducer import Reduction
    from stablehlo_py.engines.engine import Engine


def compare(
    module: Module,
    other: Module | None = None,
    inputs: Sequence[Any] | Mapping[Any, Any] = (),
    entry: str | None = None,
    *,
    engine: str | Engine | None = None,
    against: str | PathLike[str] | None = None,
    tolerance: Tolerance | None = None,
    floor: float = 0.0,
    top: int = 5,
    until: str | None = None,
    seed: int = 0,
) -> Comparison:
    """Find the first op whose own results differ in another run.

    The program is run in step with the other run; each op gets the operands of the other run, so that an op
    is reported for its own error, not for the errors of its operands. Exactly one of `other`, `engine` and
    `against` is given.

    Args:
        module: A valid program.
        other: Another valid program, whose ops are matched by structure, names and locations.
        inputs: The inputs of both runs, in order, or by argument name; the same for all processes of a grid,
            or a mapping from process ids (replica, partition) to them.
        entry: The name of the function, as for `compile`.
        engine: The engine of the other run, which is compared with the NumPy engine.
        against: Files with the intermediates of another backend (see `shlo compare --help`).
        tolerance: The tolerance of each value. By default as in `shlo run --check-against`.
        floor: A share of the largest result, up to which errors of any value are accepted, such as the
            rounding errors of a gradient that is mathematically zero.
        top: The number of other ops to report, the largest errors first.
        until: The last op to compare: the name of a result, such as `%3`, or a line number.
        seed: The seed of `rng` ops.

    Returns:
        The comparison: `ok`, the `first` op whose error is not explained by its operands, and `others`.

    Raises:
        RunError: If the inputs do not match, or the program fails.
        ValueError: If there is no such engine or op, or not exactly one run to compare with.

    Example:
        found = shlo.compare(module, optimized, inputs)
        if not found.ok:
            print(found.first.line, found.first.op, found.first.details)
    """
    from stablehlo_py.debug.compare.driver import Comparer
    from stablehlo_py.debug.selection import named_by

    if sum(each is not None for each in (other, engine, against)) != 1:
        raise ValueError("give one of other, engine and against")
    last = named_by(module, until) if until is not None else lambda op: False
    comparer = Comparer(
        module, inputs, entry, tolerance=tolerance, floor=floor, top=top, until=last, seed=seed
    )
    if other is not None:
        return comparer.with_program(other)
    return comparer.with_engines(engine) if engine is not None else comparer.with_files(Path(str(against)))


def blame(
    folder: str | PathLike[str],
    inputs: Sequence[Any] | Mapping[str, Any] = (),
    program: Module | None = None,
    *,
    module: str | None = None,
    engine: str | Engine = "numpy",
    tolerance: float | None = None,
    every: bool | None = None,
    seed: int = 0,
    against: Sequence[Any] | None = None,
) -> Blame:
    """Find the pass of XLA that broke a result, by running the dump of the module after each pass.

    Integers differ if they are not equal. Floats differ if the error is above 1e-3 of the largest magnitude
    of the result (3e-2 if the program has types narrower than f32, 1e-6 if it has f64 only), unless a change
    of the inputs in the last place changes the result of the first program as much.

    Args:
        folder: The folder of `--xla_dump_to`, with dumps of all passes (`--xla_dump_hlo_pass_re=.*`).
        inputs: The inputs of the program, in order, or by argument name.
        program: The StableHLO program whose results are right; by default the first dump.
        module: The module, by a part of the names of its dumps. By default the largest that takes the inputs.
        engine: The engine that runs the dumps.
        tolerance: The tolerance of floats, relative to the largest magnitude of a result.
        every: Run all dumps in order, rather than bisect them; by default if their texts are small. Bisection
            finds a wrong dump that follows a right one, if the last one is wrong.
        seed: The seed of `rng` ops.
        against: The backend's own results, in order. If no dump is wrong, the results that differ are in
            `backend`: then the fault is in code generation, after the passes.

    Returns:
        The `file`, None if no result differs; its pass (`pass_name`, `pipeline`); the first wrong
        `instruction`, its `source` line and a `reproducer`, whose `write` makes files; the `changes` near it;
        the `comparison` with the right dump `before` it.

    Raises:
        RunError: If the folder has no dumps, or no module takes the inputs.
        ParseError: If the first dump is not valid.

    Example:
        found = shlo.blame("dumps", [x])
        print(found.file, found.pass_name, found.instruction, found.source)
    """
    from stablehlo_py.debug.blame.search import search

    options = {
        "engine": engine, "tolerance": tolerance, "every": every, "seed": seed, "against": against
    }  # fmt: skip
    return search(Path(folder), inputs, program, module, **options)


def extract(
    module: Module,
    *,
    op: str | None = None,
    line: int | None = None,
    location: str | None = None,
    function: str | None = None,
    between: tuple[str, str] | None = None,
    depends_on: str | None = None,
    inputs: Sequence[Any] | Mapping[str, Any] | None = None,
    entry: str | None = None,
    iteration: tuple[int, ...] | None = None,
) -> Extract:
    """Make a program of a part of a program. Exactly one of the first six options is given.

    Args:
        module: A valid program.
        op: The name of a result of the op, such as `%3`.
        line: The line of the op.
        location: The source line that created the ops, such as `model.py:31`.
        function: The name of a function, whose body is taken.
        between: Two values: the ops on the paths from the first to the second.
        depends_on: A value, or the number of a result of the entry function: all that it depends on.
        inputs: The inputs of the program; if given, it is run, and the inputs of the part are captured.
        entry: The name of the entry function, as for `compile`.
        iteration: For a loop: its body, as of an iteration from 0. For an op in loops: the iteration of each,
            the outermost first, whose values are captured; by default the first.

    Returns:
        The part: its `module`, and its captured `inputs` by name.

    Raises:
        RunError: If the run fails, or does not get to the part.
        ValueError: If there is no such part, or not exactly one is asked for.

    Example:
        part = shlo.extract(module, op="%12", inputs=inputs)
        shlo.run(part.module, part.inputs)
    """
    from stablehlo_py.debug.extract import Choice, extract_part

    choice = Choice(op, line, location, function, between, depends_on)
    return extract_part(module, choice.part(module, entry, iteration), inputs, entry, iteration)


def ranges(
    module: Module,
    sets: Sequence[Sequence[Any] | Mapping[str, Any]],
    entry: str | None = None,
    *,
    seed: int = 0,
) -> list[ValueRange]:
    """Return the ranges of all values over several sets of inputs, as calibration needs them.

    Args:
        module: A valid program.
        sets: The sets of inputs, each as for `run`.
        entry: The name of the function, as for `compile`.
        seed: The seed of `rng` ops.

    Returns:
        The ranges of the arguments and of the results of all ops but constants: minimum, maximum, smallest
        magnitude, zeros, NaNs, a histogram of exponents, and what narrow types do not hold.

    Raises:
        RunError: If the inputs do not match, or the program fails.

    Example:
        for found in shlo.ranges(module, [first, second]):
            print(found.line, found.value, found.max, found.fits["f16"].over)
    """
    from stablehlo_py.debug.observers.ranges import ranges_of

    return ranges_of(module, sets, entry, seed)


def reduce(
    module: Module,
    check: Check,
    inputs: Sequence[Any] | Mapping[str, Any] | None = None,
    entry: str | None = None,
    *,
    jobs: int = 1,
    journal: str | PathLike[str] | None = None,
    say: Callable[[str], None] = lambda text: None,
    keep: Callable[[Candidate], None] = lambda candidate: None,
    finite: bool = True,
) -> Reduction:
    """Shrink a program while a check says that it is interesting.

    Args:
        module: The program.
        check: One of `stablehlo_py.debug.reduce.checks`: `Command`, `Differs`, `crashes`, `matches`; or an
            object with their methods.
        inputs: The inputs of the program; random ones by default. Values of dropped ops become inputs.
        entry: The name of the entry function, as for `compile`.
        jobs: The number of programs that are checked at the same time.
        journal: A file of verdicts, with which an interrupted reduction resumes.
        say: Called with each step, in words.
        keep: Called with each smaller program.
        finite: Keep inputs finite if all inputs of the program are finite. Otherwise, the NaN or infinity
            under investigation may become an input.

    Returns:
        The reduction: the smallest `candidate` (its `module` and `inputs`), and the `steps`.

    Raises:
        NotInteresting: If the check does not hold for the program; it is a StablehloError.
        RunError: If the inputs do not match.

    Example:
        found = shlo.reduce(module, Differs("numpy", "native"), inputs)
        print(found.candidate.text)
    """
    from stablehlo_py.debug.reduce.candidate import candidate_of
    from stablehlo_py.debug.reduce.reducer import Reducer
    from stablehlo_py.interpreter.entry import entries

    ((where, name),) = entries(module, entry)[:1]
    reducer = Reducer(check, jobs, None if journal is None else Path(journal), say, keep, finite)
    return reducer.run(candidate_of(where, inputs, name))


def fuzz(
    engine: str, other: str = "numpy", *, count: int = 100, seed: int = 0, request: Request | None = None
) -> Report:
    """Draw random programs, run them on two engines, and report differences, grouped by op and cause.

    A program whose results differ, or that fails, is reduced to the ops that matter. Each engine runs in a
    process of its own.

    Args:
        engine: The name of an engine.
        other: The name of the engine to compare with.
        count: The number of programs.
        seed: The seed of the programs.
        request: The kinds of programs; by default as by `shlo fuzz`.

    Returns:
        The report: `groups` of programs that go wrong in the same way, each with its smallest `program`.

    Raises:
        ValueError: If there is no such engine.

    Example:
        print(shlo.fuzz("native", count=1000).to_markdown())
    """
    from stablehlo_py.debug.fuzz.fuzz import fuzz as draw
    from stablehlo_py.debug.fuzz.report import Report
    from stablehlo_py.debug.generate.programs import Request

    report = Report((other, engine), seed, request or Request())
    for _ in draw(report, count):
        pass
    return report
