"""The NumPy engine: every step is a call of a NumPy function. It is always there."""
