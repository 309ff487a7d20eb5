"""How each dialect encodes its attributes and types: rows of codes and fields."""
