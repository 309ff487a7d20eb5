"""Programs shared by tests of the command line."""

from __future__ import annotations

GOOD = """module {
  func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.abs %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
"""
# Breaks abs C1 on line 3, and nothing else.
BAD = GOOD.replace(
    "stablehlo.abs %arg0 : tensor<2xf32>", '"stablehlo.abs"(%arg0) : (tensor<2xf32>) -> tensor<3xf32>'
).replace("return %0", "return %arg0")
BROKEN = GOOD.replace("%0 = stablehlo.abs", "%0 = = stablehlo.abs")
SPLIT = "// -----\n"


def large(ops: int) -> str:
    """A program of one function with a great many ops."""
    body = "".join(f"  %{i} = stablehlo.abs %{i - 1 if i else 'a'} : tensor<2xf32>\n" for i in range(ops))
    return f"func.func @main(%a: tensor<2xf32>) {{\n{body}  return\n}}\n"
