"""The type and layout of an array: the `Shape` of XLA."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import index
from typing import Any

import numpy as np

from stablehlo_py.ir.attributes import BOUNDS, StructAttr, bounds
from stablehlo_py.ir.types import (
    TOKEN,
    MemRefType,
    NoneType,
    OpaqueType,
    QuantizedType,
    TensorType,
    TokenType,
    TupleType,
    Type,
)
from stablehlo_py.layout.elements import element_dtype, element_type
from stablehlo_py.layout.layout import Layout

TUPLE = NoneType()  # a tuple has no element type
OPAQUE = OpaqueType("!xla.opaque")
BUFFER = OpaqueType("!xla.buffer")
_NO_ARRAYS = frozenset([TUPLE, TOKEN, OPAQUE, BUFFER])
_UNSET = Layout(())


@dataclass(frozen=True, slots=True)
class Shape:
    """XLA's `Shape`: an array's element type, sizes and layout; or a token; or a tuple of shapes.

    There are also buffers of arrays, and opaque values.

    Attributes:
        element_type: The element type.
        dimensions: The size of each dimension; None if unbounded.
        layout: The layout, by default row-major.
        dynamic: For each dimension, whether its size is only an upper bound (`<=8`); by default none is.
        tuple_shapes: The shapes of the elements of a tuple; that of the array in a buffer, `b(f32[2])`.

    Raises:
        ValueError: If sizes and layout are inconsistent.
    """

    element_type: Type
    dimensions: tuple[int | None, ...] = ()
    layout: Layout = _UNSET
    dynamic: tuple[bool, ...] = ()
    tuple_shapes: tuple[Shape, ...] = ()

    def __post_init__(self) -> None:
        sizes = tuple([None if size is None else index(size) for size in self.dimensions])
        object.__setattr__(self, "dimensions", sizes)
        for number, size in enumerate(self.dimensions):
            if size is not None and size < 0:
                raise ValueError(f"dimension {number} has negative size {size}")
        if not self.is_array:
            return
        layout = Layout.default(self.rank) if self.layout is _UNSET else self.layout
        layout.widths([size or 0 for size in sizes])
        dynamic = tuple(self.dynamic) or tuple([size is None for size in sizes])
        if len(dynamic) != len(sizes):
            raise ValueError(f"dynamic has {len(dynamic)} entries for {len(sizes)} dimensions")
        object.__setattr__(self, "layout", layout)
        object.__setattr__(self, "dynamic", dynamic)

    @staticmethod
    def make(
        element: Type | str | np.dtype[Any] | type[Any],
        dimensions: Sequence[int | None] = (),
        minor_to_major: Sequence[int] | None = None,
    ) -> Shape:
        """Make the shape of an array.

        Args:
            element: An XLA name of an element type, a NumPy type, or a type.
            dimensions: The size of each dimension.
            minor_to_major: The order of the dimensions in memory, by default row-major.

        Returns:
            The shape.

        Raises:
            ValueError: If the element type is unknown, or sizes and order are inconsistent.

        Example:
            Shape.make("f32", (2, 3)); Shape.make(np.int8, (4,))
        """
        layout = _UNSET if minor_to_major is None else Layout(tuple(minor_to_major))
        return Shape(element_type(element), tuple(dimensions), layout)

    @staticmethod
    def token() -> Shape:
        """Return the shape of a token, `token[]`."""
        return Shape(TOKEN)

    @staticmethod
    def tuple_of(shapes: Sequence[Shape]) -> Shape:
        """Return the shape of a tuple with elements of these shapes."""
        return Shape(TUPLE, tuple_shapes=tuple(shapes))

    @staticmethod
    def parse(text: str) -> Shape:
        """Parse XLA's text of a shape: `f32[2,3]{0,1}`, `(f32[2], s32[])`; raise ValueError if invalid."""
        from stablehlo_py.layout.text import parse_shape  # avoids a circular import

        return parse_shape(text)

    @staticmethod
    def of_type(type: Type) -> Shape:
        """Convert a type to a shape; a quantized tensor to that of its storage type.

        Raises:
            ValueError: If XLA has no shape for the type.
        """
        match type:
            case TensorType(element_type=QuantizedType(storage_type=storage)):
                return Shape.of_type(TensorType(type.shape, storage, type.encoding))
            case TensorType():
                pairs = zip(type.shape, bounds(type), strict=True)
                sizes = tuple([bound if size is None else size for size, bound in pairs])
                dynamic = tuple([size is None for size in type.shape])
                return Shape(element_type(type.element_type), sizes, dynamic=dynamic)
            case TupleType(types=types):
                return Shape.tuple_of([Shape.of_type(inner) for inner in types])
            case MemRefType(shape=sizes, element_type=element):
                return Shape(BUFFER, tuple_shapes=(Shape(element_type(element), sizes),))
            case TokenType():
                return Shape.token()
        raise ValueError(f"XLA has no shape for {type}")

    def to_type(self) -> Type:
        """Convert to a type, without the layout."""
        if self.is_tuple:
            return TupleType(tuple([shape.to_type() for shape in self.tuple_shapes]))
        if self.is_token:
            return TOKEN
        if self.element_type is BUFFER:
            (array,) = self.tuple_shapes
            return MemRefType(array.dimensions, array.element_type)
        pairs = list(zip(self.dimensions, self.dynamic, strict=True))
        sizes = tuple([None if varies else size for size, varies in pairs])
        limits = tuple([size if varies else None for size, varies in pairs])
        is_bounded = any(limit is not None for limit in limits)
        encoding = StructAttr(BOUNDS, (("bounds", limits),)) if is_bounded else None
        return TensorType(sizes, self.element_type, encoding)

    @property
    def is_tuple(self) -> bool:
        """Test whether it is a tuple, with elements of `tuple_shapes`."""
        return self.element_type is TUPLE

    @property
    def is_token(self) -> bool:
        """Test whether it is a token."""
        return self.element_type is TOKEN

    @property
    def is_array(self) -> bool:
        """Test whether it is an array: not a tuple, token, buffer or opaque value."""
        return self.element_type not in _NO_ARRAYS

    @property
    def is_static(self) -> bool:
        """Test whether every size is known."""
        return not any(self.dynamic) and all(shape.is_static for shape in self.tuple_shapes)

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.dimensions)

    @property
    def true_rank(self) -> int:
        """The number of dimensions of size greater than 1."""
        return sum(size is None or size > 1 for size in self.dimensions)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The dimension sizes, including bounds.

        Raises:
            ValueError: If a dimension is unbounded.
        """
        known = tuple(size for size in self.dimensions if size is not None)
        if len(known) != len(self.dimensions):
            raise ValueError(f"{self} has an unbounded dimension")
        return known

    @property
    def size(self) -> int:
        """The number of elements, without padding."""
        return math.prod(self.sizes)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy type of the elements.

        Raises:
            TypeError: If it is a tuple or token.
        """
        return element_dtype(self.element_type)

    def dimension_number(self, number: int) -> int:
        """Normalize a dimension number: -1 is the last dimension; raise ValueError if out of range."""
        if not -self.rank <= number < self.rank:
            raise ValueError(f"{self} has no dimension {number}")
        return number % self.rank

    def dimension(self, number: int) -> int | None:
        """Return the size of a dimension; negative numbers count from the end."""
        return self.dimensions[self.dimension_number(number)]

    def with_layout(self, layout: Layout) -> Shape:
        """Return the shape with another layout; raise ValueError if the layout does not match."""
        return replace(self, layout=layout)

    def text(self, layout: bool = True) -> str:
        """Return XLA's text of the shape, with or without its layout."""
        from stablehlo_py.layout.text import shape_text

        return shape_text(self, layout)

    def __str__(self) -> str:
        return self.text()
