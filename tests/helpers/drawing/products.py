"""Random products, decompositions, transforms and random bits."""

from __future__ import annotations

from tests.helpers.drawing.sizes import Hints, Rng, arranged, draw_shape


def dot_general(rng: Rng) -> Hints:
    batch, contracted = (list(draw_shape(rng, 0, 2)) for _ in range(2))
    nb, nc = len(batch), len(contracted)
    found: Hints = {}
    for side in ("lhs", "rhs"):
        shape, at = arranged(rng, batch + contracted + list(draw_shape(rng, 0, 2)))
        found[side] = shape
        found[f"{side}_batching_dimensions"] = tuple(at[:nb])
        found[f"{side}_contracting_dimensions"] = tuple(at[nb : nb + nc])
    return found


def dot(rng: Rng) -> Hints:
    k = draw_shape(rng, 1, 1)
    return {"lhs": draw_shape(rng, 0, 1) + k, "rhs": k + draw_shape(rng, 0, 1)}


def einsum(rng: Rng) -> Hints:
    a, b, c = draw_shape(rng, 3, 3)
    return {"lhs": (a, b), "rhs": (b, c), "einsum_config": "ab,bc->ac", "result": (a, c)}


def convolution(rng: Rng) -> Hints:
    spatial = int(rng.integers(0, 3))
    groups, batches = ((1, 1), (2, 1), (1, 2))[rng.integers(0, 3)]
    features, outputs = int(rng.integers(1, 3)), 2 * int(rng.integers(1, 3))
    lhs, lhs_at = arranged(
        rng, [2 * int(rng.integers(1, 3)), features * groups, *rng.integers(1, 6, spatial).tolist()]
    )
    rhs, rhs_at = arranged(rng, [features, outputs, *rng.integers(1, 4, spatial).tolist()])
    out_at = rng.permutation(2 + spatial).tolist()
    return {
        "lhs": lhs,
        "rhs": rhs,
        "input_batch_dimension": lhs_at[0],
        "input_feature_dimension": lhs_at[1],
        "input_spatial_dimensions": tuple(lhs_at[2:]),
        "kernel_input_feature_dimension": rhs_at[0],
        "kernel_output_feature_dimension": rhs_at[1],
        "kernel_spatial_dimensions": tuple(rhs_at[2:]),
        "output_batch_dimension": out_at[0],
        "output_feature_dimension": out_at[1],
        "output_spatial_dimensions": tuple(out_at[2:]),
        "feature_group_count": groups,
        "batch_group_count": batches,
        "window_strides": tuple(rng.integers(1, 3, spatial).tolist()),
        "lhs_dilation": tuple(rng.integers(1, 3, spatial).tolist()),
        "rhs_dilation": tuple(rng.integers(1, 3, spatial).tolist()),
        "window_reversal": tuple(rng.integers(0, 2, spatial).astype(bool).tolist()),
        "padding": rng.integers(-1, 4, (spatial, 2)),
    }


def fft(rng: Rng) -> Hints:
    kind = str(rng.choice(["FFT", "IFFT", "RFFT", "IRFFT"]))
    lengths = tuple(rng.integers(1, 9, rng.integers(1, 4)).tolist())
    last = lengths[-1] // 2 + 1 if kind == "IRFFT" else lengths[-1]
    shape = (*draw_shape(rng, 0, 1), *lengths[:-1], last)
    return {"operand": shape, "fft_type": kind, "fft_length": lengths}


def cholesky(rng: Rng) -> Hints:
    n = int(rng.integers(1, 5))
    return {"a": (*draw_shape(rng, 0, 1), n, n)}


def triangular_solve(rng: Rng) -> Hints:
    n, m = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    batch, left = draw_shape(rng, 0, 1), bool(rng.integers(0, 2))
    return {"a": (*batch, n, n), "b": (*batch, n, m) if left else (*batch, m, n), "left_side": left}


def rng_bit_generator(rng: Rng) -> Hints:
    kind = str(rng.choice(["DEFAULT", "THREE_FRY", "PHILOX"]))
    return {"initial_state": (2,), "rng_algorithm": kind, "result": draw_shape(rng)}
