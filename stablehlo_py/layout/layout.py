"""How an array is represented in memory: the `Layout` of XLA."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from operator import index
from typing import Any

from stablehlo_py.diagnostics.render import counted


class PaddingValue(IntEnum):
    """What fills the elements that padding adds; nothing may rely on an unknown value."""

    ZERO_PAD = 1
    ONE_PAD = 2
    LOWEST_PAD = 3
    HIGHEST_PAD = 4
    UNKNOWN_PAD = 5


@dataclass(frozen=True, slots=True)
class Layout:
    """The order of an array's dimensions in linear memory, and what is added around its elements.

    `minor_to_major` orders the dimension numbers, beginning with the most minor one, which changes most
    rapidly when one steps through memory. `padded_dimensions` are the widths to which the dimensions are
    padded, in the order of the dimensions (None: no padding), with `padding_value`.

    `tiles` (`T(8,128)(2,1)` in text) break the array, dimensions from major to minor, into tiles that lie
    one after the other; each further one is of the dimensions that the one before leaves.
    `element_size_in_bits` (`E(4)`) is the size of a stored element, 0 for whole bytes. `memory_space`
    (`S(1)`) is where the buffer is, and changes nothing here.

    Raises ValueError for what orders or pads no array.
    """

    minor_to_major: tuple[int, ...]
    padded_dimensions: tuple[int, ...] | None = None
    padding_value: PaddingValue = PaddingValue.ZERO_PAD
    tiles: tuple[tuple[int, ...], ...] = ()
    element_size_in_bits: int = 0
    memory_space: int = 0

    def __post_init__(self) -> None:
        _make_tuple(self, "minor_to_major")
        if self.padded_dimensions is not None:
            _make_tuple(self, "padded_dimensions")
        object.__setattr__(self, "tiles", tuple([tuple(map(index, tile)) for tile in self.tiles]))
        self._check()

    def _check(self) -> None:
        rank = len(self.minor_to_major)
        if sorted(self.minor_to_major) != list(range(rank)):
            wanted = f"order the dimension numbers 0 to {rank - 1}, each once"
            raise ValueError(f"minor_to_major must {wanted}, not {list(self.minor_to_major)}")
        padded = self.padded_dimensions
        if padded is not None and len(padded) != rank:
            raise ValueError(f"padded_dimensions has {len(padded)} widths for {rank} dimensions")
        if padded is not None and min(padded, default=0) < 0:
            raise ValueError(f"padded_dimensions must not be negative: {list(padded)}")
        for tile in self.tiles:
            if min(tile, default=1) < 1:
                raise ValueError(f"the sizes of a tile must be positive: {list(tile)}")
        if self.element_size_in_bits < 0 or self.memory_space < 0:
            raise ValueError("element_size_in_bits and memory_space must not be negative")

    @staticmethod
    def default(rank: int) -> Layout:
        """The layout of a new shape, major to minor: the last dimension is the most minor one."""
        return Layout(tuple(reversed(range(rank))))

    @staticmethod
    def parse(text: str) -> Layout:
        """The layout that a text such as `{0,1}` spells. Raises ValueError."""
        from stablehlo_py.layout.text import parse_layout  # which makes layouts

        return parse_layout(text)

    @property
    def rank(self) -> int:
        """The number of dimensions that it orders."""
        return len(self.minor_to_major)

    @property
    def major_to_minor(self) -> tuple[int, ...]:
        """The dimension numbers, beginning with the most major one."""
        return self.minor_to_major[::-1]

    def widths(self, dimensions: Sequence[int]) -> tuple[int, ...]:
        """The sizes of an array's dimensions with padding. Raises ValueError if the layout is not of them."""
        if len(dimensions) != self.rank:
            ranks = counted(self.rank, "dimension")
            raise ValueError(f"layout {self} is of {ranks}, and the shape has {len(dimensions)}")
        widths = tuple(dimensions) if self.padded_dimensions is None else self.padded_dimensions
        for number, (width, size) in enumerate(zip(widths, dimensions, strict=True)):
            if width < size:
                raise ValueError(f"dimension {number} of size {size} cannot be padded to {width}")
        return widths

    def __str__(self) -> str:
        from stablehlo_py.layout.text import layout_text

        return layout_text(self)


def _make_tuple(layout: Layout, field: str) -> None:
    """Makes a list, or an array, the tuple of numbers that the field is."""
    given: Any = getattr(layout, field)
    object.__setattr__(layout, field, tuple(map(index, given)))
