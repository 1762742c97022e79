"""Shared infrastructure without domain words: Redis, SQL, HTTP, keys, audit log, webhooks, metrics, the clock, errors.

The lowest layer: it imports no other app.
"""
