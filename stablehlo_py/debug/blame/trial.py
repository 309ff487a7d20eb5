"""Trials: runs of dumps whose results are judged, in this process or in others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from stablehlo_py.debug.blame.dumps import read_dump
from stablehlo_py.debug.blame.judge import Judge
from stablehlo_py.debug.compare.errors import ValueDifference
from stablehlo_py.diagnostics.diagnostic import StablehloError
from stablehlo_py.engines.engine import Engine
from stablehlo_py.engines.program import compile_program
from stablehlo_py.hlo.module import HloModule
from stablehlo_py.hlo.parser import parse_hlo
from stablehlo_py.hlo.to_stablehlo import to_stablehlo
from stablehlo_py.ir.core import Module
from stablehlo_py.syntax.parser import parse_module
from stablehlo_py.syntax.printer import format_module


class TrialProgram(NamedTuple):
    """A program: a dump, or the StableHLO program that was compiled.

    Attributes:
        path: The path of the dump, or the name of the program.
        module: The program.
        hlo: The dump as HLO; None for a StableHLO program.
    """

    path: Path
    module: Module
    hlo: HloModule | None = None


class Outcome(NamedTuple):
    """The outcome of a trial.

    Attributes:
        results: The results that differ.
        error: Why the dump cannot be run; "" if it was run.
    """

    results: list[ValueDifference]
    error: str = ""


class Trial:
    """Runs dumps and judges their results. A copy in another process reads the right program again.

    Args:
        right: The program whose results are right.
        inputs: The inputs of all programs, in order.
        engine: The engine that runs programs; a name, if trials are copied to other processes.
        tolerance: The tolerance of floats relative to the largest magnitude of a result; by default by type.
        seed: The seed of `rng`.

    Attributes:
        judge: Compares results with the results of the right program.
    """

    def __init__(
        self,
        right: TrialProgram,
        inputs: Sequence[Any],
        engine: str | Engine,
        tolerance: float | None,
        seed: int,
    ) -> None:
        self._right = right
        self._inputs, self._engine, self._tolerance, self._seed = inputs, engine, tolerance, seed
        self.judge = Judge(right.module, inputs, partial(self._run, right.module), tolerance)

    def __call__(self, path: str) -> Outcome:
        """Run the dump at a path, and compare its results."""
        try:
            module = load_dump(Path(path)).module
            return Outcome(self.judge.differences(module, self._run(module, self._inputs)))
        except StablehloError as error:
            return Outcome([], str(error))

    def __reduce__(self) -> tuple[Any, ...]:
        text = format_module(self._right.module) if self._right.hlo is None else None
        options = self._inputs, self._engine, self._tolerance, self._seed
        return _copied, (self._right.path, text, options)

    def _run(self, module: Module, inputs: Sequence[Any]) -> list[Any]:
        return compile_program(module, engine=self._engine).call(inputs, seed=self._seed)


Each = Callable[[Trial, Sequence[str]], Iterable[Outcome]]
"""Yields the outcomes of the dumps at some paths, in order."""


def load_dump(path: Path) -> TrialProgram:
    """Read a dump.

    Raises:
        ParseError: If it is not valid.
    """
    hlo = parse_hlo(read_dump(path), str(path))
    return TrialProgram(path, to_stablehlo(hlo), hlo)


def _copied(path: Path, text: str | None, options: tuple[Any, ...]) -> Trial:
    if text is None:
        return Trial(load_dump(path), *options)
    return Trial(TrialProgram(path, parse_module(text, str(path), allow_unregistered=True)), *options)
