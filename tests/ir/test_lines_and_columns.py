"""Lines and columns of texts, and what torch_xla writes into names of locations."""

from __future__ import annotations

import json
from typing import Any

import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.locations import UNKNOWN, CallSiteLoc, FileLoc, Location, NameLoc, Source
from stablehlo_py.ir.torch_locations import described
from stablehlo_py.ir.types import IntegerType

TEXT = "ab\n\nc\u00e9\U0001f600d\r\nlast"


@pytest.mark.parametrize(
    ("offset", "line", "column"),
    [
        *((0, 1, 1), (1, 1, 2), (2, 1, 3)),  # a line ends behind its terminator
        (3, 2, 1),
        *((4, 3, 1), (7, 3, 4), (8, 3, 5), (9, 3, 6)),
        *((10, 4, 1), (13, 4, 4), (14, 4, 5)),  # and behind the end of the text
    ],
)
@pytest.mark.parametrize("first", [1, 7])
def test_positions(offset: int, line: int, column: int, first: int) -> None:
    assert Source("t", TEXT, first).position(offset) == (line + first - 1, column)
    assert Source("t", TEXT, first).part(3, 9).position(offset) == (line + first - 1, column)


def test_lines_of_a_text() -> None:
    source = Source("t", TEXT, 5)
    assert [source.line(number) for number in range(5, 9)] == ["ab", "", "c\u00e9\U0001f600d\r", "last"]
    assert source.part(3, 9).program == TEXT[3:9] and source.program == TEXT
    assert [Source("t", text).line(1) for text in ("", "a", "a\n", "\nb")] == ["", "a", "a", ""]
    assert Source("t", "\n").position(1) == (2, 1) and Source("t", "").position(0) == (1, 1)


def test_what_has_no_text_has_no_position() -> None:
    module = shlo.parse("func.func @f() {\n  return\n}\nfunc.func @g() {\n  return\n}")
    assert repr(module) == "<Module '<string>' of f, g>"
    assert repr(Module()).endswith("of no functions>")
    (function, _) = module.body.ops
    made = Operation("func.return")
    assert (made.offset, made.end) == (-1, -1)
    assert module.line(function) == 1 and module.line(function.blocks[0].ops[0]) == 2
    assert module.line(made) == 0


def test_what_was_made_has_the_position_of_its_origin_or_of_what_is_around_it() -> None:
    text = "module {\n  func.func @f(%c: i1) {\n    cf.br ^a\n  ^a:\n    return\n  }\n}"
    module = shlo.parse(text)
    block = module.functions["f"].regions[0].blocks[1]
    made = block.append(Operation("a.b"))
    argument = block.add_argument(IntegerType(1))
    assert (module.position(argument), module.position(made)) == ((4, 3), (2, 3))
    made.origin = text.index("return")
    assert module.position(made) == (5, 5)
    made.origin = 0
    assert module.position(made) == (1, 1)
    block.offset = 0
    assert module.position(argument) == (1, 1)


MODEL, OTHER, TORCH = "/m/net.py", "/m/run.py", "/v/site-packages/torch/nn/module.py"


def frame(file: str, line: int, function: str = "") -> str:
    return f'  File "{file}", line {line}' + (f", in {function}" if function else "") + "\n    x = y\n"


def trace(*frames: str) -> str:
    return "Traceback:\n" + "".join(frames)


DATA: list[tuple[dict[str, Any], Location]] = [
    ({}, UNKNOWN),
    ({"torch_fn": "linear_1;builtin.linear"}, NameLoc("linear", UNKNOWN)),
    ({"stack_trace": trace(frame(MODEL, 7))}, FileLoc(MODEL, 7, 0)),
    ({"stack_trace": trace(frame(MODEL, 7, "f"))}, NameLoc("f", FileLoc(MODEL, 7, 0))),
    (  # the last line is the innermost; lines of PyTorch are left out
        {"stack_trace": trace(frame(OTHER, 3, "main"), frame(TORCH, 5, "call"), frame(MODEL, 7, "f"))},
        CallSiteLoc(NameLoc("f", FileLoc(MODEL, 7, 0)), NameLoc("main", FileLoc(OTHER, 3, 0))),
    ),
    ({"stack_trace": trace(frame(TORCH, 5))}, FileLoc(TORCH, 5, 0)),  # unless there is nothing else
    (
        {
            "stack_trace": trace(frame(MODEL, 7)),
            "nn_module_stack": "L__self__,,net.Net;0,L['self'].layers.0,net.Block;"
            "fc,L['self'].layers.0.fc,Linear",
            "torch_fn": "linear_1;builtin.linear",
        },
        NameLoc("layers/0/fc/linear", FileLoc(MODEL, 7, 0)),
    ),
    ({"nn_module_stack": "fc,L['self'].fc,Linear"}, NameLoc("fc", UNKNOWN)),
]


@pytest.mark.parametrize(("data", "expected"), DATA)
@pytest.mark.parametrize("is_marked", [True, False])
def test_names_of_torch_xla(data: dict[str, Any], expected: Location, is_marked: bool) -> None:
    text = json.dumps(data)
    name = f"x<XLA_MLIR_DEBUGINFO_BEGIN>{text}<XLA_MLIR_DEBUGINFO_END>y" if is_marked else text
    given = NameLoc(name, UNKNOWN)
    assert described(given) == expected


@pytest.mark.parametrize(
    "name", ["add", "{", "{1}", "[{}]", '{"a": 1}', '{"a": {"b": "c"}}', "{" * 100_000, '"{}"']
)
def test_other_names_stay_as_they_are(name: str) -> None:
    for given in (NameLoc(name, UNKNOWN), NameLoc(name, FileLoc("f", 1, 2)), FileLoc("{}", 1, 2), None):
        assert described(given) is given
    inner = NameLoc('{"torch_fn": "a;b.c"}', FileLoc("f", 1, 2))  # with a position of its own
    assert described(inner) is inner
