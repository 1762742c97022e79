"""The admin of series."""
