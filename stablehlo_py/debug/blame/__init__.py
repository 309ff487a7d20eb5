"""Blame: which pass of XLA broke a result.

XLA dumps a program after each pass (`dumps`). `search` runs the dumps, and finds the first one whose results
differ from those of the program by more than rounding explains (`judge`); `changes` shows what the pass did.
"""
