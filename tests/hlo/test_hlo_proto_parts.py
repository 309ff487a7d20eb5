"""Parts of HLO modules in protobuf that no recorded module has, written by the numbers of the schema."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import stablehlo_py as shlo
from stablehlo_py.hlo.module import HloModule
from stablehlo_py.hlo.proto import reader

Value = int | bytes | list[int] | list[bytes]
_SCHEMA = Path(reader.__file__).with_name("hlo.proto").read_text()
_FIELD = re.compile(r"^  (?:repeated )?\w+ (\w+) = (\d+);", re.MULTILINE)
NUMBERS = {
    name: {field: int(number) for field, number in _FIELD.findall(body)}
    for name, body in re.findall(r"^message (\w+) \{\n(.*?)^\}", _SCHEMA, re.MULTILINE | re.DOTALL)
}
S32, TUPLE, TOKEN, S16, BUFFER = 4, 13, 17, 3, 34  # element types
S4, U4, U32, U64 = 21, 22, 8, 9


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    found = b""
    while value > 127:
        found += bytes([value & 127 | 128])
        value >>= 7
    return found + bytes([value])


def proto(message: str, **fields: Value) -> bytes:
    """A message; a number is written as one, bytes as what has a length, and a list as each of its values."""
    found = b""
    for name, value in fields.items():
        for each in value if isinstance(value, list) else [value]:
            number = NUMBERS[message][name]
            if isinstance(each, bytes):
                found += varint(number << 3 | 2) + varint(len(each)) + each
            else:
                found += varint(number << 3) + varint(each)
    return found


def shape(*sizes: int, element: int = S32) -> bytes:
    return proto("ShapeProto", element_type=element, dimensions=list(sizes))


def tuple_of(*shapes: bytes, element: int = TUPLE) -> bytes:
    return proto("ShapeProto", element_type=element, tuple_shapes=list(shapes))


def instruction(opcode: bytes, number: int, of: bytes, **fields: Value) -> bytes:
    name = b"i%d" % number
    return proto("HloInstructionProto", name=name, opcode=opcode, id=number, shape=of, **fields)


def module(*instructions: bytes, **fields: Value) -> bytes:
    """A module of one computation, 7, whose root is the last instruction."""
    count = len(instructions)
    entry = proto("HloComputationProto", name=b"e", id=7, root_id=count, instructions=list(instructions))
    return proto("HloModuleProto", name=b"m", entry_computation_id=7, computations=[entry], **fields)


def constant(of: bytes, **literal: Value) -> bytes:
    return instruction(b"constant", 1, of, literal=proto("LiteralProto", shape=of, **literal))


P = instruction(b"parameter", 1, shape(2))
SEQUENCE = proto("HloScheduleProtoInstructionSequence", instruction_ids=[1, 9])
ENTRY = proto("HloScheduleProtoSequencesEntry", key=7, value=SEQUENCE)
TABLE = "OriginalValueRecoveryTableProto"
INNER = proto("HloModuleProto", name=b"n", original_value_recovery_table=b"")
REFUSED = {  # modules by what is said of them
    "constant i1: expected 2 elements of a tuple, found 1": module(
        constant(tuple_of(shape(), shape()), tuple_literals=[proto("LiteralProto", s32s=[1])])
    ),
    "constant i1: there is no literal of shape token[]": module(constant(shape(element=TOKEN))),
    "constant i1: expected elements of 2 bytes, found 3 bytes": module(
        constant(shape(2, element=S16), s16s=b"abc")
    ),
    "constant i1: expected 2 elements of s32[2]{0}, found 3": module(constant(shape(2), s32s=[1, 2, 3])),
    "expected a number, found '-1]'": module(instruction(b"parameter", 1, shape(-1))),
    "constant i1 has no literal": module(instruction(b"constant", 1, shape(2))),
    "computation e has no instruction 9": module(
        P, schedule=proto("HloScheduleProto", sequences=[ENTRY])
    ),
    "instruction i2 calls computation 8, which is missing": module(
        P, instruction(b"call", 2, shape(2), operand_ids=[1], called_computation_ids=[8])
    ),
    "instruction i1 has no shape": module(proto("HloInstructionProto", name=b"i1", opcode=b"iota", id=1)),
    "a module that recovers values recovers values by other modules": module(
        P,
        original_value_recovery_table=proto(TABLE, entries=[proto(f"{TABLE}Entry", recovery_module=INNER)]),
    ),
    "a shape has 1 dimensions and 2 flags for them": module(
        instruction(
            b"parameter",
            1,
            proto("ShapeProto", element_type=S32, dimensions=[2], is_dynamic_dimension=[0, 1]),
        )
    ),
}  # fmt: skip


def read(data: bytes) -> HloModule:
    return reader.read_proto(data)


@pytest.mark.parametrize("message", REFUSED)
def test_refused(message: str) -> None:
    with pytest.raises(shlo.ParseError) as caught:
        read(REFUSED[message])
    assert caught.value.diagnostics[0].message == message


NAMED = proto("OpSharding", named_sharding=b"")
READ = {  # the root of a module that is read, by its text
    "b(s32[2]{0}) parameter(0)": module(
        instruction(b"parameter", 1, tuple_of(shape(2), element=BUFFER))
    ),
    "s32[2]{0} constant({...})": module(constant(shape(2))),
    "s32[] constant(7)": module(constant(shape(), s32s=[7])),
    "(s32[], s32[2]{0}) constant(( 7, {1, -2} ))": module(
        constant(
            tuple_of(shape(), shape(2)),
            tuple_literals=[proto("LiteralProto", s32s=[7]), proto("LiteralProto", s32s=[1, -2])],
        )
    ),
    # The elements are in the order of the layout: the dimension of 2 is the innermost, then that of 1.
    "s32[2,3,1]{0,2,1} constant({ { {1}, {3}, {5} }, { {2}, {4}, {6} } })": module(
        constant(
            proto(
                "ShapeProto",
                element_type=S32,
                dimensions=[2, 3, 1],
                layout=proto("LayoutProto", minor_to_major=[0, 2, 1]),
            ),
            s32s=[1, 2, 3, 4, 5, 6],
        )
    ),
    "s4[4]{0} constant({-8, 7, -1, 0})": module(constant(shape(4, element=S4), s4s=b"\x08\x07\xff\x00")),
    "u4[3]{0} constant({8, 7, 15})": module(constant(shape(3, element=U4), u4s=b"\x08\x07\x0f")),
    "s32[2,6]{1,0:T(2,*)(3)L(4)#(u32)*(u64)E(32)S(5)SC(1:2,4)P(s32[2]{0})M(8)} parameter(0)": module(
        instruction(
            b"parameter",
            1,
            proto(
                "ShapeProto",
                element_type=S32,
                dimensions=[2, 6],
                layout=proto(
                    "LayoutProto",
                    minor_to_major=[1, 0],
                    tiles=[
                        proto("TileProto", dimensions=[2, -(1 << 63)]),
                        proto("TileProto", dimensions=[3]),
                    ],
                    tail_padding_alignment_in_elements=4,
                    index_primitive_type=U32,
                    pointer_primitive_type=U64,
                    element_size_in_bits=32,
                    memory_space=5,
                    split_configs=[proto("SplitConfigProto", dimension=1, split_indices=[2, 4])],
                    physical_shape=shape(2),
                    dynamic_shape_metadata_prefix_bytes=8,
                ),
            ),
        )
    ),
    's32[2]{0} parameter(0), frontend_attributes={a="2",b="1",c="3"}': module(
        instruction(
            b"parameter",
            1,
            shape(2),
            frontend_attributes=proto(
                "FrontendAttributes",
                map=[
                    proto("FrontendAttributesMapEntry", key=key, value=value)
                    for key, value in ((b"b", b"1"), (b"a", b"2"), (b"c", b"3"))
                ],
            ),
        )
    ),
    "s32[2]{0} parameter(0), sharding={replicated}": module(
        instruction(b"parameter", 1, shape(2), sharding=NAMED)
    ),
    "s32[?,<=3]{1,0} parameter(0)": module(
        instruction(
            b"parameter", 1,
            proto("ShapeProto", element_type=S32, dimensions=[-(1 << 63), 3], is_dynamic_dimension=[1, 1]),
        )
    ),
}  # fmt: skip


@pytest.mark.parametrize("text", READ)
def test_read(text: str) -> None:
    printed = read(READ[text]).to_string("short_parsable").splitlines()
    assert [line.strip() for line in printed if "ROOT" in line] == [f"ROOT i1 = {text}"]


@pytest.mark.parametrize(
    ("element", "branches"),
    [(1, "true_computation=a, false_computation=b"), (S32, "branch_computations={a, b}")],
)
def test_branches_by_a_predicate_or_a_number(element: int, branches: str) -> None:
    parts = [
        proto("HloComputationProto", name=name, id=number, root_id=9, instructions=[named])
        for name, number, named in (
            (b"a", 5, instruction(b"parameter", 9, shape(2))),
            (b"b", 6, instruction(b"parameter", 9, shape(2))),
        )
    ]
    chosen = instruction(b"parameter", 1, shape(element=element))
    given = instruction(b"parameter", 2, shape(2), parameter_number=1)
    root = instruction(b"conditional", 3, shape(2), operand_ids=[1, 2, 2], called_computation_ids=[5, 6])
    entry = proto("HloComputationProto", name=b"e", id=7, root_id=3, instructions=[chosen, given, root])
    found = read(proto("HloModuleProto", name=b"m", entry_computation_id=7, computations=[*parts, entry]))
    lines = found.to_string("short_parsable").splitlines()
    (line,) = [line.strip() for line in lines if "conditional(" in line]
    assert line == f"ROOT i3 = s32[2]{{0}} conditional(i1, i2, i2), {branches}"
