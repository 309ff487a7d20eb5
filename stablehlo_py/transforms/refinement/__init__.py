"""Shape refinement: propagation of static shapes through a program."""
