"""The pass `externalize`: constants become arguments."""

from __future__ import annotations

from stablehlo_py.ir.core import Module
from stablehlo_py.transforms.externalization import externalize
from stablehlo_py.transforms.pass_definition import Option, Options, Pass


def _run(module: Module, options: Options) -> None:
    tensors = externalize(module, options["min-bytes"], options["resources"])
    if not options["resources"]:
        module.tensors = {**module.tensors, **tensors}


PASS = Pass(
    "externalize",
    "Makes arguments of large constants, which `shlo opt --weights` writes to a file.",
    _run,
    (
        Option("min-bytes", 65536, "The least bytes of such a constant; those of one element for a splat."),
        Option("resources", False, "Whether they become resources (`dense_resource`) instead."),
    ),
    """\
The new arguments come last, in the order of the program, and are named by location: after the path or scope
of the constant, that of its first use and the operand, or the line of Python; equal names get numbers.
Constants of functions that other programs may call, or that no plain call refers to, stay, and so do element
types that weight files do not have. The inverse is `bind`.""",
)
