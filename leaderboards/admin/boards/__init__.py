"""Admins of boards and periods, with a preview of changed settings."""
