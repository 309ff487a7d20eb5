"""Family K: constants and common subexpressions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from stablehlo_py.ir.attributes import DenseElementsAttr, DenseResourceAttr
from stablehlo_py.ir.core import Operation
from stablehlo_py.linter.context import LintContext, duplicates
from stablehlo_py.linter.rule import Finding, Rule
from stablehlo_py.linter.settings import Settings
from stablehlo_py.opset.definition import has_trait


def _large_constants(context: LintContext, settings: Settings) -> Iterator[Finding]:
    for op in context.having("constant"):
        size = _stored_bytes(context, op)
        if size > settings.max_constant_bytes:
            message = f"constant of {size:,} bytes exceeds the limit of {settings.max_constant_bytes:,}"
            yield Finding(op, message, (str(op.results[0].type),))


def _stored_bytes(context: LintContext, op: Operation) -> int:
    """Return the stored size of a constant in bytes; a splat stores one element."""
    value = op.attribute("value")
    if isinstance(value, DenseElementsAttr):
        return int(value.data.nbytes)
    if isinstance(value, DenseResourceAttr):
        return len(context.module.resources.get(value.key, b""))
    return 0


def _elided_constants(context: LintContext, settings: Settings) -> Iterator[Finding]:
    resources = context.module.resources
    for op in context.ops:
        for value in (*op.properties.values(), *op.attributes.values()):
            if isinstance(value, DenseResourceAttr) and value.key not in resources:
                why = "was elided when the program was printed" if value.is_elided else "is not in the file"
                yield Finding(op, f"the data of dense_resource<{value.key}> {why}", (str(value.type),))


def _duplicate_constants(context: LintContext, settings: Settings) -> Iterator[Finding]:
    least = settings.min_duplicate_bytes
    large = [op for op in context.having("constant") if _stored_bytes(context, op) >= least]
    for op, original in duplicates(large):
        yield _again(context, op, original)


def _duplicate_expressions(context: LintContext, settings: Settings) -> Iterator[Finding]:
    for op, original in duplicates(context.ops):
        if not has_trait(op.name, "constant"):
            yield _again(context, op, original)


def _again(context: LintContext, op: Operation, original: Operation) -> Finding:
    names = ", ".join(map(str, op.results))
    same = ", ".join(map(str, original.results))
    line = context.line(original)
    where = f" of line {line}" if line else ""
    return Finding(op, f"{names} duplicates {same}{where}", fix=partial(_merge, op, original))


def _merge(op: Operation, original: Operation) -> tuple[Operation]:
    for old, new in zip(op.results, original.results, strict=True):
        old.replace_all_uses(new)
    return (op,)


RULES = (
    Rule(
        code="K101",
        name="large-constant",
        summary="Large constant in the program's text",
        why="Large constants in the text make a program slow to print, parse, compare and compile, and every "
        "compiled program holds a copy of them. A splat counts as one element.",
        remedy="Pass the array as an argument. The limit is max-constant-bytes.",
        bad="""func.func @main() -> tensor<4xf32> {
  %0 = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  return %0 : tensor<4xf32>
}""",
        good="""func.func @main(%weights: tensor<4xf32>) -> tensor<4xf32> {
  return %weights : tensor<4xf32>
}""",
        check=_large_constants,
        options=("max-constant-bytes",),
        example_settings=(("max-constant-bytes", 8),),
    ),
    Rule(
        code="K102",
        name="elided-constant",
        summary="Constant whose data is not in the file",
        why="Printers elide large constants on request, for readability. The text is then incomplete: it can "
        "be verified, but neither run nor compiled.",
        remedy="Export the program with all its data (no elideLargeElementsAttrs, no large_elements_limit).",
        bad="""func.func @main() -> tensor<4096xf32> {
  %0 = stablehlo.constant dense_resource<__elided__> : tensor<4096xf32>
  return %0 : tensor<4096xf32>
}""",
        good="""func.func @main() -> tensor<4096xf32> {
  %0 = stablehlo.constant dense<0.0> : tensor<4096xf32>
  return %0 : tensor<4096xf32>
}""",
        check=_elided_constants,
        severity="error",
    ),
    Rule(
        code="K103",
        name="duplicate-constant",
        summary="Duplicate constant in a block",
        why="Each copy is stored, printed and parsed. Constants smaller than min-duplicate-bytes are "
        "ignored: exporters emit the same zero wherever they need one.",
        remedy="Use the first constant (--fix does).",
        bad="""func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = stablehlo.add %x, %a : tensor<2xf32>
  %1 = stablehlo.multiply %x, %b : tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}""",
        good="""func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = stablehlo.add %x, %a : tensor<2xf32>
  %1 = stablehlo.multiply %x, %a : tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}""",
        check=_duplicate_constants,
        fixable=True,
        options=("min-duplicate-bytes",),
        example_settings=(("min-duplicate-bytes", 8),),
    ),
    Rule(
        code="K104",
        name="duplicate-expression",
        summary="Op that repeats an earlier op of its block with the same operands",
        why="The value is computed twice unless a compiler eliminates common subexpressions; the interpreter "
        "does not. Off by default: most compilers do.",
        remedy="Use the result of the first op (--fix does).",
        bad="""func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.exponential %x : tensor<2xf32>
  %1 = stablehlo.exponential %x : tensor<2xf32>
  %2 = stablehlo.add %0, %1 : tensor<2xf32>
  return %2 : tensor<2xf32>
}""",
        good="""func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.exponential %x : tensor<2xf32>
  %1 = stablehlo.add %0, %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}""",
        check=_duplicate_expressions,
        default=False,
        fixable=True,
    ),
)
