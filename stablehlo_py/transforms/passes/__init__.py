"""Passes, a module each."""
