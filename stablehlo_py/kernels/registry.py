"""Registry of kernels: NumPy functions that implement ops.

The positional parameters of a kernel are the operands of the definition, by name: a variadic operand is a
tuple, an absent optional one is None. Its keyword-only parameters are those attributes, regions (each a
`Function`) and outputs (each a `Type`, or a tuple of types if variadic) of the definition that it uses, by
name. It returns one array, or a tuple if the op has several or variadic outputs. It does not modify its
operands and returns new arrays, unless registered otherwise. Four more keywords are available: `overwrite`,
True if the kernel may write into the operand that it is registered to overwrite; `attributes`, all attributes
of the op as a dictionary; `values`, the op's operands in the program (names, types); `semantics`,
"specification" or "xla", for ops that the two define differently.

An elementwise op is registered in two stages: an `elementwise` function takes the NumPy types of the operands
in place of the operands, and returns the function on arrays.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np

from stablehlo_py.ir.records import dataclass
from stablehlo_py.ir.types import Type
from stablehlo_py.kernels.numeric.ufuncs import Ufunc
from stablehlo_py.opset.definition import families, family_of

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
DType: TypeAlias = np.dtype[Any]
Ints: TypeAlias = tuple[int, ...]


class Function(Protocol):
    """A region or `func.func` that a kernel can call.

    A call takes arrays of the input types and returns arrays of the output types. If all inputs are
    0-dimensional, the function may also be called LIFTED: with arrays of shapes that broadcast together, each
    element of which is an argument. The body then runs once on whole arrays, and each result has the common
    shape, or a shape that broadcasts to it where it does not depend on the arguments.
    """

    @property
    def input_types(self) -> tuple[Type, ...]:
        """The types of the parameters."""

    @property
    def output_types(self) -> tuple[Type, ...]:
        """The types of the results."""

    @property
    def ufunc(self) -> Ufunc | None:
        """The equivalent ufunc, if the function is one binary operation on its two inputs."""

    @property
    def compares(self) -> bool:
        """True if the function only compares and selects among its inputs."""

    def __call__(self, *arrays: Array) -> tuple[Array, ...]:
        """Call the function."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """A registered kernel.

    Attributes:
        name: The name of the op, with dialect.
        call: The function on arrays; if `elementwise`, from NumPy types to a function on arrays.
        elementwise: Whether the kernel is registered in two stages.
        view: Whether a result may share memory with an operand.
        overwrites: The operand that the kernel may write its result into when called with `overwrite=True`;
            it then owns that operand's memory.
        family: The name of the file that registers the kernel.
        lifted: The kernel on arrays of elements in place of 0-dimensional operands (see `Function`).
        specialize: Returns the kernel for operands of known shapes, None if they allow no faster one.
        rows: Returns, for a body's ufunc, the reduction of the rows of a matrix.
        slabs: Returns where large operands are cut (a `slabs.Cut`, or None), from operands and keywords.
    """

    name: str
    call: Callable[..., Any]
    elementwise: bool = False
    view: bool = False
    overwrites: str = ""
    family: str = ""
    lifted: Callable[..., Any] | None = None
    specialize: Callable[..., Callable[..., Any] | None] | None = None
    rows: Callable[..., Callable[..., Any] | None] | None = None
    slabs: Callable[..., Any] | None = None


_kernels: dict[str, Kernel] = {}
_imported: set[str] = set()


def kernel(
    *names: str,
    view: bool = False,
    overwrites: str = "",
    lifted: Callable[..., Any] | Literal["itself"] | None = None,
    slabs: Callable[..., Any] | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function as the kernel of ops.

    Args:
        names: The names of the ops, with dialect.
        view: Whether a result may share memory with an operand.
        overwrites: The operand that the kernel can overwrite with its result.
        lifted: The kernel on arrays of elements; "itself" if it is the same function.
        slabs: Takes the operands, and the keywords that it names, and returns where large operands are cut.

    Example:
        @kernel("stablehlo.reverse", view=True)
        def reverse(operand: Array, *, dimensions: Ints) -> Array:
            return np.flip(operand, dimensions)
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        on_elements = function if lifted == "itself" else lifted
        _add(names, Kernel("", function, view=view, overwrites=overwrites, lifted=on_elements, slabs=slabs))
        return function

    return register


def elementwise(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function from NumPy types to a function on arrays, for elementwise ops.

    Args:
        names: The names of the ops, with dialect.

    Example:
        @elementwise("stablehlo.select")
        def select(pred: DType, on_true: DType, on_false: DType) -> ArrayFunction:
            return np.where
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        _add(names, Kernel("", function, elementwise=True))
        return function

    return register


def specialized(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function from the types and keywords of an op to its kernel for operands of known shapes.

    Loops run small steps thousands of times, where inspecting shapes costs more than the work itself.

    Args:
        name: The name of an op that has a kernel.
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        _kernels[name] = replace(_kernels[name], specialize=function)
        return function

    return register


def row_reduction(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function from a body's ufunc and a NumPy type to the reduction of a matrix's rows.

    Args:
        name: The name of an op that has a kernel.
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        _kernels[name] = replace(_kernels[name], rows=function)
        return function

    return register


def _add(names: tuple[str, ...], record: Kernel) -> None:
    family = sys._getframe(2).f_globals["__name__"].rpartition(".")[2]
    for name in names:
        if name in _kernels:
            raise ValueError(f"{name} already has a kernel")
        _kernels[name] = replace(record, name=name, family=family)


def find_kernel(name: str) -> Kernel | None:
    """Return the kernel of an op, or None.

    Imports the file of the family, which has the same name as that of the definition.

    Args:
        name: The name of the op, with dialect.
    """
    if name not in _kernels and (family := family_of(name)) is not None:
        _import(family)
    return _kernels.get(name)


def keyword_names(function: Callable[..., Any]) -> frozenset[str]:
    """Return the names of a function's keyword-only parameters."""
    code = getattr(function, "__code__", None)
    if code is None:
        return frozenset()
    return frozenset(code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount])


def all_kernels() -> dict[str, Kernel]:
    """Return all kernels by the name of their op."""
    for family in families():
        _import(family)
    return dict(_kernels)


def _import(family: str) -> None:
    """Register the kernels of a family, if it has any."""
    if family not in _imported:
        _imported.add(family)
        module = f"stablehlo_py.kernels.{family}"
        if find_spec(module):
            import_module(module)
