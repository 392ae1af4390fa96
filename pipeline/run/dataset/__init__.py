"""A dataset on disk: its plan, its manifest, its files."""
