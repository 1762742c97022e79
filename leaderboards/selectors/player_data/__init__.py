"""Names of players, search by name, and exports of a player's stored data."""
