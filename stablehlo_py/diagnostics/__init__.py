"""Diagnostics and errors, and their rendering as text."""
