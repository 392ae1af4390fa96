"""Boards: a layout or a position as text, read and written."""
