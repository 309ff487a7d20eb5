"""Schedule: stages from loops to loops; the program after each stage is valid and has the same results."""
