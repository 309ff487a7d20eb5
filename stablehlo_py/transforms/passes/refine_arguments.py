"""The pass `stablehlo-refine-arguments`: sets the types of the arguments of `@main`."""

from __future__ import annotations

from stablehlo_py.diagnostics.diagnostic import ParseError
from stablehlo_py.ir.core import Module
from stablehlo_py.ir.types import Type
from stablehlo_py.syntax.parser import parse_type
from stablehlo_py.transforms.pass_definition import Option, Options, Pass, failure
from stablehlo_py.transforms.refinement.arguments import function_to_refine, refine_arguments


def _run(module: Module, options: Options) -> None:
    types = [_type(module, text) for text in options["types"]]
    refine_arguments(module, function_to_refine(module), types)


def _type(module: Module, text: str) -> Type:
    try:
        return parse_type(text)
    except ParseError:
        raise failure(module, module.op, f"{text} is not a type") from None


PASS = Pass(
    "stablehlo-refine-arguments",
    "Sets the types of the arguments of `@main`, or of the only function, to more specific ones.",
    _run,
    (Option("types", (), "The types of all arguments, such as `tensor<8x4xf32>,tensor<4xf32>`."),),
    """\
The body keeps its types: it uses custom calls that convert the arguments to their old types, and which
`stablehlo-refine-shapes` removes.""",
)
