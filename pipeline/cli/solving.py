"""Commands: solving."""
