"""Assembly formats of ops: parsed from definitions, compiled for reading and printing."""
