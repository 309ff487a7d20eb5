"""Printing: types, attributes, locations, aliases, value names and comments."""
