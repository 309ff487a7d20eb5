"""Family D: dead code."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from stablehlo_py.diagnostics.render import counted
from stablehlo_py.linter.context import LintContext
from stablehlo_py.linter.rule import Finding, Rule
from stablehlo_py.linter.settings import Settings


def _dead_ops(context: LintContext, settings: Settings) -> Iterator[Finding]:
    for group in context.dead_ops:
        op, *others = group
        names = ", ".join(map(str, op.results))
        message = f"{names} of {op.name} is unused"
        if others:
            message += f", as is the computation of its operands ({counted(len(others), 'op')})"
        yield Finding(op, message, fix=partial(tuple, group))


def _dead_functions(context: LintContext, settings: Settings) -> Iterator[Finding]:
    for function in context.dead_functions:
        name = function.python_value("sym_name")
        yield Finding(function, f"private function @{name} is unused", fix=partial(tuple, [function]))


def _unused_arguments(context: LintContext, settings: Settings) -> Iterator[Finding]:
    for name, function in context.functions.items():
        for argument in function.entry_block.arguments:
            if not argument.uses:
                yield Finding(argument, f"argument {argument} of @{name} is unused")


RULES = (
    Rule(
        code="D101",
        name="dead-op",
        summary="Op without side effects whose results are unused",
        why="Dead code costs parsing and compilation time and memory, and misleads readers, who take it for "
        "part of the computation. Ops with side effects, and ops that contain them, are never dead.",
        remedy="Remove the op (--fix does), or return its result if that was intended.",
        bad="""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %unused = stablehlo.exponential %x : tensor<4xf32>
  return %x : tensor<4xf32>
}""",
        good="""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}""",
        check=_dead_ops,
        fixable=True,
    ),
    Rule(
        code="D102",
        name="dead-function",
        summary="Private function that is unreachable from public functions",
        why="A private function cannot be called from outside of its module, so it is dead if no public "
        "function calls it, directly or indirectly.",
        remedy="Remove the function (--fix does), or make it public if it is an entry point.",
        bad="""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @left_over(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}""",
        good="""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @helper(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @helper(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}""",
        check=_dead_functions,
        fixable=True,
    ),
    Rule(
        code="D103",
        name="unused-argument",
        summary="Unused function argument",
        why="Callers compute and transfer the argument for nothing. Off by default: exporters keep unused "
        "inputs to preserve the signature of the source function.",
        remedy="Remove the argument from the signature and the calls, or remove the input in the source "
        "(jax.jit does, unless keep_unused=True).",
        bad="""func.func @main(%x: tensor<4xf32>, %unused: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}""",
        good="""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}""",
        check=_unused_arguments,
        default=False,
    ),
)
