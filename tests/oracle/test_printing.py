"""The printer against the C++ printer, byte for byte, over real programs and the conformance sample."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Hashable, Iterator
from functools import cache
from pathlib import Path

import pytest
from conftest import ROOT, SHARED

import stablehlo_py as shlo
from stablehlo_py.syntax.printer import format_module
from tests.helpers.soak import sample

pytest.importorskip("jaxlib")

# Reads programs, one JSON string a line; answers each with its three texts, or null if it does not parse.
# A portable artifact that has a quantized type makes C++ load that dialect, which a text does not.
CHILD = """
import json, sys
from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
context = mlir.make_ir_context()
context.allow_unregistered_dialects = True
stablehlo.deserialize_portable_artifact(context, bytes.fromhex(sys.argv[1]))
for line in sys.stdin:
    answer = None
    with context:
        try:
            module = ir.Module.parse(json.loads(line))
            assembly = module.operation.get_asm
            answer = [str(module), assembly(print_generic_op_form=True), assembly(enable_debug_info=True)]
        except Exception:
            pass
    print(json.dumps(answer), flush=True)
"""

QUANTIZED = "func.func @f(%x: tensor<2x!quant.uniform<i8:f32, 1.0>>) { return }"


class Oracle:
    """The C++ printer in a process of its own, started again when a program takes it down."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[str] | None = None

    def texts(self, program: str) -> tuple[str, str, str] | None:
        """The pretty form, the generic form and the form with locations; None if C++ rejects the program."""
        if self._child is None:
            self._child = subprocess.Popen(
                [sys.executable, "-c", CHILD, shlo.serialize(shlo.parse(QUANTIZED), "portable").hex()],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        assert self._child.stdin is not None and self._child.stdout is not None
        self._child.stdin.write(json.dumps(program) + "\n")
        self._child.stdin.flush()
        answer = self._child.stdout.readline()
        if not answer:
            self.close()
            return None
        texts = json.loads(answer)
        return None if texts is None else tuple(texts)

    def close(self) -> None:
        if self._child is not None:
            self._child.communicate()
            self._child = None


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    found = Oracle()
    yield found
    found.close()


@cache
def labels() -> dict[str, dict[str, list[int]]]:
    """The conformance cases with their labels."""
    return json.loads((SHARED / "conformance/cases.json").read_text())


def programs() -> list[Path]:
    """The real programs: ours, and the sample where it is at hand."""
    folders = (ROOT / "testdata" / "programs", SHARED / "programs")
    return [path for folder in folders for path in sorted(folder.glob("*.mlir"))]


def cases() -> list[Path]:
    """The valid conformance cases; none where the folder is not at hand."""
    root = SHARED / "conformance"
    return [root / name for name, label in labels().items() if not label["errors"]] if root.is_dir() else []


def read(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "surrogateescape")


def first_difference(ours: str, theirs: str) -> str:
    """The first line that differs, ours and theirs; "" if none does."""
    pairs = zip(ours.splitlines(), theirs.splitlines(), strict=False)
    line = next((f"ours:   {a}\ntheirs: {b}" for a, b in pairs if a != b), "")
    return line or ("" if ours == theirs else "one text goes on where the other ends")


def structure(module: shlo.Module) -> list[Hashable]:
    """All that a module says but names, comments and positions."""
    numbers: dict[object, int] = {}

    def number(thing: object) -> int:
        return numbers.setdefault(thing, len(numbers))

    return [
        (
            op.name,
            tuple(map(number, op.operands)),
            tuple((number(result), result.type) for result in op.results),
            tuple(sorted(op.properties.items())),
            tuple(sorted(op.attributes.items())),
            tuple(
                tuple(
                    (number(block), tuple((number(a), a.type) for a in block.arguments))
                    for block in region.blocks
                )
                for region in op.regions
            ),
            tuple(map(number, op.successors)),
        )
        for op in module.walk()
    ]


# Where our text differs from that of the C++ printer.
KNOWN = {
    "outfeed.000": "the oracle does not know the interpreter dialect, so its ops have no properties there",
    "ops_stablehlo_quantized.025": "C++ writes a while without the types of its results",
    "infer_stablehlo.105": "C++ writes a while without the types of its results and cannot read that again",
}


@pytest.mark.parametrize("path", programs(), ids=lambda path: path.stem)
def test_programs(path: Path, oracle: Oracle) -> None:
    program = read(path)
    texts = oracle.texts(program)
    assert texts is not None
    module = shlo.parse(program, "-")
    assert not first_difference(shlo.format(module), texts[0])
    assert not first_difference(shlo.format(module, generic=True), texts[1])
    assert not first_difference(format_module(module, locations=True), texts[2])
    assert structure(shlo.parse(texts[0])) == structure(shlo.parse(texts[1])) == structure(module)


STORAGE = ("i8", "u8", "ui8", "i4", "u4", "ui4", "u16", "ui16", "i32", "u32", "u8<0:255>", "ui8<1:254>")
PARAMETERS = ("f32, 1.0", "f32, 1.0:3", "f32:0, {1.0,2.0:3}", "f32:{0:1}, {1.0,2.0}", "bf16, 0.1", "f64, 0.1")


@pytest.mark.parametrize("storage", STORAGE)
def test_quantized_types(storage: str, oracle: Oracle) -> None:
    for parameters in PARAMETERS:
        type = f"tensor<2x!quant.uniform<{storage}:{parameters}>>"
        program = f"func.func @f(%x: {type}) -> {type} {{ return %x : {type} }}"
        texts = oracle.texts(program)
        assert texts is not None
        assert not first_difference(shlo.format(shlo.parse(program)), texts[0])
        artifact = shlo.serialize(shlo.parse(program), "bytecode")
        assert not first_difference(shlo.format(shlo.parse(artifact)), texts[0])


@pytest.mark.parametrize("folder", ["interpret", "testdata", "verify"])
def test_conformance_cases(folder: str, oracle: Oracle) -> None:
    paths = sample([path for path in cases() if path.parent.name == folder], folder, 3)
    if not paths:
        pytest.skip("needs the folder ../shared with conformance cases")
    differences = []
    for path in paths:
        texts = oracle.texts(read(path)) if path.stem not in KNOWN else None
        if texts is None or '"check.' in texts[0]:  # the oracle does not know the check dialect
            continue
        module = shlo.parse(read(path), "-", allow_unregistered=True)
        for name, text, ours in (
            ("pretty", texts[0], shlo.format(module)),
            ("generic", texts[1], shlo.format(module, generic=True)),
            ("located", texts[2], format_module(module, locations=True)),
        ):
            difference = first_difference(ours, text)
            differences += [f"{path.name} ({name})\n{difference}"] if difference else []
    assert not differences, f"{len(differences)} texts differ, such as\n" + "\n".join(differences[:3])


@pytest.mark.parametrize("folder", ["interpret", "testdata", "verify"])
def test_round_trip(folder: str) -> None:
    """As authored; the other forms are cases of the conformance sample, which is checked as a whole."""
    changed, options = [], {"canonical": False}
    for path in [path for path in cases() if path.parent.name == folder]:
        try:
            module = shlo.parse(read(path), allow_unregistered=True)
        except shlo.ParseError:
            continue  # the parser's tests look at these
        text = shlo.format(module, **options)
        again = shlo.parse(text, allow_unregistered=True)
        if shlo.format(again, **options) != text or len(structure(again)) != len(structure(module)):
            changed.append(path.name)
        assert len(again.comments) == len(module.comments), path.name
    assert not changed
