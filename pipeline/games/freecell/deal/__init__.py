"""From a game number to a layout, and back."""
