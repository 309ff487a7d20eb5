"""The pass `stablehlo-refine-shapes`: propagates static shapes, see `refinement/`."""

from __future__ import annotations

from stablehlo_py.diagnostics.diagnostic import TransformError
from stablehlo_py.ir.core import Module
from stablehlo_py.transforms.pass_definition import Option, Options, Pass
from stablehlo_py.transforms.refinement.arguments import function_to_refine
from stablehlo_py.transforms.refinement.assertions import failures
from stablehlo_py.transforms.refinement.refiner import Refiner


def _run(module: Module, options: Options) -> None:
    function = function_to_refine(module)
    try:
        Refiner(module, options["separate-calls"]).refine(function)
    except TransformError:
        failed = failures(module, constant_only=True)  # they say more than that types contradict each other
        if failed:
            raise TransformError(module.name, failed) from None
        raise


PASS = Pass(
    "stablehlo-refine-shapes",
    "Infers static types of dynamic results from the types of arguments and from computations of sizes.",
    _run,
    (
        Option(
            "separate-calls",
            False,
            "Give calls of one function with different types or sizes a function each, rather than fail.",
        ),
    ),
    """\
The pass starts at `@main`, or at the module's only function. Computations of sizes, on integers, are folded
to constants, which dynamic ops such as `dynamic_reshape` use. A function is refined for the call of it: its
first arguments, if they are constant integers, such as the sizes that `jax.export` passes, are replaced by
constants in its body and dropped.""",
)
