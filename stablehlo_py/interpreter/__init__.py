"""Execution: a function compiles to a flat plan, which runs on NumPy arrays."""
