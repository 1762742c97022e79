"""Values and rules of leaderboards: standard library only, no clock, no input or output."""
