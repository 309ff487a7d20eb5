"""Records what jaxlib's passes make of programs, as digests, in `tests/transforms/recorded_passes.json`.

    python tests/make_recorded_passes.py

Needs the extra `oracle`. A row is a program and the digest of the result of each pass that changes it beyond
what `canonicalize` does, as far as ours is the same; how many are not is printed. Programs that jaxlib cannot
read (quantized types), and passes that it does not have (simplification, folding), are left out.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import stablehlo_py as shlo
from stablehlo_py.ir.attributes import StringAttr
from stablehlo_py.opset.definition import has_trait

ROOT = Path(__file__).parent.parent
OUTPUT = ROOT / "tests" / "transforms" / "recorded_passes.json"
PASSES = (
    "canonicalize",
    "cse",
    "inline",
    "symbol-dce",
    "strip-debuginfo",
    "chlo-legalize-to-stablehlo,cse",
    "shape-legalize-to-stablehlo",
    "stablehlo-canonicalize-dynamism",
    "stablehlo-compatibility-expander{target=1.0.0}",
    "stablehlo-complex-math-expander",
    "stablehlo-convert-to-signless",
    "stablehlo-legalize-composite-to-call",
    "stablehlo-legalize-deprecated-ops{fail-on-unused=false}",
    "stablehlo-refine-shapes",
)
OF_ALL_PROGRAMS = {"canonicalize", "cse", "inline"}  # of programs of one op, they leave nothing
MARKED = "tests/transforms/recorded_passes.mlir"  # each program again, with an attribute on each op
FILES = ("tests/artifacts/forms.mlir", MARKED, "testdata/constraints/*.mlir")
REAL, SINGLE, COMPLEX = ("f32", "f64"), ("f8E5M2", "bf16", "f16"), ("complex<f32>", "complex<f64>")
UNARY = (
    "acos acosh asin asinh atan atanh bessel_i1e cosh digamma erf erf_inv erfc is_inf is_neg_inf is_pos_inf "
    "lgamma sinh square tan"
)
BINARY = "next_after polygamma zeta"
OF_COMPLEX = "acos acosh asin asinh atan atanh conj cosh sinh square tan"
EXPANDED = "abs cosine exponential exponential_minus_one log log_plus_one logistic rsqrt sine sqrt tan tanh"
BROADCASTING = (
    "add and atan2 complex divide maximum minimum multiply next_after or polygamma power remainder "
    "shift_left shift_right_arithmetic shift_right_logical subtract xor zeta"
)
OF_INTEGERS = {"and", "or", "xor", "shift_left", "shift_right_arithmetic", "shift_right_logical"}
SHAPES = (
    ("3", "3", "3"),
    ("2x3", "3", "2x3"),
    ("2x1", "1x3", "2x3"),
    ("", "2", "2"),
    ("?", "?", "?"),
    ("?x3", "?x1", "?x3"),
)

# Reads [text, pipeline] pairs and prints the transformed text. A process of its own, as it may abort.
TRANSFORM = """
import json, sys
from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
from jaxlib.mlir.passmanager import PassManager
context = mlir.make_ir_context()
stablehlo.register_stablehlo_passes()
for line in sys.stdin:
    text, pipeline = json.loads(line)
    answer = None
    with context:
        for nested in (f"builtin.module({pipeline})", f"builtin.module(func.func({pipeline}))"):
            try:
                passes = PassManager.parse(nested)
            except (ir.MLIRError, ValueError):
                continue
            try:
                module = ir.Module.parse(text)
                passes.run(module.operation)
                answer = str(module)
            except ir.MLIRError:
                pass
            break
    print(json.dumps(answer), flush=True)
"""


def function(op: str, operands: list[str], result: str, rest: str = "") -> str:
    """A function that applies an op to its arguments."""
    names = [f"%a{i}" for i in range(len(operands))]
    arguments = ", ".join(f"{name}: {type}" for name, type in zip(names, operands, strict=True))
    return (
        f"func.func @main({arguments}) -> {result} {{\n"
        f'  %r = "{op}"({", ".join(names)}) {rest}: ({", ".join(operands)}) -> {result}\n'
        f"  return %r : {result}\n}}\n"
    )


def tensor(shape: str, element: str) -> str:
    return f"tensor<{shape}{'x' if shape else ''}{element}>"


def functions() -> Iterator[str]:
    """Programs of one op, of each element type."""
    for op in UNARY.split():
        for element in (*REAL, *SINGLE):
            for shape in ("2", "?x3") if element == "f32" else ("2",):
                result = tensor(shape, "i1" if op.startswith("is_") else element)
                yield function(f"chlo.{op}", [tensor(shape, element)], result)
    for op in BINARY.split():
        for element in (*REAL, *SINGLE[1:]):
            yield function(f"chlo.{op}", [tensor("2", element)] * 2, tensor("2", element))
    for element in COMPLEX:
        for op in OF_COMPLEX.split():
            yield function(f"chlo.{op}", [tensor("2", element)], tensor("2", element))
        for op in EXPANDED.split():
            result = element[8:-1] if op == "abs" else element
            yield function(f"stablehlo.{op}", [tensor("2", element)], tensor("2", result))
        for op in ("power", "atan2", "divide", "multiply"):
            yield function(f"stablehlo.{op}", [tensor("2", element)] * 2, tensor("2", element))
    for element in ("i8", "ui8", "i16", "i32", "ui32", "i64", "ui64"):
        yield function("chlo.mulhi", [tensor("2", element)] * 2, tensor("2", element))
    for op in BROADCASTING.split():
        for lhs, rhs, shape in SHAPES:
            element = "i32" if op in OF_INTEGERS else "f32"
            result = tensor(shape, "complex<f32>" if op == "complex" else element)
            yield function(f"chlo.broadcast_{op}", [tensor(lhs, element), tensor(rhs, element)], result)
    for direction in ("EQ", "LT", "GE"):
        for lhs, rhs, shape in SHAPES:
            rest = f"{{comparison_direction = #chlo<comparison_direction {direction}>}} "
            operands = [tensor(lhs, "f32"), tensor(rhs, "f32")]
            yield function("chlo.broadcast_compare", operands, tensor(shape, "i1"), rest)


def programs() -> Iterator[tuple[str, str]]:
    """The names and texts of the programs."""
    for text in functions():
        yield " ".join(text.split("\n")[1].split()), text
    for pattern in FILES:
        for path in sorted(ROOT.glob(pattern)):
            for number, text in enumerate(path.read_text().split("// -----\n")):
                name = f"{path.relative_to(ROOT).as_posix()}#{number}"
                yield name, text
                if pattern == MARKED and valid(text):
                    yield f"{name} marked", marked(text)


def marked(text: str) -> str:
    """A program with an attribute of its own on each op, which a pass keeps, merges or drops."""
    module = shlo.parse(text)
    for number, op in enumerate(module.walk()):
        if not (op.is_module or op.is_function or has_trait(op.name, "terminator")):
            op.attributes["mark"] = StringAttr(str(number))
    return shlo.format(module)


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def ours(text: str, pipeline: str) -> str | None:
    try:
        return shlo.format(shlo.opt(shlo.parse(text, "-"), pipeline))
    except (shlo.TransformError, shlo.InternalError):
        return None


def valid(text: str) -> bool:
    try:
        return not any(d.severity == "error" for d in shlo.verify(shlo.parse(text, "-")))
    except shlo.ParseError:
        return False


def theirs(jobs: list[tuple[str, str]]) -> Iterator[str | None]:
    """What jaxlib makes of programs, as we print it; None if it refuses or aborts."""
    done = 0
    while done < len(jobs):
        sent = "\n".join(map(json.dumps, jobs[done:]))
        command = [sys.executable, "-c", TRANSFORM]
        answer = subprocess.run(command, input=sent, capture_output=True, text=True, check=False)
        lines = [json.loads(line) for line in answer.stdout.splitlines()]
        done += len(lines)
        yield from (line and shlo.format(shlo.parse(line)) for line in lines)
        if done < len(jobs):
            done += 1
            yield None


def main() -> None:
    texts = {name: text for name, text in programs() if valid(text)}
    jobs, expected = [], []
    for name, text in texts.items():
        seen = {shlo.format(shlo.parse(text, "-"))}
        for pipeline in PASSES:
            found = ours(text, pipeline)
            if pipeline in OF_ALL_PROGRAMS and name.startswith("testdata/constraints"):
                seen.add(found or "")
            if found is not None and found not in seen:
                seen.add(found)
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
