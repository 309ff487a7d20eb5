"""Programs: functions compiled for repeated execution, with checks of their inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, get_args

import numpy as np

from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.engines.engine import (
    AdaptiveExecutable,
    Engine,
    Executable,
    GatheringExecutable,
    GridExecutable,
    Options,
    Semantics,
    StagedEngine,
)
from stablehlo_py.engines.limits import Limits
from stablehlo_py.engines.numpy.folding import constant_folder
from stablehlo_py.engines.observation import Observation
from stablehlo_py.engines.registry import AUTO, find_engine
from stablehlo_py.interpreter.entry import MAIN, entries
from stablehlo_py.interpreter.grid import (
    check_grid,
    depends_on_process,
    grid_size,
    inputs_by_process,
    receiver,
    returns_global_arrays,
    supplies,
)
from stablehlo_py.interpreter.inputs import convert_input, exact_form
from stablehlo_py.interpreter.lower import ModuleLowering
from stablehlo_py.interpreter.observer import Observer, ObserverError
from stablehlo_py.ir.core import Module
from stablehlo_py.ir.garbage import gc_paused
from stablehlo_py.ir.printing import html_of
from stablehlo_py.ir.signature import entry_signature, joined_signature
from stablehlo_py.kernels.grid.process import Entered, Grid, Process, ProcessId

Inputs = Sequence[Any] | Mapping[str, Any]
_UNOBSERVED = nullcontext()
ALL = "all"  # stages


class Program:
    """A compiled function: `program(*inputs)` returns the results as a list.

    Results are new arrays (tuples for tuple types, None for tokens). All self-checking functions of a module
    form one program, with the results of all.

    Attributes:
        module: The module.
        name: The name of the function.
        signature: The inputs and results.
        replicas, partitions: The sizes of the process grid.
        returns_global_arrays: Whether all processes return the same global arrays: shards exist only in
            manual computations of Shardy.
    """

    def __init__(
        self, parts: Sequence[tuple[Module, str, Executable]], engine: Engine, options: Options
    ) -> None:
        self.module = parts[0][0]
        self._engine = engine
        self._executables = [executable for _, _, executable in parts]
        self._options = options
        self._instruments = options.instruments
        self.replicas, self.partitions = options.grid
        self._alone = options.grid == (1, 1) or not any(depends_on_process(module) for module, _, _ in parts)
        self.returns_global_arrays = all(returns_global_arrays(module) for module, _, _ in parts)
        self.signature = joined_signature([entry_signature(module, name) for module, name, _ in parts])
        self.name = self.signature.name
        self._arguments = [(argument, exact_form(argument.type)) for argument in self.signature.inputs]
        self._weights: dict[int, Any] = {}

    def __repr__(self) -> str:
        inputs = ", ".join(f"{each.label}: {each.type}" for each in self.signature.inputs)
        results = ", ".join(str(each.type) for each in self.signature.outputs)
        return f"<Program @{self.name}({inputs}) -> ({results}), engine {self.engine}>"

    def _repr_html_(self) -> str:
        return html_of(self)

    @property
    def is_alone(self) -> bool:
        """Whether the grid has one process, or all processes give the same results."""
        return self._alone

    @property
    def engine(self) -> str:
        """The name of the engine; of `auto`, of the one that gave the results of the last call.

        Before the first call and after `wait`, it is the engine of the next one.
        """
        parts = self._executables
        names = [part.engine if isinstance(part, AdaptiveExecutable) else self._engine.name for part in parts]
        return ", ".join(dict.fromkeys(names))

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for code that engine `auto` is compiling in the background, if any: the next call runs it.

        Args:
            timeout: The most seconds to wait; no limit by default.

        Returns:
            False if the code is still being compiled.
        """
        end = None if timeout is None else monotonic() + timeout
        found = [part for part in self._executables if isinstance(part, AdaptiveExecutable)]
        return all(part.wait(None if end is None else max(0.0, end - monotonic())) for part in found)

    @property
    def plan(self) -> Any:
        """The executed plan, whose text is `print(program.plan)`; of several functions, that of the first."""
        return self._executables[0].plan

    def explain(self, after: str | None = None) -> str:
        """Describe how the program runs.

        Args:
            after: The name of a stage of engine `native`, or "all" for each of them: the loops of its regions
                are printed as they are after the stage. By default the plan is printed.

        Returns:
            The text; of the plan, with the reason why engine `auto` does not compile a program, if it failed.

        Raises:
            ValueError: The engine has no stages, or none of this name.
        """
        if after is None:
            notes = [part.note for part in self._executables if isinstance(part, AdaptiveExecutable)]
            return "\n".join([str(self.plan), *filter(None, notes)])
        engine = staged(self._engine, after)
        stages = engine.stages if after == ALL else (after,)
        texts = [
            text for part in self._executables for text in engine.print_after(part, stages, self._options)
        ]
        return "\n\n".join(texts) or f"no loops: engine {engine.name} compiles no part of the program"

    @property
    def seconds(self) -> dict[str, float]:
        """The parts of the time of compilation that the engine measures, in seconds, by name."""
        found: dict[str, float] = {}
        for executable in self._executables:
            for name, seconds in getattr(executable, "seconds", {}).items():
                found[name] = found.get(name, 0.0) + seconds
        return found

    @property
    def weights(self) -> Mapping[int, Path]:
        """The files of the inputs that are stored with the program, by index."""
        stored = self.module.weights if self.name == MAIN else {}
        return {i: path for i, path in stored.items() if i < len(self.signature.inputs)}

    @property
    def steps_taken(self) -> int:
        """The number of steps of the current or last run; 0 without limits, which count them."""
        return self._options.limits.taken if self._options.limits is not None else 0

    def process_ids(self) -> list[ProcessId]:
        """Return the ids of all processes, replica by replica.

        Raises:
            RunError: The grid is too large.
        """
        check_grid(self.replicas, self.partitions)
        return [(r, p) for r in range(self.replicas) for p in range(self.partitions)]

    def local_process_ids(self) -> list[ProcessId]:
        """Return the ids of the processes that this process of the operating system runs.

        These are all of them, unless the engine runs the grid in several processes of the system.

        Raises:
            RunError: The grid is too large.
        """
        first = self._executables[0]
        return list(first.local_process_ids()) if isinstance(first, GridExecutable) else self.process_ids()

    def __call__(self, *inputs: Any) -> list[Any]:
        """Run with inputs in order; see `call`."""
        return self.call(inputs)

    def call(
        self, inputs: Inputs = (), *, infeed: Iterable[Any] = (), outfeed: Any = None, seed: int = 0
    ) -> list[Any]:
        """Run the program on the first process of the grid, with the other processes, if any.

        Args:
            inputs: The inputs in order, or a mapping by argument name; arrays, scalars, or tuples of them.
            infeed: The values of each `infeed` op, an array or a tuple of arrays: an iterable, or a queue (an
                object with `get`).
            outfeed: A list, a queue or a function that receives the tuple of arrays of each `outfeed`.
            seed: The seed of `rng`.

        Returns:
            The results; on a grid, those of the first local process.

        Raises:
            RunError: Invalid inputs, or an error of the program.
        """
        if self._alone:
            process = None
            if not isinstance(infeed, tuple) or infeed or outfeed is not None or seed:
                process = Process(_grid(1, 1, infeed, outfeed, seed), (0, 0))
            arrays = self._arrays(inputs)
            observed = self._observed() if self._instruments else _UNOBSERVED
            with observed, np.errstate(all="ignore"), Entered(process):
                return self._run(arrays)
        return next(iter(self.call_grid(inputs, infeed=infeed, outfeed=outfeed, seed=seed).values()))

    def call_tree(self, *arguments: Any, **keywords: Any) -> Any:
        """Run the program on trees of arrays, dicts, lists, tuples and None, as the exported function.

        The trees are those of a `jax.export` container; else as the names of arguments and results say, which
        `print(program.signature)` shows. Dropped arguments are ignored, and may be None or absent.

        Args:
            arguments: The positional arguments. Nodes of other classes are given as tuples.
            keywords: The arguments by name.

        Returns:
            The tree of results; nodes of other classes than dict and list are tuples.

        Raises:
            RunError: The trees have another structure, as for `call`, or an error of the program.

        Example:
            logits = shlo.compile(shlo.load("model.jax_export")).call_tree(params, x)
        """
        try:
            inputs = self.signature.flatten(*arguments, **keywords)
        except ValueError as error:
            raise RunError(str(error)) from None
        return self.signature.unflatten(self.call(inputs))

    def call_grid(
        self,
        inputs: Inputs | Mapping[ProcessId, Inputs] = (),
        *,
        infeed: Iterable[Any] = (),
        outfeed: Any = None,
        seed: int = 0,
    ) -> dict[ProcessId, list[Any]]:
        """Run the program on all processes of the grid.

        Args:
            inputs: The inputs of all processes, or a mapping from process ids (replica, partition) to inputs.
                Those that are not local (see `local_process_ids`) may be absent.
            infeed: See `call`.
            outfeed: See `call`.
            seed: The seed of `rng`.

        Returns:
            The results of the local processes by process id.

        Raises:
            RunError: Invalid inputs, or an error of the program.
        """
        with self._observed():
            places = self.local_process_ids()
            grid = _grid(self.replicas, self.partitions, infeed, outfeed, seed)
            arrays = list(map(self._arrays, inputs_by_process(inputs, places, self.process_ids()).values()))
            return dict(zip(places, self._run_grid(grid, arrays), strict=True))

    def gather(
        self,
        found: Mapping[ProcessId, Sequence[Any]],
        take: Callable[[ProcessId, Sequence[Any]], None],
    ) -> None:
        """Send the results of the local processes to the first process of the system.

        Args:
            found: What `call_grid` returns.
            take: Called there with the results of each process of the grid, one after the other.

        Raises:
            RunError: Another process failed, or the engine does not gather results.
        """
        first = self._executables[0]
        if not isinstance(first, GatheringExecutable):
            raise RunError(f"engine {self._engine.name} does not gather results: each process has its own")
        first.gather(found, take)

    @contextmanager
    def _observed(self) -> Iterator[None]:
        """Start the instruments, and notify the observer of the end of the run; raise its own exceptions."""
        for instrument in self._instruments:
            instrument.start()
        try:
            yield
        except ObserverError as failure:
            raise failure.error from None
        finally:
            if self._options.observation is not None:
                self._options.observation.observer.end()

    def _arrays(self, inputs: Inputs) -> list[Any]:
        """Convert inputs to arrays."""
        ndarray = np.ndarray
        return [
            value
            if value.__class__ is ndarray and (value.dtype, value.shape) == exact
            else convert_input(value, argument.type, str(argument))
            for value, (argument, exact) in zip(self.ordered(inputs), self._arguments, strict=True)
        ]

    def _run_grid(self, grid: Grid, arrays: list[list[Any]]) -> list[list[Any]]:
        """Return the results of each process."""
        together = [each for each in self._executables if isinstance(each, GridExecutable)]
        if len(together) < len(self._executables):
            return grid.run([partial(self._run, each) for each in arrays])
        found = [executable.run_grid(grid, arrays) for executable in together]  # several have no inputs
        return [[_result(value) for part in parts for value in part] for parts in zip(*found, strict=True)]

    def _run(self, arrays: list[Any]) -> list[Any]:
        return [_result(value) for executable in self._executables for value in executable(*arrays)]

    def ordered(self, inputs: Inputs) -> Sequence[Any]:
        """Return inputs in the order of the arguments; raise RunError for missing or unexpected ones.

        Weights that are stored with the program may be missing: all of them from a sequence.
        """
        if isinstance(inputs, Mapping):
            from stablehlo_py.interpreter.argument_names import inputs_by_name

            found = inputs_by_name(self.signature, inputs)
            return [found[i] if i in found else self._weight(i) for i in range(len(self._arguments))]
        count = len(self._arguments)
        if len(inputs) == count:
            return inputs
        rest = count - len(self.weights)
        if self.weights and len(inputs) == rest:
            following = iter(inputs)
            return [self._weight(i) if i in self.weights else next(following) for i in range(count)]
        if self.signature.is_partial and len(inputs) == self.signature.full_count:
            return self.signature.without_dropped(inputs)
        stored = f" ({rest} without its weights)" if self.weights else ""
        full = f" ({self.signature.full_count} with unused ones)" if self.signature.is_partial else ""
        raise RunError(f"@{self.name} takes {_count(count)}{stored}{full}, {len(inputs)} given")

    def _weight(self, index: int) -> Any:
        """Return the weight that is stored for an argument; raise RunError if it cannot be read."""
        if index not in self._weights:
            from stablehlo_py.interpreter.array_files import load_arrays

            path = self.weights[index]
            try:
                self._weights[index] = load_arrays(path)
            except OSError as error:
                raise RunError(f"{path}: {error.strerror or error}") from None
            except ValueError as error:
                raise RunError(f"{path}: {error}") from None
        return self._weights[index]


def _grid(replicas: int, partitions: int, infeed: Iterable[Any], outfeed: Any, seed: int) -> Grid:
    if seed < 0:
        raise ValueError(f"seed is {seed}; it must not be negative")
    return Grid(replicas, partitions, supplies(infeed), receiver(outfeed), seed)


def _count(number: int) -> str:
    return "1 input" if number == 1 else f"{number} inputs"


def _result(value: Any) -> Any:
    """Return a result as an array, also where the run produced a NumPy scalar."""
    if isinstance(value, tuple):
        return tuple([_result(item) for item in value])
    return value if value is None else np.asarray(value)


def staged(engine: Engine, stage: str) -> StagedEngine:
    """Return an engine that has a stage, or stages if it is "all"; raise ValueError for another one."""
    if not isinstance(engine, StagedEngine):
        raise ValueError(f"engine {engine.name} has no stages; engine native has")
    if stage not in (ALL, *engine.stages):
        raise ValueError(f"no stage {stage}; the stages are {', '.join(engine.stages)}, or {ALL}")
    return engine


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
    semantics: Semantics = "specification",
) -> Program:
    """Compile a function.

    Args:
        module: The module.
        entry: The name of the function; see `interpreter.entry.entries` for the default.
        engine: The name of an engine, "auto", or an engine.
        max_steps: The maximum number of steps of a run.
        timeout: The maximum time of a run in seconds.
        replicas: The number of replicas; stated by the module by default.
        partitions: The number of partitions; stated by the module by default.
        observer: An observer of the runs.
        semantics: Whose results an op gives where the specification and XLA differ by design.

    Raises:
        RunError: There is no such function.
        Unsupported: The engine cannot run an op.
        ValueError: There is no such engine, or it is not installed.
    """
    chosen = find_engine(engine)
    if timeout is not None and not timeout >= 0:
        raise ValueError(f"timeout is {timeout}; a number of seconds is needed")
    limits = None if max_steps is None and timeout is None else Limits(max_steps, timeout)
    observation = None if observer is None else Observation(observer)
    if semantics not in get_args(Semantics):
        raise ValueError(f"semantics is {semantics!r}; it is one of: {', '.join(get_args(Semantics))}")
    options = Options(limits, observation, grid_size(module, replicas, partitions), semantics)
    found = entries(module, entry)
    lowered: dict[int, ModuleLowering] = {}
    parts = []
    with gc_paused():
        for where, name in found:
            try:
                parts.append((where, name, _prepare(where, name, chosen, options, lowered)))
            except RecursionError:
                raise RunError(f"@{name} calls functions that are nested too deeply") from None
    return Program(parts, chosen, options)


def _prepare(
    module: Module, name: str, engine: Engine, options: Options, lowered: dict[int, ModuleLowering]
) -> Executable:
    """Prepare a function by an engine; `lowered` caches the lowered modules by their ops."""
    if engine.takes == "module":
        return engine.prepare(module, name, options)
    if id(module.op) not in lowered:
        lowered[id(module.op)] = ModuleLowering(module, constant_folder(options), options.every_op)
    return engine.prepare(lowered[id(module.op)][name], options)
