"""The documentation of family P, beside `portability`, which finds what it is about."""

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
        summary="A custom_call whose target is on no list of stable ones",
        why="What a target means is up to the program that registers it: other tools cannot run the call, "
        "and a later version of the same tool may not know it any more.",
        remedy="Express the call in StableHLO, or list its target in allowed-custom-calls. The targets that "
        "JAX guarantees are allowed from the start, and those of allowed dialects (check.expect_close).",
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
        summary="An op of CHLO, the client dialect",
        why="CHLO has no guarantee of compatibility: consumers expand its ops before they do anything else, "
        "each in its own way. Off by default: current versions of JAX write erf, square and others this "
        "way.",
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
        summary="A composite in the program",
        why="A consumer that knows the composite by name replaces it, others run its decomposition: the "
        "results may differ. Off by default: composites are left in a program on purpose.",
        remedy="Inline the decomposition (the pass stablehlo-legalize-composite-to-call) where no consumer "
        "knows it.",
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
        summary="An op of a dialect that is not StableHLO's",
        why="Consumers of StableHLO know its own ops and func's. Others were left by a conversion that did "
        "not finish.",
        remedy="Finish the conversion, or list the dialect in allowed-dialects.",
        bad="""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.constant 1 : i32
  return %x : tensor<4xf32>
}""",
        good=_PLAIN,
        check=portability.foreign_dialects,
        options=("allowed-dialects",),
    ),
    Rule(
        code="P105",
        name="deprecated-op",
        summary="An op that the specification means to remove",
        why="Consumers may stop to support it, and tools no longer optimise it.",
        remedy="Use what the note names.",
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
        summary="Text as earlier releases wrote it",
        why="It still parses, and means the same; other tools, and later versions, may not read it.",
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
        summary="A value whose shape is not known before the program runs",
        why="Not every consumer takes dynamic shapes. Off by default: where they are, they are meant. Only "
        "where they come from is reported: arguments, and ops that make them of values of known shape.",
        remedy="Specialise the program to the shapes it is used with.",
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
        why="Consumers that plan their memory beforehand take a dynamic dimension only with its greatest "
        "size. Off by default, as dynamic-dimension is.",
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
        summary="Ops that do not say where they come from",
        why="Locations take errors, profiles and NaN checks back to the line of Python that made the op. "
        "Off by default: printers leave them out unless they are asked.",
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
        summary="A backend_config that holds an address of the process that wrote it",
        why="The address is that of a callback or a descriptor in memory: any other process that runs the "
        "program reads what happens to be there. A program that differs from run to run cannot be cached "
        "either. Numbers and eight bytes count that lie where Linux puts heaps, libraries and stacks.",
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
        summary="An op, type or attribute that the target version cannot read",
        why="A consumer of an older version rejects the whole artifact. `shlo lint --min-version` prints "
        "the oldest version that a program can be written for, and what keeps it from an older one.",
        remedy="Express it by older means, or raise target. Without a target, nothing is reported.",
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
