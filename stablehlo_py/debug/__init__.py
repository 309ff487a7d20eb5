"""Finding what is wrong: observers of runs, and comparisons of arrays and of programs."""
