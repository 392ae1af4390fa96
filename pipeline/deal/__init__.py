"""Game number to layout, and back."""
