"""The NumPy engine: every step calls a NumPy function. It needs no extra."""
