"""Stores in SQL: bulk statements, row locks, reads, and final standings."""
