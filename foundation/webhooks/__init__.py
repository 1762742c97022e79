"""Signed webhooks by a transactional outbox, to endpoints that the site's owner configures.

Apps call ``outbox.enqueue`` in the transaction of the change; a scheduled task sends the rows (``dispatch``).
"""
