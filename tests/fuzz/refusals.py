"""Programs that the verifier accepts and a kernel may refuse: the native engine says the same as NumPy's.

`PYTHONPATH=. python tests/fuzz/refusals.py [--first N] [--count N]` changes types, numbers, ops and regions
of programs of one op each, for every op that has native code. It prints each valid program on which the
native engine raises another error than the NumPy engine, or has another result, by its number, which
determines it.
"""

from __future__ import annotations

import argparse
import random
import sys
import warnings
from functools import cache
from typing import Any

import numpy as np
from mutators import KINDS
from views import all_native

import stablehlo_py as shlo
from stablehlo_py.diagnostics.diagnostic import InternalError
from stablehlo_py.engines.native.support import native_form
from stablehlo_py.interpreter.arrays import random_array
from stablehlo_py.interpreter.plan import byte_size
from stablehlo_py.ir.signature import signature
from stablehlo_py.ir.types import TensorType
from stablehlo_py.opset.definition import all_definitions
from tests.helpers.drawing.draw import draw_case, elements_of

SEED = 5
CHANGES = ("types", "numbers", "ops", "regions")
UNDRAWN = ("stablehlo.uniform_quantize", "stablehlo.uniform_dequantize", "stablehlo.while")
_MOST_BYTES = 1 << 20


@cache
def texts() -> tuple[str, ...]:
    """A program of each op that has native code, on two element types, in generic form."""
    found = []
    for definition in all_definitions():
        if native_form(definition.name) is None or definition.name in UNDRAWN:
            continue
        rng = np.random.default_rng([SEED, len(found)])
        elements = elements_of(definition)
        for at in rng.integers(0, len(elements), 3) if elements else ():
            case = draw_case(rng, definition, elements[at], None, "tame", "main")
            if case is not None:
                found.append(shlo.format(case.module, generic=True))
    return tuple(found)


def mutant(number: int) -> str:
    """The text of a number."""
    choose = random.Random(number)
    text = choose.choice(texts())
    for _ in range(choose.choice((1, 1, 2))):
        text = KINDS[choose.choice(CHANGES)](text, texts(), choose)
    return text


def find(number: int) -> str | None:
    """What of a program is wrong: None if the engines agree, "" if it is not valid."""
    try:
        module = shlo.parse(mutant(number))
    except shlo.ParseError:
        return ""
    if any(d.severity == "error" for d in shlo.verify(module)) or not _is_one_function(module):
        return ""
    types = [each.type for each in signature(module.functions["main"]).inputs]
    if not all(isinstance(t, TensorType) and t.is_static for t in types):
        return ""
    if sum(byte_size(t) or 0 for t in types) > _MOST_BYTES:
        return ""
    rng = np.random.default_rng([SEED, number])
    inputs = [random_array(type, rng, "an input") for type in types]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected, found = (_outcome(module, engine, inputs) for engine in ("numpy", "native"))
    return _difference(expected, found)


def _is_one_function(module: shlo.Module) -> bool:
    """Test whether a module is `main`, of one block that has an end."""
    functions = [op for op in module.body.ops if op.name == "func.func"]
    blocks = functions[0].regions[0].blocks if functions and functions[0].regions else []
    return "main" in module.functions and len(blocks) == 1 and bool(blocks[0].ops)


def _outcome(module: shlo.Module, engine: str, inputs: list[Any]) -> list[Any] | str:
    """The results, or the error."""
    try:
        return list(shlo.compile(module, entry="main", engine=engine)(*[np.array(x) for x in inputs]))
    except InternalError as error:
        return f"internal error: {error}"
    except shlo.RunError as error:
        return str(error)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _difference(expected: list[Any] | str, found: list[Any] | str) -> str | None:
    if isinstance(expected, str) or isinstance(found, str):
        same = isinstance(expected, str) and isinstance(found, str) and expected == found
        return None if same else f"numpy: {str(expected)[:300]}\n  native: {str(found)[:300]}"
    for a, b in zip(expected, found, strict=True):
        if a.dtype != b.dtype or a.shape != b.shape:
            return f"numpy: {a.dtype}{a.shape}, native: {b.dtype}{b.shape}"
        if a.dtype.kind in "biu" and not np.array_equal(a, b):
            return f"numpy: {a}\n  native: {b}"
    return None


def main(arguments: list[str]) -> int:
    """Check programs, and print those that go wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    given = parser.parse_args(arguments)
    valid = wrong = 0
    with all_native(quick=True):
        for number in range(given.first, given.first + given.count):
            text = find(number)
            valid += text != ""
            if text:
                wrong += 1
                print(f"number {number}:\n  {text}", flush=True)
    print(f"{given.count:,} programs, {valid:,} valid: {wrong:,} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
