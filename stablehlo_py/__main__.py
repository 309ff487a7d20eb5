"""`python -m stablehlo_py` is the command `shlo`."""

from stablehlo_py.cli.entry import main

main()
