"""Uses and definitions in several blocks and nested regions: the verdicts are those of C++.

`python tests/verifier/test_dominance_verdicts.py` prints those of jaxlib for VERDICTS.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys

import pytest

import stablehlo_py as shlo

# Of program 0, 1, ...: v for valid.
VERDICTS = (
    "----vvv---v---v-v-v-v-------v--vv----v-v---v--vvvv----v-vv--vv-------v-----"
    "-v--v--v---vv--v-v---vv--vv--v--------vv-------v---vv-v--------vvv--v--v---"
)


BOOLEAN = "tensor<i1>"


def op_text(result: str, use: str, nested: bool) -> str:
    """An op that uses a value, itself or in a region."""
    if not nested:
        return f'  {result} = "a.op"({use}) : ({BOOLEAN}) -> {BOOLEAN}'
    inner = f'    "a.use"({use}) : ({BOOLEAN}) -> ()\n    "a.end"() : () -> ()\n'
    return f'  {result} = "a.region"() ({{\n{inner}  }}) : () -> {BOOLEAN}'


def program(seed: int) -> str:
    """A function of a few blocks, of which each defines values and uses some of anywhere."""
    draw = random.Random(seed)
    blocks, defined = draw.randint(2, 5), 0
    names: list[str] = ["%p"]
    arguments = [f"%b{number}" for number in range(1, blocks)]
    texts: list[list[str]] = [[] for _ in range(blocks)]
    for block in range(blocks):
        for _ in range(draw.randint(1, 3)):
            texts[block].append(f"%{defined}")
            names.append(f"%{defined}")
            defined += 1
    lines = ["func.func @main(%p: tensor<i1>) {"]
    for block, results in enumerate(texts):
        if block:
            lines.append(f"^bb{block}(%b{block}: tensor<i1>):")
        near = ["%p", *(name for other in texts[: block + 1] for name in other)]
        for result in results:
            use = draw.choice(near if draw.random() < 0.8 else [*names, *arguments])
            before = near.index(result) if result in near else 0
            if use == result or (use in near and near.index(use) >= before):
                use = use if draw.random() < 0.2 else "%p"
            lines.append(op_text(result, use, draw.random() < 0.3))
        targets = [draw.randrange(1, blocks) for _ in range(draw.randint(0, 2))]
        if block + 1 < blocks and not block:
            targets = [*targets, 1]
        labels = ", ".join(f"^bb{target}" for target in targets)
        lines.append(f'  "a.jump"(){f"[{labels}]" if labels else ""} : () -> ()')
    return "\n".join([*lines, "}", ""])


def is_valid(text: str) -> bool:
    try:
        module = shlo.parse(text, allow_unregistered=True)
    except shlo.ParseError:
        return False
    return not [d for d in shlo.verify(module) if d.severity == "error"]


@pytest.mark.parametrize("seed", range(len(VERDICTS)))
def test_verdict(seed: int) -> None:
    assert is_valid(program(seed)) == (VERDICTS[seed] == "v"), program(seed)


CHILD = """
import json, sys
from jaxlib.mlir import ir
from jax._src.interpreters import mlir
context = mlir.make_ir_context()
context.allow_unregistered_dialects = True
found = ""
with context:
    for text in json.load(sys.stdin):
        try:
            ir.Module.parse(text).operation.verify()
            found += "v"
        except Exception:
            found += "-"
print(found)
"""

if __name__ == "__main__":
    texts = json.dumps([program(seed) for seed in range(len(VERDICTS))])
    print(
        subprocess.run(
            [sys.executable, "-c", CHILD], input=texts, text=True, check=True, stdout=subprocess.PIPE
        ).stdout
    )
