"""Values of a computation under construction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from stablehlo_py.builder.call_site import call_site
from stablehlo_py.builder.errors import BuildError
from stablehlo_py.builder.shape import shape_text
from stablehlo_py.ir.core import Value
from stablehlo_py.ir.types import TensorType, TupleType, Type

if TYPE_CHECKING:
    import numpy as np

    from stablehlo_py.builder.xla_builder import XlaBuilder

    Operand: TypeAlias = "XlaOp | np.ndarray[Any, np.dtype[Any]] | np.generic | bool | int | float | complex"


_NO_VALUE = "an XlaOp has no value while the program is being built"


class XlaOp:
    """The result of an operation: an array, a token, or a tuple.

    Python's operators build operations: `+ - * / % **`, unary `-`, `abs`, the comparisons, the logical and
    bitwise `& | ^ ~ << >>`, and `@` for Dot, with XlaOps, numbers and NumPy arrays as operands. Arrays
    support NumPy's basic indexing (integers, slices, `...`, a scalar XlaOp); tuples can be indexed and
    unpacked. `==` builds Eq; use `is` to compare XlaOps.
    """

    __slots__ = ("_content", "builder")
    __hash__ = object.__hash__
    __array_ufunc__ = None  # NumPy defers `array + op` to XlaOp

    def __init__(self, builder: XlaBuilder, content: Value | Sequence[XlaOp]) -> None:
        self.builder = builder
        self._content = content if isinstance(content, Value) else tuple(content)

    @property
    def type(self) -> Type:
        """The StableHLO type; a tuple type for a tuple."""
        if isinstance(self._content, Value):
            return self._content.type
        return TupleType(tuple([element.type for element in self._content]))

    @property
    def tensor_type(self) -> TensorType:
        """The type of an array; raises BuildError for a tuple or token."""
        type = self.type
        if not isinstance(type, TensorType):
            raise _unexpected("an array", type)
        return type

    @property
    def shape(self) -> tuple[int | None, ...]:
        """The dimension sizes of an array; raises BuildError for a tuple or token."""
        return self.tensor_type.shape

    @property
    def rank(self) -> int:
        """The number of dimensions of an array; raises BuildError for a tuple or token."""
        return self.tensor_type.rank

    @property
    def element_type(self) -> Type:
        """The element type of an array; raises BuildError for a tuple or token."""
        return self.tensor_type.element_type

    @property
    def is_tuple(self) -> bool:
        """Test whether this is a tuple."""
        return not isinstance(self._content, Value)

    @property
    def elements(self) -> tuple[XlaOp, ...]:
        """The elements of a tuple; raises BuildError for an array or token."""
        if isinstance(self._content, Value):
            raise _unexpected("a tuple", self.type)
        return self._content

    @property
    def value(self) -> Value:
        """The value of an array or token in the program; raises BuildError for a tuple."""
        if not isinstance(self._content, Value):
            raise _unexpected("an array", self.type)
        return self._content

    @property
    def values(self) -> list[Value]:
        """The values in the program: one, or those of a tuple's elements."""
        if isinstance(self._content, Value):
            return [self._content]
        return [value for element in self._content for value in element.values]

    def __repr__(self) -> str:
        return f"<XlaOp {shape_text(self.type)}>"

    def __bool__(self) -> bool:
        raise BuildError(f"{_NO_VALUE}: Python cannot branch on it; use Select, Conditional or While")

    def __array__(self, *_: Any, **__: Any) -> np.ndarray[Any, np.dtype[Any]]:
        raise BuildError(f"{_NO_VALUE}: it cannot convert to a NumPy array; use the builder's operations")

    def __len__(self) -> int:
        size = len(self.elements) if self.is_tuple else next(iter(self.shape), None)
        if size is None:
            raise BuildError(f"{shape_text(self.type)} has no length")
        return size

    def __iter__(self) -> Iterator[XlaOp]:
        return iter([self[index] for index in range(len(self))])

    def __getitem__(self, index: Any) -> XlaOp:
        if self.is_tuple:
            return self.builder.GetTupleElement(self, index)
        return self.builder.index(self, index)

    def __add__(self, other: Operand) -> XlaOp:
        return self.builder.Add(self, other)

    def __radd__(self, other: Operand) -> XlaOp:
        return self.builder.Add(other, self)

    def __sub__(self, other: Operand) -> XlaOp:
        return self.builder.Sub(self, other)

    def __rsub__(self, other: Operand) -> XlaOp:
        return self.builder.Sub(other, self)

    def __mul__(self, other: Operand) -> XlaOp:
        return self.builder.Mul(self, other)

    def __rmul__(self, other: Operand) -> XlaOp:
        return self.builder.Mul(other, self)

    def __truediv__(self, other: Operand) -> XlaOp:
        return self.builder.Div(self, other)

    def __rtruediv__(self, other: Operand) -> XlaOp:
        return self.builder.Div(other, self)

    def __mod__(self, other: Operand) -> XlaOp:
        return self.builder.Rem(self, other)

    def __rmod__(self, other: Operand) -> XlaOp:
        return self.builder.Rem(other, self)

    def __pow__(self, other: Operand) -> XlaOp:
        return self.builder.Pow(self, other)

    def __rpow__(self, other: Operand) -> XlaOp:
        return self.builder.Pow(other, self)

    def __and__(self, other: Operand) -> XlaOp:
        return self.builder.LogicalAnd(self, other)

    def __rand__(self, other: Operand) -> XlaOp:
        return self.builder.LogicalAnd(other, self)

    def __or__(self, other: Operand) -> XlaOp:
        return self.builder.LogicalOr(self, other)

    def __ror__(self, other: Operand) -> XlaOp:
        return self.builder.LogicalOr(other, self)

    def __xor__(self, other: Operand) -> XlaOp:
        return self.builder.LogicalXor(self, other)

    def __rxor__(self, other: Operand) -> XlaOp:
        return self.builder.LogicalXor(other, self)

    def __lshift__(self, other: Operand) -> XlaOp:
        return self.builder.ShiftLeft(self, other)

    def __rlshift__(self, other: Operand) -> XlaOp:
        return self.builder.ShiftLeft(other, self)

    def __rshift__(self, other: Operand) -> XlaOp:
        return self.builder.shift_right(self, other)

    def __rrshift__(self, other: Operand) -> XlaOp:
        return self.builder.shift_right(other, self)

    def __matmul__(self, other: Operand) -> XlaOp:
        return self.builder.Dot(self, other)

    def __rmatmul__(self, other: Operand) -> XlaOp:
        return self.builder.Dot(other, self)

    def __eq__(self, other: object) -> XlaOp:  # type: ignore[override]
        return self.builder.Eq(self, other)  # type: ignore[arg-type]

    def __ne__(self, other: object) -> XlaOp:  # type: ignore[override]
        return self.builder.Ne(self, other)  # type: ignore[arg-type]

    def __lt__(self, other: Operand) -> XlaOp:
        return self.builder.Lt(self, other)

    def __le__(self, other: Operand) -> XlaOp:
        return self.builder.Le(self, other)

    def __gt__(self, other: Operand) -> XlaOp:
        return self.builder.Gt(self, other)

    def __ge__(self, other: Operand) -> XlaOp:
        return self.builder.Ge(self, other)

    def __neg__(self) -> XlaOp:
        return self.builder.Neg(self)

    def __pos__(self) -> XlaOp:
        return self

    def __abs__(self) -> XlaOp:
        return self.builder.Abs(self)

    def __invert__(self) -> XlaOp:
        return self.builder.LogicalNot(self)


def _unexpected(what: str, type: Type) -> BuildError:
    return BuildError(f"{call_site().operation}: expected {what}, got {shape_text(type)}")
