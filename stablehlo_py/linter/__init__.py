"""Rules about programs that are valid and could be better, the engine that applies them, and their fixes."""
