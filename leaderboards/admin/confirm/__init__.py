"""Confirmation pages: preview, reason, and what events add to a preview."""
