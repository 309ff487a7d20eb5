"""Records what the C++ parser, verifier and printer make of programs, in `tests/syntax/recorded_texts.json`.

    python tests/make_recorded_texts.py

Needs the extra `oracle`. A row of `printed` is a program and the digests of its three texts: pretty, generic,
and with locations; null if it is refused. A row of `refused` is a program with a word changed, and the line
of the error; 0 if it is valid. Rows that differ from ours are left out, and counted.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.helpers import recorded_texts as recorded
from tests.helpers.changed_words import changed, digest
from tests.helpers.oracle_lines import answers, mlir_context

# Reads programs, one JSON string a line; answers each with its three texts, or the message of its error.
CHILD = """
for line in sys.stdin:
    with context:
        try:
            module = ir.Module.parse(json.loads(line))
            assembly = module.operation.get_asm
            answer = [str(module), assembly(print_generic_op_form=True), assembly(enable_debug_info=True)]
        except ir.MLIRError as error:
            answer = str(error)
    print(json.dumps(answer), flush=True)
"""
LINE = re.compile(r'"?-"?:(\d+):\d+')


def line_of(answer: Any) -> int:
    """The line of an error, 0 if there is none."""
    if not isinstance(answer, str):
        return 0
    place = LINE.search(answer)
    return int(place[1]) if place else -1


def main() -> None:
    programs = recorded.programs()
    child = mlir_context() + CHILD
    rows = dict(zip(programs, answers(child, list(programs.values())), strict=True))
    printed = {
        name: [digest(text) for text in answer] if isinstance(answer, list) else None
        for name, answer in rows.items()
        if isinstance(answer, list) or (name in recorded.LANGUAGE and answer is not None)
    }
    kept = {name: row for name, row in printed.items() if recorded.texts(programs[name]) == row}
    print(f"{len(printed) - len(kept)} of {len(printed)} are printed otherwise")
    print(*sorted(set(printed) - set(kept)))
    texts = {
        f"{name}/{number}": text
        for name in recorded.LANGUAGE
        if isinstance(rows[name], list)
        for number, text in enumerate(changed(name, programs[name]))
    }
    lines = dict(zip(texts, map(line_of, answers(child, list(texts.values()))), strict=True))
    same = {name: line for name, line in lines.items() if recorded.line_of_error(texts[name]) == line}
    print(f"{len(lines) - len(same)} of {len(lines)} are refused otherwise")
    recorded.FILE.write_text(json.dumps({"printed": kept, "refused": same}, indent=0) + "\n")


if __name__ == "__main__":
    main()
