"""Execution: functions are lowered to flat plans, which engines run on NumPy arrays."""
