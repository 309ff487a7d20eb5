"""Rows shared by the definitions of several families."""
