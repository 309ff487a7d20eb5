"""Random programs, valid by construction."""
