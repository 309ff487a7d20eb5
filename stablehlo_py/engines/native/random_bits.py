"""Random bits: the generators of `kernels/random.py`, a block of words for each counter."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from stablehlo_py.engines.native.arithmetic.elements import element_of
from stablehlo_py.engines.native.arithmetic.llvm_ir import Value
from stablehlo_py.engines.native.index_space import Index, computed, divide
from stablehlo_py.engines.native.loops import Range
from stablehlo_py.engines.native.scope import Scope
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.kernels.random import halved_axis

_THREE_FRY_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_PARITY = 0x1BD11BDA
_PHILOX_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_WEYL = (0x9E3779B9, 0xBB67AE85)
_PHILOX_ROUNDS, _PHILOX_WORDS = 10, 4


def generator_extent(plan: Plan[Step], step: Step) -> int:
    """The number of rows of blocks (Threefry) or of whole blocks (Philox), of which threads take ranges."""
    shape, size = plan.shape_of(step.outs[1]), _size(plan, step)
    if step.keywords["rng_algorithm"] != "THREE_FRY":
        return max(1, prod(shape) * -(-size // 4) // _PHILOX_WORDS)
    outer, half, _, _ = _rows(shape, size)
    return outer * half


def generate(scope: Scope, step: Step, part: Range) -> None:
    """Write the next state, and the bits of a range of blocks."""
    three_fry = step.keywords["rng_algorithm"] == "THREE_FRY"
    blocks = (_three_fry if three_fry else _philox)(scope, step, part)
    b = scope.b
    key, counter, *upper = _state(scope, step)
    is_first = part.start.equals(0).convert("zext", "i64")
    with b.loop(b.constant(0, "i64"), is_first):
        following = counter + blocks
        carry = following.compare("ult", counter).convert("zext", "i64")
        for k, word in enumerate([key, following, *(high + carry for high in upper)]):
            scope.store(scope.buffers[step.outs[0]], (Index((), k),), word)


def _size(plan: Plan[Step], step: Step) -> int:
    """The bytes of an element of the result."""
    element = element_of(plan.types[step.outs[1]])
    assert element is not None
    return element.size


def _state(scope: Scope, step: Step) -> list[Value]:
    return [scope.at(step.ins[0], (Index((), k),)) for k in range(scope.shape(step.ins[0])[0])]


def _split(word: Value) -> tuple[Value, Value]:
    """The lower and the upper half of 64 bits."""
    return word.convert("trunc", "i32"), word.logical_shift_right(32).convert("trunc", "i32")


def _joined(low: Value, high: Value) -> Value:
    return low.convert("zext", "i64") | (high.convert("zext", "i64") << 32)


def _store(scope: Scope, step: Step, offset: Value, word: Value) -> None:
    """Store an element whose bits are the lowest of a word, at a position in row-major order."""
    buffer, b = scope.buffers[step.outs[1]], scope.b
    if buffer.is_row:  # nothing reads it
        return
    bits = word.convert("trunc", buffer.element.compute)
    buffer.element.store(b, bits, buffer.pointer(b), offset)


# Threefry-2x32, 20 rounds


def _rows(shape: Sequence[int], size: int) -> tuple[int, int, int, int]:
    """How blocks lie in the result: rows outside of the axis, blocks along it, its size, and those inside."""
    if size == 8:
        return 1, prod(shape), prod(shape), 1
    lead = tuple(shape) or (1,)
    axis = halved_axis(tuple(shape))
    return prod(lead[:axis]), -(-lead[axis] // 2), lead[axis], prod(lead[axis + 1 :])


def _three_fry(scope: Scope, step: Step, part: Range) -> int:
    """Write a range of rows of blocks, and return the number of all blocks."""
    b, wide = scope.b, _size(scope.plan, step) == 8
    outer, half, size, inner = _rows(scope.shape(step.outs[1]), _size(scope.plan, step))
    key, counter = _state(scope, step)[:2]
    keys = _split(key)
    with b.loop(part.start, part.stop) as row, b.loop(b.constant(0, "i64"), b.constant(inner, "i64")) as k:
        x, y = _three_fry_2x32(keys, _split(counter + row * inner + k))
        if wide:
            _store(scope, step, row, _joined(x, y))
        else:
            whole, rest = divide(computed(row, outer * half), half, b)
            first = (whole * size + rest * 2).emit(b)
            second = first + 1
            if size % 2:  # the last second word is not used: the first one takes its place
                second = (rest.emit(b) * 2 + 1).compare("slt", size).select(second, first)
            _store(scope, step, second * inner + k, y)
            _store(scope, step, first * inner + k, x)
    return outer * half * inner


def _three_fry_2x32(key: tuple[Value, Value], block: tuple[Value, Value]) -> tuple[Value, Value]:
    keys = (*key, key[0] ^ key[1] ^ _PARITY)
    x, y = block[0] + keys[0], block[1] + keys[1]
    for group in range(5):
        for left in _THREE_FRY_ROTATIONS[group % 2]:
            x = x + y
            y = (y.call("fshl", y, left)) ^ x
        x = x + keys[(group + 1) % 3]
        y = y + keys[(group + 2) % 3] + (group + 1)
    return x, y


# Philox-4x32, 10 rounds


def _philox(scope: Scope, step: Step, part: Range) -> int:
    """Write a range of whole blocks, the last range with the rest, and return the number of all blocks."""
    b, wide = scope.b, _size(scope.plan, step) == 8
    size = prod(scope.shape(step.outs[1]))
    each = _PHILOX_WORDS // 2 if wide else _PHILOX_WORDS  # elements of a block
    whole, rest = divmod(size, each)
    state = _state(scope, step)
    key, counter, upper = state[0], state[1], state[2] if len(state) > 2 else state[0]

    def block(number: Value, count: int) -> None:
        low = counter + number
        high = upper + low.compare("ult", counter).convert("zext", "i64")
        words = _philox_4x32(_split(key), [*_split(low), *_split(high)])
        found = [_joined(words[0], words[1]), _joined(words[2], words[3])] if wide else words
        for k, word in enumerate(found[:count]):
            _store(scope, step, number * each + k, word)

    if whole:
        with b.loop(part.start, part.stop) as number:
            block(number, each)
    if rest:
        end = b.constant(whole, "i64")
        is_last = part.stop.equals(max(1, whole)).convert("zext", "i64")
        with b.loop(end, end + is_last) as number:
            block(number, rest)
    return whole + (rest > 0)


def _philox_4x32(key: tuple[Value, Value], block: list[Value]) -> list[Value]:
    k0, k1 = key
    x, y, z, w = block
    for _ in range(_PHILOX_ROUNDS):
        low0, high0 = _split(x.convert("zext", "i64") * _PHILOX_MULTIPLIERS[0])
        low1, high1 = _split(z.convert("zext", "i64") * _PHILOX_MULTIPLIERS[1])
        x, y, z, w = high1 ^ y ^ k0, low1, high0 ^ w ^ k1, low0
        k0, k1 = k0 + _WEYL[0], k1 + _WEYL[1]
    return [x, y, z, w]
