"""Queries about accounts."""
