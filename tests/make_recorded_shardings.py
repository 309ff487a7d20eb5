"""Records what Shardy's passes in jaxlib make of programs, in `tests/sharding/recorded_shardings.json`.

    PYTHONPATH=.:tests python tests/make_recorded_shardings.py

Needs the extra `oracle`. Programs are those of a few models, and one of each op, with drawn shardings, and
those of `tests/sharding/cases.mlir` and `tests/sharding/sets/*.mlir` as they are. A row is a program and
the digest of the result of each pass, as far as ours is the same; others are printed.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

from make_recorded_passes import digest, ours, theirs, valid

import stablehlo_py as shlo
from stablehlo_py.debug.generate.shardings import KINDS
from stablehlo_py.transforms.registry import names
from tests.helpers.drawn_shardings import draw_shardings

ROOT = Path(__file__).parent.parent
OUTPUT = ROOT / "tests" / "sharding" / "recorded_shardings.json"
RESHARDS = "sdy-insert-explicit-reshards"
EVERYWHERE = f"{RESHARDS}{{enable-full-version=true}}"
PASSES = ("sdy-propagation-pipeline", EVERYWHERE, RESHARDS, "sdy-populate-op-sharding-rules")
# Of programs that are about them:
ALL_PASSES = (*[name for name in names() if name.startswith("sdy")], EVERYWHERE)
STATED = "stated"  # a program has the shardings of its text
OF_OPS = ("open", "constraint")  # kinds of shardings that are drawn for programs of one op


def programs() -> Iterator[tuple[str, str, str, int]]:
    """Names, texts without shardings, kinds of shardings, and seeds."""
    for number, path in enumerate(sorted((ROOT / "tests" / "sharding" / "programs").glob("*.mlir"))):
        if ".propagated" not in path.name:
            for kind in KINDS[number // 2 % 2 :: 2]:
                yield f"{path.name} {kind}", path.read_text(), kind, 3
    for path in sorted((ROOT / "testdata" / "constraints").glob("*.mlir")):
        if not path.name.startswith("sdy."):
            seed = crc32(path.name.encode())  # whatever other files there are
            kind = OF_OPS[seed % len(OF_OPS)]
            yield f"{path.name} {kind}", path.read_text().split("// -----\n")[0], kind, seed
    for number, text in enumerate(_cases(ROOT / "tests" / "sharding" / "cases.mlir")):
        yield f"case {number}", text, STATED, number
    for path in sorted((ROOT / "tests" / "sharding" / "sets").glob("*.mlir")):
        for number, text in enumerate(_cases(path)):
            yield f"{path.stem} {number}", text, STATED, number


def _cases(path: Path) -> list[str]:
    return path.read_text().split("// -----\n")


def with_shardings(text: str, kind: str, seed: int) -> str:
    """A program with the shardings that its row has."""
    return text if kind == STATED else draw_shardings(text, kind, seed)


def drawn(text: str, kind: str, seed: int) -> str | None:
    """A program with shardings; None if it is invalid, or its function has several blocks."""
    main = shlo.parse(text).functions.get("main") if valid(text) else None
    if main is None or len(main.regions[0].blocks) != 1:
        return None
    made = with_shardings(text, kind, seed)
    return made if valid(made) else None


def main() -> None:
    texts = {}
    passes = {}
    for name, text, kind, seed in programs():
        if made := drawn(text, kind, seed):
            texts[name], passes[name] = made, ALL_PASSES if name.startswith(("case ", "drawn ")) else PASSES
    jobs, expected = [], []
    for name, text in texts.items():
        before = shlo.format(shlo.parse(text))
        for pipeline in passes[name]:
            found = ours(text, pipeline)
            if found is not None and found != before:
                jobs.append((name, pipeline))
                expected.append(found)
    rows: dict[str, dict[str, str]] = {}
    counts: Counter[tuple[str, str]] = Counter()
    answers = theirs([(texts[name], pipeline) for name, pipeline in jobs])
    for (name, pipeline), found, answer in zip(jobs, expected, answers, strict=True):
        counts[pipeline, "refused" if answer is None else "same" if answer == found else "other"] += 1
        if answer == found:
            rows.setdefault(name, {})[pipeline] = digest(answer)
        elif answer is not None:
            print(f"other: {name}: {pipeline}")
    for key, count in sorted(counts.items()):
        print(*key, count)
    lines = [f"{json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items()]
    OUTPUT.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
