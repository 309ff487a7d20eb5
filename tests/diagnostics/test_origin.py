"""Descriptions of locations: the innermost position, the scope's name, the callers."""

from __future__ import annotations

import json

import pytest

import stablehlo_py as shlo
from stablehlo_py.diagnostics.diagnostic import Frame
from stablehlo_py.diagnostics.origin import (
    file_and_line,
    frames,
    names_of,
    origin,
    positions,
    python_line,
    scope_name,
)
from stablehlo_py.ir.locations import CallSiteLoc, FileLoc, Location

PROGRAM = """func.func @f(%a: tensor<2xf32>) {{
  %0 = "stablehlo.abs"(%a) : (tensor<2xf32>) -> tensor<3xf32> loc({})
  return
}}
"""


@pytest.mark.parametrize(
    ("location", "notes"),
    [
        ("unknown", []),
        ('"m.py":1:2', ["from m.py:1:2"]),
        ('"m.py":1:2 to :22', ["from m.py:1:2"]),
        ('"jit(f)/abs"', ["from jit(f)/abs"]),
        ('"jit(f)/abs"("m.py":1:2)', ["from m.py:1:2 (jit(f)/abs)"]),
        ('fused["m.py":1:2, "n.py":3:4]', ["from m.py:1:2"]),
        ('fused<"pass">[unknown, "n.py":3:4]', ["from n.py:3:4"]),
        (
            '"jit(f)/abs"(callsite("g"("m.py":1:2) at callsite("f"("m.py":3:4) at "main.py":9:8)))',
            ["from m.py:1:2, in g (jit(f)/abs)", "  called from m.py:3:4, in f", "  called from main.py:9:8"],
        ),
    ],
)
def test_a_finding_tells_where_the_op_was_made(location: str, notes: list[str]) -> None:
    (diagnostic,) = shlo.verify(shlo.parse(PROGRAM.format(location)))
    assert [n for n in diagnostic.notes if n.lstrip().startswith(("from", "called"))] == notes


def test_a_finding_has_the_positions_as_data() -> None:
    location = '"jit(f)/abs"(callsite("g"("m.py":1:2) at "main.py":9:8))'
    (diagnostic,) = shlo.verify(shlo.parse(PROGRAM.format(location)))
    assert diagnostic.origin == (("m.py", 1, 2, "g"), ("main.py", 9, 8, ""))
    assert shlo.verify(shlo.parse(PROGRAM.format("unknown")))[0].origin == ()


def test_no_more_than_four_positions_are_told() -> None:
    location: Location = FileLoc("main.py", 0, 1)
    for line in range(1, 9):
        location = CallSiteLoc(FileLoc("m.py", line, 1), location)
    assert origin(location) == [
        "from m.py:8:1",
        "  called from m.py:7:1",
        "  called from m.py:6:1",
        "  called from m.py:5:1",
        "  ...",
    ]


def of_torch(**metadata: str) -> str:
    """A location of torch_xla: metadata of a node of `torch.export` as the name, in the text of a program."""
    return json.dumps(json.dumps(metadata))


FRAME = 'File "/home/u/{}", line {}, in forward\n    a line of the file'
LIBRARY = 'File "/v/lib/python3.11/site-packages/torch/nn/modules/linear.py", line 134, in forward\n  x'
STACK = "L__self__,,m.M;L__self__layers.0,layers.0,m.Block;L__self__layers.0.fc1,layers.0.fc1,torch.nn.Linear"


@pytest.mark.parametrize(
    ("location", "notes"),
    [
        (
            of_torch(
                stack_trace="\n".join(
                    [FRAME.format("model.py", 150), FRAME.format("model.py", 146), LIBRARY]
                ),
                nn_module_stack=STACK,
                torch_fn="linear_1;builtin_function_or_method.linear",
            ),
            [
                "from /home/u/model.py:146, in forward (layers/0/fc1/linear)",
                "  called from /home/u/model.py:150, in forward",
            ],
        ),
        (of_torch(stack_trace=FRAME.format("m.py", 7)), ["from /home/u/m.py:7 (forward)"]),
        (
            of_torch(stack_trace=LIBRARY, torch_fn="f_1;C.f"),
            [f"from {LIBRARY[6 : LIBRARY.index(',') - 1]}:134, in forward (f)"],
        ),
        (of_torch(nn_module_stack="L__self__,L['self'].a.b,m.M"), ["from a/b"]),
        ('"{}"', []),
        ('"{\\"a\\": [1]}"', ['from {"a": [1]}']),
        ('"{x}"', ["from {x}"]),
        ('"' + "{\\22a\\22:" * 5000 + '"', ["from " + '{"a":' * 5000]),
        ('"{}"("m.py":1:2)', ["from m.py:1:2 ({})"]),
        (
            '"<XLA_MLIR_DEBUGINFO_BEGIN>'
            + of_torch(torch_fn="f_1;C.f")[1:-1]
            + '<XLA_MLIR_DEBUGINFO_END>aten__f"',
            ["from f"],
        ),
    ],
)
def test_locations_of_torch_xla(location: str, notes: list[str]) -> None:
    (diagnostic,) = shlo.verify(shlo.parse(PROGRAM.format(location)))
    assert [n for n in diagnostic.notes if n.lstrip().startswith(("from", "called"))] == notes


def test_names_of_ops_of_torch_xla() -> None:
    location = of_torch(
        stack_trace=FRAME.format("model.py", 146), nn_module_stack=STACK, torch_fn="l;T.linear"
    )
    module = shlo.parse(f"func.func @f(%a: tensor<2xf32> loc({location})) {{ return loc({location}) }}")
    function = module.functions["f"]
    assert {"layers/0/fc1/linear", "model.py:146"} <= set(names_of(function.blocks[0].ops[0]))
    # The metadata of an argument is that of its user, and names no argument.
    (argument,) = shlo.analyze(module, "f").functions["f"].signature.inputs
    assert (argument.path, argument.names) == ("a", {"a", "arg0", "in0"})


def test_the_innermost_lines_of_a_deep_stack() -> None:
    location = of_torch(stack_trace="\n".join([FRAME.format("model.py", line) for line in range(1, 5001)]))
    module = shlo.parse(f"func.func @f() {{ return loc({location}) }}")
    names = names_of(module.functions["f"].blocks[0].ops[0])
    assert "model.py:5000" in names and "model.py:4901" in names and "model.py:1" not in names


@pytest.mark.parametrize(
    ("location", "scope", "line"),
    [
        ("unknown", "", ""),
        ('"a/m.py":1:2', "", "a/m.py:1:2"),
        ('"m.py":7:0', "", "m.py:7"),
        ('"jit(f)/abs"', "jit(f)/abs", ""),
        ('"jit(f)/abs"("m.py":1:2)', "jit(f)/abs", "m.py:1:2"),
        ('callsite("g"("m.py":1:2) at "f"("n.py":3:4))', "g", "m.py:1:2"),
        ('fused["m.py":1:2, "x"("n.py":3:4)]', "x", "m.py:1:2"),
        ('fused["x", "y"("n.py":3:4)]', "x", "n.py:3:4"),
        ("fused[unknown]", "", ""),
    ],
)
def test_the_scope_and_the_line_of_a_location(location: str, scope: str, line: str) -> None:
    op = shlo.parse(PROGRAM.format(location)).functions["f"].blocks[0].ops[0]
    assert (scope_name(op.location), python_line(op)) == (scope, line)


def test_names_of_an_op() -> None:
    op = shlo.parse(PROGRAM.format('"jit(f)/x"("a/m.py":40:7)')).functions["f"].blocks[0].ops[0]
    places = ["jit(f)/x", "a/m.py:40", "m.py:40"]
    assert names_of(op) == ["%0", "0", "stablehlo.abs", "abs", *places]
    assert names_of(op, op.operands) == ["%a", "a", "stablehlo.abs", "abs", *places]
    op = shlo.parse(PROGRAM.format("unknown")).functions["f"].blocks[0].ops[0]
    assert names_of(op) == ["%0", "0", "stablehlo.abs", "abs"]


def test_positions() -> None:
    location: Location = FileLoc("main.py", 0, 1)
    for line in range(1, 9):
        location = CallSiteLoc(FileLoc("m.py", line, 1), location)
    assert [frame.line for frame in frames(location)] == [8, 7, 6, 5, 4, 3, 2, 1, 0]
    assert positions(location) == tuple(Frame("m.py", line, 1) for line in (8, 7, 6, 5))
    assert positions(None) == () and origin(None) == []
    three = CallSiteLoc(FileLoc("a", 1, 1), CallSiteLoc(FileLoc("b", 2, 0), FileLoc("c", 3, 3)))
    assert origin(three) == ["from a:1:1", "  called from b:2", "  called from c:3:3"]
    four = CallSiteLoc(FileLoc("z", 9, 9), three)
    assert origin(four) == ["from z:9:9", "  called from a:1:1", "  called from b:2", "  called from c:3:3"]


@pytest.mark.parametrize(
    ("place", "expected"),
    [("src/train.py:40:7", "train.py:40"), ("train.py:40", "train.py:40"), ("a/b", "b"), ("", "")],
)
def test_the_file_and_the_line(place: str, expected: str) -> None:
    assert file_and_line(place) == expected
