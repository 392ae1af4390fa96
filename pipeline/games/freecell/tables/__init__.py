"""The tables of FreeCell: what they hold, how their rows are made and proved."""
