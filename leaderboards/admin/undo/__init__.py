"""Undo of audit entries, one or several at once, with previews."""
