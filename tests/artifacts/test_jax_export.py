"""Containers of `jax.export`: every field, in flatbuffers that are made here after jax's schema."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.artifacts.containers.flatbuffer import MAX_DEPTH, FlatbufferReader
from stablehlo_py.artifacts.faults import Fault
from stablehlo_py.ir.trees import Convention, Tree

TEXT = "func.func @main(%arg0: tensor<f32>) -> tensor<f32> {\n  return %arg0 : tensor<f32>\n}\n"
MODULE = shlo.serialize(shlo.parse(TEXT))
U8, U16, U32 = np.uint8, np.uint16, np.uint32


def placed(data: bytearray, value: Any) -> int:
    """Append a value; return its place. Unused bytes are 0xFF, which a number that is read too long has.

    A table is a dict by the numbers of its fields; scalars are NumPy's, and vectors of them arrays.
    """
    data += b"\xff" * (-len(data) % 4)
    if isinstance(value, dict):
        count, vtable = 1 + max(value, default=-1), len(data)
        data += struct.pack("<HH", 4 + 2 * count, 4 + 4 * len(value)) + bytes(2 * count)
        data += b"\xff" * (-len(data) % 4)
        at, items = len(data), list(value.values())
        data += struct.pack("<i", at - vtable) + b"\xff" * 4 * len(items)
        for index, number in enumerate(value):
            struct.pack_into("<H", data, vtable + 4 + 2 * number, 4 + 4 * index)
        first = at + 4
    elif isinstance(value, list):
        at, items = len(data), value
        data += struct.pack("<I", len(value)) + bytes(4 * len(value))
        first = at + 4
    else:
        value = value.encode() if isinstance(value, str) else value
        at, items, first = len(data), [], 0
        data += struct.pack("<I", len(value)) + bytes(value)
    for index, item in enumerate(items):
        place = first + 4 * index
        if isinstance(item, np.generic):
            data[place : place + item.nbytes] = item.tobytes()
        else:
            struct.pack_into("<I", data, place, placed(data, item) - place)
    return at


def flatbuffer(table: dict[int, Any]) -> bytes:
    data = bytearray(4)
    root = placed(data, table)
    struct.pack_into("<I", data, 0, root)
    return bytes(data)


def exported(fields: dict[int, Any]) -> bytes:
    return flatbuffer({13: MODULE, **fields})


def fields_of(fields: dict[int, Any]) -> dict[str, Any]:
    return dict(shlo.parse(exported(fields)).container)


LEAF: dict[int, Any] = {}
NONE, PAIR = {0: U8(1)}, {0: U8(2), 1: [LEAF, LEAF]}
ARGUMENTS = {0: U8(2), 1: [{0: U8(2), 1: [LEAF]}, {0: U8(4)}]}  # ((*,), {})
SCALAR = {2: U8(10)}  # of f32


def test_no_fields_but_the_module() -> None:
    module = shlo.parse(exported({}))
    assert shlo.format(module) == shlo.format(shlo.parse(MODULE))
    assert module.container == {
        "kind": "jax.export container",
        "producer": "StableHLO_v1.20.0",
        "bytecode_version": 6,
        "function_name": "",
        "platforms": [],
        "nr_devices": 0,
        "calling_convention_version": 0,
        "serialization_version": 0,
        "jax_version": "",
        "in_tree": "PyTreeDef(*)",
        "out_tree": "PyTreeDef(*)",
        "in_avals": [],
        "out_avals": [],
        "in_shardings": [],
        "out_shardings": [],
        "module_kept_var_idx": [],
        "uses_global_constants": False,
        "ordered_effects": [],
        "unordered_effects": [],
        "disabled_safety_checks": [],
        "has_vjp": False,
    }


def test_a_container_has_a_module() -> None:
    reader = exported({}).replace(b"ML\xefR", b"ML\xefS")
    with pytest.raises(shlo.ParseError, match="byte 0: expected MLIR or HLO text"):
        shlo.parse(reader)
    empty = {13: MODULE, 17: {1: "the gradient"}}
    with pytest.raises(shlo.ParseError, match=r"byte 0: expected a jax\.export container with a module"):
        shlo.parse(flatbuffer(empty))


@pytest.mark.parametrize(
    ("number", "value", "name", "expected"),
    [
        (0, U16(6), "serialization_version", 6),
        (1, "fun_jax", "function_name", "fun_jax"),
        (2, ARGUMENTS, "in_tree", "PyTreeDef(((*,), {}))"),
        (4, PAIR, "out_tree", "PyTreeDef((*, *))"),
        (6, U16(3), "nr_devices", 3),
        (9, ["cpu", "tpu"], "platforms", ["cpu", "tpu"]),
        (10, [{0: "a.Effect"}, {}], "ordered_effects", ["a.Effect", ""]),
        (11, [{0: "b.Effect"}], "unordered_effects", ["b.Effect"]),
        (
            12,
            [{}, {0: U8(0)}, {0: U8(1), 1: "target"}, {0: U8(2)}, {0: U8(3)}],
            "disabled_safety_checks",
            ["platform", "platform", "custom_call: target", "shape_assertions", "3"],
        ),
        (14, U16(10), "calling_convention_version", 10),
        (15, np.array([0, 2, 300], U16), "module_kept_var_idx", [0, 2, 300]),
        (16, U8(1), "uses_global_constants", True),
        (16, U8(0), "uses_global_constants", False),
        (17, {13: MODULE}, "has_vjp", True),
        (18, U32(70_000), "nr_devices", 70_000),
        (26, "0.10.2", "jax_version", "0.10.2"),
    ],
)
def test_a_field(number: int, value: Any, name: str, expected: Any) -> None:
    without = fields_of({})
    assert fields_of({number: value}) == without | {name: expected}


def test_numbers_of_devices() -> None:
    """Since the sixth version, the number has 32 bits; the shorter one remains."""
    assert fields_of({6: U16(2), 18: U32(70_000)})["nr_devices"] == 70_000


_TYPES = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128 "
    "bfloat16 int4 uint4 float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float0 "
    "float8_e4m3 float8_e3m4 float8_e8m0fnu float4_e2m1fn key<fry> key<rbg> key<urbg>"
)
TYPES = _TYPES.split()


def test_element_types_and_shapes() -> None:
    avals = [{2: U8(code)} for code in range(len(TYPES))]
    for number, name in ((3, "in_avals"), (5, "out_avals")):
        assert fields_of({number: avals})[name] == [f"{name}[]" for name in TYPES]
    assert fields_of({3: [{1: ["2", "b", "2*b"]}, {1: ["7"], 2: U8(4)}]})["in_avals"] == [
        "bool[2,b,2*b]",
        "int64[7]",
    ]
    with pytest.raises(shlo.ParseError, match=r"byte \d+: expected one of 30 element types, found number 30"):
        shlo.parse(exported({3: [{2: U8(30)}]}))


def test_types_that_are_stored_once() -> None:
    unique = [{2: U8(10)}, {1: ["3"], 2: U8(4)}]
    found = fields_of({19: unique, 22: np.array([1, 0, 1], U32), 23: np.array([0], U32)})
    assert found["in_avals"] == ["int64[3]", "float32[]", "int64[3]"]
    assert found["out_avals"] == ["float32[]"]
    for number, name in ((22, "in_avals"), (23, "out_avals")):
        with pytest.raises(
            shlo.ParseError, match=f"byte 0: expected indices of the 2 values of unique_avals in {name}$"
        ):
            shlo.parse(exported({19: unique, number: np.array([2], U32)}))


TREES = [
    ({}, "*"),
    ({0: U8(0)}, "*"),
    (NONE, "None"),
    ({0: U8(2)}, "()"),
    ({0: U8(2), 1: [LEAF]}, "(*,)"),
    (PAIR, "(*, *)"),
    ({0: U8(3), 1: [LEAF]}, "[*]"),
    ({0: U8(3), 1: [NONE, LEAF]}, "[None, *]"),
    ({0: U8(4), 1: [LEAF, PAIR], 2: ["a", "b"]}, "{'a': *, 'b': (*, *)}"),
    ({0: U8(5), 1: [LEAF], 3: "a.Node", 4: b"data"}, "CustomNode(a.Node, [*])"),
    ({0: U8(5)}, "CustomNode(, [])"),
]


@pytest.mark.parametrize(("tree", "text"), TREES)
def test_trees(tree: dict[int, Any], text: str) -> None:
    found = fields_of({2: tree, 4: tree})
    assert found["in_tree"] == found["out_tree"] == f"PyTreeDef({text})"


MESH = {0: np.array([2, 4], U32), 1: ["x", "y"]}
KINDS = np.array([0, 1, 2, 3, 4], U8)
XY = "AbstractMesh('x': 2, 'y': 4, axis_types=())"
SPEC = {0: [{0: ["x"]}, {}, {0: ["x", "y"]}, {0: []}]}
DEVICE = {0: "TPU v5", 1: U32(300), 2: "tpu"}


@pytest.mark.parametrize(
    ("sharding", "text"),
    [
        ({}, "mesh='x': 9, spec=P()"),
        ({0: MESH}, f"mesh={XY}, spec=P()"),
        ({0: MESH, 1: {}}, f"mesh={XY}, spec=P()"),
        ({0: MESH, 1: SPEC}, f"mesh={XY}, spec=P('x', None, ('x', 'y'), None)"),
        ({0: MESH, 2: "pinned_host"}, f"mesh={XY}, spec=P(), memory_kind=pinned_host"),
        ({0: {}}, "mesh=AbstractMesh(, axis_types=()), spec=P()"),
        ({3: U32(1)}, f"mesh={XY}, spec=P()"),
        ({3: U32(2)}, "mesh=None, spec=P()"),
        (
            {0: {0: np.array([8], U32), 1: ["z"], 2: KINDS, 3: DEVICE}},
            "mesh=AbstractMesh('z': 8, axis_types=(Missing, Auto, Explicit, Manual, ?), device_kind=TPU v5, "
            "num_cores=300, platform=tpu), spec=P()",
        ),
    ],
)
def test_shardings(sharding: dict[int, Any], text: str) -> None:
    """A sharding has a mesh, or the number of one of the container's, the first by default."""
    text = text.replace("mesh='x': 9", "mesh=AbstractMesh('x': 9, axis_types=())")
    meshes = [{0: np.array([9], U32), 1: ["x"]}, MESH]
    avals = [SCALAR, SCALAR, SCALAR]
    new = {20: meshes, 21: [{0: MESH, 2: "other"}, sharding]}
    other = f"NamedSharding(mesh={XY}, spec=P(), memory_kind=other)"
    found = fields_of({**new, 3: avals, 24: np.array([2, 0, 1], U32), 25: np.array([1, 2], U32)})
    assert found["in_shardings"] == [f"NamedSharding({text})", None, other]
    assert found["out_shardings"] == [other, f"NamedSharding({text})"]
    old = [{1: b"12345"}, {}, {0: U8(2), 1: b"1", 2: sharding}]
    found = fields_of({20: meshes, 7: old, 8: old[::-1]})
    assert found["in_shardings"] == ["HloSharding(5 bytes)", None, f"NamedSharding({text})"]
    assert found["out_shardings"] == [f"NamedSharding({text})", None, "HloSharding(5 bytes)"]


def test_shardings_without_a_list_of_meshes() -> None:
    found = fields_of({7: [{2: {}}] * 3, 8: [{2: {1: SPEC}}] * 3})
    assert found["in_shardings"] == ["NamedSharding(mesh=None, spec=P())"] * 3
    assert found["out_shardings"] == ["NamedSharding(mesh=None, spec=P('x', None, ('x', 'y'), None))"] * 3


def test_no_shardings() -> None:
    """One for each argument and result."""
    found = fields_of({3: [SCALAR] * 2, 5: [SCALAR] * 3})
    assert (found["in_shardings"], found["out_shardings"]) == ([None] * 2, [None] * 3)
    assert fields_of({3: [SCALAR] * 2, 7: []})["in_shardings"] == []
    with pytest.raises(
        shlo.ParseError, match=r"byte \d+: expected indices of the 1 shardings in out_shardings"
    ):
        shlo.parse(exported({21: [{}], 25: np.array([2], U32)}))


LEAF_TREE, DROPPED = Tree("leaf"), Tree("dropped")


def called(positional: list[Any], keywords: dict[str, Any], **fields: Any) -> Convention | None:
    """The convention of a function of arguments, with as many types as there are leaves."""
    tree = {0: U8(2), 1: [{0: U8(2), 1: positional}, {0: U8(4), 1: [*keywords.values()], 2: [*keywords]}]}
    table = {2: tree, 3: [SCALAR] * 3, 4: LEAF, 5: [SCALAR], 15: np.array([0, 2], U16), 9: ["tpu", "cpu"]}
    found: Convention | None = shlo.parse(
        exported(table | {int(name[1:]): value for name, value in fields.items()})
    ).convention
    return found


CUSTOM = {0: U8(5), 1: [LEAF], 3: "a.Node"}


def test_how_a_function_is_called() -> None:
    """The leaves that the program does not take are dropped."""
    found = called([LEAF, {0: U8(3), 1: [NONE, LEAF]}], {"k": CUSTOM})
    assert found is not None
    a_list = Tree("list", ("0", "1"), (Tree("none"), DROPPED))
    positional = Tree("tuple", ("0", "1"), (LEAF_TREE, a_list))
    keywords = Tree("dict", ("k",), (Tree("custom", ("0",), (LEAF_TREE,), "a.Node"),))
    assert found.arguments == Tree("tuple", ("0", "1"), (positional, keywords))
    assert found.results == LEAF_TREE
    assert (found.types, found.kept, found.platform) == (("float32[]",) * 3, (0, 2), 1)
    unnamed = called([LEAF, LEAF, {0: U8(5), 1: [LEAF]}], {}, f9=["tpu"])
    assert unnamed is not None and unnamed.platform == 0
    assert unnamed.arguments.children[0].children[2].name == "a class"


@pytest.mark.parametrize(
    "fields",
    [
        {"f2": LEAF},  # no tuple of arguments and dict of those by keyword
        {"f2": {0: U8(2), 1: [{0: U8(4)}, {0: U8(2), 1: [LEAF] * 3}]}},
        {"f2": {0: U8(2), 1: [{0: U8(2), 1: [LEAF] * 3}]}},
        {"f3": [SCALAR] * 2},  # as many types as leaves
        {"f5": []},
        {"f4": PAIR},
        {"f4": {0: U8(4), 1: [LEAF], 2: ["a", "b"]}},  # names of a dict
        {"f4": {0: U8(4), 1: [LEAF, LEAF], 2: ["a", "a"]}, "f5": [SCALAR] * 2},
        {"f4": {0: U8(2), 1: [{0: U8(4), 1: [LEAF]}]}},
        {"f15": np.array([2, 0], U16)},  # in order, each once
        {"f15": np.array([0, 0], U16)},
        {"f15": np.array([0, 3], U16)},
    ],
)
def test_fields_that_disagree(fields: dict[str, Any]) -> None:
    assert called([LEAF] * 3, {}) is not None
    assert called([LEAF] * 3, {}, **fields) is None


def test_gradients() -> None:
    inner = shlo.serialize(shlo.parse(TEXT.replace("@main", "@grad")))
    data = exported({1: "f", 17: {13: inner, 1: "g"}})
    assert shlo.parse(data).container["has_vjp"]
    gradient = shlo.parse(data, vjp=1)
    assert (gradient.container["function_name"], gradient.container["has_vjp"]) == ("g", False)
    assert list(gradient.functions) == ["grad"]
    for order, has in ((2, "1 of them"), (3, "1 of them")):
        with pytest.raises(shlo.ParseError, match=f"{order} nested gradients, found {has}"):
            shlo.parse(data, vjp=order)
    with pytest.raises(shlo.ParseError, match="1 nested gradients, found none"):
        shlo.parse(exported({}), vjp=1)
    message = "byte 0: expected MLIR bytecode, which begins with the bytes 4D 4C EF 52"
    with pytest.raises(shlo.ParseError, match=message):
        shlo.parse(exported({17: {13: b"text"}}), vjp=1)


# Flatbuffers

SCHEMA = {"T": (("a", "u8"), ("b", "bool"), ("c", "T"), ("d", "[u16]"), ("e", "string"))}


def test_tables() -> None:
    reader = FlatbufferReader(memoryview(flatbuffer({0: U8(7), 1: U8(2), 2: {}, 4: "\u00e9"})), SCHEMA)
    empty = dict.fromkeys("abcde")
    assert reader.root("T") == empty | {"a": 7, "b": True, "c": empty, "e": "\u00e9"}
    reader = FlatbufferReader(memoryview(flatbuffer({3: np.array([1, 2**16 - 1], U16)})), SCHEMA)
    assert reader.root("T") == empty | {"d": [1, 2**16 - 1]}
    # The list of places behind the table, where its distance is negative; newer fields are ignored.
    data = struct.pack("<IiBBHHHHH", 4, -8, 9, 0xFF, 0xFFFF, 8, 6, 4, 0)
    assert FlatbufferReader(memoryview(data), SCHEMA).root("T") == empty | {"a": 9}
    newer = memoryview(flatbuffer({5: U8(1), 0: U8(3)}))
    assert FlatbufferReader(newer, SCHEMA).root("T") == empty | {"a": 3}


def nested(depth: int) -> bytes:
    table: dict[int, Any] = {}
    for _ in range(depth):
        table = {2: table}
    return flatbuffer(table)


def test_depth() -> None:
    assert FlatbufferReader(memoryview(nested(MAX_DEPTH)), SCHEMA).root("T")["c"] is not None
    with pytest.raises(Fault, match="more than 64 tables within one another"):
        FlatbufferReader(memoryview(nested(MAX_DEPTH + 1)), SCHEMA).root("T")


@pytest.mark.parametrize(
    ("data", "at", "message"),
    [
        (b"\x04\0", 0, "expected a number of 4 bytes, found 2 more bytes"),
        (struct.pack("<I", 0), 0, "expected an offset into the 4 bytes of the file"),  # not forward
        (struct.pack("<II", 5, 0), 0, "expected an offset into the 8 bytes of the file"),
        (struct.pack("<II", 4, 5), 4, "expected the offset of the fields of a table T"),  # before the start
        (struct.pack("<Ii", 4, -1), 4, "expected the offset of the fields of a table T"),  # behind the end
        (struct.pack("<IiHHH", 4, -4, 6, 8, 10), 14, "expected a number of 1 bytes, found 0 more bytes"),
    ],
)
def test_faults(data: bytes, at: int, message: str) -> None:
    with pytest.raises(Fault) as raised:
        FlatbufferReader(memoryview(data), SCHEMA).root("T")
    assert (raised.value.offset, raised.value.message) == (at, message)


def shared(levels: int, count: int) -> bytes:
    """Tables with a list of one table, `count` times, in several levels."""
    data = bytearray(struct.pack("<I", 12))
    for level in range(levels):
        data += struct.pack("<HHHH", 6, 8, 4 if level < levels - 1 else 0, 0xFFFF)
        following = len(data) + 20 + 4 * count
        data += struct.pack("<iII", 8, 4, count)
        for _ in range(count):
            data += struct.pack("<I", following - len(data))
    return bytes(data)


def test_tables_that_are_shared() -> None:
    """Reading takes no longer than the file is long."""
    schema = {"T": (("a", "[T]"),)}
    assert len(FlatbufferReader(memoryview(shared(2, 10)), schema).root("T")["a"]) == 10
    with pytest.raises(Fault, match="or more than there are bytes"):
        FlatbufferReader(memoryview(shared(4, 10)), schema).root("T")
