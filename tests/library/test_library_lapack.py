"""Libraries that are linked with a LAPACK: each routine, beside the NumPy engine or by its products."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from shutil import which
from typing import Any, NamedTuple

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.engines.native import cost
from stablehlo_py.library.toolchain import ToolchainError
from tests.library.building import build, needs_compiler, run_example

LAPACK = ("lapack", "blas")
pytestmark = needs_compiler


@pytest.fixture(scope="module", autouse=True)
def _has_lapack() -> None:
    command = ["cc", "-shared", "-x", "c", "/dev/null", *[f"-l{name}" for name in LAPACK], "-o", "/dev/null"]
    if subprocess.run(command, capture_output=True, timeout=60, check=False).returncode:
        pytest.skip("needs LAPACK for the linker: Debian's liblapack-dev")


Arrays = list[np.ndarray[Any, Any]]
A, L, N, R, S, T, U, V = (ord(letter) for letter in "ALNRSTUV")


class Case(NamedTuple):
    """A call of a routine on batches of two: its types, in T (elements), R (real) and C (complex)."""

    name: str
    operands: str
    results: str
    options: dict[str, Any] = {}
    check: Callable[[Arrays, Arrays], None] | None = None


def _eigh(given: Arrays, found: Arrays) -> None:
    lower = np.tril(given[0]) + np.conj(np.swapaxes(np.tril(given[0], -1), -1, -2))
    vectors, values, info = found
    np.testing.assert_allclose(lower @ vectors, vectors * values[:, None, :], atol=1e-4)
    assert (np.diff(values) >= 0).all() and not info.any()


def _svd(given: Arrays, found: Arrays) -> None:
    _, values, left, right, info = found
    k = values.shape[-1]
    product = (left[..., :k] * values[:, None, :]) @ right[..., :k, :]
    np.testing.assert_allclose(product, given[0], atol=1e-4)
    np.testing.assert_allclose(np.conj(np.swapaxes(left, -1, -2)) @ left, _unit(left.shape[-1]), atol=1e-4)
    np.testing.assert_allclose(right @ np.conj(np.swapaxes(right, -1, -2)), _unit(right.shape[-2]), atol=1e-4)
    assert not info.any()


def _singular_values(given: Arrays, found: Arrays) -> None:
    np.testing.assert_allclose(found[1], np.linalg.svd(given[0], compute_uv=False), atol=1e-4)


def _eig(given: Arrays, found: Arrays) -> None:
    *parts, left, right, info = found
    values = parts[0] if len(parts) == 1 else parts[0] + 1j * parts[1]
    assert np.abs(values.imag).max() > 0.1
    np.testing.assert_allclose(given[0] @ right, right * values[:, None, :], atol=1e-4)
    rows = np.conj(np.swapaxes(left, -1, -2))
    np.testing.assert_allclose(rows @ given[0], values[:, :, None] * rows, atol=1e-4)
    np.testing.assert_allclose(np.linalg.norm(left, axis=-2), 1, atol=1e-4)
    assert not info.any()


def _schur(given: Arrays, found: Arrays) -> None:
    form, vectors, *_, count, info = found
    np.testing.assert_allclose(vectors @ form @ np.conj(np.swapaxes(vectors, -1, -2)), given[0], atol=1e-4)
    np.testing.assert_allclose(np.tril(form, -2), 0, atol=1e-4)
    assert not count.any() and not info.any()


def _system(given: Arrays, found: Arrays) -> None:
    below, diagonal, above, right = given
    matrix = np.eye(4) * diagonal[:, None, :]
    matrix = matrix + np.eye(4, k=-1) * below[:, :, None] + np.eye(4, k=1) * above[:, :, None]
    np.testing.assert_allclose(matrix @ found[3], right, atol=1e-4)
    assert not found[4].any()


def _unit(size: int) -> Any:
    return np.broadcast_to(np.eye(size), (2, size, size))


TRSM = {"diag": N, "side": L, "trans_x": N, "uplo": L}
SVD = "T2x6x4, R2x4, T2x6x{0}, T2x{1}x4, i2"
CASES = [
    Case("potrf", "P2x4x4", "T2x4x4, i2", {"uplo": L}),
    Case("potrf", "P2x4x4", "T2x4x4, i2", {"uplo": U}),
    Case("getrf", "T2x6x4", "T2x6x4, i2x4, i2"),
    Case("geqrf", "T2x6x4", "T2x6x4, T2x4"),
    Case("geqp3", "T2x6x4, i2x4", "T2x6x4, i2x4, T2x4"),
    Case("orgqr", "T2x6x4, T2x3", "T2x6x4"),
    Case("ormqr", "T2x6x4, T2x4, T2x6x3", "T2x6x3", {"left": True, "transpose": True}),
    Case("ormqr", "T2x6x4, T2x4, T2x3x6", "T2x3x6", {"left": False, "transpose": False}),
    Case("gehrd", "T2x4x4", "T2x4x4, T2x3, i2", {"low": 1, "high": 4}),
    Case("sytrd", "H2x4x4", "T2x4x4, R2x4, R2x3, T2x3, i2", {"uplo": L}),
    Case("syevd", "H2x4x4", "T2x4x4, R2x4, i2", {"mode": V, "uplo": L}, _eigh),
    Case("gesdd", "T2x6x4", SVD.format(6, 4), {"mode": A}, _svd),
    Case("gesdd", "T2x6x4", SVD.format(4, 4), {"mode": S}, _svd),
    Case("gesdd", "T2x6x4", SVD.format(4, 4), {"mode": N}, _singular_values),
    Case("gesvd", "T2x6x4", SVD.format(6, 4), {"mode": A}, _svd),
    Case("geev", "T2x4x4", "W, C2x4x4, C2x4x4, i2", {"compute_left": V, "compute_right": V}, _eig),
    Case("gees", "T2x4x4", "T2x4x4, T2x4x4, W, i2, i2", {"mode": V, "sort": N}, _schur),
    Case("trsm", "P2x4x4, T2x4x3", "T2x4x3", TRSM),
    Case("trsm", "P2x4x4, T2x3x4", "T2x3x4", TRSM | {"side": R, "trans_x": T, "uplo": U}),
    Case(
        "gtsv",
        "T2x4, P2x4, T2x4, T2x4x3",
        "T2x4, T2x4, T2x4, T2x4x3, i2",
        {"perturb_singular": False},
        _system,
    ),
]
COMPLEX = {"orgqr": "ungqr", "ormqr": "unmqr", "sytrd": "hetrd", "syevd": "heevd"}
ELEMENTS = {"s": "f32", "d": "f64", "c": "complex<f32>", "z": "complex<f64>"}
DTYPES = {"s": np.float32, "d": np.float64, "c": np.complex64, "z": np.complex128}


def types(text: str, letter: str) -> list[str]:
    """The types of a case's operands or results, for a type of matrices."""
    single = "f32" if letter in "sc" else "f64"
    kinds = {"T": ELEMENTS[letter], "R": single, "C": f"complex<{single}>", "i": "i32"}
    kinds |= {"P": kinds["T"], "H": kinds["T"]}
    values = "T2x4" if letter in "cz" else "T2x4, T2x4"
    return [f"tensor<{each[1:]}x{kinds[each[0]]}>" for each in text.replace("W", values).split(", ")]


def program(letter: str) -> str:
    """A function that calls all routines, one after the other."""
    parameters, body, values, listed = list[str](), list[str](), list[str](), list[str]()
    for number, case in enumerate(CASES):
        operands, results = types(case.operands, letter), types(case.results, letter)
        names = [f"%x{number}_{k}" for k in range(len(operands))]
        parameters += [f"{name}: {type}" for name, type in zip(names, operands, strict=True)]
        made = [f"%r{number}#{k}" for k in range(len(results))] if len(results) > 1 else [f"%r{number}"]
        many = f":{len(made)}" if len(made) > 1 else ""
        routine = COMPLEX.get(case.name, case.name) if letter in "cz" else case.name
        config = ", ".join(f"{key} = {attribute(key, value)}" for key, value in case.options.items())
        body.append(
            f"  %r{number}{many} = stablehlo.custom_call @lapack_{letter}{routine}_ffi({', '.join(names)})"
        )
        body.append(f"    {{mhlo.backend_config = {{{config}}}}}")
        body.append(f"    : ({', '.join(operands)}) -> ({', '.join(results)})")
        values, listed = values + made, listed + results
    head = f"func.func @main({', '.join(parameters)}) -> ({', '.join(listed)}) {{"
    return "\n".join([head, *body, f"  return {', '.join(values)} : {', '.join(listed)}", "}"])


def attribute(name: str, value: Any) -> str:
    """An option as an attribute."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value} : {'i64' if name in ('low', 'high') else 'ui8'}"


def arrays(text: str, letter: str, rng: np.random.Generator) -> Arrays:
    """Operands: any (T), far from singular and positive definite (P), Hermitian (H), or zeros (i)."""
    found = []
    for each in text.split(", "):
        shape = tuple(map(int, each[1:].split("x")))
        array = rng.standard_normal(shape)
        if letter in "cz":
            array = array + 1j * rng.standard_normal(shape)
        if each[0] in "HP" and len(shape) == 3:
            array = array + np.conj(np.swapaxes(array, -1, -2))
        if each[0] == "P":
            array = array + (20 * np.eye(4) if len(shape) == 3 else 20)
        found.append(np.zeros(shape, np.int32) if each[0] == "i" else array.astype(DTYPES[letter]))
    return found


RUN = """
import numpy as np
import model

given = np.load("given.npz")
np.savez("found.npz", *model.run(*[given[name] for name in given.files]))
"""


@pytest.mark.parametrize("letter", "sdcz")
def test_routines_of_lapack(letter: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A library calls all routines, also those that small matrices have loops for."""
    monkeypatch.setattr(cost, "MATRIX", 1)
    text, rng = program(letter), np.random.default_rng(7)
    build(text, tmp_path, wheel=True, lapack=LAPACK)
    zipfile.ZipFile(next(tmp_path.glob("*.whl"))).extractall(tmp_path / "site")
    given = [arrays(case.operands, letter, rng) for case in CASES]
    inputs = [each for of_case in given for each in of_case]
    np.savez(tmp_path / "site" / "given.npz", *inputs)
    subprocess.run([sys.executable, "-c", RUN], cwd=tmp_path / "site", check=True, timeout=300)
    check(letter, text, given, list(np.load(tmp_path / "site" / "found.npz").values()))


FOREIGN = Path("/usr/lib/aarch64-linux-gnu")  # where Debian has the libraries of aarch64 on another machine


@pytest.mark.skipif(
    not (which("qemu-aarch64") and which("aarch64-linux-gnu-gcc") and (FOREIGN / "lapack").exists()),
    reason="needs Debian's liblapack-dev:arm64, gcc-aarch64-linux-gnu and qemu-user",
)
@pytest.mark.parametrize("letter", "sdcz")
def test_routines_of_lapack_on_aarch64(letter: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same, linked by a cross compiler and run by an emulator."""
    monkeypatch.setattr(cost, "MATRIX", 1)
    text, rng = program(letter), np.random.default_rng(7)
    folders = [FOREIGN, FOREIGN / "lapack", FOREIGN / "blas"]
    libraries = (str(FOREIGN / "lapack" / "liblapack.so"), str(FOREIGN / "blas" / "libblas.so"))
    build(text, tmp_path, target="aarch64", lapack=libraries)
    given = [arrays(case.operands, letter, rng) for case in CASES]
    inputs = [each for of_case in given for each in of_case]
    like = shlo.run(text, inputs, engine="numpy")
    emulator = ("qemu-aarch64", "-L", "/usr/aarch64-linux-gnu")
    path = f"LD_LIBRARY_PATH={':'.join(map(str, folders))}"
    flags = [f"-Wl,-rpath-link,{folder}" for folder in folders]
    compiler = "aarch64-linux-gnu-gcc"
    found = run_example(tmp_path, inputs, like, *emulator, "-E", path, compiler=compiler, flags=flags)
    check(letter, text, given, found)


def check(letter: str, text: str, given: Sequence[Arrays], results_of_all: Arrays) -> None:
    """Compare the results of all routines with those of the NumPy engine, or by their products."""
    inputs = [each for of_case in given for each in of_case]
    found, expected = iter(results_of_all), iter(shlo.run(text, inputs, engine="numpy"))
    for case, operands in zip(CASES, given, strict=True):
        results = [next(found) for _ in types(case.results, letter)]
        others = [next(expected) for _ in results]
        if case.check is not None:
            case.check(operands, results)
            continue
        for one, other in zip(results, others, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-4, err_msg=f"{case}")


LOOP = """
func.func @main(%x: tensor<4x3xcomplex<f64>>, %n: tensor<i32>) -> tensor<4x3xcomplex<f64>> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<4x3xcomplex<f64>>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %q:2 = stablehlo.custom_call @lapack_zgeqrf_ffi(%y) {mhlo.backend_config = {}}
      : (tensor<4x3xcomplex<f64>>) -> (tensor<4x3xcomplex<f64>>, tensor<3xcomplex<f64>>)
    %z = stablehlo.add %q#0, %x : tensor<4x3xcomplex<f64>>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %z : tensor<i32>, tensor<4x3xcomplex<f64>>
  }
  return %r#1 : tensor<4x3xcomplex<f64>>
}"""


def path_of(library: str) -> str:
    """The path of a library, from here."""
    command = ["cc", f"-print-file-name=lib{library}.so"]
    found = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout.strip()
    return os.path.relpath(found)


@pytest.mark.parametrize("static", [False, True])
def test_a_loop_calls_lapack(static: bool, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    inputs = [rng.standard_normal((4, 3)) + 1j * rng.standard_normal((4, 3)), np.int32(3)]
    expected = shlo.run(LOOP, inputs, engine="numpy")
    build(LOOP, tmp_path, static=static, lapack=LAPACK if static else tuple(map(path_of, LAPACK)))
    (found,) = run_example(tmp_path, inputs, expected, linked=LAPACK if static else ())
    np.testing.assert_allclose(found, expected[0], rtol=1e-12)


def test_a_library_without_the_routines_is_an_error(tmp_path: Path) -> None:
    for name, said in (("m", "zgeqrf_"), ("no-such-lapack", "no-such-lapack")):
        with pytest.raises(ToolchainError, match=said):
            build(LOOP, tmp_path / "out", lapack=(name,))
        assert not (tmp_path / "out").exists()
