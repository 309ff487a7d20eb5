"""Faults planted in the bf16 or f16 twins of models: whether `compare` names them, and nothing without one.

usage: twins.py PROGRAM... [--seed 0] [--count 1]

PROGRAM is NAME.mlir with NAME.npz (in0, in1, ...), or a folder with program.mlir, inputs.json and inputs.npz.
The pass `narrow` makes the twins. A fault is named if the first op that `compare` finds is the changed one,
or one that makes its operands or uses its results. Exit status 0 if all are named, and none without a fault.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

import stablehlo_py as shlo
from stablehlo_py.opset.calls import callee
from stablehlo_py.opset.definition import has_trait

DTYPES = {"bf16": ml_dtypes.bfloat16, "f16": np.float16}
OP = re.compile(r"\s*(%\w+) = stablehlo\.(\w+) ?(.*?):(?: .*->)? (tensor<((?:\d+x)*)(bf16|f16)>)(?: loc.*)?$")
DIMENSIONS = re.compile(r"(dims|dimensions|permutation) = \[([\d, ]+)\]")
TRIES = 40
LEAST = 2e-2  # the change of a result, relative to it, that counts as one
FACTOR = 1.02
SHORTEST, LONGEST = 32, 1024  # terms of a sum that are added one by one
ROUNDINGS = 5  # of a result: the change by a sum that counts as one
EPSILONS = {"bf16": 2.0**-8, "f16": 2.0**-11}
SUM = re.compile(
    r"reduce\((%\w+) init: %\w+\) applies stablehlo.add across "
    r"dimensions = \[([\d, ]+)\] : \(tensor<([\dx]+)x"
)


class Line(NamedTuple):
    """A line of a program with an op on narrow floats: its function, the op and the type of its result."""

    at: int
    function: str
    value: str
    op: str
    operands: tuple[str, ...]
    type: str
    shape: tuple[int, ...]
    element: str


class Fault(NamedTuple):
    """A program with a fault, the line that it concerns, and the least change of the results that counts."""

    text: str
    line: Line
    least: float = LEAST


def dtype(name: str) -> np.dtype[Any]:
    """Return the type of an array by its name."""
    return np.dtype(getattr(ml_dtypes, name, None) or name)


def load(path: Path) -> tuple[shlo.Module, list[Any]]:
    """Load a program with its inputs."""
    if not path.is_dir():
        with np.load(path.with_suffix(".npz")) as arrays:
            count = sum(name.startswith("in") for name in arrays)
            return shlo.load(path), [arrays[f"in{i}"] for i in range(count)]
    found: list[Any] = []
    with np.load(path / "inputs.npz") as arrays:
        for i, stated in enumerate(json.loads((path / "inputs.json").read_text())):
            type = dtype(stated["dtype"])
            if "seed" in stated:
                drawn = np.random.default_rng(stated["seed"]).standard_normal(stated["shape"], np.float32)
                found.append((drawn * np.float32(stated["std"]) + np.float32(stated["mean"])).astype(type))
            else:
                array = arrays[str(i)]
                found.append(array if array.dtype == type else array.view(type))
    return shlo.load(path / "program.mlir"), found


def lines_of(text: str) -> Iterator[Line]:
    """Yield the lines with an op that has one result of narrow floats."""
    function = ""
    for at, line in enumerate(text.splitlines()):
        if "func.func" in line:
            function = line.partition("@")[2].partition("(")[0]
        if (found := OP.match(line)) is not None:
            shape = tuple(map(int, filter(None, found[5].split("x"))))
            operands = tuple(re.findall(r"%\w+(?:#\d+)?", found[3]))
            yield Line(at, function, found[1], found[2], operands, found[4], shape, found[6])


def after(text: str, line: Line, added: Sequence[str], value: str) -> str:
    """Insert lines after an op; from there to the end of the function, use another value for its result."""
    lines = text.splitlines()
    end = next((i for i in range(line.at, len(lines)) if i > line.at and "func.func" in lines[i]), len(lines))
    name = re.compile(re.escape(line.value) + r"(?![\w#])")
    rest = [name.sub(value, each) for each in lines[line.at + 1 : end]]
    return "\n".join([*lines[: line.at + 1], *added, *rest, *lines[end:]])


def maximum(text: str, line: Line, rng: np.random.Generator) -> Fault | None:
    """Lose the subtraction of the maximum before an exponential."""
    by_name = {each.value: each for each in lines_of(text) if each.function == line.function}
    if line.op != "subtract" or not re.search(rf"exponential {line.value}(?!\w)", text):
        return None
    value = line.operands[1]
    while value in by_name and by_name[value].op in ("broadcast_in_dim", "reshape", "maximum"):
        value = by_name[value].operands[-1]
    is_largest = value in by_name and "stablehlo.maximum" in text.splitlines()[by_name[value].at]
    return Fault(after(text, line, [], line.operands[0]), line, 0.0) if is_largest else None


def accumulation(text: str, line: Line, rng: np.random.Generator) -> Fault | None:
    """Add the terms of a sum one by one, each sum rounded.

    The terms are squares or exponentials: rounding of the terms explains errors of sums that cancel.
    """
    found = SUM.search(text.splitlines()[line.at])
    if found is None or not is_positive(text, line.function, found[1]):
        return None
    operand, element = found[1], line.element
    shape, axes = [*map(int, found[3].split("x"))], [*map(int, found[2].split(", "))]
    kept = [d for d in range(len(shape)) if d not in axes]
    count, sizes = math.prod(shape[d] for d in axes), [shape[d] for d in kept]
    if not SHORTEST <= count <= LONGEST:
        return None

    def tensor(dims: Sequence[int]) -> str:
        return f"tensor<{''.join(f'{n}x' for n in dims)}{element}>"

    order, rows = [*axes, *kept], [count, *sizes]
    moved = [shape[d] for d in order]
    added = [
        f"%f_t = stablehlo.transpose {operand}, dims = {order} : ({tensor(shape)}) -> {tensor(moved)}",
        f"%f_r = stablehlo.reshape %f_t : ({tensor(moved)}) -> {tensor(rows)}",
    ]
    last = ""
    for i in range(count):
        bounds = ", ".join([f"{i}:{i + 1}", *(f"0:{n}" for n in sizes)])
        part = tensor([1, *sizes])
        added += [
            f"%f_s{i} = stablehlo.slice %f_r [{bounds}] : ({tensor(rows)}) -> {part}",
            f"%f_v{i} = stablehlo.reshape %f_s{i} : ({part}) -> {line.type}",
        ]
        if i:
            added.append(f"%f_a{i} = stablehlo.add {last}, %f_v{i} : {line.type}")
        last = f"%f_a{i}" if i else "%f_v0"
    made = after(text, line, added, last).splitlines()
    del made[line.at]
    return Fault("\n".join(made), line, least=ROUNDINGS * EPSILONS[element])


def is_positive(text: str, function: str, value: str) -> bool:
    """Test whether a value is a square or an exponential."""
    made = next((each for each in lines_of(text) if (each.function, each.value) == (function, value)), None)
    if made is None or made.op != "multiply":
        return made is not None and made.op == "exponential"
    return len(made.operands) == 2 and made.operands[0] == made.operands[1]


def factor(text: str, line: Line, rng: np.random.Generator) -> Fault | None:
    """Multiply a result by 1.02."""
    added = [
        f"%f_k = stablehlo.constant dense<{FACTOR}> : {line.type}",
        f"%f_y = stablehlo.multiply {line.value}, %f_k : {line.type}",
    ]
    return None if line.op == "constant" else Fault(after(text, line, added, "%f_y"), line)


def axis(text: str, line: Line, rng: np.random.Generator) -> Fault | None:
    """Use another dimension."""
    lines = text.splitlines()
    found = DIMENSIONS.search(lines[line.at])
    if found is None:
        return None
    dims = [*map(int, found[2].split(", "))]
    if len(dims) > 1:
        i, j = rng.choice(len(dims), 2, replace=False)
        dims[i], dims[j] = dims[j], dims[i]
    else:
        dims = [dims[0] + int(rng.choice([-1, 1]))]
    start, end = found.span(2)
    lines[line.at] = lines[line.at][:start] + ", ".join(map(str, dims)) + lines[line.at][end:]
    return Fault("\n".join(lines), line)


def element(text: str, line: Line, rng: np.random.Generator) -> Fault | None:
    """Add 1 to one element of a result."""
    if line.op == "constant" or not line.shape:
        return None
    error = np.zeros(line.shape, DTYPES[line.element])
    error.flat[rng.integers(error.size)] = 1.0
    added = [
        f'%f_d = stablehlo.constant dense<"0x{error.tobytes().hex().upper()}"> : {line.type}',
        f"%f_y = stablehlo.add {line.value}, %f_d : {line.type}",
    ]
    return Fault(after(text, line, added, "%f_y"), line)


KINDS: dict[str, Callable[[str, Line, np.random.Generator], Fault | None]] = {
    "maximum": maximum,
    "accumulation": accumulation,
    "factor": factor,
    "axis": axis,
    "element": element,
}


def results(module: shlo.Module, inputs: Sequence[Any]) -> list[Any]:
    """Run a program on inputs, in the types of its arguments."""
    program = shlo.compile(module, engine="numpy", timeout=60)
    types = [DTYPES.get(str(argument.type.element_type)) for argument in program.signature.inputs]
    return program.call([x if t is None else x.astype(t) for x, t in zip(inputs, types, strict=True)])


def changes(found: Sequence[Any], expected: Sequence[Any]) -> float:
    """Return the largest change of a result, as root mean squares; infinite if numbers are lost."""
    most = 0.0
    for a, b in zip(found, expected, strict=True):
        a, b = np.asarray(a).astype(np.float64), np.asarray(b).astype(np.float64)
        if not np.array_equal(np.isfinite(a), np.isfinite(b)):
            return np.inf
        ok = np.isfinite(b)
        norm = float(np.sqrt(np.mean(b[ok] ** 2))) if ok.any() else 0.0
        error = float(np.sqrt(np.mean((a[ok] - b[ok]) ** 2))) if ok.any() else 0.0
        most = max(most, error / norm if norm else 0.0)
    return most


def planted(kind: str, text: str, inputs: Sequence[Any], seed: int) -> Fault | None:
    """Return a program with a fault, at a drawn place where it changes the results; None if there is none."""
    rng = np.random.default_rng([seed, *kind.encode()])
    lines, clean = [*lines_of(text)], None
    tried = 0
    for at in rng.permutation(len(lines)):
        found = KINDS[kind](text, lines[at], rng)
        if found is None:
            continue
        tried += 1
        if tried > TRIES:
            return None
        try:
            module = shlo.parse(found.text)
            if any(each.severity == "error" for each in shlo.verify(module)):
                continue
            if not found.least:
                return found
            clean = clean if clean is not None else results(shlo.parse(text), inputs)
            if changes(results(module, inputs), clean) > found.least:
                return found
        except shlo.StablehloError:
            continue
    return None


def users(module: shlo.Module, op: shlo.Operation) -> Iterator[shlo.Operation]:
    """Yield the ops that use the results of an op; what a region or function returns is used around it."""
    for user in [use.op for result in op.results for use in result.uses]:
        yield user
        called = module.functions.get(str(callee(user)))
        if called is not None:
            taken = [called.blocks[0].arguments[i] for i, x in enumerate(user.operands) if x in op.results]
            yield from [use.op for argument in taken for use in argument.uses]
        if not has_trait(user.name, "terminator"):
            continue
        around = user.parent_op
        if around is not None and not around.is_function:
            yield around
        elif around is not None:
            name = str(around.python_value("sym_name"))
            for call in [each for each in module.walk() if callee(each) == name]:
                yield from users(module, call)


def is_cast(op: shlo.Operation) -> bool:
    """Test whether an op converts floats to floats, as those do that `narrow` inserts."""
    types = [str(getattr(value.type, "element_type", "")) for value in (*op.operands, *op.results)]
    return has_trait(op.name, "conversion") and all(each in (*DTYPES, "f32") for each in types)


def near(module: shlo.Module, twin: shlo.Module, line: Line) -> set[int]:
    """Return the lines of an op of the wide program, of those that make its operands, and of its users."""
    mine, theirs = [
        [op for op in each.functions[line.function].walk() if not is_cast(op)] for each in (module, twin)
    ]
    for op, other in zip(mine, theirs, strict=True):
        if line.value not in map(str, other.results):
            continue
        makers = [x.op for x in op.operands if getattr(x, "op", None) is not None]
        nearby = [op, *users(module, op)]
        nearby += [user for each in nearby[1:] for user in users(module, each)]
        return {module.line(each) for each in (*nearby, *makers)}
    return set()


def vanished(wide: shlo.Module, inputs: Sequence[Any], seed: int) -> tuple[str, set[int]] | None:
    """Return the wide program with an epsilon of 1e-9, and the lines by which it is named."""
    text = wide.source.text
    places = [*re.finditer(r"(%\w+) = stablehlo.constant dense<([\d.]+[eE]-\d+)> : tensor<[\dx]*f32>", text)]
    places = [each for each in places if 1e-13 < float(each[2]) < 2e-3]
    if not places:
        return None
    found = places[seed % len(places)]
    text = text[: found.start(2)] + "1.0e-9" + text[found.end(2) :]
    at = text[: found.start()].count("\n")
    name = re.compile(re.escape(found[1]) + r"(?!\w)")
    return text, {at + 1} | {
        i + 1 for i, each in enumerate(text.splitlines()) if i > at and name.search(each)
    }


def main() -> int:
    """Measure, and print a line for each twin."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("programs", nargs="+", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=1)
    options = parser.parse_args()
    named, asked = Counter[str](), Counter[str]()
    ok = True
    for path in options.programs:
        wide, inputs = load(path)
        for type in DTYPES:
            text = shlo.format(shlo.opt(wide, [f"narrow=type={type}"]), canonical=False)
            begin, twin = time.perf_counter(), shlo.parse(text)
            found = shlo.compare(wide, twin, inputs)
            clean = "none" if found.ok else f"WRONG: line {found.first and found.first.line}"
            ok &= found.ok
            print(
                f"{path.stem:24} {type:5} without a fault: {clean}, {time.perf_counter() - begin:.1f} s",
                flush=True,
            )
            for seed in range(options.seed, options.seed + options.count):
                for kind in KINDS:
                    fault = planted(kind, text, inputs, seed)
                    if fault is not None:
                        report(
                            f"{path.stem:24} {type:5} {kind}",
                            kind,
                            wide,
                            fault.text,
                            inputs,
                            near(wide, twin, fault.line),
                            named,
                            asked,
                        )
                made = vanished(wide, inputs, seed) if type == "f16" else None
                if made is not None:
                    small = shlo.parse(made[0])
                    other = shlo.format(shlo.opt(small, ["narrow=type=f16"]), canonical=False)
                    report(
                        f"{path.stem:24} {type:5} epsilon",
                        "epsilon",
                        small,
                        other,
                        inputs,
                        made[1],
                        named,
                        asked,
                    )
    print(", ".join(f"{kind}: {named[kind]} of {asked[kind]}" for kind in asked))
    return 0 if ok and named == asked else 1


def report(
    title: str,
    kind: str,
    wide: shlo.Module,
    text: str,
    inputs: Sequence[Any],
    lines: set[int],
    named: Counter[str],
    asked: Counter[str],
) -> None:
    """Compare, and print whether a fault is named."""
    found = shlo.compare(wide, shlo.parse(text), inputs)
    first = found.first
    is_named = not found.ok and first is not None and first.line in lines
    asked[kind] += 1
    named[kind] += is_named
    at = f"line {first.line}, ok {first.ok}" if first is not None else "nothing"
    print(f"{title:45} {'named' if is_named else f'MISSED: {at} of {sorted(lines)}'}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
