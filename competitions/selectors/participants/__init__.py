"""Queries about participants and teams, and about what one player has done."""
