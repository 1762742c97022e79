"""Mails about accounts: the outbox, links, and notices of changes."""
