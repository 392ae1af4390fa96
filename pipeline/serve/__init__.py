"""For the people who read the data."""
