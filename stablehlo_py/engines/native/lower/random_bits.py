"""Random bits: the generators of `kernels/random.py`, a block of words for each counter."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

from stablehlo_py.engines.native.arithmetic.elements import element_of
from stablehlo_py.engines.native.loop_ir.expressions import Expression, load, position
from stablehlo_py.engines.native.loop_ir.index import Index, Indices, linear, of_variable
from stablehlo_py.engines.native.loop_ir.statements import Statement, Store
from stablehlo_py.engines.native.lower.records import always, by_loops
from stablehlo_py.engines.native.lower.values import (
    add,
    compare,
    convert,
    joined,
    multiply,
    number,
    op,
    shifted,
    word,
)
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.kernels.random import (
    MULTIPLIERS,
    PARITY,
    PHILOX_ROUNDS,
    PHILOX_WORDS,
    ROTATIONS,
    WEYL,
    halved_axis,
)

if TYPE_CHECKING:
    from stablehlo_py.engines.native.lower.region import Lowering

RNG_BIT_GENERATOR = "stablehlo.rng_bit_generator"
_U32, _U64 = word(32), word(64)


def is_native_generator(plan: Plan[Step], step: Step) -> bool:
    """Test whether the state is of 64-bit words, and the results are integers."""
    state, bits = (element_of(plan.types[slot]) for slot in step.outs)
    return state is not None and state.storage == "i64" and bits is not None and bits.kind == "integer"


@by_loops(RNG_BIT_GENERATOR, supports=is_native_generator, pays=always)
def _rng_bit_generator(lowering: Lowering, step: Step) -> Sequence[Statement]:
    """Store the bits of all blocks, and the next state."""
    generate = _three_fry if step.keywords["rng_algorithm"] == "THREE_FRY" else _philox
    blocks, statements = generate(lowering, step)
    following: list[Statement] = []
    key, counter, *upper = _state(lowering, step)
    new = lowering.let(following, add(counter, number(blocks, _U64)))
    carry = convert(compare(new, "LT", counter), _U64)
    result, type = lowering.buffers[step.outs[0]], lowering.type(step.outs[0])
    for k, each in enumerate([key, new, *(add(high, carry) for high in upper)]):
        following.append(Store(result, (Index((), k),), convert(each, type)))
    return [*statements, *following]


def _state(lowering: Lowering, step: Step) -> list[Expression]:
    (slot,) = step.ins
    return [convert(lowering.at(slot, (Index((), k),)), _U64) for k in range(lowering.shape(slot)[0])]


def _split(bits: Expression) -> tuple[Expression, Expression]:
    """The lower and the upper half of 64 bits."""
    return convert(bits, _U32), convert(shifted(bits, -32), _U32)


def _plus(x: Expression, value: int) -> Expression:
    return add(x, number(value, x.type))


def _store(
    lowering: Lowering, step: Step, indices: Sequence[Indices], words: Sequence[Expression]
) -> list[Statement]:
    """Store the lowest bits of words to elements of the result."""
    buffer = lowering.buffers[step.outs[1]]
    return [
        Store(buffer, at, convert(each, buffer.element)) for at, each in zip(indices, words, strict=False)
    ]


# Threefry-2x32, 20 rounds


def _three_fry(lowering: Lowering, step: Step) -> tuple[int, list[Statement]]:
    """Return the number of blocks, and a function that stores their words, alternating along an axis."""
    shape = lowering.shape(step.outs[1])
    if numpy_dtype(lowering.type(step.outs[1])).itemsize == 8:
        rows = lowering.variables(shape)
        at = tuple(map(of_variable, rows))
        body: list[Statement] = []
        words = _three_fry_2x32(lowering, step, body, linear(at, shape))
        body += _store(lowering, step, [at], [joined(words)])
        return prod(shape), lowering.nested(rows, body)
    axis, lead = halved_axis(tuple(shape)), tuple(shape) or (1,)
    whole, rest = divmod(lead[axis], 2)
    extents = (*lead[:axis], whole + rest, *lead[axis + 1 :])
    statements: list[Statement] = []
    for first, count, several in ((0, whole, 2), (whole, rest, 1)):
        rows = lowering.variables((*extents[:axis], count, *extents[axis + 1 :])) if count else ()
        block = list(map(of_variable, rows))
        if count:
            block[axis] = block[axis] + first
            body = []
            words = _three_fry_2x32(lowering, step, body, linear(tuple(block), extents))
            places = [(*block[:axis], block[axis] * 2 + k, *block[axis + 1 :]) for k in range(several)]
            body += _store(lowering, step, [place if shape else () for place in places], words)
            statements += lowering.nested(rows, body)
    return prod(extents), statements


def _three_fry_2x32(lowering: Lowering, step: Step, body: list[Statement], block: Index) -> list[Expression]:
    """The two words of a block."""
    key, counter = _state(lowering, step)[:2]
    first = _split(key)
    parity = op("xor", op("xor", *first), number(PARITY, _U32))
    keys = [lowering.let(body, each) for each in (*first, parity)]
    place = lowering.let(body, add(counter, convert(position(block), _U64)))
    x, y = [add(*pair) for pair in zip(_split(place), keys, strict=False)]
    for group in range(5):
        for left in ROTATIONS[group % 2]:
            x, y = lowering.let(body, add(x, y)), lowering.let(body, y)
            y = op("xor", op("or", shifted(y, left), shifted(y, left - 32)), x)
        x = add(x, keys[(group + 1) % 3])
        y = _plus(add(y, keys[(group + 2) % 3]), group + 1)
    return [lowering.let(body, x), lowering.let(body, y)]


# Philox-4x32, 10 rounds


def _philox(lowering: Lowering, step: Step) -> tuple[int, list[Statement]]:
    """The number of blocks, and what stores their words, in row-major order."""
    shape = lowering.shape(step.outs[1])
    wide = numpy_dtype(lowering.type(step.outs[1])).itemsize == 8
    each = PHILOX_WORDS // 2 if wide else PHILOX_WORDS  # elements of a block
    result, size = lowering.buffers[step.outs[1]], prod(shape)
    if shape and shape[-1] % each == 0:
        extents: tuple[int, ...] = (*shape[:-1], shape[-1] // each)
        target = result
    else:  # blocks run on from row to row
        extents = (-(-size // each),)
        target = lowering.scratch((extents[0] * each,), result.element, f"bits{step.outs[1]}")
    rows = lowering.variables(extents)
    block = tuple(map(of_variable, rows))
    body: list[Statement] = []
    words = _philox_4x32(lowering, step, body, linear(block, extents))
    if wide:
        words = [joined(words[:2]), joined(words[2:])]
    for k, bits in enumerate(words):
        at = (*block[:-1], block[-1] * each + k)
        body.append(Store(target, at, convert(bits, target.element)))
    statements = lowering.nested(rows, body)
    if target is not result:
        statements += lowering.over(
            shape, lambda *at: [Store(result, at, load(target, (linear(at, shape),)))]
        )
    return prod(extents), statements


def _philox_4x32(lowering: Lowering, step: Step, body: list[Statement], block: Index) -> list[Expression]:
    """The four words of a block."""
    state = _state(lowering, step)
    upper = state[2] if len(state) > 2 else state[0]
    low = lowering.let(body, add(state[1], convert(position(block), _U64)))
    high = lowering.let(body, add(upper, convert(compare(low, "LT", state[1]), _U64)))
    keys = [lowering.let(body, half) for half in _split(state[0])]
    x, y, z, w = (*_split(low), *_split(high))
    for count in range(PHILOX_ROUNDS):
        k0, k1 = [_plus(key, count * weyl % (1 << 32)) for key, weyl in zip(keys, WEYL, strict=True)]
        (low0, high0), (low1, high1) = [
            _split(lowering.let(body, multiply(convert(factor, _U64), number(other, _U64))))
            for factor, other in zip((x, z), MULTIPLIERS, strict=True)
        ]
        x, z = [
            lowering.let(body, op("xor", op("xor", *pair), key))
            for *pair, key in ((high1, y, k0), (high0, w, k1))
        ]
        y, w = low1, low0
    return [x, y, z, w]
