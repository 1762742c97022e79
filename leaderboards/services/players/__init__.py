"""Players: profiles, links to accounts, and their erasure."""
