"""Passes over plans: one module for each analysis or optimization."""
