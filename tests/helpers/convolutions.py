"""Convolutions as one line of text each, and their programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tests.helpers.native import tensor

Shape = tuple[int, ...]
Pairs = Sequence[tuple[int, int]]


def sizes(text: str) -> Shape:
    """A shape such as `2x14x15`."""
    return tuple(map(int, text.split("x")))


class Convolution(NamedTuple):
    """A convolution.

    Attributes:
        image: The shape of the image.
        kernel: The shape of the kernel.
        dimensions: Those of the image, of the kernel and of the result, a letter each: `b01f`.
        pads: What is added at both ends of each dimension of space.
        strides: The strides.
        dilation: The dilation of the image.
        spread: The dilation of the kernel.
        reverse: The dimensions of the kernel that are reversed.
        groups: The groups of features, and those of the batch.
    """

    image: Shape
    kernel: Shape
    dimensions: tuple[str, str, str]
    pads: Pairs
    strides: Shape
    dilation: Shape
    spread: Shape
    reverse: Shape
    groups: tuple[int, int]

    @property
    def result(self) -> Shape:
        """The shape of the result."""
        of_image, of_kernel, of_result = self.dimensions
        features = self.kernel[of_kernel.index("o")]
        batch = self.image[of_image.index("b")] // self.groups[1]
        found = []
        for name in of_result:
            if name in "bf":
                found.append(batch if name == "b" else features)
                continue
            d = int(name)
            size = (self.image[of_image.index(name)] - 1) * self.dilation[d] + 1 + sum(self.pads[d])
            taps = (self.kernel[of_kernel.index(name)] - 1) * self.spread[d] + 1
            found.append((size - taps) // self.strides[d] + 1)
        return tuple(found)

    def op(self, elements: Sequence[str], image: str = "%a", kernel: str = "%k") -> str:
        """The op, for the element types of its operands and result."""
        left, right, out = (f"[{', '.join(names)}]" for names in self.dimensions)
        types = [tensor(s, e) for s, e in zip((self.image, self.kernel, self.result), elements, strict=True)]
        flips = ", ".join("true" if d in self.reverse else "false" for d in range(len(self.pads)))
        return f"""stablehlo.convolution({image}, {kernel}) dim_numbers = {left}x{right}->{out},
          window = {{stride = {[*self.strides]}, pad = {[[*pad] for pad in self.pads]},
            lhs_dilate = {[*self.dilation]}, rhs_dilate = {[*self.spread]}, reverse = [{flips}]}}
          {{feature_group_count = {self.groups[0]} : i64, batch_group_count = {self.groups[1]} : i64}}
          : ({types[0]}, {types[1]}) -> {types[2]}"""

    def text(self, *elements: str, before: str = "", after: str = "") -> str:
        """A program of the convolution, with ops of the image in front of it and of its result behind it.

        Args:
            elements: The element type, or those of the operands and of the result.
            before: The name of a unary op, or nothing.
            after: The same.
        """
        types = elements * 3 if len(elements) == 1 else elements
        a, k, r = (tensor(s, e) for s, e in zip((self.image, self.kernel, self.result), types, strict=True))
        first = f"%x = stablehlo.{before} %a : {a}\n" if before else ""
        last = f"%1 = stablehlo.{after} %0 : {r}\n" if after else ""
        return f"""func.func @main(%a: {a}, %k: {k}) -> {r} {{
        {first}%0 = {self.op(types, "%x" if before else "%a")}
        {last}return {"%1" if after else "%0"} : {r}
        }}"""


def convolution(row: str) -> Convolution:
    """Read a row: the shapes of the image and the kernel, the dimensions, and what is not the default.

    `p=1` pads by one at both ends of all dimensions, `p=1:0,2:2` by other numbers. `s=` are strides, `l=` and
    `r=` dilations of the image and of the kernel. `x=` are the dimensions that are reversed. `g=` and `b=`
    are groups of features and of the batch.
    """
    image, kernel, *dimensions = row.split()[:5]
    count = len(dimensions[0]) - 2
    given = dict(each.split("=") for each in row.split()[5:])

    def every(name: str, default: int) -> Shape:
        values = [int(n) for n in given.get(name, str(default)).split(",")]
        return tuple(values * count if len(values) == 1 else values)

    ends = [tuple(map(int, each.split(":"))) for each in given.get("p", "0").split(",")]
    pads = [(*each, *each)[:2] for each in (ends * count if len(ends) == 1 else ends)]
    reverse = tuple(map(int, given["x"].split(","))) if "x" in given else ()
    groups = int(given.get("g", 1)), int(given.get("b", 1))
    first, second, third = dimensions
    return Convolution(
        sizes(image),
        sizes(kernel),
        (first, second, third),
        pads,
        every("s", 1),
        every("l", 1),
        every("r", 1),
        reverse,
        groups,
    )
