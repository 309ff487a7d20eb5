"""Family D: what a program holds and does not need."""

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
        message = f"{names} of {op.name} is used nowhere"
        if others:
            message += f", and {counted(len(others), 'op')} only for its sake"
        yield Finding(op, message, fix=partial(tuple, group))


def _dead_functions(context: LintContext, settings: Settings) -> Iterator[Finding]:
    for function in context.dead_functions:
        name = function.python_value("sym_name")
        yield Finding(function, f"private function @{name} is never called", fix=partial(tuple, [function]))


def _unused_arguments(context: LintContext, settings: Settings) -> Iterator[Finding]:
    for name, function in context.functions.items():
        for argument in function.regions[0].blocks[0].arguments:
            if not argument.uses:
                yield Finding(argument, f"@{name} does not use its argument {argument}")


RULES = (
    Rule(
        code="D101",
        name="dead-op",
        summary="An op whose results nothing needs",
        why="It costs parsing, compiling and memory, and it misleads a reader who takes it for part of the "
        "computation. Ops with side effects, and what contains them, are never dead.",
        remedy="Remove it (--fix does), or return what it computes if that was meant.",
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
        summary="A private function that is never called",
        why="Nothing outside of a module can call a private function, so one that no public function comes "
        "to, directly or through others, is left over.",
        remedy="Remove it (--fix does), or make it public if it is an entry of its own.",
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
        summary="An argument that its function does not use",
        why="A caller has to make it and move it for nothing. Off by default: exporters keep unused inputs "
        "so that a program's signature is that of the source it came from.",
        remedy="Take it out of the function's signature and of its calls, or drop the input in the source "
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
