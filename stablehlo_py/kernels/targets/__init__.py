"""Implementations of custom-call targets."""
