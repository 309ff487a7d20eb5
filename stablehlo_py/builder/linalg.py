"""Fourier transforms, decompositions, linear solvers, and batch normalization."""

from __future__ import annotations

from collections.abc import Sequence

from stablehlo_py.builder.arguments import integers, word
from stablehlo_py.builder.computation_builder import ComputationBuilder
from stablehlo_py.builder.op import Operand, XlaOp
from stablehlo_py.ir.types import TensorType


class LinearAlgebra(ComputationBuilder):
    """Fft, Cholesky, TriangularSolve and BatchNorm."""

    def Fft(self, operand: Operand, fft_type: str, fft_length: Sequence[int]) -> XlaOp:
        """Computes the discrete Fourier transform over up to three minor dimensions.

        Args:
            operand: A complex array; a real one for RFFT.
            fft_type: FFT, IFFT, RFFT or IRFFT.
            fft_length: The sizes of the dimensions in the time domain. The minor dimension of RFFT has size
                fft_length[-1] // 2 + 1 in the result; that of IRFFT has size fft_length[-1].

        Documents: 001.
        """
        lengths = integers(fft_length, "fft_length")
        attributes = {"fft_type": word(fft_type, "fft_type"), "fft_length": lengths}
        return self._one("fft", [self._operand(operand)], attributes)

    def Cholesky(self, a: Operand, lower: bool) -> XlaOp:
        """Computes the Cholesky decomposition of symmetric (Hermitian) positive definite matrices.

        Args:
            a: A floating-point or complex array [.., M, M], of which only the triangle that `lower` selects
                is read.
            lower: Whether to return l with a = l l^T, rather than u with a = u^T u.

        Returns:
            An array of the same shape, whose other triangle is undefined.

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
            a: Triangular matrices [.., M, M], of which only the triangle that `lower` selects is read.
            b: Matrices [.., M, K] if left_side, [.., K, M] otherwise.
            left_side: Whether op(a) is on the left.
            lower: Whether a is lower triangular.
            unit_diagonal: Whether the diagonal is assumed to be 1, and not read.
            transpose_a: The operation op: NO_TRANSPOSE, TRANSPOSE or ADJOINT.

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
        """Normalizes over all dimensions except the feature dimension.

        Args:
            operand: A floating-point array, x.
            scale: A vector with one element per feature.
            offset: A vector with one element per feature.
            epsilon: The number added to variances.
            feature_index: The feature dimension.

        Returns:
            A tuple: the array, and the mean and the (biased) variance of each feature.

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
        """Normalizes with a given mean and variance of each feature.

        The other arguments are those of BatchNormTraining.

        Returns:
            An array of the operand's shape.

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
        """Computes the gradients of BatchNormTraining.

        Args:
            operand: As in BatchNormTraining.
            scale: As in BatchNormTraining.
            mean: The mean of each feature.
            variance: The variance of each feature.
            grad_output: The gradient of the output, of the operand's shape.
            epsilon: As in BatchNormTraining.
            feature_index: As in BatchNormTraining.

        Returns:
            A tuple: the gradients of operand, scale and offset.

        Documents: 000 (its table of outputs is garbled), 001, 003.
        """
        operands = self._operands(operand, scale, mean, variance, grad_output)
        return self._collated(self._emit("batch_norm_grad", operands, _features(epsilon, feature_index)))


def _features(epsilon: float, feature_index: int) -> dict[str, float]:
    return {"epsilon": epsilon, "feature_index": feature_index}
