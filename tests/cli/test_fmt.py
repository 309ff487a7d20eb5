"""`shlo fmt`: output, preserved spellings, and refusals."""

from __future__ import annotations

import gzip
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from stablehlo_py.cli.fmt import Style, format_file

from stablehlo_py.syntax.write.comments import Comments

Shlo = Callable[..., "subprocess.CompletedProcess[str]"]

TIDY = """\
// what it does
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %size = stablehlo.abs %x : tensor<2xf32> loc("f.py":1:2)

  return %size : tensor<2xf32>
}
"""
UNTIDY = TIDY.replace(
    "stablehlo.abs %x : tensor<2xf32>", '"stablehlo.abs"( %x )\n: (tensor<2xf32>)->tensor<2xf32>'
)
CANONICAL = """\
module {
  func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.abs %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
"""
BROKEN = CANONICAL.replace("%0 = stablehlo.abs", "%0 = = stablehlo.abs")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tidy.mlir").write_text(TIDY)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "untidy.mlir").write_text(UNTIDY)
    return tmp_path


def test_the_author_is_kept(shlo: Shlo) -> None:
    done = shlo("fmt", "-", stdin=UNTIDY)
    assert (done.returncode, done.stdout, done.stderr) == (0, TIDY, "")


def test_canonical_and_generic(shlo: Shlo) -> None:
    assert shlo("fmt", "--canonical", "-", stdin=UNTIDY).stdout == CANONICAL
    generic = shlo("fmt", "--generic", "--canonical", "-", stdin=UNTIDY).stdout
    assert generic.startswith('"builtin.module"() ({\n')
    assert shlo("fmt", "--canonical", "-", stdin=generic).stdout == CANONICAL


def test_reading_options(shlo: Shlo) -> None:
    program = """\
func.func @main() -> tensor<3xf32> {
  %0 = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32> loc("jit(f)/weights")
  return %0 : tensor<3xf32>
}
"""
    options = ("--elide-constants", 2, "--names-from-locations", "--strip-locations")
    assert (
        shlo("fmt", *options, "-", stdin=program).stdout
        == """\
func.func @main() -> tensor<3xf32> {
  %weights = stablehlo.constant dense_resource<__elided__> : tensor<3xf32>
  return %weights : tensor<3xf32>
}
"""
    )
    assert "dense<[1.0" in shlo("fmt", "--elide-constants", 3, "-", stdin=program).stdout


def test_ops_of_other_dialects_are_formatted(shlo: Shlo) -> None:
    text = 'func.func @main() {\n  "other.op"()   {x = 1 : i32} : () -> ()\n  return\n}\n'
    done = shlo("fmt", "-", stdin=text)
    assert (done.returncode, done.stdout) == (0, text.replace("()   {", "() {")), done.stderr


def test_check_names_the_files_that_would_change(shlo: Shlo, folder: Path) -> None:
    done = shlo("fmt", "--check", folder)
    assert (done.returncode, done.stdout) == (1, f"{folder}/sub/untidy.mlir\n")
    assert done.stderr == "1 file would be reformatted, 1 file already formatted\n"
    done = shlo("fmt", "--check", folder / "tidy.mlir")
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (UNTIDY, "line=3,col=1,endColumn=32"),  # a line of 31 characters
        (TIDY + "\n\n", "line=7,col=1,"),  # the first line too many
        (TIDY.rstrip("\n"), "line=6,col=1,"),
    ],
)
def test_a_report_names_the_first_line_that_would_change(shlo: Shlo, text: str, place: str) -> None:
    done = shlo("fmt", "--format", "github", "-", stdin=text)
    assert done.returncode == 1
    assert f",{place}" in done.stdout.splitlines()[0]


@pytest.mark.parametrize(
    ("given", "start"),
    [
        ("generic = true", '// what it does\n"func.func"()'),
        ("canonical = true", "module {"),
        ("generic = true\ncanonical = true", '"builtin.module"()'),
        ("", "// what it does\nfunc.func"),
    ],
)
def test_the_configuration_of_a_project(shlo: Shlo, tmp_path: Path, given: str, start: str) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.shlo.fmt]\n{given}\n")
    done = shlo("fmt", "-", stdin=TIDY, cwd=tmp_path)
    assert done.stdout.startswith(start), done.stdout


def test_diff_changes_nothing(shlo: Shlo, folder: Path) -> None:
    done = shlo("fmt", "--diff", folder)
    assert done.returncode == 1
    assert "+  %size = stablehlo.abs %x : tensor<2xf32>" in done.stdout
    assert (folder / "sub" / "untidy.mlir").read_text() == UNTIDY


def test_in_place(shlo: Shlo, folder: Path) -> None:
    untidy, broken = folder / "sub" / "untidy.mlir", folder / "broken.mlir"
    untidy.chmod(0o640)
    broken.write_text(BROKEN)
    done = shlo("fmt", "-i", folder)
    assert done.returncode == 1
    assert done.stderr.startswith(f"{broken}:3:10: error: ")
    assert done.stderr.endswith("1 file reformatted, 1 file already formatted, 1 file with errors\n")
    assert (untidy.read_text(), untidy.stat().st_mode & 0o777) == (TIDY, 0o640)
    assert broken.read_text() == BROKEN
    assert sorted(path.name for path in folder.iterdir()) == ["broken.mlir", "sub", "tidy.mlir"]
    assert [path.name for path in untidy.parent.iterdir()] == ["untidy.mlir"]


def test_a_check_of_files_that_are_written_passes(shlo: Shlo, folder: Path) -> None:
    """They are formatted when the command ends."""
    untidy = folder / "sub" / "untidy.mlir"
    for option in ("--check", "--diff"):
        untidy.write_text(UNTIDY)
        assert shlo("fmt", "-i", option, folder).returncode == 0
        assert untidy.read_text() == TIDY


ALIASES = """\
#encoding = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed)
}>
#list = [1 : i32]
!pair = tuple<f32, f32>
"""


def test_aliases_that_nothing_uses_are_kept(shlo: Shlo, tmp_path: Path) -> None:
    (tmp_path / "a.mlir").write_text(ALIASES + '#loc = loc("f.py":1:2)\n')
    done = shlo("fmt", "-i", tmp_path / "a.mlir")
    assert (done.returncode, done.stderr) == (0, "1 file already formatted\n")
    text = shlo("fmt", "-", stdin="#one = 1 : i32\n#list = [#one]\n" + TIDY).stdout
    assert text == "#list = [1 : i32]\n" + TIDY
    text = shlo("fmt", "-", stdin=f"{ALIASES}{TIDY}#loc9 = loc(unknown)\n").stdout
    assert text.startswith(ALIASES) and text.count("loc(unknown)") == 1
    assert shlo("fmt", "-", stdin=text).stdout == text
    stripped = shlo("fmt", "--strip-locations", "-", stdin=text).stdout
    assert stripped == ALIASES + TIDY.replace(' loc("f.py":1:2)', "")
    assert shlo("fmt", "--canonical", "-", stdin=ALIASES + TIDY).stdout == CANONICAL


def test_what_cannot_be_written_in_place(shlo: Shlo, tmp_path: Path) -> None:
    packed = tmp_path / "a.mlir.gz"
    packed.write_bytes(gzip.compress(UNTIDY.encode()))
    assert shlo("fmt", packed).stdout == TIDY
    done = shlo("fmt", "-i", packed)
    assert (done.returncode, "compressed with gzip" in done.stderr) == (2, True)
    assert shlo("fmt", "-i", "-", stdin=TIDY).returncode == 2


def test_modules_of_a_file_stay_apart(shlo: Shlo) -> None:
    empty = "func.func @{}() {{\n  return\n}}\n"
    expected = f"// RUN: it\n\n// -----\n\n{empty.format('a')}\n// -----\n\n{empty.format('b')}"
    squeezed = f"// RUN: it\n// -----\n{empty.format('a')}// -----\n\n\n{empty.format('b')}"
    assert shlo("fmt", "-", stdin=squeezed).stdout == expected
    assert shlo("fmt", "-", stdin=expected).stdout == expected
    done = shlo("fmt", "-", stdin=f"{expected}// -----\n{BROKEN}")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("<stdin>:17:10: error: ")


def test_a_program_that_would_read_otherwise_is_left(shlo: Shlo) -> None:
    text = """\
func.func @main(%a: index, %b: i32) {
  %0 = "arith.cmpi"(%a, %b) <{predicate = 0 : i64}> : (index, i32) -> i1
  return
}
"""
    done = shlo("fmt", "-", stdin=text)
    assert (done.returncode, done.stdout) == (1, "")
    assert "would change the meaning" in done.stderr


def test_json(shlo: Shlo, folder: Path) -> None:
    rows = [json.loads(row) for row in shlo("fmt", "--format", "json", "--check", folder).stdout.splitlines()]
    assert [(Path(row["file"]).name, row["changed"]) for row in rows] == [
        ("untidy.mlir", True),
        ("tidy.mlir", False),
    ]
    (row,) = [json.loads(shlo("fmt", "--format", "json", "-", stdin=UNTIDY).stdout)]
    assert row == {"file": "<stdin>", "valid": True, "changed": True, "diagnostics": [], "text": TIDY}


def test_modules_that_do_not_verify(shlo: Shlo) -> None:
    done = shlo("fmt", "-", stdin='"builtin.module"() : () -> ()\n')
    assert (done.returncode, done.stdout, done.stderr) == (0, '"builtin.module"() : () -> ()\n', "")


IN_A_TYPE = """\
func.func @main(%x: tensor<2xf32 // batch
>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
"""


def test_comments_inside_types_are_kept_in_place(shlo: Shlo, tmp_path: Path) -> None:
    file = tmp_path / "a.mlir"
    file.write_text(IN_A_TYPE)
    assert shlo("fmt", "-i", file).returncode == 0
    assert file.read_text() == IN_A_TYPE.replace(" // batch\n>", ">").replace(
        "  return", "  // batch\n  return"
    )
    assert shlo("fmt", "--check", file).returncode == 0


def test_a_text_that_lacks_a_comment_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.mlir"
    file.write_text(IN_A_TYPE)
    monkeypatch.setattr(Comments, "_next", lambda self: self._pending.popleft()[1][:5])
    style = Style(False, False, None, False, False)
    done = format_file(style, True, str(file))
    assert [(d.line, d.column, d.code) for d in done.diagnostics] == [(1, 34, "fmt")]
    assert "would lose this comment; move it to a line of its own: // batch" in done.diagnostics[0].message
    assert file.read_text() == IN_A_TYPE
    assert format_file(style._replace(canonical=True), False, str(file)).text is not None
