"""Fourier transforms, factors and systems of equations, and normalisation of batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stablehlo_py.builder.arguments import integers, word
from stablehlo_py.builder.computation_builder import ComputationBuilder
from stablehlo_py.builder.op import XlaOp
from stablehlo_py.ir.types import TensorType

if TYPE_CHECKING:
    from stablehlo_py.builder.op import Operand


class LinearAlgebra(ComputationBuilder):
    """Fft, Cholesky, TriangularSolve and BatchNorm."""

    def Fft(self, operand: Operand, fft_type: str, fft_length: Sequence[int]) -> XlaOp:
        """The discrete Fourier transform over the last dimensions, up to three.

        Args:
          operand: a complex array; a real one for RFFT.
          fft_type: FFT, IFFT, RFFT or IRFFT.
          fft_length: the sizes of the dimensions in the domain of time. RFFT's last dimension is
            fft_length[-1] // 2 + 1; IRFFT's is fft_length[-1].

        Documents: 001.
        """
        lengths = integers(fft_length, "fft_length")
        attributes = {"fft_type": word(fft_type, "fft_type"), "fft_length": lengths}
        return self._one("fft", [self._operand(operand)], attributes)

    def Cholesky(self, a: Operand, lower: bool) -> XlaOp:
        """The triangular factor of matrices that are symmetric (Hermitian) and positive definite.

        Args:
          a: an array [.., M, M] of a floating-point or complex type, of rank 2 or more. Only the triangle
            that `lower` names is read.
          lower: whether to give l with a = l l^T, or u with a = u^T u.

        Gives an array of the same shape, whose other triangle is open.

        Documents: 001.
        """
        return self._one("cholesky", [self._operand(a)], {"lower": lower})

    def TriangularSolve(
        self,
        a: Operand,
        b: Operand,
        left_side: bool,
        lower: bool,
        unit_diagonal: bool,
        transpose_a: str,
    ) -> XlaOp:
        """Solves op(a) x = b, or x op(a) = b, for x.

        Args:
          a: triangular matrices [.., M, M]. Only the triangle that `lower` names is read.
          b: matrices [.., M, K] if left_side, [.., K, M] otherwise.
          left_side: whether op(a) is on the left.
          lower: which triangle a has.
          unit_diagonal: whether to take the diagonal for ones, without reading it.
          transpose_a: what op is: NO_TRANSPOSE, TRANSPOSE or ADJOINT.

        Documents: 001.
        """
        attributes = {
            "left_side": left_side,
            "lower": lower,
            "unit_diagonal": unit_diagonal,
            "transpose_a": word(transpose_a, "transpose_a"),
        }
        return self._one("triangular_solve", self._operands(a, b), attributes)

    def BatchNormTraining(
        self, operand: Operand, scale: Operand, offset: Operand, epsilon: float, feature_index: int
    ) -> XlaOp:
        """Normalises over all dimensions but that of features.

        Args:
          operand: a floating-point array, x.
          scale, offset: vectors of as many elements as there are features.
          epsilon: what is added to variances.
          feature_index: which dimension is that of features.

        Gives a tuple: the array, and the mean and the (biased) variance of each feature.

        Documents: 000, 001, 003.
        """
        operands = self._operands(operand, scale, offset)
        vector = TensorType(operands[1].shape, operands[0].element_type)
        types = [operands[0].type, vector, vector]
        return self._collated(
            self._emit("batch_norm_training", operands, _features(epsilon, feature_index), types=types)
        )

    def BatchNormInference(
        self,
        operand: Operand,
        scale: Operand,
        offset: Operand,
        mean: Operand,
        variance: Operand,
        epsilon: float,
        feature_index: int,
    ) -> XlaOp:
        """Normalises with means and variances that are given, one for each feature.

        The other arguments are those of BatchNormTraining. Gives an array of the operand's shape.

        Documents: 000, 001, 003.
        """
        operands = self._operands(operand, scale, offset, mean, variance)
        return self._one("batch_norm_inference", operands, _features(epsilon, feature_index))

    def BatchNormGrad(
        self,
        operand: Operand,
        scale: Operand,
        mean: Operand,
        variance: Operand,
        grad_output: Operand,
        epsilon: float,
        feature_index: int,
    ) -> XlaOp:
        """The gradients of BatchNormTraining.

        Args:
          grad_output: the gradient of its output, of the operand's shape. The others are as there.

        Gives a tuple: the gradients of operand, scale and offset.

        Documents: 000 (its table of outputs is garbled), 001, 003.
        """
        operands = self._operands(operand, scale, mean, variance, grad_output)
        return self._collated(self._emit("batch_norm_grad", operands, _features(epsilon, feature_index)))


def _features(epsilon: float, feature_index: int) -> dict[str, float]:
    return {"epsilon": epsilon, "feature_index": feature_index}
