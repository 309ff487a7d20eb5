"""Syntax tree to IR."""
