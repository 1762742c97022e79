"""Queries about notices: the inbox, players' settings, and metrics."""
