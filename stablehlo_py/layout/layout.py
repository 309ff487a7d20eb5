"""XLA's `Layout`: the representation of an array in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import InitVar, dataclass
from enum import IntEnum
from operator import index
from typing import Any

from stablehlo_py.diagnostics.render import counted


class PaddingValue(IntEnum):
    """The value of padding elements."""

    ZERO_PAD = 1
    ONE_PAD = 2
    LOWEST_PAD = 3
    HIGHEST_PAD = 4
    UNKNOWN_PAD = 5


COMBINED = -1  # the size of a dimension of a tile that is combined with the next one


@dataclass(frozen=True, slots=True)
class Layout:
    """The order of an array's dimensions in linear memory, padding and tiling.

    Attributes:
        minor_to_major: The dimension numbers, starting with the most minor one, which varies fastest in
            memory.
        padded_dimensions: The padded size of each dimension, in the order of the dimension numbers; None for
            no padding.
        padding_value: The value of padding elements.
        tiles: Tiles (`T(8,128)(2,1)` in text) that subdivide the array, with dimensions from major to minor;
            each further tile subdivides the dimensions of the previous one. A dimension of size COMBINED
            (`*`) is combined with the next one.
        element_size_in_bits: The size of a stored element (`E(4)`); 0 for whole bytes.
        memory_space: The memory space of the buffer (`S(1)`), which has no effect here.
        clauses: What has no effect here, as text by its clause: `L` the alignment of the tail, `#` and `*`
            the types of indices and pointers, `SC` where the buffer is split, `P` the physical shape, `M` the
            bytes of metadata.

    Args:
        is_order_checked: Whether `minor_to_major` must be a permutation. A text of HLO is believed, and its
            verifier looks at `is_permutation`.

    Raises:
        ValueError: If the fields are inconsistent.
    """

    minor_to_major: tuple[int, ...]
    padded_dimensions: tuple[int, ...] | None = None
    padding_value: PaddingValue = PaddingValue.ZERO_PAD
    tiles: tuple[tuple[int, ...], ...] = ()
    element_size_in_bits: int = 0
    memory_space: int = 0
    clauses: tuple[tuple[str, str], ...] = ()
    is_order_checked: InitVar[bool] = True

    def __post_init__(self, is_order_checked: bool) -> None:
        _make_tuple(self, "minor_to_major")
        if self.padded_dimensions is not None:
            _make_tuple(self, "padded_dimensions")
        object.__setattr__(self, "tiles", tuple([tuple(map(index, tile)) for tile in self.tiles]))
        if is_order_checked and not self.is_permutation:
            wanted = f"be a permutation of 0 to {self.rank - 1}"
            raise ValueError(f"minor_to_major must {wanted}, got {list(self.minor_to_major)}")
        self._check()

    def _check(self) -> None:
        rank = len(self.minor_to_major)
        padded = self.padded_dimensions
        if padded is not None and len(padded) != rank:
            raise ValueError(f"padded_dimensions has {len(padded)} entries for {rank} dimensions")
        if padded is not None and min(padded, default=0) < 0:
            raise ValueError(f"padded_dimensions must not be negative: {list(padded)}")
        for tile in self.tiles:
            if any(size < 1 and size != COMBINED for size in tile):
                raise ValueError(f"the sizes of a tile must be positive: {list(tile)}")
        if self.element_size_in_bits < 0 or self.memory_space < 0:
            raise ValueError("element_size_in_bits and memory_space must not be negative")

    @staticmethod
    def default(rank: int) -> Layout:
        """Return the default layout: row-major, with the last dimension the most minor one."""
        return Layout(tuple(reversed(range(rank))))

    @staticmethod
    def parse(text: str) -> Layout:
        """Parse a layout such as `{0,1}`; raise ValueError if it is invalid."""
        from stablehlo_py.layout.text import parse_layout  # avoids a circular import

        return parse_layout(text)

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.minor_to_major)

    @property
    def is_permutation(self) -> bool:
        """Test whether the order has each dimension once."""
        return sorted(self.minor_to_major) == list(range(self.rank))

    @property
    def major_to_minor(self) -> tuple[int, ...]:
        """The dimension numbers, starting with the most major one."""
        return self.minor_to_major[::-1]

    def widths(self, dimensions: Sequence[int]) -> tuple[int, ...]:
        """Return the padded sizes of dimensions; raise ValueError if the layout does not match them."""
        if len(dimensions) != self.rank:
            ranks = counted(self.rank, "dimension")
            raise ValueError(f"layout {self} has {ranks}, but the shape has {len(dimensions)}")
        widths = tuple(dimensions) if self.padded_dimensions is None else self.padded_dimensions
        for number, (width, size) in enumerate(zip(widths, dimensions, strict=True)):
            if width < size:
                raise ValueError(f"dimension {number} of size {size} cannot be padded to {width}")
        return widths

    def __str__(self) -> str:
        from stablehlo_py.layout.text import layout_text

        return layout_text(self)


def _make_tuple(layout: Layout, field: str) -> None:
    """Convert a field that is a list or an array to a tuple of integers."""
    given: Any = getattr(layout, field)
    object.__setattr__(layout, field, tuple(map(index, given)))
