"""Services of rewards: grant them, adjust them to new results, revoke and restore them."""
