"""The program in a SavedModel, whose bytes are made here after TensorFlow's .proto files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import stablehlo_py as shlo

FILES = Path(__file__).parent / "files"
DATA = (FILES / "hand_collectives.portable-1.17.0.bc").read_bytes()
TEXT = (FILES / "hand_collectives.portable-1.17.0.bc.mlir").read_text()


def varint(value: int) -> bytes:
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + varint(value >> 7)


def field(number: int, content: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(content)) + content


def node(name: str, op: str, program: bytes) -> bytes:
    """NodeDef: name = 1, op = 2, attr = 5 (a map to AttrValue, whose `s` = 2 and `i` = 3)."""
    version = field(5, field(1, b"version") + field(2, b"\x18\x09"))
    module = field(5, field(1, b"module") + field(2, field(2, program)))
    return field(1, name.encode()) + field(2, op.encode()) + version + module


def saved_model(*nodes: bytes, in_library: bool = True) -> bytes:
    """SavedModel: meta_graphs = 2; MetaGraphDef: graph_def = 2; GraphDef: node = 1, library = 2."""
    functions = b"".join(field(1, field(3, each)) for each in nodes)
    graph = field(2, functions) if in_library else b"".join(field(1, each) for each in nodes)
    return b"\x08\x01" + field(2, field(1, b"\x2a\x00") + field(2, graph))


@pytest.mark.parametrize("in_library", [True, False])
def test_program_is_found(in_library: bool) -> None:
    nodes = node("other", "Const", b"ML"), node("call", "XlaCallModule", DATA)
    module = shlo.parse(saved_model(*nodes, in_library=in_library))
    assert shlo.format(module).rstrip("\n") == TEXT.rstrip("\n")
    assert (module.container["kind"], module.container["node"]) == ("SavedModel", "call")


def test_the_last_of_repeated_values_counts() -> None:
    """As for any field of protobuf that is not repeated."""
    values = field(2, field(2, b"ML") + field(2, DATA))
    for parts in ([values], [field(2, field(2, b"ML")), values], [values + field(1, b"module")]):
        entry = field(5, field(1, b"module") + b"".join(parts))
        data = saved_model(field(2, b"XlaCallModule") + field(5, field(1, b"module")) + entry)
        assert shlo.format(shlo.parse(data)).rstrip("\n") == TEXT.rstrip("\n")


def test_gradients() -> None:
    """jax2tf stores the program of the gradient as well, in a node whose name says so."""
    other = shlo.serialize(shlo.parse(TEXT.replace("abs", "negate")))
    nodes = (
        node("jax2tf_vjp/XlaCallModule", "XlaCallModule", other),
        node("XlaCallModule", "XlaCallModule", DATA),
    )
    data = saved_model(*nodes)
    assert shlo.parse(data).container["node"] == "XlaCallModule"
    assert shlo.parse(data, vjp=1).container["node"] == "jax2tf_vjp/XlaCallModule"
    with pytest.raises(shlo.ParseError, match="of a gradient of order 2"):
        shlo.parse(data, vjp=2)


def test_names_that_begin_as_those_of_gradients() -> None:
    nodes = (
        node("jax2tf_vjp_of_f/call", "XlaCallModule", DATA),
        node("jax2tf_vjp/g", "XlaCallModule", b"ML\xefR"),
    )
    data = saved_model(*nodes)
    assert shlo.parse(data).container["node"] == "jax2tf_vjp_of_f/call"
    with pytest.raises(shlo.ParseError, match="byte 4"):
        shlo.parse(data, vjp=1)


def test_attributes_of_a_node_are_in_any_order() -> None:
    last = field(5, field(1, b"version") + field(2, b"\x18\x09"))
    module = shlo.parse(saved_model(node("call", "XlaCallModule", DATA) + last))
    assert module.container["node"] == "call"


def test_folder(tmp_path: Path) -> None:
    (tmp_path / "saved_model.pb").write_bytes(saved_model(node("call", "XlaCallModule", DATA)))
    assert shlo.format(shlo.load(tmp_path)) == shlo.format(shlo.parse(TEXT))
    (tmp_path / "saved_model.pb").unlink()
    with pytest.raises(shlo.ParseError, match="expected one program"):
        shlo.load(tmp_path)


def test_commands_read_it(tmp_path: Path, shlo: Any) -> None:
    (tmp_path / "saved_model.pb").write_bytes(saved_model(node("call", "XlaCallModule", DATA)))
    for path in (tmp_path, tmp_path / "saved_model.pb"):
        done = shlo("inspect", path, "--format", "json")
        assert done.returncode == 0, done.stderr
        (module,) = json.loads(done.stdout)["modules"]
        assert module["container"]["kind"] == "SavedModel"


def test_one_program_in_several_nodes() -> None:
    shlo.parse(saved_model(*[node(name, "XlaCallModule", DATA) for name in "ab"]))


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([], "found none"),
        ([node("a", "XlaCallModule", DATA), node("b", "XlaCallModule", DATA + b"\0")], "found a, b"),
        ([node("a", "XlaCallModule", b"module {}")], "expected MLIR bytecode in the node a"),
        ([b"\x0b"], "wire type 3"),
        ([b"\x08" + b"\xff" * 10], "at most 64 bits"),
    ],
)
def test_other_files(nodes: list[bytes], message: str) -> None:
    with pytest.raises(shlo.ParseError, match=rf"byte \d+: .*{message}"):
        shlo.parse(saved_model(*nodes))


def test_every_beginning_is_an_error() -> None:
    data = saved_model(node("call", "XlaCallModule", DATA))
    for size in range(3, len(data), 7):
        with pytest.raises(shlo.ParseError, match="byte"):
            shlo.parse(data[:size])
