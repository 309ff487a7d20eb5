"""Fourier transforms: Stockham's method along one axis, several lines at a time (`kernels/fft.py`).

A group of lines is copied to memory of an iteration, so that the same element of neighbouring lines is a
vector. Stages of small radices combine the elements without a permutation. A line of `2 n` real numbers is
transformed as `n` complex numbers. The second operand has the roots of unity.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import cos, pi, sin
from typing import TYPE_CHECKING

from stablehlo_py.engines.native import cost
from stablehlo_py.engines.native.loop_ir.expressions import Buffer, Expression, apply, load
from stablehlo_py.engines.native.loop_ir.index import Index, Indices, of_variable
from stablehlo_py.engines.native.loop_ir.statements import Statement, Store
from stablehlo_py.engines.native.lower.records import by_loops
from stablehlo_py.engines.native.lower.values import number, op, parts
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.element_types import bit_width
from stablehlo_py.ir.types import ComplexType

if TYPE_CHECKING:
    from stablehlo_py.engines.native.lower.region import Lowering

FFT, LINES = "stablehlo.fft", "native.fft"
LONGEST = 1 << 12
_RADICES = (8, 4, 2, 3, 5, 7)

Complex = tuple[Expression, Expression]  # the real and the imaginary part


def factors(length: int) -> list[int] | None:
    """The radices of the stages; None where there is another prime."""
    found = []
    for radix in _RADICES:
        while length % radix == 0:
            found.append(radix)
            length //= radix
    return found if length == 1 else None


def root(n: int, k: int) -> complex:
    """`exp(-2 pi i k / n)`, from an angle of at most an eighth of a turn."""
    k %= n
    if 2 * k > n:
        return root(n, n - k).conjugate()
    if 4 * k > n:
        return -root(2 * n, n - 2 * k).conjugate()
    if 8 * k > n:
        other = root(4 * n, n - 4 * k)
        return complex(-other.imag, -other.real)
    angle = 2 * pi * k / n
    return complex(cos(angle), -sin(angle))


def _has_roots(plan: Plan[Step], step: Step) -> bool:
    return len(step.ins) == 2


@by_loops(LINES, supports=_has_roots)
def _lines(lowering: Lowering, step: Step) -> Sequence[Statement]:
    is_inverse = step.keywords["inverse"]
    real = lowering.type(step.outs[0] if is_inverse else step.ins[0])
    length = step.keywords["length"]
    is_half = not isinstance(real, ComplexType) and length % 2 == 0
    kind = _RealTransform if is_half else _Transform
    return kind(lowering, step, length // 2 if is_half else length).statements()


class _Transform:
    """The transform of a group of lines."""

    def __init__(self, lowering: Lowering, step: Step, length: int) -> None:
        self.lowering, self.step, self.length = lowering, step, length
        self.operand, self.roots = step.ins
        self.type = lowering.type(self.roots)
        self.inverse: bool = step.keywords["inverse"]
        self.axis: int = step.keywords["axis"]
        shape = lowering.shape(step.outs[0])
        self.rest = (*shape[: self.axis], *shape[self.axis + 1 :])
        most = min(cost.LINES, max(1, 8 * cost.ARRAY // (2 * bit_width(self.type) * length)))
        long = [d for d, size in enumerate(self.rest) if size > 1]
        self.dimension = long[-1] if long else 0  # of neighbouring lines
        self.lanes = 1
        while long and self.lanes < most and self.rest[self.dimension] % (2 * self.lanes) == 0:
            self.lanes *= 2

    def statements(self) -> list[Statement]:
        """Copy the lines of each group, combine them, and store them."""
        groups = [n // self.lanes if d == self.dimension else n for d, n in enumerate(self.rest)]
        return self.lowering.batched(groups, self._group)

    def _group(self, group: Indices) -> list[Statement]:
        slot, size = self.step.outs[0], self.length * self.lanes
        (self.own, source), (_, target) = [
            self.lowering.for_each(group, (2, size), self.type, f"lines{slot}") for _ in range(2)
        ]
        self.group, self.planes = group, source
        found = self.read()
        length, stride = self.length, self.lanes
        for radix in factors(self.length) or ():
            found += self._stage(source, target, length, radix, stride)
            source, target = target, source
            length, stride = length // radix, stride * radix
        self.planes = source
        return [*found, *self.write()]

    # Lines

    def over(self, count: int, body: Callable[[Index, Index], list[Statement]]) -> list[Statement]:
        """Loops over some places of the lines, and over the lines."""
        variables = self.lowering.variables([count, self.lanes])
        return self.lowering.nested(variables, body(*map(of_variable, variables))) if count else []

    def at(self, place: Index, lane: Index) -> Indices:
        """The indices of an element of a line."""
        found = [i * self.lanes + lane if d == self.dimension else i for d, i in enumerate(self.group)]
        return (*found[: self.axis], place, *found[self.axis :])

    def number_at(self, place: Index, lane: Index) -> Complex:
        """An element of the operand."""
        found = parts(self.lowering.at(self.operand, self.at(place, lane)))
        return found[0], found[1] if len(found) > 1 else number(0, self.type)

    def put(self, place: Index, lane: Index, value: Complex) -> list[Statement]:
        """Store an element to transform; an inverse is the transform of exchanged parts."""
        ordered = value[::-1] if self.inverse else value
        return [Store(self.planes, self._plane(k, place, lane), each) for k, each in enumerate(ordered)]

    def get(self, place: Index, lane: Index) -> Complex:
        """An element of the transform."""
        real, imag = [load(self.planes, self._plane(k, place, lane)) for k in range(2)]
        by = number(self.length, self.type)
        return (op("divide", imag, by), op("divide", real, by)) if self.inverse else (real, imag)

    def store(self, place: Index, lane: Index, *values: Expression) -> Statement:
        """Store an element of the result: a number, or both parts of one."""
        result = self.lowering.buffers[self.step.outs[0]]
        value = apply("stablehlo.complex", result.element, values) if len(values) > 1 else values[0]
        return Store(result, self.at(place, lane), value)

    def _plane(self, k: int, place: Index, lane: Index) -> Indices:
        return (*self.own, Index((), k), place * self.lanes + lane)

    def read(self) -> list[Statement]:
        """Copy lines; each element of half of a symmetric array is copied to both of its places."""
        count = self.lowering.shape(self.operand)[self.axis]
        found = self.over(count, lambda p, lane: self.put(p, lane, self.number_at(p, lane)))
        if count < self.length:
            found += self.over(
                self.length - count,
                lambda p, lane: self.put(
                    p * -1 + (self.length - 1), lane, _conjugate(self.number_at(p + 1, lane))
                ),
            )
        return found

    def write(self) -> list[Statement]:
        """Store the transform, as far as the result has it."""
        count = self.lowering.shape(self.step.outs[0])[self.axis]
        several = 2 if isinstance(self.lowering.type(self.step.outs[0]), ComplexType) else 1
        return self.over(count, lambda p, lane: [self.store(p, lane, *self.get(p, lane)[:several])])

    # Stages

    def turn(self, place: Index) -> Complex:
        """A root of unity of the whole length."""
        real, imag = [self.lowering.at(self.roots, (Index((), k), place)) for k in range(2)]
        return real, imag

    def _stage(self, source: Buffer, target: Buffer, length: int, radix: int, stride: int) -> list[Statement]:
        """Sums of elements that are `length` divided by the radix apart, turned by their place."""
        count, step = length // radix, self.step.keywords["length"] // length
        outer, inner = self.lowering.variables([count, stride])
        p, t = of_variable(outer), of_variable(inner)
        turns: list[Statement] = []
        places = [p * (step * k) for k in range(1, radix)] if count > 1 else []  # of the roots
        roots = [self._named(turns, self.turn(place)) for place in places]
        body: list[Statement] = []
        values = [
            self._named(body, self._pair(source, p * stride + (t + k * count * stride))) for k in range(radix)
        ]
        for k, value in enumerate(_dft(values)):
            named = self._named(body, value)
            turned = _times(named, roots[k - 1]) if roots and k else named
            for plane, part in enumerate(turned):
                at = (*self.own, Index((), plane), p * (radix * stride) + (t + k * stride))
                body.append(Store(target, at, part))
        return self.lowering.nested([outer], [*turns, *self.lowering.nested([inner], body)])

    def _pair(self, planes: Buffer, at: Index) -> Complex:
        return load(planes, (*self.own, Index((), 0), at)), load(planes, (*self.own, Index((), 1), at))

    def _named(self, body: list[Statement], value: Complex) -> Complex:
        return self.lowering.let(body, value[0]), self.lowering.let(body, value[1])


class _RealTransform(_Transform):
    """The transform of an even number of real numbers.

    Those at even and odd places are the real and imaginary parts of half as many complex numbers. Their
    transform `Z` holds both transforms, `E` and `O`: `Z[k] = E[k] + i O[k]`. The whole is `E[k] + w^k O[k]`.
    """

    def read(self) -> list[Statement]:
        if self.inverse:
            first = self.over(1, self._join_ends)
            return first + self.over(self.length - 1, lambda p, lane: self._join(p + 1, lane))
        return self.over(self.length, self._pack)

    def write(self) -> list[Statement]:
        if self.inverse:
            return self.over(self.length, self._unpack)
        ends = self.over(1, self._separate_ends)
        return ends + self.over(self.length - 1, lambda p, lane: self._separate(p + 1, lane))

    def _pack(self, place: Index, lane: Index) -> list[Statement]:
        real, imag = [self.number_at(place * 2 + k, lane)[0] for k in range(2)]
        return self.put(place, lane, (real, imag))

    def _unpack(self, place: Index, lane: Index) -> list[Statement]:
        return [self.store(place * 2 + k, lane, part) for k, part in enumerate(self.get(place, lane))]

    def _separate_ends(self, place: Index, lane: Index) -> list[Statement]:
        """The first and the last sum are real."""
        (real, imag), zero = self.get(place, lane), number(0, self.type)
        sums = op("add", real, imag), op("subtract", real, imag)
        ends = place, place + self.length
        return [self.store(end, lane, value, zero) for end, value in zip(ends, sums, strict=True)]

    def _separate(self, place: Index, lane: Index) -> list[Statement]:
        mirror = place * -1 + self.length
        even, odd = _halves(self.get(place, lane), self.get(mirror, lane))
        turned = _turned(_times(odd, self.turn(place)), -1j)
        return [self.store(place, lane, *_sum(even, turned))]

    def _join_ends(self, place: Index, lane: Index) -> list[Statement]:
        (first, _), (last, _) = (self.number_at(p, lane) for p in (place, place + self.length))
        half = number(0.5, self.type)
        pair = [op("multiply", op(name, first, last), half) for name in ("add", "subtract")]
        return self.put(place, lane, (pair[0], pair[1]))

    def _join(self, place: Index, lane: Index) -> list[Statement]:
        mirror = place * -1 + self.length
        even, odd = _halves(self.number_at(place, lane), self.number_at(mirror, lane))
        turned = _turned(_times(odd, _conjugate(self.turn(place))), 1j)
        return self.put(place, lane, _sum(even, turned))


# Complex arithmetic


def _sum(x: Complex, y: Complex) -> Complex:
    return op("add", x[0], y[0]), op("add", x[1], y[1])


def _difference(x: Complex, y: Complex) -> Complex:
    return op("subtract", x[0], y[0]), op("subtract", x[1], y[1])


def _times(x: Complex, y: Complex) -> Complex:
    products = [[op("multiply", a, b) for b in y] for a in x]
    return op("subtract", products[0][0], products[1][1]), op("add", products[0][1], products[1][0])


def _scaled(x: Complex, by: float) -> Complex:
    if by == 1:
        return x
    return op("multiply", x[0], number(by, x[0].type)), op("multiply", x[1], number(by, x[1].type))


def _conjugate(x: Complex) -> Complex:
    return x[0], op("negate", x[1])


def _halves(value: Complex, mirror: Complex) -> tuple[Complex, Complex]:
    """Half of the sum and of the difference of a number and the conjugate of its mirror image."""
    one, other = _scaled(value, 0.5), _scaled(_conjugate(mirror), 0.5)
    return _sum(one, other), _difference(one, other)


def _turned(x: Complex, by: complex) -> Complex:
    """A product with a constant; by units it costs nothing."""
    if by.imag == 0 and by.real in (1, -1):
        return x if by.real == 1 else (op("negate", x[0]), op("negate", x[1]))
    if by.real == 0 and by.imag in (1, -1):
        return (op("negate", x[1]), x[0]) if by.imag == 1 else (x[1], op("negate", x[0]))
    return _times(x, (number(by.real, x[0].type), number(by.imag, x[0].type)))


def _dft(values: Sequence[Complex]) -> list[Complex]:
    """The transform of a few numbers: halves where there are any, sums otherwise."""
    n = len(values)
    if n == 1:
        return list(values)
    if n % 2 == 0:
        even, odd = _dft(values[0::2]), _dft(values[1::2])
        turned = [_turned(value, root(n, k)) for k, value in enumerate(odd)]
        pairs = list(zip(even, turned, strict=True))
        return [_sum(*pair) for pair in pairs] + [_difference(*pair) for pair in pairs]
    return [_odd_sum(values, k) for k in range(n)]


def _odd_sum(values: Sequence[Complex], k: int) -> Complex:
    """A sum of pairs that are turned by the same angle in both directions."""
    n, total = len(values), values[0]
    turned: Complex | None = None
    for j in range(1, n // 2 + 1):
        x, y, by = values[j], values[n - j], root(n, j * k)
        total = _sum(total, _scaled(_sum(x, y), by.real))
        apart = _scaled(_difference(x, y), by.imag)
        turned = apart if turned is None else _sum(turned, apart)
    assert turned is not None
    return total if k == 0 else (op("subtract", total[0], turned[1]), op("add", total[1], turned[0]))
