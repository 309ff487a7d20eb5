"""What an array is: the `Shape` of XLA."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import index
from typing import Any

import numpy as np

from stablehlo_py.ir.attributes import BOUNDS, StructAttr, bounds
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import (
    TOKEN,
    NoneType,
    QuantizedType,
    TensorType,
    TokenType,
    TupleType,
    Type,
)
from stablehlo_py.layout.elements import element_type
from stablehlo_py.layout.layout import Layout

TUPLE = NoneType()  # a tuple has no element type
_UNSET = Layout(())


@dataclass(frozen=True, slots=True)
class Shape:
    """An array's element type, dimension sizes and layout; or a token; or a tuple of shapes.

    `dimensions` are in increasing order of the dimension numbers; None is a size that nothing bounds.
    `dynamic` says of each dimension whether its size is a bound of what it is at run time (`<=8`), none
    by default. `layout` is major to minor by default.

    Raises ValueError for a layout or sizes that do not fit.
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
                raise ValueError(f"dimension {number} has the negative size {size}")
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
        """The shape of an array: `Shape.make("f32", (2, 3))`, `Shape.make(np.int8, (4,))`.

        `element` is XLA's name of an element type, a NumPy type or a type. Raises ValueError.
        """
        layout = _UNSET if minor_to_major is None else Layout(tuple(minor_to_major))
        return Shape(element_type(element), tuple(dimensions), layout)

    @staticmethod
    def token() -> Shape:
        """The shape of a token, `token[]`."""
        return Shape(TOKEN)

    @staticmethod
    def tuple_of(shapes: Sequence[Shape]) -> Shape:
        """The shape of a tuple whose elements have these shapes."""
        return Shape(TUPLE, tuple_shapes=tuple(shapes))

    @staticmethod
    def parse(text: str) -> Shape:
        """The shape that XLA's text spells: `f32[2,3]{0,1}`, `(f32[2], s32[])`. Raises ValueError."""
        from stablehlo_py.layout.text import parse_shape  # which makes shapes

        return parse_shape(text)

    @staticmethod
    def of_type(type: Type) -> Shape:
        """The shape of a type, a quantized tensor's being that of its storage. Raises ValueError."""
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
            case TokenType():
                return Shape.token()
        raise ValueError(f"XLA has no shape for {type}")

    def to_type(self) -> Type:
        """The type of values of this shape; a type does not have the layout."""
        if self.is_tuple:
            return TupleType(tuple([shape.to_type() for shape in self.tuple_shapes]))
        if self.is_token:
            return TOKEN
        pairs = list(zip(self.dimensions, self.dynamic, strict=True))
        sizes = tuple([None if varies else size for size, varies in pairs])
        limits = tuple([size if varies else None for size, varies in pairs])
        is_bounded = any(limit is not None for limit in limits)
        encoding = StructAttr(BOUNDS, (("bounds", limits),)) if is_bounded else None
        return TensorType(sizes, self.element_type, encoding)

    @property
    def is_tuple(self) -> bool:
        """Whether it is the shape of a tuple, with `tuple_shapes` for its elements."""
        return self.element_type is TUPLE

    @property
    def is_token(self) -> bool:
        """Whether it is the shape of a token."""
        return self.element_type is TOKEN

    @property
    def is_array(self) -> bool:
        """Whether it is the shape of an array: neither a tuple's nor a token's."""
        return not self.is_tuple and not self.is_token

    @property
    def is_static(self) -> bool:
        """Whether every size is known."""
        return not any(self.dynamic) and all(shape.is_static for shape in self.tuple_shapes)

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.dimensions)

    @property
    def true_rank(self) -> int:
        """The number of dimensions that have a size greater than 1."""
        return sum(size is None or size > 1 for size in self.dimensions)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The dimension sizes, bounds included. Raises ValueError where nothing bounds one."""
        known = tuple(size for size in self.dimensions if size is not None)
        if len(known) != len(self.dimensions):
            raise ValueError(f"{self} has a size that is not known")
        return known

    @property
    def size(self) -> int:
        """The number of elements, without padding."""
        return math.prod(self.sizes)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy type of the elements. Raises TypeError for a tuple or token."""
        return numpy_dtype(self.element_type)

    def dimension_number(self, number: int) -> int:
        """The dimension from 0 that a number means: -1 is the last one. Raises ValueError."""
        if not -self.rank <= number < self.rank:
            raise ValueError(f"{self} has no dimension {number}")
        return number % self.rank

    def dimension(self, number: int) -> int | None:
        """The size of a dimension, which a negative number counts from the end."""
        return self.dimensions[self.dimension_number(number)]

    def with_layout(self, layout: Layout) -> Shape:
        """The same array in another layout. Raises ValueError if the layout is not of its dimensions."""
        return replace(self, layout=layout)

    def text(self, layout: bool = True) -> str:
        """XLA's text of the shape, with or without its layout."""
        from stablehlo_py.layout.text import shape_text

        return shape_text(self, layout)

    def __str__(self) -> str:
        return self.text()
