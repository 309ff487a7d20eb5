"""Rewrite rules: rows, and their compilation to matchers and builders."""
