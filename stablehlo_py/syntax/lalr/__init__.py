"""Lexer, LALR tables and parse loop: text to a syntax tree."""
