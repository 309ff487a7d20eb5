"""Records what XLA's parser and printer make of HLO texts, in `tests/hlo/recorded_texts.json`.

    python tests/make_recorded_hlo.py

Needs the extra `oracle`, and `tests/kernels/recorded_ops.zip`. A row is a text and the digests of its forms,
null if it is refused: short texts of testdata, each with a word changed, and our texts of programs of one op.
Rows that differ from ours are left out, and named.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.helpers import recorded_hlo as recorded
from tests.helpers.changed_words import digest
from tests.helpers.oracle_lines import answers

# Reads HLO texts, one JSON string a line; answers each with its text in three styles, false if refused.
CHILD = """
import json, sys
from jaxlib import _hlo
options = _hlo.HloPrintOptions
for line in sys.stdin:
    try:
        module = _hlo.hlo_module_from_text(json.loads(line))
        styles = options.short_parsable(), options.canonical()
        answer = [module.to_string(), *[module.to_string(style) for style in styles]]
    except Exception:
        answer = False
    print(json.dumps(answer), flush=True)
"""


def main() -> None:
    made = {name: recorded.text_of(run) for name, run in recorded.runs().items()}
    texts = recorded.files() | {name: text for name, text in made.items() if text is not None}
    rows = dict(zip(texts, answers(CHILD, list(texts.values())), strict=True))
    theirs = {
        name: [digest(text) for text in row] if row else None for name, row in rows.items() if row is not None
    }
    refused = [name for name in made if theirs.get(name, ()) is None]
    print("texts of ops that are refused:", *refused)
    for name in refused:  # a text cannot say it
        del theirs[name]
    kept = {name: row for name, row in theirs.items() if recorded.printed(texts[name]) == row}
    print(f"{len(theirs) - len(kept)} of {len(theirs)} differ:", *sorted(set(theirs) - set(kept)))
    print(f"{sum(row is None for row in kept.values())} are refused by both")
    recorded.FILE.write_text(json.dumps(kept, indent=0) + "\n")


if __name__ == "__main__":
    main()
