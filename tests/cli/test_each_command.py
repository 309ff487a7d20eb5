"""What all commands have in common: a broken or invalid program in each place of each command, files that are
not there, outputs that are inputs, and options that do not go together."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from programs import BAD, BROKEN, GOOD
from stablehlo_py.cli import graph
from stablehlo_py.cli.progress import Progress
from stablehlo_py.cli.sources import Text

Shlo = Callable[..., "subprocess.CompletedProcess[str]"]

# Commands on a program x.mlir, which fail for a broken one, and those that do so for an invalid one as well.
READERS = (
    "fmt x.mlir",
    "fmt -i x.mlir",
    "convert x.mlir -o new.mlirbc",
    "hash x.mlir",
    "graph x.mlir -o new.html",
    "diff x.mlir good.mlir",
    "diff good.mlir x.mlir",
)
CHECKERS = (
    "verify x.mlir",
    "lint x.mlir",
    "lint --fix x.mlir",
    "lint --add-ignores x.mlir",
    "lint --min-version x.mlir",
    "opt -p cse x.mlir -o new.mlir",
    "opt -i -p cse x.mlir",
    "inspect x.mlir",
    "inspect --devices x.mlir",
    "run x.mlir -a x.npy -o new.npz",
    "compare x.mlir good.mlir -a x.npy -o new.html",
    "compare good.mlir x.mlir -a x.npy -o new.html",
    "extract x.mlir --op abs -o new.mlir",
    "reduce x.mlir --while-matches abs -o new.mlir",
    "precision x.mlir --random 0 -o new.mlir",
    "blame x.mlir --random 0",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "good.mlir").write_text(GOOD)
    (tmp_path / "c.toml").write_text("")
    np.savez(tmp_path / "x.npz", x=np.ones(2, "f"))
    np.save(tmp_path / "x.npy", np.ones(2, "f"))
    return tmp_path


def contents(folder: Path) -> Mapping[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.parametrize(
    ("command", "text"),
    [(command, BROKEN) for command in (*READERS, *CHECKERS)] + [(command, BAD) for command in CHECKERS],
)
def test_a_program_with_an_error(shlo: Shlo, folder: Path, command: str, text: str) -> None:
    """The error is printed with its place, the status is 1, and nothing is written."""
    (folder / "x.mlir").write_text(text)
    before = contents(folder)
    done = shlo(*command.split(), cwd=folder)
    assert done.returncode == 1
    assert (done.stdout + done.stderr).startswith("x.mlir:3:10: error: ")
    assert contents(folder) == before


@pytest.mark.parametrize(("text", "code"), [(BROKEN, "parse"), (BAD, "abs.C1")])
@pytest.mark.parametrize("place", ["x.mlir", "good.mlir -a x.npy --against x.mlir"])
def test_the_page_of_a_program_with_an_error(
    shlo: Shlo, folder: Path, place: str, text: str, code: str
) -> None:
    """A report is written all the same, and counts the error."""
    (folder / "x.mlir").write_text(text)
    done = shlo("report", *place.split(), "-o", "r.html", cwd=folder)
    assert (done.returncode, done.stdout) == (1, "r.html: 1 error in 1 program\n")
    page = (folder / "r.html").read_text()
    assert (code if place == "x.mlir" else "not a valid program") in page


@pytest.mark.parametrize("command", [*READERS[:5], *CHECKERS])
def test_a_program_that_is_not_there(shlo: Shlo, folder: Path, command: str) -> None:
    before = contents(folder)
    done = shlo(*command.split(), cwd=folder)
    assert done.returncode == 2 and "x.mlir" in done.stderr
    assert contents(folder) == before


@pytest.mark.parametrize(
    "command",
    [
        "opt good.mlir -p cse -o good.mlir",
        "convert good.mlir -o good.mlir",
        "compare good.mlir x.mlir -a x.npy -o good.mlir --format html",
        "compare good.mlir x.mlir -a x.npy -o x.mlir --format html",
        "compare good.mlir x.mlir -a x.npy -o x.npy --format html",
        "extract good.mlir --op abs -o good.mlir",
        "extract good.mlir --op abs -a x.npz -o x.mlir",
        "reduce good.mlir --while-matches abs -o good.mlir",
        "reduce good.mlir --while-matches abs -a x.npz -o x.mlir",
        "reduce good.mlir --while-matches abs --journal good.mlir",
        "precision good.mlir --inputs x.npz -o x.npz",
        "precision good.mlir --inputs x.npz -o good.mlir",
        "inspect p.html --memory p.html",
        "inspect good.mlir --config c.html --memory c.html",
        "report p.html -o p.html",
        "report good.mlir p.html -o p.html",
        "report good.mlir --config c.html -o c.html",
        "verify good.mlir --config c.toml -o c.toml",
        "graph good.mlir --errors c.toml -o c.toml",
    ],
)
def test_an_output_that_is_an_input(shlo: Shlo, folder: Path, command: str) -> None:
    """It is refused before anything is read, also the file of values beside OUT, and a journal."""
    for name in ("x.mlir", "good.mlir", "p.html"):
        (folder / name).write_text(BROKEN)
    (folder / "c.html").write_text("")
    before = contents(folder)
    done = shlo(*command.split(), cwd=folder)
    name = re.split("-o |--memory |--journal ", command)[-1].split()[0]
    name = "x.npz" if command.endswith("-a x.npz -o x.mlir") else name
    assert done.returncode == 2 and done.stderr.endswith(f": {name}: would overwrite an input file\n")
    assert contents(folder) == before


def test_json_counts_each_severity(shlo: Shlo, folder: Path) -> None:
    """Of a file of two modules, with an error of `verify` and a warning of `lint`."""
    dead = GOOD.replace("return %0", "return %arg0")
    (folder / "x.mlir").write_text(f"{BAD}// -----\n{dead}")
    (row,) = map(json.loads, shlo("lint", "--format", "json", "x.mlir", cwd=folder).stdout.splitlines())
    found = {key: row[key] for key in ("valid", "errors", "warnings", "modules", "functions", "ops")}
    assert found == {"valid": False, "errors": 1, "warnings": 1, "modules": 2, "functions": 2, "ops": 4}
    assert [(each["code"], each["line"]) for each in row["diagnostics"]] == [
        ("abs.C1", 3),
        ("lint.dead-op", 10),
    ]


@pytest.mark.parametrize("command", ["verify", "lint", "fmt --check", "opt -p cse", "report -o r.html"])
def test_progress_counts_each_file(
    shlo: Shlo, folder: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one with an error."""
    done: list[Progress] = []
    monkeypatch.setattr(Progress, "advance", lambda bar: done.append(bar))
    (folder / "x.mlir").write_text(BROKEN)
    shlo(*command.split(), "good.mlir", "x.mlir", "-j", "1", cwd=folder)
    assert len(done) == 2 and len({*map(id, done)}) == 1


def test_names_of_ops_to_draw_with_and_without_their_dialect(shlo: Shlo, folder: Path) -> None:
    texts = []
    for names in (("abs,negate",), ("stablehlo.abs", "stablehlo.negate"), ("abs", "stablehlo.negate")):
        only = [word for name in names for word in ("--only", name)]
        done = shlo("generate", *only, "--ops", "6", cwd=folder)
        assert done.returncode == 0, done.stderr
        texts.append(done.stdout)
    assert texts[0] == texts[1] == texts[2] and "stablehlo.abs" in texts[0]


@pytest.mark.parametrize(
    ("file", "options", "name"),
    [
        ("x.mlir", (), "x"), ("x.mlir.gz", (), "x"), ("x.v2.mlir", (), "x"), ("x-1.mlir", (), "x_1"),
        ("1.mlir", (), "m1"), ("-", (), "model"), ("x.mlir", ("--name", "other"), "other"),
    ],
)  # fmt: skip
def test_the_name_of_a_library(
    shlo: Shlo, folder: Path, file: str, options: tuple[str, ...], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: list[str] = []

    def build(module: object, request: Any, *_: object) -> list[Path]:
        names.append(request.name)
        return [folder / "good.mlir"]

    monkeypatch.setattr("stablehlo_py.library.build.build_library", build)
    text = GOOD.encode()
    (folder / file).write_bytes(gzip.compress(text) if file.endswith(".gz") else text)
    done = shlo("build", file, "-o", "out", *options, stdin=GOOD, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert names == [name] and done.stdout == f"{folder / 'good.mlir'}  {len(text):,} bytes\n"


def test_json_that_goes_to_a_file_leaves_standard_output_empty(shlo: Shlo, folder: Path) -> None:
    (folder / "x.mlir").write_text(BROKEN)
    done = shlo("graph", "x.mlir", "-o", "new.json", cwd=folder)
    assert (done.returncode, done.stdout) == (1, "") and "x.mlir:3:10: error" in done.stderr
    assert shlo("graph", "x.mlir", "--format", "json", "-o", "new.json", cwd=folder).stdout == ""
    assert json.loads(shlo("graph", "x.mlir", "--format", "json", cwd=folder).stdout)["name"] == "x.mlir"


def test_the_time_of_ops_on_one_line_is_their_sum(folder: Path) -> None:
    text = GOOD.replace(
        "tensor<2xf32>\n    return", "tensor<2xf32> %1 = stablehlo.abs %0 : tensor<2xf32>\n    return"
    )
    rows = [
        SimpleNamespace(line=3, warm=0.25),
        SimpleNamespace(line=4, warm=4.0),
        SimpleNamespace(line=3, warm=0.5),
    ]
    subject = SimpleNamespace(run=SimpleNamespace(profile=SimpleNamespace(rows=rows)), comparison=None)
    source = Text("x.mlir", text)
    drawn = json.loads(graph._drawn(source.parse(), source, "json", subject, {}))  # type: ignore[arg-type]
    items = [item for function in drawn["functions"] for item in function["items"]]
    assert [item["seconds"] for item in items if item["title"] == "abs"] == [0.75, 0.75]


@pytest.mark.parametrize(("name", "begin"), [("m.svg", "<svg"), ("M.SVG", "<svg"), ("m.Html", "<!DOCTYPE")])
def test_the_suffix_says_what_is_drawn(shlo: Shlo, folder: Path, name: str, begin: str) -> None:
    assert shlo("inspect", "good.mlir", "--memory", name, cwd=folder).returncode == 0
    assert begin in (folder / name).read_text()[:100]


# Options that do not go together, and values that are none: what is refused, and why.
MISUSED = (
    ("verify good.mlir --watch --write-baseline --baseline b.json", "--watch cannot be used with --write-b"),
    ("verify - --watch", "--watch cannot be used with standard input"),
    ("verify good.mlir --write-baseline", "--write-baseline requires --baseline FILE"),
    ("lint good.mlir --fix --diff --add-ignores", "cannot be used together"),
    ("lint good.mlir --diff --add-ignores", "--fix, --diff and --add-ignores cannot be used together"),
    ("lint good.mlir --min-version --format sarif", "--min-version supports only --format text and json"),
    ("lint good.mlir --min-version --allow-newer", "--min-version knows no version of the ops"),
    ("lint good.mlir --select D --ignore D", "no rule is left to apply"),
    ("lint - --add-ignores", "--add-ignores cannot be used with standard input"),
    ("fmt -i -", "--in-place cannot be used with standard input"),
    ("fmt -i z.mlir.gz", "z.mlir.gz is compressed with gzip; decompress it first"),
    ("opt -i -p cse b.mlirbc", "b.mlirbc is not text; convert it with `shlo fmt b.mlirbc`"),
    ("opt good.mlir", "name a pass with --pass or --pipeline, or use --upgrade"),
    ("opt good.mlir x.mlir -p cse -o new.mlir", "-o takes one file; use --in-place for several"),
    ("opt good.mlir -p cse -i -o new.mlir", "-o cannot be used with --in-place or --diff"),
    ("opt good.mlir -p cse --diff -o new.mlir", "-o cannot be used with --in-place or --diff"),
    ("opt good.mlir x.mlir -p cse --weights w.safetensors", "--weights takes one file, and neither"),
    ("opt good.mlir -p cse --diff --weights w.safetensors", "--weights takes one file, and neither"),
    ("opt good.mlir -p cse --weights w.npz", "--weights w.npz: expected the suffix .safetensors"),
    ("convert two.mlir -o new.mlirbc", "two.mlir has 2 modules between lines // -----; expected one"),
    ("convert good.mlir --to text --target 1.0.0", "--target is for "),
    ("convert good.mlir --to bytecode --generic", "--generic is for --to text and --to vhlo, not for"),
    ("compare good.mlir x.mlir --engine numpy", "give one of: a second program, --engine, --against"),
    ("compare good.mlir", "give one of: a second program, --engine, --against"),
    (f"compare good.mlir {'--engine numpy ' * 3}", "--engine is given at most twice"),
    ("compare - -", "A and B cannot both be standard input"),
    ("diff - -", "A and B cannot both be standard input"),
    ("diff good.mlir", "B is missing"),
    ("diff --stat good.mlir x.mlir", "--stat takes a folder of dumps, and no second program"),
    ("diff --module m good.mlir x.mlir", "--module selects dumps, with --stat"),
    ("diff --stat nothing", "nothing: no such folder"),
    ("extract good.mlir --op abs --random 0", "--input and --random require --output"),
    ("extract good.mlir --op abs --iteration 1,x", "--iteration 1,x: expected numbers from 0"),
    ("reduce good.mlir", "give one of --check, --while-differs, --while-crashes and --while-matches"),
    ("reduce good.mlir --while-matches a --while-crashes numpy", "give one of --check, --while-differs"),
    ("reduce good.mlir --while-matches a --rtol 1", "--rtol, --atol and --ulp require --while-differs"),
    ("precision good.mlir", "give at least one set of inputs, with --inputs or --random"),
    ("graph good.mlir --profile", "--profile and --against require --input or --random"),
    ("graph good.mlir --against x.mlir", "--profile and --against require --input or --random"),
    ("graph good.mlir --random 0", "--input and --random require --profile or --against"),
    ("graph good.mlir --random 0 --against x.mlir --errors c.toml", "give one of: --against, --errors"),
    ("report good.mlir --entry main -o r.html", "--entry requires --input or --random"),
    ("report good.mlir --random 0 --rtol 1 -o r.html", "require what results are compared with"),
    ("report good.mlir --check-against x.npz -o r.html", "--check-against and --against require --input or"),
    ("report good.mlir --against x.mlir -o r.html", "--check-against and --against require --input or"),
    ("inspect good.mlir --memory m.png", "m.png: expected a file that ends in .svg or .html"),
    ("inspect --devices --bandwidth x:1 good.mlir", "x:1: expected AXIS=GB/S, such as x=100"),
    ("inspect --devices --bandwidth x=0 good.mlir", "x=0: a bandwidth is a positive number"),
    ("generate --count 2", "several programs require --output"),
    ("generate --only nothing", "stablehlo.nothing is not drawn; these are: abs, "),
    ("fuzz -o f", "two engines are needed"),
    ("fuzz --engine numpy --engine numpy -o f", "two engines are needed"),
    ("blame . --dump-to d", "--dump-to is for a program, which XLA dumps first"),
    ("blame good.mlir --module m", "--program and --module are for a folder of dumps"),
    ("blame good.mlir --program x.mlir", "--program and --module are for a folder of dumps"),
    ("blame good.mlir --dump-to .", ".: expected an empty folder"),
    ("run good.mlir --random 0 --explain -o new.npz", "--explain does not run the program"),
    ("run good.mlir --random 0 --explain --check-against x.npz", "--explain does not run the program"),
    ("run good.mlir --random 0 --outfeed new.npy", "--outfeed new.npy: expected a .npz or .safetensors"),
    ("run good.mlir --random 0 --shadow f64 --trace", "--shadow cannot be used with --trace, --probe-dir"),
    ("run good.mlir --random 0 --shadow f64 --nan-check", "--shadow cannot be used with --trace"),
    ("run good.mlir --random 0 --shadow f64 --profile", "--shadow cannot be used with --trace"),
    ("run good.mlir --random 0 --shadow f64 --engine native", "--shadow runs on engine numpy, not native"),
    ("run good.mlir --random 0 --ranges --engine native", "--ranges runs on engine numpy, not native"),
    ("run good.mlir --random 0 --repeat 2 --trace", "--repeat cannot be used with --trace, --probe-dir"),
    ("run good.mlir --random 0 --repeat 2 --nan-check", "--repeat cannot be used with --trace"),
    ("run good.mlir --random 0 --ranges --entry main --entry main", "--ranges takes one --entry"),
    ("run good.mlir --random 0 --inputs x.npz", "--inputs requires --ranges"),
    ("run good.mlir --random 0 --html h.html", "--html requires --shadow"),
    ("run good.mlir --random 0 --probe abs", "--probe requires --probe-dir"),
    ("run good.mlir --random 0 --ulp 1", "--rtol, --atol, --ulp and --floor require --check-against"),
    ("run good.mlir --random 0 --floor 0", "--rtol, --atol, --ulp and --floor require --check-against"),
    ("run good.mlir -a x.txt", "x.txt: expected a .npy, .npz, .safetensors or .bin file, a number"),
    ("run good.mlir --random 0 --engine numpy --process 0", "--process requires --coordinator"),
    ("run good.mlir --random 0 --processes 2", "--processes requires --coordinator"),
    ("run good.mlir --random 0 --coordinator a:1", "--coordinator requires --processes and --process"),
    (
        "run good.mlir --random 0 --coordinator a:1 --processes 2",
        "--coordinator requires --processes and --p",
    ),
    ("run good.mlir --random 0 --coordinator a:1 --process 0", "--coordinator requires --processes and --p"),
    (
        "run good.mlir --random 0 --coordinator a:1 --processes 2 --process 2",
        "--process is a number from 0 to 1",
    ),
    ("run empty.mlir", "empty.mlir: only comments; expected a program"),
    ("verify utf16.mlir", "text with a byte order mark is not supported; save it as UTF-8 without one"),
    ("lsp --stdio --tcp a:1", "--stdio and --tcp cannot be used together"),
)


@pytest.mark.parametrize(("command", "message"), MISUSED)
def test_misuse(shlo: Shlo, folder: Path, command: str, message: str) -> None:
    (folder / "x.mlir").write_text(GOOD)
    (folder / "b.mlirbc").write_bytes(b"ML\xefR" + bytes(8))
    (folder / "z.mlir.gz").write_bytes(gzip.compress(GOOD.encode()))
    (folder / "two.mlir").write_text(f"{GOOD}// -----\n{GOOD}")
    (folder / "empty.mlir").write_text("// a\n// -----\n// b\n")
    (folder / "utf16.mlir").write_bytes(GOOD.encode("utf-16"))
    before = contents(folder)
    done = shlo(*command.split(), cwd=folder)
    assert message in re.sub(r"\s+", " ", done.stdout + done.stderr)
    assert done.returncode == (1 if command.startswith("verify utf") else 2)
    assert contents(folder) == before
