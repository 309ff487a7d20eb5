"""Records the files that jaxlib writes for programs, as digests, in `tests/artifacts/recorded.json`; and the
text of forms in the VHLO dialect, in `tests/artifacts/forms.vhlo.mlir`.

    python tests/make_recorded_artifacts.py

Needs the extra `oracle`. A row is a program and, for its plain bytecode and for the portable artifact of each
version that changes anything but the header, the digests of the bytes and of the text that jaxlib reads from
them; null where jaxlib refuses to write one.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
OUTPUT = ROOT / "tests" / "artifacts" / "recorded.json"
FORMS = ROOT / "tests" / "artifacts" / "forms.vhlo.mlir"
SOURCES = ("tests/artifacts/forms.mlir", "testdata/spec/*.mlir", "testdata/constraints/*.mlir")
OTHER_DIALECTS = ("arith.", "chlo.", "sdy.", "shape.", "tensor.")  # in names of files: they have plain bytes
LEFT_OUT = {"testdata/constraints/while.mlir#0"}  # jaxlib reads it or not, by what it has read before
TARGETS = [f"1.{minor}.0" for minor in range(17, -1, -1)] + [f"0.{minor}.0" for minor in range(20, 8, -1)]


def programs() -> Iterator[tuple[str, str]]:
    """The names and texts of the programs."""
    for pattern in SOURCES:
        for path in sorted(ROOT.glob(pattern)):
            for number, text in enumerate(path.read_text().split("// -----\n")):
                name = f"{path.relative_to(ROOT).as_posix()}#{number}"
                if name not in LEFT_OUT:
                    yield name, text


def digest(data: bytes | str) -> str:
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()[:12]


def body(data: bytes | None) -> bytes | None:
    """A file without its header: the number, the version, and the name of the producer."""
    return None if data is None else data[data.index(b"\0", 5) :]


def main() -> None:
    sys.path.append(str(ROOT / "tests" / "oracle"))
    sys.path += [str(ROOT / "tests"), str(ROOT)]
    from test_artifacts_xla import Jaxlib

    jaxlib = Jaxlib(TARGETS)
    rows: dict[str, dict[str, list[str] | None]] = {}
    for name, text in programs():
        files = jaxlib.write(text)
        is_portable = not Path(name).name.startswith(OTHER_DIALECTS)
        if files is None or files[is_portable] is None:
            continue
        kept = {"plain": files[0]}
        last = b""
        for target, file in zip(TARGETS, files[1:], strict=True) if is_portable else ():
            if body(file) != last:
                kept[target], last = file, body(file)
        read = jaxlib.read([file for file in kept.values() if file])
        if not all(text.startswith("module") for text in read):
            continue  # jaxlib refuses what it has written
        texts = iter(read)
        rows[name] = {key: file and [digest(file), digest(next(texts))] for key, file in kept.items()}
    names = [name for name in rows if name.startswith(SOURCES[0])]
    found = [(name, (jaxlib.vhlo(dict(programs())[name]) or [""])[0]) for name in names]
    FORMS.write_text("// -----\n".join([f"// {name}\n{text}" for name, text in found if text]))
    jaxlib.close()
    lines = [f"{json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items()]
    OUTPUT.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
