"""Bots: each chooses an action from a view, and from nothing else."""
