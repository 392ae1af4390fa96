"""Solutions as text, in every dialect that is read and written."""
