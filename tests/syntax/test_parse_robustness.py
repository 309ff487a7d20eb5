"""Any text is parsed or raises ParseError in bounded time."""

from __future__ import annotations

import contextlib
import random
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import stablehlo_py as shlo

PIECES = [
    *("func.func @f(%a: tensor<2xf32>) {", "}", "return", "%0 = stablehlo.add %a, %a : tensor<2xf32>", "\n"),
    *(
        "module {",
        '"a.b"',
        "(",
        ")",
        "[",
        "]",
        "<{",
        "}>",
        "{",
        ",",
        ":",
        "->",
        "=",
        "%a",
        "%0:2",
        "#x",
        "!y",
    ),
    *(
        "^bb0",
        "@f",
        "loc(",
        "tensor<",
        "dense<",
        ">",
        "[1, 2]",
        "1.5",
        "-",
        "0x",
        '"',
        "//",
        "{-#",
        "#-}",
        "i32",
    ),
    *(
        "\x00",
        "\udcff",
        "é",
        "x",
        "stablehlo.while(",
        "stablehlo.reduce(",
        "cond",
        "do",
        "reducer",
        "applies",
    ),
    "!quant.uniform<i8:f32, 1.0>",
]


def parses_or_reports(text: str) -> None:
    with contextlib.suppress(shlo.ParseError):
        shlo.parse(text, allow_unregistered=True)


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=40))
def test_any_sequence_of_pieces(pieces: list[str]) -> None:
    parses_or_reports(" ".join(pieces))


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60))
def test_any_text(text: str) -> None:
    parses_or_reports(text)


N = 20_000


@pytest.mark.parametrize(
    "text",
    [
        "(" * N,
        "[" * N,
        "{" * N,
        "}" * N,
        "%" * N,
        " " * 400_000,
        "x" * 400_000,
        '"' + "x" * 400_000,
        '"a ' * N,
        "tensor<" * N,
        "tensor<a " * N,
        "(tensor<f32>," * N,
        "[1," * N,
        "{-#" * N,
        "loc(" * N,
        "dense<" * N,
        "!a<" * N,
        "%0 = stablehlo.ad %0\n" * 8000,
        "func.func @f() attributes {a = " + "[" * N + "]" * N + "} { return }",
        "func.func @f(%a: " + "tuple<" * N + ">" * N + ") { return }",
        "func.func @f(%a: " + "(" * 5000 + ") -> ()" * 5000 + ") { return }",
        '"a.b"() ({' * 5000 + "}) : () -> ()" * 5000,
        "%0 = stablehlo.constant dense<" + "[" * N + "1" + "]" * N + "> : tensor<1xi32>",
        "%0 = stablehlo.constant dense<" + "9" * N + "> : tensor<i32>",
        "func.func @f(%a: tensor<999999999999x999999999999xf32>) { return }",
        "func.func @f(%a: tensor<" + "1x" * N + "f32>) { return }",
        '%0:99999999999 = "a.b"() : () -> ()',
        "\n".join(f"#a{i} = [#a{i + 1}]" for i in range(2000)),
    ],
    ids=lambda text: text[:20],
)
def test_large_and_deep(text: str) -> None:
    start = time.process_time()
    parses_or_reports(text)
    assert time.process_time() - start < 5


def test_changed_characters(testdata: Path) -> None:
    paths = sorted(testdata.rglob("*.mlir"))
    chance = random.Random(7)
    for path in chance.sample(paths, 60):
        text = path.read_text()[:4000]
        at = chance.randrange(len(text))
        parses_or_reports(
            text[:at] + chance.choice('<>(){}[]"%#!:,=x0 \n') + text[at + chance.randrange(3) :]
        )


@pytest.mark.parametrize("beside", [0, 5])
@pytest.mark.parametrize("depth", [64, 65])
def test_how_deep_regions_may_be(depth: int, beside: int) -> None:
    """Regions beside each other are of the same depth."""
    text = '"x.y"() : () -> ()'
    for _ in range(depth - 1):
        text = f'"x.y"() ({{ {text} }}) : () -> ()'
    program = '"x.y"() ({ "x.y"() : () -> () }) : () -> ()\n' * beside + text
    try:
        shlo.parse(f"module {{\n{program}\n}}", allow_unregistered=True)
        message = ""
    except shlo.ParseError as error:
        message = str(error)
    assert ("regions are nested deeper than 64" in message) == (depth > 64), message
