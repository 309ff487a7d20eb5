"""HLO: the text that XLA reads and dumps, as a second language.

`parser` reads a text to the data in `module`, with all errors of the text; `printer` writes it back as XLA
does. What an opcode takes is its row in `opcodes.csv`; what an attribute holds is its kind in `kinds`; the
shapes are those of `layout`.
"""
