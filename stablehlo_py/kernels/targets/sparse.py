"""Products of sparse matrices, as called by programs that JAX exports for CPUs."""

from __future__ import annotations

import numpy as np

from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.kernels.registry import Array
from stablehlo_py.kernels.targets.registry import custom_call

_PRODUCT = "T[e], int[p], int[e], T[c, ...] -> T[r, ...] where r = p - 1"


@custom_call("cpu_csr_sparse_dense_ffi", attributes={}, signature=_PRODUCT, layout="rows", typed=True)
def csr_product(data: Array, offsets: Array, columns: Array, dense: Array) -> Array:
    """Return the product of a matrix in compressed rows and a dense matrix or vector.

    Args:
        data: The elements of the sparse matrix, row by row.
        offsets: Where each row starts in `data`, and the end of the last.
        columns: The column of each element.
        dense: The dense matrix or vector.
    """
    counts = np.diff(offsets)
    first, last = int(offsets[0]), int(offsets[-1])
    inside = (columns[first:last] >= 0) & (columns[first:last] < len(dense))
    if first < 0 or last > len(data) or (counts < 0).any() or not inside.all():
        raise RunError("the offsets of rows or the columns are outside of the sparse matrix")
    scale = data[first:last].reshape(-1, *[1] * (dense.ndim - 1))
    found = np.zeros((len(counts), *dense.shape[1:]), data.dtype)
    np.add.at(found, np.repeat(np.arange(len(counts)), counts), scale * dense[columns[first:last]])
    return found
