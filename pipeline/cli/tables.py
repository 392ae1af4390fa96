"""Commands: tables."""
