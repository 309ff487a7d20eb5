"""Reduction of a program while a check still says that it is interesting."""
