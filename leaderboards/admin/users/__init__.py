"""Admins of accounts and invitations."""
