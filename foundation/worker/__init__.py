"""Helpers of Celery tasks: which tasks are due, and work for many rows."""
