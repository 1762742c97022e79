"""Accounts: signing in, second factors, signing up, invitations, and re-authentication before sensitive actions."""
