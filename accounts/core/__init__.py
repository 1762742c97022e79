"""Rules of accounts: standard library only."""
