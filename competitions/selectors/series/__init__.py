"""Queries about series, and previews of changed settings."""
