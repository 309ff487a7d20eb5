"""`shlo verify`: check programs against the specification."""

from __future__ import annotations

from functools import partial

import click
from stablehlo_py.cli import common
from stablehlo_py.cli.batch import Options, check_paths, reporting, size
from stablehlo_py.cli.reports import Tool
from stablehlo_py.cli.results import ModuleResult
from stablehlo_py.cli.rules import describe
from stablehlo_py.cli.sources import Text

_TOOL = Tool("verify", describe)


@click.command("verify")
@reporting
@common.UNREGISTERED
def command(paths: tuple[str, ...], allow_unregistered: bool, options: Options) -> int:
    """Check programs against the specification: everything that is wrong, at once."""
    return check_paths(paths, partial(check, allow_unregistered), _TOOL, options)


def check(allow_unregistered: bool, text: Text) -> ModuleResult:
    """What parser and verifier say about a module."""
    module, diagnostics = common.diagnose(text, allow_unregistered)
    functions, ops = size(module) if module else (0, 0)
    return ModuleResult(diagnostics=diagnostics, functions=functions, ops=ops)
