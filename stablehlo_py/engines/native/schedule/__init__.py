"""Schedule: stages from loops to loops, each of which leaves a program that is verified and run as before."""
