"""The interface of execution engines.

    Plan or Module -> Engine.prepare(..., Options) -> Executable -> results

A plan engine prepares a lowered function. It may run groups of steps as one function each, and leave the
other steps to the NumPy engine (`engines.numpy.bind.bind` returns the call of a step); the passes in
`interpreter.passes` are shared by all engines. A module engine prepares a whole module, without lowering.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Literal, Protocol, runtime_checkable

from stablehlo_py.engines.limits import Limits
from stablehlo_py.engines.observation import Observation
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.core import Module
from stablehlo_py.ir.records import dataclass
from stablehlo_py.kernels.grid.process import Grid, ProcessId

Call = Callable[..., Any]


class Instrument(Protocol):
    """A wrapper of the steps and functions of a run: limits, observers, NaN checks, profiles.

    An engine that runs several steps as one wraps the group, as a step with these ops as `members`.
    """

    def start(self) -> None:
        """Called at the start of a run."""

    def wrap_step(self, plan: Plan[Any], step: Step, call: Call) -> Call:
        """Return the call that replaces the call of a step.

        Args:
            plan: The plan.
            step: The step.
            call: A function of the operands that returns the result, or a tuple if `step.returns_tuple`.
        """

    def wrap_function(self, plan: Plan[Any], call: Call) -> Call:
        """Return the call that replaces the call of a function or region.

        Args:
            plan: The plan of the function.
            call: A function of the inputs that returns a sequence of the outputs.
        """


Semantics = Literal["specification", "xla"]


@dataclass(frozen=True, slots=True)
class Options:
    """Options of execution.

    Attributes:
        limits: The limits of a run, or None.
        observation: The instrument of an observer, or None.
        grid: The numbers of replicas and partitions.
        semantics: Whose results an op gives where the specification and XLA differ by design.
        watch: Another instrument, or None.
    """

    limits: Limits | None = None
    observation: Observation | None = None
    grid: tuple[int, int] = (1, 1)
    semantics: Semantics = "specification"
    watch: Instrument | None = None

    @property
    def instruments(self) -> tuple[Instrument, ...]:
        """The wrappers of each step and function, the innermost first."""
        return tuple([each for each in (self.limits, self.observation, self.watch) if each is not None])

    @property
    def every_op(self) -> bool:
        """True if each op must be a step of its own that does not modify its operands."""
        return self.observation is not None and self.observation.observer.every_op


class Executable(Protocol):
    """A function that is prepared for execution.

    A call takes an array for each input (a tuple for a tuple type, None for a token) and returns a sequence
    of the results, which share no memory with inputs, constants or each other. On a grid it is called once
    for each process, which `kernels.grid.process.current` returns, unless it is a `GridExecutable`. Errors
    are RunErrors with the location of the op.

    Attributes:
        plan: The executed plan, whose text `shlo run --explain` prints.
        seconds: Optional: parts of the time of preparation, by name, which `shlo run --time` prints.
    """

    @property
    def plan(self) -> Any:
        """The executed plan."""

    def __call__(self, *inputs: Any) -> Sequence[Any]:
        """Run the function."""


@runtime_checkable
class GridExecutable(Executable, Protocol):
    """A function that runs all processes of a grid itself, for example on several devices or ranks.

    Where several processes of the operating system run the grid together, each gives the inputs of its local
    processes of the grid, and gets their results.
    """

    def local_process_ids(self) -> Sequence[ProcessId]:
        """Return the ids of the processes of the grid that this process of the system runs, in order."""

    def run_grid(self, grid: Grid, inputs: Sequence[list[Any]]) -> Sequence[Sequence[Any]]:
        """Run the function once for each local process.

        Args:
            grid: The sizes of the grid, its infeed and outfeed, and the seed.
            inputs: The inputs of each local process, in the order of `local_process_ids`. The lists may be
                emptied, so that arrays do not outlive their last use.

        Returns:
            The results of each local process, in that order.
        """


@runtime_checkable
class GatheringExecutable(Protocol):
    """A function whose results the first process of the system can collect."""

    def gather(
        self,
        found: Mapping[ProcessId, Sequence[Any]],
        take: Callable[[ProcessId, Sequence[Any]], None],
    ) -> None:
        """Send results to the first process, which takes those of each process of the grid in order."""


@runtime_checkable
class AdaptiveExecutable(Executable, Protocol):
    """A function that changes its engine between calls.

    Attributes:
        engine: The name of the engine of the last call; before it and after `wait`, of the next one.
        note: What there is to say about the choice of the engine, or an empty string.
    """

    engine: str
    note: str

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for code that is being compiled in the background, if any.

        Args:
            timeout: The most seconds to wait.

        Returns:
            False if it is still being compiled.
        """


class PlanEngine(Protocol):
    """An engine that runs lowered functions."""

    @property
    def name(self) -> str:
        """The name, for `engine=` and `--engine`."""

    @property
    def takes(self) -> Literal["plan"]:
        """The form of programs that it prepares: "plan"."""

    def is_available(self) -> bool:
        """Return True if its dependencies are installed."""

    def prepare(self, plan: Plan[Step], options: Options) -> Executable:
        """Prepare a function for execution.

        Args:
            plan: The function, which is not modified; `plan.functions` are those that it calls.
            options: The options of execution. With `every_op`, the plan has a step for each op and call.

        Raises:
            Unsupported: An op cannot be run; the error has its location.
        """


@runtime_checkable
class StagedEngine(PlanEngine, Protocol):
    """An engine whose code goes through stages, after each of which it can be printed."""

    @property
    def stages(self) -> tuple[str, ...]:
        """The names of the stages, in order."""

    def print_after(self, function: Executable, stages: Collection[str], options: Options) -> Iterator[str]:
        """Print what a function of the engine is after stages.

        Args:
            function: What `prepare` has returned.
            stages: The names of the stages.
            options: The options of execution.

        Yields:
            The text of each part of the function after each stage.
        """


class ModuleEngine(Protocol):
    """An engine that runs modules without lowering."""

    @property
    def name(self) -> str:
        """The name, for `engine=` and `--engine`."""

    @property
    def takes(self) -> Literal["module"]:
        """The form of programs that it prepares: "module"."""

    def is_available(self) -> bool:
        """Return True if its dependencies are installed."""

    def prepare(self, module: Module, entry: str, options: Options) -> Executable:
        """Prepare a function for execution.

        Args:
            module: The module, which is not modified.
            entry: The name of the function.
            options: The options of execution.

        Raises:
            Unsupported: The function cannot be run.
        """


Engine = PlanEngine | ModuleEngine
