"""Publishing a dataset: card, Croissant, checksums."""
