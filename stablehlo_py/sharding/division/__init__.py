"""Division: a program with shardings becomes the program of one device, with explicit collectives."""
