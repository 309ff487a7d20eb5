"""Input and output of arrays: a round trip through files and a program is lossless for every element type."""

from __future__ import annotations

import io
import os
import threading
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.interpreter.array_files import load_arrays
from stablehlo_py.interpreter.arrays import parse_literal, random_array, save_arrays
from stablehlo_py.interpreter.inputs import cast_input, convert_input
from stablehlo_py.interpreter.plan import is_uniform
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import F32, I32, ComplexType, IntegerType, TensorType, TokenType, TupleType, Type

ELEMENTS = {
    "i1": np.bool_,
    **{f"{sign}i{width}": f"{sign}int{width}" for sign in ("", "u") for width in (8, 16, 32, 64)},
    **{f"{sign}i{width}": getattr(ml_dtypes, f"{sign}int{width}") for sign in ("", "u") for width in (2, 4)},
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "bf16": ml_dtypes.bfloat16,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
    "f6E2M3FN": ml_dtypes.float6_e2m3fn,
    "f6E3M2FN": ml_dtypes.float6_e3m2fn,
    "f8E3M4": ml_dtypes.float8_e3m4,
    "f8E4M3": ml_dtypes.float8_e4m3,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E4M3B11FNUZ": ml_dtypes.float8_e4m3b11fnuz,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "complex<f32>": np.complex64,
    "complex<f64>": np.complex128,
    "!quant.uniform<i8:f32, 0.5:3>": np.int8,
}
BITS = {"i1": 1, "i2": 2, "ui2": 2, "i4": 4, "ui4": 4, "f4E2M1FN": 4, "f6E2M3FN": 6, "f6E3M2FN": 6}


def every_pattern(element: str) -> np.ndarray:
    """All patterns of a type up to 16 bits, and many of the others, NaNs among them, as (2, n)."""
    dtype = np.dtype(ELEMENTS[element])
    width = BITS.get(element, 8 * dtype.itemsize)
    if width <= 16:
        patterns = np.arange(1 << width).astype(f"u{dtype.itemsize}")
        if dtype.name in ("int2", "int4"):  # the sign fills the byte
            patterns = patterns.astype(np.int8) << (8 - width) >> (8 - width)
        return patterns.view(dtype).reshape(2, -1)
    random = np.random.default_rng(0).integers(0, 256, 64 * dtype.itemsize, np.uint8)
    return random.view(dtype).reshape(2, -1)


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("suffix", [".npy", ".npz"])
def test_a_round_trip_loses_nothing(element: str, suffix: str, tmp_path: Path) -> None:
    value = every_pattern(element)
    type = f"tensor<2x?x{element}>" if "quant" not in element else f"tensor<2x{value.shape[1]}x{element}>"
    text = f"func.func @main(%x: {type}) -> {type} {{\n  return %x : {type}\n}}\n"
    path = tmp_path / f"x{suffix}"
    save_arrays(path, [value])
    stored = load_arrays(path)
    array = stored["out0"] if isinstance(stored, dict) else stored
    (found,) = shlo.run(shlo.parse(text), [array])
    assert found.dtype == value.dtype
    assert found.tobytes() == value.tobytes()


@pytest.mark.parametrize("element", ELEMENTS)
def test_empty_and_scalar_arrays(element: str, tmp_path: Path) -> None:
    some = every_pattern(element)
    for value in (some[:, :0], some[1, 0]):
        save_arrays(tmp_path / "x.npy", [value])
        stored = load_arrays(tmp_path / "x.npy")
        assert isinstance(stored, np.ndarray)
        assert stored.shape == value.shape
        assert stored.view(value.dtype).tobytes() == value.tobytes()


def tensor(shape: tuple[int | None, ...], element: Type) -> TensorType:
    return TensorType(shape, element)


@pytest.mark.parametrize(
    ("element", "least", "most"),
    [(I32, 0, 3), (IntegerType(1), 0, 1), (IntegerType(2, "u"), 0, 3), (IntegerType(2), 0, 1)],
    ids=str,
)
def test_random_integers_are_small(element: Type, least: int, most: int) -> None:
    found = random_array(tensor((500,), element), np.random.default_rng(0), "%x")
    assert (found.dtype, found.shape) == (numpy_dtype(element), (500,))
    assert (int(found.min()), int(found.max())) == (least, most)


def test_random_floats_are_normal() -> None:
    generator = np.random.default_rng(0)
    reals, (numbers,) = random_array(
        TupleType((tensor((4000,), F32), TupleType((tensor((4000,), ComplexType(F32)),)))), generator, "%x"
    )
    assert (reals.dtype, numbers.dtype) == (np.float32, np.complex64)
    for part in (reals, numbers.real, numbers.imag):
        assert abs(part.mean()) < 0.1 and 0.9 < part.std() < 1.1


@pytest.mark.parametrize(
    ("type", "message"),
    [
        (tensor((None, 2), F32), "%x has type tensor<?x2xf32>: random values require static dimensions; "),
        (TokenType(), "%x has type !stablehlo.token, for which random values are not supported"),
    ],
    ids=str,
)
def test_types_without_random_values(type: Type, message: str) -> None:
    with pytest.raises(RunError) as raised:
        random_array(type, np.random.default_rng(0), "%x")
    assert str(raised.value).startswith(message)


def test_safetensors_hold_arrays_by_name(tmp_path: Path) -> None:
    x, y = np.arange(3, dtype=np.int16), np.ones((1, 2), ml_dtypes.bfloat16)
    save_arrays(tmp_path / "a.safetensors", {"x": x, "p.y": y})
    save_arrays(tmp_path / "b.safetensors", [x, y])
    for file, names in (("a", ["x", "p.y"]), ("b", ["out0", "out1"])):
        found = load_arrays(tmp_path / f"{file}.safetensors")
        assert isinstance(found, dict) and sorted(found) == sorted(names)
        for name, array in zip(names, (x, y), strict=True):
            assert (found[name].dtype, found[name].tolist()) == (array.dtype, array.tolist())
    wanted = load_arrays(tmp_path / "a.safetensors", skip=lambda name: name == "x")
    assert list(wanted) == ["p.y"]
    assert sorted(load_arrays(tmp_path / "a.safetensors", skip=lambda name: True)) == ["p.y", "x"]


def test_a_pipe_takes_an_archive(tmp_path: Path) -> None:
    """It has no position: sizes stand behind the data."""
    pipe = tmp_path / "pipe.npz"
    os.mkfifo(pipe)
    seen: list[bytes] = []
    reader = threading.Thread(target=lambda: seen.append(pipe.read_bytes()), daemon=True)
    reader.start()
    save_arrays(pipe, [np.arange(3)])
    reader.join(60)
    with np.load(io.BytesIO(seen[0])) as arrays:
        assert arrays["out0"].tolist() == [0, 1, 2]


def test_a_npy_file_holds_one_array(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"x\.npy can hold only one of 2 arrays: use a \.npz file$"):
        save_arrays(tmp_path / "x.npy", [np.zeros(1), np.ones(1)])
    save_arrays(tmp_path / "x.npz", [np.zeros(1), np.ones(1)])
    with np.load(tmp_path / "x.npz") as arrays:
        assert {name: arrays[name].tolist() for name in arrays} == {"out0": [0], "out1": [1]}


@pytest.mark.parametrize(
    ("value", "type", "message"),
    [
        (1, TupleType((tensor((), F32),)), "%x is a int, expected a tuple of 1"),
        ((1.0, 2.0), TupleType((tensor((), F32),)), "%x is a tuple, expected a tuple of 1"),
        ((1.0,), TupleType((tensor((), I32),)), "%x, element 0 is "),
        (1, tensor((1,) * 65, F32), "%x has rank 65; the highest supported rank is "),
        (1, tensor((1 << 50,), F32), "takes 4,194,304.0 GiB, more than there is memory"),
        (np.zeros(2), tensor((2,), F32), None),
    ],
    ids=str,
)
def test_inputs_that_do_not_fit(value: object, type: Type, message: str | None) -> None:
    if message is None:
        assert cast_input(value, type, "%x").dtype == np.float32
        assert cast_input((value, 1), TupleType((type, type)), "%x")[0].dtype == np.float32
        return
    with pytest.raises(RunError) as raised:
        convert_input(value, type, "%x")
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("dense<[1, 2]> : tensor<2xi32>", [1, 2]),
        ("dense<7> : tensor<2x2xi32>", [[7, 7], [7, 7]]),
        ("1 : i32", "1 : i32 is not a tensor literal"),
        ('"dense<1>"', '"dense<1>" is not a tensor literal'),
        ("dense<", None),
    ],
)
def test_literals(text: str, expected: object) -> None:
    if isinstance(expected, list):
        assert parse_literal(text).tolist() == expected
        return
    with pytest.raises(shlo.ParseError if expected is None else ValueError) as caught:
        parse_literal(text)
    assert expected is None or str(caught.value) == expected


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (np.zeros(0), False),
        (np.broadcast_to(np.float32(1), (0, 3)), False),
        (np.ones(1), True),
        (np.ones((1, 1)), True),
        (1.0, True),
        (np.broadcast_to(np.float32(1), (2, 3)), True),
        (np.broadcast_to(np.arange(3), (2, 3)), False),
        (np.ones(2), False),
    ],
)
def test_what_repeats_one_element(array: object, expected: bool) -> None:
    assert is_uniform(array) is expected
