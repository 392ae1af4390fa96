"""The command `dealbook`: typer and nothing else. Each command parses, makes one library call and prints.

In: a command line. Out: results on stdout, progress and messages on stderr, exit code 0 good, 1 found wanting, 2 usage. The
modules beside this one hold the commands; a command imports what it needs inside its function, because the start of the command
counts.
"""

from pipeline.cli.app import run as main

__all__ = ["main"]
