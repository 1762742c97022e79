"""Template tags for competitions."""
