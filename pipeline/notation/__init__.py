"""Texts of games and moves."""
