"""Overdue background work, metrics, and the progress of resyncs."""
