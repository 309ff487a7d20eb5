"""Custom calls: registration by users, built-in targets, and unknown targets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.kernels import chlo
from stablehlo_py.kernels.numeric import householder
from stablehlo_py.kernels.targets import lapack
from stablehlo_py.kernels.targets import registry as custom_calls
from stablehlo_py.layout import Shape, to_buffer


@pytest.fixture(autouse=True)
def targets(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a test registers is forgotten after it."""
    custom_calls._read_built_in()
    monkeypatch.setattr(custom_calls, "_targets", dict(custom_calls._targets))
    yield


def call(target: str, attributes: str, inputs: str, results: str, *values: Any) -> list[Any]:
    """Runs one custom call of `values` with types `inputs`, which gives `results`."""
    arguments = ", ".join(f"%a{i}: {t}" for i, t in enumerate(inputs.split(", ")))
    names = ", ".join(f"%a{i}" for i in range(len(values)))
    count = len(results.split(", "))
    text = f"""
    func.func @main({arguments}) -> ({results}) {{
      %0:{count} = stablehlo.custom_call @{target}({names}) {{{attributes}}} : ({inputs}) -> ({results})
      return {", ".join(f"%0#{i}" for i in range(count))} : {results}
    }}"""
    return shlo.run(shlo.parse(text, "call.mlir"), values)


F2, F22 = "tensor<2xf64>", "tensor<2x2xf64>"
X = np.array([3.0, 4.0])


def test_a_users_target_takes_what_it_names() -> None:
    seen: dict[str, Any] = {}

    @shlo.custom_call("scale")
    def scale(x: Any, *, factor: float, shift: float = 1.0, result_types: Any, tag: str) -> Any:
        seen.update(types=[str(t) for t in result_types], tag=tag)
        return factor * x + shift

    (found,) = call("scale", 'mhlo.backend_config = {factor = 2.0 : f64}, tag = "t"', F2, F2, X)
    assert found.tolist() == [7.0, 9.0]
    assert seen == {"types": [F2], "tag": "t"}


@pytest.mark.parametrize("is_nested", [False, True])
def test_the_only_result_of_a_target_is_a_tuple(is_nested: bool) -> None:
    """Its elements are what the function returns, or elements of it."""

    @shlo.custom_call("halves")
    def halves(x: Any) -> Any:
        return ((x[:1], x[1:]),) if is_nested else (x[:1], x[1:])

    one = "tensor<1xf64>"
    text = f"""func.func @main(%x: {F2}) -> ({one}, {one}) {{
      %t = stablehlo.custom_call @halves(%x) : ({F2}) -> tuple<{one}, {one}>
      %0 = stablehlo.get_tuple_element %t[0] : (tuple<{one}, {one}>) -> {one}
      %1 = stablehlo.get_tuple_element %t[1] : (tuple<{one}, {one}>) -> {one}
      return %0, %1 : {one}, {one}
    }}"""
    assert [each.tolist() for each in shlo.run(shlo.parse(text), [X])] == [[3.0], [4.0]]


def test_a_users_target_stays_when_the_built_in_ones_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def own(x: Any) -> Any:
        return x

    def built_in(x: Any) -> Any:
        return -x

    shlo.custom_call("shared")(own)
    register = shlo.custom_call("shared", "built in")
    monkeypatch.setattr(custom_calls, "import_module", lambda name: register(built_in))
    custom_calls._read_built_in.__wrapped__()
    assert [custom_calls.find_target(name) for name in ("shared", "built in")] == [own, built_in]


def test_a_text_configuration_and_several_results() -> None:
    @shlo.custom_call("one", "other")
    def both(x: Any, *, backend_config: str) -> Any:
        return x, np.array(len(backend_config))

    for target in ("one", "other"):
        found = call(target, 'backend_config = "abc"', F2, f"{F2}, tensor<i64>", X)
        assert (found[0].tolist(), int(found[1])) == ([3.0, 4.0], 3)


def test_layouts_are_for_the_function_to_apply() -> None:
    """Its array has the order of its type; what lies in memory in the layout is one call away."""

    @shlo.custom_call("first_in_memory")
    def first_in_memory(x: Any, *, operand_layouts: Any) -> Any:
        shape = Shape.make(x.dtype, x.shape, operand_layouts[0])
        return np.array([x[0, 1], to_buffer(x, shape)[1]])

    columns = "dense<[0, 1]> : tensor<2xindex>"
    layouts = f"operand_layouts = [{columns}], result_layouts = [dense<0> : tensor<1xindex>]"
    (found,) = call("first_in_memory", layouts, F22, F2, np.array([[1.0, 2.0], [3.0, 4.0]]))
    assert found.tolist() == [2.0, 3.0]


def test_called_computations_are_functions() -> None:
    @shlo.custom_call("twice")
    def twice(x: Any, *, called_computations: Any) -> Any:
        (function,) = called_computations
        return function(*function(x))

    text = """
    func.func private @square(%x: tensor<f64>) -> tensor<f64> {
      %0 = stablehlo.multiply %x, %x : tensor<f64>
      return %0 : tensor<f64>
    }
    func.func @main(%x: tensor<f64>) -> tensor<f64> {
      %0 = stablehlo.custom_call @twice(%x) {called_computations = [@square]} : (tensor<f64>) -> tensor<f64>
      return %0 : tensor<f64>
    }"""
    assert shlo.run(shlo.parse(text), [3.0]) == [81.0]
    absent = text.replace("[@square]", "[@cube]")
    declared = absent + "func.func private @cube(tensor<f64>) -> tensor<f64>"
    for missing in (absent, declared):
        with pytest.raises(shlo.RunError, match=r"custom_call: there is no function @cube with a body$"):
            shlo.run(shlo.parse(missing), [3.0])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            lambda x: x.astype(np.float32),
            r"@bad, result 0 is an array of float32\[2\], expected",
        ),
        (lambda x: x[:1], r"result 0 is an array of float64\[1\]"),
        (lambda x: x[:, None], r"result 0 is an array of float64\[2, 1\]"),
        (lambda x: (x, x), "returned 2 values, but the op has 1 result"),
        (lambda x: 1 / 0, "computation failed: division by zero"),
    ],
)
def test_a_target_that_does_not_give_what_the_op_says(given: Any, message: str) -> None:
    shlo.custom_call("bad")(given)
    with pytest.raises(shlo.RunError, match=message) as caught:
        call("bad", "", F2, F2, X)
    assert caught.value.diagnostic is not None
    assert caught.value.diagnostic.line == 3


def test_a_missing_attribute() -> None:
    @shlo.custom_call("needy")
    def needy(x: Any, *, depth: int) -> Any:
        return x

    with pytest.raises(shlo.RunError, match="@needy requires attribute depth"):
        call("needy", "", F2, F2, X)


def test_an_entry_that_a_users_target_does_not_take() -> None:
    @shlo.custom_call("plain")
    def plain(x: Any, *, factor: float) -> Any:
        return factor * x

    @shlo.custom_call("liberal")
    def liberal(x: Any, *, factor: float, **others: Any) -> Any:
        return factor * x

    config = "mhlo.backend_config = {factor = 2.0 : f64, axis = 1 : i64}"
    with pytest.raises(shlo.Unsupported, match="@plain has no attribute axis here: it has factor"):
        call("plain", config, F2, F2, X)
    assert call("liberal", config, F2, F2, X)[0].tolist() == [6.0, 8.0]


BUILT_IN = ["lapack", "cusolver", "hipsolver", "tridiagonal", "mhlo.", "TopK", "Eigh", "Qr", "SPMD", "check."]


@pytest.mark.parametrize("family", BUILT_IN)
@pytest.mark.parametrize("where", ["mhlo.backend_config", "backend_config"])
def test_an_attribute_that_a_built_in_target_does_not_have_is_named(family: str, where: str) -> None:
    names = [name for name in custom_calls._targets if name.startswith(family)]
    assert names
    for name in names:
        with pytest.raises(shlo.Unsupported, match=f"@{name} has no attribute surprise here: it has"):
            custom_calls.configuration(name, {where: {"surprise": 1}})


@pytest.mark.parametrize(
    ("target", "config", "message"),
    [
        ("lapack_dpotrf_ffi", "{uplo = 1 : ui8}", "attribute uplo is 1, expected 76 or 85"),
        ("lapack_dpotrf_ffi", '{uplo = "L"}', "attribute uplo is L, expected 76"),
        ("lapack_dpotrf_ffi", "{uplo = 76 : ui8, upper = true}", "no attribute upper here: it has uplo"),
        ("lapack_dpotrf_ffi", '"76"', 'backend_config "76", but takes no text'),
        ("cusolver_potrf_ffi", "{lower = 1 : i64}", "attribute lower is 1, expected bool"),
        ("Eigh", '"2,1,100,1e-6"', "attribute lower is 2, expected 0 or 1"),
        ("Eigh", '"1,1,100,1e-6,7"', "takes 4 numbers"),
        ("Eigh", '"lower"', "expected numbers"),
    ],
)
@pytest.mark.parametrize("engine", ["numpy", "auto"])
def test_values_that_a_target_does_not_have(target: str, config: str, message: str, engine: str) -> None:
    text = f"""func.func @main(%a: {F22}) -> ({F22}, tensor<i32>) {{
      %0:2 = stablehlo.custom_call @{target}(%a) {{backend_config = {config}, api_version = 4 : i32}}
        : ({F22}) -> ({F22}, tensor<i32>)
      return %0#0, %0#1 : {F22}, tensor<i32>
    }}""".replace("api_version = 4", "api_version = 1" if '"' in config[:1] else "api_version = 4")
    with pytest.raises(shlo.Unsupported, match=message) as caught:
        shlo.compile(shlo.parse(text), engine=engine)
    assert caught.value.diagnostic is not None and caught.value.diagnostic.line == 2


def test_letters_may_be_small() -> None:
    a = np.array([[4.0, 9.0], [2.0, 5.0]])
    for letter, expected in (("l", [[2, 9], [1, 2]]), ("U", [[2, 4.5], [2, np.nan]])):
        config = f"mhlo.backend_config = {{uplo = {ord(letter)} : ui8}}"
        factor, info = call("lapack_dpotrf_ffi", config, F22, f"{F22}, tensor<i32>", a)
        if letter == "l":
            assert factor.tolist() == expected and info == 0
        else:
            assert info == 2  # 5 - 4.5 * 4.5 is negative


def test_an_unknown_target_is_told_before_anything_runs() -> None:
    text = """func.func @main(%x: tensor<f64>) -> tensor<f64> {
      %0 = stablehlo.custom_call @nobody(%x) : (tensor<f64>) -> tensor<f64>
      return %0 : tensor<f64>
    }"""
    with pytest.raises(shlo.Unsupported, match=r'@nobody.*@stablehlo_py.custom_call\("nobody"\)') as caught:
        shlo.compile(shlo.parse(text))
    assert caught.value.diagnostic is not None
    assert caught.value.diagnostic.line == 2


@pytest.mark.parametrize("target", ["Sharding", "LayoutConstraint", "annotate_device_placement"])
def test_marks_give_the_value_itself(target: str) -> None:
    assert call(target, "", F2, F2, X)[0].tolist() == [3.0, 4.0]


def test_shape_assertion_fills_in_its_message() -> None:
    text = """func.func @main(%ok: tensor<i1>, %b: tensor<i32>, %c: tensor<i32>) {
      stablehlo.custom_call @shape_assertion(%ok, %b, %c)
        {error_message = "b is {0}, c is {1}, {2}", has_side_effect = true}
        : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
      return
    }"""
    module = shlo.parse(text)
    assert shlo.run(module, [True, 3, 4]) == []
    with pytest.raises(shlo.RunError, match=r"b is 3, c is 4, \{2\}"):
        shlo.run(module, [False, 3, 4])


def test_threefry() -> None:
    """Known answer of Random123: key and counter of zeros."""
    word = "tensor<1xui32>"
    zero = np.zeros(1, np.uint32)
    inputs = ", ".join([word] * 4)
    first, second = call("cu_threefry2x32", "", inputs, f"{word}, {word}", zero, zero, zero, zero)
    assert (first[0], second[0]) == (0x6B200159, 0x99BA4EFE)


def test_top_k() -> None:
    x = np.array([1.0, 5.0, 5.0, -2.0])
    results = "tensor<2xf64>, tensor<2xi32>"
    values, indices = call("mhlo.topk", "mhlo.attributes = {k = 2}", "tensor<4xf64>", results, x)
    assert (values.tolist(), indices.tolist()) == ([5, 5], [1, 2])
    values, indices = call("mhlo.topk", "mhlo.attributes = {largest = false}", "tensor<4xf64>", results, x)
    assert (values.tolist(), indices.tolist()) == ([-2, 1], [3, 0])


@pytest.mark.parametrize("count", [0, 1, 3, 4])
@pytest.mark.parametrize("size", ["?", "1", "3"])
def test_top_k_of_a_number_that_is_an_input(size: str, count: int) -> None:
    """The number decides, and a result type of another size is an error."""
    results = f"tensor<{size}xf64>, tensor<{size}xi32>"
    x = np.array([1.0, 5.0, 5.0, -2.0])
    inputs = "tensor<4xf64>, tensor<i32>"
    if size not in ("?", str(count)):
        with pytest.raises(
            shlo.RunError, match=rf"an array of float64\[{count}\], expected tensor<{size}xf64>"
        ):
            call("stablehlo.dynamic_top_k", "", inputs, results, x, np.int32(count))
        return
    values, indices = call("stablehlo.dynamic_top_k", "", inputs, results, x, np.int32(count))
    assert (values.tolist(), indices.tolist()) == ([5, 5, 1, -2][:count], [1, 2, 0, 3][:count])


def test_check_eq_is_exact_on_integers_only() -> None:
    x = np.array([1.0, np.nan])
    types = f"{F2}, {F2}"
    assert call("check.eq", "", types, "tensor<i1>", x, x + 0.9e-4) == [True]
    with pytest.raises(shlo.RunError, match=r"differ by more than 0\.0001"):
        call("check.eq", "", types, "tensor<i1>", x, x + 1.1e-4)
    with pytest.raises(shlo.RunError, match="are not equal"):
        call("check.eq", "", "tensor<i8>, tensor<i8>", "tensor<i1>", np.int8(1), np.int8(2))


# LAPACK, with SciPy and without


@pytest.fixture(params=["scipy", "numpy"])
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "numpy":
        monkeypatch.setattr(lapack, "_lapack", lambda: None)
    else:
        pytest.importorskip("scipy")


def matrix(kind: str, rows: int = 5, columns: int = 5) -> Any:
    random = np.random.default_rng(3)
    a = random.normal(size=(rows, columns))
    return a + 1j * random.normal(size=a.shape) if kind == "complex" else a


KINDS = pytest.mark.parametrize("kind", ["real", "complex"])
L, U = ord("L"), ord("U")


@KINDS
def test_lu(library: None, kind: str) -> None:
    a = matrix(kind, 5, 4)
    packed, pivots, info = lapack.getrf(a)
    lower, upper = np.tril(packed, -1) + np.eye(5, 4), np.triu(packed[:4])
    rows = np.arange(5)
    for i, pivot in enumerate(pivots - 1):
        rows[[i, pivot]] = rows[[pivot, i]]
    np.testing.assert_allclose(lower @ upper, a[rows], atol=1e-14)
    assert info == 0
    assert lapack.getrf(np.zeros((2, 2), a.dtype))[2] == 1


@KINDS
def test_qr(library: None, kind: str) -> None:
    a = matrix(kind, 5, 3)
    packed, factors = lapack.geqrf(a)
    (q,) = lapack.orgqr(packed, factors)
    np.testing.assert_allclose(q @ np.triu(packed[:3]), a, atol=1e-14)
    np.testing.assert_allclose(q.conj().T @ q, np.eye(3), atol=1e-14)


@KINDS
def test_pivoted_qr(library: None, kind: str) -> None:
    a = matrix(kind, 5, 3) * [1, 3, 2]
    packed, order, factors = lapack.geqp3(a, np.zeros(3, np.int32))
    (q,) = lapack.orgqr(packed, factors)
    np.testing.assert_allclose(q @ np.triu(packed[:3]), a[:, order - 1], atol=1e-13)
    assert (np.diff(np.abs(np.diag(packed))) <= 0).all()


@KINDS
@pytest.mark.parametrize(("pivots", "first"), [([0, 0, 1], [3]), ([0, 1, 1], [2, 3]), ([1, 1, 1], [1, 2, 3])])
def test_pivoted_qr_with_columns_that_come_first(
    library: None, kind: str, pivots: list[int], first: list[int]
) -> None:
    """The others, of which the longest is the first one, come by their lengths."""
    a = matrix(kind, 5, 3) * [9, 3, 1]
    packed, order, factors = lapack.geqp3(a, np.array(pivots, np.int32))
    (q,) = lapack.orgqr(packed, factors)
    np.testing.assert_allclose(q @ np.triu(packed[:3]), a[:, order - 1], atol=1e-13)
    assert order[: len(first)].tolist() == first
    sizes = np.abs(np.diag(packed))[len(first) :]
    assert (np.diff(sizes) <= 0).all() and sorted(order) == [1, 2, 3]


@KINDS
def test_hessenberg(library: None, kind: str) -> None:
    a = matrix(kind)
    packed, factors, info = lapack.gehrd(a, low=1, high=5)
    q = np.eye(5, dtype=a.dtype)
    q[1:, 1:] = householder.product(packed[1:, :-1], factors)
    np.testing.assert_allclose(q @ np.triu(packed, -1) @ q.conj().T, a, atol=1e-13)
    assert info == 0


@KINDS
@pytest.mark.parametrize("uplo", [L, U])
def test_tridiagonal(library: None, kind: str, uplo: int) -> None:
    """Q T adjoint(Q), where LAPACK has the vectors of Q; only the triangle that counts is read."""
    a = matrix(kind)
    a = a + a.conj().T
    given = np.tril(a) if uplo == L else np.triu(a)
    packed, diagonal, beside, factors, info = lapack.sytrd(given, uplo=uplo)
    form = np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1)
    q = np.eye(5, dtype=a.dtype)
    for i in range(4) if uplo == L else reversed(range(4)):
        v = np.zeros(5, a.dtype)
        if uplo == L:
            v[i + 1], v[i + 2 :] = 1, packed[i + 2 :, i]
        else:
            v[i], v[:i] = 1, packed[:i, i + 1]
        q = q @ (np.eye(5) - factors[i] * np.outer(v, v.conj()))
    np.testing.assert_allclose(q @ form @ q.conj().T, a, atol=1e-13)
    assert info == 0


@KINDS
@pytest.mark.parametrize("uplo", [L, U])
def test_eigenvectors_of_symmetric_matrices(library: None, kind: str, uplo: int) -> None:
    a = matrix(kind)
    a = a + a.conj().T
    vectors, values, info = lapack.syevd(np.tril(a) if uplo == L else np.triu(a), mode=ord("V"), uplo=uplo)
    np.testing.assert_allclose(vectors * values @ vectors.conj().T, a, atol=1e-13)
    assert info == 0


@KINDS
@pytest.mark.parametrize("mode", ["A", "S", "N"])
def test_singular_values(library: None, kind: str, mode: str) -> None:
    a = matrix(kind, 5, 3)
    _, values, left, right, info = lapack.gesdd(a, mode=ord(mode))
    np.testing.assert_allclose(values, np.linalg.norm(a, 2) * values / values[0], rtol=1e-13)
    assert info == 0
    if mode != "N":
        np.testing.assert_allclose(left[:, :3] * values @ right, a, atol=1e-13)
        assert left.shape == ((5, 5) if mode == "A" else (5, 3))


@KINDS
def test_eigenvectors(library: None, kind: str) -> None:
    a = matrix(kind)
    *parts, left, right, info = lapack.geev(a, compute_left=ord("V"), compute_right=ord("V"))
    values = parts[0] if kind == "complex" else parts[0] + 1j * parts[1]
    np.testing.assert_allclose(a @ right, right * values, atol=1e-13)
    np.testing.assert_allclose(left.conj().T @ a, values[:, None] * left.conj().T, atol=1e-12)
    assert info == 0
    *_, left, right, info = lapack.geev(a, compute_left=ord("N"), compute_right=ord("N"))
    assert (left, right, info) == (0, 0, 0)  # vectors that are not asked for


@KINDS
@pytest.mark.parametrize("uplo", [L, U])
def test_cholesky(library: None, kind: str, uplo: int) -> None:
    a = matrix(kind)
    a = a @ a.conj().T + np.eye(5)
    factor, info = lapack.potrf(a, uplo=uplo)
    lower = np.tril(factor) if uplo == L else np.triu(factor).conj().T
    np.testing.assert_allclose(lower @ lower.conj().T, a, atol=1e-13)
    assert info == 0
    assert lapack.potrf(-a, uplo=uplo)[1] == 1


@KINDS
def test_systems(library: None, kind: str) -> None:
    a, b = matrix(kind) + 3 * np.eye(5), matrix(kind, 5, 2)
    letters = {"diag": ord("N"), "side": L, "trans_x": ord("C"), "uplo": U}
    (x,) = lapack.trsm(a, b, **letters)
    np.testing.assert_allclose(np.triu(a).conj().T @ x, b, atol=1e-13)
    below, diagonal, above = np.r_[0, np.diag(a, -1)], np.diag(a), np.r_[np.diag(a, 1), 0]
    solution, info = lapack.gtsv(below, diagonal, above, b)[3:]
    band = np.triu(np.tril(a, 1), -1)
    np.testing.assert_allclose(band @ solution, b, atol=1e-13)
    assert info == 0


def test_a_perturbed_pivot_is_the_least_that_avoids_overflow(library: None) -> None:
    """LAPACK's lagts: a zero pivot becomes eps times the largest element of U, or the least number."""
    zero, one = np.zeros(2), np.ones((2, 1))
    eps, tiny = np.finfo(np.float64).eps, np.finfo(np.float64).tiny
    (x,) = lapack.gtsv_perturbed(zero, zero, zero, one)
    assert x.ravel().tolist() == [1 / tiny, 1 / tiny]
    (x,) = lapack.gtsv_perturbed(zero, np.array([2.0, 0.0]), zero, one)
    assert x.ravel().tolist() == [0.5, 1 / (2 * eps)]
    (x,) = lapack.gtsv_perturbed(zero, np.array([1.0, -1e-30]), zero, one)
    assert x.ravel().tolist() == [1, -1 / 1e-30]


@pytest.mark.parametrize("perturb", [True, False])
def test_perturbation_is_an_attribute_of_tridiagonal_solvers(library: None, perturb: bool) -> None:
    vectors = f"{F2}, {F2}, {F2}, tensor<2x1xf64>"
    values = np.zeros(2), np.zeros(2), np.zeros(2), np.ones((2, 1))
    config = f"mhlo.backend_config = {{perturb_singular = {str(perturb).lower()}}}"
    *_, x, info = call("lapack_dgtsv_ffi", config, vectors, f"{vectors}, tensor<i32>", *values)
    assert (info == 0) == perturb
    if perturb:
        assert np.isfinite(x).all() and x.min() > 1e300


def test_batches_have_an_info_each() -> None:
    a = np.array([np.eye(2), -np.eye(2)])
    results = "tensor<2x2x2xf64>, tensor<2xi32>"
    config = "mhlo.backend_config = {uplo = 76 : ui8}"
    factor, info = call("lapack_dpotrf_ffi", config, "tensor<2x2x2xf64>", results, a)
    assert factor[0].tolist() == np.eye(2).tolist()
    assert info.tolist() == [0, 1]


def test_the_schur_form_needs_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("scipy")
    a = matrix("real")
    form, vectors, *_ = lapack.gees(a, mode=ord("V"), sort=ord("N"))
    np.testing.assert_allclose(vectors @ form @ vectors.T, a, atol=1e-13)
    monkeypatch.setattr(lapack, "_lapack", lambda: None)
    with pytest.raises(shlo.Unsupported, match=r"stablehlo-py\[scipy\]"):
        lapack.gees(a, mode=ord("V"), sort=ord("N"))


def test_routines_are_those_of_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The extension module alone has all of them; without it they come from the public module."""
    public = pytest.importorskip("scipy.linalg.lapack")
    found = lapack._lapack.__wrapped__()
    assert found is not public
    names = {name for name in dir(public) if name[0] in "sdcz" and callable(getattr(public, name))}
    assert names <= set(dir(found))
    monkeypatch.setattr(lapack.PathFinder, "find_spec", lambda *_: None)
    assert lapack._lapack.__wrapped__() is public


def test_targets_whose_shapes_are_inputs_do_what_the_ops_do() -> None:
    text = """
    func.func @greater(%a: tensor<i32>, %b: tensor<i32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {
      %0 = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      return %0 : tensor<i1>
    }
    func.func @add(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
      %0 = stablehlo.add %a, %b : tensor<i32>
      return %0 : tensor<i32>
    }
    func.func @main(%x: tensor<?xi32>, %state: tensor<2xui64>)
        -> (tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<2x?xui32>, tensor<2x3xui32>) {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %two = stablehlo.constant dense<2> : tensor<i32>
      %shape = stablehlo.constant dense<2> : tensor<1xi32>
      %one = stablehlo.constant dense<1> : tensor<1xi32>
      %padding = stablehlo.constant dense<[[0, 1]]> : tensor<1x2xi32>
      %indices = stablehlo.constant dense<[0, 1, 2]> : tensor<3xi32>
      %dynamic = stablehlo.convert %indices : (tensor<3xi32>) -> tensor<?xi32>
      %top:2 = stablehlo.custom_call @stablehlo.dynamic_approx_top_k(
          %x, %dynamic, %zero, %zero, %two, %shape, %shape)
        {called_computations = [@greater], mhlo.backend_config = {reduction_dim = 0 : i64}}
        : (tensor<?xi32>, tensor<?xi32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<1xi32>, tensor<1xi32>)
        -> (tensor<?xi32>, tensor<?xi32>)
      %sums = stablehlo.custom_call @stablehlo.dynamic_reduce_window(
          %x, %zero, %shape, %one, %one, %one, %padding) {called_computations = [@add]}
        : (tensor<?xi32>, tensor<i32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>,
           tensor<1x2xi32>) -> tensor<?xi32>
      %bits_shape = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
      %bits:2 = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%state, %bits_shape)
        {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
        : (tensor<2xui64>, tensor<2xi32>) -> (tensor<2xui64>, tensor<2x?xui32>)
      %next, %same = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY
        : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui32>)
      return %top#0, %top#1, %sums, %bits#1, %same
        : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<2x?xui32>, tensor<2x3xui32>
    }"""
    state = np.array([3, 4], np.uint64)
    values, indices, sums, bits, same = shlo.run(shlo.parse(text), [np.array([5, 9, 7], np.int32), state])
    assert (values.tolist(), indices.tolist(), sums.tolist()) == ([9, 7], [1, 2], [14, 16, 7])
    np.testing.assert_array_equal(bits, same)


@pytest.mark.parametrize("name", [name for name in chlo.UNARY if not name.startswith("_")])
def test_targets_that_are_ops_of_chlo(name: str) -> None:
    x = np.array([0.25, -0.5, np.inf, -np.inf], np.float32)
    result = "i1" if name.startswith("is_") else "f32"
    (found,) = run_call(f"mhlo.{name}", x, result)
    text = f"""func.func @main(%x: tensor<4xf32>) -> tensor<4x{result}> {{
      %r = chlo.{name} %x : tensor<4xf32> -> tensor<4x{result}>
      return %r : tensor<4x{result}>
    }}"""
    (expected,) = shlo.run(shlo.parse(text), [x], engine="numpy")
    np.testing.assert_array_equal(found, expected)


def run_call(target: str, x: Any, result: str) -> list[Any]:
    text = f"""func.func @main(%x: tensor<4xf32>) -> tensor<4x{result}> {{
      %r = stablehlo.custom_call @{target}(%x) : (tensor<4xf32>) -> tensor<4x{result}>
      return %r : tensor<4x{result}>
    }}"""
    return shlo.run(shlo.parse(text), [x], engine="numpy")


def test_a_function_cannot_change_its_inputs() -> None:
    @shlo.custom_call("tests.changes")
    def changes(x: Any) -> Any:
        x[0] = 99
        return x

    with pytest.raises(shlo.RunError, match="read-only"):
        call("tests.changes", "", "tensor<2xf64>", "tensor<2xf64>", X)
    assert X.tolist() == [3.0, 4.0]


def test_operands_that_state_a_shape_are_no_attribute_of_the_target() -> None:
    text = """func.func @main(%x: tensor<2xf32>) -> tensor<?xf32> {
      %s = stablehlo.constant dense<2> : tensor<1xi64>
      %r = stablehlo.custom_call @stablehlo.shape_refinement_operand_wrapper(%x, %s)
        {indices_of_shape_operands = dense<1> : tensor<1xi64>}
        : (tensor<2xf32>, tensor<1xi64>) -> tensor<?xf32>
      return %r : tensor<?xf32>
    }"""
    (found,) = shlo.run(shlo.parse(text), [np.float32([1, 2])])
    np.testing.assert_array_equal(found, [1, 2])


@pytest.mark.parametrize("target", ["ApproxTopK", "PartialReduce"])
def test_approximate_top_k_is_exact(target: str) -> None:
    """Of each column, the two largest with their indices; the initial values take no part."""
    text = f"""
    func.func private @greater(%a: tensor<i32>, %b: tensor<i32>, %i: tensor<i32>, %j: tensor<i32>)
        -> tensor<i1> {{
      %0 = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      return %0 : tensor<i1>
    }}
    func.func @main(%x: tensor<3x2xi32>) -> (tensor<2x2xi32>, tensor<2x2xi32>) {{
      %zero = stablehlo.constant dense<100> : tensor<i32>
      %i = stablehlo.iota dim = 0 : tensor<3x2xi32>
      %top:2 = stablehlo.custom_call @{target}(%x, %i, %zero, %zero)
        {{called_computations = [@greater],
          mhlo.backend_config = {{reduction_dim = 0 : i64, top_k = 2 : i64, recall_target = 9.5e-01 : f32,
            aggregate_to_topk = true, reduction_input_size_override = -1 : i64, is_fallback = false,
            log2_reduction = 0 : i64, to_apply_type = "greater"}}}}
        : (tensor<3x2xi32>, tensor<3x2xi32>, tensor<i32>, tensor<i32>) -> (tensor<2x2xi32>, tensor<2x2xi32>)
      return %top#0, %top#1 : tensor<2x2xi32>, tensor<2x2xi32>
    }}"""
    values, indices = shlo.run(shlo.parse(text), [np.array([[5, 1], [9, 3], [7, 2]], np.int32)])
    assert values.tolist() == [[9, 3], [7, 2]]
    assert indices.tolist() == [[1, 1], [2, 2]]


def test_the_pivot_of_a_column_of_complex_numbers() -> None:
    """It has the largest sum of magnitudes of real and imaginary part, as in LAPACK's izamax."""
    _, pivots, _ = householder.lu(np.array([[3, 1], [-2 - 2j, 5]]))
    assert pivots.tolist() == [2, 2]
    _, pivots, _ = householder.lu(np.array([[-5j, 1], [2 + 2j, 5]]))
    assert pivots.tolist() == [1, 2]
