"""Texts designed to exhaust time, memory or the stack. Run with names to check each within 2 GB."""

from __future__ import annotations

import multiprocessing
import resource
import sys
from collections.abc import Callable

from checking import check

DEEP = 100_000
MEMORY = 2 << 30
SECONDS = 300  # for the slowest machine: one that does not end takes for ever

Text = Callable[[], str]


def constant(value: str, type: str) -> str:
    return f'%0 = "stablehlo.constant"() <{{value = {value} : {type}}}> : () -> {type}'


def attribute(value: str) -> str:
    return f"module attributes {{a = {value}}} {{}}"


def nested(opening: str, inside: str, closing: str) -> str:
    return opening * DEEP + inside + closing * DEEP


TEXTS: dict[str, Text] = {
    "regions": lambda: nested('"stablehlo.case"(%i) ({\n', "", "\n}) : (tensor<i32>) -> ()"),
    "modules": lambda: nested("module {\n", "", "}\n"),
    "open regions": lambda: '"stablehlo.case"(%i) ({' * DEEP,
    "arrays": lambda: attribute(nested("[", "", "]")),
    "open arrays": lambda: attribute("[" * DEEP),
    "dictionaries": lambda: attribute(nested("{a = ", "1", "}")),
    "structures": lambda: attribute(nested("#stablehlo.dot<lhs_batching_dimensions = ", "1", ">")),
    "unknown attributes": lambda: attribute(nested("#x.y<", "", ">")),
    "tuples": lambda: f"func.func private @f({nested('tuple<', '', '>')})",
    "open tuples": lambda: f"func.func private @f({'tuple<' * DEEP}",
    "futures": lambda: f"func.func private @f({nested('!stablehlo.future<', '', '>')})",
    "function types": lambda: attribute(nested("(", "i1", ") -> i1")),
    "unknown types": lambda: f"func.func private @f({nested('!x.y<', '', '>')})",
    "encodings": lambda: f"func.func private @f({nested('tensor<f32, ', 'unit', '>')})",
    "locations": lambda: f"module {{}} loc({nested('callsite(', 'unknown', ' at unknown)')})",
    "fused locations": lambda: f"module {{}} loc({nested('fused[', 'unknown', ']')})",
    "lists": lambda: constant(f"dense<{nested('[', '1', ']')}>", "tensor<1xi32>"),
    "open lists": lambda: constant(f"dense<{'[' * DEEP}1>", "tensor<1xi32>"),
    "a large type": lambda: "func.func private @f(tensor<999999999999x999999999999xf32>)",
    "a large tensor": lambda: (
        "func.func @f(%a: tensor<999999999999x999999999999xf32>) -> tensor<999999999999x999999999999xf32> {\n"
        "  %0 = stablehlo.add %a, %a : tensor<999999999999x999999999999xf32>\n"
        "  return %0 : tensor<999999999999x999999999999xf32>\n}"
    ),
    "a large splat": lambda: constant("dense<1.0>", "tensor<1000000000000000xf32>"),
    "a large splat of bits": lambda: constant('dense<"0x01">', "tensor<1000000000000000xi8>"),
    "too few bytes": lambda: constant('dense<"0x00010203">', "tensor<1000000000xi32>"),
    "too few bits": lambda: constant('dense<"0x01">', "tensor<1000000000xi1>"),
    "a large iota": lambda: "%0 = stablehlo.iota dim = 0 : tensor<999999999999999999xi64>",
    "many dimensions": lambda: f"func.func private @f(tensor<{'2x' * DEEP}f32>)",
    "a wide integer": lambda: "func.func private @f(tensor<2xi99999999999999999999>)",
    "a long number": lambda: constant(f"dense<{'9' * 1_000_000}>", "tensor<i64>"),
    "a long exponent": lambda: constant(f"dense<1.0e{'9' * 100_000}>", "tensor<f64>"),
    "a long dimension": lambda: f"func.func private @f(tensor<{'9' * 100_000}xf32>)",
    "a long pattern": lambda: constant(f"dense<0x{'F' * 1_000_000}>", "tensor<f32>"),
    "huge padding": lambda: (
        "func.func @f(%a: tensor<1xf32>, %b: tensor<f32>) {\n"
        "  %0 = stablehlo.pad %a, %b, low = [9223372036854775807], high = [9223372036854775807], "
        "interior = [9223372036854775807] : (tensor<1xf32>, tensor<f32>) -> tensor<?xf32>\n  return\n}"
    ),
    "large process groups": lambda: (
        "func.func @f(%a: tensor<4xf32>) {\n"
        '  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = '
        "dense<0> : tensor<1000000000000x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>\n  return\n}"
    ),
    "large padding": lambda: (
        "func.func @f(%a: tensor<1x4x2xf32>, %b: tensor<1x2x3xf32>) {\n"
        '  %0 = "stablehlo.convolution"(%a, %b) <{padding = dense<0> : tensor<1000000000000x2xi64>, '
        "dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, "
        "batch_group_count = 1 : i64}> : (tensor<1x4x2xf32>, tensor<1x2x3xf32>) -> tensor<1x4x3xf32>\n"
        "  return\n}"
    ),
    "a large list": lambda: (
        "func.func @f(%a: tensor<1xf32>) {\n"
        '  %0 = "stablehlo.reverse"(%a) <{dimensions = dense<0> : tensor<1000000000000xi64>}> '
        ": (tensor<1xf32>) -> tensor<1xf32>\n  return\n}"
    ),
    "a large list of booleans": lambda: (
        "func.func @f(%a: tensor<1x4x2xf32>, %b: tensor<1x2x3xf32>) {\n"
        '  %0 = "stablehlo.convolution"(%a, %b) <{window_reversal = dense<true> : tensor<1000000000000xi1>, '
        "dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, "
        "batch_group_count = 1 : i64}> : (tensor<1x4x2xf32>, tensor<1x2x3xf32>) -> tensor<1x4x3xf32>\n"
        "  return\n}"
    ),
    "a splat beyond bounds": lambda: constant("dense<1.0>", "tensor<999999999999x999999999999xf32>"),
    "a large shape": lambda: (
        "func.func @f(%a: tensor<1xf32>, %b: tensor<999999999999xi64>) {\n"
        "  %0 = stablehlo.dynamic_reshape %a, %b "
        ": (tensor<1xf32>, tensor<999999999999xi64>) -> tensor<1xf32>\n  return\n}"
    ),
    "a large constant shape": lambda: (
        "func.func @f(%a: tensor<1xf32>) {\n  %b = stablehlo.constant dense<1> : tensor<999999999999xi64>\n"
        "  %0 = stablehlo.dynamic_reshape %a, %b "
        ": (tensor<1xf32>, tensor<999999999999xi64>) -> tensor<1xf32>\n  return\n}"
    ),
    "a large layout": lambda: (
        "func.func @f() {\n"
        '  "stablehlo.custom_call"() <{call_target_name = "x", operand_layouts = [], '
        "result_layouts = [dense<0> : tensor<999999999999xindex>]}> : () -> tensor<i8>\n  return\n}"
    ),
    "many dimensions of a result": lambda: (
        "func.func @f() {\n  %n = stablehlo.constant dense<1> : tensor<999999999999xi64>\n"
        "  %0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<999999999999xi64>) -> tensor<4xf32>\n  return\n}"
    ),
    "cyclic aliases": lambda: "#a = [#b]\n#b = [#a]\n" + attribute("#a"),
    "an alias of itself": lambda: "!t = tuple<!t>\nfunc.func private @f(!t)",
    "cyclic locations": lambda: "#loc1 = loc(#loc2)\n#loc2 = loc(#loc1)\nmodule {} loc(#loc1)",
    "aliases in a row": lambda: (
        "#a0 = 1\n" + "".join(f"#a{i} = [#a{i - 1}]\n" for i in range(1, DEEP)) + attribute(f"#a{DEEP - 1}")
    ),
    "type aliases in a row": lambda: (
        "!t0 = i1\n"
        + "".join(f"!t{i} = tuple<!t{i - 1}>\n" for i in range(1, DEEP))
        + f"func.func private @f(!t{DEEP - 1})"
    ),
    "doubling aliases": lambda: (
        "#a0 = 1\n" + "".join(f"#a{i} = [#a{i - 1}, #a{i - 1}]\n" for i in range(1, 64)) + attribute("#a63")
    ),
    "doubling types": lambda: (
        "!t0 = i1\n"
        + "".join(f"!t{i} = tuple<!t{i - 1}, !t{i - 1}>\n" for i in range(1, 64))
        + "func.func private @f(!t63)"
    ),
    "NUL bytes": lambda: "\0" * DEEP + "module {\0}",
    "bytes that are no text": lambda: bytes(range(128, 256)).decode("utf-8", "surrogateescape") * 1000,
    "a long line": lambda: "// " + "x" * 50_000_000,
    "a long name": lambda: f"func.func private @{'x' * 5_000_000}()",
    "a long string": lambda: attribute('"' + "x" * 5_000_000 + '"'),
    "an open string": lambda: attribute('"' + "x" * 5_000_000),
    "an open list of numbers": lambda: constant("dense<[" + "1," * 1_000_000, "tensor<1000000xi32>"),
    "brackets": lambda: "(" * 1_000_000,
    "many errors": lambda: "%0 = stablehlo.nothing %a\n" * 20_000,
    "many unknown values": lambda: (
        "func.func @f() {\n" + '  "stablehlo.add"(%a, %b) : (i1, i1) -> i1\n' * 5000 + "}"
    ),
    "many results": lambda: '%0:999999999999 = "stablehlo.case"() : () -> ()',
    "a result of many": lambda: "func.func @f() { return %0#999999999999999999999 : i1 }",
    "a large resource": lambda: (
        'module {}\n{-# dialect_resources: { builtin: { x: "0x' + "00" * 5_000_000 + '" } } #-}'
    ),
}


def check_within_limits(name: str) -> None:
    text = TEXTS[name]()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    check(text)


def main(names: list[str]) -> int:
    """Check each text in a process of its own, which has what this one has imported; name those that fail."""
    start = multiprocessing.get_context("fork").Process
    failed = []
    for name in names:
        process = start(target=check_within_limits, args=(name,))
        process.start()
        process.join(SECONDS)
        if process.exitcode != 0:
            failed.append(f"{name}: exit code {process.exitcode}")
            process.kill()
            process.join()
    print("\n".join(failed), file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
