"""Calls of LAPACK: arguments as its documentation has them, their memory, and the C source; none is run."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from stablehlo_py.library.calls import calls, prototypes
from stablehlo_py.library.lapack import _ROUTINES, Place, Routine, _Call

WIDE, SQUARE, FACTORS = (2, 6, 4), (2, 4, 4), (2, 4)
A, C, L, N, R, S, V = (ord(letter) for letter in "ACLNRSV")
TRSM = {"diag": N, "side": L, "trans_x": N, "uplo": L}


def shown(argument: Any) -> Any:
    """An array as its element, sizes, operand and result: `T6x4 0>0`; a number or letter as it is."""
    if not isinstance(argument, Place):
        return argument
    sizes = f"{argument.rows}x{argument.columns}" if argument.columns > 1 else f"{argument.rows}"
    ends = ("" if each is None else f"{each}" for each in (argument.operand, argument.result))
    more = f" from {argument.skipped}" if argument.skipped else " in pairs" if argument.in_pairs else ""
    return f"{argument.element}{sizes} {'>'.join(ends)}{more}"


# Blocks have 32 columns, so that the work of 4 columns has 128 elements more than what is required; C takes
# what the routine on complex matrices takes besides.
ARGUMENTS = [
    ("potrf", [SQUARE], {"uplo": L}, ["L", 4, "T4x4 0>0", 4, "i1 >1"]),
    ("getrf", [WIDE], {}, [6, 4, "T6x4 0>0", 6, "i4 >1", "i1 >2"]),
    ("geqrf", [WIDE], {}, [6, 4, "T6x4 0>0", 6, "T4 >1", "T128 >", 128, "i1 >"]),
    (
        "geqp3",
        [WIDE, FACTORS],
        {},
        [6, 4, "T6x4 0>0", 6, "i4 1>1", "T4 >2", "T141 >", 141, ("R8 >",), "i1 >"],
    ),
    ("orgqr", [WIDE, (2, 3)], {}, [6, 4, 3, "T6x4 0>0", 6, "T3 1>", "T128 >", 128, "i1 >"]),
    ("ungqr", [WIDE, (2, 3)], {}, [6, 4, 3, "T6x4 0>0", 6, "T3 1>", "T128 >", 128, "i1 >"]),
    (
        "ormqr",
        [WIDE, FACTORS, (2, 6, 3)],
        {"left": True, "transpose": True},
        ["L", "T/C", 6, 3, 4, "T6x4 0>", 6, "T4 1>", "T6x3 2>0", 6, "T4352 >", 4352, "i1 >"],
    ),
    (
        "unmqr",
        [WIDE, FACTORS, (2, 3, 6)],
        {"left": False, "transpose": False},
        ["R", "N", 3, 6, 4, "T6x4 0>", 6, "T4 1>", "T3x6 2>0", 3, "T4352 >", 4352, "i1 >"],
    ),
    (
        "gehrd",
        [SQUARE],
        {"low": 2, "high": 3},
        [4, 2, 3, "T4x4 0>0", 4, "T3 >1", "T4288 >", 4288, "i1 >2"],
    ),
    (
        "sytrd",
        [SQUARE],
        {"uplo": L},
        ["L", 4, "T4x4 0>0", 4, "R4 >1", "R3 >2", "T3 >3", "T128 >", 128, "i1 >4"],
    ),
    (
        "heevd",
        [SQUARE],
        {"mode": V, "uplo": L},
        ["V", "L", 4, "T4x4 0>0", 4, "R4 >1", "T185 >", 185, ("R53 >", 53), "i23 >", 23, "i1 >2"],
    ),
    (
        "gesdd",
        [WIDE],
        {"mode": A},
        ["A", 6, 4, "T6x4 0>0", 6, "R4 >1", "T6x6 >2", 6, "T4x4 >3", 4, "T418 >", 418, ("R108 >",), "i32 >",
         "i1 >4"],
    ),
    (
        "gesvd",
        [WIDE],
        {"mode": A},
        ["A", "A", 6, 4, "T6x4 0>0", 6, "R4 >1", "T6x6 >2", 6, "T4x4 >3", 4, "T340 >", 340, ("R20 >",),
         "i1 >4"],
    ),
    ("trsm", [SQUARE, (2, 4, 3)], TRSM, ["L", "L", "N", "N", 4, 3, 1.0, "T4x4 0>", 4, "T4x3 1>0", 4]),
    (
        "trsm",
        [(2, 3, 3), (2, 4, 3)],
        {"diag": ord("U"), "side": R, "trans_x": C, "uplo": ord("U")},
        ["R", "U", "C", "U", 4, 3, 1.0, "T3x3 0>", 3, "T4x3 1>0", 4],
    ),
    (
        "gtsv",
        [FACTORS, FACTORS, FACTORS, (2, 4, 3)],
        {"perturb_singular": False},
        [4, 3, "T4 0>0 from 1", "T4 1>1", "T4 2>2", "T4x3 3>3", 4, "i1 >4"],
    ),
]  # fmt: skip
SINGULAR = [WIDE, FACTORS, (2, 6, 6), SQUARE, (2,)]


def taken(name: str, operands: list[Any], is_complex: bool, options: dict[str, int]) -> list[Any]:
    return [shown(each) for each in _ROUTINES[name](_Call(operands, SINGULAR, is_complex, options))]


@pytest.mark.parametrize("is_complex", [False, True])
@pytest.mark.parametrize(("name", "operands", "options", "expected"), ARGUMENTS)
def test_arguments(
    name: str, operands: list[Any], options: dict[str, int], expected: list[Any], is_complex: bool
) -> None:
    listed: list[Any] = []
    for each in expected:
        if isinstance(each, tuple):
            listed += each if is_complex else ()
        else:
            listed.append(each if each != "T/C" else "TC"[is_complex])
    assert taken(name, operands, is_complex, options) == listed


def test_eigenvalues_of_real_matrices_are_two_vectors() -> None:
    """Pairs of eigenvectors are two real columns."""
    both = {"compute_left": N, "compute_right": V}
    left, right = "T4x4 >2 in pairs", "T4x4 >3 in pairs"
    assert taken("geev", [SQUARE], False, both) == [
        *("N", "V", 4, "T4x4 0>", 4, "T4 >0", "T4 >1", left, 4, right, 4, "T144 >", 144, "i1 >4")
    ]
    assert taken("geev", [SQUARE], True, both) == [
        *("N", "V", 4, "T4x4 0>", 4, "T4 >0", "T4x4 >1", 4, "T4x4 >2", 4, "T144 >", 144, "R8 >", "i1 >3")
    ]
    sorts = {"mode": V, "sort": N}
    assert taken("gees", [SQUARE], False, sorts) == [
        *("V", "N", None, 4, "T4x4 0>0", 4, "i1 >4", "T4 >2", "T4 >3", "T4x4 >1", 4),
        *("T140 >", 140, "i4 >", "i1 >5"),
    ]
    assert taken("gees", [SQUARE], True, sorts) == [
        *("V", "N", None, 4, "T4x4 0>0", 4, "i1 >3", "T4 >2", "T4x4 >1", 4),
        *("T140 >", 140, "R4 >", "i4 >", "i1 >4"),
    ]


def test_matrices_without_columns() -> None:
    """Arrays have an element at least, whose address is taken."""
    assert taken("geqrf", [(2, 3, 0)], False, {})[4:] == ["T1 >1", "T1 >", 1, "i1 >"]


def made(name: str, operands: list[Any], size: int, is_complex: bool = False, **options: Any) -> Routine:
    arguments = _ROUTINES[name](_Call(operands, SINGULAR, is_complex, options))
    return Routine(f"x{name}_", arguments, 3, size, is_complex)


def test_memory() -> None:
    """Arrays start at multiples of 64 bytes: a matrix of 96 bytes, 4 factors, 128 elements, and a number."""
    found = made("geqrf", [WIDE], 4)
    assert [at for _, at in found.places] == [0, 128, 192, 704]
    assert found.memory == 708
    found = made("sytrd", [SQUARE], 16, True, uplo=L)  # R: 8 bytes, T: 16
    assert [at for _, at in found.places] == [0, 256, 320, 384, 448, 2496]
    assert [found.bytes_of(place) for place, _ in found.places] == [16, 8, 8, 16, 16, 4]
    assert found.memory == 2500


POTRF = """\
static void call0(char **at) {
  char *work = at[3];
  for (size_t i = 0; i < 3; i++) {
    transpose(at[0] + i * 64, work + 0, 4, 4, 4);
    memset(work + 64, 0, 4);
    xpotrf_(&(char){'L'}, &(int){4}, work + 0, &(int){4}, work + 64, 1);
    transpose(work + 0, at[1] + i * 64, 4, 4, 4);
    transpose(work + 64, at[2] + i * 4, 1, 1, 4);
  }
}
"""
GTSV = """\
static void call1(char **at) {
  char *work = at[9];
  for (size_t i = 0; i < 3; i++) {
    transpose(at[0] + i * 32, work + 0, 4, 1, 8);
    transpose(at[1] + i * 32, work + 64, 4, 1, 8);
    transpose(at[2] + i * 32, work + 128, 4, 1, 8);
    transpose(at[3] + i * 96, work + 192, 4, 3, 8);
    memset(work + 320, 0, 4);
    xgtsv_(&(int){4}, &(int){3}, work + 8, work + 64, work + 128, work + 192, &(int){4}, work + 320);
    transpose(work + 0, at[4] + i * 32, 1, 4, 8);
    transpose(work + 64, at[5] + i * 32, 1, 4, 8);
    transpose(work + 128, at[6] + i * 32, 1, 4, 8);
    transpose(work + 192, at[7] + i * 96, 3, 4, 8);
    transpose(work + 320, at[8] + i * 4, 1, 1, 4);
  }
}
"""
TRSM_CALL = """\
    xtrsm_(&(char){'L'}, &(char){'L'}, &(char){'N'}, &(char){'N'}, &(int){4}, &(int){3}, (float[]){1.0, 0}, \
work + 0, &(int){4}, work + 128, &(int){4}, 1, 1, 1, 1);
    transpose(work + 128, at[2] + i * 96, 3, 4, 8);
"""
GEEV_CALL = """\
    transpose(work + 192, at[2] + i * 32, 1, 4, 8);
    double_vectors(work + 256, at[2] + i * 32, at[3] + i * 256, 4);
    double_vectors(work + 384, at[2] + i * 32, at[4] + i * 256, 4);
"""


def test_source() -> None:
    potrf, gtsv = made("potrf", [SQUARE], 4, uplo=L), made("gtsv", [FACTORS] * 3 + [(2, 4, 3)], 8)
    text = calls("call", [potrf, gtsv])
    assert text == (
        f"{POTRF}{GTSV}static void (*const calls[])(char **) = {{call0, call1}};\n"
        "static void call(int64_t number, char **at) { calls[number](at); }\n"
    )
    trsm = made("trsm", [SQUARE, (2, 4, 3)], 8, True, **TRSM)
    assert TRSM_CALL in calls("f", [trsm])
    both = {"compute_left": V, "compute_right": V}
    assert GEEV_CALL in calls("f", [made("geev", [SQUARE], 8, **both)])
    void = ", ".join(["void *"] * 5)
    assert prototypes([potrf, potrf, gtsv]) == (
        f"void xpotrf_({void}, size_t);\nvoid xgtsv_({void}, void *, void *, void *);\n"
    )
