"""Template tags for competitions and the inbox."""
