"""The pass `shard`: a mesh and shardings for a program."""

from __future__ import annotations

from stablehlo_py.diagnostics.diagnostic import TransformError
from stablehlo_py.ir.core import Module
from stablehlo_py.sharding.assignment import Assignment, assign, parse_mesh, set_mesh
from stablehlo_py.sharding.errors import ShardingError
from stablehlo_py.transforms.pass_definition import Option, Options, Pass, failure
from stablehlo_py.verifier.verifier import verify_module


def shard(module: Module, mesh: str, values: tuple[str, ...]) -> None:
    """Give a module a mesh and shardings.

    Args:
        module: The module, which is changed.
        mesh: The mesh, as `data=4,model=2`; "" for the module's own.
        values: The shardings of values, as `params/*/kernel=[{},{model}]`.

    Raises:
        TransformError: If a sharding does not fit a value, or the mesh.
        ValueError: If a text is not a mesh or sharding.
    """
    assignments = [Assignment.parse(value) for value in values]
    try:
        if mesh:
            set_mesh(module, parse_mesh(mesh))
        if assignments:
            assign(module, assignments)
    except ShardingError as error:
        raise failure(module, error.op, error.message) from None
    invalid = [d for d in verify_module(module) if d.severity == "error"]
    if invalid:
        raise TransformError(module.name, invalid)


def _run(module: Module, options: Options) -> None:
    shard(module, options["mesh"], options["values"])


PASS = Pass(
    "shard",
    "Gives the program a mesh, in place of its own, and shardings to the values that patterns name.",
    _run,
    (
        Option("mesh", "", "The axes of the mesh and their sizes, as data=4,model=2."),
        Option("values", (), "Shardings, as params/*/kernel=[{},{model}], separated by commas."),
    ),
)
