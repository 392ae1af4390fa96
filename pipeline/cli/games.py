"""Commands: games."""
