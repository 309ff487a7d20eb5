"""Cases of special values for ops that are not elementwise: reductions, windows, scatters, sorts, solvers.

Each function gives the cases of one op for an element type: labels, the op's text, and operands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import ComplexType, FloatType, Type
from tests.helpers.special_values import Case, few_values, grid, special_values

Array = np.ndarray[Any, np.dtype[Any]]
Cases = Callable[[str, Type], Iterator[Case]]
ROWS, LENGTH = 24, 37  # of arrays that are drawn: longer than vectors of a processor, and no multiple of them
FOLDS = ("add", "multiply", "maximum", "minimum")
IDENTITIES = {"add": 0.0, "multiply": 1.0, "maximum": -np.inf, "minimum": np.inf}


def tensor(shape: Sequence[int], element: object) -> str:
    return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"


def case(
    op: str, element: Type, variant: str, rest: str, arguments: Sequence[Array], results: list[str]
) -> Case:
    """The case of an op whose text behind the operands is `rest`; `T` stands for the element type."""
    types = tuple([tensor(x.shape, _element(x, element)) for x in arguments])
    operands = ", ".join(f"%{i}" for i in range(len(arguments)))
    found = tuple([result.replace("T", str(element)) for result in results])
    line = f'"{op}"({operands}) {rest.replace("$T", f"tensor<{element}>")} : ({", ".join(types)}) -> '
    line += f"({', '.join(found)})"
    return Case(op, str(element), variant, line, types, found, tuple(arguments))


def _element(array: Array, element: Type) -> object:
    plain = {"int32": "i32", "bool": "i1", "int64": "i64"}
    return plain.get(array.dtype.name, element) if array.dtype != numpy_dtype(element) else element


def drawn(
    element: Type, shape: tuple[int, ...], values: Callable[[np.dtype[Any]], Array], seed: int = 0
) -> Array:
    """An array of special values; of complex numbers each part."""
    rng = np.random.default_rng([5, seed])
    if isinstance(element, ComplexType):
        z = np.empty(shape, numpy_dtype(element))
        z.real, z.imag = (rng.choice(values(numpy_dtype(element.element_type)), shape) for _ in range(2))
        return z
    return rng.choice(values(numpy_dtype(element)), shape)


def tame_values(dtype: np.dtype[Any]) -> Array:
    """Values whose sums and products are NaN, infinite or zero in whichever order they are taken."""
    found = few_values(dtype)
    with np.errstate(all="ignore"):
        return found[np.abs(found.astype(np.float64)) != float(found[4])]


def folded(name: str) -> str:
    return (
        f'({{^bb0(%a: $T, %b: $T): %c = "stablehlo.{name}"(%a, %b) : ($T, $T) -> $T '
        f'"stablehlo.return"(%c) : ($T) -> ()}})'
    )


def compared(direction: str, type: str) -> str:
    return (
        f'({{^bb0(%a: $T, %b: $T): %c = "stablehlo.compare"(%a, %b) <{{comparison_direction = '
        f"#stablehlo<comparison_direction {direction}>, compare_type = #stablehlo<comparison_type {type}>}}> "
        f': ($T, $T) -> tensor<i1> "stablehlo.return"(%c) : (tensor<i1>) -> ()}})'
    )


def initial(name: str, element: Type) -> Array:
    with np.errstate(all="ignore"):
        value = np.array(IDENTITIES[name])
        return value.astype(numpy_dtype(element))


def _signless(element: Type) -> bool:
    return str(element) == "f8E8M0FNU"


def folds(element: Type) -> Iterator[tuple[str, Array]]:
    """Each fold with its initial value; sums with both zeros."""
    for name in FOLDS[1:] if _signless(element) else FOLDS:
        if name in FOLDS[2:] and isinstance(element, ComplexType):
            continue
        yield name, initial(name, element)
        if name == "add":
            yield name, -initial(name, element)


def values_of(name: str) -> Callable[[np.dtype[Any]], Array]:
    return tame_values if name in ("add", "multiply") else special_values


def reduce(op: str, element: Type) -> Iterator[Case]:
    """Pairs, rows and columns."""
    pairs = np.stack(grid(element, 2), axis=-1)
    if len(pairs) > 2000:
        pairs = pairs[::3]
    for name, init in folds(element):
        long = drawn(element, (ROWS, LENGTH), values_of(name))
        for label, x, axis in (("pairs", pairs, 1), ("rows", long, 1), ("columns", long, 0)):
            result = tensor(np.delete(x.shape, axis).tolist(), "T")
            text = f"<{{dimensions = array<i64: {axis}>}}> {folded(name)}"
            yield case(op, element, f"{name} from {init} of {label}", text, [x, init], [result])
    if isinstance(element, FloatType):
        yield from _positions(op, element)


CHOOSE = """<{dimensions = array<i64: 1>}> ({^bb0(%a: $T, %i: tensor<i32>, %b: $T, %j: tensor<i32>):
  %p = stablehlo.compare DIRECTION, %a, %b : ($T, $T) -> tensor<i1>
  %q = stablehlo.compare NE, %a, %a : ($T, $T) -> tensor<i1>
  %r = stablehlo.or %p, %q : tensor<i1>
  %s = stablehlo.compare EQ, %a, %b : ($T, $T) -> tensor<i1>
  %t = stablehlo.compare LT, %i, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %u = stablehlo.and %s, %t : tensor<i1>
  %v = stablehlo.or %r, %u : tensor<i1>
  %w = stablehlo.select %r, %a, %b : tensor<i1>, $T
  %x = stablehlo.select %v, %i, %j : tensor<i1>, tensor<i32>
  "stablehlo.return"(%w, %x) : ($T, tensor<i32>) -> ()})"""  # as of argmax in JAX


def _positions(op: str, element: Type) -> Iterator[Case]:
    x = drawn(element, (ROWS, LENGTH), special_values)
    places = np.broadcast_to(np.arange(LENGTH, dtype=np.int32), x.shape).copy()
    for direction, name in (("GT", "maximum"), ("LT", "minimum")):
        given = [x, places, initial(name, element), np.array(0, np.int32)]
        results = [tensor((ROWS,), "T"), tensor((ROWS,), "i32")]
        yield case(
            op, element, f"position {direction}", CHOOSE.replace("DIRECTION", direction), given, results
        )


def reduce_window(op: str, element: Type) -> Iterator[Case]:
    """Windows of three with padding, and cumulative ones from either end."""
    length = 9
    windows = {"of 3": (3, 1, 1), "up to": (length, length - 1, 0), "from": (length, 0, length - 1)}
    for (name, init), (label, (size, low, high)) in product(folds(element), windows.items()):
        x = drawn(element, (ROWS, length), values_of(name))
        text = (
            f"<{{window_dimensions = array<i64: 1, {size}>, padding = dense<[[0, 0], [{low}, {high}]]> : "
            f"tensor<2x2xi64>}}> {folded(name)}"
        )
        yield case(op, element, f"{name} from {init} {label}", text, [x, init], [tensor(x.shape, "T")])


def select_and_scatter(op: str, element: Type) -> Iterator[Case]:
    """The chosen places of windows of two, which do not overlap."""
    if isinstance(element, ComplexType) or _signless(element):
        return
    x, source = drawn(element, (ROWS, 8), special_values), drawn(element, (ROWS, 4), tame_values, 1)
    for direction in ("GE", "LE", "GT"):
        text = (
            "<{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}> "
            f"{compared(direction, 'FLOAT')[:-1]}, {folded('add').replace('%', '%s')[1:]}"
        )
        yield case(op, element, direction, text, [x, source, initial("add", element)], [tensor(x.shape, "T")])


SCATTER = (
    "<{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], "
    "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> "
)


def scatter(op: str, element: Type) -> Iterator[Case]:
    """All pairs of an element and an update, and several updates of each element."""
    for name, _ in folds(element):
        x, updates = grid(element, 2)
        places = np.arange(len(x), dtype=np.int32)[:, None]
        text = SCATTER + folded(name)
        yield case(op, element, f"{name} of pairs", text, [x, places, updates], [tensor(x.shape, "T")])
        x = drawn(element, (40,), values_of(name))
        updates = drawn(element, (120,), values_of(name), 1)
        places = (np.arange(120, dtype=np.int32) * 7 % 40)[:, None]
        yield case(op, element, f"{name} of many", text, [x, places, updates], [tensor(x.shape, "T")])


def mapped(op: str, element: Type) -> Iterator[Case]:
    x, y = grid(element, 2)
    for name in ("maximum", "minimum", "multiply"):
        if not isinstance(element, ComplexType):
            text = f"<{{dimensions = array<i64: 0>}}> {folded(name)}"
            yield case(op, element, name, text, [x, y], [tensor(x.shape, "T")])


CANONICAL = """({^bb0(%a: $T, %b: $T, %i: tensor<i32>, %j: tensor<i32>):
  %z = stablehlo.constant dense<0.0> : $T
  %n = stablehlo.constant dense<0x7FC00000> : $T
  %c = stablehlo.compare EQ, %a, %z, FLOAT : ($T, $T) -> tensor<i1>
  %d = stablehlo.select %c, %z, %a : tensor<i1>, $T
  %e = stablehlo.compare NE, %a, %a, FLOAT : ($T, $T) -> tensor<i1>
  %f = stablehlo.select %e, %n, %d : tensor<i1>, $T
  %g = stablehlo.compare EQ, %b, %z, FLOAT : ($T, $T) -> tensor<i1>
  %h = stablehlo.select %g, %z, %b : tensor<i1>, $T
  %k = stablehlo.compare NE, %b, %b, FLOAT : ($T, $T) -> tensor<i1>
  %l = stablehlo.select %k, %n, %h : tensor<i1>, $T
  %r = stablehlo.compare LT, %f, %l, TOTALORDER : ($T, $T) -> tensor<i1>
  "stablehlo.return"(%r) : (tensor<i1>) -> ()})"""  # as of sort in JAX


def sort(op: str, element: Type) -> Iterator[Case]:
    """Rows and their places, in each direction and order."""
    if isinstance(element, ComplexType):
        return
    options = "<{dimension = 1 : i64, is_stable = true}> "
    second = "^bb0(%a: $T, %b: $T, %i: tensor<i32>, %j: tensor<i32>)"
    orders = {
        f"{type} {direction}": compared(direction, type).replace("^bb0(%a: $T, %b: $T)", second)
        for type in ("FLOAT", "TOTALORDER")
        for direction in ("LT", "GT")
    }
    if str(element) == "f32":
        orders["as in JAX"] = CANONICAL
    for (label, order), length in product(orders.items(), (LENGTH, 80)):
        x = drawn(element, (ROWS, length), special_values)
        places = np.broadcast_to(np.arange(length, dtype=np.int32), x.shape).copy()
        results = [tensor(x.shape, "T"), tensor(x.shape, "i32")]
        yield case(op, element, f"{label} of {length}", options + order, [x, places], results)


def top_k(op: str, element: Type) -> Iterator[Case]:
    if isinstance(element, ComplexType):
        return
    x = drawn(element, (ROWS, LENGTH), special_values)
    for k in (1, 5, LENGTH):
        results = [tensor((ROWS, k), "T"), tensor((ROWS, k), "i32")]
        yield case(op, element, f"k = {k}", f"<{{k = {k} : i64}}>", [x], results)


def matrices(element: Type, size: int) -> Array:
    """Matrices of special values, most of them with an ordinary diagonal.

    Products do not overflow: of a product and a difference, an engine may round the result alone.
    """
    a = drawn(element, (3 * ROWS, size, size), tame_values)
    a[::3, range(size), range(size)] = 4
    a[1::3, 0, 0] = 4
    return a


def cholesky(op: str, element: Type) -> Iterator[Case]:
    for size, lower in product((1, 2, 3), ("true", "false")):
        a = matrices(element, size)
        a = np.where(np.tri(size, k=0), a, np.conj(np.swapaxes(a, -1, -2)))
        text = f"<{{lower = {lower}}}>"
        yield case(op, element, f"of {size}, lower = {lower}", text, [a], [tensor(a.shape, "T")])


def triangular_solve(op: str, element: Type) -> Iterator[Case]:
    a, b = matrices(element, 3), drawn(element, (3 * ROWS, 3, 2), tame_values, 1)
    for lower, unit, turn in product(("true", "false"), ("true", "false"), ("NO_TRANSPOSE", "ADJOINT")):
        text = (
            f"<{{left_side = true, lower = {lower}, unit_diagonal = {unit}, "
            f"transpose_a = #stablehlo<transpose {turn}>}}>"
        )
        yield case(op, element, f"{lower} {unit} {turn}", text, [a, b], [tensor(b.shape, "T")])


TRSM = "diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8"
LETTERS = {"f32": "s", "f64": "d", "complex<f32>": "c", "complex<f64>": "z"}


def custom_call(op: str, element: Type) -> Iterator[Case]:
    """The routines of LAPACK that an engine may have loops for."""
    if str(element) not in LETTERS:
        return
    a, b = matrices(element, 3), drawn(element, (3 * ROWS, 3, 2), tame_values, 1)
    info, pivots = tensor(a.shape[:1], "i32"), tensor(a.shape[:2], "i32")
    calls: dict[str, tuple[str, list[Array], list[str]]] = {
        "potrf": ("uplo = 76 : ui8", [a], [tensor(a.shape, "T"), info]),
        "getrf": ("", [a], [tensor(a.shape, "T"), pivots, info]),
        "trsm": (TRSM, [a, b], [tensor(b.shape, "T")]),
    }
    for name, (options, given, results) in calls.items():
        target = f"lapack_{LETTERS[str(element)]}{name}_ffi"
        text = f'<{{call_target_name = "{target}", api_version = 4 : i32}}> '
        text += f"{{mhlo.backend_config = {{{options}}}}}"
        yield case(op, element, name, text, given, results)


def dot_general(op: str, element: Type) -> Iterator[Case]:
    """Products of vectors, and of matrices."""
    numbers = (
        "<{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], "
        "rhs_contracting_dimensions = [0]>}>"
    )
    for k in (1, 5):
        a, b = drawn(element, (ROWS, k), tame_values), drawn(element, (k, 7), tame_values, 1)
        yield case(op, element, f"of {k}", numbers, [a, b], [tensor((ROWS, 7), "T")])


def convolution(op: str, element: Type) -> Iterator[Case]:
    x, kernel = drawn(element, (2, 9, 3), tame_values), drawn(element, (2, 3, 4), tame_values, 1)
    text = (
        "<{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, "
        "feature_group_count = 1 : i64, batch_group_count = 1 : i64, "
        "padding = dense<[[1, 0]]> : tensor<1x2xi64>}>"
    )
    yield case(op, element, "of 2", text, [x, kernel], [tensor((2, 9, 4), "T")])


def fft(op: str, element: Type) -> Iterator[Case]:
    x = drawn(element, (ROWS, 4), tame_values)
    if isinstance(element, ComplexType):
        for kind in ("FFT", "IFFT"):
            text = f"<{{fft_type = #stablehlo<fft_type {kind}>, fft_length = array<i64: 4>}}>"
            yield case(op, element, kind, text, [x], [tensor(x.shape, "T")])
    elif str(element) in LETTERS:
        text = "<{fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 4>}>"
        yield case(op, element, "RFFT", text, [x], [tensor((ROWS, 3), "complex<T>")])


def normalization(operands: Sequence[str], results: int) -> Cases:
    def cases(op: str, element: Type) -> Iterator[Case]:
        if isinstance(element, ComplexType):
            return
        shapes = {"operand": (5, ROWS), "grad_output": (5, ROWS)}
        given = [drawn(element, shapes.get(name, (ROWS,)), tame_values, i) for i, name in enumerate(operands)]
        text = "<{epsilon = 0.125 : f32, feature_index = 1 : i64}>"
        types = [tensor((5, ROWS), "T"), *[tensor((ROWS,), "T")] * (results - 1)]
        yield case(op, element, "", text, given, types)

    return cases


REGIONS: dict[str, Cases] = {
    "stablehlo.reduce": reduce,
    "stablehlo.reduce_window": reduce_window,
    "stablehlo.select_and_scatter": select_and_scatter,
    "stablehlo.scatter": scatter,
    "stablehlo.map": mapped,
    "stablehlo.sort": sort,
    "stablehlo.cholesky": cholesky,
    "stablehlo.triangular_solve": triangular_solve,
    "stablehlo.custom_call": custom_call,
    "stablehlo.dot_general": dot_general,
    "stablehlo.convolution": convolution,
    "stablehlo.fft": fft,
    "stablehlo.batch_norm_inference": normalization(("operand", "scale", "offset", "mean", "variance"), 1),
    "stablehlo.batch_norm_training": normalization(("operand", "scale", "offset"), 3),
    "stablehlo.batch_norm_grad": normalization(("operand", "scale", "mean", "variance", "grad_output"), 3),
    "chlo.top_k": top_k,
}
