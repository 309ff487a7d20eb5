"""The process grid of a program, with its inputs, infeed and outfeed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import prod
from typing import Any

from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.diagnostics.render import counted
from stablehlo_py.interpreter.inputs import convert_input
from stablehlo_py.ir.attributes import StructAttr
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.types import Type
from stablehlo_py.kernels.grid.process import Grid, ProcessId, Supply
from stablehlo_py.opset.definition import has_trait

MOST_PROCESSES = 1024  # of a grid: each runs on a thread
SHARDS = frozenset({"SPMDFullToShardShape", "SPMDShardToFullShape"})  # custom-call targets


def grid_size(module: Module, replicas: int | None, partitions: int | None) -> tuple[int, int]:
    """Return the numbers of replicas and partitions: as given, else as the module states them.

    If the module does not state them and has manual computations, the devices of their mesh are the
    partitions.

    Args:
        module: The module.
        replicas: The number of replicas, or None.
        partitions: The number of partitions, or None.

    Raises:
        RunError: The grid has no processes.
    """
    if replicas is None:
        stated = _stated(module, "mhlo.num_replicas")
        replicas = 1 if stated is None else stated
    if partitions is None:
        stated = _stated(module, "mhlo.num_partitions")
        partitions = _devices(module) if stated is None else stated
    if min(replicas, partitions) < 1:
        raise RunError(f"a grid of {replicas} replicas by {partitions} partitions has no processes")
    return replicas, partitions


def stated_processes(module: Module) -> list[ProcessId]:
    """Return the ids of the processes of the grid that a module states, replica by replica."""
    return Grid(*grid_size(module, None, None)).process_ids()


def check_grid(replicas: int, partitions: int) -> None:
    """Raises RunError for a grid of more processes than can run side by side."""
    if replicas * partitions > MOST_PROCESSES:
        raise RunError(
            f"a grid of {replicas:,} replicas by {partitions:,} partitions is too large to run: at most "
            f"{MOST_PROCESSES:,} processes run side by side (see the options replicas and partitions)"
        )


def _stated(module: Module, name: str) -> int | None:
    value = module.op.python_value(name)
    return value if isinstance(value, int) else None


def _devices(module: Module) -> int:
    """Return the number of devices of manual computations, 1 if there are none."""
    if not any(has_trait(op.name, "sharded_body") for op in module.walk()):
        return 1
    meshes = [op.attribute("mesh") for op in module.body.ops if has_trait(op.name, "mesh")]
    sizes = [prod(a["size"] for a in mesh["axes"]) for mesh in meshes if isinstance(mesh, StructAttr)]
    return max(sizes, default=1)


def depends_on_process(module: Module) -> bool:
    """Return True if results depend on other processes or on the id of the process."""
    return any(has_trait(op.name, "sharded_body") or _depends_on_process(op) for op in module.walk())


def returns_global_arrays(module: Module) -> bool:
    """Return True if all processes return the same global arrays, as in programs sharded by Shardy.

    Such programs communicate only in manual computations and the functions that these call.
    """
    if not any(has_trait(op.name, "mesh") for op in module.body.ops):
        return False
    shown = [f for f in module.functions.values() if f.python_value("sym_visibility") != "private"]
    return not any(_depends_on_process(op) for op in _outside_of_manual(shown))


def _outside_of_manual(ops: Iterable[Operation]) -> Iterator[Operation]:
    """Yield ops and those in their regions, except in manual computations."""
    for op in ops:
        yield op
        if not has_trait(op.name, "sharded_body"):
            yield from _outside_of_manual(o for r in op.regions for block in r.blocks for o in block.ops)


def _depends_on_process(op: Operation) -> bool:
    """Return True if an op reads its process id or communicates."""
    is_sharding = has_trait(op.name, "external_call") and op.python_value("call_target_name") in SHARDS
    return has_trait(op.name, "reads_process_id") or has_trait(op.name, "communicates") or is_sharding


def inputs_by_process(
    inputs: Any, process_ids: Sequence[ProcessId], grid: Sequence[ProcessId]
) -> dict[ProcessId, Any]:
    """Return the inputs of each process: those of a mapping by process id, or the same for all.

    Args:
        inputs: The inputs, or a mapping from process ids (replica, partition) to them.
        process_ids: The ids of the processes that take inputs.
        grid: The ids of all processes of the grid.

    Raises:
        RunError: The keys of the mapping are not the ids of these processes.
    """
    if not isinstance(inputs, Mapping) or not any(isinstance(key, tuple) for key in inputs):
        return dict.fromkeys(process_ids, inputs)
    wrong = sorted((set(process_ids) - set(inputs)) | (set(inputs) - set(grid)), key=str)
    if wrong:
        raise RunError(
            f"expected inputs for processes {', '.join(map(str, process_ids))}; missing or unexpected: "
            + ", ".join(map(str, wrong))
        )
    return {process_id: inputs[process_id] for process_id in process_ids}


def supplies(infeed: Any) -> Iterator[Supply]:
    """Return, for each item of an iterable or a queue, a function from types to arrays of the item.

    Args:
        infeed: An iterable, or a queue (an object with `get`), of arrays or tuples of arrays.
    """
    items: Iterable[Any] = iter(infeed.get, supplies) if hasattr(infeed, "get") else infeed
    for item in items:
        yield partial(_supplied, item)


def _supplied(item: Any, types: tuple[Type, ...]) -> tuple[Any, ...]:
    values = item if isinstance(item, tuple | list) else (item,)
    if len(values) != len(types):
        raise RunError(f"the infeed provides {counted(len(values), 'value')}, expected {len(types)}")
    named = enumerate(zip(values, types, strict=True))
    return tuple([convert_input(value, type, f"value {i} of the infeed") for i, (value, type) in named])


def receiver(outfeed: Any) -> Callable[[tuple[Any, ...]], None] | None:
    """Return the function that receives outfeed values.

    Args:
        outfeed: A queue (an object with `put`), a list, or a function of a tuple of arrays.
    """
    if outfeed is None or (callable(outfeed) and not hasattr(outfeed, "put")):
        return outfeed  # type: ignore[no-any-return]
    take: Callable[[tuple[Any, ...]], None] = getattr(outfeed, "put", None) or outfeed.append
    return take
