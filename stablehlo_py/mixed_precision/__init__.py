"""Mixed precision: which ops of a program must stay wide."""
