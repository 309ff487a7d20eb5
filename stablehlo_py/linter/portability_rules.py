"""The rules of family P; `portability` has their checks."""

from __future__ import annotations

from stablehlo_py.linter import portability
from stablehlo_py.linter.rule import Rule

_PLAIN = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.tanh %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}"""

RULES = (
    Rule(
        code="P101",
        name="custom-call-target",
        summary="custom_call with a target that is not known to be stable",
        why="The meaning of a target is defined by the program that registers it: other tools cannot run the "
        "call, and a later version of the same tool may not support it.",
        remedy="Express the call in StableHLO, or add its target to allowed-custom-calls. The targets that "
        "JAX guarantees are allowed by default, as are those of allowed dialects (check.expect_close).",
        bad="""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @my_kernel(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}""",
        good=_PLAIN,
        check=portability.custom_calls,
        options=("allowed-custom-calls", "allowed-dialects"),
    ),
    Rule(
        code="P102",
        name="chlo-op",
        summary="Op of CHLO, the client dialect",
        why="CHLO has no compatibility guarantees: every consumer expands its ops first, in its own way. "
        "Off by default: current versions of JAX emit CHLO for erf, square and others.",
        remedy="Expand CHLO before exporting (the pass chlo-legalize-to-stablehlo).",
        bad="""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = chlo.square %x : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}""",
        good="""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.multiply %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}""",
        check=portability.chlo_ops,
        default=False,
    ),
    Rule(
        code="P103",
        name="composite-op",
        summary="Composite op",
        why="A consumer that supports the composite replaces it, others run its decomposition: the results "
        "may differ. Off by default: composites are usually intentional.",
        remedy="Inline the decomposition (the pass stablehlo-legalize-composite-to-call) if no consumer "
        "supports the composite.",
        bad="""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.composite "my.tanh" %x {decomposition = @tanh} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @tanh(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.tanh %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}""",
        good=_PLAIN,
        check=portability.composites,
        default=False,
    ),
    Rule(
        code="P104",
        name="foreign-dialect",
        summary="Op of a dialect other than StableHLO",
        why="Consumers of StableHLO support its ops and those of func. Ops of other dialects usually remain "
        "from an incomplete conversion. Allowed by default are the dialects that torch-mlir converts to "
        "along with StableHLO, such as arith and tensor.",
        remedy="Complete the conversion, or add the dialect to allowed-dialects.",
        bad="""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.constant 1 : i32
  return %x : tensor<4xf32>
}""",
        good=_PLAIN,
        check=portability.foreign_dialects,
        options=("allowed-dialects",),
        example_settings=(("allowed-dialects", ()),),
    ),
    Rule(
        code="P105",
        name="deprecated-op",
        summary="Op that the specification plans to remove",
        why="Consumers may drop support for the op, and tools no longer optimize it.",
        remedy="Use the replacement in the note.",
        bad="""func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.dot %x, %y : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}""",
        good="""func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
    : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}""",
        check=portability.deprecated_ops,
    ),
    Rule(
        code="P106",
        name="old-spelling",
        summary="Syntax of an earlier release",
        why="It still parses, with the same meaning; other tools, and later versions, may not support it.",
        remedy="Print the program again (--fix does, and so does shlo fmt).",
        bad="""func.func @main(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = "stablehlo.transpose"(%x) {permutation = dense<[1, 0]> : tensor<2xi64>}
    : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}""",
        good="""func.func @main(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = "stablehlo.transpose"(%x) <{permutation = array<i64: 1, 0>}> : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}""",
        check=portability.old_spellings,
        severity="note",
        fixable=True,
    ),
    Rule(
        code="P107",
        name="dynamic-dimension",
        summary="Value with a dynamic dimension",
        why="Not every consumer supports dynamic shapes. Off by default: they are usually intentional. Only "
        "origins are reported: arguments, and ops with static operands and dynamic results.",
        remedy="Specialize the program to the shapes in use.",
        bad="""func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}""",
        good=_PLAIN,
        check=portability.dynamic_dimensions,
        default=False,
    ),
    Rule(
        code="P108",
        name="unbounded-dimension",
        summary="A dynamic dimension without a bound",
        why="Consumers that allocate memory in advance require an upper bound of every dynamic dimension. "
        "Off by default, as is dynamic-dimension.",
        remedy="State the bound in the type: tensor<?xf32, #stablehlo.bounds<128>>.",
        bad="""func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}""",
        good="""func.func @main(%x: tensor<?xf32, #stablehlo.bounds<128>>)
    -> tensor<?xf32, #stablehlo.bounds<128>> {
  return %x : tensor<?xf32, #stablehlo.bounds<128>>
}""",
        check=portability.unbounded_dimensions,
        default=False,
    ),
    Rule(
        code="P109",
        name="missing-location",
        summary="Op without a location",
        why="Locations map errors, profiles and NaN checks to the line of Python that created the op. "
        "Off by default: printers omit locations unless requested.",
        remedy="Print with debug information: in JAX, lowered.as_text(debug_info=True).",
        bad=_PLAIN,
        good="""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.tanh %x : tensor<4xf32> loc("model.py":3:9)
  return %0 : tensor<4xf32> loc("model.py":4:2)
}""",
        check=portability.missing_locations,
        default=False,
    ),
    Rule(
        code="P110",
        name="pointer-in-backend-config",
        summary="backend_config with a memory address of the process that wrote it",
        why="The address is that of a callback or descriptor in memory; any other process that runs the "
        "program reads arbitrary memory there. A program that differs from run to run cannot be cached "
        "either. Reported are numbers and 8-byte strings in the range of Linux heaps, libraries and stacks.",
        remedy="Export without host callbacks (jax.pure_callback, jax.debug.print), or register the call by "
        "name.",
        bad="""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @lapack_call_ffi(%x) {backend_config = "140093452320912"}
    : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}""",
        good="""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @lapack_call_ffi(%x) {backend_config = "width=128"}
    : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}""",
        check=portability.pointers,
    ),
    Rule(
        code="V101",
        name="newer-than-target",
        summary="Op, type or attribute that the target version does not support",
        why="A consumer of an older version rejects the whole artifact. `shlo lint --min-version` prints "
        "the oldest version that supports a program, and what prevents an older one.",
        remedy="Use features of the target version, or raise target. Without a target, nothing is reported.",
        bad="""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.tan %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}""",
        good="""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.sine %x : tensor<4xf32>
  %1 = stablehlo.cosine %x : tensor<4xf32>
  %2 = stablehlo.divide %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}""",
        check=portability.newer_than_target,
        severity="error",
        options=("target",),
        example_settings=(("target", "1.3.0"),),
    ),
)
