"""The cost model: the numbers that stages, emitters and the writer compare sizes with.

Each was measured: of two ways to compute something, the faster one changes about there. None of them changes
a result. What a processor has, such as the size of its registers, is in `machine.py`.
"""

from __future__ import annotations

from stablehlo_py.engines.native.machine import target

# Expressions (schedule/inline.py): operations are additions and multiplications of scalars
EXPENSIVE = 10  # operations: an element that costs as many is stored rather than computed again
TRANSCENDENTAL = 15  # operations: an exponential, logarithm or sine
DIVISION = 4  # operations: a quotient or root
REPEATED = 8  # evaluations of an element: one that is computed so often again is stored, whatever it costs

# Nests (schedule/fuse.py)
FUSED = 1 << 9  # expressions of nests that share loops: LLVM takes longer than in proportion for more
SHORT_ROW = 32  # elements of a row: nests over shorter ones share no loops, but each is one loop
LEAST_JOINED = 1 << 6  # elements of such a nest, which is one loop of vectors: fewer fill none
MOST_JOINED = 1 << 12  # elements of such a nest: more leave the first cache

# Memory (schedule/place.py, llvm/module.py)
ARRAY = 1 << 16  # bytes of an array in the frame of a nest: the first cache holds it
PLACED = 1 << 12  # bytes of an array of a loop of control flow, from which it is placed by its lifetime
IN_REGISTERS = 16  # elements of an array that control flow keeps in registers

# Products (schedule/tile.py, schedule/padding.py)
TILED = 1 << 8  # multiplications of a nest, from which tiles pay
TILE_ROWS = 8  # rows of a tile : more do not hide more latency of multiplications
TILE_VECTORS = 2  # vectors of a row of a tile: each scalar of the left factor is multiplied with so many
GROUPED = 64  # rows of a group at most
BLOCK = 1 << 9  # terms of a sum: a panel of so many stays in the first cache
ROWS = 1 << 23  # bytes of the left factor: a smaller one stays in the last cache for all panels
FEW_ROWS = 32  # rows: for fewer, packing a panel of the right factor takes longer than it saves
FEATURES = 24  # of the result of a convolution: fewer do not fill the columns of tiles
TRANSPOSED = 4  # multiplications for each element, from which transposing the arrays of a convolution pays
FEW_TERMS = 7  # of a dot: more are computed in tiles
SHORT_DOT = 1 << 12  # elements of a dot of few terms: smaller ones are loops with what is around them
ALONE = 1 << 16  # multiplications of a dot, from which a region of nothing else pays

# Vectors of elements that are no neighbours (schedule/padding.py, schedule/nests.py)
STRIDE = 4  # elements from one of a vector to the next, at most: all of them are loaded

# Folds of columns (schedule/columns.py)
FOLDED = 1 << 12  # elements of the folds of a nest, from which strips of columns pay
NARROWEST = 4  # columns of a strip at least
STRIP = 256  # columns of a strip whose values are arrays
COLUMN_ROWS = 4  # rows whose totals are in registers
NEIGHBOURS = 64  # elements of a fold that are neighbours in memory: more are added up along the fold

# Scatters (lower/gather_scatter.py)
SCATTERED = 1 << 14  # elements of updates, from which a region of a scatter alone pays

# Choices in loops (schedule/split.py)
HOISTED = 16  # iterations of the inner loops, from which a test in front of them takes no time
SPLIT = 4  # iterations of a loop that is split where choices change, at least
PIECES_OF_LOOP = 5  # loops that one is split into, at most
STATEMENTS = 64  # statements of all loops that a nest is split into, at most

# Sums (llvm/nests.py)
INTERLEAVED = 256  # elements of a sum, from which several vectors of it are added up side by side

# Sorts, transforms and factorizations (lower/)
COUNTED = 64  # elements of a row: up to as many are put behind those that are less, more are sorted by digits
BESIDE = 64  # elements that are compared with the least of the largest, at once
LINES = 16  # lines of a Fourier transform that are copied beside each other
TAPS = 64  # elements of a window: of larger ones, the kernel takes less than a step for each
MATRIX = 256  # rows of a matrix: of larger ones, LAPACK's blocks take less

# Threads and control flow (llvm/module.py, llvm/control.py): an instruction takes some 10 ps in vectors
PIECE = 1 << 19  # instructions of a piece, some 5 microseconds: smaller nests are not shared out
PIECES = 128  # pieces of a nest that threads take one by one, unless these are long
INLINED = 1 << 10  # instructions of a nest of control flow: smaller ones have their scalars in registers


def packed_rows() -> int:
    """The bytes of a group of rows that are packed together: a panel fits beside it into the second cache."""
    return target().second_cache // 4


def panels() -> int:
    """The bytes of all panels: smaller ones stay in the second cache for all rows."""
    return target().second_cache // 2


def strips() -> int:
    """The bytes of the arrays of a strip, which stay in the second cache beside what it reads."""
    return target().second_cache // 8
