"""Numerics that kernels share: rounding, special functions, matrix products."""
