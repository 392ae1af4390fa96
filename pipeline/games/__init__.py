"""The games: a room each, and the one list of them."""
