"""Making accounts: signing up and invitations."""
