"""Custom calls that do not fit the signature of their target are errors before an engine runs them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.signature import function_type
from stablehlo_py.kernels.targets import registry
from stablehlo_py.kernels.targets.calls import check_call
from stablehlo_py.kernels.targets.signatures import mismatch, parse_signature
from stablehlo_py.syntax.parser import parse_module

A, P, INFO = "tensor<4x3xf32>", "tensor<3xi32>", "tensor<i32>"
COLUMNS, VECTOR, SCALAR = (
    "dense<[0, 1]> : tensor<2xindex>",
    "dense<0> : tensor<1xindex>",
    "dense<> : tensor<0xindex>",
)


@pytest.fixture(autouse=True)
def targets(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a test registers is forgotten after it."""
    registry._read_built_in()
    monkeypatch.setattr(registry, "_targets", dict(registry._targets))
    yield


def program(target: str, operands: list[str], results: list[str], attributes: str) -> str:
    arguments = ", ".join(f"%a{i}: {type}" for i, type in enumerate(operands))
    names, types = ", ".join(f"%a{i}" for i in range(len(operands))), ", ".join(results)
    bound = f"%0:{len(results)} = " if results else ""
    values = ", ".join(f"%0#{i}" for i in range(len(results)))
    return f"""func.func @main({arguments}) -> ({types}) {{
  {bound}stablehlo.custom_call @{target}({names}) {{{attributes}}} : ({", ".join(operands)}) -> ({types})
  return {values}{" : " if results else ""}{types}
}}"""


def refusal(target: str, operands: list[str], results: list[str], attributes: str, engine: str) -> str:
    """What an engine says of a call, at its line."""
    module = shlo.parse(program(target, operands, results, attributes), "call.mlir")
    assert not [d for d in shlo.verify(module) if d.severity == "error"]
    with pytest.raises(shlo.Unsupported) as caught:
        shlo.compile(module, engine=engine)
    assert caught.value.diagnostic is not None and caught.value.diagnostic.line == 2
    return str(caught.value)


def test_every_built_in_target_has_a_signature() -> None:
    ours = {name: row for name, row in registry._targets.items() if _is_built_in(row.function)}
    assert ours and not [name for name, row in ours.items() if row.signature is None]


def _is_built_in(function: Callable[..., object]) -> bool:
    """Test whether a function is the package's own, and not of another test."""
    return function.__module__.startswith("stablehlo_py.")


CONFIG = "mhlo.backend_config = {}"
ALIAS = (
    "#stablehlo.output_operand_alias<output_tuple_indices = [{}], operand_index = {}, "
    "operand_tuple_indices = []>"
)
WRONG: list[tuple[list[str], list[str], str, str]] = [
    ([A], [A, "tensor<4xi32>", INFO], CONFIG, r"k = 4 and min\(m, n\) = 3"),
    ([A], ["tensor<3x4xf32>", P, INFO], CONFIG, r"result 0 of type tensor<3x4xf32>.*T = f32, m = 4, n = 3"),
    ([A], [A, "tensor<3x1xi32>", INFO], CONFIG, r"result 1 of type tensor<3x1xi32>, where i32\[\.\.\., k\]"),
    ([A], [A, "tensor<3xi64>", INFO], CONFIG, "result 1 of type tensor<3xi64>"),
    ([A], [A, P], CONFIG, "2 results"),
    ([A, A], [A, P, INFO], CONFIG, "2 operands"),
    (["tensor<4xf32>"], [A, P, INFO], CONFIG, "operand 0 of type tensor<4xf32>"),
    (["tensor<4x3xf64>"], [A, P, INFO], CONFIG, "operand 0 of type tensor<4x3xf64>"),
    (["tensor<2x4x3xf32>"], ["tensor<2x4x3xf32>", P, INFO], CONFIG, "result 1 of type tensor<3xi32>"),
    ([A], [A, P, INFO], f"{CONFIG}, surprise = 1 : i32", "attribute surprise, which it does not have"),
    ([A], [A, P, INFO], f"{CONFIG}, api_version = 2 : i32", "api_version 2, where 4"),
    (
        [A],
        [A, P, INFO],
        f"{CONFIG}, called_computations = [@main]",
        "called_computations, of which it has none",
    ),
    (
        [A],
        [A, P, INFO],
        f"{CONFIG}, operand_layouts = [dense<[1, 0]> : tensor<2xindex>], "
        f"result_layouts = [{COLUMNS}, {VECTOR}, {SCALAR}]",
        r"operand_layouts\[0\] = \[1, 0\], where \[0, 1\]",
    ),
]


@pytest.mark.parametrize("engine", ["numpy", "native", "auto"])
@pytest.mark.parametrize(("operands", "results", "attributes", "message"), WRONG)
def test_a_call_of_lapack_that_does_not_fit(
    operands: list[str], results: list[str], attributes: str, message: str, engine: str
) -> None:
    if engine == "native":
        pytest.importorskip("llvmlite", reason="needs the extra native")
    said = refusal("lapack_sgetrf_ffi", operands, results, attributes, engine)
    assert re.search(f"@lapack_sgetrf_ffi is called with .*{message}", said), said


def test_the_memory_that_a_result_may_share_is_that_of_the_operand_it_replaces() -> None:
    """LAPACK writes the solution over the right sides: over the matrix, it would destroy it first."""
    square, letters = (
        "tensor<2x2xf32>",
        "diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8",
    )
    config = f"mhlo.backend_config = {{{letters}}}"
    alias = f"{config}, output_operand_aliases = [{ALIAS.format('', 0)}]"
    said = refusal("lapack_strsm_ffi", [square, square], [square], alias, "numpy")
    assert "output_operand_aliases of result 0 and operand 0" in said
    text = program("lapack_strsm_ffi", [square] * 2, [square], alias.replace("index = 0", "index = 1"))
    shlo.compile(shlo.parse(text), engine="numpy")


@pytest.mark.parametrize(
    ("target", "operands", "results", "attributes"),
    [
        ("Sharding", ["tensor<2xf32>"], ["tensor<3xf32>"], ""),
        ("mhlo.topk", ["tensor<4xf32>"], ["tensor<5xf32>", "tensor<5xi32>"], ""),
        ("mhlo.erf", ["tensor<4xf32>"], ["tensor<4xf64>"], ""),
        ("cu_threefry2x32", ["tensor<2xui32>"] * 3, ["tensor<2xui32>"] * 2, ""),
        ("Qr", ["tensor<4x3xf32>"], ["tensor<4x3xf32>", "tensor<4xf32>"], ""),
        ("check.expect_eq", ["tensor<2xf32>", "tensor<3xf32>"], [], "has_side_effect = true"),
        ("lapack_sormqr_ffi", [A, "tensor<3xf32>", A], [A], "mhlo.backend_config = {left = false}"),
        ("lapack_sorgqr_ffi", ["tensor<3x4xf32>", "tensor<3xf32>"], ["tensor<3x4xf32>"], ""),
        (
            "lapack_sgehrd_ffi",
            ["tensor<3x3xf32>"],
            ["tensor<3x3xf32>", "tensor<2xf32>", INFO],
            "mhlo.backend_config = {low = 1 : i32, high = 4 : i32}",
        ),
        ("cpu_csr_sparse_dense_ffi", ["tensor<2xf32>", P, P, "tensor<3xf32>"], ["tensor<2xf32>"], ""),
    ],
)
def test_calls_of_other_targets_that_do_not_fit(
    target: str, operands: list[str], results: list[str], attributes: str
) -> None:
    assert f"@{target} is called with" in refusal(target, operands, results, attributes, "numpy")


U, L, N, V, S = (f"{ord(letter)} : ui8" for letter in "ULNVS")
# LAPACK's routines: configuration, operands and results. T: the type of matrices; R and C: its real and its
# complex type; i: i32; W: the eigenvalues, which are two vectors for real matrices.
ROUTINES: list[tuple[str, str, str]] = [
    ("potrf", f"uplo = {L}", "T3x3 -> T3x3, i"),
    ("getrf", "", "T4x3 -> T4x3, i3, i"),
    ("geqrf", "", "T4x3 -> T4x3, T3"),
    ("geqp3", "", "T4x3, i3 -> T4x3, i3, T3"),
    ("orgqr", "", "T4x3, T2 -> T4x3"),
    ("ormqr", "left = true, transpose = false", "T4x3, T3, T4x2 -> T4x2"),
    ("ormqr", "left = false, transpose = true", "T2x2, T2, T4x2 -> T4x2"),
    ("gehrd", "low = 1 : i64, high = 3 : i64", "T3x3 -> T3x3, T2, i"),
    ("sytrd", f"uplo = {U}", "T3x3 -> T3x3, R3, R2, T2, i"),
    ("syevd", f"mode = {V}, uplo = {U}", "T3x3 -> T3x3, R3, i"),
    ("gesdd", f"mode = {S}", "T4x3 -> T4x3, R3, T4x3, T3x3, i"),
    ("gesvd", f"mode = {N}", "T4x3 -> T4x3, R3, T4x3, T3x3, i"),
    ("geev", f"compute_left = {V}, compute_right = {V}", "T3x3 -> W, C3x3, C3x3, i"),
    ("gees", f"mode = {V}, sort = {N}", "T3x3 -> T3x3, T3x3, W, i, i"),
    ("trsm", f"diag = {N}, side = 82 : ui8, trans_x = {N}, uplo = {U}", "T3x3, T4x3 -> T4x3"),
    ("gtsv", "perturb_singular = false", "T3, T3, T3, T3x2 -> T3, T3, T3, T3x2, i"),
]
COMPLEX_NAMES = {"orgqr": "ungqr", "ormqr": "unmqr", "sytrd": "hetrd", "syevd": "heevd"}
MATRICES = {
    "s": ("f32", "f32", "complex<f32>"),
    "d": ("f64", "f64", "complex<f64>"),
    "c": ("complex<f32>", "f32", "complex<f32>"),
    "z": ("complex<f64>", "f64", "complex<f64>"),
}


def fits(target: str, operands: list[str], results: list[str], attributes: str) -> bool:
    """Whether a target accepts a call."""
    text = program(target, operands, results, attributes)
    call = parse_module(text, "call.mlir").functions["main"].regions[0].blocks[0].ops[0]
    try:
        check_call(call)
    except shlo.Unsupported:
        return False
    return True


def tensor(kind: str, *sizes: str) -> str:
    """A type of an element type and sizes, without the empty ones."""
    return f"tensor<{'x'.join([*filter(None, sizes), kind])}>"


@pytest.mark.parametrize("letter", MATRICES)
@pytest.mark.parametrize(("routine", "config", "types"), ROUTINES)
def test_calls_of_lapack(letter: str, routine: str, config: str, types: str) -> None:
    """With stacks of matrices as well; a result less, or of another rank or element type, is refused."""
    kinds = dict(zip("TRCi", [*MATRICES[letter], "i32"], strict=True))
    target = f"lapack_{letter}{COMPLEX_NAMES.get(routine, routine) if letter in 'cz' else routine}_ffi"
    attributes = f"mhlo.backend_config = {{{config}}}"
    given, made = types.replace("W", "T3" if letter in "cz" else "T3, T3").split(" -> ")
    for stack in ("", "5x2"):
        operands = [tensor(kinds[each[0]], stack, each[1:]) for each in given.split(", ")]
        results = [tensor(kinds[each[0]], stack, each[1:]) for each in made.split(", ")]
        assert fits(target, operands, results, attributes)
        for i, each in enumerate(made.split(", ")):
            others = [tensor(kinds[each[0]], stack, "1", each[1:]), tensor("i8", stack, each[1:])]
            for changed in ([], *([other] for other in others)):
                assert not fits(target, operands, results[:i] + changed + results[i + 1 :], attributes)


@pytest.mark.parametrize("transposed", [True, False])
def test_a_transposed_decomposition_has_its_matrices_by_rows(transposed: bool) -> None:
    square, vector = "tensor<2x2xf32>", "tensor<2xf32>"
    results = [square, vector, square, square, INFO]
    config = "compute_uv = true, full_matrices = true, transposed = " + ("true" if transposed else "false")
    for columns in (True, False):
        layout = f"dense<{'[0, 1]' if columns else '[1, 0]'}> : tensor<2xindex>"
        others = f"result_layouts = [{layout}, {VECTOR}, {layout}, {layout}, {SCALAR}]"
        attributes = f"mhlo.backend_config = {{{config}}}, operand_layouts = [{layout}], {others}"
        assert fits("cusolver_gesvd_ffi", [square], results, attributes) is (columns is not transposed)


def test_a_users_target_states_a_signature() -> None:
    shlo.custom_call("halve", signature="T[n] -> T[k] where k <= n", elements=("f32",))(lambda x: x[:2])
    assert "k = 5 and n = 4" in refusal("halve", ["tensor<4xf32>"], ["tensor<5xf32>"], "", "numpy")
    assert "operand 0" in refusal("halve", ["tensor<4xf64>"], ["tensor<2xf64>"], "", "numpy")
    text = program("halve", ["tensor<4xf32>"], ["tensor<2xf32>"], "")
    assert shlo.run(shlo.parse(text), [[1, 2, 3, 4]])[0].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("signature", "types", "fits"),
    [
        ("T[..., n] -> T[...]", "(tensor<2x3xf32>) -> tensor<2xf32>", True),
        ("T[..., n] -> T[...]", "(tensor<2x3xf32>) -> tensor<4xf32>", False),
        ("T[..., n] -> T[...]", "(tensor<3xf32>) -> tensor<2xf32>", False),
        ("T[..., n] -> T[...]", "(tensor<?x3xf32>) -> tensor<2xf32>", True),
        ("T[..., n] -> R[n]", "(tensor<2xcomplex<f64>>) -> tensor<2xf64>", True),
        ("T[n] -> C[n]", "(tensor<2xf64>) -> tensor<2xcomplex<f32>>", False),
        ("E[...]*, E[]* -> E[...]*", "(tensor<2xf32>, tensor<2xi8>, tensor<f32>, tensor<i8>) -> "
         "(tensor<2xf32>, tensor<2xi8>)", True),
        ("E[...]*, E[]* -> E[...]*", "(tensor<2xf32>, tensor<2xi8>, tensor<i8>, tensor<f32>) -> "
         "(tensor<2xf32>, tensor<2xi8>)", False),
        ("E[...]*, E[]* -> E[...]*", "(tensor<2xf32>, tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>)", False),
        ("X -> X", "(!stablehlo.token) -> !stablehlo.token", True),
        ("X -> X", "(tensor<2xf32>) -> tensor<2xi32>", False),
        ("_* -> i1[]", "(tensor<f32>, !stablehlo.token) -> tensor<i1>", True),
        ("T[*r], int[r] -> T[*r]", "(tensor<2x3xf32>, tensor<2xi64>) -> tensor<4x1xf32>", True),
        ("T[*r], int[r] -> T[*r]", "(tensor<2x3xf32>, tensor<3xi64>) -> tensor<4x1xf32>", False),
        ("T[n, 2] -> T[_] where 1 <= n <= 3", "(tensor<4x2xf32>) -> tensor<9xf32>", False),
        ("T[n, 2] -> T[k] where k = n - 1", "(tensor<4x2xf32>) -> tensor<3xf32>", True),
    ],
)  # fmt: skip
def test_signatures(signature: str, types: str, fits: bool) -> None:
    function = parse_module(f"func.func private @f{types}", "f.mlir").functions["f"]
    type = function_type(function)
    assert type is not None
    found = mismatch(parse_signature(signature), type.inputs, type.results, (), {})
    assert (found is None) == fits


def test_refined_operands_with_their_shape_and_without() -> None:
    for shapes in ([], ["tensor<1xi64>"]):
        target = "stablehlo.shape_refinement_operand_wrapper"
        text = program(target, ["tensor<2xf32>", *shapes], ["tensor<2xf32>"], "")
        assert shlo.run(shlo.parse(text), [[1.0, 2.0], *[[2] for _ in shapes]])[0].tolist() == [1, 2]
