"""A batch job: plan, parts, manifest, check."""
