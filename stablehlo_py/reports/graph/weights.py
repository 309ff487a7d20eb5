"""Which arguments of a function are weights: the page shows them in the ops that use them, as constants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from stablehlo_py.ir.types import ComplexType, FloatType, QuantizedType, TensorType, Type

_TREE = 4  # the least number of arguments in a tree of weights
_UNNAMED = 8  # and of arguments that have no paths


def find_weights(paths: Sequence[str], types: Sequence[Type]) -> list[bool]:
    """Test which arguments are weights rather than inputs.

    A weight has floats, or quantized values, and is one of many in a tree of arguments. Arguments without
    paths are one tree, and the last one of them with floats is an input: exports have weights first.

    Args:
        paths: The path of each argument in the tree of arguments, `params/dense/kernel`, or "".
        types: The type of each argument.
    """
    numeric = [_is_numeric(type) for type in types]
    sizes = Counter(_root(path) for path, is_numeric in zip(paths, numeric, strict=True) if is_numeric)
    found = [
        is_numeric and sizes[_root(path)] >= (_TREE if path else _UNNAMED)
        for path, is_numeric in zip(paths, numeric, strict=True)
    ]
    last = max((at for at, path in enumerate(paths) if numeric[at] and not path), default=-1)
    return [is_weight and at != last for at, is_weight in enumerate(found)]


def _root(path: str) -> str:
    return path.partition("/")[0]


def _is_numeric(type: Type) -> bool:
    return isinstance(type, TensorType) and isinstance(
        type.element_type, FloatType | ComplexType | QuantizedType
    )
