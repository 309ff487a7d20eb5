"""HLO texts whose verdicts and texts, as XLA's parser and printer have them, are recorded."""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from functools import cache
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import stablehlo_py as shlo
from stablehlo_py.hlo.from_stablehlo import from_stablehlo
from stablehlo_py.hlo.parser import parse_hlo
from stablehlo_py.hlo.proto.reader import read_proto
from tests.helpers.changed_words import changed, digest
from tests.helpers.recorded_runs import Run, read

ROOT = Path(__file__).parents[2]
FILE = ROOT / "tests" / "hlo" / "recorded_texts.json"
PROTOS = FILE.with_suffix(".zip")
MORE = ROOT / "tests" / "hlo" / "more_texts.txt"
OPS = ROOT / "tests" / "kernels" / "recorded_ops.zip"
STYLES = ("default", "short_parsable", "canonical")
LONGEST = 3000  # characters
MOST_RUNS = 3  # of an op


@cache
def runs() -> dict[str, Run]:
    """Programs of one op by name, a few of each op."""
    found: dict[str, Run] = {}
    for run in read(OPS):
        number = sum(name.startswith(f"{run.op}/") for name in found)
        if number < MOST_RUNS:
            found[f"{run.op}/{number}"] = run
    return found


def text_of(run: Run) -> str | None:
    """The program as HLO; None where it has no form."""
    module = shlo.parse(run.text)
    try:
        return from_stablehlo(module, next(iter(module.functions))).to_string("short_parsable")
    except shlo.ParseError:
        return None


@cache
def files() -> dict[str, str]:
    """The short texts of testdata and of `more_texts.txt`, and each with a word changed."""
    paths = sorted((ROOT / "testdata" / "hlo").glob("*.hlo"))
    texts = {path.stem: path.read_text(encoding="utf-8") for path in paths}
    texts = {name: text for name, text in texts.items() if len(text) <= LONGEST}
    _, *more = re.split(r"^=== (\w+)\n", MORE.read_text(encoding="utf-8"), flags=re.M)
    texts |= dict(zip(more[::2], more[1::2], strict=True))
    others = {
        f"{name}/{number}": text
        for name, whole in texts.items()
        for number, text in enumerate([*changed(name, whole), *changed(f"{name} again", whole)])
    }
    return texts | others


def printed_proto(data: bytes) -> str | None:
    """The digest of our text of a module in protobuf; None if it is refused."""
    try:
        return digest(read_proto(data).to_string())
    except shlo.ParseError:
        return None


def write_protos(rows: dict[str, tuple[bytes, str]]) -> None:
    """Store modules in protobuf, with the digests of their texts."""
    with ZipFile(PROTOS, "w", ZIP_DEFLATED, compresslevel=9) as archive:
        entry = ZipInfo("protos.json")  # of a fixed time
        entry.compress_type = ZIP_DEFLATED
        texts = {name: (b64encode(data).decode(), text) for name, (data, text) in rows.items()}
        archive.writestr(entry, json.dumps(texts, indent=0))


@cache
def protos() -> dict[str, tuple[bytes, str]]:
    """What `write_protos` stored."""
    with ZipFile(PROTOS) as archive:
        rows = json.loads(archive.read("protos.json"))
    return {name: (b64decode(data), text) for name, (data, text) in rows.items()}


def printed(text: str) -> list[str] | None:
    """The digests of what our printer makes of a text; None if it is refused."""
    try:
        module = parse_hlo(text)
    except shlo.ParseError:
        return None
    return [digest(module.to_string(style)) for style in STYLES]
