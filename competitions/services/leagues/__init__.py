"""Services of leagues: begin seasons, fill groups, promote and demote."""
