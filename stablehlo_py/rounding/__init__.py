"""Where precision is lost: shadow execution in a wider type, and runs with random rounding."""
