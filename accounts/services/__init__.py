"""Changes of accounts, one use case in each file."""
