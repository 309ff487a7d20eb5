"""Records what XLA's parser and printer make of HLO texts, in `tests/hlo/recorded_texts.json` and `.zip`.

    python tests/make_recorded_hlo.py

Needs the extra `oracle`, and `tests/kernels/recorded_ops.zip`. A row is a text and the digests of its forms,
null if it is refused: short texts of testdata, each with a word changed, and our texts of programs of one op.
Rows that differ from ours are left out, and named. Texts that are read are also recorded as protobuf, with
the digest of the text that is printed after reading this.
"""

from __future__ import annotations

import json
import sys
from base64 import b64decode
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.helpers import recorded_hlo as recorded
from tests.helpers.changed_words import digest
from tests.helpers.oracle_lines import answers

# Reads HLO texts, one JSON string a line; answers each with its text in three styles, false if refused, and
# with its protobuf and the text of that, null if that is refused.
CHILD = """
import base64, json, sys
from jaxlib import _hlo
options = _hlo.HloPrintOptions
for line in sys.stdin:
    try:
        module = _hlo.hlo_module_from_text(json.loads(line))
        styles = options.short_parsable(), options.canonical()
        answer = [module.to_string(), *[module.to_string(style) for style in styles]]
    except Exception:
        print("[false, null]", flush=True)
        continue
    try:
        data = module.as_serialized_hlo_module_proto()
        text = _hlo.HloModule.from_serialized_hlo_module_proto(data).to_string()
        stored = base64.b64encode(data).decode(), text
    except Exception:
        stored = None
    print(json.dumps([answer, stored]), flush=True)
"""


def main() -> None:
    made = {name: recorded.text_of(run) for name, run in recorded.runs().items()}
    texts = recorded.files() | {name: text for name, text in made.items() if text is not None}
    found = {name: row for name, row in zip(texts, answers(CHILD, list(texts.values())), strict=True) if row}
    rows = {name: answer for name, (answer, _) in found.items()}
    theirs = {name: [digest(text) for text in row] if row else None for name, row in rows.items()}
    refused = [name for name in made if theirs.get(name, ()) is None]
    print("texts of ops that are refused:", *refused)
    for name in refused:  # a text cannot say it
        del theirs[name]
    kept = {name: row for name, row in theirs.items() if recorded.printed(texts[name]) == row}
    print(f"{len(theirs) - len(kept)} of {len(theirs)} differ:", *sorted(set(theirs) - set(kept)))
    print(f"{sum(row is None for row in kept.values())} are refused by both")
    recorded.FILE.write_text(json.dumps(kept, indent=0) + "\n")
    stored = {name: (b64decode(row[0]), digest(row[1])) for name, (_, row) in found.items() if row}
    same = {name: row for name, row in stored.items() if recorded.printed_proto(row[0]) == row[1]}
    print(f"{len(stored) - len(same)} of {len(stored)} protobufs differ:", *sorted(set(stored) - set(same)))
    recorded.write_protos(same)


if __name__ == "__main__":
    main()
