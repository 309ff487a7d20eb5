"""Rows that the definitions of several families share."""
