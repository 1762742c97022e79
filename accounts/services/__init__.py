"""What changes accounts: one use case a file."""
