"""Kernels: one vectorized NumPy function per op, in files named after the families of `opset`.

A kernel implements the section of the StableHLO specification that has its op's name; its docstring names
the op.
"""
