"""Admins of restrictions, purges and quarantined entries, with pages to ban, hide and shadow."""
