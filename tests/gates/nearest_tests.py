"""Which tests run a line: recorded once for each test file by coverage, and again when the file changes.

A record holds the tests of one file, the seconds of each, and the lines that each runs. Lines are counted in
the sources as they were; they are found again in sources that have changed since.
"""

from __future__ import annotations

import difflib
import hashlib
import marshal
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
import zlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

from coverage import CoverageData

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "build" / "mutants"
MOST_TESTS_OF_A_LINE = 40  # of one file of tests
WHEN_IMPORTED = ""  # the context of lines that no test has run
_CONTEXT = re.compile(
    r"(?:.*\|)?(tests/.*?)(?:\|(?:setup|run|teardown)| \((?:setup|call|teardown)\))?", re.DOTALL
)
_CONFIGURATION = """[run]
source_pkgs = stablehlo_py
source = {root}/cli
    {root}/grammar
parallel = true
context = ${{PYTEST_CURRENT_TEST-}}
"""


def test_files() -> list[str]:
    """The files of the default run."""
    paths = [path.relative_to(ROOT) for path in (ROOT / "tests").rglob("test_*.py")]
    return sorted(p.as_posix() for p in paths if p.parts[1] not in ("oracle", "gates", "benchmarks"))


def record(files: Sequence[str]) -> None:
    """Records files of tests, those of a folder in one process."""
    folders = defaultdict(list)
    for file in files:
        folders[Path(file).parent].append(file)
    for number, (folder, group) in enumerate(sorted(folders.items())):
        print(f"recording {folder} ({number + 1} of {len(folders)})", file=sys.stderr)
        with tempfile.TemporaryDirectory() as scratch:
            _run(Path(scratch), group)
            _split(group, [*Path(scratch).glob("data*")], Path(scratch, "report.xml"))


def take(data: Path, report: Path) -> None:
    """Makes records from the data of a run of all tests, with `--cov-context=test` and `--junitxml`."""
    _split(test_files(), [data], report)


def _run(scratch: Path, files: Sequence[str]) -> None:
    settings, site = scratch / "rc", scratch / "site"
    settings.write_text(_CONFIGURATION.format(root=ROOT))
    site.mkdir()
    (site / "sitecustomize.py").write_text("import coverage\ncoverage.process_startup()\n")
    environment = {
        **os.environ,
        "PYTHONPATH": str(site),
        "COVERAGE_PROCESS_START": str(settings),
        "COVERAGE_FILE": str(scratch / "data"),
    }
    options = ["-p", "no:xdist", "-p", "no:cacheprovider", "-m", "not slow and not oracle"]
    options += ["--cov", f"--cov-config={settings}", "--cov-context=test", "--cov-report="]
    command = [sys.executable, "-m", "pytest", *options, f"--junitxml={scratch / 'report.xml'}", *files]
    done = subprocess.run(command, cwd=ROOT, env=environment, check=False, capture_output=True, text=True)
    if done.returncode:
        print(done.stdout[-2000:], file=sys.stderr)


def _split(files: Iterable[str], data: Iterable[Path], report: Path) -> None:
    """Makes the records of test files from the data of one run."""
    seconds = _seconds(report)
    lines: dict[str, dict[str, dict[int, list[str]]]] = {file: {} for file in files}
    for path in data:
        recorded = CoverageData(str(path))
        recorded.read()
        for source in recorded.measured_files():
            name = os.path.relpath(source, ROOT)
            for line, contexts in recorded.contexts_by_lineno(source).items():
                for context in contexts:
                    found = _CONTEXT.fullmatch(context)
                    test = found[1] if found else WHEN_IMPORTED
                    for file in [test.partition("::")[0]] if test else lines:
                        if file in lines:
                            lines[file].setdefault(name, {}).setdefault(line, []).append(test)
    for file, sources in lines.items():
        tests = sorted({test for rows in sources.values() for names in rows.values() for test in names})
        numbers = {test: number for number, test in enumerate(tests)}
        content = {
            "digest": _digest(ROOT / file),
            "tests": [(test, seconds.get(_key(test), 1.0)) for test in tests],
            "texts": {source: _keep(source) for source in sources},
            "lines": {
                source: {
                    line: [numbers[test] for test in _spread(set(names))] for line, names in rows.items()
                }
                for source, rows in sources.items()
            },
        }
        _path(file).parent.mkdir(parents=True, exist_ok=True)
        _path(file).write_bytes(zlib.compress(marshal.dumps(content)))


def _seconds(report: Path) -> dict[tuple[str, str], float]:
    """The seconds of each test, by its module and name."""
    if not report.is_file():
        return {}
    cases = ElementTree.parse(report).iter("testcase")
    return {(c.get("classname", ""), c.get("name", "")): float(c.get("time", 0)) for c in cases}


def _key(test: str) -> tuple[str, str]:
    file, _, name = test.partition("::")
    return file.removesuffix(".py").replace("/", "."), name


def _spread(tests: set[str]) -> list[str]:
    """A few of the tests: of each function in turn, so that cases of one do not push out the others."""
    functions = defaultdict(list)
    for test in sorted(tests):
        functions[test.partition("[")[0]].append(test)
    turns = chain.from_iterable(zip_longest(*functions.values()))
    return [test for test in turns if test is not None][:MOST_TESTS_OF_A_LINE]


def _path(file: str) -> Path:
    return FOLDER / "records" / file.removesuffix(".py")


def _digest(path: Path) -> str:
    return hashlib.sha1(path.read_bytes()).hexdigest()


def _keep(source: str) -> str:
    """Stores the text of a source; returns its digest."""
    path = ROOT / source
    kept = FOLDER / "sources" / _digest(path)
    kept.parent.mkdir(parents=True, exist_ok=True)
    if not kept.exists():
        kept.write_bytes(path.read_bytes())
    return kept.name


@cache
def _load(file: str) -> dict[str, Any]:
    content: dict[str, Any] = marshal.loads(zlib.decompress(_path(file).read_bytes()))
    return content


def stale(files: Iterable[str]) -> list[str]:
    """The files of tests that have no record, or have changed since."""
    return [f for f in files if not _path(f).is_file() or _load(f)["digest"] != _digest(ROOT / f)]


@cache
def _recorded_line(source: str, digest: str) -> dict[int, int]:
    """Lines of a source as it is, as lines of the recorded one: those that have changed, as a neighbour's."""
    before = (FOLDER / "sources" / digest).read_text(encoding="utf-8").splitlines()
    after = (ROOT / source).read_text(encoding="utf-8").splitlines()
    found = {}
    for tag, a, a_end, b, b_end in difflib.SequenceMatcher(None, before, after, False).get_opcodes():
        for line in range(b, b_end):
            found[line + 1] = (
                a + (line - b) + 1 if tag == "equal" else min(a + (line - b), max(a_end - 1, 0)) + 1
            )
    return found


def running(source: str, lines: Sequence[int], subject: str = "") -> tuple[list[tuple[str, float]], bool]:
    """The tests that run a statement, nearest first, and whether they do.

    Args:
        source: The file.
        lines: The line of interest, then others of its statement; none of a statement that runs at import.
        subject: What a row of a table is about; tests with it in their names are nearest.

    Returns:
        The tests with their seconds; if none runs the statement, tests that run other lines of the file and
        the tests of the folder, in turn. And whether tests run the statement.
    """
    exact: list[tuple[str, float]] = []
    others: list[tuple[str, float]] = []
    groups: list[list[tuple[str, float]]] = []
    named: list[tuple[str, float]] = []
    words = re.compile(rf"(?<![a-z]){re.escape(subject)}(?![a-z])") if subject else None
    for file in sorted(
        (f for f in test_files() if _path(f).is_file()), key=lambda f: (distance(source, f), f)
    ):
        content = _load(file)
        timed = content["tests"]
        if words and not lines:
            named += [row for row in timed if words.search(row[0])]
        if distance(source, file)[0] == 0:
            groups.append([timed[n] for n in _spread_numbers(timed, range(len(timed)))])
        rows = content["lines"].get(source)
        if rows is None:
            continue
        place = _recorded_line(source, content["texts"][source])
        for line in lines:
            numbers = [n for n in rows.get(place.get(line, 0), ()) if timed[n][0]]
            if numbers:
                exact += [timed[n] for n in numbers]
                break
        else:
            numbers = sorted({n for found in rows.values() for n in found})
            others += [timed[n] for n in _spread_numbers(timed, numbers)]
    turns = chain(named[:MOST_TESTS_OF_A_LINE], chain.from_iterable(zip_longest(*groups, others)))
    return (exact, True) if exact else (list(dict.fromkeys(row for row in turns if row)), not lines)


def _spread_numbers(timed: Sequence[tuple[str, float]], numbers: Iterable[int]) -> list[int]:
    place = {timed[n][0]: n for n in numbers}
    return [place[name] for name in _spread({name for name in place if name})]


def distance(source: str, test_file: str) -> tuple[int, int]:
    """How far a file of tests is from a source file: by its folder, then by its name."""
    folders = [name for name in Path(source).parts[:-1] if name != "stablehlo_py"]
    tests = Path(test_file).parts[1:-1]
    words = set(Path(test_file).stem.split("_")[1:])
    stem = set(Path(source).stem.split("_")) | set(folders[1:])
    return (0 if set(folders) & set(tests) else 1), -len(words & stem)
