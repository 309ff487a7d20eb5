"""The options that give programs a mesh and shardings."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple

import click

import stablehlo_py as shlo


class Sharding(NamedTuple):
    """A mesh, "" for the program's own, and the shardings of values."""

    mesh: str = ""
    values: tuple[str, ...] = ()

    def apply(self, module: shlo.Module) -> shlo.Module:
        """Return a module with the mesh and the shardings.

        Raises:
            TransformError: If they do not fit the program.
            UsageError: If a text is not a mesh or sharding, or the program has no mesh.
        """
        if not self.mesh and not self.values:
            return module
        from stablehlo_py.transforms.passes.shard import shard

        _ = module.source  # positions in diagnostics are those of the text before
        made = module.clone()
        try:
            shard(made, self.mesh, self.values)
        except ValueError as error:
            raise click.UsageError(str(error)) from None
        return made


_OPTIONS = (
    click.option(
        "--mesh",
        metavar="AXIS=SIZE,...",
        default="",
        help="The mesh of devices, in place of the program's own, such as data=4,model=2.",
    ),
    click.option(
        "--shard",
        "shardings",
        multiple=True,
        metavar="NAME=[{AXIS},...]",
        help="The sharding of the arguments, results or ops with a name: for each dimension the axes of the "
        "mesh that divide it. NAME is one in the text, in JAX or of a location, and * stands for any "
        "characters, as in 'params/*/kernel=[{},{model}]'. Repeat it for several.",
    ),
)


def sharding_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add --mesh and --shard to a command, passed to it together as `sharding`."""

    @wraps(command)
    def with_sharding(mesh: str, shardings: tuple[str, ...], **given: Any) -> int:
        return command(sharding=Sharding(mesh, shardings), **given)

    decorated: Callable[..., int] = with_sharding
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated
