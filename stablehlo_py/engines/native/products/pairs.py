"""Products of pairs of terms: an instruction adds up two products of 16-bit integers in each lane.

Products of narrow integers have operands of i16 and sums of i32. Two terms are a word, of 32 bits: what is
packed, and what the macro-kernel moves, are matrices of words, which only its micro-kernel takes apart.
"""

from __future__ import annotations

from functools import cache

from stablehlo_py.engines.native.arithmetic.llvm_ir import Value
from stablehlo_py.engines.native.index_space import Indices
from stablehlo_py.engines.native.products.tiles import registers
from stablehlo_py.engines.native.scope import Expression, Scope
from stablehlo_py.interpreter.plan import Step
from stablehlo_py.ir.types import IntegerType

PAIR_DOT, PAIR_CONVOLUTION = "native.pair_dot", "native.pair_convolution"  # of operands of words
WORDS = "native.words"  # the words of an array, two neighbours along `dimension` in each
TERM, SUM = IntegerType(16), IntegerType(32)
_LOW = 0xFFFF


@cache
def multiplies_pairs() -> bool:
    """Test whether this machine has such an instruction."""
    from stablehlo_py.engines.native.jit import host_features

    return bool(registers(host_features()).pairs)


def _word(scope: Scope, step: Step, indices: Indices) -> Value:
    (slot,), d = step.ins, step.keywords["dimension"]
    first = indices[d] * 2
    low, high = (
        scope.at(slot, (*indices[:d], first + k, *indices[d + 1 :])).convert("sext", "i32") for k in range(2)
    )
    return (low & _LOW) | (high << 16)


PAIRS: dict[str, Expression] = {WORDS: _word}
