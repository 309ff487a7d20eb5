"""A chain of elementwise operations that runs block by block, on several threads where it pays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from math import prod
from os import cpu_count
from typing import TYPE_CHECKING, Any

import numpy as np

from stablehlo_py.kernels.registry import Array, DType

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

BLOCK = 1 << 15  # elements
PARALLEL = 1 << 17  # elements: fewer are not worth waking a thread
Index = tuple[slice | int, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """One operation of a chain: `call` on the values of `ins` gives that of `out`, of type `dtype`."""

    call: Callable[..., Any]
    ins: tuple[int, ...]
    out: int
    dtype: DType


class Chain:
    """Calls links for each block. `full` are the inputs of the chain's shape; the others are scalars."""

    def __init__(
        self,
        shape: tuple[int, ...],
        ins: tuple[int, ...],
        full: frozenset[int],
        links: Sequence[Link],
        outs: tuple[int, ...],
    ) -> None:
        self.shape = shape
        self.size = prod(shape)
        self._full = [slot in full for slot in ins]
        number = {slot: index for index, slot in enumerate([*ins, *[link.out for link in links]])}
        self._count = len(number)
        self._outs = [number[slot] for slot in outs]
        self._dtypes = [link.dtype for link in links if link.out in outs]
        self._links = _instructions(links, number, {number[slot] for slot in outs}, full)
        self.replaceable = _replaceable(links, ins, full, outs)

    def __call__(self, *arrays: Array, into: Array | None = None) -> Any:
        """The outputs: an array, or a tuple of arrays if there are several.

        They are fresh, or the only one is `into`, an operand at one of the positions `replaceable`.
        """
        if into is None or not into.flags.writeable:
            results = [np.empty(self.shape, dtype) for dtype in self._dtypes]
        else:
            results = [into]
        flat = all(a.flags.c_contiguous for a, full in zip(arrays, self._full, strict=True) if full)
        inputs: Sequence[Array] = arrays
        outputs = results
        if flat:
            inputs = [a.reshape(-1) if full else a for a, full in zip(arrays, self._full, strict=True)]
            outputs = [r.reshape(-1) for r in results]
        self._run_all(inputs, outputs, self._flat_blocks if flat else self._blocks)
        return results[0] if len(results) == 1 else tuple(results)

    def _run_all(self, inputs: Sequence[Array], outputs: list[Array], blocks: list[Index]) -> None:
        """Runs the blocks, half of them on another thread if there are enough."""
        if self.size < PARALLEL or (cpu_count() or 1) < 2:
            self._run(inputs, outputs, blocks)
            return
        middle = len(blocks) // 2
        other = _pool().submit(_quietly, self._run, inputs, outputs, blocks[middle:])
        self._run(inputs, outputs, blocks[:middle])
        other.result()

    def _run(self, inputs: Sequence[Array], outputs: list[Array], blocks: list[Index]) -> None:
        registers: list[Any] = [None] * self._count
        full = [(i, inputs[i]) for i, f in enumerate(self._full) if f]
        registers[: len(inputs)] = inputs
        outs = list(zip(self._outs, outputs, strict=True))
        for block in blocks:
            for i, array in full:
                registers[i] = array[block]
            for out, array in outs:
                registers[out] = array[block]
            for call, ins, out, how, target in self._links:
                values = [registers[i] for i in ins]
                if how == _INTO:
                    call(*values, out=registers[target])
                    registers[out] = registers[target]
                elif how == _NEW:
                    registers[out] = call(*values)
                else:
                    registers[target][...] = call(*values)

    @cached_property
    def _flat_blocks(self) -> list[Index]:
        return [(slice(at, at + BLOCK),) for at in range(0, self.size, BLOCK)]

    @cached_property
    def _blocks(self) -> list[Index]:
        """Blocks of whole rows: every index of the leading axes, and runs along the next."""
        axis, inner = len(self.shape) - 1, 1
        while axis > 0 and inner * self.shape[axis] <= BLOCK:
            inner *= self.shape[axis]
            axis -= 1
        rows = max(1, BLOCK // inner)
        runs = [slice(at, at + rows) for at in range(0, self.shape[axis], rows)]
        return [(*lead, run) for lead in product(*map(range, self.shape[:axis])) for run in runs]


_NEW, _INTO, _ASSIGN = range(3)
Instruction = tuple[Callable[..., Any], tuple[int, ...], int, int, int]


def _instructions(
    links: Sequence[Link], number: dict[int, int], outs: set[int], full: frozenset[int]
) -> list[Instruction]:
    """Each link with where its result goes: into an output, over an operand that dies, or somewhere new."""
    last = {number[slot]: index for index, link in enumerate(links) for slot in link.ins}
    whole = {number[slot] for slot in full}
    types = {number[link.out]: link.dtype for link in links}
    found: list[Instruction] = []
    for index, link in enumerate(links):
        ins, out = tuple([number[slot] for slot in link.ins]), number[link.out]
        direct = _writes_directly(link)
        if whole & set(ins):
            whole.add(out)
        if out in outs:
            found.append((link.call, ins, out, _INTO if direct else _ASSIGN, out))
            continue
        dying = [i for i in ins if i in types and last[i] == index and i not in outs and i in whole]
        target = next((i for i in dying if types[i] == link.dtype), None)
        how = _INTO if direct and target is not None else _NEW
        found.append((link.call, ins, out, how, out if target is None else target))
    return found


def _replaceable(
    links: Sequence[Link], ins: tuple[int, ...], full: frozenset[int], outs: tuple[int, ...]
) -> tuple[int, ...]:
    """The positions of the inputs that nothing reads any more when the only output is written."""
    if len(outs) != 1:
        return ()
    made = next(index for index, link in enumerate(links) if link.out == outs[0])
    read_later = {slot for link in links[made + 1 :] for slot in link.ins}
    return tuple([i for i, slot in enumerate(ins) if slot in full and slot not in read_later])


def _writes_directly(link: Link) -> bool:
    """Whether a link is a ufunc, which can be told where to write its result."""
    return isinstance(link.call, np.ufunc) and link.call.nout == 1


def _quietly(function: Callable[..., None], *arguments: Any) -> None:
    """Calls on a thread of the pool, whose floating-point warnings are off as they are in the run."""
    with np.errstate(all="ignore"):
        function(*arguments)


@cache
def _pool() -> ThreadPoolExecutor:
    from concurrent.futures import ThreadPoolExecutor  # slow to import, and most programs are small

    return ThreadPoolExecutor(1, thread_name_prefix="stablehlo_py")
