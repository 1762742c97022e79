"""Admins of standings and submissions, with pages to edit them."""
