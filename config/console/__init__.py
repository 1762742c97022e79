"""The console: the frame of Django's admin, its home page, its health page and its search.

The console changes nothing. Each part of a page is read on its own, so that an unavailable server affects only its
part (``foundation/db/blocks.py``). The troubles and counts that every page shows are cached for a few seconds
(``status``).
"""
