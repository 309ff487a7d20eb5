"""Contexts of calls: with which argument types and sizes a function is refined."""

from __future__ import annotations

from dataclasses import dataclass

from stablehlo_py.ir.attributes import ArrayAttr, Attribute, DictAttr, StringAttr
from stablehlo_py.ir.core import Operation, Value
from stablehlo_py.ir.types import TOKEN, IntegerType, TensorType, Type
from stablehlo_py.transforms.refinement.shape_values import integers


@dataclass(frozen=True, slots=True)
class Context:
    """The facts that a call states about its callee's arguments.

    Attributes:
        sizes: The arguments that are constant sizes, as pairs (index, value); refinement drops them.
        types: The types of the other arguments.
    """

    sizes: tuple[tuple[int, int], ...]
    types: tuple[Type, ...]

    @property
    def dropped(self) -> list[int]:
        """The indices of the arguments that refinement drops."""
        return [index for index, _ in self.sizes]

    def agrees_with(self, earlier: Context) -> bool:
        """Test whether a function refined for an earlier context is also refined for this context."""
        return self.types == earlier.types and self.sizes in ((), earlier.sizes)

    def __str__(self) -> str:
        sizes = ", ".join(f"argument {index} is {value}" for index, value in self.sizes)
        return f"{sizes}; the others are {', '.join(map(str, self.types))}"


def context_of(call: Operation, marks: Attribute | None) -> Context:
    """Return the context of a call.

    Sizes are the leading constant integers, after tokens, and constants for arguments that `jax.export` marks
    in `marks`, the attributes of the callee's arguments.
    """
    sizes: list[tuple[int, int]] = []
    is_start = True
    for index, value in enumerate(call.operands):
        size = _size(value)
        if size is not None and (is_start or _is_marked(marks, index)):
            sizes.append((index, size))
        else:
            is_start = is_start and value.type is TOKEN and not sizes
    dropped = {index for index, _ in sizes}
    types = [value.type for index, value in enumerate(call.operands) if index not in dropped]
    return Context(tuple(sizes), tuple(types))


def _size(value: Value) -> int | None:
    """Return the value of a constant integer; None for another value."""
    type = value.type
    if not isinstance(type, TensorType) or type.rank or not isinstance(type.element_type, IntegerType):
        return None
    found = integers(value)
    return None if found is None else found[0]


def _is_marked(marks: Attribute | None, index: int) -> bool:
    """Test whether an argument is marked as a size with the name of its symbol."""
    entries = marks.value if isinstance(marks, ArrayAttr) else ()
    entry = entries[index] if index < len(entries) else None
    name = entry.get("jax.global_constant") if isinstance(entry, DictAttr) else None
    return isinstance(name, StringAttr) and name.value not in ("", "_platform_index")
