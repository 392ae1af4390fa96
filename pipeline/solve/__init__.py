"""Cards -> solution, proof that none exists, or an honest "unresolved"."""
