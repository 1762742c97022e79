"""Signed webhooks: rows first (``outbox``), sent after (``sending``), to systems that the site's owner names.

It knows kinds, ids and JSON, and no domain word. Who has something to tell calls ``outbox.enqueue`` in the
transaction that makes it true; the schedule does the rest.
"""
