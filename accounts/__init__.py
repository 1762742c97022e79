"""Accounts: signing in, second factors, signing up, invitations, and what is asked again before a grave act."""
