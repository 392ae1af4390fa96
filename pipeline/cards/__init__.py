"""Cards, their names and texts: what every room speaks."""
