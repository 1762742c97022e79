"""Services that erase a player's personal data from competitions and their published results."""
