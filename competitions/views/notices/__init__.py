"""A player's inbox and the choice of notices."""
