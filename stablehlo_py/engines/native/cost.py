"""The cost model: the numbers that stages, emitters and the writer compare sizes with.

Each was measured: of two ways to compute something, the faster one changes about there. None of them changes
a result. What a processor has, such as the size of its registers, is in `machine.py`.
"""

# Expressions (schedule/inline.py): operations are additions and multiplications of scalars
EXPENSIVE = 10  # operations: an element that costs as many is stored rather than computed again
TRANSCENDENTAL = 15  # operations: an exponential, logarithm or sine
DIVISION = 4  # operations: a quotient or root
REPEATED = 8  # evaluations of an element: one that is computed so often again is stored, whatever it costs
DEEPEST = 50  # operations in a row: stages and LLVM recurse into expressions

# Nests (schedule/fuse.py)
FUSED = 1 << 9  # expressions of nests that share loops: LLVM takes longer than in proportion for more
SHORT_ROW = 32  # elements of a row: nests over shorter ones share no loops, but each is one loop
LEAST_JOINED = 1 << 6  # elements of such a nest, which is one loop of vectors: fewer fill none
MOST_JOINED = 1 << 12  # elements of such a nest: more leave the first cache

# Memory (schedule/place.py, llvm/module.py)
ARRAY = 1 << 16  # bytes of an array in the frame of a nest: the first cache holds it
FRAME = 1 << 18  # bytes of all arrays of a frame: stacks of threads hold it
PLACED = 1 << 12  # bytes of an array of a loop of control flow, from which it is placed by its lifetime
IN_REGISTERS = 16  # elements of an array that control flow keeps in registers

# Products (schedule/tile.py, schedule/padding.py)
TILED = 1 << 8  # multiplications of a nest, from which tiles pay
TILE_ROWS = 8  # rows of a tile : more do not hide more latency of multiplications
TILE_VECTORS = 2  # vectors of a row of a tile: each scalar of the left factor is multiplied with so many
PACKED_ROWS = 1 << 18  # bytes of a group of rows that are packed together
GROUPED = 64  # rows of a group at most
BLOCK = 1 << 9  # terms of a sum: a panel of so many stays in the first cache
MANY_TERMS = 3 << 9  # terms of a sum: more are added up in blocks, with totals in memory
PANELS = 1 << 19  # bytes of all panels: smaller ones stay in the second cache for all rows
ROWS = 1 << 23  # bytes of the left factor: a smaller one stays in the last cache for all panels
PADDED = 1 << 27  # bytes of the padded copy of an array
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
STRIPS = 1 << 17  # bytes of the arrays of a strip: the second cache holds them
COLUMN_ROWS = 4  # rows whose totals are in registers
NEIGHBOURS = 64  # elements of a fold that are neighbours in memory: more are added up along the fold

# Scatters (lower/gather_scatter.py)
SCATTERED = 1 << 14  # elements of updates, from which a region of a scatter alone pays

# Choices in loops (schedule/split.py)
HOISTED = 16  # iterations of the inner loops, from which a test in front of them takes no time
SPLIT = 4  # iterations of a loop that is split where choices change, at least
PIECES_OF_LOOP = 5  # loops that one is split into, at most
STATEMENTS = 64  # statements of all loops that a nest is split into, at most

# Kernels (llvm/kernels.py)
CALLED = 1 << 7  # iterations of loops, from which a function of their own pays
FIXED = 1 << 9  # iterations of the innermost loop of a kernel: code for a given number of fewer is faster

# Sums (llvm/nests.py)
INTERLEAVED = 256  # elements of a sum, from which several vectors of it are added up side by side

# Sorts, transforms and factorizations (lower/)
COUNTED = 64  # elements of a row: up to as many are put behind those that are less, more are sorted by digits
WIDE_DIGITS = 1 << 11  # elements of a row: digits of more have 11 bits instead of 8
BESIDE = 64  # elements that are compared with the least of the largest, at once
LINES = 16  # lines of a Fourier transform that are copied beside each other
LINES_IN_FRAME = 1 << 19  # bits of these lines: the first caches hold them
TAPS = 64  # elements of a window: of larger ones, the kernel takes less than a step for each
SORTED = 1 << 19  # elements of a sort in a loop: larger ones take longer than loops may between two polls
MATRIX = 256  # rows of a triangular system or LU factorization: of larger ones, LAPACK's blocks take less
SYMMETRIC_MATRIX = 128  # rows of a Cholesky factorization, the same

# Threads and control flow (llvm/module.py, llvm/control.py): an instruction takes some 10 ps in vectors
PIECE = 1 << 19  # instructions of a piece, some 5 microseconds: smaller nests are not shared out
PIECES = 128  # pieces of a nest that threads take one by one, unless these are long
OFFERED = 3 << 18  # instructions of a nest of control flow, from which threads that wait take pieces of it
PIECES_OF_OFFER = 1 << 14  # pieces of such a nest, at most
INLINED = 1 << 10  # instructions of a nest of control flow: smaller ones have their scalars in registers
EXTERNAL = 1 << 20  # instructions: a call of a step without loops, some 10 microseconds
POLLED = 1 << 24  # instructions of a loop between two polls of interrupts
