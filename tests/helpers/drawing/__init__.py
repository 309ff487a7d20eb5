"""Random programs: of one op, from its definition, and of many ops with exact results."""
