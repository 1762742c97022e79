"""Queries about rewards: who earns them, what has to change, and why."""
