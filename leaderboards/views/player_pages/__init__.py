"""A player's public page, and a user's own account pages."""
