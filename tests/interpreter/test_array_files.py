"""Files of arrays that are damaged, or claim more than they hold."""

from __future__ import annotations

import errno
import io
import mmap
import os
import random
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from stablehlo_py.interpreter import array_files
from stablehlo_py.interpreter.array_files import SLACK, copied_part, load_arrays, mapped_files

Shlo = Callable[..., "subprocess.CompletedProcess[str]"]
PROGRAM = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }"
X = np.float32([1, 2])


def npy(array: np.ndarray) -> bytes:  # type: ignore[type-arg]
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def npz(compression: int = zipfile.ZIP_DEFLATED, **members: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        for name, data in members.items():
            archive.writestr(f"{name}.npy", data)
    return stream.getvalue()


def claim(shape: str, descr: str = "<f4") -> bytes:
    """An array of which there is only the header."""
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


BAD = {
    "empty": b"",
    "text": b"1 2 3",
    "4 TB": claim("(1099511627776,)"),
    "4 TB and data": claim("(1099511627776,)") + bytes(8),
    "overflow": claim("(9223372036854775807, 9223372036854775807)"),
    "huge": claim("(" + "9" * 5000 + ",)"),
    "negative": claim("(-2,)"),
    "brackets": claim("(" * 300),
    "indentation": claim("()\n   ,\n 1"),
    "tokens": claim("'''"),
    "objects": claim("(2,)", "|O"),
    "texts": claim("(2,)", "<U4"),
    "dates": claim("(2,)", "<M8[s]"),
    "unknown type": claim("(2,)", "<q99"),
    "bomb": npz(x=npy(np.zeros(SLACK // 4 + 1, np.float32))),
    "many": npz(**{f"a{i}": npy(np.zeros(SLACK // 16, np.float32)) for i in range(5)}),
    "lzma": npz(zipfile.ZIP_LZMA, x=npy(X))[:-60] + b"\0" * 60,
    "encrypted": npz(x=npy(X)).replace(b"\x14\x03\x14\x00\x00\x00", b"\x14\x03\x14\x00\x01\x00"),
    "method": npz(x=npy(X)).replace(b"\x14\x00\x00\x00\x08\x00", b"\x14\x00\x00\x00\x63\x00"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_one_clear_error(shlo: Shlo, tmp_path: Path, name: str) -> None:
    (tmp_path / "p.mlir").write_text(PROGRAM)
    suffix = ".npz" if BAD[name].startswith(b"PK") else ".npy"
    (tmp_path / f"x{suffix}").write_bytes(BAD[name])
    done = shlo("run", "p.mlir", "-a", f"x{suffix}", cwd=tmp_path)
    assert done.returncode == 2 and f"x{suffix}: " in done.stderr
    assert not {"Traceback", "internal error", "dtype"} & set(done.stderr.split())


@pytest.mark.slow
def test_what_is_no_regular_file(shlo_process: Shlo, tmp_path: Path) -> None:
    (tmp_path / "p.mlir").write_text(PROGRAM)
    for suffix in (".npy", ".npz", ".bin"):
        os.mkfifo(tmp_path / f"pipe{suffix}")
        (tmp_path / f"zero{suffix}").symlink_to("/dev/zero")
        for name in (f"pipe{suffix}", f"zero{suffix}"):
            done = shlo_process("run", "p.mlir", "-a", name, cwd=tmp_path)
            assert (done.returncode, "not a regular file" in done.stderr) == (2, True)


@pytest.mark.parametrize("dtype", [">f4", ">i8", ">c16", ">u2"])
def test_big_endian_arrays_are_converted(tmp_path: Path, dtype: str) -> None:
    values = np.arange(6).reshape(2, 3)
    (tmp_path / "x.npy").write_bytes(npy(np.asfortranarray(values.astype(dtype))))
    found = load_arrays(tmp_path / "x.npy")
    assert isinstance(found, np.ndarray) and found.dtype == np.dtype(dtype).newbyteorder("=")
    assert found.tolist() == values.astype(dtype).tolist()


@pytest.mark.parametrize("seed", range(4))
def test_damaged_files(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    sources = [npy(X), npz(x=npy(X), y=npy(np.zeros((3, 4))))]
    sources += [npz(kind, x=npy(X)) for kind in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, zipfile.ZIP_STORED)]
    path = tmp_path / "x"
    for _ in range(300):
        data = bytearray(draw.choice(sources))
        for _ in range(draw.randint(1, 6)):
            at = draw.randrange(len(data))
            match draw.randrange(4):
                case 0:
                    data[at] = draw.randrange(256)
                case 1:
                    del data[at : at + draw.randint(1, 20)]
                case 2:
                    data[at:at] = draw.randbytes(draw.randint(1, 20))
                case _:
                    data[at : at + 1] = draw.choice([b"(", b"'", b"\n", b"9" * 20, b"\xff" * 4])
            data = data or bytearray(b"x")
        path.write_bytes(data)
        try:
            load_arrays(path, 100)
        except ValueError as error:
            assert "not a .npy or .npz file" in str(error) or str(error)


LARGE = np.arange(3 << 17, dtype=np.float32).reshape(512, 768)  # 1.5 MiB


def is_mapped(array: np.ndarray) -> bool:
    while isinstance(array, np.ndarray):
        array = array.base  # type: ignore[assignment]
    return isinstance(array, mmap.mmap)


def save_npy(path: Path, array: np.ndarray) -> None:
    np.save(path.with_suffix(".npy"), array)
    path.with_suffix(".npy").rename(path)


@pytest.mark.parametrize(
    ("save", "array", "mapped"),
    [
        (save_npy, LARGE, True),
        (save_npy, np.asfortranarray(LARGE), True),
        (save_npy, LARGE.astype(">f4"), False),
        (save_npy, LARGE[:4], False),
        (lambda path, array: np.savez(path, array), LARGE, True),
        (lambda path, array: np.savez_compressed(path, array), LARGE, False),
    ],
)
def test_large_arrays_are_mapped(
    tmp_path: Path, save: Callable[[Path, np.ndarray], None], array: np.ndarray, mapped: bool
) -> None:
    path = tmp_path / "arrays.npz"
    save(path, array)
    with mapped_files():
        found = load_arrays(path)
    found = found["arr_0"] if isinstance(found, dict) else found
    assert is_mapped(found) is mapped
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, array)
    part = copied_part(found, (slice(100, 300), slice(3, 5)))
    assert not is_mapped(part)
    np.testing.assert_array_equal(part, array[100:300, 3:5])
    after = load_arrays(path)
    if isinstance(after, dict):  # arrays in archives are read, unless mapping is asked for
        assert not is_mapped(after["arr_0"])
    else:
        assert is_mapped(after) is mapped


@pytest.mark.parametrize("piece", [1, 10, 24, 1 << 20])
def test_parts_are_copied_in_pieces(piece: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of at least a row each, whatever their number."""
    monkeypatch.setattr(array_files, "_PIECE", piece)
    np.save(tmp_path / "x.npy", LARGE)
    found = load_arrays(tmp_path / "x.npy")
    assert isinstance(found, np.ndarray) and is_mapped(found)
    for place in ((slice(3, 10), slice(5, 8)), (slice(0, 0), slice(0, 2)), (slice(511, 512), slice(0, 1))):
        assert copied_part(found, place).tolist() == LARGE[place].tolist()


def test_a_truncated_file_is_not_mapped(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    np.save(path, LARGE)
    path.write_bytes(path.read_bytes()[:-4])
    with mapped_files(), pytest.raises(ValueError, match="truncated"):
        load_arrays(path)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (OSError(errno.EIO, "a bad disk"), OSError),
        (OSError(errno.EINVAL, "a bad offset"), "not a .npy or .npz file, or a damaged one"),
        (MemoryError(), "larger than the available memory"),
        (RuntimeError("anything"), "not a .npy or .npz file, or a damaged one"),
    ],
)
def test_errors_of_readers(
    error: Exception, expected: str | type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk's stay; all others are about the file."""
    (tmp_path / "x.npy").write_bytes(npy(X))

    def fail(stream: object) -> None:
        raise error

    monkeypatch.setattr(np.lib.format, "read_magic", fail)
    with pytest.raises(OSError if expected is OSError else ValueError) as caught:
        load_arrays(tmp_path / "x.npy")
    assert caught.value is error if expected is OSError else str(caught.value) == expected


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (npy(np.zeros(5, np.float32))[:-1], "truncated: the array has fewer elements than its header claims"),
        (b"\x93NUMPY\x03\x00" + bytes(8), "version 3.0 of the .npy format is not supported"),
        (claim("(2,)", "|O"), "files that hold Python objects are not supported"),
        (claim("(2,)", "<M8[s]"), "elements of this type are not supported; expected numbers or booleans"),
        (claim(f"({SLACK + 1},)", "|i1"), "holds more than the program takes: an array of 67,108,865 bytes, "
         "where 67,108,864 of 67,108,864 are left"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_file(data: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "x.npy").write_bytes(data)
    with pytest.raises(ValueError) as caught:
        load_arrays(tmp_path / "x.npy", 1)
    assert str(caught.value) == message


def test_the_limit_is_of_all_arrays_of_a_file(tmp_path: Path) -> None:
    """What the program takes, else a thousand times the size of the file; not of arrays that are skipped."""
    path = tmp_path / "x.npz"
    whole = claim(f"({SLACK},)", "|i1")
    path.write_bytes(npz(a=npy(X), b=whole, c=whole))
    with pytest.raises(ValueError, match=r"67,108,864 bytes, where 67,108,856 of 67,108,864 are left"):
        load_arrays(path, 1, lambda name: name == "b")
    with pytest.raises(ValueError, match="truncated"):
        load_arrays(path, 1, lambda name: name in "ab")
    path.write_bytes(npz(a=claim(f"({1 << 40},)")))
    with pytest.raises(ValueError, match=f"of {1000 * path.stat().st_size + SLACK:,} are left"):
        load_arrays(path)
