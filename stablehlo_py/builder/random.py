"""Random numbers and bits."""

from __future__ import annotations

import numpy as np

from stablehlo_py.builder.arguments import word
from stablehlo_py.builder.computation_builder import ComputationBuilder
from stablehlo_py.builder.errors import BuildError
from stablehlo_py.builder.op import Operand, XlaOp
from stablehlo_py.builder.shape import ShapeLike, shape_text, shape_type
from stablehlo_py.ir.types import F32, IntegerType, TensorType

_U32 = IntegerType(32, "u")


class Randoms(ComputationBuilder):
    """RngBernoulli, RngNormal, RngUniform and RngBitGenerator."""

    def RngBernoulli(self, mean: Operand, shape: ShapeLike) -> XlaOp:
        """Draws from a Bernoulli distribution: ones with a given probability, and zeros.

        Args:
            mean: The probability, an f32 scalar.
            shape: The shape of the result, of element type u32.

        Documents: 000; removed since.
        """
        type = self._array_type(shape)
        if type.element_type is not _U32:
            raise BuildError(f"RngBernoulli: the element type must be u32, not that of {shape_text(type)}")
        p = self._operand(mean, F32)
        zero, one = self._operand(np.float32(0)), self._operand(np.float32(1))
        draws = self._rng("UNIFORM", zero, one, TensorType(type.shape, F32))
        chance = self._one("broadcast_in_dim", [p], {"broadcast_dimensions": []}, shape=type.shape)
        attributes = {"comparison_direction": "LT", "compare_type": "FLOAT"}
        return self._one("convert", [self._one("compare", [draws, chance], attributes)], element_type=_U32)

    def RngNormal(self, mu: Operand, sigma: Operand, shape: ShapeLike) -> XlaOp:
        """Draws from a normal distribution.

        Args:
            mu: The mean, a scalar of the shape's element type.
            sigma: The standard deviation, a scalar of the same type.
            shape: The shape of the result, of a floating-point element type.

        Documents: 000, 003 (f32 only), 001.
        """
        type = self._array_type(shape)
        mean, deviation = (self._operand(x, type.element_type) for x in (mu, sigma))
        return self._rng("NORMAL", mean, deviation, type)

    def RngUniform(self, a: Operand, b: Operand, shape: ShapeLike) -> XlaOp:
        """Draws uniformly from [a, b).

        Args:
            a: The inclusive lower bound, a scalar of the shape's element type.
            b: The exclusive upper bound, a scalar of the same type, a < b.
            shape: The shape of the result, of a boolean, integer or floating-point element type.

        Documents: 000, 003 (f32, s32 and u32 only), 001.
        """
        type = self._array_type(shape)
        low, high = (self._operand(x, type.element_type) for x in (a, b))
        return self._rng("UNIFORM", low, high, type)

    def RngBitGenerator(self, algorithm: str, initial_state: Operand, shape: ShapeLike) -> XlaOp:
        """Generates random bits, deterministically from a state.

        Args:
            algorithm: DEFAULT, THREE_FRY or PHILOX, with or without XLA's prefix RNG_.
            initial_state: An array of u64, of the size that the algorithm requires.
            shape: The shape of the bits.

        Returns:
            A tuple of the next state and the bits.

        Documents: 001, with the state named `key`.
        """
        state, type = self._operand(initial_state), self._array_type(shape)
        attributes = {"rng_algorithm": word(algorithm, "algorithm").removeprefix("RNG_")}
        return self._collated(self._emit("rng_bit_generator", [state], attributes, types=[state.type, type]))

    def _array_type(self, shape: ShapeLike) -> TensorType:
        type = shape_type(shape)
        if not isinstance(type, TensorType) or not type.is_static:
            raise BuildError(f"{shape_text(type)} is not a static array shape")
        return type

    def _rng(self, distribution: str, a: XlaOp, b: XlaOp, type: TensorType) -> XlaOp:
        sizes = self._operand(np.array(type.shape, np.int64))
        return self._one("rng", [a, b, sizes], {"rng_distribution": distribution}, types=[type])
