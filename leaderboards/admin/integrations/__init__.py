"""Admins of service keys, webhooks and deliveries."""
