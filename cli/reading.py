"""The options of how a program is read, as all commands that run one have them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, NamedTuple

from stablehlo_py.cli import common
from stablehlo_py.cli.custom_calls import CUSTOM_CALL
from stablehlo_py.cli.sources import Text

import stablehlo_py as shlo


class Reading(NamedTuple):
    """How a program is read.

    Attributes:
        vjp: The number of the gradient to select in a container, or 0.
        dims: The sizes of --dim.
        newer: Whether ops of newer versions are accepted.
    """

    vjp: int = 0
    dims: Mapping[str, int] = {}
    newer: bool = False

    def text(self, file: str) -> Text:
        """Read a file; raise ClickException if it cannot be read."""
        return common.read(file, self.vjp)

    def module(self, text: Text) -> shlo.Module | None:
        """Parse, verify and specialize a program; print its errors and return None if it has any."""
        module, diagnostics = common.diagnose(text, common.Allowed(newer=self.newer))
        errors = [each for each in diagnostics if common.is_error(each)]
        if module is not None and not errors:
            module, errors = common.specialized(module, self.dims)
        common.print_diagnostics(text, errors, err=True)
        return None if errors else module

    def counterpart(self, text: Text) -> shlo.Module | None:
        """Read the program that another one is compared with, as `module`; it may be static already."""
        from stablehlo_py.transforms.specialization import open_sizes

        module = self._replace(dims={}).module(text)
        if module is None or not self.dims or not open_sizes(module):
            return module
        return self.module(text)


def reading_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add `--dim`, `--vjp` and `--allow-newer`, passed to a command as `reading`, and `--custom-call`."""

    @wraps(command)
    def with_reading(vjp: int, dims: dict[str, int], allow_newer: bool, **given: Any) -> int:
        return command(reading=Reading(vjp, dims, allow_newer), **given)

    return common.VJP(common.DIMS(common.NEWER(CUSTOM_CALL(with_reading))))
