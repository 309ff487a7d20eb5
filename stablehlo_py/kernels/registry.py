"""How kernels are registered and found: a kernel is a NumPy function for one op.

A kernel's positional parameters are the definition's operands under their own names (a variadic
operand is one tuple, an optional one may be None). Its keyword-only parameters are those of the
definition's attributes, regions (each a `Function`) and outputs (each a `Type`, or a tuple of types
where variadic) that it uses, under their own names. It returns one array, or a tuple where the op
has several or variadic outputs. It does not change its operands and gives fresh arrays, unless it
is registered otherwise. Three more keywords are there for the asking: `overwrite`, whether the operand
that it is registered to overwrite is its own, `attributes`, all of the op's as a dictionary, and `values`,
the op's operands as the program has them (names, types).

An elementwise op is registered in two stages: `elementwise` functions take the NumPy types of the
operands in place of the operands, and give the function that runs on arrays.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np

from stablehlo_py.ir.types import Type
from stablehlo_py.opset.definition import families, family_of

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
DType: TypeAlias = np.dtype[Any]
Ints: TypeAlias = tuple[int, ...]


class Function(Protocol):
    """A region or a `func.func`, ready to be called by a kernel.

    Called with arrays of its input types, it gives arrays of its output types. Where all its inputs
    are 0-dimensional it may also be called LIFTED: with arrays of shapes that broadcast together, of
    which every element is an argument; it then runs once, on whole arrays, and each result has the
    common shape, or a shape that broadcasts to it where the result does not depend on the arguments.
    """

    @property
    def input_types(self) -> tuple[Type, ...]: ...

    @property
    def output_types(self) -> tuple[Type, ...]: ...

    @property
    def ufunc(self) -> np.ufunc | None:
        """The ufunc that does the same, where the function is one binary operation on its two inputs."""

    @property
    def compares(self) -> bool:
        """Whether the function only compares its inputs and chooses among them."""

    def __call__(self, *arrays: Array) -> tuple[Array, ...]: ...


@dataclass(frozen=True, slots=True)
class Kernel:
    """A registered kernel: `call` runs on arrays, or, where `elementwise`, on types first.

    `view`: a result may share memory with an operand. `overwrites`: the operand that the kernel may
    write its result into, if it is called with `overwrite=True`; it then owns that operand's memory.
    `family` is the name of the file that registers it.

    `lifted` is the kernel on arrays of elements in place of 0-dimensional operands (see `Function`);
    `specialize` gives the kernel for operands of known shapes, None where it gains nothing by knowing them;
    `rows` gives, for a body's ufunc, the reduction of the rows of a matrix.
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


_kernels: dict[str, Kernel] = {}
_imported: set[str] = set()


def kernel(
    *names: str,
    view: bool = False,
    overwrites: str = "",
    lifted: Callable[..., Any] | Literal["itself"] | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers a function as the kernel of the ops `names`; `lifted` may be "itself"."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        on_elements = function if lifted == "itself" else lifted
        _add(names, Kernel("", function, view=view, overwrites=overwrites, lifted=on_elements))
        return function

    return register


def elementwise(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers a function from NumPy types to a function on arrays, for elementwise ops."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        _add(names, Kernel("", function, elementwise=True))
        return function

    return register


def specialized(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers a function from the types and keywords of an op to its kernel for operands of known shapes.

    Loops run small steps thousands of times, where looking at shapes costs more than the work itself.
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        _kernels[name] = replace(_kernels[name], specialize=function)
        return function

    return register


def row_reduction(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers a function from a body's ufunc and a NumPy type to the reduction of a matrix's rows."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        _kernels[name] = replace(_kernels[name], rows=function)
        return function

    return register


def _add(names: tuple[str, ...], record: Kernel) -> None:
    family = sys._getframe(2).f_globals["__name__"].rpartition(".")[2]
    for name in names:
        if name in _kernels:
            raise ValueError(f"{name} has two kernels")
        _kernels[name] = replace(record, name=name, family=family)


def find_kernel(name: str) -> Kernel | None:
    """The kernel of an op, None if there is none. It is in the file of the same name as the definition."""
    if name not in _kernels and (family := family_of(name)) is not None:
        _import(family)
    return _kernels.get(name)


def all_kernels() -> dict[str, Kernel]:
    """Every kernel by the name of its op."""
    for family in families():
        _import(family)
    return dict(_kernels)


def _import(family: str) -> None:
    """Registers the kernels of a family, if it has any."""
    if family not in _imported:
        _imported.add(family)
        module = f"stablehlo_py.kernels.{family}"
        if find_spec(module):
            import_module(module)
