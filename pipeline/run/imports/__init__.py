"""Readers of other people's solutions."""
