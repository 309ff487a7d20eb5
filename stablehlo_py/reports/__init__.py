"""Graphs and highlighted text of programs."""
