"""Passes over plans before regions are made: layouts, padding, wider elements, LAPACK calls as steps."""
