"""Files of MLIR bytecode that are put together here by its definition, and what is wrong with others."""

from __future__ import annotations

from typing import Any

import pytest

import stablehlo_py as shlo
from stablehlo_py.artifacts.bytecode.sections import NAMES
from stablehlo_py.syntax.foreign_dialects import NEWER, UNREGISTERED

STRING, DIALECT, ENTRIES, OFFSETS, IR, RESOURCE, RESOURCES, VERSIONS, PROPERTIES = range(9)


def v(*values: int) -> bytes:
    """Varints of one byte, and of two from 128 on."""
    return b"".join(bytes([n << 1 | 1]) if n < 128 else (n << 2 | 2).to_bytes(2, "little") for n in values)


def texts(*given: str) -> bytes:
    data = [text.encode() + b"\0" for text in given]
    return v(len(data), *(len(each) for each in reversed(data))) + b"".join(data)


def section(number: int, data: bytes) -> bytes:
    return bytes([number]) + v(len(data)) + data


def table(attributes: list[bytes], types: list[bytes], encoded: int = 1) -> dict[int, bytes]:
    """The sections of attributes and types, all of the builtin dialect."""
    offsets = v(len(attributes), len(types))
    for group in (attributes, types):
        offsets += v(0, len(group), *(len(each) << 1 | encoded for each in group)) if group else b""
    return {ENTRIES: b"".join([*attributes, *types]), OFFSETS: offsets}


UNKNOWN, UNIT, NAME, DICTIONARY = v(15), v(7), v(2, 3), v(1, 1, 2, 1)  # locations and attributes 0 to 3
I8, I1, NO_TYPE = v(0, 8 << 2), v(0, 1 << 2), v(12)
HAS_ATTRIBUTES, HAS_RESULTS, HAS_OPERANDS, HAS_SUCCESSORS, HAS_REGIONS, HAS_ORDERS, HAS_PROPERTIES = (
    bytes([1 << bit]) for bit in range(7)
)
OP = v(1) + b"\7" + v(0, 3, 1, 0, 1, 0)  # x.y with attributes 3, a result of type 0, and it as an operand
BODY = v(1, 1, 1 << 1)  # a region of a block and a value; the block has an op


TOP = v(1 << 1, 0)  # the module, and nothing beside it


def program(op: bytes = OP, body: bytes = BODY) -> bytes:
    """A module around an op, in an isolated region."""
    return TOP + HAS_REGIONS + v(0, 1 << 1 | 1) + section(IR, body + op)


BASE = {
    STRING: texts("builtin", "module", "x", "y"),
    DIALECT: v(2, 0 << 1, 2 << 1, 2, 0, 1, 1 << 1 | 1, 1, 1, 3 << 1),  # registered: module, but not y
    **table([UNKNOWN, UNIT, NAME, DICTIONARY], [I8]),
    IR: program(),
    PROPERTIES: v(0),
}
TEXT = 'module {\n  %0 = "x.y"(%0) {y} : (i8) -> i8\n}\n'


def file(changes: dict[int, Any]) -> tuple[bytes, dict[int, int]]:
    """The bytes of a file, and where each section's data begin. A section that is None is left out."""
    data, starts = b"ML\xefR\x0dMLIR\0", {}
    for number, content in (BASE | changes).items():
        if content is not None:
            data += section(number, content)
            starts[number] = len(data) - len(content)
    return data, starts


def read(changes: dict[int, Any]) -> shlo.Module:
    return shlo.parse(file(changes)[0], allow_unregistered=True)


def test_a_file() -> None:
    assert shlo.format(read({})) == TEXT
    with pytest.raises(shlo.ParseError, match=r"unregistered operation 'x\.y'"):
        shlo.parse(file({})[0])


@pytest.mark.parametrize("order", [(2, 5), (5, 2)])
def test_dictionaries_are_sorted_by_name(order: tuple[int, int]) -> None:
    """Whatever the order in the file is."""
    inner = v(1, 2, order[0], 1, order[1], 1)
    module = read(table([UNKNOWN, UNIT, NAME, v(1, 1, 2, 4), inner, v(2, 2)], [I8]))
    assert shlo.format(module) == TEXT.replace("{y}", "{y = {x, y}}")


WRONG: list[tuple[dict[int, Any], int, int, str]] = [
    ({STRING: v(1, 2) + b"abc"}, STRING, 2, "1 bytes belong to no string"),
    ({STRING: v(1, 0) + b"abc"}, STRING, 2, "expected a string of 0 bytes, found 3 more bytes"),
    ({STRING: v(1, 4) + b"abc"}, STRING, 2, "expected a string of 4 bytes, found 3 more bytes"),
    ({DIALECT: v(1, 4 << 1)}, DIALECT, 1, "expected the index of one of 4 strings, found 4"),
    ({DIALECT: v(9)}, DIALECT, 0, "9 dialects do not fit into the remaining 0 bytes"),
    ({DIALECT: v(1, 0, 0, 1, 1, 3)}, DIALECT, 3, "expected the index of one of 1 dialects, found 1"),
    ({DIALECT: v(1, 0, 0, 0, 1, 4 << 1)}, DIALECT, 5, "expected the index of one of 4 strings, found 4"),
    (
        {OFFSETS: v(3, 3, 0, 0, 0)},
        OFFSETS,
        0,
        "3 attributes and 3 types do not fit into the remaining 3 bytes",
    ),
    ({OFFSETS: v(1, 0, 0, 2, 3, 3)}, OFFSETS, 6, "expected 1 entries, found 2"),
    ({OFFSETS: v(1, 0, 2, 1, 3)}, OFFSETS, 2, "expected the index of one of 2 dialects, found 2"),
    (
        {OFFSETS: v(1, 0, 0, 1, 11 << 1 | 1)},
        OFFSETS,
        3,
        "entries of 11 bytes do not fit into the remaining 10 bytes of the AttrType section",
    ),
    (
        {OFFSETS: BASE[OFFSETS] + v(0)},
        OFFSETS,
        len(BASE[OFFSETS]),
        "1 unexpected bytes after the offsets of attributes and types",
    ),
    ({PROPERTIES: v(1, 2) + b"a"}, PROPERTIES, 2, "expected the properties of an op of 2 bytes, found 1"),
    ({PROPERTIES: v(0, 0)}, PROPERTIES, 1, "1 unexpected bytes after the properties"),
    ({IR: v(0 << 1)}, IR, 0, "expected one builtin.module around the whole program"),
    ({IR: v(1 << 1) + OP}, IR, 7, "expected the number of one of 0 values, found 0"),
    ({IR: program() + v(0)}, IR, len(program()), "1 unexpected bytes after the IR"),
    ({IR: v(9 << 1)}, IR, 0, "9 operations do not fit into the remaining bytes"),
    ({IR: v(1 << 1, 2)}, IR, 1, "expected the index of one of 2 op names, found 2"),
    ({IR: TOP + b"\x80"}, IR, 2, "expected the parts of an operation, found 0x80"),
    ({IR: TOP + b"\0" + v(1)}, IR, 3, "expected a location, found the attribute unit"),
    ({IR: TOP + b"\0" + v(4)}, IR, 3, "expected the index of one of 4 attributes, found 4"),
    (
        {IR: TOP + HAS_ATTRIBUTES + v(0, 1)},
        IR,
        1,
        "expected a dictionary for the attributes of an op, found unit",
    ),
    ({IR: TOP + HAS_PROPERTIES + v(0, 0)}, IR, 1, "expected the index of one of 0 properties, found 0"),
    ({IR: TOP + HAS_RESULTS + v(0, 1, 1)}, IR, 4, "expected the index of one of 1 types, found 1"),
    ({IR: TOP + HAS_RESULTS + v(0, 1, 0)}, IR, 1, "more values are defined than the 0 that the region"),
    ({IR: TOP + HAS_OPERANDS + v(0, 1, 0)}, IR, 4, "expected the number of one of 0 values, found 0"),
    ({IR: TOP + HAS_SUCCESSORS + v(0, 1, 1)}, IR, 5, "expected the number of one of 1 blocks, found 1"),
    ({IR: TOP + HAS_REGIONS + v(0, 9 << 1)}, IR, 5, "9 regions do not fit into the remaining bytes"),
    ({IR: TOP + b"\0" + v(0)}, IR, 0, "expected a builtin.module of one region with one block"),
    (
        {IR: TOP + HAS_REGIONS + v(0, 1 << 1, 0)},
        IR,
        0,
        "expected a builtin.module of one region with one block",
    ),
    (
        {IR: TOP + HAS_REGIONS + v(0, 1 << 1, 2, 0, 0, 0)},
        IR,
        0,
        "expected a builtin.module of one region with one block",
    ),
    (
        {IR: TOP + HAS_REGIONS + v(0, 1 << 1 | 1) + section(PROPERTIES, BODY)},
        IR,
        5,
        "expected a section of the number 4 for isolated regions, found 8",
    ),
    ({IR: program(OP + v(0))}, IR, 18, "1 unexpected bytes after isolated regions"),
    ({IR: program(body=v(1, 2, 1 << 1))}, IR, 8, "a region states 2 values and defines 1"),
    (
        {IR: program(OP, v(1, 1, 2 << 1)), OFFSETS: BASE[OFFSETS]},
        IR,
        18,
        "expected a variable-length integer, found the end of the data",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "number", "place", "message"), WRONG)
def test_wrong_sections(changes: dict[int, Any], number: int, place: int, message: str) -> None:
    expected = f"byte {file(changes)[1][number] + place}: {message}"
    with pytest.raises(shlo.ParseError) as raised:
        read(changes)
    assert raised.value.diagnostics[0].message[: len(expected)] == expected


@pytest.mark.parametrize(
    ("dialect", "op", "allowed", "notes"),
    [  # options that would accept an op, unless it is a misspelling
        ("vhlo", "nothing_v1", True, []),
        ("stablehlo", "transpos", True, ["did you mean stablehlo.transpose?", NEWER]),
        ("stablehl", "abs", False, ["did you mean stablehlo.abs?"]),
        ("xyz", "ads", False, [UNREGISTERED]),
    ],
)
def test_unknown_ops(dialect: str, op: str, allowed: bool, notes: list[str]) -> None:
    data, starts = file({STRING: texts("builtin", "module", dialect, op)})
    with pytest.raises(shlo.ParseError) as raised:
        shlo.parse(data, allow_unregistered=allowed)
    (found,) = raised.value.diagnostics
    place = f"byte {starts[IR] + 10}: "
    if dialect == "vhlo":
        assert found.message.startswith(f"{place}there is no op vhlo.nothing_v1 up to StableHLO 1.20.0")
    else:
        assert found.message == f"{place}unregistered operation '{dialect}.{op}'"
    assert list(found.notes) == notes


@pytest.mark.parametrize("number", [STRING, DIALECT, ENTRIES, OFFSETS, IR, PROPERTIES])
def test_missing_sections(number: int) -> None:
    data, _ = file({number: None})
    with pytest.raises(shlo.ParseError, match=f"byte {len(data)}: expected more sections: {NAMES[number]}$"):
        shlo.parse(data)


def test_resources_have_two_sections() -> None:
    for number, other in ((RESOURCE, RESOURCES), (RESOURCES, RESOURCE)):
        with pytest.raises(shlo.ParseError, match=f"expected more sections: {NAMES[other]}$"):
            read({number: v(0)})
    read({RESOURCE: b"", RESOURCES: v(0)})


def of_attribute(*entries: bytes, types: tuple[bytes, ...] = (), encoded: int = 1) -> dict[int, Any]:
    """A file whose op has the dictionary 3, with the last of the entries as its value."""
    attributes = [UNKNOWN, UNIT, NAME, v(1, 1, 2, 3 + len(entries)), *entries]
    found = table(attributes, [I8, *types])
    if not encoded:
        last = len(v(len(attributes), 1 + len(types), 0, len(attributes))) + len(attributes) - 1
        offsets = bytearray(found[OFFSETS])
        offsets[last] &= 0xFD  # the flag of the last attribute
        found[OFFSETS] = bytes(offsets)
    return found


def tensor(size: int, element: int) -> bytes:
    return v(13, 1, size << 1, element)


@pytest.mark.parametrize(
    ("changes", "value"),
    [
        (of_attribute(v(0, 0)), "[]"),
        (of_attribute(v(0, 2, 1, 2)), '[unit, "y"]'),
        (of_attribute(v(6, 0)), "i8"),
        (of_attribute(v(8, 0) + b"\xff"), "-1 : i8"),
        (of_attribute(v(6, 1), types=(I1,)), "i1"),
        (of_attribute(v(6, 1), types=(v(0, 9 << 2 | 1),)), "si9"),
        (of_attribute(v(6, 1), types=(v(0, 9 << 2 | 2),)), "ui9"),
        (of_attribute(v(8, 1, 5), types=(v(1),)), "-3 : index"),
        (of_attribute(v(8, 1, 6), types=(v(1),)), "3 : index"),
        (of_attribute(v(8, 1) + b"\1", types=(I1,)), "true"),
        (of_attribute(v(4, 2)), "@y"),
        (of_attribute(v(4, 2), v(5, 2, 1, 4)), "@y::@y"),
        (of_attribute(b"17 : i8\0", encoded=0), "17 : i8"),
        (of_attribute(v(2, 2)), '"x"'),
        (of_attribute(v(17, 0, 2, 2) + b"\1\xff"), "array<i8: 1, -1>"),
        (of_attribute(v(18, 1, 2) + b"\1\xff", types=(tensor(2, 0),)), "dense<[1, -1]> : tensor<2xi8>"),
        (of_attribute(v(18, 1, 1) + b"\5", types=(tensor(2, 0),)), "dense<5> : tensor<2xi8>"),
        (of_attribute(v(18, 2, 1) + b"\5", types=(I1, tensor(3, 1))),
         "dense<[true, false, true]> : tensor<3xi1>"),
        (of_attribute(v(18, 2, 1) + b"\1", types=(I1, tensor(1, 1))), "dense<true> : tensor<1xi1>"),
        (of_attribute(v(18, 2, 1) + b"\xff", types=(I1, tensor(9, 1))), "dense<true> : tensor<9xi1>"),
        (of_attribute(v(18, 2, 1) + b"\0", types=(I1, tensor(9, 1))), "dense<false> : tensor<9xi1>"),
        (of_attribute(v(18, 2, 1) + b"\xff", types=(I1, tensor(8, 1))), "dense<true> : tensor<8xi1>"),
        (of_attribute(v(22, 2, 3, 1, 2, 4)), 'loc("y":1:2 to :4)'),
        (of_attribute(v(22, 2, 4, 1, 2, 3, 4)), 'loc("y":1:2 to 3:4)'),
        (of_attribute(v(6, 1), types=(v(20, 2) + b"\1\0" + v(2, 4, 6, 0),)), "vector<[2]x3xi8>"),
    ],
)  # fmt: skip
def test_entries(changes: dict[int, Any], value: str) -> None:
    expected = TEXT.replace("{y}", f"{{y = {value}}}")
    assert shlo.format(read(changes)) == expected


@pytest.mark.parametrize(
    ("changes", "at", "message"),
    [
        (of_attribute(v(63)), 0, "the attribute with code 63 of the dialect builtin is unknown"),
        (of_attribute(v(6, 1), types=(v(63),)), 4, "the type with code 63 of the dialect builtin is unknown"),
        (of_attribute(v(0, 0, 0)), 2, "1 unexpected bytes after an entry of the dialect builtin"),
        (of_attribute(v(0, 1, 5)), 3, "expected the index of one of 5 attributes, found 5"),
        (of_attribute(v(6, 1)), 2, "expected the index of one of 1 types, found 1"),
        (of_attribute(v(0, 9)), 1, "9 items do not fit into the remaining 0 bytes"),
        (of_attribute(v(2, 4)), 1, "expected the index of one of 4 strings, found 4"),
        (of_attribute(v(4, 1)), 1, "expected a reference to a string, found unit"),
        (of_attribute(v(5, 2, 1, 1)), 3, "expected a reference to a symbol, found unit"),
        (of_attribute(v(14, 2, 1)), 2, "expected a reference to a location, found unit"),
        (of_attribute(v(0, 1, 4)), 0, "an attribute or type is defined in terms of itself"),
        (of_attribute(v(6, 1), types=(v(0, 0),)), 4,
         "expected a valid entry of the dialect builtin: an integer "
         "type of 0 bits, with signedness 0"),
        (of_attribute(v(6, 1), types=(v(0, 8 << 2 | 3),)), 4,
         "expected a valid entry of the dialect builtin: an "
         "integer type of 8 bits, with signedness 3"),
        (of_attribute(v(8, 1, 0), types=(NO_TYPE,)), 2,
         "expected an integer of an integer type, found one of none"),
        (of_attribute(v(9, 1, 0), types=(NO_TYPE,)), 2,
         "expected a number of a floating-point type, found one of none"),
        (of_attribute(v(16, 0, 0)), 2, "expected the index of one of 0 resources, found 0"),
        (of_attribute(v(17, 1, 0, 0), types=(NO_TYPE,)), 2, "expected an array of integers or floats, found "
         "elements of none"),
        (of_attribute(v(17, 0, 2, 1) + b"\1"), 2, "expected 2 elements of 1 bytes each; found 1 bytes"),
        (of_attribute(v(18, 0, 1) + b"\1"), 2,
         "expected a constant of a tensor type of known shape, found i8"),
        (of_attribute(v(18, 1, 3) + b"\1\1\1", types=(tensor(2, 0),)), 2,
         "expected 2 elements of 1 bytes each, or one for all, for tensor<2xi8>; found 3 bytes"),
        (of_attribute(v(18, 2, 2) + b"\1\1", types=(I1, tensor(8, 1))), 2, "expected 8 bits, or one byte "
         "for all; found 2 bytes"),
        (of_attribute(v(18, 2, 1) + b"\2", types=(I1, tensor(9, 1))), 2, "expected 9 bits, or one byte for "
         "all; found 1 bytes"),
        (of_attribute(v(18, 2, 1) + b"\1", types=(NO_TYPE, tensor(2, 1))), 2,
         "expected elements of a number type, found none"),
        (of_attribute(v(19, 0, 0)), 3, "expected a constant of a tensor type of known shape, found i8"),
        (of_attribute(v(20, 1, 1, 1), types=(tensor(2, 0),)), 0, "expected a valid entry of the dialect "
         "builtin: a sparse constant of other than dense indices and values"),
        (of_attribute(v(22, 2, 5, 1, 2, 3, 4, 5)), 0, "expected a valid entry of the dialect builtin: "
         "expected at most 4 numbers for a range of a file, found 5"),
        (of_attribute(v(6, 1), types=(v(20, 1) + b"\1" + v(2, 4, 6, 0),)), 4, "expected a valid entry of the "
         "dialect builtin: 2 dimensions, of which 1 are scalable or not"),
        (of_attribute(b"17 :\0", encoded=0), 0, "expected the text of a valid attribute, found '17 :': "),
        (of_attribute(b"17\0x", encoded=0), 3, "1 unexpected bytes after the text of a type or attribute"),
    ],
)  # fmt: skip
def test_wrong_entries(changes: dict[int, Any], at: int, message: str) -> None:
    """Places are those in the last attribute, or behind it in the types."""
    first = file(changes)[1][ENTRIES] + len(UNKNOWN + UNIT + NAME + DICTIONARY)
    with pytest.raises(shlo.ParseError) as raised:
        read(changes)
    expected = f"byte {first + at}: {message}"
    assert raised.value.diagnostics[0].message[: len(expected)] == expected


def nested_regions(depth: int) -> bytes:
    op = v(1) + b"\0" + v(0)
    for _ in range(depth):
        op = v(1) + HAS_REGIONS + v(0, 1 << 1, 1, 0, 1 << 1) + op
    return TOP + HAS_REGIONS + v(0, 1 << 1, 1, 0, 1 << 1) + op


def test_depth_of_regions() -> None:
    assert shlo.format(read({IR: nested_regions(63)})).count("x.y") == 64
    with pytest.raises(shlo.ParseError, match=r"byte \d+: more than 64 regions within one another"):
        read({IR: nested_regions(64)})


def test_depth_and_size_of_entries() -> None:
    """Of arrays within one another at most 200, and of what they hold, again for each use, 100,000."""

    def arrays(count: int, items: int, *units: int) -> dict[int, Any]:
        """Arrays of the one before, several times, and behind it of the unit."""
        size = items + len(units)
        return of_attribute(UNIT, *(v(0, size, *[4 + n] * items, *units) for n in range(count)))

    # The unit, the arrays, and the dictionary.
    words = r"byte \d+: more than 200 attributes, types or locations within one another"
    for units in ((), (4,)):
        assert read(arrays(198, 1, *units))
        with pytest.raises(shlo.ParseError, match=words):
            read(arrays(199, 1, *units))
    # 2^16 - 1 for 15 arrays of two, and the name and itself for the dictionary; twice as many do not fit.
    assert read(arrays(15, 2))
    with pytest.raises(
        shlo.ParseError, match=r"byte \d+: an attribute or type expands to more than 100000 others"
    ):
        read(arrays(16, 2))


def test_resources() -> None:
    """A blob with its alignment, from the start of the file; a boolean and a text are skipped."""
    pieces = [v(4, 3), b"abc"]
    kinds = {"blob": 0, "bool": 1, "text": 2}
    strings = texts("builtin", "module", "x", "y", *kinds, "group")

    def made(kind: int, *, padding: int = 0) -> dict[int, Any]:
        sizes = [len(pieces[0]) + padding + len(pieces[1]), 1, 1]
        offsets = v(1, 7, 1, 4, sizes[0]) + b"\0" + v(0, 2, 5, 1) + b"\1" + v(6, 1) + bytes([kind])
        return {
            STRING: strings,
            RESOURCE: pieces[0] + b"\xcb" * padding + pieces[1] + b"\1t",
            RESOURCES: offsets,
        }

    for padding in range(4):
        changes = made(2, padding=padding)
        if (file(changes)[1][RESOURCE] + 2 + padding) % 4 == 0:
            module = read(changes)
            assert bytes(module.resources["blob"]) == b"abc" and module.resource_alignments == {"blob": 4}
            assert list(module.resources) == ["blob"]
            break
    else:
        raise AssertionError
    changes = made(3, padding=padding)
    place = file(changes)[1][RESOURCES] + len(changes[RESOURCES]) - 1
    with pytest.raises(
        shlo.ParseError, match=f"byte {place}: expected the kind of a resource, 0 to 2, found 3"
    ):
        read(changes)


def test_resources_are_counted_in_the_dialect() -> None:
    """Those of other groups, which come first, have no numbers."""
    changes = of_attribute(v(16, 1, 0), types=(tensor(2, 0),)) | {
        STRING: texts("builtin", "module", "x", "y", "other", "own", "group"),
        RESOURCE: v(1, 2) + b"ab" + v(1, 2) + b"cd",
        RESOURCES: v(1, 6, 1, 4, 4) + b"\0" + v(0, 1, 5, 4) + b"\0",
    }
    module = read(changes)
    assert "{y = dense_resource<own> : tensor<2xi8>}" in shlo.format(module)
    assert {key: bytes(blob) for key, blob in module.resources.items()} == {"other": b"ab", "own": b"cd"}


GATHER = "offset_dims = [0], collapsed_slice_dims = [1], {}start_index_map = [2], index_vector_dim = 3"
SCATTER = "update_window_dims = [0], inserted_window_dims = [1], {}scatter_dims_to_operand_dims = [2], "
SCATTER += "index_vector_dim = 3"
OPERAND_BATCHING = "operand_batching_dims = [4], start_indices_batching_dims = [5], "
INPUT_BATCHING = "input_batching_dims = [4], scatter_indices_batching_dims = [5], "


@pytest.mark.parametrize(
    ("code", "lists", "text"),
    [
        (7, [[0], [1], [2]], f"#stablehlo.gather<{GATHER.format('')}>"),
        (
            7,
            [[0], [1], [4], [5], [2]],
            f"#stablehlo.gather<{GATHER.format(OPERAND_BATCHING)}>",
        ),
        (11, [[0], [1], [2]], f"#stablehlo.scatter<{SCATTER.format('')}>"),
        (
            11,
            [[0], [1], [4], [5], [2]],
            f"#stablehlo.scatter<{SCATTER.format(INPUT_BATCHING)}>",
        ),
    ],
)
def test_layouts_of_older_releases(code: int, lists: list[list[int]], text: str) -> None:
    """Without batching dimensions. Numbers in lists are signed."""
    entry = v(code) + b"".join(v(len(each), *(2 * n for n in each)) for each in lists) + v(6)
    changes = of_attribute(entry)
    offsets = v(5, 1, 0, 4, *(len(each) << 1 | 1 for each in (UNKNOWN, UNIT, NAME, DICTIONARY)))
    changes[OFFSETS] = offsets + v(2, 1, len(entry) << 1 | 1, 0, 1, len(I8) << 1 | 1)
    changes[STRING] = texts("builtin", "module", "stablehlo", "y")
    changes[DIALECT] = v(3, 0 << 1, 3 << 1, 2 << 1, 2, 0, 1, 1 << 1 | 1, 1, 1, 3 << 1)
    assert f"{{y = {text}}}" in shlo.format(read(changes))


def message_of(changes: dict[int, Any]) -> str:
    with pytest.raises(shlo.ParseError) as raised:
        read(changes)
    return raised.value.diagnostics[0].message.partition(": ")[2]


def test_types_that_are_refused() -> None:
    """As the parser of text refuses them: a negative size, with its sign in the lowest bit."""
    message = message_of(of_attribute(v(6, 1), types=(v(13, 1, 3, 0),)))
    assert message == "tensor<-2xi8>: dimension sizes must be non-negative or dynamic"


def test_wrong_properties_of_an_op_that_older_releases_store_otherwise() -> None:
    """The fault is that of the newest layout."""
    changes = {
        STRING: texts("builtin", "module", "stablehlo", "exponential"),
        DIALECT: v(2, 0 << 1, 2 << 1, 2, 0, 1, 1 << 1 | 1, 1, 1, 3 << 1 | 1),
        IR: program(v(1) + HAS_PROPERTIES + v(0, 0), v(1, 0, 1 << 1)),
        PROPERTIES: v(1, 1, 63 << 1 | 1),
    }
    place = file(changes)[1][PROPERTIES] + 2
    with pytest.raises(
        shlo.ParseError, match=rf"byte {place}: expected the index of one of 4 attr\w+, found 63"
    ):
        read(changes)


OTHERS = v(3, 0 << 1, 3 << 1, 2 << 1, 2, 0, 1, 1 << 1 | 1, 1, 1, 3 << 1)  # BASE's and one without ops


def of_dialect(dialect: str, entry: bytes, part: bytes = UNIT) -> dict[int, Any]:
    """A file whose op has an entry of a dialect as its value, with another attribute, 4, for its parts."""
    attributes = [UNKNOWN, UNIT, NAME, v(1, 1, 2, 5), part, entry]
    sizes = [len(each) << 1 | 1 for each in attributes]
    return {
        STRING: texts("builtin", "module", dialect, "y"),
        DIALECT: OTHERS,
        ENTRIES: b"".join([*attributes, I8]),
        OFFSETS: v(6, 1, 0, 5, *sizes[:5], 2, 1, sizes[5], 0, 1, len(I8) << 1 | 1),
    }


def of_type(dialect: str, entry: bytes, *parts: bytes) -> dict[int, Any]:
    """A file whose op has a type of a dialect as its value, with attributes from 4 on for its parts."""
    attributes = [UNKNOWN, UNIT, NAME, v(1, 1, 2, 4 + len(parts)), *parts, v(6, 1)]
    sizes = [len(each) << 1 | 1 for each in attributes]
    return {
        STRING: texts("builtin", "module", dialect, "y"),
        DIALECT: OTHERS,
        ENTRIES: b"".join([*attributes, I8, entry]),
        OFFSETS: v(len(sizes), 2, 0, len(sizes), *sizes, 0, 1, len(I8) << 1 | 1, 2, 1, len(entry) << 1 | 1),
    }


# A number below 0 has its sign in the lowest bit; one of three bytes, the size in the lowest three.
FAR, FARTHEST = ((2 * number << 3 | 4).to_bytes(3, "little") for number in ((1 << 16) - 1, 1 << 16))


@pytest.mark.parametrize(
    ("changes", "value"),
    [
        (of_dialect("sdy", v(6, 4, 0, 0), v(4, 2)), "#sdy.sharding<@y, []>"),
        (of_dialect("sdy", v(8, 3, 0, 2 * 17, 2 * 18)), "#sdy.dim_mapping<izz_1>"),
        (of_dialect("sdy", v(8, 1) + FAR), "#sdy.dim_mapping<z_65518>"),
        (of_dialect("stablehlo", v(10, 1)), "#stablehlo<rng_distribution UNIFORM>"),
        (of_dialect("stablehlo", v(10, 2)), "#stablehlo<rng_distribution NORMAL>"),
    ],
)
def test_entries_of_other_dialects(changes: dict[int, Any], value: str) -> None:
    assert f"{{y = {value}}}" in shlo.format(read(changes))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (of_dialect("sdy", v(6, 1, 0, 0)), "expected #sdy.mesh<...> or the symbol of a mesh, found unit"),
        (of_dialect("sdy", v(8, 1, 1)),
         "expected a valid entry of the dialect sdy: a factor with the number -1"),
        (of_dialect("sdy", v(8, 1) + FARTHEST),
         "expected a valid entry of the dialect sdy: a factor with the number 65536"),
        (of_dialect("sdy", v(9, 1, 4)),
         "expected a valid entry of the dialect sdy: expected #sdy.dim_mapping, found unit"),
        (of_dialect("stablehlo", v(10, 0)), "expected one of 1 (UNIFORM), 2 (NORMAL), found 0"),
        (of_dialect("stablehlo", v(10, 3)), "expected one of 1 (UNIFORM), 2 (NORMAL), found 3"),
        (of_type("quant", v(6, 1, 0, 0, 1, 2, 1, 0, 0, 1, 1)), "expected a valid entry of the dialect quant: "
         "1 quantized dimensions with 0 block sizes"),
        (of_type("quant", v(6, 1, 0, 0, 1, 2, 1, 0, 1, 2, 1, 1)), "expected a valid entry of the dialect "
         "quant: expected a constant of at most 65536 scales or zero points"),
    ],
)  # fmt: skip
def test_wrong_entries_of_other_dialects(changes: dict[int, Any], message: str) -> None:
    assert message_of(changes) == message


# A location, the attributes 3, the properties 0, and a result of type 0.
WITH_PROPERTIES = v(1) + bytes([HAS_ATTRIBUTES[0] | HAS_RESULTS[0] | HAS_PROPERTIES[0]]) + v(0, 3, 0, 1, 0)


@pytest.mark.parametrize(("blob", "text"), [(b"", "{y}"), (v(3), "<{y}> {y}"), (v(4), "<{y = [], z}> {y}")])
def test_properties_of_an_unregistered_op(blob: bytes, text: str) -> None:
    """None, or those of a dictionary."""
    changes = of_attribute(UNIT) | {IR: program(WITH_PROPERTIES), PROPERTIES: v(1, len(blob)) + blob}
    both = v(1, 2, 2, 5, 6, 1)
    changes |= table([UNKNOWN, UNIT, NAME, DICTIONARY, both, v(0, 0), v(2, 4)], [I8])
    changes[STRING] = texts("builtin", "module", "x", "y", "z")
    found = shlo.format(read(changes))
    assert f'"x.y"() {text} : () -> i8' in found


def test_no_properties_of_an_op_that_is_registered_elsewhere() -> None:
    registered = v(2, 0 << 1, 2 << 1, 2, 0, 1, 3, 1, 1, 3 << 1 | 1)
    found = shlo.format(read({IR: program(WITH_PROPERTIES), PROPERTIES: v(1, 0), DIALECT: registered}))
    assert '"x.y"() {y} : () -> i8' in found


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({PROPERTIES: v(1, 1, 1)}, "expected a dictionary for the properties of an op, found unit"),
        (
            {PROPERTIES: v(1, 1, 3), DIALECT: v(2, 0 << 1, 2 << 1, 2, 0, 1, 3, 1, 1, 3 << 1 | 1)},
            "the properties of x.y cannot be read: the op is not defined here",
        ),
    ],
)
def test_wrong_properties(changes: dict[int, Any], message: str) -> None:
    assert message_of({IR: program(WITH_PROPERTIES)} | changes) == message


def test_an_attribute_of_another_kind() -> None:
    """Units instead of an op's dimensions."""
    sides = [f"{side}_{kind}_dimensions" for side in ("lhs", "rhs") for kind in ("batching", "contracting")]
    names = [*sides, "precision_config"]
    items = b"".join([v(5 + n, 1) for n in range(len(names))])
    dictionary = v(1, len(names)) + items
    changes = table([UNKNOWN, UNIT, NAME, dictionary, UNIT, *[v(2, 4 + n) for n in range(len(names))]], [I8])
    changes[STRING] = texts("builtin", "module", "vhlo", "dot_general_v1", *names)
    message = message_of(changes)
    assert message == "vhlo.dot_general_v1: expected array<i64: ...> for lhs_batching_dimensions, found unit"


def test_a_structure_with_parts_of_another_kind() -> None:
    """A sharding whose dimensions are units."""
    entry = v(6, 4, 1, 1, 0)
    message = message_of(of_dialect("sdy", entry, v(4, 2)))
    assert "of #sdy.sharding" in message, message
