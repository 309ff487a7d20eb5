"""Execution engines: they prepare a lowered function, or a whole module, for execution."""
