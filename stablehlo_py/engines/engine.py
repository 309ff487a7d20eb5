"""The interface of engines: what they are given, and what they give.

    Plan or Module -> Engine.prepare(..., Options) -> Executable -> results

A plan engine takes a lowered function. It may run steps in groups, each as one function of its own, and
leave the others to the NumPy engine (`engines.numpy.bind.bind` gives a step's call); the passes under
`interpreter.passes` serve all of them. A module engine takes a whole module, which nobody lowers for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

from stablehlo_py.engines.limits import Limits
from stablehlo_py.engines.observation import Observation
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.core import Module
from stablehlo_py.kernels.grid.process import Grid

Call = Callable[..., Any]


class Instrument(Protocol):
    """What is put around the steps and functions of a run: limits, observers, NaN checks, profiles.

    An engine that runs several steps as one wraps the group, as a step that has these ops for `members`.
    """

    def start(self) -> None:
        """A run begins."""

    def wrap_step(self, plan: Plan[Any], step: Step, call: Call) -> Call:
        """What to call in the place of a step's `call`, which gives what `step.returns_tuple` says."""

    def wrap_function(self, plan: Plan[Any], call: Call) -> Call:
        """What to call in the place of a function or region."""


@dataclass(frozen=True, slots=True)
class Options:
    """How a program is to run.

    Attributes:
        limits: the limits of a run; None for none.
        observation: what watches the run; None if nothing does.
        grid: the replicas and partitions of the process grid.
    """

    limits: Limits | None = None
    observation: Observation | None = None
    grid: tuple[int, int] = (1, 1)

    @property
    def instruments(self) -> tuple[Instrument, ...]:
        """What goes around each step and function, the innermost first."""
        return tuple([each for each in (self.limits, self.observation) if each is not None])

    @property
    def every_op(self) -> bool:
        """Whether each op must be a step of its own, which changes no operand."""
        return self.observation is not None and self.observation.observer.every_op


class Executable(Protocol):
    """A function that is ready to run.

    Called with an array for each input (a tuple for a tuple type, None for a token), gives a sequence of the
    results, which share no memory with inputs, constants or each other. On a grid it is called once for each
    process, which `kernels.grid.process.current` gives, unless it is a `GridExecutable`. Errors are RunErrors
    with the op's position.

    Attributes:
        plan: what it runs, whose text `shlo run --explain` prints.
    """

    @property
    def plan(self) -> Any: ...

    def __call__(self, *inputs: Any) -> Sequence[Any]: ...


@runtime_checkable
class GridExecutable(Executable, Protocol):
    """A function that runs every process of a grid by itself, as on devices or ranks of their own."""

    def run_grid(self, grid: Grid, inputs: Sequence[Sequence[Any]]) -> Sequence[Sequence[Any]]:
        """Runs the function once for each process.

        Args:
            grid: the sizes of the grid, its infeed and outfeed, and the seed.
            inputs: the inputs of each process, in the order of `grid.process_ids()`.

        Returns:
            The results of each process, in that order.
        """


class PlanEngine(Protocol):
    """An engine that runs lowered functions."""

    @property
    def name(self) -> str: ...

    @property
    def takes(self) -> Literal["plan"]: ...

    def is_available(self) -> bool:
        """Whether what it needs is installed."""

    def prepare(self, plan: Plan[Step], options: Options) -> Executable:
        """Makes a function ready to run. Raises Unsupported, with its place, for what it cannot run.

        Args:
            plan: the function, which is not changed; `plan.functions` are those that it calls.
            options: how it is to run. With `every_op`, the plan has a step for each op and call.
        """


class ModuleEngine(Protocol):
    """An engine that runs modules as they are."""

    @property
    def name(self) -> str: ...

    @property
    def takes(self) -> Literal["module"]: ...

    def is_available(self) -> bool:
        """Whether what it needs is installed."""

    def prepare(self, module: Module, entry: str, options: Options) -> Executable:
        """Makes a function ready to run. Raises Unsupported for what it cannot run.

        Args:
            module: the module, which is not changed.
            entry: the name of the function.
            options: how it is to run.
        """


Engine = PlanEngine | ModuleEngine
