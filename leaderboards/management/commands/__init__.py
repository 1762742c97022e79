"""One file a command; what several share is in ``leaderboards/management``."""
