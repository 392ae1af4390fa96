"""Datasets for experiments: frames, arrays, batches, features."""
