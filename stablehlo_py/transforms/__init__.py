"""Transformations of modules that preserve their meaning."""
