"""Whole programs exported by JAX, against XLA."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("jaxlib")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
import jax.scipy as jsp
from jax import lax, nn, random

import stablehlo_py as shlo
from stablehlo_py.debug.generate.elements import Mood, draw_values
from stablehlo_py.ir.types import F32, F64, I1, I32, I64, ComplexType, FloatType, IntegerType, Type
from tests.helpers.agreement import distance
from tests.helpers.soak import DRAWS

jax.config.update("jax_enable_x64", True)

ULPS = 32
Function = Callable[..., Any]


def scanned(f: Function, x: Any, xs: Any) -> Any:
    return lax.scan(f, x, xs)


def newton(x: Any) -> Any:
    return lax.while_loop(lambda y: jnp.any(abs(y * y - x) > 1e-3), lambda y: (y + x / y) / 2, x)


def collatz(n: Any) -> Any:
    def step(state: Any) -> Any:
        m, count = state
        return jnp.where(m % 2 == 0, m // 2, 3 * m + 1), count + 1

    return lax.while_loop(lambda state: state[0] != 1, step, (n, 0))


def attention(q: Any, k: Any, v: Any) -> Any:
    scores = jnp.einsum("hqd,hkd->hqk", q, k) / np.sqrt(q.shape[-1]).astype(q.dtype)
    mask = jnp.tril(jnp.ones(scores.shape[-2:], bool))
    return nn.softmax(jnp.where(mask, scores, -1e9), axis=-1) @ v


def lstm(x: Any, w: Any) -> Any:
    def cell(state: Any, step: Any) -> Any:
        h, c = state
        i, f, g, o = jnp.split(jnp.concatenate([step, h]) @ w, 4)
        c = nn.sigmoid(f) * c + nn.sigmoid(i) * jnp.tanh(g)
        return (nn.sigmoid(o) * jnp.tanh(c), c), h

    zero = jnp.zeros(w.shape[1] // 4, x.dtype)
    return lax.scan(cell, (zero, zero), x)


def sieve(n: int) -> Any:
    def strike(i: Any, flags: Any) -> Any:
        return jnp.where((jnp.arange(n) % i == 0) & (jnp.arange(n) > i) & flags[i], False, flags)

    return lax.fori_loop(2, n, strike, jnp.arange(n) > 1)


def quantized(x: Any, w: Any) -> Any:
    scale = jnp.max(abs(x)) / 127
    whole = jnp.clip(jnp.round(x / scale), -127, 127).astype(jnp.int8)
    return lax.dot(whole, w, preferred_element_type=jnp.int32)


def fused_rows(x: Any) -> Any:
    def row(i: Any, table: Any) -> Any:
        return table.at[i].set(table[i] * 2 + jnp.sin(table[(i + 1) % table.shape[0]]))

    return lax.fori_loop(0, x.shape[0], row, x)


def swapped(a: Any, b: Any) -> Any:
    """Values that change places in every round, so that neither buffer may be written to too soon."""
    return lax.fori_loop(0, 5, lambda i, s: (s[1] + i, s[0].at[i % 3].add(s[1][0])), (a, b))


PROGRAMS: dict[str, tuple[Function, tuple[str, ...]]] = {
    # Elementwise chains, in several types.
    "gelu": (nn.gelu, ("f32[5,7]",)),
    "gelu bf16": (nn.gelu, ("bf16[5,7]",)),
    "softplus f16": (nn.softplus, ("f16[33]",)),
    "mish grad": (jax.grad(lambda x: nn.mish(x).sum()), ("f32[9]",)),
    "silu and gates": (lambda x: nn.silu(x) * nn.hard_sigmoid(x) + nn.elu(x) - nn.celu(x), ("f64[4,5]",)),
    "polynomial": (lambda x: jnp.polyval(jnp.array([1.0, -2, 0.5, 3]), x), ("f64[7]",)),
    "int8 wrap": (lambda a, b: (a * b + a - b, a // b, a % b, a ^ b, ~a, a << 3), ("i8[40]", "i8[40]")),
    "uint32 bits": (
        lambda a, b: (a * b, a >> 5, lax.population_count(a), lax.clz(b), a - b),
        ("ui32[40]", "ui32[40]"),
    ),
    "complex": (lambda z: (jnp.exp(z) * z.conj(), abs(z), jnp.angle(z), z.real * z.imag), ("c64[12]",)),
    "divmod of floats": (lambda a, b: (*jnp.divmod(a, b), jnp.fmod(a, b)), ("f32[30]", "f32[30]")),
    "bits of floats": (lambda x: (*jnp.frexp(x), jnp.signbit(x), jnp.nextafter(x, 2 * x)), ("f32[20]",)),
    "mixed types": (lambda i, x, b: (i * x + b, jnp.where(b, x, i)), ("i8[6]", "bf16[6]", "i1[6]")),
    "nan handling": (lambda x: (jnp.nanmax(x / x), jnp.nan_to_num(1 / (x - x[0]))), ("f32[9]",)),
    # Reductions and scans.
    "layer norm": (lambda x: nn.standardize(x, axis=-1), ("f32[6,17]",)),
    "logsumexp": (lambda x: nn.logsumexp(x, axis=(0, 2)), ("f32[3,4,5]",)),
    "variance": (lambda x: (x.var(0), x.std(), jnp.ptp(x, 1)), ("f64[6,5]",)),
    "argmax": (lambda x: (x.argmax(1), x.argmin(0), jnp.argmax(x)), ("i8[5,6]",)),
    "cumulative": (lambda x: (x.cumsum(0), jnp.cumprod(x, 1), lax.cummax(x), lax.cummin(x)), ("f32[5,6]",)),
    "cumulative int": (lambda x: (x.cumsum(), lax.cumprod(x, reverse=True)), ("i32[37]",)),
    "associative scan": (
        lambda a, b: lax.associative_scan(lambda p, q: (p[0] * q[0], q[0] * p[1] + q[1]), (a, b)),
        ("f32[13]", "f32[13]"),
    ),
    "histogram": (lambda x: jnp.bincount(abs(x) % 7, length=7), ("i32[50]",)),
    "quantiles": (lambda x: jnp.quantile(x, jnp.array([0.1, 0.5, 0.9]), axis=0), ("f32[11,3]",)),
    "pooling": (
        lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3), (1, 2, 2), "SAME"),
        ("f32[2,7,8]",),
    ),
    "mean of bf16": (lambda x: (x.mean(0), x.sum(1), x.max()), ("bf16[9,16]",)),
    "segments": (
        lambda x, i: jax.ops.segment_sum(x, i % 4, 4) + jax.ops.segment_max(x, i % 4, 4),
        ("f32[20]", "i32[20]"),
    ),
    # Products.
    "attention": (attention, ("f32[2,5,4]", "f32[2,5,4]", "f32[2,5,4]")),
    "attention bf16": (attention, ("bf16[2,5,4]", "bf16[2,5,4]", "bf16[2,5,4]")),
    "gradient of attention": (
        jax.grad(lambda q, k, v: attention(q, k, v).sum(), (0, 1, 2)),
        ("f32[2,5,4]", "f32[2,5,4]", "f32[2,5,4]"),
    ),
    "mlp": (lambda x, w, v: nn.relu(nn.tanh(x @ w) @ v), ("f32[4,8]", "f32[8,16]", "f32[16,3]")),
    "gradients of an mlp": (
        jax.vmap(jax.grad(lambda w, x: (nn.softplus(x @ w) ** 2).sum()), (None, 0)),
        ("f32[8,3]", "f32[4,8]"),
    ),
    "quantized product": (quantized, ("f32[4,8]", "i8[8,5]")),
    "integer product": (lambda a, b: jnp.tensordot(a, b, ([1], [0])), ("i32[4,5]", "i32[5,2,3]")),
    "complex product": (lambda a, b: (a @ b, jnp.kron(a, b[:2])), ("c64[3,4]", "c64[4,2]")),
    "convolution": (lambda x, w: jsp.signal.convolve(x, w, mode="same"), ("f32[20]", "f32[5]")),
    "convolution of images": (
        lambda x, w: lax.conv_general_dilated(x, w, (2, 1), "SAME", rhs_dilation=(1, 2)),
        ("f32[2,3,9,8]", "f32[4,3,3,3]"),
    ),
    "gradient of a convolution": (
        jax.grad(lambda w, x: (lax.conv(x, w, (1, 1), "VALID") ** 2).sum()),
        ("f64[4,3,3,3]", "f64[2,3,6,5]"),
    ),
    # Indexing.
    "gathers": (lambda x, i: (x[i % 5], x[:, i % 6], x[i % 5, ::-1], x[i]), ("f32[5,6]", "i32[7]")),
    "scatters": (
        lambda x, i: (x.at[i % 5].add(1.5), x.at[i % 5, 1:3].multiply(2), x.at[:, i % 6].max(0.25)),
        ("f32[5,6]", "i32[7]"),
    ),
    "scatter bf16": (lambda x, i: x.at[i % 5].set(3), ("bf16[5,6]", "i32[3]")),
    "take along": (lambda x, i: jnp.take_along_axis(x, i % 4, axis=1), ("i8[3,4]", "i32[3,6]")),
    "roll and pad": (
        lambda x: (jnp.roll(x, 2, 0), jnp.pad(x, ((1, 2), (0, 3)), mode="wrap"), jnp.rot90(x), jnp.flip(x)),
        ("ui8[6,5]",),
    ),
    "triangles": (lambda x: (jnp.tril(x, -1), jnp.triu(x, 1), jnp.diag(x), jnp.trace(x)), ("i32[5,5]",)),
    "one hot": (lambda i: nn.one_hot(i % 9, 7, dtype=jnp.bfloat16), ("i32[12]",)),
    "batched slices": (
        jax.vmap(lambda x, i: lax.dynamic_slice(x, (i,), (3,))), ("f32[4,8]", "i32[4]"),
    ),
    "batched updates": (
        jax.vmap(lambda x, u, i: lax.dynamic_update_slice(x, u, (i,))), ("f32[4,8]", "f32[4,3]", "i32[4]"),
    ),
    "gradient of indexing": (
        jax.grad(lambda x, i: (x[i % 5] ** 2).sum() + x[2:4].prod()), ("f32[5,3]", "i32[8]"),
    ),
    # Sorting.
    "sorts": (lambda x: (jnp.sort(x, 0), jnp.argsort(x, 1), -jnp.sort(-x)), ("f32[6,7]",)),
    "lexicographic": (lambda a, b: jnp.lexsort((a % 3, b % 2)), ("i32[20]", "i32[20]")),
    "unique": (lambda x: jnp.unique(x % 5, size=6, return_counts=True), ("i8[30]",)),
    "searchsorted": (lambda a, x: jnp.searchsorted(jnp.sort(a), x, side="right"), ("f32[20]", "f32[9]")),
    "top_k": (lambda x: lax.top_k(x, 3), ("bf16[4,9]",)),
    "median": (lambda x: jnp.median(x, axis=1), ("f32[4,8]",)),
    # Control flow.
    "newton": (newton, ("f32[]",)),
    "collatz": (lambda x: jax.vmap(collatz)(abs(x) % 30 + 1), ("i64[6]",)),
    "switch": (
        lambda i, x: lax.switch(abs(i) % 3, [jnp.sin, lambda y: y * 2, jnp.flip], x), ("i32[]", "f32[5]"),
    ),
    "cond in a map": (
        lambda x: lax.map(lambda y: lax.cond(y.sum() > 0, lambda z: z @ z, lambda z: z.max(), y), x),
        ("f32[6,4]",),
    ),
    "lstm": (lstm, ("f32[7,3]", "f32[7,16]")),
    "gradient of an lstm": (jax.grad(lambda w, x: lstm(x, w)[1].sum()), ("f32[7,16]", "f32[7,3]")),
    "sieve": (lambda: sieve(60), ()),
    "rows in turn": (fused_rows, ("f32[6,5]",)),
    "swapped buffers": (swapped, ("i32[3]", "i32[3]")),
    "nested loops": (
        lambda x: lax.fori_loop(0, 3, lambda i, a: lax.fori_loop(0, i + 1, lambda j, b: b * 3 + j, a) ^ i, x),
        ("i32[4]",),
    ),
    "scan in reverse": (
        lambda x: lax.scan(lambda c, y: (c * 0.5 + y, c.sum()), x[0], x, reverse=True), ("f64[6,3]",),
    ),
    "jacobian": (jax.jacfwd(lambda x: jnp.cumsum(jnp.sin(x)) * x[0]), ("f64[5]",)),
    "hessian": (jax.hessian(lambda x: (jnp.exp(x) * x[::-1]).sum()), ("f64[4]",)),
    # Transforms and matrices.
    "spectra": (lambda x: (jnp.fft.rfft(x), jnp.fft.ifft2(x), jnp.fft.fftshift(x)), ("f32[6,8]",)),
    "solve": (lambda a, b: jnp.linalg.solve(a + 8 * jnp.eye(4), b), ("f64[4,4]", "f64[4,2]")),
    "determinant": (lambda a: jnp.linalg.slogdet(a + 8 * jnp.eye(4)), ("f64[3,4,4]",)),
    "power of a matrix": (lambda a: jnp.linalg.matrix_power(a, 5), ("i32[3,3]",)),
    "norms": (lambda a: (jnp.linalg.norm(a), jnp.linalg.norm(a, axis=0), jnp.cov(a)), ("f64[4,6]",)),
    # Special functions and random numbers.
    "special": (
        lambda x: (jsp.special.erf(x), jsp.special.ndtri(nn.sigmoid(x)), jsp.special.i0e(x), jnp.sinc(x)),
        ("f64[20]",),
    ),
    "gamma": (lambda x: (jsp.special.gammaln(abs(x) + 1), jsp.special.digamma(abs(x) + 1)), ("f64[20]",)),
    "incomplete gamma": (lambda x: jsp.special.gammainc(abs(x) + 1, abs(x)), ("f64[9]",)),
    "uniform": (lambda i: random.uniform(random.PRNGKey(i), (7,)), ("i32[]",)),
    "normal": (lambda i: random.normal(random.PRNGKey(i), (5, 3), "bfloat16"), ("i32[]",)),
    "categorical": (lambda x: random.categorical(random.PRNGKey(1), x), ("f32[8,5]",)),
    "permutation": (lambda x: random.permutation(random.PRNGKey(2), x), ("i32[23]",)),
    "gamma deviates": (lambda x: random.gamma(random.PRNGKey(4), abs(x) + 0.5), ("f64[6]",)),
    "poisson": (lambda x: random.poisson(random.PRNGKey(5), abs(x) * 4), ("f64[9]",)),
    "bits": (lambda i: random.bits(random.PRNGKey(i), (9,), "uint8"), ("i32[]",)),
    "rbg": (lambda: random.normal(random.key(6, impl="unsafe_rbg"), (5,)), ()),
}  # fmt: skip

TYPES: dict[str, Type] = {
    "f64": F64, "f32": F32, "f16": FloatType("f16"), "bf16": FloatType("bf16"), "c64": ComplexType(F32),
    "i1": I1, "i8": IntegerType(8), "i32": I32, "i64": I64, "ui8": IntegerType(8, "u"),
    "ui32": IntegerType(32, "u"),
}  # fmt: skip


def argument(rng: np.random.Generator, described: str) -> Any:
    """An array for a description such as f32[2,3]."""
    name, _, sizes = described.rstrip("]").partition("[")
    shape = tuple(int(size) for size in sizes.split(",") if size)
    mood: Mood = "tame" if name[0] in "fbc" else "whole" if name in ("i32", "i64") else "any"
    return draw_values(rng, TYPES[name], shape, mood)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.filterwarnings("ignore")
def test_program(name: str) -> None:
    function, described = PROGRAMS[name]
    rng = np.random.default_rng(11)
    jitted = jax.jit(function, keep_unused=True)
    drawn = [[argument(rng, one) for one in described] for _ in range(2 * DRAWS)]
    module = shlo.parse(jitted.lower(*drawn[0]).as_text())
    assert shlo.verify(module) == []
    program = shlo.compile(module)
    for arguments in drawn:
        expected = [np.asarray(leaf) for leaf in jax.tree.leaves(jitted(*arguments))]
        results = program(*arguments)
        assert len(results) == len(expected)
        for ours, theirs in zip(results, expected, strict=True):
            finite = np.abs(theirs.astype(np.complex128))
            largest = float(np.max(finite, where=np.isfinite(finite), initial=0.0))
            assert distance(ours, theirs, largest) <= ULPS, (ours, theirs)
