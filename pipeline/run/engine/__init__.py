"""What runs the parts of a job, and what is shown meanwhile."""
