"""Solving Klondike with all cards known."""
