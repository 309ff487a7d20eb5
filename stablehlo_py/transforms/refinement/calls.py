"""Contexts of calls: with which argument types and sizes a function is refined."""

from __future__ import annotations

from dataclasses import dataclass

from stablehlo_py.ir.core import Operation
from stablehlo_py.ir.types import TOKEN, IntegerType, TensorType, Type
from stablehlo_py.transforms.refinement.shape_values import integers


@dataclass(frozen=True, slots=True)
class Context:
    """What a call states about its callee's arguments.

    Attributes:
        tokens: The number of tokens at the start.
        sizes: The values of the constant integers that follow: the sizes that symbols stand for.
        types: The types of the arguments that follow.
    """

    tokens: int
    sizes: tuple[int, ...]
    types: tuple[Type, ...]

    @property
    def kept(self) -> tuple[Type, ...]:
        """The types of the arguments that refinement keeps: all but the sizes."""
        return (*[TOKEN] * self.tokens, *self.types)

    def agrees_with(self, earlier: Context) -> bool:
        """Test whether a function that was refined for an earlier context is refined for this one."""
        return self.kept == earlier.kept and self.sizes in ((), earlier.sizes)

    def __str__(self) -> str:
        sizes, types = ", ".join(map(str, self.sizes)), ", ".join(map(str, self.types))
        return f"tokens: {self.tokens}, sizes: [{sizes}], arguments: [{types}]"


def context_of(call: Operation) -> Context:
    """Return the context of a call."""
    operands = call.operands
    tokens = next((i for i, value in enumerate(operands) if value.type is not TOKEN), len(operands))
    sizes: list[int] = []
    for value in operands[tokens:]:
        type = value.type
        if not isinstance(type, TensorType) or type.rank or not isinstance(type.element_type, IntegerType):
            break
        found = integers(value)
        if found is None:
            break
        sizes += found
    return Context(tokens, tuple(sizes), tuple([value.type for value in operands[tokens + len(sizes) :]]))
