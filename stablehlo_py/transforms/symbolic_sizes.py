"""Symbolic sizes of arguments, as `jax.export` records them: `(b, 2*c + 1)`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import prod

from stablehlo_py.ir.attributes import StringAttr
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.types import TensorType, Type

_SPECIFICATIONS = re.compile(r"polymorphic shapes specifications: (.*?)\. Obtained", re.DOTALL)
_SHAPE = re.compile(r"\.shape = \(")
_TOKEN = re.compile(r"\s*(\d+|\w+|[-+*^(),])")
_LARGEST_POWER = 64
_FUNCTIONS: dict[str, Callable[[int, int], int]] = {
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "max": max,
    "min": min,
}


def symbolic_shapes(module: Module, function: Operation) -> dict[int, tuple[str, ...]]:
    """Return the sizes of the arguments of a program that `jax.export` made.

    Args:
        module: The module; the sizes are in its container, or else in its shape assertions.
        function: Its entry function.

    Returns:
        The sizes of arguments by their index, as expressions; {} if they are not known.
    """
    types = [argument.type for argument in function.entry_block.arguments]
    recorded, kept = module.container.get("in_avals"), module.container.get("module_kept_var_idx")
    if recorded and kept is not None and len(kept) <= len(types):
        first = len(types) - len(kept)  # before them are the platform's index and tokens
        shapes = {first + i: _sizes(recorded[at].partition("[")[2]) for i, at in enumerate(kept)}
        return {i: shape for i, shape in shapes.items() if _matches(types[i], shape)}
    return _asserted_shapes(module, types)


def _asserted_shapes(module: Module, types: list[Type]) -> dict[int, tuple[str, ...]]:
    """Return the sizes that the messages of shape assertions state, for the arguments of unknown sizes."""
    dynamic = [i for i, type in enumerate(types) if isinstance(type, TensorType) and not type.is_static]
    for op in module.walk():
        message = op.attribute("error_message") if op.operands else None
        found = _SPECIFICATIONS.search(message.value) if isinstance(message, StringAttr) else None
        if found is None:
            continue
        shapes = [_sizes(text) for text in _SHAPE.split(found[1])[1:]]
        if len(shapes) == len(dynamic) and all(map(_matches, [types[i] for i in dynamic], shapes)):
            return dict(zip(dynamic, shapes, strict=True))
    return {}


def _sizes(text: str) -> tuple[str, ...]:
    """Split a list of sizes at commas outside of parentheses, up to the bracket that closes it."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if depth < 0 or character == "]":
            break
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return tuple([part.strip() for part in parts if part.strip()])


def _matches(type: Type, shape: tuple[str, ...]) -> bool:
    """Test whether sizes agree with the shape of a type."""
    if not isinstance(type, TensorType) or type.rank != len(shape):
        return False
    return all(size is None or str(size) == text for size, text in zip(type.shape, shape, strict=True))


def symbols(expression: str) -> list[str]:
    """Return the names of the symbols in a size."""
    names = re.findall(r"[^\W\d]\w*", expression)
    return [name for name in names if name not in _FUNCTIONS]


def evaluate_size(expression: str, sizes: Mapping[str, int]) -> int | None:
    """Evaluate a size.

    Args:
        expression: The size, such as `2*b + floordiv(c, 2)`.
        sizes: The values of symbols.

    Returns:
        Its value; None if a symbol has no value.

    Raises:
        ValueError: If the expression is malformed, or divides by zero.
    """
    if any(name not in sizes for name in symbols(expression)):
        return None
    try:
        return _Evaluator(expression, sizes).whole()
    except (LookupError, ArithmeticError, ValueError, RecursionError):
        raise ValueError(f"the size {expression} cannot be computed") from None


class _Evaluator:
    """A recursive-descent parser of sizes, which computes their values."""

    def __init__(self, text: str, sizes: Mapping[str, int]) -> None:
        self._tokens: list[str] = [*_TOKEN.findall(text), ""]
        self._sizes = sizes
        self._at = 0

    def whole(self) -> int:
        value = self._sum()
        if self._tokens[self._at]:
            raise ArithmeticError
        return value

    def _take(self, *wanted: str) -> str:
        """Take the next token if it is wanted, any token by default; return "" otherwise."""
        token = self._tokens[self._at]
        if wanted and token not in wanted:
            return ""
        self._at += 1
        return token

    def _sum(self) -> int:
        value = self._product()
        while sign := self._take("+", "-"):
            value += self._product() * (1 if sign == "+" else -1)
        return value

    def _product(self) -> int:
        factors = [self._power()]
        while self._take("*"):
            factors.append(self._power())
        return prod(factors)

    def _power(self) -> int:
        if self._take("-"):
            return -self._power()
        base = self._primary()
        if not self._take("^"):
            return base
        exponent = self._primary()
        if not 0 <= exponent <= _LARGEST_POWER:
            raise ArithmeticError
        return int(base**exponent)

    def _primary(self) -> int:
        token = self._take()
        if token.isdecimal():
            return int(token)
        if token == "(":
            (value,) = self._arguments()
            return value
        if token in _FUNCTIONS and self._take("("):
            a, b = self._arguments()
            return _FUNCTIONS[token](a, b)
        return self._sizes[token]

    def _arguments(self) -> list[int]:
        found = [self._sum()]
        while self._take(","):
            found.append(self._sum())
        if not self._take(")"):
            raise ArithmeticError
        return found
