"""Mutation testing: draw bugs, plant each in a copy of the tree, and run the tests nearest to it.

    python tests/gates/mutants.py --package transforms --count 200 --seed 7
    python tests/gates/mutants.py stablehlo_py/transforms/tidy.py

Prints the bugs that no test notices, each as a difference, and the rate by package. What is drawn is a line
of code, and a mutation that fits it. Where the module cannot be imported, another one is drawn. Mutations
that make an equivalent program are listed in `equivalent_mutants.toml`, each with a reason. So are numbers
that decide only how fast a program is: a change of one that no test notices counts as equivalent.

Which tests run a line is recorded at the first use for the folders of tests near the sources, and again for
files of tests that have changed since. Records are in `build/mutants`.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import subprocess
import sys
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain, islice
from multiprocessing.pool import Pool
from operator import itemgetter
from pathlib import Path

import mutant_runs
import nearest_tests
from mutant_runs import CAUGHT, IMPORT_FAILS, PASSED, ROOT, Outcome
from mutant_sites import Mutant, Source

EQUIVALENT = "equivalent"
EQUIVALENTS = Path(__file__).with_name("equivalent_mutants.toml")
MOST_EQUIVALENT = 0.05
# Of a mutant: tests, files of tests, and their recorded time.
MOST_TESTS, MOST_FILES, MOST_SECONDS = 1200, 36, 25.0
LEFT_OUT = ("stablehlo_py/engines/mpi/", "stablehlo_py/engines/pjrt/")  # their tests need an MPI, or JAX


@dataclass(frozen=True)
class Result:
    """A mutant, and what came of it."""

    mutant: Mutant
    outcome: Outcome
    tests: int
    runs_line: bool


def main() -> int:
    given = _arguments()
    sources = _sources(given.files, given.package)
    lines = _lines(sources, given.since, given.seed) if given.since else [_code_lines(sources)]
    if given.recorded:
        nearest_tests.take(*given.recorded)
    else:
        drawn = islice(chain(*(_drawn(each, given.seed) for each in lines)), given.count)
        near = nearest_tests.near({mutant.site.file for mutant in drawn})
        nearest_tests.record(nearest_tests.stale(near))
    start = time.monotonic()
    mutants = chain(*(_drawn(each, given.seed) for each in lines))
    found = list(_results(mutants, given.count, given.jobs))
    for result in found:
        if result.outcome.verdict not in (CAUGHT, EQUIVALENT):
            _print_survivor(result)
    problems = _print_table(found, given.floor)
    print(f"{len(found)} mutants, seed {given.seed}, {time.monotonic() - start:.0f} s", *problems, sep="\n")
    return 1 if problems else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("files", nargs="*", metavar="FILE", help="draw from these only")
    parser.add_argument("--package", action="append", default=[], help="draw from this folder only")
    parser.add_argument("--count", type=int, default=100, help="mutants to draw")
    parser.add_argument("--seed", type=lambda text: int(text, 0), default=0)
    since = "draw from lines changed since this revision, then from their files; else from a package"
    parser.add_argument("--since", default="", help=since)
    recorded = "what pytest --cov -p function_contexts left, instead of a record"
    parser.add_argument("--recorded", nargs=2, type=Path, metavar=("COVERAGE", "SECONDS"), help=recorded)
    parser.add_argument("--floor", type=float, default=0, help="fail if less than this per cent is caught")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="mutants to test at a time")
    return parser.parse_args()


def _sources(files: Sequence[str], packages: Sequence[str]) -> list[Source]:
    paths = [*(ROOT / "stablehlo_py").rglob("*.py"), *(ROOT / "cli").rglob("*.py")]
    found = {path.relative_to(ROOT).as_posix() for path in paths}
    chosen = {Path(file).resolve().relative_to(ROOT).as_posix() for file in files}
    for name in packages:
        folders = (f"stablehlo_py/{name}/", f"{name}/")
        inside = {file for file in found if file.startswith(folders) or package(file) == name}
        if not inside:
            raise SystemExit(f"there is no package {name}")
        chosen |= inside
    return [Source(ROOT, file) for file in sorted(chosen or found) if not file.startswith(LEFT_OUT)]


def package(file: str) -> str:
    """The package of a file, for the table."""
    parts = [part for part in Path(file).parts[:-1] if part != "stablehlo_py"]
    return parts[1] if parts[:2] == ["engines", "native"] else parts[0] if parts else "stablehlo_py"


def _lines(sources: Sequence[Source], since: str, seed: int) -> list[dict[Source, list[int]]]:
    """The lines that a revision does not have, then those of their files; else those of a package.

    So few folders of tests are near what is drawn, and are recorded.
    """
    changed = _code_lines(sources, since) if _exists(since) else {}
    if changed:
        return [changed, _code_lines(list(changed))]
    (one,) = random.Random(seed).choices(sources, [len(source.code_lines) for source in sources])
    return [_code_lines([source for source in sources if package(source.file) == package(one.file)])]


def _exists(revision: str) -> bool:
    """Whether there is a revision of this name: a shallow clone has few."""
    command = ["git", "rev-parse", "-q", "--verify", f"{revision}^{{commit}}"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == 0


def _changed(revision: str) -> dict[str, set[int]]:
    """The lines of each file that a revision does not have."""
    command = ["git", "diff", "-U0", "--no-color", revision, "--", "*.py"]
    text = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    found: dict[str, set[int]] = defaultdict(set)
    file = ""
    for line in text.splitlines():
        if line.startswith("+++ "):
            file = line.removeprefix("+++ b/")
        elif hunk := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line):
            found[file] |= set(range(int(hunk[1]), int(hunk[1]) + int(hunk[2] or 1)))
    return found


def _code_lines(sources: Sequence[Source], since: str = "") -> dict[Source, list[int]]:
    """The lines of code of each file; of those that a revision does not have, if one is given."""
    changed = _changed(since) if since else None
    found = {
        source: [line for line in source.code_lines if changed is None or line in changed[source.file]]
        for source in sources
    }
    return {source: lines for source, lines in found.items() if lines}


# Drawing


def _drawn(lines: dict[Source, list[int]], seed: int) -> Iterator[Mutant]:
    """Different mutants, without end or until there are no more."""
    rng = random.Random(seed)
    sources, weights = list(lines), [len(rows) for rows in lines.values()]
    seen = set()
    for _ in range(50 * sum(weights)):
        source = rng.choices(sources, weights)[0]
        sites = source.sites(rng.choice(lines[source]))
        if not sites:
            continue
        operator = rng.choice(sorted({site.operator for site in sites}))
        site = rng.choice([site for site in sites if site.operator == operator])
        if site not in seen:
            seen.add(site)
            if mutant := source.mutant(site):
                yield mutant


def _results(mutants: Iterator[Mutant], count: int, jobs: int) -> Iterator[Result]:
    """Judges as many mutants as are asked for, without those that cannot be imported."""
    equivalent = _equivalents()
    with mutant_runs.pool(jobs) as pool:
        found = 0
        unfit: set[str] = set()
        while wave := list(islice(mutants, count - found)):
            known = [m for m in wave if _key(m) in equivalent]
            kept = [Result(m, Outcome(EQUIVALENT, "", 0.0), 0, True) for m in known]
            kept += map(_with_costs, _judged(pool, [m for m in wave if m not in known], unfit))
            found += len(kept)
            yield from kept


def _judged(pool: Pool, mutants: Sequence[Mutant], unfit: set[str]) -> list[Result]:
    """Judges mutants; again where the test that fails does so without the bug: it joins the unfit ones."""
    results: list[Result] = []
    left = list(mutants)
    while left:
        judged = []
        for result in pool.imap(partial(_judge, frozenset(unfit)), left):
            _progress(result)
            judged.append(result)
        failed = sorted({r.outcome.test for r in judged if r.outcome.test})
        more = pool.apply(mutant_runs.unfit, [failed]) - unfit if failed else set()
        for test in sorted(more):
            print(f"left out, since it fails without a bug: {test}", file=sys.stderr)
        left = [r.mutant for r in judged if r.outcome.test in more]
        results += [r for r in judged if r.outcome.test not in more and r.outcome.verdict != IMPORT_FAILS]
        unfit |= more
    return results


def _progress(result: Result) -> None:
    if os.environ.get("MUTANTS_PROGRESS"):
        verdict, site = result.outcome, result.mutant.site
        print(
            f"{verdict.verdict:9}{verdict.seconds:6.1f} s {result.tests:3} tests  {site.file}:{site.line}",
            file=sys.stderr,
        )


def _judge(unfit: frozenset[str], mutant: Mutant) -> Result:
    source = Source(ROOT, mutant.site.file)
    line = mutant.site.line
    is_code = source.is_in_function(line)
    places = [(source.file, source.statement(line))] if is_code else _readers(source, line)
    tests, runs_line = nearest_tests.running(source.file, places, None if is_code else source.subject(line))
    chosen, recorded = _chosen([row for row in tests if not {row[0], row[0].partition("::")[0]} & unfit])
    outcome = mutant_runs.tree().judge(source.file, mutant.text, chosen, unfit, 15 + 3 * recorded)
    return Result(mutant, outcome, len(chosen), runs_line)


def _readers(source: Source, line: int) -> list[nearest_tests.Place]:
    """The lines of functions that read what a statement which runs at import defines."""
    found: list[nearest_tests.Place] = []
    for name in source.defined(line):
        word, module = re.compile(rf"\b{name}\b"), re.compile(rf"\b{Path(source.file).stem}\b")
        for path in [*(ROOT / "stablehlo_py").rglob("*.py"), *(ROOT / "cli").rglob("*.py")]:
            file, text = path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
            if word.search(text) and (file == source.file or module.search(text)):
                other = Source(ROOT, file)
                lines = [i for i, row in enumerate(text.splitlines(), 1) if word.search(row)]
                found += [(file, [i]) for i in lines if other.is_in_function(i)]
    return found


def _chosen(tests: Sequence[tuple[str, float]]) -> tuple[list[str], float]:
    """The nearest of the tests for half of the time, then the fastest others, and their recorded seconds."""
    chosen: dict[str, float] = {}
    files: set[str] = set()
    for limit, rows in ((MOST_SECONDS / 2, tests), (MOST_SECONDS, sorted(tests, key=itemgetter(1)))):
        for test, seconds in rows:
            name = test.partition("::")[0]
            is_full = len(chosen) >= MOST_TESTS or (len(files) >= MOST_FILES and name not in files)
            if is_full or test in chosen or (chosen and sum(chosen.values()) + seconds > limit):
                continue
            chosen[test] = seconds
            files.add(name)
    return list(chosen), sum(chosen.values())


# Equivalent mutants


def _key(mutant: Mutant) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    return mutant.site.file, mutant.removed, mutant.added


def _equivalents() -> set[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    rows = tomllib.loads(EQUIVALENTS.read_text(encoding="utf-8")).get("mutant", [])
    return {(row["file"], tuple(row["before"]), tuple(row["after"])) for row in rows if row["reason"]}


def _with_costs(result: Result) -> Result:
    """A result; a survivor is equivalent where it changes a number that decides only speed, or its border."""
    if result.outcome.verdict != PASSED or not (_is_cost(result.mutant) or _is_border(result.mutant)):
        return result
    return replace(result, outcome=replace(result.outcome, verdict=EQUIVALENT))


def _is_cost(mutant: Mutant) -> bool:
    site = mutant.site
    names = _costs().get(site.file)
    changed = Source(ROOT, site.file).defined(site.line) if names is not None else []
    return names is not None and bool(changed) and (not names or names.issuperset(changed))


def _is_border(mutant: Mutant) -> bool:
    """Whether a comparison with such a number is the same but for the number itself."""
    there = {"cost[.][A-Z_]+"}.union(*(names for file, names in _costs().items() if _knows(mutant, file)))
    border = re.compile(rf"[<>]=? (?=(?:{'|'.join(sorted(there))})\b)")
    before, after = (border.sub("<> ", "\n".join(lines)) for lines in (mutant.removed, mutant.added))
    is_border = mutant.operator.endswith(("_Lt_LtE", "_LtE_Lt", "_Gt_GtE", "_GtE_Gt"))
    return is_border and before == after


def _knows(mutant: Mutant, file: str) -> bool:
    """Whether a file of a mutant is this one, or imports from it."""
    module = file.removesuffix(".py").replace("/", ".")
    return mutant.site.file == file or f"from {module} import" in mutant.original


@cache
def _costs() -> dict[str, set[str]]:
    """The names of numbers that decide only speed, by file; none for all of a file."""
    rows = tomllib.loads(EQUIVALENTS.read_text(encoding="utf-8")).get("costs", [])
    return {row["file"]: set(row.get("names", ())) for row in rows if row["reason"]}


# Reports


def _print_survivor(result: Result) -> None:
    mutant = result.mutant
    how = (
        f"{result.tests} tests pass"
        if result.runs_line
        else f"no test runs the line; {result.tests} tests pass"
    )
    print(mutant.difference(), f"({how})", "", sep="\n")


def _print_table(found: Sequence[Result], floor: float) -> list[str]:
    """Prints the rates by package; returns what is wrong with them."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    seconds: dict[str, float] = defaultdict(float)
    for result in found:
        for name in (package(result.mutant.site.file), "all"):
            verdict = result.outcome.verdict
            counts[name][verdict if verdict in (CAUGHT, EQUIVALENT) else "survived"] += 1
            seconds[name] += result.outcome.seconds
    print(
        f"{'package':14}{'mutants':>8}{'caught':>8}{'equivalent':>11}{'survived':>9}{'rate':>8}{'seconds':>9}"
    )
    for name in sorted(counts, key=lambda name: (name == "all", name)):
        n = counts[name]
        rate = 100 * n[CAUGHT] / max(1, n.total() - n[EQUIVALENT])
        print(
            f"{name:14}{n.total():8}{n[CAUGHT]:8}{n[EQUIVALENT]:11}{n['survived']:9}{rate:7.1f}%{seconds[name]:9.0f}"
        )
    n = counts["all"]
    problems = []
    if 100 * n[CAUGHT] < floor * (n.total() - n[EQUIVALENT]):
        problems.append(f"less than {floor:g} % are caught")
    if n[EQUIVALENT] > max(1, MOST_EQUIVALENT * n.total()):
        problems.append(f"more than {100 * MOST_EQUIVALENT:g} % are listed as equivalent")
    return problems


if __name__ == "__main__":
    sys.exit(main())
