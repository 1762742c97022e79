"""Parse and check input: entries, points, names, profiles, JSON and CSV."""
