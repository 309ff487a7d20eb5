"""Comparison of runs in step: the first op whose error is not explained by those of its operands.

One run is given: of another program, on another engine, or as files. The program is run beside it on the
NumPy engine, op by op, and each op gets the operands of the other run. What then differs is the error of the
op itself; what it inherits from its operands is not.
"""
