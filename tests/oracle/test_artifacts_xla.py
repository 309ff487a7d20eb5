"""Binary files against jaxlib: the same bytes are written, and jaxlib reads ours as the same program."""

from __future__ import annotations

import json
import subprocess
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT, SHARED

import stablehlo_py as shlo
from stablehlo_py.debug.generate.programs import Request, generate
from tests.helpers.soak import DRAWS

pytest.importorskip("jaxlib")

TARGETS = ("1.17.0", "1.7.0", "0.9.0")
FOLDERS = [ROOT / "testdata", ROOT / "testdata/constraints", ROOT / "testdata/programs"]
SAMPLES = sorted((SHARED / "conformance/verify").glob("*.mlir"))[::10]

# Writes and reads for each line of standard input. ["write", text] is answered with the plain bytecode and
# the portable artifact of each target, null for what cannot be written, or with null if the text does not
# parse; ["read", [files]] with the texts, or what is wrong; ["vhlo", text] with the text in the VHLO dialect:
# plain, with locations, and in generic form.
CHILD = """
import base64, io, json, sys
from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
from jaxlib.mlir.passmanager import PassManager
stablehlo.register_stablehlo_passes()
context = mlir.make_ir_context()
targets = sys.argv[1:]

def encoded(data):
    return base64.b64encode(data).decode()

def portable(module, target):
    try:
        return encoded(stablehlo.serialize_portable_artifact(module, target))
    except Exception:
        return None

def write(text):
    try:
        module = ir.Module.parse(text)
    except Exception:
        return None
    buffer = io.BytesIO()
    module.operation.write_bytecode(buffer)
    # Writing for an old version changes the order of uses in memory.
    return [encoded(buffer.getvalue()), *(portable(ir.Module.parse(text), target) for target in targets)]

def vhlo(text):
    try:
        module = ir.Module.parse(text)
        PassManager.parse("builtin.module(stablehlo-legalize-to-vhlo)").run(module.operation)
    except Exception:
        return None
    forms = ({}, {"enable_debug_info": True}, {"print_generic_op_form": True})
    return [module.operation.get_asm(**form) for form in forms]

def read(file):
    data = base64.b64decode(file)
    try:
        if b"StableHLO_v" in data[:20]:
            return str(stablehlo.deserialize_portable_artifact(context, data))
        return str(ir.Module.parse(data))
    except Exception as error:
        return str(error)

for line in sys.stdin:
    request, given = json.loads(line)
    with context:
        if request == "read":
            answer = [read(file) for file in given]
        else:
            answer = write(given) if request == "write" else vhlo(given)
    print(json.dumps(answer), flush=True)
"""


class Jaxlib:
    """jaxlib in a process of its own, started again when a program takes it down."""

    def __init__(self, targets: Sequence[str] = TARGETS) -> None:
        self._targets = targets
        self._child: subprocess.Popen[str] | None = None

    def write(self, text: str) -> list[bytes | None] | None:
        """The plain bytecode and the portable artifact of each target; None if jaxlib rejects the text."""
        answer = self._ask("write", text)
        return answer and [file and b64decode(file) for file in answer]

    def read(self, files: Sequence[Any]) -> list[str]:
        """The text of each file."""
        return self._ask("read", [b64encode(file).decode() for file in files]) or ["the process ends"]

    def vhlo(self, text: str) -> list[str] | None:
        """The text in the VHLO dialect in each form; None if it has none."""
        return self._ask("vhlo", text)

    def _ask(self, *request: object) -> list[str] | None:
        if self._child is None:
            command = [sys.executable, "-c", CHILD, *self._targets]
            pipe = subprocess.PIPE
            self._child = subprocess.Popen(
                command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True
            )
        assert self._child.stdin and self._child.stdout
        self._child.stdin.write(json.dumps(request) + "\n")
        self._child.stdin.flush()
        answer = self._child.stdout.readline()
        if not answer:
            self.close()
            return None
        return json.loads(answer)

    def close(self) -> None:
        if self._child is not None:
            self._child.communicate()
            self._child = None


@pytest.fixture(scope="module")
def jaxlib() -> Iterator[Jaxlib]:
    found = Jaxlib()
    yield found
    found.close()


def written(module: shlo.Module, target: str | None) -> bytes | str:
    """Our file, or why there is none."""
    try:
        kind: Any = "portable" if target else "bytecode"
        return shlo.serialize(module, kind, target, lower_chlo=False)
    except shlo.SerializationError as error:
        return str(error)


def differences(jaxlib: Jaxlib, text: str) -> tuple[int, list[str]]:
    """The number of files that jaxlib writes for a program, and how ours differ from them."""
    theirs = jaxlib.write(text)
    if theirs is None:
        return 0, []
    # jaxlib names its input "-" in locations.
    module = shlo.parse(text, "-")
    wrong, count = [], 0
    for target, file in zip((None, *TARGETS), theirs, strict=True):
        mine = written(module, target)
        if file is None or is_mixed(mine):
            continue
        count += 1
        if isinstance(mine, str):
            wrong.append(f"{target or 'plain'}: {mine}")
        elif mine != file:
            first, second = jaxlib.read([mine, file])
            wrong.append(f"{target or 'plain'}: " + ("other bytes" if first == second else "another program"))
    return count, wrong


def is_mixed(mine: bytes | str) -> bool:
    """jaxlib leaves other dialects in a portable artifact, which then no release is sure to read."""
    return isinstance(mine, str) and "which a portable artifact cannot hold" in mine


def programs_of(path: Path) -> list[str]:
    return path.read_text(errors="surrogateescape").split("// -----\n")


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.relative_to(ROOT).as_posix())
def test_same_bytes(folder: Path, jaxlib: Jaxlib) -> None:
    check(sorted(folder.glob("*.mlir")), jaxlib)


@pytest.mark.skipif(not SAMPLES, reason="the conformance sample is not at hand")
def test_same_bytes_of_the_sample(jaxlib: Jaxlib) -> None:
    check(SAMPLES, jaxlib)


def check(paths: list[Path], jaxlib: Jaxlib) -> None:
    compared, wrong = 0, []
    for path in paths:
        for number, text in enumerate(programs_of(path)):
            count, found = differences(jaxlib, text)
            compared += count
            wrong += [f"{path.name}#{number} {each}" for each in found]
    assert not wrong
    assert compared


ATTRIBUTES = (
    *("memref<*xf32>", "memref<*xf32, 1>", "vector<4xf32>", "vector<2x[4]xf32>", "vector<f32>"),
    *("sparse<[[0, 0], [1, 2]], [1, 5]> : tensor<3x4xi32>", "sparse<0, 1> : tensor<1xi32>"),
    *("[distinct[0]<1 : i32>, distinct[1]<1 : i32>, distinct[0]<1 : i32>]", "distinct[0]<>"),
    *('dense<"ab"> : tensor<2x!stablehlo.token>', "2 : si3", "1 : i128", "@a::@b", '"a" : i32'),
    *('dense<["a", "b"]> : tensor<2x!stablehlo.token>', "dense<> : tensor<0x!stablehlo.token>"),
    *("dense<[1.0, 0.1]> : tensor<2xf80>", "dense<[0.1, 1.0e30]> : tensor<2xf128>"),
    *(
        "dense<[1.0, 2.5]> : tensor<2xtf32>",
        "dense<[1, -2]> : tensor<2xi128>",
        "dense<[1, 7]> : tensor<2xi3>",
    ),
    *("dense<[(1, 2), (-3, 4)]> : tensor<2xcomplex<i7>>", "dense<(1.0, 0.1)> : tensor<2xcomplex<f80>>"),
    *("dense<[1.5, 2.5]> : vector<2xf32>", "dense<[1, 2]> : vector<[2]xi32>", "dense<true> : vector<4xi1>"),
    *("dense<1> : memref<4xi32>", "sparse<[[0], [2]], [1.5, 2.5]> : vector<4xf32>"),
    *("-1 : i32", "-5 : i16", "-5 : si32", "4294967295 : ui32", "-1 : i80", "-1.0 : f32", "-1.0 : bf16"),
    *("-0.0 : tf32", "0.1 : f80", "1.0e-4940 : f128", "0x3FFF8000000000000001 : f80"),
    *("0x12344000000000000001 : f80", "0x00008000000000000000 : f80", "0x7FFF0000000000000000 : f80"),
    *(
        "dense<[0x00014000000000000000, 1.0]> : tensor<2xf80>",
        "dense<0x00008000000000000000> : tensor<2xf80>",
    ),
    'dense<"0x01000000000000403412"> : tensor<1xf80>',
    "0x7FFEFFFF000000000000000000000000 : f128",
    "#sdy.op_sharding_rule<([ij, k], [])->([i, jk]) {i=4, j=2, k=3} reduction={k} need_replication={i} "
    "permutation={j} blocked_propagation={k}, custom>",
    "#sdy.op_sharding_rule<([i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, z_1])->([]) {i=4, j=2, "
    "k=1, l=1, m=1, n=1, o=1, p=1, q=1, r=1, s=1, t=1, u=1, v=1, w=1, x=1, y=1, z=1, z_1=5}>",
)


@pytest.mark.parametrize("attribute", ATTRIBUTES)
def test_same_bytes_of_attributes(attribute: str, jaxlib: Jaxlib) -> None:
    text = f"module attributes {{x.a = {attribute}}} {{\n}}\n"
    theirs = jaxlib.write(text)
    assert theirs is not None
    assert written(shlo.parse(text, "-"), None) == theirs[0]
    assert shlo.format(shlo.parse(theirs[0])) == shlo.format(shlo.parse(text))


@pytest.mark.parametrize("dynamic", [False, True])
def test_same_bytes_of_generated_programs(dynamic: bool, jaxlib: Jaxlib) -> None:
    compared, wrong = 0, []
    for number in range(10 * DRAWS):
        text = shlo.format(generate(3, number, Request(dynamic=dynamic)).module)
        count, found = differences(jaxlib, text)
        compared += count
        wrong += [f"{number} {each}" for each in found]
    assert not wrong
    assert compared


def test_same_bytes_of_uses_in_regions(jaxlib: Jaxlib) -> None:
    """An operation of the text is created after those in its regions, which the order of uses shows."""
    used = [3, 10, 50, 99]
    inputs, carried = [f"%a{n}" for n in used], [f"%b{n}" for n in used]
    types = ", ".join(["tensor<f32>"] * len(used))
    arguments = [f"{name}: tensor<f32>" for name in carried]
    adds = [f"%c{n} = stablehlo.add %a{n}, %a{n} : tensor<f32>" for n in used]
    text = "\n".join(
        [
            f"func.func @main(%p: tensor<i1>, {', '.join(f'%a{n}: tensor<f32>' for n in range(100))}) {{",
            f'%0:{len(used)} = "stablehlo.while"({", ".join(inputs)}) ({{',
            f"^bb0({', '.join(arguments)}):",
            *adds,
            "stablehlo.return %p : tensor<i1>\n}, {",
            f"^bb0({', '.join(arguments)}):",
            f"stablehlo.return {', '.join(carried)} : {types}",
            f"}}) : ({types}) -> ({types})\nreturn\n}}",
        ]
    )
    count, found = differences(jaxlib, text)
    assert (count, found) == (4, [])


LINES = (
    *("arith.divsi %i, %i : i32", "arith.divsi %i, %i exact : i32", "arith.divui %i, %i exact : i32"),
    *("arith.extui %i : i32 to i64", "arith.extui %i nneg : i32 to i64"),
    *("arith.index_castui %i nneg : i32 to index", "arith.trunci %i overflow<nsw> : i32 to i8"),
    'sdy.all_reduce {"x"} %a out_sharding=<mesh<["x"=2]>, [{}, {}]> : tensor<4x2xf32>',
    'sdy.reduce_scatter [{"x"}, {}] %a out_sharding=<mesh<["x"=2]>, [{"x"}, {}]> : tensor<4x2xf32>',
)


@pytest.mark.parametrize("line", LINES)
def test_same_bytes_of_other_dialects(line: str, jaxlib: Jaxlib) -> None:
    text = f"func.func @f(%a: tensor<4x2xf32>, %i: i32) {{\n%0 = {line}\nreturn\n}}"
    theirs = jaxlib.write(text)
    assert theirs is not None
    assert written(shlo.parse(text, "-"), None) == theirs[0]
    assert shlo.format(shlo.parse(theirs[0])) == shlo.format(shlo.parse(text))


def test_what_is_read_and_written_again_is_the_same_program(programs: Path, jaxlib: Jaxlib) -> None:
    """jaxlib prints the same text for its own file and for ours, made from what was read of it."""
    for path in sorted(programs.glob("*.mlir")):
        theirs = jaxlib.write(path.read_text())
        assert theirs is not None
        files = [(file, target) for file, target in zip(theirs, (None, *TARGETS), strict=True) if file]
        again = [written(shlo.parse(file), target) for file, target in files]
        assert [file for file in again if isinstance(file, str)] == [], path.name
        assert jaxlib.read(again) == jaxlib.read([file for file, _ in files]), path.name


FORMS = ({}, {"locations": True}, {"generic": True})


def test_same_text_of_vhlo(programs: Path, jaxlib: Jaxlib) -> None:
    """Our text is that of jaxlib, and reading it gives the program of the portable artifact."""
    for path in [*sorted(programs.glob("*.mlir")), *SAMPLES]:
        for text in programs_of(path):
            theirs = jaxlib.vhlo(text)
            if theirs is None:
                continue
            module = shlo.parse(text, "-")
            artifact = shlo.serialize(module, target=TARGETS[0])
            for form, expected in zip(FORMS, theirs, strict=True):
                mine = shlo.serialize(module, "vhlo", TARGETS[0], **form)
                assert mine.decode().strip() == expected.strip(), path.name
                again = shlo.parse(mine.decode(), "-")
                assert shlo.format(again) == shlo.format(shlo.parse(artifact)), path.name
                assert "locations" not in form or shlo.serialize(again, target=TARGETS[0]) == artifact


MIXED = (
    """func.func @main(%a: tensor<4xf32>, %i: index) -> (tensor<4xf32>, tensor<2xf32>) {
  %0 = stablehlo.add %a, %a : tensor<4xf32>
  %1 = chlo.tan %0 : tensor<4xf32> -> tensor<4xf32>
  %2 = stablehlo.add %1, %0 {x.v = array<i32: 1>, y.w} : tensor<4xf32>
  %3 = arith.addi %i, %i : index
  %values, %indices = chlo.top_k(%2, k = 2) : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi32>)
  return %2, %values : tensor<4xf32>, tensor<2xf32>
}""",
    """sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<4x2xf32> {
  %0 = sdy.sharding_constraint %a <@mesh, [{"x"}, {}]> : tensor<4x2xf32>
  %1 = stablehlo.add %0, %0 : tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}""",
    """func.func @main(%a: tensor<i1>, %b: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.if"(%a) ({
    %1 = chlo.tan %b : tensor<f32> -> tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }, {
    stablehlo.return %b : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  %s = shape.shape_of %b : tensor<f32> -> tensor<0xindex>
  %d = stablehlo.dynamic_broadcast_in_dim %0, %s, dims = [] : (tensor<f32>, tensor<0xindex>) -> tensor<f32>
  return %d : tensor<f32>
}""",
)


@pytest.mark.parametrize("text", MIXED)
def test_mixed_programs_are_read(text: str, jaxlib: Jaxlib) -> None:
    module = shlo.parse(text)
    mixed = shlo.serialize(module, target=TARGETS[0], allow_other_dialects=True)
    plain = shlo.serialize(module, "bytecode")
    first, second = jaxlib.read([mixed, plain])
    assert first == second
    assert shlo.format(shlo.parse(mixed)) == shlo.format(module)


# Objects of JAX. In this process they are made and held only: jaxlib parses no text of ours here.
X = np.arange(6, dtype=np.float32).reshape(2, 3)


def normalized(x: Any) -> Any:
    import jax.numpy as jnp

    return jnp.tanh(x) / (1 + jnp.abs(x).sum(axis=1, keepdims=True))


def exported() -> Any:
    import jax.export

    return jax.export.export(jax.jit(normalized), platforms=["cpu"])(X)


def lowered() -> Any:
    import jax

    return jax.jit(normalized).lower(X)


def container() -> bytes:
    pytest.importorskip("flatbuffers", reason="jax.export writes no containers without flatbuffers")
    return bytes(exported().serialize(vjp_order=1))


HOLDERS: dict[str, Callable[[], Any]] = {
    "exported": exported,
    "container": container,
    "lowered": lowered,
    "ir.Module": lambda: lowered().compiler_ir("stablehlo"),
}


@pytest.mark.parametrize("holder", HOLDERS)
def test_objects_of_jax_are_run(holder: str) -> None:
    module = shlo.parse(HOLDERS[holder]())
    assert shlo.verify(module) == []
    (found,) = shlo.run(HOLDERS[holder](), [X])
    expected = np.tanh(X) / (1 + np.abs(X).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_an_object_is_the_program_that_it_prints() -> None:
    printed = lowered().as_text()
    assert shlo.format(shlo.parse(lowered())) == shlo.format(shlo.parse(printed))


def test_gradient_of_an_exported_object_is_run() -> None:
    import jax.export

    square = jax.export.export(jax.jit(lambda x: x * x))(X)
    (found,) = shlo.run(shlo.parse(square, vjp=1), [X, np.ones_like(X)])
    np.testing.assert_array_equal(found, 2 * X)
