"""Chains of elementwise operations that run block by block, on several threads for large arrays."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import accumulate, pairwise, product
from math import prod
from typing import Any

import numpy as np

from stablehlo_py.engines.numpy.broadcasting import Extent, Source
from stablehlo_py.engines.threads import pool, processors
from stablehlo_py.ir.records import dataclass
from stablehlo_py.kernels.numeric.ufuncs import is_ufunc
from stablehlo_py.kernels.registry import Array, DType
from stablehlo_py.kernels.slabs import check_limits

BLOCK = 1 << 16  # elements
PARALLEL = 1 << 17  # elements: smaller arrays run on one thread
Index = tuple[slice | int, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """An operation of a chain.

    Attributes:
        call: The function.
        ins: The operands.
        out: The result.
        dtype: The element type of the result.
        shape: The shape of the result.
    """

    call: Callable[..., Any]
    ins: tuple[Source, ...]
    out: Source
    dtype: DType
    shape: tuple[int, ...]


class Chain:
    """A sequence of links that are called for each block of arrays of a shape.

    If an input or a result is smaller than the shape, blocks consist of whole rows.
    """

    def __init__(
        self, shape: tuple[int, ...], ins: tuple[Source, ...], links: Sequence[Link], outs: tuple[int, ...]
    ) -> None:
        self.shape = shape
        self.size = prod(shape)
        made = [link.out for link in links]
        extents = [extent for _, extent in (*ins, *made)]
        self._sliced = [extent in (Extent.FULL, Extent.PER_ROW) for _, extent in ins]
        self._by_rows = not {Extent.PER_ROW, Extent.PER_COLUMN}.isdisjoint(extents)
        number = {source: index for index, source in enumerate([*ins, *made])}
        self._count = len(number)
        results = [link for link in links if link.out.slot in outs]
        self._outs = [number[link.out] for link in results]
        self._results = [(link.shape, link.dtype) for link in results]
        self._matrices = [extent.matrix(shape) for extent in extents] if self._by_rows else []
        self._links, self._buffers = _instructions(links, number, set(self._outs), len(ins))
        self._lead = next((i for i, (_, extent) in enumerate(ins) if extent is Extent.FULL), 0)
        # With one output, which is the last link's, no input is read after it is written.
        is_full = [extent is Extent.FULL for _, extent in ins]
        self.replaceable = tuple([i for i, full in enumerate(is_full) if full and len(outs) == 1])

    def __call__(self, *arrays: Array, into: Array | None = None) -> Any:
        """Run the chain.

        Args:
            arrays: The inputs.
            into: The array to write the only output into: an operand at one of the positions `replaceable`.

        Returns:
            An array, or a tuple of arrays if there are several outputs.
        """
        if into is None or not into.flags.writeable or not (into.flags.c_contiguous or not self._by_rows):
            results = [np.empty(shape, dtype) for shape, dtype in self._results]
        else:
            results = [into]
        self._run_all(*self._arranged(arrays, results))
        return results[0] if len(results) == 1 else tuple(results)

    def _arranged(
        self, arrays: Sequence[Array], results: list[Array]
    ) -> tuple[Sequence[Array], list[Array], list[Index]]:
        """Reshape inputs and outputs to matrices or vectors if possible; return them and the blocks."""
        if self._by_rows:
            inputs: list[Any] = [self._rows(x, self._matrices[i]) for i, x in enumerate(arrays)]
            outputs: list[Array] = [
                x.reshape(self._matrices[i]) for i, x in zip(self._outs, results, strict=True)
            ]
            is_apart = any(isinstance(x, _RowsApart) for x in inputs)
            return inputs, outputs, self._leading_blocks if is_apart else self._row_blocks
        if all(a.flags.c_contiguous for a, full in zip(arrays, self._sliced, strict=True) if full):
            inputs = [a.reshape(-1) if full else a for a, full in zip(arrays, self._sliced, strict=True)]
            return inputs, [r.reshape(-1) for r in results], self._flat_blocks
        return arrays, results, self._blocks

    def _rows(self, array: Array, matrix: tuple[int, int]) -> Array | _RowsApart:
        """Return an input as a matrix, which is not made if that would copy a large array."""
        is_copied = array.shape == self.shape and array.ndim > 2 and not array.flags.c_contiguous
        return _RowsApart(array, self._places) if is_copied and array.size > BLOCK else array.reshape(matrix)

    def _run_all(self, inputs: Sequence[Array], outputs: list[Array], blocks: list[Index]) -> None:
        """Run the blocks, on all threads if there are enough."""
        alone = self.size < PARALLEL or processors() == 1
        if alone or not self._run_shared(inputs, outputs, blocks):
            self._run(inputs, outputs, blocks)

    def _run_shared(self, inputs: Sequence[Array], outputs: list[Array], blocks: list[Index]) -> bool:
        """Run the blocks on the threads of the pool; return False if they are busy."""
        waiting, errors = deque(blocks), list[Exception]()

        def job(number: int) -> None:
            try:
                with np.errstate(all="ignore"):  # as in the run
                    self._run(inputs, outputs, _taken(waiting))
            except Exception as error:
                errors.append(error)
                waiting.clear()

        if not pool().run(job, stop=waiting.clear):
            return False
        if errors:
            raise errors[0]
        return True

    def _run(self, inputs: Sequence[Array], outputs: list[Array], blocks: Iterable[Index]) -> None:
        registers: list[Any] = [None] * self._count
        cut = [(i, inputs[i]) for i, sliced in enumerate(self._sliced) if sliced]
        registers[: len(inputs)] = inputs
        cut += zip(self._outs, outputs, strict=True)
        shape = None
        for block in blocks:
            check_limits()
            for i, array in cut:
                registers[i] = array[block]
            if self._buffers and registers[self._lead].shape != shape:
                shape = registers[self._lead].shape
                for i, dtype in self._buffers:
                    registers[i] = np.empty(shape, dtype)
            for call, ins, target, out, copied in self._links:
                operands = [registers[i] for i in ins]
                if target is not None:
                    registers[out] = call(*operands, out=registers[target])
                elif copied:
                    registers[out][...] = call(*operands)
                else:
                    registers[out] = call(*operands)

    @cached_property
    def _flat_blocks(self) -> list[Index]:
        return [(slice(at, at + BLOCK),) for at in range(0, self.size, BLOCK)]

    @cached_property
    def _row_blocks(self) -> list[Index]:
        rows, columns = Extent.FULL.matrix(self.shape)
        height = max(1, BLOCK // columns)
        return [(slice(at, at + height),) for at in range(0, rows, height)]

    @cached_property
    def _blocks(self) -> list[Index]:
        return _indices(self.shape, BLOCK)

    @cached_property
    def _places(self) -> dict[int, Index]:
        """Return the indices of blocks of rows that are boxes in the shape, by the first row."""
        *leading, columns = self.shape
        indices = _indices(tuple(leading), max(1, BLOCK // columns))
        rows = [prod(np.broadcast_to(False, leading)[index].shape) for index in indices]
        return dict(zip(accumulate(rows, initial=0), indices, strict=False))

    @cached_property
    def _leading_blocks(self) -> list[Index]:
        return [(slice(a, b),) for a, b in pairwise([*self._places, prod(self.shape[:-1])])]


class _RowsApart:
    """The rows of an array that is not contiguous, of which a block is copied when it is used.

    Args:
        array: The array.
        places: The index of each block by its first row.
    """

    def __init__(self, array: Array, places: dict[int, Index]) -> None:
        self._array = array
        self._places = places

    def __getitem__(self, block: Any) -> Array:
        found: Array = self._array[self._places[block[0].start]]
        return found.reshape(-1, self._array.shape[-1])


def _indices(shape: tuple[int, ...], most: int) -> list[Index]:
    """Return indices of blocks: every index of the leading axes, and ranges of the next."""
    axis, inner = len(shape) - 1, 1
    while axis > 0 and inner * shape[axis] <= most:
        inner *= shape[axis]
        axis -= 1
    length = max(1, most // inner)
    runs = [slice(at, at + length) for at in range(0, shape[axis], length)]
    return [(*lead, run) for lead in product(*map(range, shape[:axis])) for run in runs]


def _taken(waiting: deque[Index]) -> Iterator[Index]:
    """Take blocks off a queue that several threads have."""
    while waiting:
        with suppress(IndexError):  # another thread has the last one
            yield waiting.popleft()


Instruction = tuple[Callable[..., Any], tuple[int, ...], int | None, int, bool]


def _instructions(
    links: Sequence[Link], number: dict[Source, int], outs: set[int], inputs: int
) -> tuple[list[Instruction], list[tuple[int, DType]]]:
    """Compile links to calls on registers.

    Returns:
        For each link, the call, its registers, the one whose array a ufunc writes into, the register of the
        result, and whether the result is copied to the array there; then the registers that need a buffer.
    """
    last = {number[source]: index for index, link in enumerate(links) for source in link.ins}
    whole = {i for source, i in number.items() if i < inputs and source.extent is Extent.FULL}
    types = {number[link.out]: link.dtype for link in links}
    found: list[Instruction] = []
    buffers: list[tuple[int, DType]] = []
    for index, link in enumerate(links):
        ins, out = tuple([number[source] for source in link.ins]), number[link.out]
        full = bool(whole & set(ins)) and link.out.extent is Extent.FULL
        if full:
            whole.add(out)
        if not _writes_directly(link):
            found.append((link.call, ins, None, out, out in outs))
            continue
        dying = [i for i in ins if i in types and last[i] == index and i not in outs and i in whole]
        target = out if out in outs else next((i for i in dying if full and types[i] == link.dtype), None)
        if target is None and full:
            target = out
            buffers.append((out, link.dtype))
        found.append((link.call, ins, target, out, False))
    return found, buffers


def _writes_directly(link: Link) -> bool:
    """Return True if a link is a ufunc, which takes an output array."""
    return is_ufunc(link.call)
