"""The submit path: from an entry to its decision, in SQL or in Redis, and the quarantine."""
