"""Commands on a whole dataset: build, check, describe."""
