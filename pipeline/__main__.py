"""`python -m pipeline` is the command `dealbook`."""

from pipeline.cli import main

main()
