"""The MPI engine: the NumPy engine on each rank, with collectives as messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from typing import Any, Literal

from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.engines.engine import Executable, Options
from stablehlo_py.engines.mpi.grid import MpiGrid
from stablehlo_py.engines.mpi.world import world
from stablehlo_py.engines.numpy.function import CompiledFunction
from stablehlo_py.engines.numpy.prepare import Preparation
from stablehlo_py.engines.numpy.steps import BoundStep
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.kernels.grid.process import Grid, ProcessId, current
from stablehlo_py.opset.definition import has_trait


class MpiExecutable:
    """A function that each rank runs for its process of the grid: a `GridExecutable`.

    Args:
        local: The function of one process.
        size: The numbers of replicas and partitions.
    """

    def __init__(self, local: CompiledFunction, size: tuple[int, int]) -> None:
        self._local = local
        self._size = size

    @property
    def plan(self) -> Any:
        """The plan that each rank runs."""
        return self._local.plan

    def __call__(self, *inputs: Any) -> Sequence[Any]:
        """Run the function on this rank; return its results."""
        return self.run_grid(Grid(*self._size), [list(inputs)])[0]

    def local_process_ids(self) -> list[ProcessId]:
        """Return the process of this rank."""
        return [divmod(world().rank, self._size[1])]

    def run_grid(self, grid: Grid, inputs: Sequence[list[Any]]) -> Sequence[Sequence[Any]]:
        """Run the function for the process of this rank, together with the other ranks."""
        (arrays,) = inputs
        made = MpiGrid(world(), *self._size, grid.infeed, grid.outfeed, grid.seed)
        return [made.run_local(partial(self._local.consume, arrays))]

    def gather(
        self,
        found: Mapping[ProcessId, Sequence[Any]],
        take: Callable[[ProcessId, Sequence[Any]], None],
    ) -> None:
        """Send the results of this rank to rank 0, which takes those of each rank in order."""
        ((own, values),) = found.items()
        grid = MpiGrid(world(), *self._size)
        first, *others = grid.process_ids()

        def work() -> None:
            if own != first:
                grid.send(("results", first, own), list(values))
                return
            take(own, values)
            for place in others:
                take(place, grid.receive(("results", first, place), f"process {place}"))

        grid.run_local(work)


class Progressing(CompiledFunction):
    """A compiled function that looks for messages before each of its steps, of its asynchronous ops."""

    def _call_of(self, step: BoundStep) -> Callable[..., Any]:
        call = super()._call_of(step)

        if self.plan.on_elements:
            return call

        def progressing(*operands: Any) -> Any:
            grid = current().grid
            if isinstance(grid, MpiGrid):
                grid.progress()
            return call(*operands)

        return progressing


class MpiPreparation(Preparation):
    """Preparation of functions that look for messages, unless they are observed or limited."""

    def _empty(self) -> CompiledFunction:
        return super()._empty() if self._options.instruments else Progressing()


class MpiEngine:
    """An engine that runs a process grid on as many MPI ranks, started by `mpiexec`."""

    name = "mpi"
    takes: Literal["plan"] = "plan"
    spans_processes = True

    @property
    def rank(self) -> int:
        """The number of this rank."""
        return world().rank

    @property
    def say(self) -> Callable[[str, str], None]:
        """A function that prints messages of the ranks, each once: see `World.say`."""
        return world().say

    def is_available(self) -> bool:
        """Return True if mpi4py is installed."""
        return find_spec("mpi4py") is not None

    def prepare(self, plan: Plan[Step], options: Options) -> Executable:
        """Prepare a function for execution; see `engines.engine.PlanEngine`.

        Raises:
            RunError: The grid has not as many processes as there are ranks.
        """
        count = options.grid[0] * options.grid[1]
        if count != world().size:
            raise RunError(
                f"a grid of {options.grid[0]} replicas by {options.grid[1]} partitions needs {count} ranks, "
                f"there are {world().size} (mpiexec -n {count} shlo run ... --engine mpi)"
            )
        starts = any(has_trait(op.name, "single_op_body") for op in plan.module.walk())
        prepared = MpiPreparation if starts else Preparation
        return MpiExecutable(prepared(plan.module, plan.functions, options).entry(plan), options.grid)


ENGINE = MpiEngine()
