"""The passes `stablehlo-legalize-to-vhlo`, `vhlo-to-version` and `vhlo-legalize-to-stablehlo`."""

from __future__ import annotations

from collections.abc import Sequence

from stablehlo_py.artifacts.vhlo.legalize import is_vhlo_module, legalize_to_stablehlo, legalize_to_vhlo
from stablehlo_py.diagnostics.diagnostic import Diagnostic, TransformError
from stablehlo_py.ir.core import Module
from stablehlo_py.ir.version import CURRENT, version_of
from stablehlo_py.transforms.pass_definition import Option, Options, Pass

_MODULE = "A module without ops of VHLO stays as it is: reading a file of VHLO gives StableHLO already."


def _to_vhlo(module: Module, options: Options) -> None:
    if not is_vhlo_module(module):
        _refuse(module, legalize_to_vhlo(module, CURRENT, options["allow-other-dialects"]))


def _to_version(module: Module, options: Options) -> None:
    target = version_of(options["target"])
    if is_vhlo_module(module):
        _refuse(module, legalize_to_stablehlo(module))
        _refuse(module, legalize_to_vhlo(module, target, allow_other_dialects=True))


def _to_stablehlo(module: Module, options: Options) -> None:
    _refuse(module, legalize_to_stablehlo(module))


def _refuse(module: Module, found: Sequence[Diagnostic]) -> None:
    if found:
        raise TransformError(module.name, list(found))


PASSES = (
    Pass(
        "stablehlo-legalize-to-vhlo",
        "Makes ops of StableHLO ops of VHLO, in their newest form.",
        _to_vhlo,
        (Option("allow-other-dialects", False, "Keep ops of other dialects, with casts around them."),),
        description="`shlo convert --to vhlo` writes the same program with functions in VHLO's pretty form.",
    ),
    Pass(
        "vhlo-to-version",
        "Gives ops of VHLO the forms that they had in a version of StableHLO.",
        _to_version,
        (Option("target", "current", "The version, such as 1.7.0, or a name of one: current, minimum."),),
        description=_MODULE,
    ),
    Pass(
        "vhlo-legalize-to-stablehlo",
        "Makes ops of VHLO ops of StableHLO.",
        _to_stablehlo,
        description=_MODULE,
    ),
)
