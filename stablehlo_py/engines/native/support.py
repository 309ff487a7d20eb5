"""Support of ops: the ops with a native form, their element types, and the reasons why others have none."""

from __future__ import annotations

from stablehlo_py.engines.native.arithmetic.scalar_ops import ROWS
from stablehlo_py.engines.native.cost import MATRIX, TAPS
from stablehlo_py.engines.native.lower.contraction import CONVOLUTION, DOT
from stablehlo_py.engines.native.lower.fft import FFT, LONGEST
from stablehlo_py.engines.native.lower.linalg import SOLVERS
from stablehlo_py.engines.native.lower.ragged import RAGGED_DOT
from stablehlo_py.engines.native.lower.random_bits import RNG_BIT_GENERATOR
from stablehlo_py.engines.native.lower.reduction import REDUCE
from stablehlo_py.engines.native.lower.registry import emitter_of
from stablehlo_py.engines.native.lower.sort import MOST, MOST_ELEMENTS, MOST_MERGED, SORT, TOP_K
from stablehlo_py.engines.native.lower.window import REDUCE_WINDOW
from stablehlo_py.engines.native.passes.pipeline import BROADCASTING, OTHER_FORMS
from stablehlo_py.engines.native.passes.quantization import CONVERSIONS
from stablehlo_py.engines.native.region import CONTROL

_FLOATS, _INTEGERS, _BOOLEANS = "floats of 4 to 64 bits", "integers of 2 to 64 bits", "i1"
_COMPLEX = "complex<f32>, complex<f64>"
_ALL = f"{_FLOATS}, {_INTEGERS}, {_BOOLEANS}, {_COMPLEX}"
_NUMBERS = f"{_FLOATS}, {_INTEGERS}, {_COMPLEX}"
_WHOLE = "works on values that are no tensors, or outside of the program"

_ELEMENTS = {  # of expressions that are not of all
    "stablehlo.compare": f"{_ALL} (equal or not)",
    "stablehlo.is_finite": _FLOATS,
    "stablehlo.reduce_precision": f"{_FLOATS} (to at least one bit of mantissa)",
    "chlo.next_after": _FLOATS,
}

REASONS = {  # why an op without an emitter has none, by family
    "arith": "indices of dynamic shapes, between ops that are known when it runs",
    "builtin": _WHOLE,
    "check": _WHOLE,
    "chlo": "NumPy's kernel adds up a series, in a wider format",
    "collective": _WHOLE,
    "control": "is inlined, dropped, or a call of something outside of the program",
    "dot": "an older form, which no exporter writes; NumPy's kernel calls BLAS",
    "dynamic": "shapes are known only when it runs",
    "func": "calls of small functions are inlined; others are calls of their own",
    "gather_scatter": "an older form of gather, a copy by NumPy's kernel",
    "interpreter_dialect": _WHOLE,
    "random": "its numbers are those of a generator of the process, which NumPy has",
    "reduction": "exporters write its parts; the sums of NumPy's kernel are calls of BLAS",
    "shape": "constants are folded; tuples and dynamic sizes have no native form",
    "shape_dialect": "shapes are known only when it runs",
    "sharding": _WHOLE,
    "tensor": "shapes are known only when it runs",
    "transfer": _WHOLE,
}
OWN_REASONS = {  # of ops that have another reason than their family
    "chlo._asin_acos_kernel": "an intermediate of XLA, which no program has",
    "chlo.constant": "constants are folded",
    "stablehlo.dynamic_conv": "padding is known only when it runs",
}


def reason(op: str, family: str) -> str:
    """Why an op without an emitter has none."""
    return OWN_REASONS.get(op) or REASONS[family]


_FORMS = {  # of ops that others stand for, and when
    "chlo.constant_like": ("broadcast of a scalar", _ALL),
    "chlo.scan": ("loop over slices, if its body is native", _ALL),
    "stablehlo.batch_norm_grad": ("elementwise ops and sums", _FLOATS),
    "stablehlo.batch_norm_inference": ("elementwise ops", _FLOATS),
    "stablehlo.batch_norm_training": ("elementwise ops and sums", _FLOATS),
    "stablehlo.broadcast": ("broadcast_in_dim", _ALL),
    "stablehlo.dot": ("dot_general", _NUMBERS),
    "stablehlo.dynamic_broadcast_in_dim": ("broadcast_in_dim, of a constant shape", _ALL),
    "stablehlo.dynamic_gather": ("gather, of constant sizes", _ALL),
    "stablehlo.dynamic_pad": ("pad, of constant amounts", _ALL),
    "stablehlo.dynamic_reshape": ("reshape, to a constant shape", _ALL),
    "stablehlo.real_dynamic_slice": ("slice, of constant bounds", _ALL),
}


def _other_form(op: str) -> tuple[str, str] | None:
    """The ops that stand for an op (`passes/legalization.py`)."""
    if op in _FORMS:
        return _FORMS[op]
    name = op.removeprefix(BROADCASTING)
    found = native_form(f"stablehlo.{name}") or native_form(f"chlo.{name}")
    return found and ("expression, of operands that are broadcast", found[1])


def native_form(op: str) -> tuple[str, str] | None:
    """Describe the native form of an op.

    Args:
        op: The name of an op, with its dialect.

    Returns:
        The form, and the element types with this form; None for an op without an emitter.
    """
    if op in ROWS:
        row = ROWS[op]
        kinds = (
            (row.floating, _FLOATS),
            (row.integer, _INTEGERS),
            (row.boolean, _BOOLEANS),
            (row.complex, _COMPLEX),
        )
        return "expression", ", ".join(elements for function, elements in kinds if function is not None)
    if op in OTHER_FORMS or op.startswith(BROADCASTING):
        return _other_form(op)
    if op in CONVERSIONS:
        return "expression", "quantized"
    if op in _OWN_FORMS:
        return _OWN_FORMS[op]
    emitter = emitter_of(op)
    if emitter is None:
        return None
    return "loops" if emitter.loops is not None else "expression", _ELEMENTS.get(op, _ALL)


_OWN_FORMS = {  # of ops whose loops have conditions besides
    **dict.fromkeys(CONTROL, ("loop or branch, if its bodies are native", _ALL)),
    REDUCE: ("loops, if its body is made of expressions", _ALL),
    CONVOLUTION: ("loops, in tiles", _NUMBERS),
    RAGGED_DOT: ("loops, for groups of rows", _NUMBERS),
    REDUCE_WINDOW: (f"loops, for windows of up to {TAPS} elements, and cumulative ones", _ALL),
    DOT: ("loops, in tiles", _NUMBERS),
    **dict.fromkeys(SOLVERS, (f"loops, for matrices of up to {MATRIX} rows", "f32, f64")),
    FFT: (f"loops, for lengths up to {LONGEST} whose primes are 2, 3, 5 and 7", f"f32, f64, {_COMPLEX}"),
    RNG_BIT_GENERATOR: ("loops", _INTEGERS),
    SORT: (
        f"loops, up to {MOST_ELEMENTS:,} elements by keys, {MOST_MERGED:,} by other comparators, "
        "if these are made of expressions",
        _ALL,
    ),
    TOP_K: (f"loops, for up to {MOST} elements of a row", f"{_FLOATS}, {_INTEGERS}, {_BOOLEANS}"),
}
