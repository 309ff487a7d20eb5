"""Lowering of CHLO: each op as ops of StableHLO, a module per family."""
