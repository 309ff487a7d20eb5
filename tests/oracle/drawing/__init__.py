"""Draws programs: of one op each, from its definition, and of many ops that compute something exact."""
