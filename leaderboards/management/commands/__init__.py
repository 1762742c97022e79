"""The management commands, one module each; shared code is in ``leaderboards/management``."""
