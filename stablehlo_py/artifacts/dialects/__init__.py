"""Encodings of the attributes and types of each dialect: rows of codes and fields."""
