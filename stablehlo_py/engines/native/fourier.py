"""Fourier transforms: Stockham's method along one axis, several lines at a time (`kernels/fft.py`).

A transform of several dimensions is a step for each (`passes/transforms.py`). A step copies some lines to
memory that stays in cache, so that the same element of neighbouring lines is one vector, and combines them in
stages of small radices, which need no permutation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from math import prod
from typing import NamedTuple

from stablehlo_py.engines.native.arithmetic.llvm_ir import Complex, Value, complex_of, literal
from stablehlo_py.engines.native.index_space import Index, Indices, computed, divide
from stablehlo_py.engines.native.loops import Range, nested, unravel
from stablehlo_py.engines.native.scope import Scope
from stablehlo_py.interpreter.plan import Plan, Step

FFT, LINES = "stablehlo.fft", "native.fft"
_RADICES = (8, 4, 2, 3, 5, 7)
_MOST_LINES = 16
_MOST_ELEMENTS = 1 << 13  # of the lines that are transformed together
LONGEST = 1 << 12
_SQUARE = 16


def factors(length: int) -> list[int] | None:
    """The radices of the stages; None where there is another prime."""
    found = []
    for radix in _RADICES:
        while length % radix == 0:
            found.append(radix)
            length //= radix
    return found if length == 1 else None


# The lines of a step


class _Shape(NamedTuple):
    """How lines lie in the operand and the result: dimensions outside and inside of the axis, and lanes."""

    outer: tuple[int, ...]
    inner: tuple[int, ...]
    lanes: int


def _shape_of(plan: Plan[Step], step: Step) -> _Shape:
    shape, axis = plan.shape_of(step.outs[0]), step.keywords["axis"]
    outer, inner = tuple(shape[:axis]), tuple(shape[axis + 1 :])
    lanes, lines = 1, prod(inner) if prod(inner) > 1 else prod(outer)
    while lines % (2 * lanes) == 0 and 2 * lanes <= min(
        _MOST_LINES, max(1, _MOST_ELEMENTS // step.keywords["length"])
    ):
        lanes *= 2
    return _Shape(outer, inner, lanes)


def transform_extent(plan: Plan[Step], step: Step) -> int:
    """The number of groups of lines."""
    shape = _shape_of(plan, step)
    return prod(shape.outer) * prod(shape.inner) // shape.lanes


def transform(scope: Scope, step: Step, part: Range) -> None:
    """Transform a range of groups of lines."""
    emitter = _Transform(scope, step)
    with scope.b.loop(part.start, part.stop) as group:
        scope.enter()
        emitter.emit(group)
        scope.leave()


class _Planes(NamedTuple):
    """Real and imaginary parts of lines, which are neighbours for each element."""

    real: Value
    imag: Value


class _Transform:
    """Writes the transform of a group of lines."""

    def __init__(self, scope: Scope, step: Step) -> None:
        self.scope, self.step, self.b = scope, step, scope.b
        self.length: int = step.keywords["length"]
        self.inverse: bool = step.keywords["inverse"]
        self.shape = _shape_of(scope.plan, step)
        self.type = scope.element(step.ins[0]).part.compute
        size = self.length * self.shape.lanes
        self.planes = [
            _Planes(self.b.alloca(self.type, size), self.b.alloca(self.type, size)) for _ in range(2)
        ]

    def emit(self, group: Value) -> None:
        """Copy the lines, combine them, and store them."""
        scope = self.scope
        count = prod(self.shape.outer) * prod(self.shape.inner) // self.shape.lanes
        at = computed(group, count)
        self._over(scope.plan.shape_of(self.step.ins[0])[self.step.keywords["axis"]], at, self._copy)
        source, target = self.planes
        length, stride = self.length, self.shape.lanes
        for radix in factors(self.length) or []:
            self._stage(source, target, length, radix, stride)
            source, target = target, source
            length, stride = length // radix, stride * radix
        self._result = source
        self._over(scope.shape(self.step.outs[0])[self.step.keywords["axis"]], at, self._store)

    def _over(self, length: int, group: Index, body: Callable[[Indices, Index, Index], None]) -> None:
        """Loops over the elements of lines, along memory, with their indices, place in a line and lane."""
        outer, inner, lanes = self.shape
        along = prod(inner) == 1  # lines are transposed, in squares
        square = _SQUARE if length % _SQUARE == 0 else 1
        extents = (length // square, lanes, square) if along else (length, lanes)

        def visit(found: Indices) -> None:
            place = found[0] * square + found[2] if along else found[0]
            lane = found[1]
            line = group * lanes + lane
            if along:
                before, behind = unravel(line, outer, self.b), tuple([Index()] * len(inner))
            else:
                row, rest = divide(line, prod(inner), self.b)
                before, behind = unravel(row, outer, self.b), unravel(rest, inner, self.b)
            body((*before, place, *behind), place, lane)

        nested(self.scope, extents, visit)

    def _copy(self, at: Indices, place: Index, lane: Index) -> None:
        """Copy an element; that of half of a symmetric line to both places."""
        value = self.scope.at(self.step.ins[0], at)
        number = value if isinstance(value, Complex) else complex_of(value, value.like(0.0))
        self._put(place, lane, number)
        halved = self.inverse and self.scope.element(self.step.outs[0]).kind != "complex"
        if halved:
            mirrored = place.emit(self.b)
            other = (mirrored.equals(0)).select(0, self.length - mirrored)
            first = mirrored.equals(0) | other.equals(mirrored)
            self._put(
                computed(other, self.length),
                lane,
                _complex(first.select(number, complex_of(number.real, -number.imag))),
            )

    def _put(self, place: Index, lane: Index, number: Complex) -> None:
        offset = (place * self.shape.lanes + lane).emit(self.b)
        parts = (number.imag, number.real) if self.inverse else (number.real, number.imag)
        for plane, value in zip(self.planes[0], parts, strict=True):
            self.b.store(value, plane, offset)

    def _store(self, at: Indices, place: Index, lane: Index) -> None:
        offset = (place * self.shape.lanes + lane).emit(self.b)
        real, imag = (self.b.load(self.type, plane, offset) for plane in self._result)
        if self.inverse:
            real, imag = imag / self.length, real / self.length
        (slot,) = self.step.outs
        is_complex = self.scope.element(slot).kind == "complex"
        self.scope.store(self.scope.buffers[slot], at, complex_of(real, imag) if is_complex else real)

    def _stage(self, source: _Planes, target: _Planes, length: int, radix: int, stride: int) -> None:
        """One stage: sums of `radix` elements that are `length / radix` apart, turned by their place."""
        b, count = self.b, length // radix
        zero = b.constant(0, "i64")
        with b.loop(zero, b.constant(count, "i64")) as p:
            turns = self._twiddles(length, radix, p) if count > 1 else []
            with b.loop(zero, b.constant(stride, "i64")) as t:
                inputs = [(p + k * count) * stride + t for k in range(radix)]
                values = [
                    complex_of(b.load(self.type, source.real, i), b.load(self.type, source.imag, i))
                    for i in inputs
                ]
                found = _dft(values)
                for k, value in enumerate(found):
                    turned = _complex(value * turns[k - 1]) if turns and k else value
                    at = (p * radix + k) * stride + t
                    b.store(turned.real, target.real, at)
                    b.store(turned.imag, target.imag, at)

    def _twiddles(self, length: int, radix: int, p: Value) -> list[Complex]:
        """The powers of the root of unity by which the sums at a place are turned."""
        type = self.type

        def make() -> tuple[str, int]:
            numbers = [_root(length, p * k) for p in range(length // radix) for k in range(1, radix)]
            parts = [part for number in numbers for part in (number.real, number.imag)]
            return f"[{len(parts)} x {type}] [{', '.join(f'{type} {literal(x, type)}' for x in parts)}]", len(
                parts
            )

        table = self.b.table(f"@shlo.twiddles.{type}.{length}.{radix}", make)
        first = p * (2 * (radix - 1))
        loads = [self.b.load(type, table, first + k) for k in range(2 * (radix - 1))]
        return [complex_of(*loads[2 * k : 2 * k + 2]) for k in range(radix - 1)]


def _complex(value: Value) -> Complex:
    assert isinstance(value, Complex)
    return value


def _root(n: int, k: int) -> complex:
    """`exp(-2 pi i k / n)`, from an angle of at most an eighth of a turn."""
    k %= n
    if 2 * k > n:
        return _root(n, n - k).conjugate()
    if 4 * k > n:
        return -_root(2 * n, n - 2 * k).conjugate()
    if 8 * k > n:
        other = _root(4 * n, n - 4 * k)
        return complex(-other.imag, -other.real)
    angle = 2 * math.pi * k / n
    return complex(math.cos(angle), -math.sin(angle))


def _times(value: Complex, factor: complex) -> Complex:
    """A product with a constant; by units it costs nothing."""
    if factor == 1:
        return value
    if factor == -1:
        return _complex(-value)
    if factor == -1j:
        return complex_of(value.imag, -value.real)
    if factor == 1j:
        return complex_of(-value.imag, value.real)
    return _complex(value * value.like(factor))


def _dft(values: Sequence[Complex]) -> list[Complex]:
    """The transform of a few numbers: halves where there are any, sums otherwise."""
    n = len(values)
    if n == 1:
        return list(values)
    if n % 2 == 0:
        even, odd = _dft(values[0::2]), _dft(values[1::2])
        turned = [_times(value, _root(n, k)) for k, value in enumerate(odd)]
        upper = [_complex(a + b) for a, b in zip(even, turned, strict=True)]
        return upper + [_complex(a - b) for a, b in zip(even, turned, strict=True)]
    return _odd_dft(values)


def _odd_dft(values: Sequence[Complex]) -> list[Complex]:
    """Sums of the pairs that are turned by the same angle in both directions."""
    n = len(values)
    zero = values[0].real.like(0.0)
    pairs = [(values[j], values[n - j]) for j in range(1, n // 2 + 1)]
    found = []
    for k in range(n):
        total, turned = values[0], complex_of(zero, zero)
        for j, (x, y) in enumerate(pairs, 1):
            root = _root(n, j * k)
            total = _complex(total + _scaled(_complex(x + y), root.real))
            turned = _complex(turned + _scaled(_complex(x - y), root.imag)) if k else turned
        found.append(complex_of(total.real - turned.imag, total.imag + turned.real))
    return found


def _scaled(value: Complex, factor: float) -> Complex:
    return value if factor == 1 else complex_of(value.real * factor, value.imag * factor)
