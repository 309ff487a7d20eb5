"""The public function `analyze_devices`, and what views show of it; imports are at the first call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from stablehlo_py.diagnostics.diagnostic import RunError, TransformError
from stablehlo_py.ir.core import Module

if TYPE_CHECKING:
    from stablehlo_py.analysis.devices import DeviceAnalysis
    from stablehlo_py.sharding.division.divide import Division


def analyze_devices(
    module: Module | Any, entry: str | None = None, *, bandwidth: Mapping[str, float] | None = None
) -> DeviceAnalysis:
    """Analyze what each device of a program's mesh holds, computes, sends and receives.

    Args:
        module: The module, or another source that `parse` takes. The pass `shard` gives a mesh and shardings
            to one that has none.
        entry: The name of the entry function. By default `main`, or the only function.
        bandwidth: The bandwidth of each axis of the mesh, in bytes a second, for the times of collectives.

    Returns:
        The analysis.

    Raises:
        ParseError: If a source is not a program.
        TransformError: If the module is invalid, or cannot be divided.
        ValueError: If there is no such function, the program is for one device, or its mesh does not have an
            axis of `bandwidth`.
        RunError: If the numbers of replicas and partitions do not fit.

    Example:
        print(shlo.analyze_devices(module).peak_bytes)
    """
    from stablehlo_py.analysis.devices import analyze_division
    from stablehlo_py.analysis.report import entry_of
    from stablehlo_py.api import parse
    from stablehlo_py.api.compiling import check_valid
    from stablehlo_py.sharding.tiles import is_sharded
    from stablehlo_py.sharding.uneven import uneven
    from stablehlo_py.transforms.passes.partition import divided, propagated

    made = whole = parse(module)
    check_valid(whole)
    name = entry_of(whole, entry)
    found = list(uneven(whole))
    if is_sharded(whole):
        made = propagated(whole)
        found += uneven(made)
        division = divided(made)
    else:
        division = _grid(whole)
    unknown = sorted(set(bandwidth or {}) - set(division.mesh.sizes))
    if unknown:
        axes = ", ".join(division.mesh.sizes) or "none"
        raise ValueError(f"the mesh has no axis {unknown[0]}; its axes are: {axes}")
    return analyze_division(
        whole, made, division, name, {str(each): each for each in found}.values(), bandwidth
    )


def analyze_mesh(module: Module) -> DeviceAnalysis | None:
    """Analyze a program on its own mesh; None for a program that has none, or cannot be divided."""
    from stablehlo_py.sharding.tiles import is_sharded

    try:
        if not is_sharded(module):
            _grid(module)  # raises for a program for one device, before the time that its check takes
        return analyze_devices(module)
    except (RunError, TransformError, ValueError):
        return None


def _grid(module: Module) -> Division:
    """Return the division of a program that is written for each process of a grid."""
    from stablehlo_py.interpreter.grid import grid_size
    from stablehlo_py.sharding.division.divide import Division
    from stablehlo_py.sharding.mesh import Mesh

    replicas, partitions = grid_size(module, None, None)
    if replicas * partitions == 1:
        raise ValueError("the program is for one device: it has no mesh (--mesh gives one) or replicas")
    return Division(Mesh((("replica", replicas), ("partition", partitions))))
