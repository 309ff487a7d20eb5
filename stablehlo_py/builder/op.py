"""Values of a computation under construction."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from stablehlo_py.builder.call_site import call_site
from stablehlo_py.builder.errors import BuildError
from stablehlo_py.builder.shape import shape_text
from stablehlo_py.ir.core import Value
from stablehlo_py.ir.types import TensorType, TupleType, Type

if TYPE_CHECKING:
    from stablehlo_py.builder.xla_builder import XlaBuilder

Operand: TypeAlias = "XlaOp | np.ndarray[Any, np.dtype[Any]] | np.generic | bool | int | float | complex"
_NO_VALUE = "an XlaOp has no value while the program is being built"


def _unary(operation: str) -> Callable[[XlaOp], XlaOp]:
    """Return the method of an operator: an operation of the builder."""

    def operator(self: XlaOp) -> XlaOp:
        return getattr(self.builder, operation)(self)  # type: ignore[no-any-return]

    return operator


def _binary(operation: str) -> tuple[Callable[[XlaOp, Operand], XlaOp], Callable[[XlaOp, Operand], XlaOp]]:
    """Return the method of an operator, and that with the operands exchanged."""

    def operator(self: XlaOp, other: Operand) -> XlaOp:
        return getattr(self.builder, operation)(self, other)  # type: ignore[no-any-return]

    def reflected(self: XlaOp, other: Operand) -> XlaOp:
        return getattr(self.builder, operation)(other, self)  # type: ignore[no-any-return]

    return operator, reflected


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

    __add__, __radd__ = _binary("Add")
    __sub__, __rsub__ = _binary("Sub")
    __mul__, __rmul__ = _binary("Mul")
    __truediv__, __rtruediv__ = _binary("Div")
    __mod__, __rmod__ = _binary("Rem")
    __pow__, __rpow__ = _binary("Pow")
    __and__, __rand__ = _binary("LogicalAnd")
    __or__, __ror__ = _binary("LogicalOr")
    __xor__, __rxor__ = _binary("LogicalXor")
    __lshift__, __rlshift__ = _binary("ShiftLeft")
    __rshift__, __rrshift__ = _binary("shift_right")
    __matmul__, __rmatmul__ = _binary("Dot")
    __lt__ = _binary("Lt")[0]
    __le__ = _binary("Le")[0]
    __gt__ = _binary("Gt")[0]
    __ge__ = _binary("Ge")[0]
    __neg__ = _unary("Neg")
    __abs__ = _unary("Abs")
    __invert__ = _unary("LogicalNot")

    def __eq__(self, other: object) -> XlaOp:  # type: ignore[override]
        return self.builder.Eq(self, other)  # type: ignore[arg-type]

    def __ne__(self, other: object) -> XlaOp:  # type: ignore[override]
        return self.builder.Ne(self, other)  # type: ignore[arg-type]

    def __pos__(self) -> XlaOp:
        return self


def _unexpected(what: str, type: Type) -> BuildError:
    return BuildError(f"{call_site().operation}: expected {what}, got {shape_text(type)}")
