"""The language of the specification's constraints: parsing, sort checking, compilation, explanation."""
