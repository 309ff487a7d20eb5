"""Programs and explanations as HTML: folds, constants, hints, and what is escaped."""

from __future__ import annotations

import re

import pytest

import stablehlo_py as shlo
from stablehlo_py.reports.program_html import highlighted, program_html, shortened
from stablehlo_py.reports.report.explanations import explanation_html

PROGRAM = """func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.sine %x : tensor<f32>
%s    stablehlo.return %1 : tensor<f32>
  }, {
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %0 : tensor<f32>
}"""


def structure(html: str) -> str:
    """The folds and lines: `(n` an open fold at line n, `[n` a closed one, `)` an end."""
    found = re.findall(
        r'<details( open)?><summary id="L(\d+)"|<div class="line" id="L(\d+)"|(</details>)', html
    )
    words = []
    for is_open, fold, line, end in found:
        words.append(")" if end else line or ("(" if is_open else "[") + fold)
    return " ".join(words)


def test_regions_are_folds() -> None:
    html = program_html(None, PROGRAM.replace("%s    ", "    "))
    assert structure(html) == "(1 (2 3 4 ) (5 6 ) 7 8 ) 9"


@pytest.mark.parametrize(("count", "mark"), [(37, "("), (39, "("), (40, "[")])
def test_long_inner_regions_are_closed_at_first(count: int, mark: str) -> None:
    """The function and its ops stay open; a region of a region with more than 40 lines is closed."""
    inner = "".join(f"      %{n} = stablehlo.sine %x : tensor<f32>\n" for n in range(count))
    text = (
        f'func.func @f() {{\n  "a.b"() ({{\n    "a.c"() ({{\n{inner}    }}) : () -> ()\n  }}) : () -> ()\n}}'
    )
    found = structure(program_html(None, text)).split()
    assert found[:3] == ["(1", "(2", f"{mark}3"]
    assert found.count(")") == 3


def test_lines_beyond_the_limit() -> None:
    html = program_html(None, "\n".join(["func.func @f() {", *["  a.b"] * 2000, "}"]), max_lines=3)
    assert structure(html) == "1 2 3"  # a fold needs its end
    assert html.endswith('<p class="more">1,999 more lines</p></div>')
    assert "more lines" not in program_html(None, "a\nb\nc", max_lines=3)


@pytest.mark.parametrize(
    ("text", "found"),
    [("a {b}\nc", "1 2"), ("f {\n  a {b = 1}\n}", "(1 2 ) 3"), ("f {\n a {{b} {c}\n }\n}", "(1 (2 ) 3 ) 4")],
)
def test_brackets_that_close_in_their_line_are_no_folds(text: str, found: str) -> None:
    assert structure(program_html(None, text)) == found


def test_brackets_that_close_nothing() -> None:
    assert structure(program_html(None, "}\n}\na {\n} {\n}")) == "1 2 (3 ) (4 ) 5"


@pytest.mark.parametrize(
    ("literal", "is_folded"),
    [("1" * 28, False), ("1" * 29, True), ("[[1, 2], [3, 4], [5, 6], [7, 8]]", True)],
)
def test_long_constants_are_folded(literal: str, is_folded: bool) -> None:
    html = highlighted(f"%c = stablehlo.constant dense<{literal}> : tensor<4xi32>")
    assert ('<details class="constant">' in html) == is_folded
    if is_folded:
        summary = f"dense&lt;{literal}"[:33]
        assert f"<summary>{summary}&hellip;</summary>dense&lt;{literal}&gt;</details>" in html


def test_very_long_texts_are_cut() -> None:
    assert "&hellip; 7 more characters" in highlighted("// " + "x" * 2004)
    assert "more characters" not in highlighted("// " + "x" * 1997)
    line = f'a = dense<"0x{"0" * 3000}"> : tensor<2xi8>'
    found = shortened(f"first\n{line}\nlast").split("\n")
    assert (found[0], found[2]) == ("first", "last")
    assert found[1].startswith('a = dense<"0x000') and found[1].endswith(
        "\u2026 1,011 more characters> : tensor<2xi8>"
    )
    assert shortened("x y " * 500) == "x y " * 500


def test_tokens_have_hints() -> None:
    text = (
        "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
        '  %0 = stablehlo.sine %x : tensor<2xf32> loc("f.py":3:4)\n'
        "  %x1 = stablehlo.negate %0 : tensor<2xf32>\n  return %x1 : tensor<2xf32>\n}"
    )
    rows = program_html(shlo.parse(text), text).split('<div class="line"')
    assert 'title="%x: tensor&lt;2xf32&gt;"' in rows[0] and 'title="%x: tensor&lt;2xf32&gt;"' in rows[1]
    hint = re.search(r'title="(stablehlo\.sine[^"]*)"', rows[1])
    assert hint is not None and "%0: tensor&lt;2xf32&gt;" in hint[1] and "f.py:3:4" in hint[1]
    assert 'title="%0: tensor&lt;2xf32&gt;"' in rows[2] and "stablehlo.sine" not in rows[2]


@pytest.mark.parametrize("name", ["func.return", "return"])
def test_ops_of_functions_have_hints(name: str) -> None:
    text = f"func.func @main() {{\n  {name}\n}}"
    assert 'title="func.return&#10;' in program_html(shlo.parse(text), text).replace("\n", "&#10;")


def test_characters_of_a_file_are_escaped() -> None:
    html = program_html(None, '// <b> & "\u202e" \x07')
    assert "<b>" not in html and "&lt;b&gt; &amp;" in html and "\u202e" not in html and "\x07" not in html


MARKDOWN = """# Title

Why `a<b` and **not `c`** matter.

```mlir
  %0 = stablehlo.sine %x : tensor<f32>

```

```text
<plain>
```
Last."""


def test_explanations() -> None:
    html = explanation_html("lint.x", "about", MARKDOWN, "https://a.b/?c&d", True)
    assert html == (
        '<article class="rule" id="rule-lint.x"><h3>lint.x</h3>'
        "<p>Why <code>a&lt;b</code> and <b>not <code>c</code></b> matter.</p>"
        f'<pre class="shlo-program">{highlighted("  %0 = stablehlo.sine %x : tensor<f32>")}</pre>'
        '<pre class="shlo-program">&lt;plain&gt;</pre><p>Last.</p>'
        '<p><a href="https://a.b/?c&amp;d" rel="noopener">Specification</a></p></article>'
    )
    assert '<span class="v">' in highlighted("%0 = a")
    plain = explanation_html("x", "about <it>", "a\n  b < c", "", False)
    assert plain.endswith("<h3>x</h3><p>about &lt;it&gt;</p><pre>a\n  b &lt; c</pre></article>")
    assert explanation_html("x", "", "a", "", False).endswith("<h3>x</h3><pre>a</pre></article>")


@pytest.mark.parametrize(("text", "lines"), [("a", "1"), ("a\n", "1"), ("a\n\n", "1 2"), ("\na", "1 2")])
def test_a_newline_ends_a_line(text: str, lines: str) -> None:
    assert structure(program_html(None, text)) == lines
