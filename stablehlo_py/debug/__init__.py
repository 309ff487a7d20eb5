"""Debugging: observers of runs, and comparison of arrays and of programs."""
