"""Types: from the text of a TYPE token, or its tree, to `ir.types`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

from stablehlo_py.ir import types as T
from stablehlo_py.ir.element_types import ELEMENT_TYPES
from stablehlo_py.ir.types import Type
from stablehlo_py.opset.type_rules import storage_range, type_violations
from stablehlo_py.syntax.errors import SourceError
from stablehlo_py.syntax.foreign_dialects import MAY_BE_NEWER
from stablehlo_py.syntax.lalr.parse_loop import Node
from stablehlo_py.syntax.read.context import ReadContext, share, shared_types
from stablehlo_py.syntax.read.literals import float_value
from stablehlo_py.syntax.read.spacing import spaced_vector

_WORDS: dict[str, Type] = {"index": T.IndexType(), "none": T.NoneType(), "!stablehlo.token": T.TokenType()}
# Elements that every program reads alike: what `si` types are depends on the program.
_ELEMENTS = {row.name: row.type for row in ELEMENT_TYPES.values() if not row.name.startswith("si")}
_PLAIN_TENSOR = re.compile(r"tensor<((?:\d{1,18}x)*)(\w+)>", re.ASCII)
_PLAIN_SIGNATURE = re.compile(r"\(([^()]*)\) -> (?:\(([^()]*)\)|([^()]*))")
_STORAGE = re.compile(r"(si|ui|u|i)(\d{1,2})", re.ASCII)
V = TypeVar("V", bound=Type)
MAX_WIDTH = (1 << 24) - 1


def type_of(context: ReadContext, child: Any) -> Type:
    """Read a type.

    Args:
        context: The tokens being read.
        child: A token, or a tree of the rule `type`.

    Returns:
        The type.

    Raises:
        SourceError: The type is invalid.
    """
    if type(child) is not int:
        reader = _READERS.get(child[0])
        if reader is None:
            raise context.error(child, "expected a type")
        context.descend(child)
        try:
            return reader(context, child)
        finally:
            context.parser_state.depth -= 1
    state = context.parser_state
    return context.read_once(child, state.types, state.own_types, _type_of_token)


def types_of(context: ReadContext, node: Node) -> list[Type]:
    """Read a list of types; raise SourceError for an invalid one."""
    return [type_of(context, child) for child in node[1:] if child is not None]


def _type_of_token(context: ReadContext, token: int, text: str) -> Type:
    found = _WORDS.get(text) or _plain_tensor(text)
    if found is None and text[0] == "(":
        found = _plain_signature(text)
    if found is not None:
        return found
    if text.isidentifier():
        return _word(context, token, text)
    if text[0] == "!" and "." not in text.partition("<")[0]:
        return _alias(context, token, text)
    if text[0] == "!" and not text.startswith(("!quant.uniform<", "!stablehlo.future<")):
        return _other_dialect(context, token, text)
    if text.startswith("vector"):
        return T.OpaqueType(spaced_vector(text))
    before = context.parser_state.alias_uses
    inner, tree = context.parse_token(token, "type")
    found = type_of(inner, tree)
    if context.parser_state.alias_uses == before:
        share(shared_types, text, found)
    return found


def _plain_tensor(text: str) -> Type | None:
    """Return a type that was read before or that is a tensor of plain elements, as most are; or None."""
    found = shared_types.get(text)
    plain = _PLAIN_TENSOR.fullmatch(text) if found is None else None
    if plain is not None and plain[2] in _ELEMENTS:
        sizes = [int(size) for size in plain[1].split("x")[:-1]]
        found = T.TensorType(tuple(sizes), _ELEMENTS[plain[2]])
        share(shared_types, text, found)
    return found


def _plain_signature(text: str) -> Type | None:
    """Return a function type of such types; None if it has others."""
    match = _PLAIN_SIGNATURE.fullmatch(text)
    if match is None:
        return None
    inputs, results = _plain_tensors(match[1]), _plain_tensors(match[2] or match[3] or "")
    if inputs is None or results is None:
        return None
    found = T.FunctionType(inputs, results)
    share(shared_types, text, found)
    return found


def _plain_tensors(text: str) -> tuple[Type, ...] | None:
    texts = text.split(", ") if text else []
    found = [type for each in texts if (type := _plain_tensor(each)) is not None]
    return tuple(found) if len(found) == len(texts) else None


def _word(context: ReadContext, token: int, text: str) -> Type:
    state = context.parser_state
    if text == "token":
        state.misspelled(context.start(token), text, "!stablehlo.token")
        return T.TokenType()
    head = text.rstrip("0123456789")
    if head not in ("i", "si", "ui"):
        return T.FloatType(text)
    width = int(text[len(head) :]) if len(text) < 12 else MAX_WIDTH + 1
    if width > MAX_WIDTH:
        raise context.error(token, f"integer bitwidth is limited to {MAX_WIDTH} bits")
    return _signed(context, token, width) if head == "si" else T.IntegerType(width, head[:-1])


def _signed(context: ReadContext, token: int, width: int) -> T.IntegerType:
    """Return the type of `si32`, or of `i32` where the program spells it so."""
    state = context.parser_state
    state.has_signed = True
    state.alias_uses += 1  # not cached across programs: its meaning depends on the program
    if state.signed_as_signless:
        text = context.text(token)
        state.misspelled(context.start(token), text, text[1:])
        return T.IntegerType(width)
    return T.IntegerType(width, "s")


def _other_dialect(context: ReadContext, token: int, text: str) -> Type:
    if text.startswith("!stablehlo."):
        raise context.error(
            token,
            f"unknown type {text}; StableHLO has !stablehlo.token and !stablehlo.future",
            MAY_BE_NEWER,
        )
    return T.OpaqueType(text)


def _alias(context: ReadContext, token: int, name: str) -> Type:
    parser_state = context.parser_state
    parser_state.alias_uses += 1
    alias = parser_state.use_alias(name)
    if alias is None:
        raise context.error(token, f"undefined type alias {name}")
    return context.expand_alias(token, alias, type_of)


def _shape(context: ReadContext, token: int) -> tuple[T.Shape, bool]:
    """Return the dimension sizes in `tensor<2x?x`, and whether the type is unranked (`*x`)."""
    text = context.text(token).partition("<")[2]
    sizes = [size.strip() for size in text.split("x")[:-1]]
    if "*" in sizes:
        if len(sizes) > 1:
            raise context.error(token, "expected * as the only dimension of an unranked tensor")
        return (), True
    for size in sizes:
        if len(size) > 18:
            raise context.error(token, f"dimension size {size} is too large")
    return tuple(None if size == "?" else int(size) for size in sizes), False


_NUMBERS = (T.IntegerType, T.FloatType, T.IndexType, T.ComplexType, T.OpaqueType)
_TENSOR_ELEMENTS = (*_NUMBERS, T.QuantizedType, T.TokenType, T.FutureType)
_BUFFER_ELEMENTS = (*_NUMBERS, T.QuantizedType, T.MemRefType)


def _tensor(context: ReadContext, node: Node) -> Type:
    from stablehlo_py.syntax.read.attributes import attribute_of

    _, head, element, encoding = node
    shape, is_unranked = _shape(context, head)
    element_type = type_of(context, element)
    if not isinstance(element_type, _TENSOR_ELEMENTS):
        raise context.error(element, f"invalid tensor element type: '{element_type}'")
    if is_unranked:
        return T.UnrankedTensorType(element_type)
    if encoding is None:
        return T.TensorType(shape, element_type)
    found = attribute_of(context, encoding)
    return _checked(context.start(head), T.TensorType(shape, element_type, found))


def _checked(offset: int, made: V) -> V:
    """Return the type if the C++ parser accepts it; raise SourceError otherwise."""
    for error in type_violations(made):
        if not (error.lenient or error.spec_only):
            raise SourceError(offset, error.about(made), code="type")
    return made


def _buffer(context: ReadContext, node: Node) -> Type:
    from stablehlo_py.syntax.read.attributes import attribute_of

    _, head, element, *rest = node
    shape, is_unranked = _shape(context, head)
    element_type = type_of(context, element)
    if not isinstance(element_type, _BUFFER_ELEMENTS):
        raise context.error(element, f"invalid memref element type: '{element_type}'")
    if is_unranked:
        ranked = str(T.MemRefType((), element_type, tuple(attribute_of(context, r) for r in rest)))
        return T.OpaqueType(ranked.replace("<", "<*x", 1))
    return T.MemRefType(shape, element_type, tuple(attribute_of(context, r) for r in rest))


def _complex(context: ReadContext, node: Node) -> Type:
    element = type_of(context, node[1])
    if not isinstance(element, T.FloatType | T.IntegerType):
        raise context.error(node[1], "invalid element type for complex")
    return T.ComplexType(element)


def _tuple(context: ReadContext, node: Node) -> Type:
    return T.TupleType(tuple(types_of(context, node[1])))


def _future(context: ReadContext, node: Node) -> Type:
    types = types_of(context, node[1])
    if not types:
        raise context.error(node, "expected the types of a future")
    return _checked(context.start(node), T.FutureType(tuple(types)))


def _function(context: ReadContext, node: Node) -> Type:
    return T.FunctionType(tuple(types_of(context, node[1])), tuple(results_of(context, node[2])))


def results_of(context: ReadContext, child: Any) -> list[Type]:
    """Read the types after an arrow: one, or several in parentheses; raise SourceError for an invalid one."""
    if type(child) is tuple and child[0] == "types":
        return types_of(context, child)
    return [type_of(context, child)]


def _quantized(context: ReadContext, node: Node) -> Type:
    _, (_, storage, value_range, expressed, dimension), parameters = node
    storage_type = _storage(context, storage)
    has_sign = context.text(storage).startswith("ui")
    low, high = _storage_range(context, storage_type, value_range)
    expressed_type = type_of(context, expressed)
    scales, zero_points, scales_shape = _parameters(context, parameters)
    axis, blocks = _dimension(context, dimension)
    depth = 0 if axis is None else 1
    if blocks is None and len(scales_shape or ()) != depth:
        raise context.error(parameters, "the scales do not fit the quantization dimension")
    nested = scales_shape if blocks is not None else None
    made = T.QuantizedType(
        storage_type, expressed_type, scales, zero_points, low, high, axis, blocks, nested, has_sign
    )
    return _checked(context.start(node), made)


def _storage(context: ReadContext, token: int) -> T.IntegerType:
    match = _STORAGE.fullmatch(context.text(token))
    if match is None or not 1 < int(match[2]) <= 32:
        raise context.error(token, "illegal storage type: expected i2 .. i32 or u2 .. u32")
    if match[1] == "si":
        return _signed(context, token, int(match[2]))
    return T.IntegerType(int(match[2]), "u" if match[1].startswith("u") else "")


def _storage_range(context: ReadContext, storage: T.IntegerType, node: Node | None) -> tuple[int, int]:
    if node is None:
        return storage_range(storage)
    low, high = (context.integer(token) for token in node[1:])
    return low, high


def _dimension(context: ReadContext, child: Any) -> tuple[int | None, tuple[tuple[int, int], ...] | None]:
    """Return the quantization dimension, or pairs of dimension and block size."""
    if child is None:
        return None, None
    if isinstance(child, int):
        return context.integer(child), None
    numbers = [context.integer(token) for token in child[1:]]
    return None, tuple(zip(numbers[::2], numbers[1::2], strict=True))


def _parameters(
    context: ReadContext, node: Node
) -> tuple[tuple[float, ...], tuple[int, ...], tuple[int, ...] | None]:
    """Return scales and zero points in order, and the shape of the nested list; None for a single pair."""
    if node[0] == "quantization_parameter":
        zero = context.integer(node[2]) if node[2] is not None else 0
        return (_scale(context, node[1]),), (zero,), None
    parts = [_parameters(context, child) for child in node[1:]]
    inner = parts[0][2] or ()
    if any((part[2] or ()) != inner for part in parts):
        raise context.error(node, "expected lists of scales of equal length")
    scales = tuple(scale for part in parts for scale in part[0])
    return scales, tuple(zero for part in parts for zero in part[1]), (len(parts), *inner)


def _scale(context: ReadContext, token: int) -> float:
    text = context.text(token)
    if "x" in text:
        raise context.error(token, f"expected a decimal number, found '{text}'")
    return float_value(context.parser_state, context.start(token), text, None)[0]


_READERS: dict[str, Callable[[ReadContext, Node], Type]] = {
    "tensor_type": _tensor,
    "buffer_type": _buffer,
    "complex_type": _complex,
    "tuple_type": _tuple,
    "future_type": _future,
    "function_type": _function,
    "quantized_tensor_element_type": _quantized,
}
