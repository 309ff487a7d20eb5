"""What interactive sessions show: ops as their text, findings, comparisons and graphs as HTML."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import stablehlo_py as shlo

PROGRAM = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = stablehlo.custom_call @"<b>"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %unused = stablehlo.abs %x : tensor<2xf32>
  return %y : tensor<2xf32>
}
"""


def ops(text: str) -> list[shlo.Operation]:
    return shlo.parse(text).functions["main"].regions[0].blocks[0].ops


def test_an_op_is_its_text() -> None:
    module = shlo.parse(PROGRAM)
    call, absolute, _ = ops(PROGRAM)
    assert repr(absolute) == str(absolute) == "%unused = stablehlo.abs %x : tensor<2xf32>"
    assert repr(module.functions["main"]) == PROGRAM.rstrip()
    assert repr(call).startswith('%y = stablehlo.custom_call @"<b>"(%x)')


def test_an_op_outside_of_a_module_is_its_text() -> None:
    absolute = ops(PROGRAM)[1]
    alone = shlo.Operation("stablehlo.negate", absolute.operands, [absolute.results[0].type])
    assert repr(alone) == "%0 = stablehlo.negate %x : tensor<2xf32>"
    branch = ops("func.func @main() {\n  cf.br ^next\n^next:\n  return\n}")[0]
    assert repr(branch) == "cf.br ^next"


def test_a_large_op_is_summarized() -> None:
    rows = ", ".join(map(str, range(5000)))
    constant = ops(
        f"func.func @main() {{\n%0 = stablehlo.constant dense<[{rows}]> : tensor<5000xi32>\nreturn\n}}"
    )[0]
    assert repr(constant) == "<stablehlo.constant, 0 operands, 1 result>"
    lines = "".join([f"%{n} = stablehlo.abs %x : tensor<f32>\n" for n in range(600)])
    many = f"func.func @main(%x: tensor<f32>) {{\n{lines}return\n}}"
    assert repr(shlo.parse(many).functions["main"]) == "<func.func, 0 operands, 0 results>"


def test_html_is_escaped() -> None:
    call = ops(PROGRAM)[0]
    shown = call._repr_html_()
    assert "&lt;b&gt;" in shown and "<b>" not in shown
    assert "custom_call" in shown


def test_control_and_bidirectional_characters_are_shown_as_escapes() -> None:
    diagnostic = shlo.Diagnostic("error", "x", "<b> \u202e \x1b[31m", 1, 1, ("note \u202e",))
    analysis = shlo.analyze(shlo.parse(PROGRAM, "<b>\u202e.mlir"))
    for shown in (diagnostic._repr_html_(), analysis._repr_html_()):
        assert "\\u202e" in shown and not {"\u202e", "\x1b"} & set(shown) and "<b> " not in shown


def test_findings_are_shown_below_each_other() -> None:
    module = shlo.parse(
        PROGRAM.replace(
            "stablehlo.abs %x : tensor<2xf32>", "stablehlo.slice %x [0:3] : (tensor<2xf32>) -> tensor<3xf32>"
        )
    )
    found = shlo.verify(module)
    assert found == list(found) and repr(found) == "\n".join(map(str, found))
    assert found._repr_html_().count('class="diagnostic"') == len(found) > 0  # type: ignore[attr-defined]
    assert repr(shlo.verify(shlo.parse(PROGRAM))) == "[]"
    assert "dead-op" in shlo.lint(shlo.parse(PROGRAM))._repr_html_()  # type: ignore[attr-defined]


def test_a_comparison_is_shown() -> None:
    text = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {{
  %0 = stablehlo.{} %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}}"""
    found = shlo.compare(
        shlo.parse(text.format("abs")), shlo.parse(text.format("negate")), [np.array([1, 2], np.float32)]
    )
    assert "out of tolerance" in found._repr_html_()


def test_graph_and_fuzz() -> None:
    drawn = shlo.graph(PROGRAM)
    assert len(drawn.functions) == 1
    assert "srcdoc" in drawn._repr_html_()
    pytest.importorskip("llvmlite", reason="needs the extra native")
    report = shlo.fuzz("native", count=3, seed=5)
    assert (report.engines, report.programs, report.groups) == (("numpy", "native"), 3, [])


def test_sources_that_are_no_modules(tmp_path: Path) -> None:
    path = tmp_path / "m.mlir"
    path.write_text(PROGRAM)
    for source in (PROGRAM, PROGRAM.encode(), path, shlo.parse(PROGRAM)):
        assert shlo.verify(source) == []
        assert [each.code for each in shlo.lint(source, ["dead-op"])] == ["lint.dead-op"]
        assert shlo.format(source, canonical=False) == PROGRAM
        assert "abs" not in shlo.format(shlo.opt(source, ["canonicalize"]))


def test_a_compiled_program_says_what_to_give() -> None:
    class Compiled:
        def runtime_executable(self) -> None: ...

        def as_text(self) -> str:
            return "HloModule m"

    with pytest.raises(
        TypeError, match=r"compiled for XLA already; give what was lowered: jax.jit\(f\).lower"
    ):
        shlo.verify(Compiled())


def test_importing_the_package_imports_no_pages() -> None:
    program = "import sys, stablehlo_py; print([n for n in sys.modules if 'stablehlo_py.reports' in n])"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout == "[]\n"
