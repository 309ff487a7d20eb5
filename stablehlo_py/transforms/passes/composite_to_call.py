"""The pass `stablehlo-legalize-composite-to-call`: composites become calls of their decompositions."""

from __future__ import annotations

from stablehlo_py.ir.attributes import SymbolRefAttr
from stablehlo_py.ir.core import Module
from stablehlo_py.opset.calls import callee
from stablehlo_py.transforms.pass_definition import Option, Options, Pass
from stablehlo_py.transforms.rewriter import Rewriter


def _run(module: Module, options: Options) -> None:
    rewriter = Rewriter(module)
    for op in list(module.walk()):
        if op.name != "stablehlo.composite" or op.python_value("name") in options["except"]:
            continue
        types = [result.type for result in op.results]
        call = rewriter.at(op).create("func.call", op.operands, {"callee": _symbol(callee(op))}, types)
        rewriter.replace(op, call.results, merge=False)
    rewriter.flush()


def _symbol(name: str | None) -> SymbolRefAttr:
    assert name is not None
    return SymbolRefAttr(name)


PASS = Pass(
    "stablehlo-legalize-composite-to-call",
    "Replaces composites by calls of their decompositions.",
    _run,
    (Option("except", (), "Names of composites that stay."),),
)
