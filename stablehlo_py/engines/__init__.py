"""Engines: what turns a lowered function, or a whole module, into a callable."""
