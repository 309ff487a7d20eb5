"""Dot products as one line of text each, and their programs."""

from __future__ import annotations

from typing import NamedTuple

from tests.helpers.convolutions import Shape, sizes
from tests.helpers.native import tensor


class Dot(NamedTuple):
    """A dot product.

    Attributes:
        left: The shape of the left operand.
        right: The shape of the right operand.
        names: The dimensions of both, a letter each: those of both are contracted, in the order of the
            alphabet, or are of the batch if they are capital letters.
    """

    left: Shape
    right: Shape
    names: tuple[str, str]

    @property
    def batch(self) -> list[str]:
        """The dimensions of the batch."""
        return sorted(set(self.names[0]) & set(self.names[1]) & set("XYZ"))

    @property
    def terms(self) -> list[str]:
        """The dimensions that are contracted."""
        return sorted(set(self.names[0]) & set(self.names[1]) - set(self.batch))

    @property
    def free(self) -> str:
        """The dimensions of the result."""
        left, right = ("".join(n for n in side if n not in self.batch + self.terms) for side in self.names)
        return "".join(self.batch) + left + right

    @property
    def result(self) -> Shape:
        """The shape of the result."""
        known = dict(zip("".join(self.names), (*self.left, *self.right), strict=True))
        return tuple([known[name] for name in self.free])

    @property
    def equation(self) -> str:
        """The product as NumPy's `einsum` writes it."""
        return f"{','.join(self.names)}->{self.free}"

    def op(self, *elements: str, left: str = "%a", right: str = "%b") -> str:
        """The op, for the element type, or for those of its operands and result."""
        types = [
            tensor(s, e) for s, e in zip((self.left, self.right, self.result), _three(elements), strict=True)
        ]
        numbers = []
        for kind, names in (("batching", self.batch), ("contracting", self.terms)):
            places = [[side.index(name) for name in names] for side in self.names]
            numbers += [f"{kind}_dims = {places[0]} x {places[1]}"] if names or kind == "contracting" else []
        return f"""stablehlo.dot_general {left}, {right}, {", ".join(numbers)}
          : ({types[0]}, {types[1]}) -> {types[2]}"""

    def text(self, *elements: str) -> str:
        """A program of the product."""
        a, b, r = (
            tensor(s, e) for s, e in zip((self.left, self.right, self.result), _three(elements), strict=True)
        )
        return f"""func.func @main(%a: {a}, %b: {b}) -> {r} {{
        %0 = {self.op(*elements)}
        return %0 : {r}
        }}"""


def _three(elements: tuple[str, ...]) -> tuple[str, ...]:
    return elements * 3 if len(elements) == 1 else elements


def dot(row: str) -> Dot:
    """Read a row, such as `20x50 50x96 ma,an`."""
    left, right, names = row.split()
    first, _, second = names.partition(",")
    return Dot(sizes(left), sizes(right), (first, second))
