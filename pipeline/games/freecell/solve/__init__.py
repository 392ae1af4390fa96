"""Solving: the state, the first solution, proofs of impossibility, short solutions."""
