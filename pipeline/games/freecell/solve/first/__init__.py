"""The first solution: greedy best-first search in tiers."""
