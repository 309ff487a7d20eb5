"""Objects in notebooks: their text and HTML, and the cell magic in a notebook that is executed."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import stablehlo_py as shlo
from stablehlo_py.reports.graph import graph
from stablehlo_py.reports.notebook import html

PROGRAM = """func.func @main(%x: tensor<2xf32>, %n: tensor<i32>) -> tensor<2xf32> {
  %c = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : tensor<6xf32>
  %0:2 = stablehlo.while(%i = %n, %v = %x) : tensor<i32>, tensor<2xf32>
  cond {
    %limit = stablehlo.constant dense<3> : tensor<i32>
    %more = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %sum = stablehlo.add %v, %v : tensor<2xf32> loc("model.py":7:3)
    stablehlo.return %next, %sum : tensor<i32>, tensor<2xf32>
  }
  return %0#1 : tensor<2xf32>
}
"""


class Balance(HTMLParser):
    """Checks that elements are nested, and collects text and titles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""
        self.titles: dict[str, str] = {}
        self._title = ""
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self._title = dict(attrs).get("title") or ""

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data
        if self._title:
            self.titles[data] = self._title


def test_reprs_are_short() -> None:
    module = shlo.parse(PROGRAM, "loop.mlir")
    loop = module.functions["main"].regions[0].block.ops[1]
    program = shlo.compile(module, engine="numpy")
    assert repr(module) == "<Module 'loop.mlir' of main>"
    assert repr(loop.results[1]) == "<%0#1: tensor<2xf32>>"
    assert loop.results[1].type.shape == (2,)
    assert repr(program) == (
        "<Program @main(%x: tensor<2xf32>, %n: tensor<i32>) -> (tensor<2xf32>), engine numpy>"
    )
    assert repr(shlo.analyze(module)).startswith("<Analysis of 'loop.mlir': 1 functions, entry main, ")


def test_html_of_a_module_has_types_locations_and_folds() -> None:
    rendered = shlo.parse(PROGRAM)._repr_html_()
    found = Balance(rendered)
    assert found.titles["%arg0"] == "%arg0: tensor<2xf32>"
    hint = next(title for text, title in found.titles.items() if text == "stablehlo.add")
    assert "tensor<2xf32>" in hint
    assert "from model.py:7:3" in hint
    assert rendered.count('<details class="constant">') == 1
    assert len(re.findall(r"<details(?: open)?><summary", rendered)) == 4  # module, function, cond, do


def test_html_escapes_what_a_program_contains() -> None:
    text = '"x.<script>"() {a = "<b>&"} : () -> ()'
    module = shlo.parse(f"func.func @f() {{ {text.replace('x.<script>', 'x.y')} return }}", "<i>.mlir", True)
    found = Balance(module._repr_html_())
    assert '"<b>&"' in found.text
    assert "<b>" not in module._repr_html_()


def test_html_of_a_module_that_does_not_parse_again() -> None:
    module = shlo.parse(PROGRAM)
    module.functions["main"].regions[0].block.ops[-1].name = "x y"
    assert "x y" in Balance(module._repr_html_()).text


def test_html_of_programs_diagnostics_analyses_and_graphs() -> None:
    module = shlo.parse(PROGRAM, "loop.mlir")
    assert "%n" in Balance(shlo.compile(module)._repr_html_()).text
    assert "@main" in Balance(shlo.analyze(module)._repr_html_()).text
    assert 'title="Graph of loop.mlir"' in html(graph(module))
    wrong = '"stablehlo.transpose"(%x) {permutation = array<i64: 1>} : (tensor<2xf32>) -> tensor<2xf32>'
    (error,) = shlo.verify(shlo.parse(f"func.func @f(%x: tensor<2xf32>) {{ %y = {wrong} return }}"))
    assert error.code in Balance(error._repr_html_()).text
    with pytest.raises(TypeError, match="no HTML for int"):
        html(1)


@pytest.mark.parametrize(
    ("replicas", "partitions", "grid"), [(1, 1, ""), (2, 1, ", 2 x 1 processes"), (1, 3, ", 1 x 3 processes")]
)
def test_html_of_a_program_has_its_grid(replicas: int, partitions: int, grid: str) -> None:
    ids = "\n".join(f"%{name[0]} = stablehlo.{name}_id : tensor<ui32>" for name in ("replica", "partition"))
    types = "tensor<ui32>, tensor<ui32>"
    module = shlo.parse(f"func.func @main() -> ({types}) {{ {ids} return %r, %p : {types} }}")
    program = shlo.compile(module, engine="numpy", replicas=replicas, partitions=partitions)
    assert html(program).startswith(f"<p><b>@main</b> on engine numpy{grid}</p>")


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("Name.Variable", "%0 %0:2 %0#1 %a.b_1 ^bb0 %-1"),
        ("Name.Function", "@main @a.b"),
        ("Name.Attribute", "#loc #stablehlo.conv !stablehlo.token"),
        ("Keyword.Type", "i1 si4 ui8 f32 f8E4M3FN bf16 index token"),
        ("Keyword", "module func return cond do applies across init dense array loc true false"),
        ("Name.Builtin", "stablehlo.add func.func a.b.c"),
        ("Literal.Number", "0 -1 +2 1.5 1. 2e5 -1.5E-3"),
        ("Operator", "-> :: ="),
        ("Name", "i i1x f funcs dense_resource x"),
        ("Literal.String", '"a" "a\\"b" ""'),
    ],
)
def test_tokens_of_programs(kind: str, words: str) -> None:
    from stablehlo_py.reports.mlir_lexer import MlirLexer

    for word in words.split():
        assert [(str(token), text) for token, text in MlirLexer(ensurenl=False).get_tokens(word)] == [
            (f"Token.{kind}", word)
        ]


def test_lexer_covers_every_character() -> None:
    from pygments.token import Error

    from stablehlo_py.reports.mlir_lexer import MlirLexer

    tokens = list(MlirLexer().get_tokens(PROGRAM))
    assert "".join(text for _, text in tokens) == PROGRAM
    assert not [text for kind, text in tokens if kind is Error]


def test_a_notebook(tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat", reason="needs the extra notebook")
    client = pytest.importorskip("nbclient", reason="needs the extra notebook")
    cells = [
        "%load_ext stablehlo_py",
        "import numpy as np\nx, n = np.ones(2, np.float32), np.int32(1)",
        f"%%stablehlo --name m --run x n\n{PROGRAM}",
        "m",
        "%%stablehlo\nfunc.func @main() { return %x : tensor<f32> }",
        "%%stablehlo --what\nfunc.func @main() { return }",
    ]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    client.NotebookClient(book, allow_errors=True, resources={"metadata": {"path": tmp_path}}).execute()
    outputs = [cell.outputs for cell in book.cells]
    assert outputs[2][0].data["text/plain"] == "[array([4., 4.], dtype=float32)]"
    assert "shlo-program" in outputs[3][0].data["text/html"]
    assert outputs[3][0].data["text/plain"] == "<Module 'm' of main>"
    assert "%x" in outputs[4][0].data["text/plain"]
    assert outputs[5][0].evalue.startswith("unexpected '--what'; usage: %%stablehlo")
