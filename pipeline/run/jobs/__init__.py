"""The jobs on a dataset: one file each."""
