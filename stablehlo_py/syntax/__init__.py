"""Text to IR and back: lexer, parser, pretty forms, printer."""
