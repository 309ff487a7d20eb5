"""Check a sample of upstream's programs: trees of the grammar, passes, and both engines.

usage: samples.py SHARED [--every 10] [--first 0]

SHARED has the folders conformance, transforms and sharding. For every tenth valid program, the trees are
those of plain Lark, the NumPy engine and the native one say the same, the passes about shapes change no
result, and, for one of five of these, all passes keep the invariants of `tests/transforms/each_pass.py`.
What the comments of `conformance/verify` expect is what `shlo verify` reports.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

import stablehlo_py as shlo  # noqa: E402
from tests.helpers.lark_trees import compare  # noqa: E402
from tests.transforms.each_pass import check  # noqa: E402
from tests.transforms.shape_passes import differing  # noqa: E402

RUN = ("interpret", "testdata")  # folders of programs that state what they expect
ALL_PASSES = 5
UNMET = 2  # a spelling of the specification, and a warning that we do not have


def programs(shared: Path) -> list[Path]:
    """The programs without a labelled error, in an order that mixes families."""
    cases = json.loads((shared / "conformance" / "cases.json").read_text())
    paths = [shared / "conformance" / name for name, label in cases.items() if not label["errors"]]
    return paths + [
        path for name in ("transforms", "sharding") for path in sorted((shared / name).rglob("*.mlir"))
    ]


def valid(text: str) -> shlo.Module | None:
    """The module of a text, if it is valid."""
    try:
        module = shlo.parse(text, allow_unregistered=True)
    except shlo.ParseError:
        return None
    return None if any(d.severity == "error" for d in shlo.verify(module)) else module


def outcome(module: shlo.Module, engine: str) -> str:
    """What an engine says of a program that checks its own results; "" if they hold."""
    try:
        shlo.run(module, engine=engine)
    except shlo.RunError as error:
        return str(error)
    return ""


def problems(path: Path, text: str, module: shlo.Module, all_passes: bool) -> Iterator[str]:
    """Yield what does not hold for a program."""
    is_run = path.parent.name in RUN
    try:
        compare(text)
        yield from (f"{passes} changes results" for passes in differing(module, is_run))
        if all_passes:
            check(module)
    except AssertionError as error:
        yield str(error)[:500]
    if is_run:
        ours, native = (outcome(module, engine) for engine in ("numpy", "native"))
        if ours != native:
            yield f"numpy: {ours}, native: {native}"


def unmet(folder: Path) -> int:
    """Return how many programs do not have the diagnostics that their comments expect."""
    options = ["--verify-diagnostics", "--allow-unregistered", "--format", "junit"]
    command = [sys.executable, "-m", "stablehlo_py", "verify", *options, folder]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode > 1:
        raise SystemExit(done.stderr)
    return done.stdout.count("<failure ")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("shared", type=Path)
    parser.add_argument("--every", type=int, default=10)
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    tried = wrong = 0
    for path in programs(given.shared)[given.first :: given.every]:
        text = path.read_text()
        module = valid(text)
        if module is None:
            continue
        for problem in problems(path, text, module, tried % ALL_PASSES == 0):
            wrong += 1
            print(f"{path.name}: {problem}", flush=True)
        tried += 1
    if (found := unmet(given.shared / "conformance" / "verify")) > UNMET:
        wrong += 1
        print(f"{found} programs have other diagnostics than they expect, more than {UNMET}")
    print(f"{tried} programs of the samples: {wrong} problems")
    return 1 if wrong or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
