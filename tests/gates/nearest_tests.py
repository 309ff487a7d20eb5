"""Which tests run a line: recorded by coverage for the folders of tests near a source, and again for files of
tests that have changed since.

A record is what one run of tests leaves: coverage's data with the contexts of `function_contexts`, and the
seconds of the tests of each. Lines are counted in the sources as they were; they are found again in sources
that have changed.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import sqlite3
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from contextlib import closing
from functools import cache
from itertools import chain, count
from pathlib import Path
from shutil import copyfile
from typing import Any

from coverage.numbits import numbits_to_nums

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "build" / "mutants"
INDEX = FOLDER / "index.json"
# Folders of tests that are about a package besides the one of its name.
NEIGHBOURS = {
    "analysis": ("cli",),
    "artifacts": ("cli",),
    "builder": ("ops",),
    "debug": ("generate",),
    "grammar": ("syntax",),
    "interpreter": ("engines", "kernels"),
    "ir": ("diagnostics",),
    "notation": ("verifier",),
    "ops": ("builder",),
    "opset": ("artifacts", "kernels", "sharding", "verifier"),
}
# Folders whose tests take minutes to record. Of each, so many files are near a source: those that share words
# with its name or its package's, then the largest, which are about more. Of many sources, all files are.
LARGE = ("tests/cli/", "tests/engines/native/")
MOST_OF_LARGE, MANY = 6, 30
# Of tests with a row's name, and of those of a package's own folder, which run for each row.
OWN_SECONDS = 12.0
_APART = {"mpi", "native", "pjrt"}  # folders of tests that are about a folder of a package
_LINES = (
    "select context.context, numbits from line_bits join context on context.id = context_id "
    "join file on file.id = file_id where path like '%/' || ?"  # of any checkout
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


def near(sources: Collection[str]) -> list[str]:
    """The files of tests in the folders that are about sources."""
    most = MOST_OF_LARGE if len(sources) < MANY else None
    return sorted({file for source in sources for file in _near(source, most)})


def _near(source: str, most: int | None) -> list[str]:
    found = defaultdict(list)
    for file in test_files():
        if distance(source, file)[0] < 2:
            found[file.startswith(LARGE) and _folder(file)].append(file)
    chosen = found.pop(False, [])
    for files in found.values():
        rank = {file: (distance(source, file), -(ROOT / file).stat().st_size) for file in files}
        chosen += sorted(files, key=rank.__getitem__)[:most]
    return chosen


def distance(source: str, test_file: str) -> tuple[int, int]:
    """How far a file of tests is from a source: by its folder, then by its name."""
    folders = [name for name in Path(source).parts[:-1] if name != "stablehlo_py"] or ["api"]
    tests = Path(test_file).parts[1:-1]
    words = _stems(Path(test_file).stem.split("_")[1:])
    stem = _stems([*Path(source).stem.split("_"), *folders])
    is_same = tests[:1] == tuple(folders[:1]) and _APART & set(folders) == _APART & set(tests)
    about = {*folders[1:], *NEIGHBOURS.get(folders[0], ())}
    about |= {"api"} if Path(source).stem == "api" else set()  # functions of the package itself
    is_neighbour = bool(set(tests[:1]) & about) and not _APART & set(tests)
    return 0 if is_same else 1 if is_neighbour else 2, -len(words & stem)


def _stems(words: Iterable[str]) -> set[str]:
    """The beginnings of words: `coalesce` and `coalescing` are about the same."""
    return {word[:4] for word in words}


# Recording


def record(files: Sequence[str]) -> None:
    """Records files of tests, those of a folder in one process."""
    folders = defaultdict(list)
    for file in files:
        folders[Path(file).parent].append(file)
    for folder, group in sorted(folders.items()):
        print(f"recording {folder}", file=sys.stderr)
        run = _new_run()
        _run(run, group)
        if (run / "coverage").is_file():  # pytest has started
            _index(run, group)


def take(data: Path, seconds: Path) -> None:
    """Takes as a record what a run of all tests with the plugin `function_contexts` left."""
    run = _new_run()
    copyfile(data, run / "coverage")
    copyfile(seconds, run / "seconds.json")
    _index(run, test_files())


def stale(files: Iterable[str]) -> list[str]:
    """The files of tests that have no record, or have changed since."""
    index = _read_index()
    return [file for file in files if index.get(file, {}).get("digest") != _digest(ROOT / file)]


def _new_run() -> Path:
    runs = FOLDER / "runs"
    runs.mkdir(parents=True, exist_ok=True)
    run = runs / str(1 + max((int(path.name) for path in runs.iterdir()), default=0))
    run.mkdir()
    return run


def _run(run: Path, files: Sequence[str]) -> None:
    settings, site = run / "settings", run / "site"
    settings.write_text(_CONFIGURATION.format(root=ROOT))
    site.mkdir()  # for processes that tests start
    (site / "sitecustomize.py").write_text("import coverage\ncoverage.process_startup()\n")
    environment = {
        **os.environ,
        "PYTHONPATH": f"{site}{os.pathsep}{Path(__file__).parent}",
        "COVERAGE_PROCESS_START": str(settings),
        "COVERAGE_FILE": str(run / "coverage"),
        "TEST_SECONDS": str(run / "seconds.json"),
        "SHLO_CACHE_DIR": str(run / "cache"),  # a test that finds its program in the cache lowers nothing
    }
    options = ["-p", "no:xdist", "-p", "no:cacheprovider", "-p", "function_contexts"]
    options += ["--continue-on-collection-errors"]
    options += ["-m", "not slow and not oracle", "--cov", f"--cov-config={settings}", "--cov-report="]
    command = [sys.executable, "-m", "pytest", *options, *files]
    done = subprocess.run(command, cwd=ROOT, env=environment, check=False, capture_output=True, text=True)
    if done.returncode:
        print(done.stdout[-2000:], file=sys.stderr)


def _read_index() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(INDEX.read_text()) if INDEX.is_file() else {}
    return found


def _index(run: Path, files: Iterable[str]) -> None:
    """Notes that a run has the current record of files of tests; keeps the sources as they are."""
    paths = [Path(path) for (path,) in _query(run, "select path from file")]
    inside = [path for path in paths if path.is_relative_to(ROOT)]
    sources = {path.relative_to(ROOT).as_posix(): _keep(path) for path in inside}
    (run / "sources.json").write_text(json.dumps(sources))
    new = {file: {"digest": _digest(ROOT / file), "run": run.name} for file in files}
    INDEX.write_text(json.dumps(_read_index() | new))


def _digest(path: Path) -> str:
    return hashlib.sha1(path.read_bytes()).hexdigest()


def _keep(path: Path) -> str:
    """Stores the text of a source; returns its digest."""
    kept = FOLDER / "sources" / _digest(path)
    kept.parent.mkdir(parents=True, exist_ok=True)
    if not kept.exists():
        kept.write_bytes(path.read_bytes())
    return kept.name


# Reading


def _query(run: Path, query: str, *values: str) -> list[tuple[Any, ...]]:
    """Rows of coverage's data; its own reader starts anew, with no data, in a forked process."""
    with closing(sqlite3.connect(f"{(run / 'coverage').as_uri()}?mode=ro", uri=True)) as data:
        return data.execute(query, values).fetchall()


@cache
def _sources(run: Path) -> dict[str, str]:
    found: dict[str, str] = json.loads((run / "sources.json").read_text())
    return found


@cache
def _cases(run: Path) -> dict[str, dict[str, float]]:
    """The tests of each context, with their seconds."""
    found: dict[str, dict[str, float]] = json.loads((run / "seconds.json").read_text())
    return {name: {test: _coarse(s) for test, s in rows.items()} for name, rows in found.items()}


def _coarse(seconds: float) -> float:
    """Seconds as the next of 1/512, 1/128, 1/32, ...: what is chosen by them is that of another record."""
    return next(limit for power in count() if (limit := 4.0**power / 512) >= seconds)


@cache
def _contexts(run: Path) -> dict[str, str]:
    """The context of each test."""
    return {test: context for context, tests in _cases(run).items() for test in tests}


@cache
def _running(run: Path, source: str) -> dict[int, set[str]]:
    """The contexts that run each line of a source, as it was recorded.

    A process that a fixture has started serves all tests of a folder: the folder stands for them.
    """
    found: dict[int, set[str]] = defaultdict(set)
    for context, bits in _query(run, _LINES, source):
        test, _, phase = context.rpartition("|")[2].partition(" (")  # of a process, the test that started it
        name = _folder(test) if phase.startswith("setup") else _contexts(run).get(test, test)
        for line in numbits_to_nums(bits) if name else ():
            found[line].add(name)
    return found


@cache
def _recorded_line(source: str, digest: str) -> dict[int, int]:
    """Lines of a source as it is, as lines of the recorded one: those that have changed, as a neighbour's."""
    before = (FOLDER / "sources" / digest).read_text(encoding="utf-8").splitlines()
    after = (ROOT / source).read_text(encoding="utf-8").splitlines()
    found = {}
    for tag, a, a_end, b, b_end in difflib.SequenceMatcher(None, before, after, False).get_opcodes():
        for line in range(b, b_end):
            moved = a + (line - b)
            found[line + 1] = 1 + (moved if tag == "equal" else min(moved, max(a_end - 1, 0)))
    return found


Place = tuple[str, Sequence[int]]  # a file, and lines of a statement: the line of interest first


def running(
    source: str, places: Sequence[Place], subject: str | None = None
) -> tuple[list[tuple[str, float]], bool]:
    """The tests that run a statement, nearest first and of those the fastest, and whether they do.

    Args:
        source: The file.
        places: The statement; of one that runs at import, the statements that read what it defines.
        subject: What a row of a table is about, "" if that is not known: tests with it in their names are
            nearest. None for code of a function.

    Returns:
        The tests with their seconds: those that run the statement, then those of near files that run it when
        they are imported. If none runs it, and for rows of tables behind those that do, tests that run other
        lines of the file, then those of the folders near it. For rows of tables, and where none of them runs
        the statement, tests of the folder that is about the package are first, for some seconds: they may
        read what is made at import. And whether tests run it.
    """
    exact, imported, others, named, own = [], [], [], [], []
    for file, entry in _read_index().items():
        if not (ROOT / file).is_file():
            continue
        run, near = FOLDER / "runs" / entry["run"], distance(source, file)
        hit = set().union(*(_hit(run, *place) for place in places))
        inside = set().union(*_now(run, source).values())
        for name, rows in _ranked(run, file):
            rank = (*near, *rows)
            if near[0] == 0:
                own.append((rank, run, name))
            if {name, _folder(name)} & hit:
                exact.append((rank, run, name))
            elif file in hit and near[0] < 2:
                imported.append((rank, run, name))
            elif {name, _folder(name)} & inside:
                others.append(((0, *rank), run, name))
            elif near[0] < 2:
                others.append(((1, *rank), run, name))
        if subject:
            tests = chain.from_iterable(rows.items() for name, rows in _cases(run).items() if _of(name, file))
            named += [(near[0], seconds, test) for test, seconds in tests if subject in _words(test)]
    chosen = _within(OWN_SECONDS, [(test, seconds) for _, seconds, test in sorted(named)])
    if subject is None and {0} & {rank[0] for rank, *_ in exact}:
        own = []
    chosen += _within(OWN_SECONDS, [row for _, run, name in sorted(own) for row in _tests(run, name)])
    for rows in (sorted(exact), sorted(imported), () if exact and subject is None else sorted(others)):
        chosen += chain.from_iterable(_tests(run, name) for _, run, name in rows)
    return list(dict(chosen).items()), bool(exact or imported)


def _within(seconds: float, tests: Sequence[tuple[str, float]]) -> list[tuple[str, float]]:
    """The first tests that together take so many seconds at most: one that is too slow is left out."""
    found: list[tuple[str, float]] = []
    for test, each in tests:
        if each <= seconds:
            found.append((test, each))
            seconds -= each
    return found


def _hit(run: Path, source: str, lines: Sequence[int]) -> set[str]:
    """The contexts that run a line, or else the next ones of its statement."""
    now = _now(run, source)
    return next((now[line] for line in lines if line in now), set())


@cache
def _now(run: Path, source: str) -> dict[int, set[str]]:
    """The contexts that run each line of a source, as it is."""
    recorded = _running(run, source) if source in _sources(run) else {}
    moved = _recorded_line(source, _sources(run)[source]) if recorded else {}
    return {line: recorded[before] for line, before in moved.items() if recorded.get(before)}


@cache
def _ranked(run: Path, file: str) -> list[tuple[str, tuple[int, float, str]]]:
    """The contexts of a file of tests with their ranks: a part of each function first, and fast ones."""
    found, parts = [], Counter[str]()
    for seconds, name in sorted(
        (sum(rows.values()), name) for name, rows in _cases(run).items() if _of(name, file)
    ):
        parts[name.partition("#")[0]] += 1
        found.append((name, (parts[name.partition("#")[0]], seconds, name)))
    return found


def _of(context: str, file: str) -> bool:
    return context.startswith(f"{file}::")


def _folder(test: str) -> str:
    return test.partition("::")[0].rpartition("/")[0] + "/"


def _words(test: str) -> set[str]:
    name = test.partition("::")[2]
    return set("".join(c if c.isalnum() or c == "_" else " " for c in name).split())


def _tests(run: Path, context: str) -> list[tuple[str, float]]:
    """The tests of a context, with their seconds: a function as a whole, where it has one context."""
    rows, function = _cases(run)[context], context.partition("#")[0]
    if f"{function}#1" in _cases(run):
        return list(rows.items())
    return [(function, sum(rows.values()))]
