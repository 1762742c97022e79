"""The pages of accounts, by subject."""
