"""Proofs that a game is impossible: exhaustion."""
