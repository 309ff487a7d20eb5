"""Arithmetic of the native engine: LLVM IR, element types, functions of floats and complex numbers."""
