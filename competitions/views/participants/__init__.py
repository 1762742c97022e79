"""Joining, leaving, teams and divisions."""
