"""Short solutions, and proofs that none is shorter."""
