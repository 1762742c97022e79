"""Values and rules of leaderboards: standard library only, no clock, no I/O."""
