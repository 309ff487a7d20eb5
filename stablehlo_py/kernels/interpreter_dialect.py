"""Kernels of the reference interpreter's dialect: process grids, printing and probes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from stablehlo_py.ir.attributes import BoolAttr, FloatAttr, IntegerAttr
from stablehlo_py.ir.core import Value
from stablehlo_py.ir.types import ComplexType, FloatType, IntegerType, QuantizedType, TensorType, Type
from stablehlo_py.kernels.grid.process import Grid, Supply, current, kept
from stablehlo_py.kernels.registry import Array, Function, kernel

Arrays = tuple[Array, ...]


@kernel("interpreter.run_parallel")
def run_parallel(inputs: Arrays, *, programs: Any, infeed: Any) -> Arrays:
    """Run functions on a process grid of their own (interpreter.run_parallel)."""
    outer = current().grid
    supplies = [_supply(function) for function in infeed] if infeed else outer.infeed
    grid = Grid(len(programs), len(programs[0]), supplies, outer.outfeed, outer.seed)
    work, at = [], 0
    for function in [function for row in programs for function in row]:
        count = len(function.input_types)
        work.append(partial(function, *map(kept, inputs[at : at + count])))
        at += count
    return tuple([value for values in grid.run(work) for value in values])


def _supply(function: Function) -> Supply:
    return lambda types: function()


@kernel("interpreter.print")
def print_(operand: Array, *, values: Sequence[Value]) -> tuple[()]:
    """Print a value in the format of the reference interpreter (interpreter.print)."""
    print(printed(operand, f"%{values[0].name or 0}", values[0].type), flush=True)
    return ()


def printed(array: Array, name: str, type: Type) -> str:
    """Return a tensor in the format of the reference interpreter.

    Args:
        array: The value.
        name: The name of the value, such as "%0".
        type: The type of the value.

    Returns:
        Text such as `%0 = tensor<2xi64> {`, the rows, and `}`.
    """
    element = type.element_type if isinstance(type, TensorType) else type
    return f"{name} = {type} {{{_rows(array, element, 1, last=True)}}}"


def _rows(array: Array, type: Type, indent: int, last: bool) -> str:
    if array.ndim == 0:
        return _element(array[()], type)
    parts = [_rows(part, type, indent + 1, at == len(array) - 1) for at, part in enumerate(array)]
    inner = (", " if array.ndim == 1 else "").join(parts)
    end = "\n" + "  " * (indent - 1) if last else ","
    return f"\n{'  ' * indent}[{inner}]{end}"


def _element(value: Any, type: Type) -> str:
    """Return a number in MLIR's spelling, without its type."""
    match type:
        case ComplexType(part):
            return f"[{_element(value.real, part)}, {_element(value.imag, part)}]"
        case IntegerType(1):
            return str(BoolAttr(bool(value)))
        case FloatType():
            return str(FloatAttr(float(value), type)).partition(" : ")[0]
        case QuantizedType(storage_type=storage):
            return _element(value, storage)
    return str(IntegerAttr(int(value), type)).partition(" : ")[0]


@kernel("interpreter.probe")
def probe(operand: Array, *, probe_id: str) -> Array:
    """Record a value under the probe's id, and return it (interpreter.probe)."""
    current().grid.probes[probe_id].append(operand.copy())
    return operand.copy()
