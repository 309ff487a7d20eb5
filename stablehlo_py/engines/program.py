"""Programs: a function compiled for running, and what it takes as inputs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.engines.engine import Engine, Executable, GridExecutable, Options
from stablehlo_py.engines.limits import Limits
from stablehlo_py.engines.numpy.folding import constant_folder
from stablehlo_py.engines.observation import Observation
from stablehlo_py.engines.registry import AUTO, find_engine
from stablehlo_py.interpreter.entry import entries
from stablehlo_py.interpreter.grid import (
    check_grid,
    differs_by_place,
    grid_size,
    inputs_by_place,
    is_about_wholes,
    receiver,
    supplies,
)
from stablehlo_py.interpreter.inputs import convert_input
from stablehlo_py.interpreter.lower import ModuleLowering
from stablehlo_py.interpreter.observer import Observer
from stablehlo_py.ir.core import Module
from stablehlo_py.ir.signature import Output, Signature, signature
from stablehlo_py.kernels.grid.process import Grid, Process, ProcessId, entered

Inputs = Sequence[Any] | Mapping[str, Any]


class Program:
    """A function that is ready to run, as often as wanted: `program(*inputs)` gives its results as a list.

    Results are fresh arrays (tuples for tuple types, None for tokens). Where a module has several functions
    that check themselves, they are one program, with the results of all. Raises RunError.

    Attributes:
        module: the module.
        name: the function's name.
        engine: the name of the engine that runs it.
        signature: what it takes and gives.
        replicas, partitions: the sizes of the process grid.
        is_about_wholes: every process gives the same, because only manual computations of Shardy go on in
            shards.
    """

    def __init__(
        self, parts: Sequence[tuple[Module, str, Executable]], engine: str, options: Options
    ) -> None:
        self.module = parts[0][0]
        self.engine = engine
        self._executables = [executable for _, _, executable in parts]
        self._options = options
        self.replicas, self.partitions = options.grid
        self._alone = options.grid == (1, 1) or not any(differs_by_place(module) for module, _, _ in parts)
        self.is_about_wholes = all(is_about_wholes(module) for module, _, _ in parts)
        self.signature = _joined([signature(module.functions[name]) for module, name, _ in parts])
        self.name = self.signature.name

    @property
    def plan(self) -> Any:
        """The steps, to be read: `print(program.plan)`. Of several functions, those of the first."""
        return self._executables[0].plan

    @property
    def steps_taken(self) -> int:
        """How many steps the run has taken, or the last one; 0 without limits, which count them."""
        return self._options.limits.taken if self._options.limits is not None else 0

    def process_ids(self) -> list[ProcessId]:
        """Every process of the grid, replica by replica. Raises RunError if they are too many."""
        check_grid(self.replicas, self.partitions)
        return [(r, p) for r in range(self.replicas) for p in range(self.partitions)]

    def __call__(self, *inputs: Any) -> list[Any]:
        return self.call(inputs)

    def call(
        self, inputs: Inputs = (), *, infeed: Iterable[Any] = (), outfeed: Any = None, seed: int = 0
    ) -> list[Any]:
        """Runs with inputs in order, or by the names of the function's arguments.

        `infeed`: what each `infeed` op takes, an array or a tuple of them; a queue (an object with `get`)
        will do. `outfeed`: a list, a queue or a function for the tuples of arrays of each `outfeed`.
        `seed`: that of `rng`. On a grid of several processes, gives the results of the first.
        """
        if self._alone:
            grid = _grid(1, 1, infeed, outfeed, seed)
            arrays = self._arrays(inputs)
            with self._observed(), np.errstate(all="ignore"), entered(Process(grid, (0, 0))):
                return self._run(arrays)
        return self.call_grid(inputs, infeed=infeed, outfeed=outfeed, seed=seed)[0, 0]

    def call_grid(
        self,
        inputs: Inputs | Mapping[ProcessId, Inputs] = (),
        *,
        infeed: Iterable[Any] = (),
        outfeed: Any = None,
        seed: int = 0,
    ) -> dict[ProcessId, list[Any]]:
        """Runs on every process of the grid, and gives the results by replica and partition.

        `inputs` are for all processes, or a mapping with those of each. The rest is as for `call`.
        """
        with self._observed():
            places = self.process_ids()
            grid = _grid(self.replicas, self.partitions, infeed, outfeed, seed)
            given = inputs_by_place(inputs, places)
            arrays = [self._arrays(given[place]) for place in places]
            return dict(zip(places, self._run_grid(grid, arrays), strict=True))

    @contextmanager
    def _observed(self) -> Iterator[None]:
        """Start the instruments, and notify the observer of the end of the run."""
        for instrument in self._options.instruments:
            instrument.start()
        try:
            yield
        finally:
            if self._options.observation is not None:
                self._options.observation.observer.end()

    def _arrays(self, inputs: Inputs) -> list[Any]:
        """The arrays of inputs, which are known to fit."""
        return [
            convert_input(value, argument.type, str(argument))
            for value, argument in zip(self._ordered(inputs), self.signature.inputs, strict=True)
        ]

    def _run_grid(self, grid: Grid, arrays: list[list[Any]]) -> list[list[Any]]:
        """The results of each process, for the arrays of each."""
        together = [each for each in self._executables if isinstance(each, GridExecutable)]
        if len(together) < len(self._executables):
            return grid.run([partial(self._run, each) for each in arrays])
        found = [executable.run_grid(grid, arrays) for executable in together]
        return [[_result(value) for part in parts for value in part] for parts in zip(*found, strict=True)]

    def _run(self, arrays: list[Any]) -> list[Any]:
        return [_result(value) for executable in self._executables for value in executable(*arrays)]

    def _ordered(self, inputs: Inputs) -> Sequence[Any]:
        """The inputs in the order of the arguments. Raises RunError for too few, too many or unknown ones."""
        names = [argument.name for argument in self.signature.inputs]
        if isinstance(inputs, Mapping):
            given = {key.lstrip("%"): value for key, value in inputs.items()}
            wrong = sorted(set(given) ^ set(names))
            if wrong:
                known = ", ".join(f"%{name}" for name in names) or "none"
                raise RunError(f"@{self.name} takes inputs named {known}; not as given: {', '.join(wrong)}")
            return [given[name] for name in names]
        if len(inputs) != len(names):
            raise RunError(f"@{self.name} takes {_count(len(names))}, {len(inputs)} given")
        return inputs


def _grid(replicas: int, partitions: int, infeed: Iterable[Any], outfeed: Any, seed: int) -> Grid:
    if seed < 0:
        raise ValueError(f"seed is {seed}; it must not be negative")
    return Grid(replicas, partitions, supplies(infeed), receiver(outfeed), seed)


def _count(number: int) -> str:
    return "1 input" if number == 1 else f"{number} inputs"


def _joined(parts: Sequence[Signature]) -> Signature:
    """One signature for functions that run one after the other."""
    if len(parts) == 1:
        return parts[0]
    outputs = [output for part in parts for output in part.outputs]
    numbered = tuple([Output(i, output.name, output.type) for i, output in enumerate(outputs)])
    return Signature(", @".join(part.name for part in parts), (), numbered)


def _result(value: Any) -> Any:
    """What a caller gets: arrays also where the run made a NumPy scalar."""
    if isinstance(value, tuple):
        return tuple([_result(item) for item in value])
    return value if value is None else np.asarray(value)


def compile_program(
    module: Module,
    entry: str | None = None,
    *,
    engine: str | Engine = AUTO,
    max_steps: int | None = None,
    timeout: float | None = None,
    replicas: int | None = None,
    partitions: int | None = None,
    observer: Observer | None = None,
) -> Program:
    """Compiles a function (see `entries` for which) for an engine, with limits and an observer of its runs.

    Raises RunError if there is none, Unsupported for an op that the engine cannot run, ValueError if there
    is no such engine, or a timeout is no number of seconds.
    """
    chosen = find_engine(engine)
    if timeout is not None and not timeout >= 0:
        raise ValueError(f"timeout is {timeout}; a number of seconds is needed")
    limits = None if max_steps is None and timeout is None else Limits(max_steps, timeout)
    observation = None if observer is None else Observation(observer)
    options = Options(limits, observation, grid_size(module, replicas, partitions))
    found = entries(module, entry)
    lowered: dict[int, ModuleLowering] = {}
    parts = []
    for where, name in found:
        try:
            parts.append((where, name, _prepare(where, name, chosen, options, lowered)))
        except RecursionError:
            raise RunError(f"@{name} calls functions that are nested too deeply") from None
    return Program(parts, chosen.name, options)


def _prepare(
    module: Module, name: str, engine: Engine, options: Options, lowered: dict[int, ModuleLowering]
) -> Executable:
    """A function, made ready by an engine; `lowered` are the modules that have been lowered, by their ops."""
    if engine.takes == "module":
        return engine.prepare(module, name, options)
    if id(module.op) not in lowered:
        lowered[id(module.op)] = ModuleLowering(module, constant_folder(options), options.every_op)
    return engine.prepare(lowered[id(module.op)][name], options)
