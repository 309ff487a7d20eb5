"""Planted faults: how many of them `compare` finds, and to how few ops `reduce` gets.

usage: faults.py PROGRAMS [--count 50] [--seed 0] [--large FILE]

PROGRAMS is a folder of NAME.mlir with NAME.npz (in0, in1, ...). A fault changes one op: an attribute, an
operand, a comparison direction, or a constant, so that the program stays valid and its results change. For
`compare`, the changed program is the second one; for `reduce`, the fault is one of an engine, which changes
the ops that carry the attribute `planted`. --large measures a fault in a large program, as a command.
Exit status 0 if 96 % are found, and 90 % are reduced to at most 6 ops.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import stablehlo_py as shlo
from stablehlo_py.debug.reduce.candidate import candidate_of
from stablehlo_py.debug.reduce.checks import Differs
from stablehlo_py.debug.reduce.reducer import NotInteresting, Reducer
from stablehlo_py.ir.attributes import (
    Attribute,
    BoolAttr,
    DenseArrayAttr,
    DenseElementsAttr,
    EnumAttr,
    IntegerAttr,
)
from stablehlo_py.opset.definition import has_trait
from stablehlo_py.opset.structures import ENUMS

Change = Callable[[shlo.Operation], None]
MARK = "planted"
FEW = 6  # ops
TRIES = 20  # of faults of a kind in a program: few changes of attributes are valid


class Fault(NamedTuple):
    """A change of an op: what it is, the place of the op in a walk over the program, and how it is made."""

    what: str
    place: int
    change: Change


def faults(module: shlo.Module) -> Iterator[Fault]:
    """Yield the possible faults of a program, valid or not."""
    for place, op in enumerate(module.walk()):
        if op.is_module or op.is_function or has_trait(op.name, "terminator"):
            continue
        for a in range(len(op.operands)):
            for b in range(a + 1, len(op.operands)):
                if op.operands[a] is not op.operands[b] and op.operands[a].type == op.operands[b].type:
                    yield Fault(
                        "operand", place, lambda each, a=a, b=b: each.set_operand(b, each.operands[a])
                    )
        for name, attribute in op.properties.items():
            kind = "constant" if name == "value" else "attribute"
            for changed in variants(attribute):
                is_direction = isinstance(changed, EnumAttr) and "direction" in changed.name
                yield Fault(
                    "direction" if is_direction else kind,
                    place,
                    partial(set_property, name=name, value=changed),
                )


def use_twice(op: shlo.Operation, first: int, second: int) -> None:
    """Use an operand in place of another one."""
    op.set_operand(second, op.operands[first])


def set_property(op: shlo.Operation, name: str, value: Attribute) -> None:
    """Set an attribute."""
    op.properties[name] = value


def variants(attribute: Attribute) -> Iterator[Attribute]:
    """Yield other values of an attribute."""
    match attribute:
        case BoolAttr(value):
            yield BoolAttr(not value)
        case IntegerAttr(value, type):
            yield from (IntegerAttr(value + step, type) for step in (-1, 1))
        case EnumAttr(name=name, value=value):
            yield from (EnumAttr(name, each) for each in ENUMS[name].values if each != value)
        case DenseArrayAttr(type, values) if values and not isinstance(values[0], bool):
            for at in range(len(values)):
                for step in (-1, 1):
                    yield DenseArrayAttr(type, (*values[:at], values[at] + step, *values[at + 1 :]))
            if len(values) > 1 and values[0] != values[1]:
                yield DenseArrayAttr(type, (values[1], values[0], *values[2:]))
        case DenseElementsAttr(type, data) if data.size and data.dtype.kind in "fiub":
            other = ~data if data.dtype == bool else (data * 2 + 1).astype(data.dtype)
            other.flags.writeable = False
            yield DenseElementsAttr(type, other)


class Program(NamedTuple):
    """A program, its inputs and its results."""

    name: str
    module: shlo.Module
    inputs: list[Any]
    results: list[Any]


def load(path: Path) -> Program:
    """Load a program with its inputs."""
    archive = np.load(path.with_suffix(".npz"))
    module = shlo.load(path)
    arguments = shlo.compile(module, engine="numpy").signature.inputs
    inputs = [archive[f"in{index}"] for index in range(len(arguments))]
    return Program(path.stem, module, inputs, shlo.run(module, inputs, engine="numpy"))


def planted(program: Program, fault: Fault) -> shlo.Module | None:
    """Return the program with a fault; None if it is not valid, or its results hardly change."""
    made = program.module.clone()
    for place, op in enumerate(made.walk()):
        if place == fault.place:
            fault.change(op)
            break
    try:
        if any(each.severity == "error" for each in shlo.verify(made)):
            return None
        results = shlo.run(made, program.inputs, engine="numpy", timeout=5)
    except shlo.StablehloError:
        return None
    pairs = zip(results, program.results, strict=True)
    same = all(np.allclose(a, b, rtol=1e-3, atol=1e-4, equal_nan=True) for a, b in pairs)
    return None if same else shlo.parse(shlo.format(made, canonical=False), "planted")


def draw(programs: list[Program], count: int, seed: int) -> Iterator[tuple[Program, Fault, shlo.Module]]:
    """Yield faults, drawn from the programs in turn."""
    generator = random.Random(seed)
    possible = [list(faults(program.module)) for program in programs]
    programs = [program for program, found in zip(programs, possible, strict=True) if found]
    possible = [found for found in possible if found]
    found = 0
    while found < count:
        at = generator.randrange(len(programs))
        kinds = sorted({fault.what for fault in possible[at]})
        kind = generator.choice(kinds)
        options = [each for each in possible[at] if each.what == kind]
        for fault in generator.sample(options, min(TRIES, len(options))):
            module = planted(programs[at], fault)
            if module is not None:
                found += 1
                yield programs[at], fault, module
                break


def is_named(program: Program, fault: Fault, module: shlo.Module) -> bool:
    """Return whether `compare` names the changed op, or the op whose region it is in."""
    comparison = shlo.compare(program.module, module, program.inputs)
    around: shlo.Operation | None = next(
        op for place, op in enumerate(program.module.walk()) if place == fault.place
    )
    lines = set()
    while around is not None and not around.is_function:
        lines.add(program.module.line(around))
        around = None if has_trait(around.name, "runs_bodies") else around.parent_op
        if around is not None and has_trait(around.name, "runs_bodies"):
            break
    return comparison.first is not None and comparison.first.line in lines


class FaultyEngine:
    """The NumPy engine, with a change of the ops that carry the mark."""

    name = "faulty"
    takes = "module"

    def __init__(self, change: Change) -> None:
        self._change = change

    def is_available(self) -> bool:
        """Return True."""
        return True

    def prepare(self, module: shlo.Module, entry: str, options: Any) -> Any:
        """Prepare the changed program."""
        made = module.clone()
        for op in list(made.walk()):
            if op.attributes.pop(MARK, None) is not None:
                self._change(op)
        # A reduction may take the step of a loop away: runs are limited.
        timeout = options.limits.timeout if options.limits is not None else None
        return Executable(shlo.compile(made, entry, engine="numpy", timeout=timeout))


class Executable:
    """A program as an engine returns it."""

    def __init__(self, program: Any) -> None:
        self.plan = program.plan
        self._program = program

    def __call__(self, *inputs: Any) -> list[Any]:
        """Run the program."""
        return list(self._program(*inputs))


def reduced(program: Program, fault: Fault) -> int | None:
    """Return the number of ops that a reduction leaves; None if it cannot start."""
    module = program.module.clone()
    next(op for place, op in enumerate(module.walk()) if place == fault.place).attributes[MARK] = BoolAttr(
        True
    )
    entry = "main" if "main" in module.functions else next(iter(module.functions))
    start = candidate_of(module, program.inputs, entry)
    try:
        return Reducer(Differs("numpy", FaultyEngine(fault.change), timeout=5)).run(start).candidate.size  # type: ignore[arg-type]
    except NotInteresting:
        return None


def measure_large(path: Path) -> None:
    """Print the time of finding an `rsqrt` that became a `sqrt` in a large program."""
    text = path.read_text()
    at = text.index("stablehlo.rsqrt", len(text) // 4)
    with tempfile.TemporaryDirectory() as folder:
        other = Path(folder) / "other.mlir"
        other.write_text(text[:at] + text[at:].replace("stablehlo.rsqrt", "stablehlo.sqrt", 1))
        command = ["compare", str(path), str(other), "--input", str(path.with_suffix(".npz"))]
        start = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "stablehlo_py", *command], capture_output=True, text=True, check=False
        )
        print(f"compare: {time.perf_counter() - start:.1f} s, status {done.returncode}")
        print("\n".join(done.stdout.splitlines()[:3]))


def main() -> int:
    """Measure, and print a line for each fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("programs", type=Path)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--large", type=Path)
    options = parser.parse_args()
    if options.large is not None:
        measure_large(options.large)
    programs = [load(path) for path in sorted(options.programs.glob("*.mlir"))]
    named = few = 0
    for program, fault, module in draw(programs, options.count, options.seed):
        start = time.perf_counter()
        found = is_named(program, fault, module)
        middle = time.perf_counter()
        left = reduced(program, fault)
        named += found
        few += left is not None and left <= FEW
        times = f"{middle - start:6.1f} s {time.perf_counter() - middle:6.1f} s"
        verdict = "named" if found else "MISSED"
        print(
            f"{program.name:20} {fault.what:10} {verdict:7} {left} ops {times} (op {fault.place})", flush=True
        )
    print(f"named: {named} of {options.count}; reduced to at most {FEW} ops: {few} of {options.count}")
    return 0 if named >= 0.96 * options.count and few >= 0.9 * options.count else 1


if __name__ == "__main__":
    sys.exit(main())
