"""Dealbook: numbered solitaire deals as datasets."""
