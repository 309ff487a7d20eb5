"""The safetensors format: elements of every type, damaged and hostile headers, memory, and writing."""

from __future__ import annotations

import io
import json
import tracemalloc
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from stablehlo_py.storage import safetensors
from stablehlo_py.storage.files import replacing
from stablehlo_py.storage.safetensors import open_safetensors, write_safetensors

Array = np.ndarray[Any, np.dtype[Any]]


def content(header: str | dict[str, Any], data: bytes = b"") -> bytes:
    """A file of a header and the bytes after it."""
    text = (header if isinstance(header, str) else json.dumps(header)).encode()
    return len(text).to_bytes(8, "little") + text + data


def entry(dtype: str, shape: list[Any], *offsets: Any) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": list(offsets)}


def opened(tmp_path: Path, data: bytes) -> Mapping[str, Array]:
    (tmp_path / "x.safetensors").write_bytes(data)
    return open_safetensors(tmp_path / "x.safetensors")


# The element type, the bytes of two elements, and their values: from the definitions of the encodings.
TYPES = [
    ("BOOL", "0001", "bool", [False, True]),
    ("U8", "00ff", "uint8", [0, 255]),
    ("I8", "7f80", "int8", [127, -128]),
    ("I16", "0100feff", "int16", [1, -2]),
    ("U16", "0100ffff", "uint16", [1, 65535]),
    ("I32", "01000000feffffff", "int32", [1, -2]),
    ("U32", "01000000ffffffff", "uint32", [1, 2**32 - 1]),
    ("I64", "0100000000000000" + "feffffffffffffff", "int64", [1, -2]),
    ("U64", "0100000000000000" + "ffffffffffffffff", "uint64", [1, 2**64 - 1]),
    ("F16", "003c00c0", "float16", [1, -2]),
    ("BF16", "803f00c0", "bfloat16", [1, -2]),
    ("F32", "0000803f000000c0", "float32", [1, -2]),
    ("F64", "000000000000f03f" + "00000000000000c0", "float64", [1, -2]),
    ("C64", "0000803f000000c0" + "0000000000004040", "complex64", [1 - 2j, 3j]),
    ("F8_E4M3", "38c0", "float8_e4m3fn", [1, -2]),
    ("F8_E5M2", "3cc0", "float8_e5m2", [1, -2]),
    ("F8_E4M3FNUZ", "40c8", "float8_e4m3fnuz", [1, -2]),
    ("F8_E5M2FNUZ", "40c4", "float8_e5m2fnuz", [1, -2]),
    ("F8_E8M0", "7f80", "float8_e8m0fnu", [1, 2]),
    ("F4", "c2", "float4_e2m1fn", [1, -2]),
]


@pytest.mark.parametrize(("type", "data", "name", "values"), TYPES, ids=[row[0] for row in TYPES])
def test_elements(tmp_path: Path, type: str, data: str, name: str, values: list[Any]) -> None:
    raw = bytes.fromhex(data)
    found = opened(tmp_path, content({"x": entry(type, [2, 1], 0, len(raw))}, raw))["x"]
    dtype = np.dtype(getattr(ml_dtypes, name, name))
    assert (found.dtype, found.shape) == (dtype, (2, 1))
    assert found.reshape(-1).tolist() == values
    stream = io.BytesIO()
    write_safetensors(stream, {"x": np.array(values, dtype).reshape(2, 1)})
    written = stream.getvalue()
    length = int.from_bytes(written[:8], "little")
    assert json.loads(written[8 : 8 + length]) == {"x": entry(type, [2, 1], 0, len(raw))}
    assert written[8 + length :] == raw
    assert length % 8 == 0


def test_names_metadata_and_tensors_without_elements(tmp_path: Path) -> None:
    header = (
        ' {"__metadata__" : {"format":"pt", "n\\"ote": "}{"}, "a/\\u00e9 \\"b\\"": '
        '{"shape":[2],"data_offsets":[4,8],"dtype":"I16"} , '
        '"e":{"dtype":"F32","shape":[3,0],"data_offsets":[4,4]},'
        '"s":{"dtype":"F32","shape":[],"data_offsets":[0,4]}}  '
    )
    found = opened(tmp_path, content(header[1:], np.float32(2.5).tobytes() + b"\1\0\2\0"))
    assert list(found) == ['a/é "b"', "e", "s"]
    assert found['a/é "b"'].tolist() == [1, 2]
    assert found["e"].shape == (3, 0)
    assert (found["s"].shape, found["s"].item()) == ((), 2.5)
    assert dict(opened(tmp_path, content("{}"))) == {}


def test_arrays_are_aligned_and_booleans_are_0_or_1(tmp_path: Path) -> None:
    header = {"b": entry("BOOL", [3], 0, 3), "x": entry("F32", [1], 3, 7)}
    for spaces in range(8):
        text = json.dumps(header) + " " * spaces
        found = opened(tmp_path, content(text, b"\0\2\xff" + np.float32(7).tobytes()))
        assert found["x"].flags.aligned
        assert found["x"].tolist() == [7]
        assert found["b"].view(np.uint8).tolist() == [0, 1, 1]


F = [0, 4]
ONE = entry("F32", [1], 0, 4)
BAD = {
    "empty": (b"", "it has no header"),
    "seven bytes": (bytes(7), "it has no header"),
    "no header": (bytes(8), "not a JSON object"),
    "header longer than the file": ((9).to_bytes(8, "little") + b"{}", "a header of 9 bytes"),
    "header of 2^63 bytes": (
        (1 << 63).to_bytes(8, "little") + b"{}",
        "a header of 9,223,372,036,854,775,808",
    ),
    "not UTF-8": (content("{}").replace(b"{}", b"\xff}"), "not UTF-8"),
    "array": (content("[]"), "not a JSON object"),
    "unfinished": (content('{"x"'), "expected a name"),
    "no end": (content('{"x":{"dtype":"F32","shape":[],"data_offsets":[0,4]}', bytes(4)), "comma or the end"),
    "comma at the end": (content(json.dumps({"x": ONE})[:-1] + ",}", bytes(4)), "expected a name"),
    "text after the end": (content("{} x"), "text after its end"),
    "bytes after the end": (content("{}", b"x"), "1 bytes after the header"),
    "number": (content('{"x":1}'), "expected dtype, shape and data_offsets for 'x'"),
    "nested": (content('{"x":' + "[" * 10**5 + "}"), "expected dtype, shape and data_offsets for 'x'"),
    "nested within": (content('{"x":{"shape":' + "[" * 4000 + "}}"), "not valid JSON"),
    "long": (content('{"x":{"shape":[' + "1," * 10**5 + "1]}}"), "expected dtype, shape and data_offsets"),
    "bad name": (content('{"\\x":{}}'), "not valid JSON"),
    "metadata of numbers": (content('{"__metadata__":{"a":1}}'), "an object of strings"),
    "metadata twice": (content('{"__metadata__":{},"__metadata__":{}}'), "appears twice"),
    "twice": (content(f'{{"x":{json.dumps(ONE)},"x":{json.dumps(ONE)}}}', bytes(4)), "'x' appears twice"),
    "twice, escaped": (content(f'{{"x":{json.dumps(ONE)},"\\u0078":{json.dumps(ONE)}}}', bytes(4)), "twice"),
    "no dtype": (content({"x": {"shape": [1], "data_offsets": F}}, bytes(4)), "once each"),
    "dtype twice": (
        content('{"x":{"dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4]}}', bytes(4)),
        "once each",
    ),
    "other field": (content({"x": {**ONE, "y": 1}}, bytes(4)), "once each"),
    "unknown type": (content({"x": entry("F31", [1], 0, 4)}, bytes(4)), "'F31' is not supported"),
    "list as type": (content({"x": {**ONE, "dtype": ["F32"]}}, bytes(4)), "is not supported"),
    "6 bits": (content({"x": entry("F6_E2M3", [4], 0, 3)}, bytes(3)), "'F6_E2M3' is not supported"),
    "wrong size": (
        content({"x": entry("F32", [2], 0, 4)}, bytes(4)),
        "takes 8 bytes, but data_offsets give 4",
    ),
    "half a byte": (content({"x": entry("F4", [3], 0, 1)}, bytes(1)), "takes 2 bytes, but"),
    "negative size": (content({"x": entry("F32", [-1, -1], 0, 4)}, bytes(4)), "at most 64 sizes"),
    "size of 2^63": (content({"x": entry("F32", [1 << 63, 0], 0, 0)}), "at most 64 sizes"),
    "sizes that wrap": (
        content({"x": entry("F32", [1 << 62, 4], 0, 0)}),
        "takes 73,786,976,294,838,206,464 bytes",
    ),
    "fraction": (content({"x": entry("F32", [1.0], 0, 4)}, bytes(4)), "at most 64 sizes"),
    "true": (content({"x": entry("F32", [True], 0, 4)}, bytes(4)), "at most 64 sizes"),
    "rank": (content({"x": entry("F32", [1] * 65, 0, 4)}, bytes(4)), "at most 64 sizes"),
    "huge number": (content('{"x":{"shape":[' + "9" * 4070 + "]}}"), "once each"),
    "one offset": (content({"x": entry("F32", [1], 4)}, bytes(4)), "two data_offsets"),
    "descending": (content({"x": entry("F32", [1], 4, 0)}, bytes(4)), "two data_offsets"),
    "offset of 2^63": (content({"x": entry("U8", [1], (1 << 63) - 1, 1 << 63)}), "two data_offsets"),
    "outside": (
        content({"x": entry("F32", [1], 4, 8)}, bytes(4)),
        "truncated, or a wrong header: tensor 'x'",
    ),
    "far outside": (content({"x": entry("U8", [0], 1 << 62, 1 << 62)}), "tensor 'x' ends at byte"),
    "truncated": (content({"x": entry("F32", [1], 0, 4)}, bytes(3)), "truncated, or a wrong header"),
    "gap at the start": (content({"x": entry("U8", [1], 1, 2)}, bytes(2)), "begins 1 bytes after the header"),
    "gap": (
        content({"x": entry("U8", [1], 0, 1), "y": entry("U8", [1], 3, 4)}, bytes(4)),
        "tensor 'y' begins 2 bytes after tensor 'x'",
    ),
    "gap at the end": (content({"x": entry("U8", [1], 0, 1)}, bytes(2)), "1 bytes after tensor 'x'"),
    "overlap": (
        content({"x": entry("U8", [2], 1, 3), "y": entry("U8", [2], 0, 2)}, bytes(3)),
        "tensor 'x' overlaps tensor 'y'",
    ),
    "same place": (content({"x": ONE, "y": ONE}, bytes(4)), "tensor 'y' overlaps tensor 'x'"),
    "inside": (
        content({"x": entry("U8", [0], 1, 1), "y": entry("U8", [2], 0, 2)}, bytes(2)),
        "tensor 'x' overlaps tensor 'y'",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_damaged_and_hostile_files_are_refused(tmp_path: Path, name: str) -> None:
    data, message = BAD[name]
    with pytest.raises(ValueError, match=r"header|safetensors|tensor") as caught:
        opened(tmp_path, data)
    assert message in str(caught.value)


@pytest.mark.parametrize("name", ["gap", "wrong size", "same place"])
def test_a_long_name_is_cut_in_an_error(tmp_path: Path, name: str) -> None:
    data, message = BAD[name]
    header, rest = data[8:].rsplit(b"}", 1)
    header = header.replace(b'"x"', b'"' + b"x" * 10**6 + b'"') + b"}"
    with pytest.raises(ValueError, match=message.split("'")[0]) as caught:
        opened(tmp_path, len(header).to_bytes(8, "little") + header + rest.lstrip())
    assert len(str(caught.value)) < 400


def test_a_header_above_the_limit_of_the_format(tmp_path: Path) -> None:
    with (tmp_path / "x.safetensors").open("wb") as stream:
        stream.write((100_000_001).to_bytes(8, "little") + b"{")
        stream.truncate(100_000_100)
    with pytest.raises(ValueError, match="at most 100,000,000 are permitted"):
        open_safetensors(tmp_path / "x.safetensors")


@pytest.mark.parametrize("piece", ["[[],[],", '{"a":{},', '"\\u0041', "[[[["])
def test_memory_of_a_hostile_header_is_bounded_by_its_length(tmp_path: Path, piece: str) -> None:
    size = 1 << 21
    for name in ("__metadata__", "x"):
        data = content(f'{{"{name}":' + piece * (size // len(piece)))
        tracemalloc.start()
        with pytest.raises(ValueError, match="the header is not valid"):
            opened(tmp_path, data)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 4 * size


def test_reading_maps_the_file(tmp_path: Path) -> None:
    size = 1 << 24
    header = json.dumps({"x": entry("F32", [size // 4], 0, size)})
    found = opened(tmp_path, content(header + " " * (-len(header) % 8), bytes(size)))
    tracemalloc.start()
    array = found["x"]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < size // 16
    assert not array.flags.writeable
    assert not array[-1]


@pytest.mark.parametrize("length", [98, 99])
def test_how_much_of_a_value_is_shown(length: int) -> None:
    shown = repr("x" * length)
    assert safetensors._shown("x" * length) == (shown if length == 98 else shown[:100] + "...")


def test_where_a_tensor_ends(tmp_path: Path) -> None:
    data = content({"x": entry("U8", [3], 2000, 2003)}, bytes(4))
    begin = len(data) - 4
    message = (
        f"truncated, or a wrong header: tensor 'x' ends at byte {begin + 2003:,} of a file of {len(data)}"
    )
    with pytest.raises(ValueError) as raised:
        opened(tmp_path, data)
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a/x.safetensors", True),
        (Path("x.safetensors.index.json"), True),
        ("x.json", False),
        (".safetensors/x", False),
        ("x.safetensors.npz", False),
    ],
)
def test_names_of_files(name: str | Path, expected: bool) -> None:
    assert safetensors.is_safetensors(name) is expected


# Indices


def index(tmp_path: Path, weight_map: Any, **files: bytes) -> Path:
    for name, data in files.items():
        (tmp_path / f"{name}.safetensors").write_bytes(data)
    path = tmp_path / "model.safetensors.index.json"
    path.write_text(json.dumps({"metadata": {"total_size": 8}, "weight_map": weight_map}))
    return path


def test_an_index_names_the_files_of_tensors(tmp_path: Path) -> None:
    one = content({"x": ONE, "left": entry("U8", [1], 4, 5)}, np.float32(1).tobytes() + b"\0")
    two = content({"y": ONE}, np.float32(2).tobytes())
    found = open_safetensors(index(tmp_path, {"y": "b.safetensors", "x": "a.safetensors"}, a=one, b=two))
    assert {name: array.tolist() for name, array in found.items()} == {"y": [2], "x": [1]}
    assert list(found) == ["y", "x"]


@pytest.mark.parametrize(
    "file",
    [
        "../a.safetensors",
        "/etc/passwd",
        "sub/a.safetensors",
        "..",
        "",
        "a\0.safetensors",
        "b\\a.safetensors",
        "a.npz",
        1,
        None,
    ],
)
def test_an_index_does_not_lead_out_of_its_folder(tmp_path: Path, file: Any) -> None:
    with pytest.raises(
        ValueError, match=r"does not give a \.safetensors file in its own folder for tensor 'x'"
    ):
        open_safetensors(index(tmp_path, {"x": file}))


def test_wrong_indices_are_refused(tmp_path: Path) -> None:
    missing = r"^the index expects tensor 'y' in a\.safetensors, which does not have it$"
    with pytest.raises(ValueError, match=missing):
        shards = dict.fromkeys("xyz", "a.safetensors")
        open_safetensors(index(tmp_path, shards, a=content({"x": ONE}, bytes(4))))
    with pytest.raises(ValueError, match=r"^a\.safetensors: not a safetensors file"):
        open_safetensors(index(tmp_path, {"y": "a.safetensors"}, a=b""))
    with pytest.raises(FileNotFoundError):
        open_safetensors(index(tmp_path, {"y": "none.safetensors"}))
    for weight_map in ([], None, "x"):
        with pytest.raises(ValueError, match="expected an object"):
            open_safetensors(index(tmp_path, weight_map))
    path = tmp_path / "model.safetensors.index.json"
    for text in ("", "[", "[" * 10**5, "[]"):
        path.write_text(text)
        with pytest.raises(ValueError, match=r"not JSON|expected an object"):
            open_safetensors(path)


# Writing


class Made(Mapping[str, Array]):
    """Arrays that are made when they are asked for."""

    def __init__(self, make: dict[str, Callable[[], Array]]) -> None:
        self.make = make

    def __getitem__(self, name: str) -> Array:
        return self.make[name]()

    def __iter__(self) -> Iterator[str]:
        return iter(self.make)

    def __len__(self) -> int:
        return len(self.make)


def test_tensors_are_aligned_whatever_their_order(tmp_path: Path) -> None:
    arrays = {
        "b": np.array([True]),
        "h": np.array([1, 2, 3], np.int16),
        "d": np.array(2.5),
        "n": np.zeros((2, 0)),
    }
    with replacing(tmp_path / "x.safetensors") as stream:
        write_safetensors(stream, arrays, {"by": 'a "test"'})
    found = open_safetensors(tmp_path / "x.safetensors")
    assert {name: array.tolist() for name, array in found.items()} == {
        n: a.tolist() for n, a in arrays.items()
    }
    assert all(info.start % info.dtype.alignment == 0 for info in found.infos.values())
    data = (tmp_path / "x.safetensors").read_bytes()
    assert json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])["__metadata__"] == {"by": 'a "test"'}


@pytest.mark.parametrize("view", [lambda x: x.T, lambda x: x[::-1, ::2], lambda x: x[None, :, None, ::-1]])
def test_views_are_written_in_the_order_of_their_elements(view: Callable[[Array], Array]) -> None:
    array = view(np.arange(1 << 20, dtype=np.float32).reshape(1 << 11, 1 << 9))
    stream = io.BytesIO()
    write_safetensors(stream, {"x": array})
    assert stream.getvalue().endswith(array.tobytes())


def test_one_tensor_is_held_at_a_time(tmp_path: Path) -> None:
    size = 1 << 23
    made = Made({f"x{i}": lambda i=i: np.full(size, i, np.uint8) for i in range(6)})  # type: ignore[misc]
    made.make["splat"] = lambda: np.broadcast_to(np.float32(3), (size,))
    tracemalloc.start()
    with replacing(tmp_path / "x.safetensors") as stream:
        write_safetensors(stream, made)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.5 * size
    found = open_safetensors(tmp_path / "x.safetensors")
    assert [found[f"x{i}"][-1] for i in range(6)] == list(range(6))
    assert found["splat"][-1] == 3


def test_what_the_format_cannot_store_is_refused() -> None:
    for array in (
        np.zeros(2, ml_dtypes.int4),
        np.zeros(2, np.complex128),
        np.zeros(2, ml_dtypes.float8_e3m4),
        np.zeros(2, ml_dtypes.float6_e2m3fn),
        np.zeros(3, ml_dtypes.float4_e2m1fn),
        np.zeros(2, ">f4"),
    ):
        stream = io.BytesIO()
        with pytest.raises(ValueError, match=f"x has elements of {array.dtype.name}"):
            write_safetensors(stream, {"x": array})
        assert not stream.getvalue()
    with pytest.raises(ValueError, match="cannot be named"):
        write_safetensors(io.BytesIO(), {"__metadata__": np.zeros(1)})


def test_a_header_that_the_format_does_not_permit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its size is a multiple of 8, as spaces fill it."""
    header = '{"é":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}'
    size = -(-len(header.encode()) // 8) * 8
    monkeypatch.setattr(safetensors, "_MAX_HEADER", size)
    stream = io.BytesIO()
    write_safetensors(stream, {"é": np.zeros(2, np.float32)})
    assert stream.getvalue() == size.to_bytes(8, "little") + header.encode().ljust(size) + bytes(8)
    monkeypatch.setattr(safetensors, "_MAX_HEADER", size - 1)
    stream = io.BytesIO()
    message = f"the header would have {size} bytes; the format permits {size - 1}"
    with pytest.raises(ValueError, match=message):
        write_safetensors(stream, {"é": np.zeros(2, np.float32)})
    assert stream.getvalue() == b""


def test_bits_above_narrow_elements_are_not_written() -> None:
    """Elements are bytes in memory, of which arrays from elsewhere may have other upper bits."""
    array = np.array([0xF1, 0x52, 0x03, 0xA4], np.uint8).view(ml_dtypes.float4_e2m1fn)
    stream = io.BytesIO()
    write_safetensors(stream, {"x": array})
    assert stream.getvalue()[-2:] == b"\x21\x43"


def test_tensors_of_an_index_are_those_it_names_in_its_order(tmp_path: Path) -> None:
    """A file may have others, and its own ones of names that are in another file."""
    files = {"one": {"a": 1, "b": 2, "c": 3}, "two": {"b": 4, "d": 5, "a": 6, "e": 7}}
    for name, tensors in files.items():
        with (tmp_path / f"{name}.safetensors").open("wb") as stream:
            write_safetensors(stream, {key: np.int32(value) for key, value in tensors.items()})
    places = {"d": "two", "a": "one", "b": "two", "c": "one"}
    index = tmp_path / "x.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {key: f"{file}.safetensors" for key, file in places.items()}}))
    found = open_safetensors(index)
    assert [(name, int(array)) for name, array in found.items()] == [("d", 5), ("a", 1), ("b", 4), ("c", 3)]
