"""Numerics shared by kernels: rounding, special functions, matrix products."""
