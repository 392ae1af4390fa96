"""The rules: moves, automoves, replay, and compiled twins of them."""
