"""Fourier transforms: Stockham's method along one axis, several lines at a time (`kernels/fft.py`).

A transform of several dimensions is a step for each (`passes/transforms.py`). A step copies some lines to
memory that stays in cache, so that the same element of neighbouring lines is one vector, and combines them in
stages of small radices, which need no permutation. A line of an even number of real numbers is transformed as
half as many complex ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import NamedTuple

from stablehlo_py.engines.native.arithmetic.llvm_ir import Complex, Value, complex_of, literal
from stablehlo_py.engines.native.index_space import Index, Indices, computed, divide
from stablehlo_py.engines.native.loops import Range, nested, unravel
from stablehlo_py.engines.native.lower.fft import factors, root
from stablehlo_py.engines.native.scope import Scope
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.types import ComplexType

_MOST_LINES = 16
_MOST_ELEMENTS = 1 << 13  # of the lines that are transformed together
_SQUARE = 16
_GAP = 16  # elements between the blocks that a stage combines, so that they do not share sets of the cache


# The lines of a step


class _Shape(NamedTuple):
    """How lines lie in the operand and the result: dimensions outside and inside of the axis, and lanes."""

    outer: tuple[int, ...]
    inner: tuple[int, ...]
    lanes: int


def _is_real(plan: Plan[Step], step: Step) -> bool:
    """Test whether the lines of the operand, or of the result of an inverse, are of real numbers."""
    slot = (step.outs if step.keywords["inverse"] else step.ins)[0]
    return not isinstance(plan.tensor(slot).element_type, ComplexType)


def _complex_length(plan: Plan[Step], step: Step) -> int:
    """The number of complex numbers that are combined for a line."""
    length: int = step.keywords["length"]
    return length // 2 if length % 2 == 0 and _is_real(plan, step) else length


def _shape_of(plan: Plan[Step], step: Step) -> _Shape:
    shape, axis = plan.shape_of(step.outs[0]), step.keywords["axis"]
    outer, inner = tuple(shape[:axis]), tuple(shape[axis + 1 :])
    lanes, lines = 1, prod(inner) if prod(inner) > 1 else prod(outer)
    while lines % (2 * lanes) == 0 and 2 * lanes <= min(
        _MOST_LINES, max(1, _MOST_ELEMENTS // _complex_length(plan, step))
    ):
        lanes *= 2
    return _Shape(outer, inner, lanes)


def transform_extent(plan: Plan[Step], step: Step) -> int:
    """The number of groups of lines."""
    shape = _shape_of(plan, step)
    return prod(shape.outer) * prod(shape.inner) // shape.lanes


def transform(scope: Scope, step: Step, part: Range) -> None:
    """Transform a range of groups of lines."""
    halved = _complex_length(scope.plan, step) < step.keywords["length"]
    emitter = _RealTransform(scope, step) if halved else _Transform(scope, step)
    with scope.b.loop(part.start, part.stop) as group:
        scope.enter()
        emitter.emit(group)
        scope.leave()


class _Planes(NamedTuple):
    """Real and imaginary parts of lines, which are neighbours for each element."""

    real: Value
    imag: Value


class _Line(NamedTuple):
    """A line of a group: the indices before and behind its axis, and its lane."""

    before: Indices
    behind: Indices
    lane: Index

    def at(self, place: Index) -> Indices:
        """The indices of an element."""
        return (*self.before, place, *self.behind)


class _Transform:
    """Writes the transform of a group of lines."""

    def __init__(self, scope: Scope, step: Step) -> None:
        self.scope, self.step, self.b = scope, step, scope.b
        self.length = _complex_length(scope.plan, step)
        self.inverse: bool = step.keywords["inverse"]
        self.shape = _shape_of(scope.plan, step)
        self.type = scope.element(step.ins[0]).part.compute
        self.radices = factors(self.length) or []
        size = self.length * self.shape.lanes + max(self.radices, default=0) * _GAP
        self.planes = [
            _Planes(self.b.alloca(self.type, size), self.b.alloca(self.type, size)) for _ in range(2)
        ]

    def emit(self, group: Value) -> None:
        """Copy the lines, combine them, and store them."""
        count = prod(self.shape.outer) * prod(self.shape.inner) // self.shape.lanes
        at = computed(group, count)
        self._read(at)
        source, target = self.planes
        length, stride = self.length, self.shape.lanes
        for radix, following in zip(self.radices, (*self.radices, 1)[1:], strict=True):
            self._stage(source, target, length, (radix, following), stride)
            source, target = target, source
            length, stride = length // radix, stride * radix
        self._result = source
        self._write(at)

    def _read(self, group: Index) -> None:
        axis = self.step.keywords["axis"]
        self._over(self.scope.plan.shape_of(self.step.ins[0])[axis], group, self._copy)

    def _write(self, group: Index) -> None:
        self._over(self.scope.shape(self.step.outs[0])[self.step.keywords["axis"]], group, self._store)

    def _over(self, length: int, group: Index, body: Callable[[_Line, Index], None]) -> None:
        """Loops over the places of lines, along memory."""
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
            body(_Line(before, behind, lane), place)

        nested(self.scope, extents, visit)

    def _copy(self, line: _Line, place: Index) -> None:
        """Copy an element; that of half of a symmetric line to both places."""
        value = self.scope.at(self.step.ins[0], line.at(place))
        number = value if isinstance(value, Complex) else complex_of(value, value.like(0.0))
        self._put(place, line.lane, number)
        if self.inverse and _is_real(self.scope.plan, self.step):
            mirrored = place.emit(self.b)
            other = (mirrored.equals(0)).select(0, self.length - mirrored)
            first = mirrored.equals(0) | other.equals(mirrored)
            self._put(
                computed(other, self.length),
                line.lane,
                _complex(first.select(number, complex_of(number.real, -number.imag))),
            )

    def _put(self, place: Index, lane: Index, number: Complex) -> None:
        offset = self._offset(place, lane, self.radices[:1])
        parts = (number.imag, number.real) if self.inverse else (number.real, number.imag)
        for plane, value in zip(self.planes[0], parts, strict=True):
            self.b.store(value, plane, offset)

    def _offset(self, place: Index, lane: Index, blocks: Sequence[int]) -> Value:
        """The offset of an element in planes that are in a number of blocks."""
        offset = place * self.shape.lanes + lane
        for count in blocks:
            offset = offset + divide(place, self.length // count, self.b)[0] * _GAP
        return offset.emit(self.b)

    def _get(self, place: Index, lane: Index) -> Complex:
        """A number of the result."""
        offset = self._offset(place, lane, self.radices[-1:])
        real, imag = (self.b.load(self.type, plane, offset) for plane in self._result)
        return complex_of(imag / self.length, real / self.length) if self.inverse else complex_of(real, imag)

    def _store(self, line: _Line, place: Index) -> None:
        number = self._get(place, line.lane)
        (slot,) = self.step.outs
        is_complex = self.scope.element(slot).kind == "complex"
        self.scope.store(self.scope.buffers[slot], line.at(place), number if is_complex else number.real)

    def _stage(
        self, source: _Planes, target: _Planes, length: int, radices: tuple[int, int], stride: int
    ) -> None:
        """One stage: sums of elements that are `length` divided by the radix apart, turned by their place.

        `radices`: that of the stage, and that of the next one, which is the number of blocks of the target;
        the last stage writes as many blocks as it reads.
        """
        radix, following = radices
        b, count = self.b, length // radix
        zero = b.constant(0, "i64")
        with b.loop(zero, b.constant(count, "i64")) as p:
            turns = self._twiddles(length, radix, p) if count > 1 else []
            block = divide(computed(p, count), count // following, b)[0].emit(b)
            with b.loop(zero, b.constant(stride, "i64")) as t:
                inputs = [(p + k * count) * stride + (t + k * _GAP) for k in range(radix)]
                values = [
                    complex_of(b.load(self.type, source.real, i), b.load(self.type, source.imag, i))
                    for i in inputs
                ]
                found = _dft(values)
                for k, value in enumerate(found):
                    turned = _complex(value * turns[k - 1]) if turns and k else value
                    at = (p * radix + k) * stride + (t + (block if count > 1 else k) * _GAP)
                    b.store(turned.real, target.real, at)
                    b.store(turned.imag, target.imag, at)

    def _twiddles(self, length: int, radix: int, p: Value) -> list[Complex]:
        """The powers of the root of unity by which the sums at a place are turned."""
        table = self._roots(
            f"@shlo.twiddles.{self.type}.{length}.{radix}",
            lambda: [root(length, p * k) for p in range(length // radix) for k in range(1, radix)],
        )
        first = p * (2 * (radix - 1))
        loads = [self.b.load(self.type, table, first + k) for k in range(2 * (radix - 1))]
        return [complex_of(*loads[2 * k : 2 * k + 2]) for k in range(radix - 1)]

    def _roots(self, name: str, make: Callable[[], list[complex]]) -> Value:
        """A table of the parts of complex numbers."""
        type = self.type

        def text() -> tuple[str, int]:
            parts = [part for number in make() for part in (number.real, number.imag)]
            numbers = ", ".join(f"{type} {literal(x, type)}" for x in parts)
            return f"[{len(parts)} x {type}] [{numbers}]", len(parts)

        return self.b.table(name, text)


class _RealTransform(_Transform):
    """Writes the transform of an even number of real numbers.

    Those at even and odd places are the real and imaginary parts of half as many complex numbers. Their
    transform `Z` holds those of both, `E` and `O`: `Z[k] = E[k] + i O[k]`. The whole is `E[k] + w^k O[k]`.
    Each is symmetric, so that an element and its mirror image are computed together.
    """

    def _read(self, group: Index) -> None:
        if self.inverse:
            self._over(self.length // 2 + 1, group, self._join)
        else:
            self._over(self.length, group, self._pack)

    def _write(self, group: Index) -> None:
        if self.inverse:
            self._over(self.length, group, self._unpack)
        else:
            self._over(self.length // 2 + 1, group, self._separate)

    def _pack(self, line: _Line, place: Index) -> None:
        parts = [self.scope.at(self.step.ins[0], line.at(place * 2 + k)) for k in range(2)]
        self._put(place, line.lane, complex_of(*parts))

    def _unpack(self, line: _Line, place: Index) -> None:
        number = self._get(place, line.lane)
        for k, part in enumerate((number.real, number.imag)):
            self.scope.store(self.scope.buffers[self.step.outs[0]], line.at(place * 2 + k), part)

    def _separate(self, line: _Line, place: Index) -> None:
        """Store the sums of both halves; the first and the last element are real."""
        is_first, mirror = self._mirror(place)
        number = self._get(place, line.lane)
        even, odd = _halves(number, self._get(mirror, line.lane))
        turned = _times(_complex(odd * self._turn(place)), -1j)
        zero = number.real.like(0.0)
        first = complex_of(number.real + number.imag, zero), complex_of(number.real - number.imag, zero)
        both = _complex(even + turned), _conjugate(_complex(even - turned))
        target = self.scope.buffers[self.step.outs[0]]
        for at, one, other in zip((place, self.length - place), first, both, strict=True):
            self.scope.store(target, line.at(at), is_first.select(one, other))

    def _join(self, line: _Line, place: Index) -> None:
        """Copy the sums of both halves; the first and the last element are real."""
        is_first, mirror = self._mirror(place)
        numbers = []
        for at in (place, self.length - place):
            number = _complex(self.scope.at(self.step.ins[0], line.at(at)))
            numbers.append(complex_of(number.real, is_first.select(0.0, number.imag)))
        even, odd = _halves(*numbers)
        turned = _times(_complex(odd * _conjugate(self._turn(place))), 1j)
        self._put(place, line.lane, _complex(even + turned))
        self._put(mirror, line.lane, _conjugate(_complex(even - turned)))

    def _mirror(self, place: Index) -> tuple[Value, Index]:
        """Whether a place is the first, and the place of the mirror image; that of the first is itself."""
        at = place.emit(self.b)
        is_first = at.equals(0)
        return is_first, computed(is_first.select(0, self.length - at), self.length)

    def _turn(self, place: Index) -> Complex:
        """The root of unity of the whole line to the power of a place."""
        table = self._roots(
            f"@shlo.roots.{self.type}.{self.length}",
            lambda: [root(2 * self.length, k) for k in range(self.length // 2 + 1)],
        )
        at = place.emit(self.b) * 2
        return complex_of(self.b.load(self.type, table, at), self.b.load(self.type, table, at + 1))


def _conjugate(value: Complex) -> Complex:
    return complex_of(value.real, -value.imag)


def _halves(value: Complex, mirror: Complex) -> tuple[Complex, Complex]:
    """Half of the sum and of the difference of a number and the conjugate of its mirror image."""
    one, other = _scaled(value, 0.5), _scaled(_conjugate(mirror), 0.5)
    return _complex(one + other), _complex(one - other)


def _complex(value: Value) -> Complex:
    assert isinstance(value, Complex)
    return value


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
        turned = [_times(value, root(n, k)) for k, value in enumerate(odd)]
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
            by = root(n, j * k)
            total = _complex(total + _scaled(_complex(x + y), by.real))
            turned = _complex(turned + _scaled(_complex(x - y), by.imag)) if k else turned
        found.append(complex_of(total.real - turned.imag, total.imag + turned.real))
    return found


def _scaled(value: Complex, factor: float) -> Complex:
    return value if factor == 1 else complex_of(value.real * factor, value.imag * factor)
