"""Answers for one person about one game or board."""
