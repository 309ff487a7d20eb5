"""Definitions of ops, data only, a file per family. Importing this package registers all of them."""

from stablehlo_py.opset import (  # noqa: F401, I001  (imported for their definitions, in the families' order)
    func,
    builtin,
    elementwise,
    shape,
    dot,
    convolution,
    reduction,
    window,
    gather_scatter,
    sort,
    linalg,
    fft,
    random,
    control,
    collective,
    quantized,
    dynamic,
    chlo,
    chlo_broadcast,
    conversion,
)
