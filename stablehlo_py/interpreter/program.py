"""Programs: a function compiled for running, and what it takes as inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.interpreter.entry import entries
from stablehlo_py.interpreter.function import CompiledFunction
from stablehlo_py.interpreter.grid import (
    differs_by_place,
    grid_size,
    inputs_by_place,
    is_about_wholes,
    receiver,
    supplies,
)
from stablehlo_py.interpreter.inputs import convert_input
from stablehlo_py.interpreter.limits import Limits
from stablehlo_py.interpreter.lower import Unit
from stablehlo_py.interpreter.observed import Watch
from stablehlo_py.interpreter.observer import Observer
from stablehlo_py.interpreter.plan import Plan
from stablehlo_py.ir.core import Module
from stablehlo_py.ir.signature import Output, Signature, signature
from stablehlo_py.kernels.grid.process import Grid, Place, Process, entered

Inputs = Sequence[Any] | Mapping[str, Any]


class Program:
    """A function that is ready to run, as often as wanted: `program(*inputs)` gives its results as a list.

    Results are fresh arrays (tuples for tuple types, None for tokens). `signature` says what it takes and
    gives, `replicas` and `partitions` on how many processes it runs. `is_about_wholes`: every one gives the
    same, because only manual computations of Shardy go on in shards. Where a module has several functions
    that check themselves, they are one program, with the results of all. Raises RunError.
    """

    def __init__(
        self,
        parts: Sequence[tuple[Module, CompiledFunction]],
        size: tuple[int, int],
        limits: Limits | None,
        watch: Watch | None = None,
    ) -> None:
        self.module = parts[0][0]
        self._functions = [function for _, function in parts]
        self._limits = limits
        self._watch = watch
        self.replicas, self.partitions = size
        self._alone = size == (1, 1) or not any(differs_by_place(module) for module, _ in parts)
        self.is_about_wholes = all(is_about_wholes(module) for module, _ in parts)
        self.signature = _joined([signature(module.functions[f.name[1:]]) for module, f in parts])
        self.name = self.signature.name

    @property
    def plan(self) -> Plan:
        """The steps, to be read: `print(program.plan)`. Of several functions, those of the first."""
        plan = self._functions[0].plan
        assert plan is not None
        return plan

    @property
    def steps_taken(self) -> int:
        """How many steps the run has taken, or the last one; 0 without limits, which count them."""
        return self._limits.taken if self._limits is not None else 0

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
            grid = Grid(1, 1, supplies(infeed), receiver(outfeed), seed)
            work = self._work(inputs)
            self._start()
            with np.errstate(all="ignore"), entered(Process(grid, (0, 0))):
                return work()
        return self.call_grid(inputs, infeed=infeed, outfeed=outfeed, seed=seed)[0, 0]

    def call_grid(
        self,
        inputs: Inputs | Mapping[Place, Inputs] = (),
        *,
        infeed: Iterable[Any] = (),
        outfeed: Any = None,
        seed: int = 0,
    ) -> dict[Place, list[Any]]:
        """Runs on every process of the grid, and gives the results by replica and partition.

        `inputs` are for all processes, or a mapping with those of each. The rest is as for `call`.
        """
        grid = Grid(self.replicas, self.partitions, supplies(infeed), receiver(outfeed), seed)
        places = grid.places()
        given = inputs_by_place(inputs, places)
        works = [self._work(given[place]) for place in places]
        self._start()
        return dict(zip(places, grid.run(works), strict=True))

    def _start(self) -> None:
        if self._limits is not None:
            self._limits.start()
        if self._watch is not None:
            self._watch.start()

    def _work(self, inputs: Inputs) -> Callable[[], list[Any]]:
        """The call with inputs that are known to fit."""
        arrays = [
            convert_input(value, argument.type, str(argument))
            for value, argument in zip(self._ordered(inputs), self.signature.inputs, strict=True)
        ]
        return partial(self._run, arrays)

    def _run(self, arrays: list[Any]) -> list[Any]:
        return [_result(value) for function in self._functions for value in function(*arrays)]

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
    max_steps: int | None = None,
    timeout: float | None = None,
    replicas: int | None = None,
    partitions: int | None = None,
    observer: Observer | None = None,
) -> Program:
    """Compiles a function (see `entries` for which), with limits on what a run may take, and an observer.

    Raises RunError if there is none, Unsupported if an op has no kernel.
    """
    limits = None if max_steps is None and timeout is None else Limits(max_steps, timeout)
    watch = None if observer is None else Watch(observer)
    units: dict[int, Unit] = {}
    parts = []
    for where, name in entries(module, entry):
        unit = units.setdefault(id(where.op), Unit(where, limits, watch))
        try:
            parts.append((where, unit.function(name, entry=True)))
        except RecursionError:
            raise RunError(f"@{name} calls functions that are nested too deeply") from None
    return Program(parts, grid_size(module, replicas, partitions), limits, watch)
