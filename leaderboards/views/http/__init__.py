"""Helpers of the views for HTTP: access, caching, polling, embedding, style sheets."""
