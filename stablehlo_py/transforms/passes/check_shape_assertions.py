"""The pass `stablehlo-check-shape-assertions`: checks the custom calls `@shape_assertion` and erases them."""

from __future__ import annotations

from stablehlo_py.diagnostics.diagnostic import TransformError
from stablehlo_py.ir.core import Module, erase_all
from stablehlo_py.transforms.pass_definition import Option, Options, Pass
from stablehlo_py.transforms.refinement.assertions import assertions, failures


def _run(module: Module, options: Options) -> None:
    failed = failures(module) if options["enable-shape-assertions"] else []
    if failed:
        raise TransformError(module.name, failed)
    erase_all(assertions(module))


PASS = Pass(
    "stablehlo-check-shape-assertions",
    "Checks the assertions about shapes that `jax.export` writes, and erases those that hold.",
    _run,
    (
        Option(
            "enable-shape-assertions",
            True,
            "Check assertions; otherwise, erase them whether they hold or not.",
        ),
    ),
    """\
An assertion is a custom call `@shape_assertion` of a boolean and of integers, with an `error_message` that
may refer to the integers as `{0}`, `{1}`. The boolean must be a constant: run `stablehlo-refine-shapes`
before.""",
)
