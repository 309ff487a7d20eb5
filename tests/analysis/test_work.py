"""Operations of ops by hand, of convolutions by counting positions, and trip counts by running the loop."""

from __future__ import annotations

from itertools import product

import pytest

import stablehlo_py as shlo
from stablehlo_py.analysis.cost import Cost, Costs
from stablehlo_py.analysis.trips import trip_count
from stablehlo_py.analysis.work import _hits, _log2_ceiling

BODY = '({{^bb0(%p: tensor<f32>, %q: tensor<f32>): {ops} "stablehlo.return"(%s) : (tensor<{type}>) -> ()}})'
ADD = BODY.format(ops="%s = stablehlo.add %p, %q : tensor<f32>", type="f32")
TWO = BODY.format(
    ops="%m = stablehlo.multiply %p, %q : tensor<f32> %s = stablehlo.tanh %m : tensor<f32>", type="f32"
)
GE = BODY.format(
    ops="%s = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>", type="i1"
)


def convolution(given: str, image: str, kernel: str, output: str, name: str = "convolution") -> str:
    """A convolution of one or two spatial dimensions, with attributes."""
    space = ", ".join(str(d) for d in range(image.count("x") - 1))
    numbers = f"[b, {space}, f]x[{space}, i, o]->[b, {space}, f]"
    groups = "".join(
        f", {n} = 1 : i64" for n in ("feature_group_count", "batch_group_count") if n not in given
    )
    types = ", ".join(
        [f"tensor<{image}xf32>", f"tensor<{kernel}xf32>"] + ["tensor<1x2xi64>"] * ("dyn" in name)
    )
    return (
        f'"stablehlo.{name}"({"%a, %b, %c"[: 6 + 4 * ("dyn" in name)]}) {{dimension_numbers = '
        f"#stablehlo.conv<{numbers}>, {given}{groups}}} : ({types}) -> tensor<{output}xf32>"
    )


@pytest.mark.parametrize(
    ("op", "flops", "transcendentals", "read", "written"),
    [
        # 3 places of the kernel for each of 4 results; of 4 input features, each of 6 results reads a half
        (convolution("feature_group_count = 2 : i64", "1x6x4", "3x2x6", "1x4x6"), 2 * 3 * 4 * 2 * 6, 0,
         4 * 24 + 4 * 36, 4 * 24),
        # each half of 4 images gives a half of 6 features of 2 results
        (convolution("batch_group_count = 2 : i64", "4x6x2", "3x2x6", "2x4x6"), 2 * 3 * 4 * 2 * 6 * 2, 0,
         4 * 48 + 4 * 36, 4 * 48),
        # 3 by 2 places for each of 2 by 4 results; every second row, and columns that are 2 apart
        (convolution("window_strides = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>", "1x5x6x1",
                     "3x2x1x1", "1x2x4x1"), 2 * 3 * 2 * 2 * 4, 0, 4 * 30 + 4 * 6, 4 * 8),
        # x 0 y 0 z: each pair of neighbours has one element; with a column on the left, there is one more
        (convolution("lhs_dilation = array<i64: 2>", "1x3x1", "2x1x1", "1x4x1"), 2 * 4, 0, 20, 16),
        (convolution("lhs_dilation = array<i64: 2>, padding = dense<[[1, 0]]> : tensor<1x2xi64>", "1x3x1",
                     "2x1x1", "1x5x1"), 2 * 5, 0, 20, 20),
        # .a bc de: of two windows, three apart, the first has one place of padding, which is on the left
        (convolution("window_strides = array<i64: 3>, padding = dense<[[1, 0]]> : tensor<1x2xi64>", "1x5x1",
                     "2x1x1", "1x2x1"), 2 * 3, 0, 28, 8),
        (convolution("window_strides = array<i64: 3>, padding = dense<[[0, 1]]> : tensor<1x2xi64>", "1x5x1",
                     "2x1x1", "1x2x1"), 2 * 4, 0, 28, 8),
        # the size of an index is known from one of two operands
        ('"stablehlo.einsum"(%a, %b) {einsum_config = "ab,bc->ac"} '
         ": (tensor<4x3xf32>, tensor<?x5xf32>) -> tensor<4x5xf32>", 2 * 4 * 3 * 5, 0, 48 + 20, 80),
        ('"stablehlo.einsum"(%a, %b) {einsum_config = "ab,bc->ac"} '
         ": (tensor<4x?xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>", 2 * 4 * 3 * 5, 0, 16 + 60, 80),
        # a sum without a body: an addition per element
        ('"stablehlo.cross-replica-sum"(%a) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} '
         ": (tensor<5xf32>) -> tensor<5xf32>", 5, 0, 20, 20),
        # what is read are the elements of the result, and where they are
        ('"stablehlo.dynamic_slice"(%a, %b, %c) {slice_sizes = array<i64: 2, 3>} '
         ": (tensor<9x9xf32>, tensor<i64>, tensor<i64>) -> tensor<2x3xf32>", 0, 0, 24 + 16, 24),
        # nothing is computed for no elements
        ('"stablehlo.add"(%a, %b) : (tensor<0x3xf32>, tensor<0x3xf32>) -> tensor<0x3xf32>', 0, 0, 0, 0),
        ('"stablehlo.dot"(%a, %b) : (tensor<2x0xf32>, tensor<0x3xf32>) -> tensor<2x3xf32>', 0, 0, 0, 24),
        # padding that is not known yet: all places count
        (convolution("window_strides = array<i64: 1>", "1x6x1", "3x1x1", "1x6x1", "dynamic_conv"),
         2 * 3 * 6, 0, 24 + 12 + 16, 24),
        (f'"stablehlo.all_reduce"(%a) {TWO} {{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}} '
         ": (tensor<5xf32>) -> tensor<5xf32>", 5, 5, 20, 20),
        # each of 6 rows meets the matrix of its group
        ('"chlo.ragged_dot"(%a, %b, %c) {ragged_dot_dimension_numbers = #chlo.ragged_dot<'
         "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], "
         "rhs_group_dimensions = [0]>} : (tensor<6x3xf32>, tensor<2x3x4xf32>, tensor<2xi64>) "
         "-> tensor<6x4xf32>", 2 * 6 * 3 * 4, 0, 72 + 96 + 16, 96),
        # a sum along the second dimension
        ('"stablehlo.unary_einsum"(%a) {einsum_config = "ab->a"} : (tensor<2x3xf32>) -> tensor<2xf32>',
         6, 0, 24, 8),
        # a third of n cubed, of each of two matrices of 6 by 6
        ('"stablehlo.cholesky"(%a) {lower = true} : (tensor<2x6x6xf32>) -> tensor<2x6x6xf32>',
         2 * 6 * 6 * 6 // 3, 0, 288, 288),
        # 2 n for each of the 4 by 5 elements of b
        ('"stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, '
         "transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<4x4xf32>, tensor<4x5xf32>) "
         "-> tensor<4x5xf32>", 2 * 4 * 20, 0, 64 + 80, 80),
        # of 3 by 2 matrices of 4 by 4: 2 n for each of the 3 by 2 by 4 by 5 elements of b
        ('"stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, '
         "transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<3x2x4x4xf32>, tensor<3x2x4x5xf32>) "
         "-> tensor<3x2x4x5xf32>", 2 * 4 * 120, 0, 384 + 480, 480),
        # n log n, with the logarithm rounded up: 20 elements
        (f'"stablehlo.sort"(%a) {GE} : (tensor<4x5xf32>) -> tensor<4x5xf32>', 20 * 5, 0, 80, 80),
        ('"stablehlo.dot"(%a, %b) : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>',
         2 * 10 * 3, 0, 24 + 60, 40),
        # 8 for each of 16 elements and 4 levels; of a real transform, the real side; two levels of 4 by 4
        ('"stablehlo.fft"(%a) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 16>} '
         ": (tensor<16xcomplex<f32>>) -> tensor<16xcomplex<f32>>", 8 * 4 * 16, 0, 128, 128),
        ('"stablehlo.fft"(%a) {fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 16>} '
         ": (tensor<16xf32>) -> tensor<9xcomplex<f32>>", 8 * 4 * 16, 0, 64, 72),
        ('"stablehlo.fft"(%a) {fft_type = #stablehlo<fft_type IRFFT>, fft_length = array<i64: 4, 4>} '
         ": (tensor<4x3xcomplex<f32>>) -> tensor<4x4xf32>", 8 * (2 + 2) * 16, 0, 96, 64),
        # a call for each element but the first of each of 3 results
        (f'"stablehlo.reduce"(%a, %b) {ADD} {{dimensions = array<i64: 1>}} '
         ": (tensor<3x7xf32>, tensor<f32>) -> tensor<3xf32>", 3 * 6, 0, 88, 12),
        (f'"stablehlo.map"(%a, %b) {TWO} {{dimensions = array<i64: 0>}} '
         ": (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>", 5, 5, 40, 20),
        # windows of 6, of which each of 8 results takes five calls
        (f'"stablehlo.reduce_window"(%a, %b) {TWO} {{window_dimensions = array<i64: 2, 3>}} '
         ": (tensor<3x6xf32>, tensor<f32>) -> tensor<2x4xf32>", 8 * 5, 8 * 5, 76, 32),
        # windows of 2 by 2: three comparisons and one call of the second function for each of 4 sources
        (f'"stablehlo.select_and_scatter"(%a, %b, %c) ({GE[1:-1]}, {TWO[1:-1]}) '
         "{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>} "
         ": (tensor<4x4xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x4xf32>",
         4 * 3 + 4, 4, 64 + 16 + 4, 64),
        # a call for each of 2 by 3 updates; it reads indices, updates, and what is updated
        (f'"stablehlo.scatter"(%a, %b, %c) {ADD} {{scatter_dimension_numbers = #stablehlo.scatter<'
         "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
         "index_vector_dim = 1>} : (tensor<9x3xf32>, tensor<2x1xi64>, tensor<2x3xf32>) -> tensor<9x3xf32>",
         6, 0, 2 * 24 + 16, 24),
        ('"stablehlo.rng"(%a, %b, %c) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} '
         ": (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<7xf32>", 0, 7, 16, 28),
    ],
)  # fmt: skip
def test_operations(op: str, flops: int, transcendentals: int, read: int, written: int) -> None:
    types = op.rpartition(" : (")[2].partition(") -> ")
    arguments = ", ".join(f"%{n}: {t}" for n, t in zip("abc", types[0].split(", "), strict=False))
    module = shlo.parse(
        f"func.func @main({arguments}) -> {types[2]} {{\n%r = {op}\nreturn %r : {types[2]}\n}}"
    )
    assert not [d for d in shlo.verify(module) if d.severity == "error"]
    assert Costs(module).function("main") == Cost(flops, transcendentals, read, written)


def test_normalizations_have_a_square_root_for_each_feature() -> None:
    text = """func.func @main(%x: tensor<2x3x5xf32>, %s: tensor<5xf32>) -> tensor<2x3x5xf32> {
  %r = "stablehlo.batch_norm_inference"(%x, %s, %s, %s, %s) {epsilon = 1.0e-5 : f32, feature_index = 2 : i64}
    : (tensor<2x3x5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<2x3x5xf32>
  return %r : tensor<2x3x5xf32>
}"""
    found = Costs(shlo.parse(text)).function("main")
    assert (found.transcendentals, found.flops) == (5, 4 * 30)  # minus, divided by, times and plus a number


def test_places_of_windows_that_hit_an_element() -> None:
    """Of `count` places, those that are the start, or after it a multiple of the dilation."""
    for start, count, stride, image, dilation in product(
        range(-7, 8, 3), (1, 2, 5), (1, 2, 3, 4), (1, 2, 5), (1, 2, 3, 4)
    ):
        places = {start + dilation * at for at in range(image)}
        expected = sum(i * stride in places for i in range(count))
        assert _hits(start, count, stride, image, dilation) == expected


def test_logarithms_are_rounded_up() -> None:
    assert list(map(_log2_ceiling, (0, 1, 2, 3, 4, 5, 8, 9))) == [0, 0, 1, 2, 2, 3, 3, 4]


LOOP = """func.func @main(%free: tensor<i32>) -> tensor<i32> {{
  %start = stablehlo.constant dense<{start}> : tensor<i32>
  %step = stablehlo.constant dense<{step}> : tensor<i32>
  %bound = stablehlo.constant dense<{bound}> : tensor<i32>
  %w:3 = stablehlo.while(%i = %start, %s = %step, %n = %bound) : tensor<i32>, tensor<i32>, tensor<i32> cond {{
    %c = stablehlo.compare {compare} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }} do {{
    %next = stablehlo.{next} : tensor<i32>
    stablehlo.return %next, %s, %n : tensor<i32>, tensor<i32>, tensor<i32>
  }}
  return %w#0 : tensor<i32>
}}"""
TESTS = {"LT": int.__lt__, "LE": int.__le__, "GT": int.__gt__, "GE": int.__ge__, "NE": int.__ne__}


def trips(**given: object) -> int | None:
    module = shlo.parse(LOOP.format(**given))
    (loop,) = [op for op in module.walk() if op.name == "stablehlo.while"]
    return trip_count(loop)


def counted(direction: str, start: int, step: int, bound: int, mirrored: bool) -> int | None:
    """The iterations of a loop that ends within 100; None of another."""
    for count in range(100):
        a, b = (bound, start) if mirrored else (start, bound)
        if not TESTS[direction](a, b):
            return count
        start += step
    return None


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("direction", TESTS)
def test_trip_counts_are_those_of_the_loop(direction: str, mirrored: bool) -> None:
    compare = f"{direction}, %n, %i" if mirrored else f"{direction}, %i, %n"
    for step, bound in product((-3, -1, 1, 2), (-4, 0, 3, 6)):
        expected = counted(direction, 0, step, bound, mirrored)
        for change in ("add %i, %s", "add %s, %i"):
            found = trips(start=0, step=step, bound=bound, compare=compare, next=change)
            assert found == expected, (step, bound)
        back = trips(start=0, step=-step, bound=bound, compare=compare, next="subtract %i, %s")
        assert back == expected, (step, bound)


@pytest.mark.parametrize(
    ("compare", "change"),
    [
        ("LT, %i, %free", "add %i, %s"),
        ("LT, %s, %n", "add %i, %s"),
        ("LT, %i, %n", "subtract %s, %i"),
        ("LT, %i, %n", "multiply %i, %s"),
        ("LT, %i, %n", "add %i, %i"),
        ("LT, %i, %n", "add %i, %free"),
        ("EQ, %i, %n", "add %i, %s"),
    ],
)
def test_loops_whose_trips_are_not_known(compare: str, change: str) -> None:
    assert trips(start=0, step=1, bound=5, compare=compare, next=change) is None


def test_notes_are_given_for_each_op() -> None:
    """That dynamic dimensions count as 1 is noted where it begins, also of an element of a tuple."""
    text = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = stablehlo.custom_call @f(%0) : (tensor<2xf32>) -> tuple<tensor<2xf32>, tensor<?xf32>>
  %2 = stablehlo.custom_call @f(%0) : (tensor<2xf32>) -> tensor<?xf32>
  return %0 : tensor<2xf32>
}"""
    costs = Costs(shlo.parse(text))
    costs.function("main")
    unknown = "the cost of custom_call @f is unknown"
    dynamic = "dynamic dimensions are counted as their bounds, or as 1, from here on"
    assert sorted((note.line, note.message) for note in costs.notes) == [
        (2, unknown),
        (3, dynamic),
        (3, unknown),
        (4, unknown),
    ]


@pytest.mark.parametrize(("step", "trips"), [("%i, %one", 9), ("%one, %i", None), ("%i, %i", None)])
def test_a_difference_is_a_step_if_the_counter_comes_first(step: str, trips: int | None) -> None:
    text = f"""func.func @main() -> tensor<i32> {{
  %n = stablehlo.constant dense<9> : tensor<i32>
  %0 = stablehlo.while(%i = %n) : tensor<i32>
  cond {{
    %z = stablehlo.constant dense<0> : tensor<i32>
    %p = stablehlo.compare GT, %i, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }} do {{
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.subtract {step} : tensor<i32>
    stablehlo.return %j : tensor<i32>
  }}
  return %0 : tensor<i32>
}}"""
    (loop,) = [op for op in shlo.parse(text).walk() if op.name == "stablehlo.while"]
    assert trip_count(loop) == trips
