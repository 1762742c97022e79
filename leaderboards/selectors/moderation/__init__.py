"""Data for moderation: purges, replayed submissions, plausibility limits."""
