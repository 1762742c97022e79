"""Rules, criteria, update policies and ranks."""
