"""Klondike solutions as text."""
