"""Comparison of runs in step: the first op whose error is not explained by the errors of its operands.

The other run is a run of another program, a run on another engine, or stored in files. The program is run
beside it on the NumPy engine, op by op, and each op gets the operands of the other run. So a difference is
the error of the op itself, without errors inherited from its operands.
"""
