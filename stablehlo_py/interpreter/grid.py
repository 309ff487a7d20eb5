"""The process grid that a program runs on, and what goes in and out of it while it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from math import prod
from typing import Any

from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.interpreter.inputs import convert_input
from stablehlo_py.ir.attributes import StructAttr
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.types import Type
from stablehlo_py.kernels.grid.process import ProcessId, Supply
from stablehlo_py.opset.definition import has_trait

SHARDS = frozenset({"SPMDFullToShardShape", "SPMDShardToFullShape"})  # targets of custom calls


def grid_size(module: Module, replicas: int | None, partitions: int | None) -> tuple[int, int]:
    """Replicas and partitions: as given, or as the module states them. Raises RunError if there are none.

    Where a module does not say, and computes on the devices of a mesh, these are its partitions.
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


def _stated(module: Module, name: str) -> int | None:
    value = module.op.python_value(name)
    return value if isinstance(value, int) else None


def _devices(module: Module) -> int:
    """The number of devices that manual computations are for, 1 if there are none."""
    if not any(has_trait(op.name, "sharded_body") for op in module.walk()):
        return 1
    meshes = [op.attribute("mesh") for op in module.body.ops if has_trait(op.name, "mesh")]
    sizes = [prod(a["size"] for a in mesh["axes"]) for mesh in meshes if isinstance(mesh, StructAttr)]
    return max(sizes, default=1)


def differs_by_place(module: Module) -> bool:
    """Whether a program has ops whose results depend on other processes, or on which one it is."""
    return any(has_trait(op.name, "sharded_body") or _is_of_a_process(op) for op in module.walk())


def is_about_wholes(module: Module) -> bool:
    """Whether every process of a program gives the same, as where a mesh of Shardy says who has what.

    They communicate in manual computations only, and in the functions that these call.
    """
    if not any(has_trait(op.name, "mesh") for op in module.body.ops):
        return False
    shown = [f for f in module.functions.values() if f.python_value("sym_visibility") != "private"]
    return not any(_is_of_a_process(op) for op in _outside_of_manual(shown))


def _outside_of_manual(ops: Iterable[Operation]) -> Iterator[Operation]:
    """Ops, and those in their regions, but not those of manual computations."""
    for op in ops:
        yield op
        if not has_trait(op.name, "sharded_body"):
            yield from _outside_of_manual(o for r in op.regions for block in r.blocks for o in block.ops)


def _is_of_a_process(op: Operation) -> bool:
    """Whether an op asks for its process or takes part in what others do."""
    is_sharding = has_trait(op.name, "external_call") and op.python_value("call_target_name") in SHARDS
    return has_trait(op.name, "reads_place") or has_trait(op.name, "communicates") or is_sharding


def inputs_by_place(inputs: Any, places: list[ProcessId]) -> dict[ProcessId, Any]:
    """The inputs of each process: those of a mapping from places, or the same ones for all."""
    if not isinstance(inputs, Mapping) or not any(isinstance(key, tuple) for key in inputs):
        return dict.fromkeys(places, inputs)
    wrong = sorted(set(places) ^ set(inputs), key=str)
    if wrong:
        raise RunError(
            f"inputs are needed for the processes {', '.join(map(str, places))}; not as given: "
            + ", ".join(map(str, wrong))
        )
    return dict(inputs)


def supplies(infeed: Any) -> Iterator[Supply]:
    """For each item of an iterable or a queue, a function that gives it as arrays of types."""
    items: Iterable[Any] = iter(infeed.get, supplies) if hasattr(infeed, "get") else infeed
    for item in items:
        yield partial(_supplied, item)


def _supplied(item: Any, types: tuple[Type, ...]) -> tuple[Any, ...]:
    values = item if isinstance(item, tuple | list) else (item,)
    if len(values) != len(types):
        raise RunError(f"the infeed gives {len(values)} values, and {len(types)} are needed")
    named = enumerate(zip(values, types, strict=True))
    return tuple([convert_input(value, type, f"value {i} of the infeed") for i, (value, type) in named])


def receiver(outfeed: Any) -> Callable[[tuple[Any, ...]], None] | None:
    """The function that takes what goes out: of a queue, a list, or itself."""
    if outfeed is None or (callable(outfeed) and not hasattr(outfeed, "put")):
        return outfeed  # type: ignore[no-any-return]
    take: Callable[[tuple[Any, ...]], None] = getattr(outfeed, "put", None) or outfeed.append
    return take
