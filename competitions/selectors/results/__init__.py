"""Queries about published results and their revisions."""
