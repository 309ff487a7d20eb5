"""Notation functions on types. A Value argument is converted to its Type."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from operator import attrgetter
from typing import Any

from stablehlo_py.ir import attributes
from stablehlo_py.ir.attributes import BoolAttr
from stablehlo_py.ir.element_types import bit_width, value_range
from stablehlo_py.ir.types import (
    I1,
    ComplexType,
    FloatType,
    FunctionType,
    FutureType,
    IntegerType,
    MemRefType,
    OpaqueType,
    QuantizedType,
    TensorType,
    TokenType,
    TupleType,
    Type,
    UnrankedTensorType,
)
from stablehlo_py.notation.registry import defined
from stablehlo_py.notation.sorts import Undefined, identity

_SHAPED = (TensorType, UnrankedTensorType, MemRefType)
_RANKED = (TensorType, MemRefType)
Size = int | None
Sizes = Sequence[Size]


defined("type(Type) -> Type")(identity)  # the argument is already converted to its type


@defined("type(Array) -> Type")
def type_of_array(array: object) -> Type:
    """The type of a constant."""
    if isinstance(array, BoolAttr):
        return I1
    found = array if isinstance(array, TensorType) else getattr(array, "type", None)
    if not isinstance(found, Type):
        raise Undefined("constant without a type")
    return found


@defined("element_type(Type) -> Type")
def element_type(x: Type) -> Type:
    """The element type of a tensor."""
    if isinstance(x, _SHAPED):
        return x.element_type
    raise Undefined("not a tensor")


def _element(x: Type) -> Type:
    """Return the element type of a tensor; other types unchanged."""
    return x.element_type if isinstance(x, _SHAPED) else x


@defined("bounds(Type) -> List[Int]")
def bounds(x: Type) -> Sizes:
    """The bound of each dimension of a tensor; unknown if it has none."""
    if not isinstance(x, TensorType):
        raise Undefined("not a tensor")
    return attributes.bounds(x)


@defined("shape(Type) -> List[Int]")
def shape(x: Type) -> Sizes | None:
    """The dimension sizes of a tensor; unknown if it is unranked."""
    if isinstance(x, _RANKED):
        return x.shape
    if isinstance(x, UnrankedTensorType):
        return None
    raise Undefined("not a tensor")


@defined("rank(Type) -> Int")
def rank(x: Type) -> Size:
    """The number of dimensions of a tensor."""
    sizes = shape(x)
    return None if sizes is None else len(sizes)


@defined("axes(Type) -> List[Int]")
def axes(x: Type) -> list[int] | None:
    """A shortcut for `range(rank(x))`."""
    sizes = shape(x)
    return None if sizes is None else list(range(len(sizes)))


@defined("dim(Type, Int) -> Int")
def dim(x: Type, axis: int) -> Size:
    """A shortcut for `shape(x)[axis]`."""
    sizes = shape(x)
    if sizes is None:
        return None
    if not -len(sizes) <= axis < len(sizes):
        raise Undefined("axis out of range")
    return sizes[axis]


@defined("dim(Type, List[Int]) -> List[Int]", "dims(Type, List[Int]) -> List[Int]")
def dims(x: Type, axes: Sizes) -> list[Size]:
    """The sizes of several dimensions."""
    return [None if axis is None else dim(x, axis) for axis in axes]


@defined("size(Type) -> Int")
def size(x: Type) -> Size:
    """The number of elements of a tensor, or of element types of a tuple."""
    if isinstance(x, TupleType):
        return len(x.types)
    sizes = shape(x)
    if sizes is None or None in sizes:
        return None
    return math.prod([s for s in sizes if s is not None])


@defined("is_static(Type) -> Bool")
def is_static(x: Type) -> bool:
    """Test whether all dimension sizes are known."""
    sizes = shape(x)
    return sizes is not None and None not in sizes


# Type predicates -------------------------------------------------------------------------------------


def _element_test(name: str) -> Callable[[Callable[[Type], bool]], Callable[[Type], bool]]:
    """Define a predicate of element types, which applies to the element type of a tensor as well."""

    def register(test: Callable[[Type], bool]) -> Callable[[Type], bool]:
        defined(f"{name}(Type) -> Bool")(lambda x: test(_element(x)))
        return test

    return register


@_element_test("is_boolean")
def is_boolean(x: Type) -> bool:
    """`i1`."""
    return isinstance(x, IntegerType) and x.width == 1


@_element_test("is_integer")
def is_integer(x: Type) -> bool:
    """A signed or unsigned integer type."""
    return isinstance(x, IntegerType) and x.width > 1


@_element_test("is_signed_integer")
def is_signed_integer(x: Type) -> bool:
    """`si2` to `si64`, which programs spell without sign."""
    return is_integer(x) and not is_unsigned_integer(x)


@_element_test("is_unsigned_integer")
def is_unsigned_integer(x: Type) -> bool:
    """`ui2` to `ui64`."""
    return isinstance(x, IntegerType) and x.signedness == "u"


@_element_test("is_float")
def is_float(x: Type) -> bool:
    """A floating-point type."""
    return isinstance(x, FloatType)


@_element_test("is_complex")
def is_complex(x: Type) -> bool:
    """`complex<f32>` or `complex<f64>`."""
    return isinstance(x, ComplexType)


@_element_test("is_quantized")
def is_quantized(x: Type) -> bool:
    """A shortcut for `is_quantized_tensor_element_type(x)`."""
    return isinstance(x, QuantizedType)


@_element_test("is_per_tensor_quantized")
def is_per_tensor_quantized(x: Type) -> bool:
    """`is_quantized(x) and quantization_dimension(x) is None`."""
    return isinstance(x, QuantizedType) and x.dimension is None


@_element_test("is_per_axis_quantized")
def is_per_axis_quantized(x: Type) -> bool:
    """`is_quantized(x) and quantization_dimension(x) is not None`."""
    return isinstance(x, QuantizedType) and x.dimension is not None


def _kind_test(name: str, *classes: type[Type]) -> None:
    defined(f"{name}(Type) -> Bool")(lambda x: isinstance(x, classes))


_kind_test("is_tensor", TensorType, UnrankedTensorType)
_kind_test("is_ranked", TensorType)
_kind_test("is_token", TokenType)
_kind_test("is_tuple", TupleType)
_kind_test("is_future", FutureType)
_kind_test("is_buffer", MemRefType)


@defined("identical(Type, Type) -> Bool")
def identical(a: Type, b: Type) -> bool:
    """Test whether two types are identical."""
    return a is b


@defined("is_promotable(Type, Type) -> Bool")
def is_promotable(x: Type, y: Type) -> bool:
    """Test whether type `x` can be promoted to type `y`: same family, and not wider."""
    x, y = _element(x), _element(y)
    if isinstance(x, QuantizedType) and isinstance(y, QuantizedType):
        return x.expressed_type is y.expressed_type and bit_width(x.storage_type) <= bit_width(y.storage_type)
    families = (is_boolean, is_integer, is_float, is_complex)
    return any(family(x) and family(y) for family in families) and bit_width(x) <= bit_width(y)


@defined("num_bits(Type) -> Int")
def num_bits(x: Type) -> int:
    """The bit width of an element; of its storage if quantized."""
    try:
        return bit_width(_element(x))
    except TypeError as error:
        raise Undefined(str(error)) from error


@cache
def _limits(x: Type) -> tuple[float, float]:
    try:
        return value_range(x)
    except TypeError as error:
        raise Undefined(str(error)) from error


@defined("max_value(Type) -> Int")
def max_value(x: Type) -> float:
    """The maximum value of an element type."""
    return _limits(_element(x))[1]


@defined("min_value(Type) -> Int")
def min_value(x: Type) -> float:
    """The minimum possible value of an element type."""
    return _limits(_element(x))[0]


# Members ---------------------------------------------------------------------------------------------


@defined("complex_element_type(Type) -> Type")
def complex_element_type(x: Type) -> Type:
    """The component type of a complex type: `f32` of `complex<f32>`."""
    x = _element(x)
    if not isinstance(x, ComplexType):
        raise Undefined("not complex")
    return x.element_type


@defined("tuple_element_types(Type) -> List[Type]")
def tuple_element_types(x: Type) -> Sequence[Type]:
    """The element types of a tuple."""
    if not isinstance(x, TupleType):
        raise Undefined("not a tuple")
    return x.types


@defined("future_types(Type) -> List[Type]")
def future_types(x: Type) -> Sequence[Type]:
    """The types of the values of a future."""
    if not isinstance(x, FutureType):
        raise Undefined("not a future")
    return x.types


def _quantized(x: Type) -> QuantizedType:
    x = _element(x)
    if not isinstance(x, QuantizedType):
        raise Undefined("not quantized")
    return x


@defined("quantization_dimension(Type) -> Int")
def quantization_dimension(x: Type) -> int:
    """The dimension along which scales and zero points vary."""
    found = _quantized(x).dimension
    if found is None:
        raise Undefined("not quantized per axis")
    return found


_MEMBERS = (
    ("expressed_type(Type) -> Type", "The floating-point type that quantized values represent."),
    ("storage_min(Type) -> Int", "The minimum of the quantized values."),
    ("storage_max(Type) -> Int", "The maximum of the quantized values."),
    ("scales(Type) -> List[Float]", "The scales; one if per-tensor."),
    ("zero_points(Type) -> List[Int]", "The zero points; one if per-tensor."),
)


def _define_member(signature: str, doc: str) -> None:
    get = attrgetter(signature.partition("(")[0])

    def member(x: Type) -> Any:
        return get(_quantized(x))

    member.__doc__ = doc
    defined(signature)(member)


for _signature, _doc in _MEMBERS:
    _define_member(_signature, _doc)


@defined("storage_type(Type) -> Type")
def storage_type(x: Type) -> Type:
    """The integer type that holds quantized values: signless for `u8`, whose values a flag makes unsigned."""
    found = _quantized(x)
    stored = found.storage_type
    if isinstance(stored, IntegerType) and stored.signedness == "u" and not found.has_unsigned_storage:
        return IntegerType(stored.width)
    return stored


@defined("baseline_element_type(Type) -> Type")
def baseline_element_type(x: Type) -> Type:
    """A shortcut for `element_type(baseline_type(x))`."""
    return _baseline(_element(x))


@defined("baseline_type(Type) -> Type")
def baseline_type(x: Type) -> Type:
    """The type with "the quantization parameters of the element type reset to default values"."""
    if isinstance(x, TensorType) and isinstance(x.element_type, QuantizedType):
        return TensorType(x.shape, _baseline(x.element_type), x.encoding)
    return x


@cache
def _baseline(x: Type) -> Type:
    if not isinstance(x, QuantizedType):
        return x
    storage, expressed, scales, zero_points, *rest = x.fields()
    return QuantizedType(storage, expressed, (1.0,) * len(scales), (0,) * len(zero_points), *rest)


# Construction ----------------------------------------------------------------------------------------


@defined("tensor(Type) -> Type")
def scalar(element: Type) -> Type:
    """`tensor<E>`."""
    return TensorType((), element)


@defined("tensor(List[Int], Type) -> Type")
def tensor(sizes: Sizes, element: Type) -> Type:
    """`tensor<..xE>`."""
    return TensorType(tuple(sizes), element)


@defined("vector(List[Int], Type) -> Type")
def vector(sizes: Sizes, element: Type) -> Type:
    """`vector<..xE>`, which the IR keeps as text."""
    return OpaqueType(f"vector<{''.join([f'{size}x' for size in sizes])}{element}>")


@defined("complex(Type) -> Type")
def complex_(element: Type) -> Type:
    """`complex<E>`."""
    return ComplexType(element)


@defined("tuple_type(List[Type]) -> Type")
def tuple_type(types: Sequence[Type]) -> Type:
    """`tuple<..>`."""
    return TupleType(tuple(types))


@defined("function_type(List[Type], List[Type]) -> Type")
def function_type(inputs: Sequence[Type], outputs: Sequence[Type]) -> Type:
    """The type of a function."""
    return FunctionType(tuple(inputs), tuple(outputs))


@defined("future_type(List[Type]) -> Type")
def future_type(types: Sequence[Type]) -> Type:
    """`!stablehlo.future<..>`."""
    return FutureType(tuple(types))
