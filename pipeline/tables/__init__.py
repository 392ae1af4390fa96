"""What a dataset holds."""
