"""Checks of whether a program is still interesting: a command, or what engines make of it."""

from __future__ import annotations

import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

from stablehlo_py.debug.compare.driver import REFERENCE, Comparer
from stablehlo_py.debug.compare.sources import Event
from stablehlo_py.debug.compare.stepwise import Stepwise
from stablehlo_py.debug.compare_arrays import Tolerance, compare_arrays
from stablehlo_py.debug.reduce.candidate import MAIN, Candidate
from stablehlo_py.debug.subprograms import subprogram
from stablehlo_py.diagnostics.diagnostic import InternalError, StablehloError
from stablehlo_py.engines.engine import Engine
from stablehlo_py.engines.program import compile_program
from stablehlo_py.engines.registry import find_engine
from stablehlo_py.interpreter.arrays import save_arrays
from stablehlo_py.ir.core import Module

PROGRAM, INPUTS = "{}", "{inputs}"


class Check(Protocol):
    """A check of candidates.

    Attributes:
        name: What is checked, for the report and the journal.
    """

    @property
    def name(self) -> str:
        """What is checked."""

    def __call__(self, candidate: Candidate) -> bool:
        """Return True if a candidate is interesting."""

    def suspect(self, candidate: Candidate) -> Candidate | None:
        """Return the op that makes a candidate interesting, with its operands, if it is cheap to find."""


class Command:
    """A command whose exit status is 0 for an interesting program.

    Args:
        command: The command line; `{}` stands for the file of the program, `{inputs}` for a `.npz` file.
        timeout: Seconds, after which a run counts as not interesting.
        text: If given, the program is interesting if the output has this text, whatever the exit status.
        crash: Whether the program is interesting if the command is killed by a signal.
    """

    def __init__(
        self, command: str, timeout: float = 60.0, text: str | None = None, crash: bool = False
    ) -> None:
        self._words = shlex.split(command)
        if not any(PROGRAM in word for word in self._words):
            raise ValueError(f"the command has no {PROGRAM}, which stands for the file of the program")
        self.name = command
        self._timeout = timeout
        self._text = text
        self._crash = crash

    def __call__(self, candidate: Candidate) -> bool:
        """Run the command."""
        with tempfile.TemporaryDirectory(prefix="shlo-reduce-") as folder:
            path, inputs = Path(folder) / "program.mlir", Path(folder) / "inputs.npz"
            path.write_bytes(candidate.text.encode("utf-8", "surrogateescape"))
            if any(INPUTS in word for word in self._words):
                save_arrays(inputs, {k: v for k, v in candidate.named_inputs.items() if hasattr(v, "dtype")})
            words = [word.replace(INPUTS, str(inputs)).replace(PROGRAM, str(path)) for word in self._words]
            try:
                done = subprocess.run(
                    words, capture_output=True, timeout=self._timeout, check=False, stdin=subprocess.DEVNULL
                )
            except subprocess.TimeoutExpired:
                return False
        if self._text is not None:
            return self._text.encode() in done.stdout + done.stderr
        if self._crash:
            return done.returncode < 0 or b"internal error" in done.stderr
        return done.returncode == 0

    def suspect(self, candidate: Candidate) -> Candidate | None:
        """Return None: a command tells nothing but yes and no."""
        return None


def crashes(engine: str, timeout: float, options: Sequence[str]) -> Command:
    """Return the check of whether running a program on an engine ends by a signal or an internal error.

    Args:
        engine: The name of the engine.
        timeout: Seconds, after which a run counts as not interesting.
        options: Further options of `shlo run`.
    """
    return Command(_run_command(engine, options), timeout, crash=True)


def matches(text: str, engine: str, timeout: float = 60.0, options: Sequence[str] = ()) -> Command:
    """Return the check of whether the output of `shlo run` contains a text; see `crashes`."""
    return Command(_run_command(engine, options), timeout, text=text)


def _run_command(engine: str, options: Sequence[str]) -> str:
    words = [sys.executable, "-m", "stablehlo_py", "run", PROGRAM, "--input", INPUTS, "--engine", engine]
    return shlex.join([*words, *options])


class Differs:
    """Whether the results of two engines differ by more than a tolerance.

    Args:
        first: An engine, or its name.
        second: Another one.
        tolerance: The tolerance of each result.
        timeout: Seconds, after which a run counts as failed: an edit may make a loop endless. Less once the
            time of an interesting program is known.
    """

    def __init__(
        self,
        first: str | Engine,
        second: str | Engine,
        tolerance: Tolerance | None = None,
        timeout: float = 60.0,
    ) -> None:
        self._engines = (first, second)
        self._tolerance = tolerance or Tolerance()
        self._timeout = timeout
        default, given = Tolerance(), asdict(self._tolerance)
        limits = "".join([f", {name} {x:g}" for name, x in given.items() if x != getattr(default, name)])
        self.name = f"differs: {find_engine(first).name}, {find_engine(second).name}{limits}"

    def __call__(self, candidate: Candidate) -> bool:
        """Run a candidate on both engines; a program that fails on either is not interesting."""
        start = monotonic()
        differs = self._differs(candidate)
        if differs:
            self._timeout = min(self._timeout, 1.0 + 5 * (monotonic() - start))
        return differs

    def _differs(self, candidate: Candidate) -> bool:
        found: list[list[Any]] = []
        for engine in self._engines:
            try:
                program = compile_program(candidate.module, MAIN, engine=engine, timeout=self._timeout)
                found.append(program.call(candidate.inputs))
            except InternalError:
                raise
            except StablehloError:
                return False
        pairs = [(a, b) for a, b in zip(*found, strict=True) if hasattr(a, "dtype")]
        return any(not compare_arrays(a, b, self._tolerance).ok for a, b in pairs)

    def suspect(self, candidate: Candidate) -> Candidate | None:
        """Return the first op whose own error is out of tolerance, with its operands there."""
        engine = next((each for each in self._engines if find_engine(each).name != REFERENCE), None)
        if engine is None:
            return None
        comparer = Comparer(candidate.module, candidate.inputs, MAIN, tolerance=self._tolerance)
        try:
            comparer.with_engine(engine)
            event, module = comparer.first_event, comparer.inlined
            return None if event is None or module is None else _alone(module, event, candidate.inputs)
        except StablehloError:
            return None


def _alone(module: Module, event: Event, inputs: Sequence[Any]) -> Candidate:
    """Return an op as a program, with its operands in an execution."""
    part = subprogram(module, [event.op], event.op.results)
    iterations = event.iterations or None
    run = Stepwise(module, MAIN, REFERENCE)
    return Candidate(part.module, run.values_before(event.op, part.captured, inputs, iterations))
