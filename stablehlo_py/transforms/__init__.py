"""Transformations: module to module, keeping its meaning."""
